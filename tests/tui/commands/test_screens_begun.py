"""What opens a screen: which session, as the settings say, and what is said afterwards; nothing is drawn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.tui.small_run import SMALL
from tui.app import SchedlabApp
from tui.commands import attach, lesson
from tui.commands import open as open_command
from tui.commands.lesson import demo, tour
from tui.render.scenario import ScenarioEntry
from tui.requests.lessons import DEMO, TOUR
from tui.session.session import Session
from tui.settings import resolve
from tui.sharing.shared_session import SharedSession

Opened = list[SchedlabApp]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Opened:
    """The apps that ran; there is a terminal, and settings and runs of its own."""
    apps: Opened = []
    monkeypatch.setattr(SchedlabApp, "run", _noted(apps))
    for module in (open_command, lesson, attach):
        monkeypatch.setattr(module, "needs_terminal", lambda instead: None)
    monkeypatch.setattr(open_command, "is_dumb", lambda: False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SCHEDLAB_RUNS", str(tmp_path / "runs"))
    return apps


def _noted(apps: Opened) -> Callable[[SchedlabApp], None]:
    """A method that takes note of its app."""

    def run(app: SchedlabApp) -> None:
        apps.append(app)

    return run


@pytest.fixture
def small(tmp_path: Path) -> str:
    """A scenario."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and stderr of `schedlab open`."""
    done = CliRunner().invoke(open_command.app, list(arguments))
    return done.exit_code, done.stderr


def session_of(app: SchedlabApp) -> Any:
    """What an app shows."""
    return app._shared.connection


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ((), (False, False, "risky")),
        (("--ascii",), (True, False, "risky")),
        (("--read-only",), (False, True, "risky")),
        (("--confirm", "always"), (False, False, "always")),
    ],
)
def test_a_screen_is_as_its_flags_say(
    flags: tuple[str, ...], options: tuple[bool, bool, str], opened: Opened, small: str
) -> None:
    """Else as the settings do."""
    code, err = run(small, *flags)
    [app] = opened
    found = app.options

    assert (code, err) == (0, "")
    assert (found.ascii_only, found.read_only) == options[:2]
    assert found.confirm == (options[2] if flags[:1] == ("--confirm",) else resolve({}).text("confirm"))


def test_a_screen_saves_where_it_is_told(opened: Opened, small: str, tmp_path: Path) -> None:
    """Else where the program is; remedies are tried, and a scenario can be opened from there."""
    assert run(small, "--save-folder", str(tmp_path))[0] == run(small)[0] == 0
    named, plain = (app.options for app in opened)

    assert (named.save_folder, plain.save_folder) == (tmp_path, Path())
    assert named.tries_remedies
    assert open_command._definition("fair-order").startswith('name = "fair-order"')
    assert open_command._described(ScenarioEntry("fair-order", "", "", "x")).title


def test_a_scenario_is_opened_at_an_instant(opened: Opened, small: str) -> None:
    """Standing, at a speed, with keys set on top."""
    assert run(small, "--at", "+20s", "--paused", "--speed", "3", "--set", "seed=9")[0] == 0
    session = session_of(opened[0])

    assert isinstance(session, Session)
    assert (session.driver.run.now_ms, session.driver.state.paused, session.driver.state.speed) == (20_000, True, 3.0)
    assert session.driver.state.seed == 9


@pytest.mark.parametrize(("flags", "name"), [(("--keep",), "small-1"), (("--keep-as", "mine"), "mine")])
def test_a_run_is_kept_where_that_is_wanted(
    flags: tuple[str, ...], name: str, opened: Opened, small: str, tmp_path: Path
) -> None:
    """And it is said as what."""
    assert run(small, *flags) == (0, f"kept as {name}\n")
    assert (tmp_path / "runs" / name).is_dir()
    assert run(small, "--runs", str(tmp_path / "other"), *flags) == (0, f"kept as {name}\n")
    assert (tmp_path / "other" / name).is_dir()
    assert len(opened) == 2


def test_nothing_is_kept_by_itself(opened: Opened, small: str, tmp_path: Path) -> None:
    """Nor said."""
    assert run(small) == (0, "")
    assert opened
    assert not (tmp_path / "runs").exists()


def test_without_a_name_there_is_the_chooser(opened: Opened) -> None:
    """With drills where one may act."""
    assert run() == (0, "")
    assert run("--read-only") == (0, "")
    entries = [app._entries for app in opened]

    assert [session_of(app) for app in opened] == [None, None]
    assert {one.group for one in entries[0]} - {one.group for one in entries[1]} == {"Drills"}


def test_what_is_shared_has_a_name(opened: Opened, small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chooser is not shared."""
    monkeypatch.setattr(attach, "default_folder", lambda: tmp_path / "shared")
    assert run("--share") == (2, "schedlab: --share: name the scenario that is shared\n")
    assert opened == []
    assert run(small, "--share")[0] == 0
    shared = session_of(opened[0])

    assert isinstance(shared, SharedSession)
    assert shared.door.welcome.name == "small"


@pytest.mark.parametrize("names", [["a.log", "b.log"], ["small.toml", "other.toml"]])
def test_files_that_are_no_log_are_refused(names: list[str], opened: Opened, tmp_path: Path) -> None:
    """In words."""
    for name in names:
        (tmp_path / name).write_text("hello\n")
    code, err = run(*(str(tmp_path / name) for name in names))

    assert (code, opened, err.startswith("schedlab: ")) == (2, [], True)


def test_files_of_a_configuration_are_for_logs(opened: Opened, small: str, tmp_path: Path) -> None:
    """A scenario has its own."""
    refused = "schedlab: open: configuration files of a cluster are for the files of a log alone\n"

    assert (run(small, "--fair-scheduler", str(tmp_path / "x.xml")), opened) == ((2, refused), [])


@pytest.mark.parametrize("command", [demo, tour])
def test_a_lesson_is_opened_with_its_lines(command: Any, opened: Opened) -> None:
    """At its instant and speed."""
    wanted = DEMO if command is demo else TOUR
    done = CliRunner().invoke(command, [])
    [app] = opened
    state = session_of(app).driver.state

    assert done.exit_code == 0
    assert (app.options.lesson, app.options.is_lesson_hidden) == (wanted.name, False)
    assert (state.name, state.paused) == ("reservation-deadlock", wanted.is_paused)


def test_a_demonstration_whose_lines_were_closed_hides_them(opened: Opened, tmp_path: Path) -> None:
    """Unless they are wanted again; at another speed where one is named."""
    mark = lesson._mark()
    mark.parent.mkdir(parents=True)
    mark.touch()
    for arguments in ([], ["--again"], ["--speed", "3"]):
        assert CliRunner().invoke(demo, arguments).exit_code == 0

    assert [app.options.is_lesson_hidden for app in opened] == [True, False, True]
    assert [session_of(app).driver.state.speed == 3.0 for app in opened] == [False, False, True]
    assert mark.is_relative_to(tmp_path)
