"""What a trainee reads before a drill, and the price of each help, from a small drill."""

from functools import cache

import pytest

from engine.training.drill import DrillScenario
from tests.engine.training.small_drill import small_drill
from tests.tui.render.drawing import stored
from tui.pages.drill import brief_screen
from tui.panes.line import length


@cache
def drill(old: str = "", new: str = "") -> DrillScenario:
    return small_drill(old, new)


@pytest.mark.parametrize(("width", "best"), [(80, None), (140, 42), (60, 0), (108, 7)])
def test_the_brief_is_drawn_as_it_is_stored(width: int, best: int | None) -> None:
    """In a frame of 104 cells at most, in the middle: the story, the task, what counts, is allowed and forbidden."""
    drawn, kept = stored(f"brief-{width}", brief_screen(drill(), (2, 29), best, width))

    assert drawn == kept
    assert max(map(length, brief_screen(drill(), (2, 29), best, width))) <= width
