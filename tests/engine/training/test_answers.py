"""Names in answers: typed, chosen, and as the screens print them."""

import pytest

from engine.training.drill import DrillQuestion
from engine.training.exercise import AnswerNames, DrillStage, Exercise, worth
from engine.training.steps import QuestionKind
from tests.build.rows import app, header, node, queue, snapshot
from tests.engine.training.small_drill import small_drill

KEY = "maximum-am-resource-percent"


@pytest.fixture(scope="module")
def names() -> AnswerNames:
    """The things of the small drill, whose setting is one of root.default."""
    stage = DrillStage(small_drill())
    return AnswerNames(Exercise(stage).snapshot(), stage.drill.drill)


def asking(*answers: str, asks: str = "setting", choices: tuple[str, ...] = ()) -> DrillQuestion:
    return DrillQuestion.model_validate({"asks": asks, "text": "?", "answers": answers, "choices": choices})


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


def things() -> AnswerNames:
    """Two queues of one last part, one of another, two applications of one name, a setting of one queue."""
    rows = [queue(path) for path in ("root", "root.a", "root.a.x", "root.b", "root.b.x", "root.b.y")]
    apps = [app(1, name="etl"), app(2, name="etl"), app(3, name="report")]
    drill = small_drill().drill
    asked = DrillQuestion(asks="queue", text="?", answers=("y",))
    changed = drill.model_copy(update={"questions": (asked,), "reference": drill.reference[:2]})
    picture = snapshot(header(), queues=rows, applications=apps, nodes=[node("n1"), node("n2")])
    return AnswerNames(picture, changed)


@pytest.mark.parametrize(
    ("asks", "name", "meant"),
    [
        ("queue", "y", "root.b.y"),
        ("queue", "x", "x"),
        ("queue", "a.x", "root.a.x"),
        ("queue", "root.a.x", "root.a.x"),
        ("queue", "root", "root"),
        ("queue", "z", "z"),
        ("node", "n1", "n1:1"),
        ("node", "n2:1", "n2:1"),
        ("node", "n3", "n3"),
        ("application", "report", "application_1_0003"),
        ("application", "etl", "etl"),
        ("application", "2", "application_1_0002"),
        ("cause", "x", "x"),
        ("fault", "yes", "yes"),
        ("setting", "weight", "weight"),
        ("setting", "root.b.y.weight", "weight"),
        ("setting", "y.weight", "weight"),
        ("setting", "queue y.weight", "weight"),
        ("setting", "pool b.y.weight", "weight"),
        ("setting", "root.a.weight", "root.a.weight"),
        ("setting", "a.weight", "root.a.weight"),
        ("setting", "user ann.weight", "user weight"),
        ("setting", "x.weight", "x.weight"),
        ("setting", "mapred.capacity-scheduler.queue.y.capacity", "capacity"),
    ],
)
def test_a_name_means_one_thing_or_itself(asks: QuestionKind, name: str, meant: str) -> None:
    assert things().meant(asks, name) == meant


@pytest.mark.parametrize(
    ("asks", "name", "shown"),
    [
        ("queue", "y", {"y", "root.b.y", "b.y"}),
        ("queue", "a.x", {"a.x", "root.a.x"}),
        ("node", "n1", {"n1", "n1:1"}),
        ("application", "3", {"3", "application_1_0003", "0003", "report"}),
        ("application", "1", {"1", "application_1_0001", "0001"}),
        ("application", "etl", {"etl"}),
        ("setting", "weight", {"weight"}),
    ],
)
def test_a_thing_is_shown_by_all_its_names(asks: QuestionKind, name: str, shown: set[str]) -> None:
    found = list(things().shown(asks, name))

    assert (found[0], set(found)) == (name, shown)


@pytest.mark.parametrize(
    ("asks", "name", "there"),
    [
        ("queue", "x", False),
        ("queue", "y", True),
        ("application", "etl", False),
        ("application", "report", True),
        ("node", "n9", True),
        ("cause", "anything", True),
    ],
)
def test_queues_and_applications_have_to_be_there(asks: QuestionKind, name: str, there: bool) -> None:
    assert things().is_there(asks, name) == there
