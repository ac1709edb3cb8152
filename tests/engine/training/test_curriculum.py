"""The curriculum: in which order drills are listed, and which one comes next."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.training.drill import DrillScenario, packaged_drills
from engine.training.records import ENOUGH, ListedDrill, ListedFacts, PlayedDrill, curriculum, in_order, recommended
from engine.training.variation import check_variations, solvable, varied
from tests.engine.training.small_drill import small_drill

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


# Variations of drills: another workload, the same fault.


WORK = """
[[workload]]
type = "scripted"
name = "report"
user = "bob"
at = "+60s"
asks = [{memory = "512m", duration = ["100s", "200s"]}]

[drill]
"""


def submitted(drill: DrillScenario) -> list[int]:
    return [spec.at_ms for spec in drill.scenario.workload]


def test_a_seed_moves_submissions_and_stretches_work() -> None:
    """By whole seconds, at most half the time to what comes next and 30 s; work by at most 15 %."""
    drill = small_drill("[drill]\n", WORK)
    found = [varied(drill, seed) for seed in range(40)]
    first, second = zip(*map(submitted, found), strict=True)
    assert set(first) <= set(range(0, 30_001, 1000))
    assert set(second) <= set(range(60_000, 90_001, 1000))
    assert len(set(first)) > 10
    spans = [
        one.scenario.workload[1].asks[0].duration_ms for one in found if one.scenario.workload[1].type == "scripted"
    ]
    assert len(spans) == 40
    assert len(set(spans)) > 30
    assert all(span is not None and 85_000 <= span[0] <= 115_000 and span[1] - 2 * span[0] in (0, 1) for span in spans)


def test_no_seed_gives_a_drill_that_is_none() -> None:
    drill = small_drill("at_least = 3}", "at_least = 1}")
    with pytest.raises(ConfigError, match="no seed from 1 to 20 gives a drill"):
        solvable(drill, 1)
    assert [line.ok for line in check_variations(drill, 1)] == [False]
    assert [(line.ok, line.detail) for line in check_variations(small_drill(), 2)] == [(True, "")] * 2
