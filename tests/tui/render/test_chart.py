"""One or two series over the whole screen."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given as axis_given
from hypothesis import settings
from hypothesis import strategies as st

from engine.observe.history import Steps
from tests.tui import fakes
from tests.tui.render.drawing import gallery
from tui.panes.chart import Chart, frame, lines
from tui.panes.fragments import RenderContext, cell_width, flat
from tui.panes.graphs import COUNT, Gauge, Points, Trace
from tui.panes.plot import STEPS_S, Window, ticks
from tui.panes.pulse import Freeze, Mark, Pulse, axis, cell_of, time_at
from tui.panes.pulse import lines as pulse_lines
from tui.terminal.format import MARK, WATCH

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (0, 0), 8 * 3_600_000)
MINUTE = 60_000
SIZE = (72, 20)


def trace(*values: float, key: str = "x", name: str = "things running", minutes: int = 10) -> Trace:
    """A series of values at equal distances in the last minutes up to 09:01."""
    since_ms = fakes.NOW - minutes * MINUTE
    steps: Steps[float] = Steps()
    for place, value in enumerate(values):
        steps.note(since_ms + place * minutes * MINUTE // len(values), value)
    gauge = Gauge(key, name, COUNT, (key,))
    window = Window(since_ms, fakes.NOW)
    return Trace(
        key, name, COUNT, lambda since, until: Points(steps.times, steps.values), window, values[-1], gauge=gauge
    )


def drawn(chart: Chart, size: tuple[int, int] = SIZE, look: RenderContext = LOOK) -> list[str]:
    return [flat(line) for line in lines(chart, look, size)[0]]


def at(minutes: float, sign: str = WATCH, *names: str) -> Mark:
    return Mark(fakes.NOW - round(minutes * MINUTE), sign, "alarm" if sign == WATCH else "accent", names)


def test_marks_run_through_the_plot_and_are_named_on_top() -> None:
    """Right of the mark, left of it where the next one is near, shorter or not at all where nothing fits."""
    marks = [at(5, WATCH, "08:56:00 held up", "held up"), at(4.5, "K", "08:56:30 K", "K"), at(30)]
    shown = drawn(Chart([trace(0)], marks, None))
    cells = [cell for cell, sign in enumerate(shown[5]) if sign == MARK]

    assert len(cells) == 2
    assert shown[0][cells[0] - 18 : cells[1] + 13] == " 08:56:00 held up  ┈┈┈  08:56:30 K "
    assert [shown[18][cell] for cell in cells] == [WATCH] * 2


@pytest.mark.parametrize(("minutes", "times"), [(10, 5), (5, 5), (2, 4)])
def test_times_below_the_axis_are_round_and_as_many_as_fit(minutes: int, times: int) -> None:
    found = drawn(Chart([trace(1, minutes=minutes)], (), None))[19].split()

    assert len(found) == times
    assert {len(time) for time in found} == {8 if minutes == 2 else 5}


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (9, 4), (29, 5), (30, 2), (72, 20), (200, 57)])
def test_a_chart_of_any_size_is_drawn(size: tuple[int, int]) -> None:
    """However small, no line is wider than the room, and it is as high as the room."""
    marks: Sequence[Mark] = [at(1, WATCH, "00:00:00 frozen", "frozen")]
    chart = Chart([trace(3, 5)], marks, fakes.NOW - MINUTE, others=[trace(1)] * 4)
    found, _ = lines(chart, LOOK, size)

    assert len(found) == size[1]
    if size[0] >= frame(chart, size).first + 20:
        assert max(cell_width(line) for line in found) <= size[0]


# The pulse of the header: pictures of it, and what holds for every one.

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
        "pulse", {name: [*pulse_lines(one, *size), axis(one, size[0])] for name, (one, *size) in PICTURES.items()}
    )

    assert drawn == kept


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("width", [1, 21, 39, 40, 60, 140, 200])
def test_every_picture_is_as_wide_as_asked(name: str, width: int) -> None:
    one = PICTURES[name][0]
    shown = flat(axis(one._replace(marks=()), width))
    starts = [place for place, (before, sign) in enumerate(pairwise(" " + shown)) if before == " " != sign]

    assert {cell_width(line) for line in [*pulse_lines(one, width, 2), axis(one, width)]} == {width}
    assert {time_at(cell_of(each.time_ms, one, width), one, width) for each in one.marks} <= {
        each.time_ms for each in one.marks
    }
    assert all(later - sooner >= 29 for sooner, later in pairwise(starts))
    if width > 1:
        bare = one._replace(marks=())
        assert (time_at(0, bare, width), time_at(width, bare, width)) == (one.window.since_ms, one.known.until_ms)


# Which cell an instant has, and which times stand below cells.


@settings(max_examples=50)
@axis_given(
    since_ms=st.integers(0, 10**12), span=st.integers(1, 1000), cells=st.integers(1, 50), cell=st.integers(0, 49)
)
def test_the_last_instant_of_a_cell_lies_in_it(since_ms: int, span: int, cells: int, cell: int) -> None:
    window, place = Window(since_ms, since_ms + span * cells), min(cell, cells - 1)
    last_ms = window.moment(place, cells)

    assert last_ms == since_ms + span * (place + 1)
    assert window.cell(last_ms, cells) == place
    assert window.cell(last_ms + 1, cells) == min(place + 1, cells - 1)


@pytest.mark.parametrize(("place", "step_s"), list(enumerate(STEPS_S)))
def test_the_least_round_step_that_leaves_room_is_taken(place: int, step_s: int) -> None:
    """Ten cells apart; three more where seconds are shown, which are below a minute. A little longer takes the next."""
    apart, words = (13, 8) if step_s < 60 else (10, 5)
    span_ms = 12 * 1000 * step_s
    cells = 12 * apart
    found, longer = ([each.cell for each in ticks(Window(0, span_ms + more), cells, 0, 10)] for more in (0, 1))
    following = STEPS_S[min(place + 1, len(STEPS_S) - 1)]
    window = Window(0, span_ms + 1)
    wide = 8 if following < 60 else 5
    later = [window.cell(1000 * at, cells) for at in range(0, 12 * step_s + 1, following)]

    assert found == [0, *(apart * at - 1 for at in range(1, 12))]
    assert cells - found[-1] >= words
    assert longer == [each for each in later if each + wide <= cells]


@pytest.mark.parametrize(("cells", "is_shown"), [(5, True), (4, False)])
def test_a_time_needs_room_for_its_words(cells: int, is_shown: bool) -> None:
    assert bool(ticks(Window(3_600_000, 3_660_000), cells, 0, 1)) is is_shown
