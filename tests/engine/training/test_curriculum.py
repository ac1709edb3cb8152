"""The curriculum: in which order drills are listed, and which one comes next."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from engine.training.drill import load_drill, packaged_drills
from engine.training.records import (
    ENOUGH,
    ListedDrill,
    ListedFacts,
    PlayedDrill,
    curriculum,
    in_order,
    listed,
    recommended,
)

BEFORE = {"a": None, "b": "a", "c": "b"}


def drills() -> list[ListedDrill]:
    return [drill(name, before=before) for name, before in BEFORE.items()]


def drill(name: str, **about: Any) -> ListedDrill:
    facts = ListedFacts("", 5, "first shift", "the limit on application masters")
    return ListedDrill("Notebooks", msgspec.structs.replace(facts, **about), name)


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
    fair, also = (drill(name, track="fair") for name in (third.name, "d"))
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
    before = {"one": "three", "two": None, "three": "two"}
    assert [one.name for one in in_order([drill(name, before=other) for name, other in before.items()])] == [
        "two",
        "three",
        "one",
    ]


def test_what_is_said_of_a_drill_is_what_its_whole_file_says() -> None:
    for name in packaged_drills():
        assert listed(name) == msgspec.convert(load_drill(name), ListedDrill, from_attributes=True)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("a-", "not solved yet, after 1 of 3 tries in a row; a hint costs little"),
        ("a- b- a- a-", "not solved yet, after 2 of 3 tries in a row; a hint costs little"),
        ("b- a- a- a-", "the limit on application masters"),
        ("a90 b90 c- c- c-", "the only one that is not solved"),
        (f"a{ENOUGH - 1} b{ENOUGH - 1} c90", f"your best is {ENOUGH - 1}; --vary 1 gives it another workload"),
    ],
)
def test_each_recommendation_has_its_reason(words: str, reason: str) -> None:
    found = recommended(tried(words), drills())

    assert found is not None
    assert found.reason == reason


def test_of_the_weakest_the_first_by_name_comes() -> None:
    found = recommended(tried("b10 b60 c60 a70"), drills())

    assert found is not None
    assert found.drill == "b"


def test_nothing_comes_where_there_is_nothing() -> None:
    assert recommended([], []) is None
    assert recommended(tried("a90"), [drill("a")]) is None


def test_drills_are_in_order_of_difficulty_length_and_name() -> None:
    """What is to be taken first goes first; where that is unknown, or a circle, any does."""
    rows = [
        drill("h", difficulty="expert", minutes=1),
        drill("g", difficulty="practised", minutes=1),
        drill("f", minutes=9),
        drill("e", minutes=3),
        drill("d", minutes=3),
        drill("c", minutes=1, before="h"),
        drill("b", minutes=2, before="gone"),
        drill("a", minutes=2, before="a"),
    ]

    assert [one.name for one in in_order(rows)] == ["d", "e", "f", "g", "h", "c", "b", "a"]
    assert [one.name for one in in_order([drill("y", before="x"), drill("x", before="y")])] == ["x", "y"]


def test_the_packaged_drills_come_track_by_track() -> None:
    found = curriculum()
    tracks = [one.drill.track for one in found.drills]

    assert sorted(one.name for one in found.drills) == list(packaged_drills())
    assert found.unreadable == {}
    assert list(dict.fromkeys(tracks)) == ["foundations", "fair", "capacity", "spark"]
    assert len([1 for one, after in pairwise(tracks) if one != after]) == 3
    places = {one.name: place for place, one in enumerate(found.drills)}
    same = [one for one in found.drills if one.drill.before in places]
    assert all(
        places[str(one.drill.before)] < places[one.name]
        for one in same
        if tracks[places[str(one.drill.before)]] == one.drill.track
    )
