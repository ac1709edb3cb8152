"""Holds for every test of the interface: whoever presses keys waits for the work that follows, and no longer.

Textual sleeps at least 20 ms twice for every key, most of it with nothing to wait for, and paints after each. Here
messages are waited for, not time, and what has changed is painted at a pause, as it is for who types faster than
60 keys a second. Nor does every program begun parse the same style sheets again.
"""

import asyncio
from collections.abc import Iterator
from math import inf
from typing import Any

import pytest
import textual.app
import textual.pilot
import textual.screen
from textual._context import active_app
from textual._wait import wait_for_idle
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen

SOON_S = 0.02
"""How long Textual sleeps before it takes a program for idle: nothing due later was ever waited for."""
MOST_ROUNDS = 1000
"""For a screen that always has something to draw."""
NEVER_S = 3600.0
"""How often a screen looks by itself for what has changed: here it is asked to, at once."""

_paint = Screen._compositor_refresh
_parse = Stylesheet._parse_rules
_parsed: dict[tuple[object, ...], list[RuleSet]] = {}


async def _settled(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until nothing is left to do, nor due soon; with threads or sockets about, as Textual itself waits.

    Work is counted in rounds: however slow the machine is, what one key leads to is done.
    """
    loop: Any = asyncio.get_running_loop()
    if loop._default_executor is not None or len(loop._selector.get_map()) > 1:
        await wait_for_idle(min_sleep, max_sleep)
    end_s = inf
    for _ in range(MOST_ROUNDS):
        await _handled(loop)
        if _is_work(active_app.get().screen):
            continue
        end_s = min(end_s, loop.time() + SOON_S)
        next_s = min((timer.when() for timer in loop._scheduled if not timer.cancelled()), default=inf)
        if next_s >= end_s:
            return
        await asyncio.sleep(max(0.0, next_s - loop.time()))


async def _handled(loop: Any) -> None:
    while loop._ready:  # noqa: ASYNC110 - the loop has no event for having nothing left to do
        await asyncio.sleep(0)


def _is_work(screen: Any) -> bool:
    """Whether the screen has anything to arrange or to draw; it begins with that."""
    waits: bool = screen._update_timer._active.is_set()
    if waits:
        screen._on_timer_update()
    return waits


async def _settled_and_painted(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    await _settled(min_sleep, max_sleep)
    _paint(active_app.get().screen)


def _paint_later(screen: Screen[Any]) -> None:
    """Leave what has changed to the next pause."""
    if screen is not screen.app.screen:
        _paint(screen)
        return
    screen._dirty_widgets.clear()
    screen.app._update_mouse_over(screen)


def _parse_once(sheet: Stylesheet, *arguments: Any, **options: Any) -> list[RuleSet]:
    """The rules of a text, which depend on nothing but the variables of the theme."""
    key = (frozenset(sheet._variables.items()), arguments, frozenset(options.items()))
    if key not in _parsed:
        _parsed[key] = _parse(sheet, *arguments, **options)
    return _parsed[key]


@pytest.fixture(autouse=True, scope="session")
def _no_needless_waits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textual.screen, "UPDATE_PERIOD", NEVER_S)
        patch.setattr(textual.app, "wait_for_idle", _settled)
        patch.setattr(textual.pilot, "wait_for_idle", _settled_and_painted)
        patch.setattr(Screen, "_compositor_refresh", _paint_later)
        patch.setattr(Stylesheet, "_parse_rules", _parse_once)
        yield
