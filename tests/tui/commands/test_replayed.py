"""`schedlab replay`: what is played in a terminal, and what is refused before anything is drawn."""

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from tui.cast import RESTORED
from tui.commands import replay as command
from tui.commands.replay import CLEARED, replay

CAST = '{"version": 2, "width": 80, "height": 24}\n[0.0, "o", "one"]\n[1.0, "o", "two"]\n'


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def played(
    folder: Path,
    patch: pytest.MonkeyPatch,
    text: str = CAST,
    size: tuple[int, int] = (80, 24),
    **options: float | bool | None,
) -> tuple[int | None, str, list[tuple[float, float | None]]]:
    """Exit code, what the terminal was given, and how it was played."""
    path, out, how = folder / "a.cast", Terminal(), list[tuple[float, float | None]]()
    path.write_text(text)
    patch.setattr(sys, "stdout", out)
    patch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size(size))
    play = command.play

    def at_once(pieces: object, write: object, *, speed: float, idle_s: float | None) -> None:
        how.append((speed, idle_s))
        play(pieces, write, speed=speed, idle_s=idle_s, wall=lambda: 0.0, sleep=lambda _: None)  # type: ignore[arg-type]  # handed on

    patch.setattr(command, "play", at_once)
    code = None
    try:
        given = {"speed": 1.0, "idle": None, "anyway": False, **options}
        replay(path, **given)  # type: ignore[arg-type]  # by name
    except typer.Exit as error:
        code = error.exit_code
    return code, out.getvalue(), how


def test_a_recording_is_played_on_a_cleared_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is as before afterwards."""
    assert played(tmp_path, monkeypatch) == (None, f"{CLEARED}onetwo{RESTORED}", [(1.0, None)])


@pytest.mark.parametrize(("given", "idle"), [(None, 3.0), (0.0, 0.0), (7.0, 7.0)])
def test_a_pause_is_as_long_as_it_is_told(
    given: float | None, idle: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else as the recording says."""
    text = CAST.replace('"height": 24', '"height": 24, "idle_time_limit": 3')

    assert played(tmp_path, monkeypatch, text, idle=given, speed=2.0)[2] == [(2.0, idle)]


@pytest.mark.parametrize(
    ("size", "anyway", "is_played"),
    [((80, 24), False, True), ((79, 24), False, False), ((80, 23), False, False), ((79, 23), True, True)],
)
def test_a_terminal_is_as_large_as_the_recorded_one(
    size: tuple[int, int], anyway: bool, is_played: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is wanted anyway."""
    code, out, _ = played(tmp_path, monkeypatch, size=size, anyway=anyway)

    assert (code, out != "") == (None if is_played else 2, is_played)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"speed": 0.01}, None),
        ({"speed": 0.009}, 2),
        ({"speed": 1000.0}, None),
        ({"speed": 1000.1}, 2),
        ({"idle": -0.1}, 2),
    ],
)
def test_a_speed_and_a_pause_have_limits(
    options: dict[str, Any], code: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is drawn of what is refused."""
    found, out, how = played(tmp_path, monkeypatch, **options)

    assert (found, bool(out), bool(how)) == (code, code is None, code is None)
