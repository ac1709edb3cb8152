"""Lines divided among parts: who waits, who is bounded, what is left."""

from collections.abc import Sequence

import pytest

from tui.screens.heights import LineWant, divided

EAGER = LineWant(5, 10)


@pytest.mark.parametrize(
    ("room", "wants", "heights"),
    [
        (30, (EAGER, LineWant(4, 20, is_patient=True)), [10, 20]),
        (29, (EAGER, LineWant(4, 20, is_patient=True)), [10, 19]),
        (30, (EAGER, LineWant(4, 20, is_patient=True, most=8)), [22, 8]),
        (30, (EAGER, LineWant(4, 6, is_patient=True, most=8)), [24, 6]),
        (30, (EAGER, LineWant(4, 2, is_patient=True)), [26, 4]),
        (20, (EAGER, LineWant(4, 20, is_patient=True), LineWant(4, 30, is_patient=True)), [10, 4, 6]),
        (20, (EAGER, LineWant(4, 20, is_patient=True), LineWant(4, 30, is_patient=True, most=20)), [10, 6, 4]),
        (12, (EAGER, LineWant(4, 20, is_patient=True)), [8, 4]),
        (9, (EAGER, LineWant(4, 20, is_patient=True)), [5, 4]),
        (6, (LineWant(6, 10), LineWant(3, 20, is_patient=True)), [4, 2]),
        (0, (EAGER, LineWant(4, 20)), [0, 0]),
        (-3, (EAGER, LineWant(4, 20)), [0, 0]),
        (5, (LineWant(0, 3),), [5]),
        (0, (LineWant(0, 3),), [0]),
    ],
)
def test_the_patient_take_what_the_others_leave(room: int, wants: Sequence[LineWant], heights: list[int]) -> None:
    """What nobody wants goes to the first; where there is too little all shrink alike."""
    assert divided(room, wants, 0) == heights
