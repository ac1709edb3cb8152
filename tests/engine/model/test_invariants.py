"""The check finds every kind of broken ledger."""

from collections.abc import Callable

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.errors import InvariantError
from tests.build import ask, attempt_of, heartbeat, resource_manager, submit, update
from tests.engine.model.invariants import check


def _busy() -> ResourceManager:
    rm = resource_manager()
    number = submit(rm)
    ask(rm, number, 3, 2048)
    ask(rm, number, 1, 8192, priority=2)
    update(rm)
    for node in (1, 2, 3, 1):
        heartbeat(rm, node)
    return rm


def test_a_cluster_that_works_breaks_nothing() -> None:
    rm = _busy()

    check(rm.cluster)

    assert any(node.reserved for node in rm.cluster.nodes.values())


def _more_used(rm: ResourceManager) -> None:
    rm.cluster.used_memory_mb += 1


def _more_on_node(rm: ResourceManager) -> None:
    rm.cluster.nodes["n1:1"].free_vcores += 1


def _lost_reservation(rm: ResourceManager) -> None:
    for node in rm.cluster.nodes.values():
        if node.reserved is not None:
            node.reserved.attempt.reserved.clear()


def _node_forgot_reservation(rm: ResourceManager) -> None:
    for node in rm.cluster.nodes.values():
        node.reserved = None


def _misplaced(rm: ResourceManager) -> None:
    for node in rm.cluster.nodes.values():
        node.containers.clear()


def _wrong_state(rm: ResourceManager) -> None:
    attempt_of(rm, 1).newly_allocated[0].state = "RUNNING"


def _queue_counts_more(rm: ResourceManager) -> None:
    attempt_of(rm, 1).queue.used_vcores += 5


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (_more_used, "cluster: used memory"),
        (_more_on_node, "n1:1: free vcores"),
        (_lost_reservation, "unknown to its application"),
        (_node_forgot_reservation, "its reservation is unknown to n"),
        (_misplaced, "is live but not on"),
        (_wrong_state, "waits to be fetched in state RUNNING"),
        (_queue_counts_more, "queue root.ann: used vcores"),
    ],
)
def test_what_does_not_add_up_is_named(harm: Callable[[ResourceManager], None], words: str) -> None:
    rm = _busy()
    harm(rm)

    with pytest.raises(InvariantError, match=words):
        check(rm.cluster)
