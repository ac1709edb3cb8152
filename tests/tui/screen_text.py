"""What stands on screen as text."""

import re
from collections.abc import Callable
from typing import Any, Final

from textual.app import App
from textual.pilot import Pilot

from tui.widgets.pane_frames import PaneFrames

TURNS: Final = 3000
"""Most turns of a program until something has happened."""


async def until(pilot: Pilot[Any], happened: Callable[[], object]) -> None:
    """Let a program work on, in its background too, until something has happened."""
    for _ in range(TURNS):
        if happened():
            return
        await pilot.pause(0.01)
    raise AssertionError("it does not happen")


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
    frames = app.screen.query_one(PaneFrames)
    region = frames.regions[pane]
    line = screen_lines(app)[frames.region.y + region.y]
    return [part.strip() for part in re.split("[═─=-]{2,}| [═─=-] ", line[region.x : region.right].strip("╭╮═─+=- "))]


def edge_cell(app: Any, pane: str, words: str) -> tuple[int, int]:
    """Where on screen some words on the upper edge of a pane's frame begin."""
    frames = app.screen.query_one(PaneFrames)
    region = frames.regions[pane]
    y = frames.region.y + region.y
    return screen_lines(app)[y].index(words, region.x), y
