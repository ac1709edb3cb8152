"""The curriculum: in which order drills are listed, and which one comes next."""

import pytest

from engine.training.curriculum import ENOUGH, in_order, recommended
from engine.training.drill import DrillScenario
from engine.training.history import PlayedDrill
from tests.engine.training.small_drill import small_drill

BEFORE = {"a": None, "b": "a", "c": "b"}


def drills() -> list[DrillScenario]:
    """Three drills, each after the one before it."""
    drill = small_drill()
    return [
        drill.model_copy(update={"name": name, "drill": drill.drill.model_copy(update={"before": before})})
        for name, before in BEFORE.items()
    ]


def tried(words: str) -> list[PlayedDrill]:
    """Exercises: `a90` was solved with 90 points, `b-` was not solved."""
    return [
        PlayedDrill(one[0], "t", 10, None) if one[1:] == "-" else PlayedDrill(one[0], "t", int(one[1:]), 5.0)
        for one in words.split()
    ]


@pytest.mark.parametrize(
    ("words", "following"),
    [
        ("", "a"),
        ("a90", "b"),
        ("a90 c-", "c"),
        ("a90 b-", "b"),
        ("a90 b- b-", "b"),
        ("a90 b- b- b-", "c"),
        ("a- a- a-", "b"),
        ("a90 b- c90", "b"),
        ("a90 c90 b- b- b-", "b"),
        (f"a90 b{ENOUGH - 1} c90", "b"),
        (f"a90 b{ENOUGH} c90", None),
        ("a90 b20 b95 c85", None),
        ("x-", "a"),
    ],
)
def test_what_comes_next(words: str, following: str | None) -> None:
    """What was just missed, three times; else the first unsolved one whose predecessor is solved; else the weakest."""
    found = recommended(tried(words), drills())
    assert (found.drill if found else None) == following


def test_the_track_goes_on() -> None:
    """After a drill of a track comes one of the same track, though another comes earlier in the order."""
    first, second, third = drills()
    fair = third.model_copy(update={"drill": third.drill.model_copy(update={"track": "fair", "before": None})})
    also = fair.model_copy(update={"name": "d"})
    found = recommended(tried("a90 c90"), [first, second, fair, also])
    assert found is not None
    assert found.drill == "d"


def test_it_says_why() -> None:
    """What a new one teaches, how often one was missed, how weak the weakest is."""
    reasons = [
        found.reason for words in ("a90", "a90 b-", "a90 b50 c90") if (found := recommended(tried(words), drills()))
    ]
    assert reasons == [
        "after a: the limit on application masters",
        "not solved yet, after 1 of 3 tries in a row; a hint costs little",
        "your best is 50; --vary 1 gives it another workload",
    ]


def test_drills_are_listed_each_after_the_one_before_it() -> None:
    """By difficulty and length, but never before what is to be taken first."""
    names = ["one", "two", "three"]
    drills = [small_drill().model_copy(update={"name": name}) for name in names]
    before = {"one": "three", "two": None, "three": "two"}
    drills = [
        one.model_copy(update={"drill": one.drill.model_copy(update={"before": before[one.name]})}) for one in drills
    ]
    assert [one.name for one in in_order(drills)] == ["two", "three", "one"]
