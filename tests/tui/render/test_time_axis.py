"""Which cell an instant has, and which times stand below cells."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.panes.plot import STEPS_S, Window, ticks


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


@pytest.mark.parametrize(("cells", "is_shown"), [(5, True), (4, False)])
def test_a_time_needs_room_for_its_words(cells: int, is_shown: bool) -> None:
    assert bool(ticks(Window(3_600_000, 3_660_000), cells, 0, 1)) is is_shown
