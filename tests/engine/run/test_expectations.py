"""Expectations watched over time: when they are met, when they fail, and in which words."""

from collections.abc import Sequence

import pytest

from engine.model.decision import Allocated, Killed, Reserved, Unreserved
from engine.run import Result
from engine.run.expectations import Watches, describe
from engine.scenario import Expectation
from engine.simulation.records import Record, Submitted
from tests.engine.run.pictures import Picture

START = 1_000_000


def watch(**fields: object) -> Watches:
    """Watches of one expectation; a bare number of seconds is a time."""
    return Watches([Expectation.model_validate(fields)], START)


def verdict(watches: Watches, *instants_ms: int) -> tuple[str, int | None]:
    """The verdict after looking at these instants [ms after the start]."""
    for instant in instants_ms:
        watches.judge(instant, Picture())
    (result,) = watches.results()
    return result.verdict, result.time_ms


CONTAINERS = {"of": "cluster", "what": "containers"}


def counted(records: Sequence[tuple[int, Record]], **fields: object) -> Result:
    """The result of counting records [ms after the start] by an expectation of decisions."""
    watches = watch(of="decisions", **fields)
    for time_ms, record in records:
        watches.records(START + time_ms, [record])
        watches.judge(time_ms, Picture())
    for time_ms in watches.bounds():
        watches.judge(time_ms, Picture())
    return watches.results()[0]


GIVEN = Allocated((12, 1, 3), "n1:8041", 1, 1024, 1)
OTHER = Allocated((7, 1, 3), "n2:8041", 1, 1024, 1)


def test_a_count_that_has_passed_its_maximum_fails_at_once() -> None:
    result = counted([(1000, GIVEN), (2000, GIVEN)], what="allocated", until=9, at_most=1)
    assert (result.verdict, result.time_ms, result.value) == ("failed", 2000, 2)


@pytest.mark.parametrize(
    ("which", "count"),
    [
        ({"application": "12"}, 1),
        ({"application": "application_7_0012"}, 1),
        ({"application": "weekly"}, 1),
        ({"node": "n2"}, 1),
        ({"node": "n1:8041"}, 1),
        ({"node": "n3"}, 0),
        ({}, 2),
    ],
)
def test_decisions_may_be_narrowed_down(which: dict[str, str], count: int) -> None:
    records: list[tuple[int, Record]] = [(1, Submitted(12, "weekly", "u", "prod", "SPARK")), (2, GIVEN), (2, OTHER)]
    assert counted(records, what="allocated", until=1, equals=count, **which).verdict == "met"


@pytest.mark.parametrize(
    ("what", "record"),
    [
        ("reserved", Reserved((1, 1, 2), "n1:8041", 1, 1024, 1)),
        ("unreserved", Unreserved((1, 1, 2), "n1:8041", 1, 1024, 1)),
        ("preempted", Killed((1, 1, 2), "n1:8041", "PREEMPTED")),
        ("killed", Killed((1, 1, 2), "n1:8041", "LOST")),
        ("submitted", Submitted(1, "a", "u", "prod", "SPARK")),
        ("rejected", Submitted(0, "a", "u", "prod", "SPARK", rejected="APP_REJECTED")),
    ],
)
def test_each_kind_of_decision_is_counted(what: str, record: Record) -> None:
    assert counted([(1, record), (1, GIVEN)], what=what, until=1, equals=1).verdict == "met"


def test_a_failure_says_what_came_instead() -> None:
    watches = watch(**CONTAINERS, at=5, at_least=5)
    watches.judge(5000, Picture())
    assert watches.results()[0].sentence == "cluster containers at least 5; it was 4"


def test_a_failure_says_when_there_was_nothing() -> None:
    watches = watch(of="queue", queue="gone", what="demand_mb", at=0, equals=0)
    watches.judge(0, Picture())
    assert watches.results()[0].sentence == "queue gone demand_mb = 0; it was nothing there"


def test_an_expectation_is_described_in_words() -> None:
    one = Expectation(at_ms=0, of="reservations", application="12", what="nodes", equals=("n1", "n2"))
    assert describe(one) == "reservations application 12 nodes = n1, n2"
    assert describe(one.model_copy(update={"equals": ()})).endswith("= none")
