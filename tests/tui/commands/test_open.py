"""`schedlab open`: what flags and settings make of a session."""

from math import inf
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tui.app import SchedlabApp
from tui.commands.open import Opener, app
from tui.settings import resolve

HOUR = """
name = "small"
duration = "{duration}"
[cluster]
groups = [{{ count = 1, memory_mb = 4096, vcores = 4 }}]
"""


@pytest.mark.parametrize(
    ("given", "duration", "speed"),
    [(None, "30m", 10.0), (None, "6h", 60.0), ("0", "30m", inf), ("2.5", "30m", 2.5)],
    ids=["minutes", "hours", "flat out", "as said"],
)
def test_the_speed_fits_the_scenario_unless_it_is_said(
    given: str | None, duration: str, speed: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "small.toml"
    path.write_text(HOUR.format(duration=duration), encoding="utf-8")
    settings = resolve({"speed": None if given is None else float(given)}, None)

    session = Opener(settings, None).open(str(path))

    assert session.driver.state.speed == speed


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["FILE"], 0, "JOIN"),
        ([], 2, "no screen to choose on"),
        (["FILE", "--at", "5s"], 2, "--at: this terminal has no"),
    ],
)
def test_a_terminal_without_a_screen_gets_the_events(
    arguments: list[str], code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With TERM=dumb a scenario is played as `schedlab play` does; without one there is nothing to choose on."""
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("tui.commands.open.needs_terminal", lambda instead: None)
    path = tmp_path / "small.toml"
    path.write_text(HOUR.format(duration="1m"), encoding="utf-8")

    done = CliRunner().invoke(app, [str(path) if each == "FILE" else each for each in arguments])

    assert (done.exit_code, words in done.output, "\x1b" in done.output) == (code, True, False)


def test_a_drill_chosen_in_the_chooser_is_played_as_drill_play_does(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[str] = []

    def choose(chooser: SchedlabApp) -> None:
        chooser.chosen_drill = "queue-full"

    monkeypatch.setattr("tui.commands.open.needs_terminal", lambda instead: None)
    monkeypatch.setattr("tui.commands.open.is_dumb", lambda: False)
    monkeypatch.setattr(SchedlabApp, "run", choose)
    monkeypatch.setattr("tui.commands.drill_screen.play_on_screen", lambda drill, *_: played.append(drill.name))

    done = CliRunner().invoke(app, [])

    assert (done.exit_code, played) == (0, ["queue-full"])
