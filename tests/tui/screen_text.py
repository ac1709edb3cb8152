"""What stands on screen as text."""

import re
import shlex
from collections.abc import Callable, Iterable
from typing import Any, Final

from textual.app import App
from textual.pilot import Pilot

from tests.invoke import said
from tests.stored import golden
from tui.app import SchedlabApp
from tui.screens.cluster import ClusterScreen

TURNS: Final = 3000
"""Most turns of a program until something has happened."""


async def until(pilot: Pilot[Any], happened: Callable[[], object]) -> None:
    """Let a program work on, in its background too, until something has happened."""
    for _ in range(TURNS):
        if happened():
            return
        await pilot.pause(0.01)
    raise AssertionError("it does not happen")


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, then let the program do and draw what they lead to."""
    await pilot.press(*keys)
    await pilot.pause()


def board_of(app: SchedlabApp) -> ClusterScreen:
    """The cluster on screen, or below what lies on it."""
    assert app.cluster is not None
    return app.cluster


def screen_lines(app: App[Any]) -> list[str]:
    """Every line of the terminal, without styles and trailing blanks."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def screen_text(app: App[Any]) -> str:
    return "\n".join(screen_lines(app))


def title_of(app: Any, pane: str) -> str:
    """The title on the upper edge of a pane's frame."""
    return _edge(app, pane)[0]


def way_of(app: Any, pane: str) -> str:
    """What stands at the end of that edge: other panes, the way here, how rows are chosen and ordered."""
    return _edge(app, pane)[-1]


def _edge(app: Any, pane: str) -> list[str]:
    frames: Any = app.screen.query_one("PaneFrames")
    region = frames.regions[pane]
    line = screen_lines(app)[frames.region.y + region.y]
    return [part.strip() for part in re.split("[═─=-]{2,}| [═─=-] ", line[region.x : region.right].strip("╭╮═─+=- "))]


def edge_cell(app: Any, pane: str, words: str) -> tuple[int, int]:
    """Where on screen some words on the upper edge of a pane's frame begin."""
    frames: Any = app.screen.query_one("PaneFrames")
    region = frames.regions[pane]
    y = frames.region.y + region.y
    return screen_lines(app)[y].index(words, region.x), y


# Command lines and what they say, stored as one sees them in a terminal: a file for each command.


def transcript(name: str, lines: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """(what each line says now, what is stored of it): output, complaints as `! …`, and an exit code that is not 0."""
    said = {line: _run(line) for line in lines}
    written = "\n".join(f"$ {line}\n{text}" for line, text in said.items())
    kept = golden(f"commands/{name}", written).split("$ schedlab ")[1:]
    stored = {f"schedlab {line}": text.strip("\n") for line, _, text in (each.partition("\n") for each in kept)}
    return {line: text.strip("\n") for line, text in said.items()}, stored


def _run(line: str) -> str:
    done = said("", shlex.split(line)[1:])
    complaints = "".join(f"! {each}\n" for each in done.stderr.splitlines())
    return done.stdout + complaints + (f"exit {done.exit_code}\n" if done.exit_code else "")
