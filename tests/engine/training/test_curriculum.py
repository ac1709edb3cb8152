"""The curriculum: in which order drills are listed, and which one comes next."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from engine.training.drill import packaged_drills
from engine.training.records import (
    ENOUGH,
    ListedDrill,
    ListedFacts,
    PlayedDrill,
    curriculum,
    in_order,
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


def test_drills_are_listed_each_after_the_one_before_it() -> None:
    before = {"one": "three", "two": None, "three": "two"}
    assert [one.name for one in in_order([drill(name, before=other) for name, other in before.items()])] == [
        "two",
        "three",
        "one",
    ]


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
