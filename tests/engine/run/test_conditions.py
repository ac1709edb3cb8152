"""Conditions of expectations: what meets them, when they are looked at, and their words."""

from typing import Any

import pytest

from engine.model.decision import Allocated, Completed, Killed, Reserved, Unreserved, Warned
from engine.run import Result
from engine.run.expectations import Watch, Watches, describe, holds
from engine.run.measures import Measured
from engine.scenario import MEASURES, Expectation
from engine.simulation.records import Draining, Record, Submitted
from tests.engine.run.pictures import Picture

CLUSTER = {"of": "cluster", "what": "containers"}
DECISIONS = {"of": "decisions", "what": "allocated"}


def one(**fields: Any) -> Expectation:
    """An expectation of the cluster's containers at the start, but for what is given."""
    return Expectation.model_validate(
        {**CLUSTER, **({} if "until" in fields or "within" in fields else {"at": 0}), **fields}
    )


@pytest.mark.parametrize(
    ("condition", "value", "is_met"),
    [
        ({"equals": 3}, 3, True),
        ({"equals": 3}, 4, False),
        ({"equals": 0}, 0, True),
        ({"equals": 3}, None, False),
        ({"equals": "RUNNING"}, "RUNNING", True),
        ({"equals": "RUNNING"}, "LOST", False),
        ({"equals": ("b", "a")}, ("a", "b"), True),
        ({"equals": ("a",)}, ("a", "b"), False),
        ({"equals": ()}, (), True),
        ({"at_least": 3}, 2, False),
        ({"at_least": 3}, 3, True),
        ({"at_least": 3}, 4, True),
        ({"at_most": 3}, 2, True),
        ({"at_most": 3}, 3, True),
        ({"at_most": 3}, 4, False),
        ({"at_least": 2, "at_most": 3}, 1, False),
        ({"at_least": 2, "at_most": 3}, 2, True),
        ({"at_least": 2, "at_most": 3}, 3, True),
        ({"at_least": 2, "at_most": 3}, 4, False),
        ({"at_most": 0.5}, 0.5, True),
        ({"at_least": 0}, None, False),
        ({"at_least": 0}, "RUNNING", False),
        ({"at_most": 1}, ("a",), False),
    ],
)
def test_a_value_meets_a_condition(condition: dict[str, object], value: Measured, is_met: bool) -> None:
    """Bounds are met by themselves; nothing to measure meets none."""
    assert holds(one(**condition), value) == is_met


@pytest.mark.parametrize(
    ("times", "first_ms", "end_ms"),
    [
        ({"at": 5}, 5000, 5000),
        ({"at": 5, "since": 3}, 5000, 5000),
        ({"until": 5}, 0, 5000),
        ({"until": 5, "since": 3}, 3000, 5000),
        ({"within": 5}, 0, 5000),
        ({"within": 5, "since": 3}, 3000, 8000),
    ],
)
def test_an_expectation_is_looked_at_in_its_stretch(times: dict[str, int], first_ms: int, end_ms: int) -> None:
    """One instant, up to an instant, or so long."""
    watch = Watch(one(**times, equals=1))
    watches = Watches([one(**times, equals=1)], 0)

    assert (watch.first_ms, watch.end_ms) == (first_ms, end_ms)
    assert watches.bounds() == sorted({first_ms, end_ms})
    assert [watches.is_watching(now_ms) for now_ms in (first_ms - 1, first_ms, end_ms)] == [False, True, True]


def test_what_is_judged_is_not_watched_any_longer() -> None:
    """And keeps its verdict."""
    watches = Watches([one(at=1, equals=4), one(at=2, equals=4)], 0)
    watches.judge(1000, Picture())
    assert watches.is_watching(2000)
    watches.judge(2000, Picture())
    assert not watches.is_watching(9000)
    assert [(each.verdict, each.time_ms, each.value) for each in watches.results()] == [
        ("met", 1000, 4),
        ("met", 2000, 4),
    ]


@pytest.mark.parametrize(
    ("times", "counting"),
    [
        ({"at": 2}, [2000]),
        ({"since": 1, "until": 2}, [1001, 1999, 2000]),
        ({"since": 1, "within": 1}, [1001, 1999, 2000]),
    ],
)
def test_decisions_count_after_the_begin_up_to_the_end(times: dict[str, int], counting: list[int]) -> None:
    """At one instant only those of it."""
    watch = Watch(one(**times, **DECISIONS, equals=1))
    assert [now_ms for now_ms in (999, 1000, 1001, 1999, 2000, 2001) if watch.counts_at(now_ms)] == counting


@pytest.mark.parametrize(
    ("condition", "count", "is_final"),
    [
        ({"at_most": 2}, 2, False),
        ({"at_most": 2}, 3, True),
        ({"equals": 2}, 1, False),
        ({"equals": 2}, 2, False),
        ({"equals": 2}, 3, True),
        ({"at_least": 2}, 1, False),
        ({"at_least": 2, "at_most": 4}, 1, False),
        ({"at_least": 2, "at_most": 4}, 5, True),
    ],
)
def test_a_count_is_broken_once_it_is_beyond_its_most(condition: dict[str, int], count: int, is_final: bool) -> None:
    """Below it may still grow."""
    watch = Watch(one(**DECISIONS, until=9, **condition))
    watch.count = count
    watch.judge(8999, count)
    assert (watch.result is not None) == is_final


def test_within_a_stretch_a_count_may_pass_what_is_wanted() -> None:
    """It is met where it is as wanted once, and judged at the end at the latest."""
    watch = Watch(one(**DECISIONS, within=9, equals=2))
    watch.count = 3
    watch.judge(8999, 3)
    assert watch.result is None
    watch.judge(9000, 3)
    assert watch.result == Result(watch.expectation, "failed", 9000, 3)


def test_stretches_are_those_of_some_measures() -> None:
    """From the first to the last instant."""
    expectations = [one(at=1, equals=1), one(until=3, since=2, what="nodes", equals=2), one(within=4, equals=3)]
    watches = Watches(expectations, 0)
    assert watches.stretches({"containers"}) == [(1000, 1000), (0, 4000)]
    assert watches.stretches({"nodes", "x"}) == [(2000, 3000)]
    assert watches.stretches(()) == []


ID, NODE = (12, 1, 3), "n1:8041"
KINDS: dict[str, Record] = {
    "allocated": Allocated(ID, NODE, 1, 1024, 1),
    "reserved": Reserved(ID, NODE, 1, 1024, 1),
    "unreserved": Unreserved(ID, NODE, 1, 1024, 1),
    "warned": Warned(ID, NODE, "root.prod", 1024),
    "preempted": Killed(ID, NODE, "PREEMPTED"),
    "killed": Killed(ID, NODE, "LOST"),
    "completed": Completed(ID, NODE, 0),
    "submitted": Submitted(12, "weekly", "u", "prod", "SPARK"),
    "rejected": Submitted(0, "weekly", "u", "prod", "SPARK", rejected="APP_REJECTED"),
}


def count(records: list[Record], **fields: Any) -> int:
    """How many of some records an expectation of decisions counts."""
    watches = Watches([one(**{"of": "decisions", "at": 1, "equals": -1, **fields})], 10_000)
    watches.records(11_000, records)
    watches.judge(1000, Picture())
    found = watches.results()[0].value
    assert isinstance(found, int)
    return found


def test_each_kind_of_decision_counts_its_records() -> None:
    """A container that was preempted was killed, too."""
    assert KINDS.keys() == MEASURES["decisions"].keys()
    counts = {what: count([*KINDS.values(), Draining(NODE)], what=what) for what in KINDS}
    assert counts == {**dict.fromkeys(KINDS, 1), "killed": 2}


@pytest.mark.parametrize(
    ("application", "counted"),
    [("12", 1), ("2", 1), ("012", 1), ("112", 0), ("application_1_0012", 1), ("weekly", 1), ("weekl", 0), ("x_", 0)],
)
def test_decisions_of_an_application(application: str, counted: int) -> None:
    """By its id, the end of its number of four digits at least, or its name once it was submitted."""
    records = [KINDS["submitted"], KINDS["allocated"], Allocated((7, 1, 1), NODE, 1, 1, 1)]
    assert count(records, what="allocated", application=application) == counted
    assert count(records, what="submitted", application=application) == counted


@pytest.mark.parametrize(("node", "counted"), [("n1", 1), ("n1:8041", 1), ("n", 0), ("n1:80", 0)])
def test_decisions_on_a_node(node: str, counted: int) -> None:
    """By its host or id."""
    assert count([KINDS["allocated"], Allocated(ID, "n2:8041", 1, 1, 1)], what="allocated", node=node) == counted


def test_a_record_without_a_container_or_node_is_on_none() -> None:
    """It counts where nothing is named."""
    assert count([KINDS["submitted"]], what="submitted", node="n1") == 0
    assert count([KINDS["submitted"]], what="submitted") == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"equals": 3}, "cluster containers = 3"),
        ({"equals": 0.123456}, "cluster containers = 0.1235"),
        ({"equals": ""}, "cluster containers = none"),
        ({"equals": ()}, "cluster containers = none"),
        ({"equals": ("b", "a")}, "cluster containers = b, a"),
        ({"equals": True}, "cluster containers = True"),
        ({"at_least": 1}, "cluster containers at least 1"),
        ({"at_most": 0.5}, "cluster containers at most 0.5"),
        ({"at_least": 1, "at_most": 3}, "cluster containers at least 1 and at most 3"),
        ({"of": "node", "node": "n1", "equals": 1}, "node n1 containers = 1"),
        ({"of": "queue", "queue": "a", "what": "demand_mb", "equals": 1}, "queue a demand_mb = 1"),
        ({"of": "application", "application": "7", "what": "queue", "equals": "a"}, "application 7 queue = a"),
        (
            {"of": "applications", "what": "count", "queue": "a", "state": "RUNNING", "name": "x", "equals": 1},
            "applications queue a state RUNNING name x count = 1",
        ),
        (
            {"of": "decisions", "what": "killed", "node": "n", "application": "7", "equals": 1},
            "decisions node n application 7 killed = 1",
        ),
    ],
)
def test_an_expectation_in_words(fields: dict[str, object], words: str) -> None:
    """Subject, which one, measure, condition."""
    assert describe(one(**fields)) == words


@pytest.mark.parametrize(
    ("verdict", "value", "sentence"),
    [
        ("met", 3, "cluster containers = 3"),
        ("open", None, "cluster containers = 3"),
        ("failed", 4, "cluster containers = 3; it was 4"),
        ("failed", 0, "cluster containers = 3; it was 0"),
        ("failed", 0.66666, "cluster containers = 3; it was 0.6667"),
        ("failed", "", "cluster containers = 3; it was none"),
        ("failed", ("a", "b"), "cluster containers = 3; it was a, b"),
        ("failed", None, "cluster containers = 3; it was nothing there"),
    ],
)
def test_only_a_failure_says_what_came_instead(verdict: str, value: Measured, sentence: str) -> None:
    """What was expected is said of each."""
    assert Result(one(equals=3), verdict, 0, value).sentence == sentence
