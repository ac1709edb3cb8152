"""The words of an author of drills."""

import pytest

from engine.errors import ConfigError
from engine.scenario.expectations import MEASURES
from engine.training.drill_check import drill_words
from tests.engine.training.small_drill import small_drill


def test_every_word_has_an_example() -> None:
    """All measures, and at least one pane, act and cause; what no pane shows is of goals only."""
    words = list(drill_words())
    assert {one.word for one in words if one.kind == "measure"} == {
        f"{of}.{what}" for of, measures in MEASURES.items() for what in measures
    }
    assert {one.kind for one in words} == {"measure", "pane", "act", "cause"}
    assert all(one.example and one.about for one in words)
    decisions = [one for one in words if one.word.startswith("decisions.")]
    assert all(one.about.endswith("; of goals only") for one in decisions)


def test_a_clue_about_decisions_is_one_message() -> None:
    """No pane shows them at an instant."""
    with pytest.raises(ConfigError, match="about decisions, which no pane shows"):
        small_drill('"applications", state = "ACCEPTED", what = "count"', '"decisions", what = "allocated"')
