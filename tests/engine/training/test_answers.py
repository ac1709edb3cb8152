"""Names in answers: typed, chosen, and as the screens print them."""

import pytest

from engine.training.drill import DrillQuestion
from engine.training.exercise import AnswerNames, DrillStage, Exercise, named, worth
from engine.training.steps import QuestionKind
from tests.engine.live.rows import app, header, node, queue, snapshot
from tests.engine.training.small_drill import small_drill

KEY = "maximum-am-resource-percent"


@pytest.fixture(scope="module")
def names() -> AnswerNames:
    """The things of the small drill, whose setting is one of root.default."""
    stage = DrillStage(small_drill())
    return AnswerNames(Exercise(stage).snapshot(), stage.drill.drill)


def asking(*answers: str, asks: str = "setting", choices: tuple[str, ...] = ()) -> DrillQuestion:
    return DrillQuestion.model_validate({"asks": asks, "text": "?", "answers": answers, "choices": choices})


def test_a_choice_keeps_its_commas() -> None:
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
    assert worth(asking("user bob.maxRunningApps"), names, (given,)) == points


def test_what_the_screens_show_is_known(names: AnswerNames) -> None:
    """An application by id, number and, where only one has it, name; a node and a queue by each of theirs."""
    assert set(names.shown("application", "2")) == {"2", "application_1709542800000_0002", "0002"}
    assert set(names.shown("node", "n1")) == {"n1", "n1:8041"}
    assert set(names.shown("queue", "default")) == {"default", "root.default"}
    assert list(names.shown("cause", "nodes")) == ["nodes"]
    assert [names.is_there("queue", one) for one in ("default", "defalt")] == [True, False]
    assert [names.is_there("application", one) for one in ("3", "4")] == [True, False]


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


def test_where_no_owner_is_known_a_setting_of_any_queue_is_right(names: AnswerNames) -> None:
    drill = small_drill().drill
    nobodys = drill.model_copy(update={"reference": drill.reference[:2]})
    anybody = AnswerNames(snapshot(header(), queues=[queue("root.a"), queue("root.default")]), nobodys)
    somebody = AnswerNames(snapshot(header(), queues=[queue("root.a"), queue("root.default")]), drill)

    assert [each.meant("setting", "root.a.weight") for each in (anybody, somebody)] == ["weight", "root.a.weight"]
    assert names.meant("setting", "root.default.weight") == "weight"
