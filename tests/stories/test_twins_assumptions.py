"""The twin of a log: what nobody knew of the cluster stands in its file, and answers say where they hang on it."""

from pathlib import Path
from typing import Final

import msgspec
import pytest

from engine.explain.answer import WhyReport
from engine.explain.obstacles import SensitivityReport
from engine.formats.scenario_toml import load
from tests.invoke import said
from tests.tui.answered import deadlocked, reports
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.pages.verdict_text import verdict_words, why_lines
from tui.protocol.picture import WhySubject
from tui.session.opening import open_session
from tui.terminal.format import RelativeTimeFormat

SERVICE: Final = Path(__file__).parents[1] / "cases" / "fix" / "30-fix-on-a-twin" / "rm.log"
"""Application 1 holds the one node and never ends; 2 waits for it."""

RUNS_ON: Final = (
    "if        0001 runs on: 0002 never starts\n"
    "          assumed: containers whose end is not known run as long again as their application has run"
)


def ran(command: str, *arguments: str) -> str:
    """What a command that succeeds writes to stdout."""
    done = said(command, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_an_answer_about_a_twin_says_what_it_hangs_on(tmp_path: Path) -> None:
    """`fix` and `why` play the assumption both ways; `play` repeats all of them."""
    path = str(tmp_path / "t.toml")
    ran("twin", str(SERVICE), "-o", path)

    remedies = ran("fix", path, "--at", "+1s", "--budget", "0", "--workers", "1")
    assert remedies.startswith(f"for       0002 at 09:05:01.139: starts at 09:10:00.278 without an act\n{RUNS_ON}\n")
    assert RUNS_ON in ran("why", path, "--app", "2", "--at", "+1s", "--budget", "0")
    assert "assumed       containers whose end is not known run as long again" in ran("play", path)


@pytest.mark.parametrize("key", ["w", "W"])
async def test_the_screens_say_what_an_answer_about_a_twin_hangs_on(key: str, tmp_path: Path) -> None:
    """As `why` and `fix` do, over what would help."""
    path = str(tmp_path / "t.toml")
    ran("twin", str(SERVICE), "-o", path)
    app = SchedlabApp(open_session(path, at="+1s", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press(key)
        for _ in range(100):
            await pilot.pause(0.1)
            if "assumed:" in screen_text(app):
                break
        shown = screen_text(app)

    for each in RUNS_ON.replace("if        ", "if ").splitlines():
        assert each.strip() in shown


def test_nothing_is_said_to_be_so_that_hangs_on_a_guess() -> None:
    """For whom a node is reserved may be known to nobody: then the verdict itself has the condition."""
    guessed = SensitivityReport(assumed="n1 is reserved for an unknown application")
    told = reports(WhySubject("application", "183354"), deadlocked())["why"]
    assert isinstance(told, WhyReport)
    why = msgspec.structs.replace(told, assumed=(guessed,))
    day = RelativeTimeFormat(why.at_ms, 0)

    lines = why_lines(why, day)

    assert verdict_words(why, day).startswith("if it is as assumed: deadlocked: ")
    assert "          assumed: n1 is reserved for an unknown application; what happens otherwise is not known" in lines


def test_an_answer_that_hangs_on_nothing_is_not_qualified(tmp_path: Path) -> None:
    """Played from the other side, it does: as nobody knows, application 1 may also end."""
    path = str(tmp_path / "t.toml")
    ran("twin", str(SERVICE), "-o", path, "--remaining", "forever")

    answer = ran("why", path, "--app", "2", "--at", "+1s", "--budget", "0")
    assert "if        0001 ends after as long again as it has run: 0002 starts at 09:10:00.278" in answer
    assert "\nif " not in ran("why", path, "--app", "1", "--at", "+1s", "--budget", "0")


@pytest.mark.long
def test_the_twin_of_a_log_keeps_the_freeze(tmp_path: Path) -> None:
    """The log names no sizes of reservations; a node that stays reserved has 45056 MB free, so more is asked for.

    What the freeze hangs on stands beside it, on the smallest screen too.
    """
    log, path, again = (str(tmp_path / name) for name in ("rm.log", "t.toml", "again.toml"))
    ran("play", "reservation-deadlock", "--until", "10:43", "-q", "--rm-log", log)
    for instant, file in (("10:42", path), ("+2h12m", again)):
        ran("twin", log, "--at", instant, "--remaining", "forever", "-o", file)
    assert Path(again).read_text() == Path(path).read_text()

    scenario = load(path)
    assert scenario.start.isoformat() == "2017-11-11T10:42:00+08:00"
    reserved = {(spec.application.number, each.memory_mb) for spec in scenario.recovered for each in spec.reserved}
    assert reserved == {(183354, 46080), (183383, 5120)}
    answer = ran("why", path, "--app", "183383", "--at", "0", "--budget", "0")
    assert "verdict   blocked: 183342 and 3 others never release what it needs" in answer
    assert (
        "if        183312, 183314, 183315 and 11 others end after as long again as they have run: 183383 st" in answer
    )
    assert " ALLOC " not in ran("play", path, "--until", "10m")
    report = ran("get", path, "report", "--at", "+30s", "-o", "md", "--budget", "1s")
    assert "needs, if what runs runs on, since" in report
    screen = ran("get", path, "picture", "--at", "+30s", "--size", "80x24", "-o", "text")
    assert "FROZEN if 30s  183354 holds 11 of 12; 62 wait, if what runs runs on" in screen


def test_a_release_between_those_that_are_played_is_named(tmp_path: Path) -> None:
    """With what differs from the one that is played; one that is played itself is not."""
    log, path = tmp_path / "rm.log", str(tmp_path / "t.toml")
    started = "STARTUP_MSG:   version = {}\n"
    log.write_text(started.format("3.3.6") + SERVICE.read_text())
    done = said("twin", [str(log), "-o", path])

    assert (load(path).scheduler, load(path).assumed[0].what) == ("fair-3.4", "release")
    assert "\nassumed: 3.3.6 is played as 3.4, though in 3.3.6 the queue root.default is alw" in done.stderr
    log.write_text(started.format("3.4.1") + SERVICE.read_text())
    again = said("get", [str(log), "-o", path, "--force"])
    assert (again.exit_code, "is played as" in again.stderr) == (0, False), again.stderr
