"""Names in answers: typed, chosen, and as the screens print them."""

import pytest

from engine.training.answers import AnswerNames, named, worth
from engine.training.drill import DrillQuestion
from engine.training.exercise import Exercise
from engine.training.stage import DrillStage
from tests.engine.training.small_drill import small_drill

KEY = "maximum-am-resource-percent"


@pytest.fixture(scope="module")
def names() -> AnswerNames:
    """The things of the small drill, whose setting is one of root.default."""
    stage = DrillStage(small_drill())
    return AnswerNames(Exercise(stage).snapshot(), stage.drill.drill)


def asking(*answers: str, asks: str = "setting", choices: tuple[str, ...] = ()) -> DrillQuestion:
    """A question with these right answers."""
    return DrillQuestion.model_validate({"asks": asks, "text": "?", "answers": answers, "choices": choices})


def test_a_choice_keeps_its_commas() -> None:
    """Other words are parted at commas, and what is empty is no name."""
    question = asking("first in, first out", asks="cause", choices=("first in, first out", "else"))
    assert named(question, " first in, first out ") == ("first in, first out",)
    assert named(question, "else, b,, c") == ("else", "b", "c")


@pytest.mark.parametrize(
    ("given", "points"),
    [
        (KEY, 1),
        (f"root.default.{KEY}", 1),
        (f"default.{KEY}", 1),
        (f"yarn.scheduler.capacity.root.default.{KEY}", 1),
        (f"yarn.scheduler.capacity.{KEY}", 1),
        (f"root.{KEY}", 0),
        (f"nowhere.{KEY}", 0),
        (f"user ann.{KEY}", 0),
        ("maximum-capacity", 0),
    ],
)
def test_a_setting_is_right_as_the_screens_print_it(names: AnswerNames, given: str, points: int) -> None:
    """Alone, of its queue by path or by property; that of another owner is wrong."""
    assert worth(asking(KEY), names, (given,)) == points


@pytest.mark.parametrize(
    ("given", "points"), [("user ann.maxRunningApps", 1), ("maxRunningApps", 1), ("root.default.maxRunningApps", 0)]
)
def test_the_setting_of_a_user_is_right_as_the_screens_print_it(names: AnswerNames, given: str, points: int) -> None:
    """With the user or alone; not that of a queue."""
    assert worth(asking("user bob.maxRunningApps"), names, (given,)) == points


def test_what_the_screens_show_is_known(names: AnswerNames) -> None:
    """An application by id, number and, where only one has it, name; a node and a queue by each of theirs."""
    assert set(names.shown("application", "2")) == {"2", "application_1709542800000_0002", "0002"}
    assert set(names.shown("node", "n1")) == {"n1", "n1:8041"}
    assert set(names.shown("queue", "default")) == {"default", "root.default"}
    assert list(names.shown("cause", "nodes")) == ["nodes"]
    assert [names.is_there("queue", one) for one in ("default", "defalt")] == [True, False]
    assert [names.is_there("application", one) for one in ("3", "4")] == [True, False]
