"""The pulse of the header."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from engine.observe.history import ALLOCATED, YARN, History
from tui.glyphs import WATCH
from tui.render.line import Spans, flat, length
from tui.render.mark import Mark
from tui.render.pulse import Freeze, Pulse, allocated, axis, cell_of, level, lines, steady, time_at
from tui.render.time_axis import Window

MINUTE = 60_000
WINDOW = Window(8 * 60 * MINUTE, 10 * 60 * MINUTE)


def _samples(*values: float) -> Callable[[int], Sequence[float | None]]:
    """These, then nothing."""
    return lambda parts: [*values, *[0.0] * parts][:parts]


def _frozen(minute: int) -> Pulse:
    """A pulse that beats for so many minutes and then freezes."""
    return Pulse(
        WINDOW,
        WINDOW.until_ms,
        lambda parts: [4.0 if each * 120 < minute * parts else 0.0 for each in range(parts)],
        freezes=(Freeze(WINDOW.since_ms + minute * MINUTE, WINDOW.until_ms),),
    )


def _of(style: str, line: Spans) -> str:
    return "".join(words for words, its in line if its == style)


def test_two_samples_share_a_cell() -> None:
    """The left one fills the left column of dots, the right one the right."""
    pulse = Pulse(WINDOW, WINDOW.until_ms, _samples(0, 10, 10, 0, 10, 10))

    assert flat(lines(pulse, 20, 1)[0]).rstrip() == "⢸⡇⣿                ▌"


@pytest.mark.parametrize(("value", "high"), [(0.0, 0), (0.001, 1), (9.1, 1), (9.2, 2), (50.0, 5), (90.0, 7), (95.0, 8)])
def test_heights_follow_the_root_of_values(value: float, high: int) -> None:
    """Eight steps in two rows; a small value has its dot, nothing has none."""
    assert level(value, 100, 2) == high


def test_two_rows_stand_on_each_other() -> None:
    """The lower one is full where the upper one has a dot."""
    upper, lower = lines(Pulse(WINDOW, WINDOW.until_ms, _samples(100, 50, 3, 0)), 20, 2)

    assert (flat(upper)[:2], flat(lower)[:2]) == ("⣇ ", "⣿⡀")


def test_a_freeze_is_a_flat_line_with_its_words_in_the_middle() -> None:
    """From the proof to the instant looked at, in the one alarm's colour."""
    line = lines(_frozen(60), 104, 1)[0]

    assert _of("alarm", line) == "⣀" * 8 + " nothing allocated for 1h00m " + "⣀" * 9
    assert flat(line)[6:12] == "⣿" * 6
    assert (flat(line)[:6], flat(line)[-6:]) == ("08:00 ", "▌10:00")


@pytest.mark.parametrize(
    ("width", "expected"),
    [(147, "nothing allocated for 30m00s"), (146, "nothing for 30m00s"), (107, "nothing for 30m00s"), (106, "")],
)
def test_words_that_do_not_fit_the_flat_line_are_left_out(width: int, expected: str) -> None:
    """Two cells of line stay on either side; the shorter words come before none."""
    line = lines(_frozen(90), width, 1)[0]

    assert _of("alarm", line).strip("⣀ ") == expected


def test_marks_stand_in_the_lowest_row_and_here_in_all() -> None:
    """An alert hides an act in the same cell; the instant looked at hides both."""
    times = [WINDOW.since_ms + minute * MINUTE for minute in (30, 30, 60, 120)]
    marks = [Mark(times[0], WATCH, "watch"), *(Mark(time_ms, "K", "accent") for time_ms in times[1:])]
    upper, lower = lines(Pulse(WINDOW, WINDOW.until_ms, _samples(), marks), 20, 2)

    assert (flat(lower), flat(upper)) == ("    ▲    K         ▌", " " * 19 + "▌")
    assert [style for words, style in lower if words.strip()] == ["watch", "accent", "accent"]


def test_what_came_after_the_instant_looked_at_is_faded() -> None:
    """The curve goes on to the present, without colour."""
    line = lines(Pulse(WINDOW, WINDOW.since_ms + 60 * MINUTE, lambda parts: [1.0] * parts), 21, 1)[0]

    assert line == [("⣿" * 10, "data"), ("▌", "accent"), ("⣿" * 10, "room")]


@pytest.mark.parametrize("width", [1, 21, 39, 40, 200])
def test_a_line_is_as_wide_as_asked_and_a_marks_cell_is_the_mark(width: int) -> None:
    """Whoever points at a mark goes exactly there; both ends are the ends."""
    marks = tuple(Mark(WINDOW.since_ms + minute * MINUTE + 7, WATCH, "watch") for minute in (30, 90))
    pulse = Pulse(WINDOW, WINDOW.until_ms, _samples(1, 2, 3), marks)

    assert {length(line) for line in [*lines(pulse, width, 2), axis(pulse, width)]} == {width}
    assert time_at(cell_of(marks[1].time_ms, pulse, width), pulse, width) == marks[1].time_ms
    if width > 1:
        bare = pulse._replace(marks=())
        assert (time_at(0, bare, width), time_at(width, bare, width)) == tuple(WINDOW)


def test_times_of_the_axis_give_way_to_an_alert_that_is_named() -> None:
    """Below its mark it says when and what."""
    marks = (Mark(WINDOW.since_ms + 58 * MINUTE, WATCH, "alarm", ("08:58:00 frozen", "frozen")),)
    pulse = Pulse(WINDOW, WINDOW.until_ms, _samples(), marks)
    bare, named = (flat(axis(each, 140)) for each in (pulse._replace(marks=()), pulse))

    assert bare.split() == ["08:00", "08:30", "09:00", "09:30"]
    assert named.split() == ["08:00", "08:30", "▲", "08:58:00", "frozen", "09:30"]
    assert named.index("▲") == cell_of(marks[0].time_ms, pulse, 140)


@pytest.mark.parametrize(("here", "ends"), [(WINDOW.until_ms, ("Thu 08:00", "10:00")), (3, ("08:00", "Fri 10:00"))])
def test_an_end_on_another_day_has_its_day(here: int, ends: tuple[str, str]) -> None:
    """The weekday stands before the time, and the curve gives way to it."""
    day = 24 * 60 * MINUTE
    window = Window(WINDOW.since_ms, WINDOW.until_ms + day)
    line = flat(lines(Pulse(window, here if here == 3 else here + day, _samples(1)), 60, 1)[0])

    assert (line.startswith(f"{ends[0]} "), line.endswith(ends[1]), len(line)) == (True, True, 60)


def test_a_day_begins_with_its_name_on_the_axis() -> None:
    """At midnight the weekday stands for the time."""
    window = Window(23 * 60 * MINUTE, 25 * 60 * MINUTE)

    assert flat(axis(Pulse(window, window.until_ms, _samples()), 140)).split() == ["23:00", "23:30", "Fri", "00:30"]


def test_times_of_the_axis_keep_their_distance() -> None:
    """At every width thirty cells from start to start, one less where cells are rounded."""
    pulse = Pulse(WINDOW, WINDOW.until_ms, _samples())
    for width in range(40, 220, 7):
        shown = flat(axis(pulse, width))
        starts = [place for place, (a, b) in enumerate(pairwise(" " + shown)) if a == " " != b]
        assert all(later - sooner >= 29 for sooner, later in pairwise(starts))


def test_a_sample_is_what_was_allocated_in_its_part_of_the_window() -> None:
    """What the history counted before the window is left out; before the history nothing is known."""
    history = History()
    for minute, count in enumerate((5, 5, 8, 9, 9), start=1):
        history.cluster.note(minute * MINUTE, tuple(count if name == ALLOCATED else minute for name in YARN))

    assert allocated(history, Window(2 * MINUTE, 5 * MINUTE), 3) == [3, 1, 0]
    assert allocated(history, Window(-MINUTE, 3 * MINUTE), 4) == [None, 0, 0, 3]


def test_what_was_drawn_stays_while_time_goes_on() -> None:
    """Samples that are over keep their place and height; where there is no more room, two become one."""
    instants = range(0, 400_000, 1700)
    drawn = {}
    for now_ms in range(30_000, 400_000, 2000):
        window = steady(Window(0, now_ms), 100, 0)
        part_ms = window.until_ms // 100
        given = [float(sum(at <= min(now_ms, part * part_ms) for at in instants)) for part in range(101)]
        drawn[now_ms] = part_ms, [after - before for before, after in pairwise(given)][: now_ms // part_ms]
    for (part_ms, before), (later_ms, after) in pairwise(drawn.values()):
        merged = before if later_ms == part_ms else [sum(pair) for pair in zip(before[::2], before[1::2], strict=False)]

        assert (after[: len(merged)], later_ms in {part_ms, 2 * part_ms}) == (merged, True)


def test_the_present_stands_where_what_is_known_ends() -> None:
    """Its time behind it, then nothing."""
    pulse = Pulse(WINDOW, WINDOW.since_ms + 60 * MINUTE, _samples(1), present_ms=WINDOW.since_ms + 60 * MINUTE)

    assert flat(lines(pulse, 51, 1)[0]).split()[-1] == "▌09:00"
    assert (len(flat(lines(pulse, 51, 1)[0])), flat(lines(pulse, 51, 1)[0]).index("▌")) == (51, 25)
    assert time_at(45, pulse, 51) == WINDOW.since_ms + 60 * MINUTE
