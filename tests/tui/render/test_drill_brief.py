"""What a trainee reads before a drill, and the price of each help, from a small drill."""

from functools import cache

import pytest

from engine.training.drill import DrillScenario
from tests.engine.training.small_drill import small_drill
from tests.tui.render.drawing import stored
from tui.render.drill import allowed, brief_lines, brief_screen
from tui.render.line import flat, length

BRIEF = 'brief = "The third notebook stays ACCEPTED."'


@cache
def drill(old: str = "", new: str = "") -> DrillScenario:
    """It, with one text of its file replaced."""
    return small_drill(old, new)


@pytest.mark.parametrize(("width", "best"), [(80, None), (140, 42), (60, 0), (108, 7)])
def test_the_brief_is_drawn_as_it_is_stored(width: int, best: int | None) -> None:
    """In a frame of 104 cells at most, in the middle: the story, the task, what counts, is allowed and forbidden."""
    drawn, kept = stored(f"brief-{width}", brief_screen(drill(), (2, 29), best, width))

    assert drawn == kept
    assert max(map(length, brief_screen(drill(), (2, 29), best, width))) <= width


def test_each_paragraph_of_a_brief_stands_by_itself() -> None:
    """The instant is said once, before the first; one that says it itself is not said it again."""
    other = drill(BRIEF, 'brief = "Monday, 09:05. It stays ACCEPTED.\\n\\nSomebody calls."')
    lines = [flat(line).strip("│ ") for line in brief_screen(other, (1, 1), None, 80)]

    assert lines[4:8] == ["Monday, 09:05. It stays ACCEPTED.", "", "Somebody calls.", ""]
    named = drill(BRIEF, 'brief = "Monday begins badly."')
    assert flat(brief_screen(named, (1, 1), None, 80)[4]).strip("│ ") == "Monday begins badly."


def test_a_brief_as_text_has_all_its_parts() -> None:
    """The last line tells the instant and how long there is."""
    drawn, kept = stored("brief-text", [[(line, "text")] for line in brief_lines(drill())])

    assert drawn == kept


@pytest.mark.parametrize(
    ("level", "why"), [("guided", "why is free"), ("normal", "why is 2 points each"), ("on your own", "why is shut")]
)
def test_help_has_its_price_by_the_level(level: str, why: str) -> None:
    """The last hint costs most."""
    other = drill('difficulty = "first shift"', f'difficulty = "first shift"\nlevel = "{level}"')

    assert allowed(other) == ["2 hints, 5 points each, the last one 15", why]
