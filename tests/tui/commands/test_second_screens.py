"""`schedlab attach` and `schedlab instruct`: whom they meet, and how their screens are; nothing is drawn."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.errors import ConfigError, Problem
from tests.engine.training.small_drill import TEXT
from tui.app import SchedlabApp
from tui.commands import attach, instruct
from tui.instructor_app import InstructorApp
from tui.sharing.meeting_place import open_door
from tui.sharing.wire import INSTRUCTOR, READER, VERSION, SharedDrill, Welcome


class Met:
    """Whoever is met, and the apps that ran."""

    def __init__(self, patch: pytest.MonkeyPatch, welcome: Welcome | None) -> None:
        self.asked: list[tuple[str | None, str]] = []
        self.apps: list[Any] = []
        self._welcome = welcome

        def run(app: SchedlabApp) -> None:
            self.apps.append(app)

        for module in (attach, instruct):
            patch.setattr(module, "needs_terminal", lambda instead: None)
            patch.setattr(module, "meet", self.meet)
            patch.setattr(module, "Link", lambda address, role: (address, role))
            patch.setattr(module, "RemoteSession", lambda link: link)
        patch.setattr(SchedlabApp, "run", run)
        patch.setattr(InstructorApp, "run", run)

    def meet(self, name: str | None, role: str) -> tuple[Any, Welcome]:
        """As it was made."""
        self.asked.append((name, role))
        if self._welcome is None:
            raise ConfigError([Problem("there is no session")])
        return "address", self._welcome


def test_a_second_screen_only_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the settings say; it ends with the code of the app."""
    met = Met(monkeypatch, Welcome(VERSION, "small", "Small"))
    done = CliRunner().invoke(attach.app, ["one", "--ascii"])
    [app] = met.apps

    assert (done.exit_code, met.asked) == (0, [("one", READER)])
    assert (app.options.read_only, app.options.ascii_only, app.options.absent) == (True, True, attach.ABSENT)


@pytest.mark.parametrize("command", [attach.app, instruct.app])
def test_where_nobody_is_met_it_says_so(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no screen is opened."""
    met = Met(monkeypatch, None)
    done = CliRunner().invoke(command, [])

    assert (done.exit_code, done.stderr, met.apps) == (2, "schedlab: there is no session\n", [])
    assert met.asked[0][0] is None


def test_the_seat_is_beside_the_drill_that_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its score so far is that of the record."""
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    met = Met(monkeypatch, Welcome(VERSION, "small", "Notebooks", SharedDrill(str(file), None)))
    done = CliRunner().invoke(instruct.app, [])

    assert (done.exit_code, met.asked) == (0, [(None, INSTRUCTOR)])
    assert isinstance(met.apps[0], InstructorApp)


def test_a_name_is_shared_until_the_session_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is free again."""
    monkeypatch.setattr(attach, "default_folder", lambda: tmp_path / "run")
    with attach.shared_as("small"):
        during = attach.shared_sessions("")
    after = attach.shared_sessions("")

    assert (during, after) == (["small"], [])


def test_seats_are_listed_of_drills_that_are_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session without a drill has none, nor has one that nobody serves any more."""
    monkeypatch.setattr(instruct, "default_folder", lambda: tmp_path / "run")
    doors = [open_door(tmp_path / "run", name) for name in ("drill", "exam", "plain", "gone")]
    welcomes = {
        "drill": Welcome(VERSION, "drill", "Notebooks", SharedDrill("x", None)),
        "exam": Welcome(VERSION, "exam", "Quiet", SharedDrill("y", 3, True)),
        "plain": Welcome(VERSION, "plain", "Small"),
    }
    monkeypatch.setattr(instruct, "is_alive", lambda address: address.name != "gone")
    monkeypatch.setattr(instruct, "greet", lambda address, role: welcomes[address.name] if role == READER else None)
    done = CliRunner().invoke(instruct.app, ["--list"])
    for door in doors:
        door.close()

    assert (done.exit_code, done.stdout) == (0, "drill  Notebooks\nexam  Quiet, exam\n")
