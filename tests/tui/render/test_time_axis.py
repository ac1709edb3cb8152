"""Which cell an instant has, and which times stand below cells."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.panes.plot import STEPS_S, AxisTime, Window, ticks

DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("time_ms", "cell"),
    [(0, 0), (1000, 0), (1001, 0), (1010, 0), (1011, 1), (1020, 1), (1021, 2), (1100, 9), (9999, 9)],
)
def test_a_cell_ends_with_its_last_instant(time_ms: int, cell: int) -> None:
    """Ten cells of ten milliseconds; what lies before or behind is at an end."""
    assert Window(1000, 1100).cell(time_ms, 10) == cell


@settings(max_examples=50)
@given(since_ms=st.integers(0, 10**12), span=st.integers(1, 1000), cells=st.integers(1, 50), cell=st.integers(0, 49))
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


def test_times_are_round_by_the_clock_of_the_cluster() -> None:
    window = Window(DAY_MS + 90_000, DAY_MS + 690_000)

    assert [each.words for each in ticks(window, 60, 0, 10)] == ["00:02", "00:04", "00:06", "00:08", "00:10"]
    assert [each.words for each in ticks(window, 60, 3_600_000, 10)] == ["01:02", "01:04", "01:06", "01:08", "01:10"]
    assert [each.cell for each in ticks(window, 60, 0, 10)] == [2, 14, 26, 38, 50]


def test_seconds_are_shown_below_a_minute() -> None:
    assert ticks(Window(9_000, 39_000), 60, 0, 10) == [
        AxisTime(1, "00:00:10"),
        AxisTime(21, "00:00:20"),
        AxisTime(41, "00:00:30"),
    ]


@pytest.mark.parametrize(("cells", "is_shown"), [(5, True), (4, False)])
def test_a_time_needs_room_for_its_words(cells: int, is_shown: bool) -> None:
    assert bool(ticks(Window(3_600_000, 3_660_000), cells, 0, 1)) is is_shown
