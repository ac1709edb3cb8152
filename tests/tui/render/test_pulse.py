"""The pulse of the header: pictures of it, and what holds for every one."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.tui.render.drawing import gallery
from tui.panes.line import flat, length
from tui.panes.plot import Window
from tui.panes.pulse import Freeze, Mark, Pulse, axis, cell_of, lines, time_at
from tui.terminal.format import WATCH

MINUTE = 60_000
SINCE, UNTIL = 8 * 60 * MINUTE, 10 * 60 * MINUTE
WINDOW = Window(SINCE, UNTIL)


def given(*values: float | None) -> Callable[[int], Sequence[float | None]]:
    return lambda parts: [*values, *[0.0] * parts][:parts]


NOTHING = given()


def pulse(samples: Callable[[int], Sequence[float | None]] = NOTHING, here: int = 120, **more: Any) -> Pulse:
    return Pulse(WINDOW, SINCE + here * MINUTE, samples)._replace(**more)


def frozen(minute: int) -> Pulse:
    beats = pulse(lambda parts: [4.0 if each * 120 < minute * parts else 0.0 for each in range(parts)])
    return beats._replace(freezes=(Freeze(SINCE + minute * MINUTE, UNTIL),))


def marks(**at: int) -> tuple[Mark, ...]:
    signs = {"A": (WATCH, "watch", ("frozen", "froz")), "K": ("K", "accent", ())}
    return tuple(Mark(SINCE + minute * MINUTE, *signs[name[0]]) for name, minute in at.items())


NIGHT = Window(23 * 60 * MINUTE, 25 * 60 * MINUTE)
PICTURES: dict[str, tuple[Pulse, int, int]] = {
    "two samples share a cell, nothing known is blank": (pulse(given(0, 10, 10, 0, None, 10)), 20, 1),
    "two rows stand on each other, heights follow a root": (pulse(given(100, 95, 90, 50, 9.2, 9.1, 0.001, 0)), 24, 2),
    "a freeze has its words in the middle": (frozen(60), 104, 1),
    "its words where they just fit": (frozen(90), 147, 1),
    "its shorter words": (frozen(90), 146, 1),
    "its shorter words where they just fit": (frozen(90), 107, 1),
    "no words": (frozen(90), 106, 1),
    "a freeze that is looked at from before": (frozen(60)._replace(here_ms=SINCE + 90 * MINUTE), 80, 1),
    "an alert hides an act, here hides both": (pulse(marks=marks(A=30, K=30, K2=60, A2=60, K3=120)), 40, 2),
    "what came later is faded": (pulse(lambda parts: [1.0] * parts, here=60), 21, 1),
    "the present has its time behind it": (pulse(given(1), here=60, present_ms=SINCE + 60 * MINUTE), 51, 2),
    "too narrow for times": (pulse(given(1)), 39, 1),
    "just wide enough for times": (pulse(given(1)), 40, 1),
    "times give way to alerts, and these to each other": (pulse(marks=marks(A=30, K=40, A2=58, A3=62)), 140, 1),
    "an alert at the end has no room for its name": (pulse(marks=marks(A=118)), 60, 1),
    "an end on another day": (pulse(window=Window(SINCE, UNTIL + 24 * 60 * MINUTE), here=120), 60, 1),
    "a begin on another day": (pulse(window=Window(SINCE, UNTIL + 24 * 60 * MINUTE), here=26 * 60), 60, 1),
    "midnight": (pulse(window=NIGHT, here=17 * 60), 140, 1),
    "another place of the earth": (pulse(offset_ms=90 * MINUTE), 80, 1),
}


def test_pictures_are_as_stored() -> None:
    drawn, kept = gallery(
        "pulse", {name: [*lines(one, *size), axis(one, size[0])] for name, (one, *size) in PICTURES.items()}
    )

    assert drawn == kept


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("width", [1, 21, 39, 40, 60, 140, 200])
def test_every_picture_is_as_wide_as_asked(name: str, width: int) -> None:
    one = PICTURES[name][0]
    shown = flat(axis(one._replace(marks=()), width))
    starts = [place for place, (before, sign) in enumerate(pairwise(" " + shown)) if before == " " != sign]

    assert {length(line) for line in [*lines(one, width, 2), axis(one, width)]} == {width}
    assert {time_at(cell_of(each.time_ms, one, width), one, width) for each in one.marks} <= {
        each.time_ms for each in one.marks
    }
    assert all(later - sooner >= 29 for sooner, later in pairwise(starts))
    if width > 1:
        bare = one._replace(marks=())
        assert (time_at(0, bare, width), time_at(width, bare, width)) == (one.window.since_ms, one.known.until_ms)
