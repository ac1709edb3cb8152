"""What is remembered of refusals, allocations and waits."""

import pytest

from engine.explain.answer import RefusalReport
from engine.explain.can_start import RecentDecisions, WaitInterval
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.simulation.records import AskChanged
from tests.build import attempt_of, resource_manager, submit


def _allocated(number: int) -> Allocated:
    return Allocated((number, 1, 1), "n1:1", 1, 1024, 1)


def _asked(number: int) -> AskChanged:
    return AskChanged(number, 1, 1024, 1, 1)


def test_the_last_refusal_on_each_node_is_remembered() -> None:
    rm = resource_manager(nodes=2)
    number = submit(rm)
    facts, attempt = RecentDecisions(), attempt_of(rm, number)
    first, second = rm.cluster.nodes.values()
    facts.passed_over(attempt, first, Obstacle(Reason.DOES_NOT_FIT, (2, 1)))
    facts.passed_over(attempt, second, Obstacle(Reason.DOES_NOT_FIT, (2, 0)))
    facts.passed_over(attempt, first, Obstacle(Reason.NODE_RESERVED))
    told = facts.of(number)
    facts.records(5, [_allocated(number + 1)])
    stays = facts.of(number)
    facts.records(5, [_allocated(number)])

    assert told == (
        RefusalReport(node="n1:1", code="NODE_RESERVED", numbers=()),
        RefusalReport(node="n2:1", code="DOES_NOT_FIT", numbers=(2, 0)),
    )
    assert (stays, facts.of(number)) == (told, ())


def test_the_longest_wait_that_is_over_is_remembered() -> None:
    facts = RecentDecisions()
    waits = []
    for asked_ms, given_ms in ((0, 10), (20, 25), (30, 40), (50, 61)):
        facts.records(asked_ms, [_asked(1)])
        facts.records(asked_ms + 1, [_asked(1)])
        facts.records(given_ms, [_allocated(1)])
        waits.append(facts.longest_wait(1))

    assert waits == [WaitInterval(0, 10), WaitInterval(0, 10), WaitInterval(0, 10), WaitInterval(50, 61)]
    assert facts.longest_wait(2) is None


@pytest.mark.parametrize(
    ("state", "wait"), [("FINISHED", WaitInterval(3, 9)), ("KILLED", WaitInterval(3, 9)), ("RUNNING", None)]
)
def test_an_end_is_the_end_of_a_wait(state: str, wait: WaitInterval | None) -> None:
    facts = RecentDecisions()
    facts.records(3, [_asked(1)])
    facts.records(9, [ApplicationTransitioned(1, state, "root.a")])

    assert facts.longest_wait(1) == wait


def test_who_was_given_something_meanwhile_passed_by() -> None:
    """From the instant on, of those that came later, and not the one itself."""
    facts = RecentDecisions()
    for time_ms, number in ((1, 5), (2, 5), (3, 1), (4, 6), (5, 7)):
        facts.records(time_ms, [_allocated(number)])

    found = [(time_ms, one.container[0]) for time_ms, one in facts.passing(1, 2, frozenset({1, 5, 6}))]
    assert found == [(2, 5), (4, 6)]
