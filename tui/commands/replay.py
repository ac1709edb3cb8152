"""`schedlab replay FILE.cast`: a recording of a terminal, played in this one."""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem
from tui.cast import RESTORED, CastPiece, DrawingOnly, read_cast
from tui.commands import new_app
from tui.commands.cli_errors import INPUT_REFUSED, reported_errors
from tui.terminal_edge import write_controls

app = new_app()

SLOWEST, FASTEST = 0.01, 1000.0
"""Seconds of the recording per second."""
CLEARED: Final = "\x1b[?1049h\x1b[2J\x1b[H"


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE.cast", help="A recording: asciicast v2.", show_default=False)],
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="Seconds of the recording per second.")] = 1.0,
    idle: Annotated[
        float | None,
        typer.Option("--idle", metavar="S", help="Longest pause [s]; else what the recording says, or none."),
    ] = None,
    anyway: Annotated[bool, typer.Option("--anyway", help="Also in a terminal smaller than the recorded one.")] = False,
) -> None:
    """Play a recording that `--record` or asciinema made; ctrl-C ends it.

    Only what draws is passed on: nothing in the file asks the terminal, switches its keys or fills its clipboard.
    Exit code 2: the file is none, or the terminal is too small; 130: ended by ctrl-C.
    """
    if not sys.stdout.isatty():
        typer.echo("schedlab: a recording is played in a terminal", err=True)
        raise typer.Exit(INPUT_REFUSED)
    with reported_errors():
        if not SLOWEST <= speed <= FASTEST:
            raise ConfigError([Problem(f"{speed:g} is no speed from {SLOWEST:g} to {FASTEST:g}", key="--speed")])
        if idle is not None and not idle >= 0:
            raise ConfigError([Problem(f"{idle:g} is no time", key="--idle")])
        cast = read_cast(file)
        terminal = shutil.get_terminal_size()
        if not anyway and (cast.width > terminal.columns or cast.height > terminal.lines):
            words = f"was recorded at {cast.width}x{cast.height}; this terminal has {terminal.columns}x{terminal.lines}"
            raise ConfigError([Problem(words, str(file), hint="enlarge it, or --anyway")])
        try:
            write_controls(sys.stdout, CLEARED)
            play(cast.pieces, _write, speed=speed, idle_s=cast.idle_s if idle is None else idle)
        finally:
            _write(RESTORED)


def _write(text: str) -> None:
    write_controls(sys.stdout, text)
    sys.stdout.flush()


def play(
    pieces: Sequence[CastPiece],
    write: Callable[[str], object],
    *,
    speed: float,
    idle_s: float | None,
    wall: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Write the pieces, each at its time.

    Args:
        pieces: In the order of their times.
        write: Takes what draws.
        speed: Seconds of the recording per second.
        idle_s: Longest pause, at speed 1; None for no limit.
        wall: The wall clock [s].
        sleep: Waits a time [s].
    """
    only, due_s, before_s = DrawingOnly(), wall(), 0.0
    for piece in pieces:
        pause_s = piece.at_s - before_s
        before_s = piece.at_s
        due_s += (pause_s if idle_s is None else min(pause_s, idle_s)) / speed
        rest_s = due_s - wall()
        if rest_s > 0:
            sleep(rest_s)
        write(only.feed(piece.output))
