"""The words of an author of drills."""

import tomllib

from pydantic import TypeAdapter

from engine.scenario import MEASURES
from engine.training.drill_check import drill_words
from engine.training.steps import WORDS, TraineeStep


def test_every_word_has_an_example() -> None:
    """All measures, and at least one pane, act and cause; what no pane shows is of goals only."""
    words = list(drill_words())
    assert {one.word for one in words if one.kind == "measure"} == {
        f"{of}.{what}" for of, measures in MEASURES.items() for what in measures
    }
    assert {one.kind for one in words} == {"measure", "goal", "act", "exam", "pane", "cause"}
    assert all(one.example and one.about for one in words)
    decisions = [one for one in words if one.word.startswith("decisions.")]
    assert all(one.about.endswith("; of goals only") for one in decisions)


def test_the_example_of_every_step_is_a_step() -> None:
    examples = {one.word: tomllib.loads(f"it = {one.example}")["it"] for one in drill_words() if one.kind == "act"}
    assert examples.keys() == WORDS
    examples["reload"]["allocations"] = examples["reload"].pop("allocations_file")  # as the reader of a file does
    step: TypeAdapter[TraineeStep] = TypeAdapter(TraineeStep)
    assert all(step.validate_python(table).do == do for do, table in examples.items())
