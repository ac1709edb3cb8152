"""What is remembered of refusals, allocations and waits."""

from engine.explain.answer import RefusalReport
from engine.explain.can_start import RecentDecisions
from engine.model.decision import Allocated
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import attempt_of, resource_manager, submit


def _allocated(number: int) -> Allocated:
    return Allocated((number, 1, 1), "n1:1", 1, 1024, 1)


def test_the_last_refusal_on_each_node_is_remembered() -> None:
    rm = resource_manager(nodes=2)
    number = submit(rm)
    facts, attempt = RecentDecisions(), attempt_of(rm, number)
    first, second = rm.cluster.nodes.values()
    facts.passed_over(attempt, first, Obstacle(Reason.DOES_NOT_FIT, (2, 1)))
    facts.passed_over(attempt, second, Obstacle(Reason.DOES_NOT_FIT, (2, 0)))
    facts.passed_over(attempt, first, Obstacle(Reason.NODE_RESERVED))
    told = facts.of(number)
    facts.on_records(5, [_allocated(number + 1)])
    stays = facts.of(number)
    facts.on_records(5, [_allocated(number)])

    assert told == (
        RefusalReport(node="n1:1", code="NODE_RESERVED", numbers=()),
        RefusalReport(node="n2:1", code="DOES_NOT_FIT", numbers=(2, 0)),
    )
    assert (stays, facts.of(number)) == (told, ())
