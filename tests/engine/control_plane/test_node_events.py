"""Nodes that register again, are relabelled, resized and lost."""

import pytest

from engine.control_plane.protocol import (
    ApplicationPriorityChanged,
    NodeLost,
    NodeRelabelled,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import Killed
from tests.build import START_MS, ask, fetch, heartbeat, resource_manager, submit, update


def running(scheduler: str = "fair-2.7") -> ResourceManager:
    rm = resource_manager(scheduler, nodes=1)
    submit(rm)
    ask(rm, 1, 2)
    update(rm)
    for _ in range(2):
        heartbeat(rm)
    fetch(rm, 1)
    return rm


@pytest.mark.parametrize("state", ["LOST", "UNHEALTHY", "DECOMMISSIONED"])
def test_a_node_leaves_in_the_state_it_is_reported_in(state: str) -> None:
    rm = running()

    answer = rm.handle(NodeLost("n1:1", state), START_MS)

    assert rm.cluster.down["n1:1"].state == state
    assert [each.cause for each in answer.decisions if isinstance(each, Killed)] == ["LOST", "LOST"]
    assert answer.cleanups == ()


@pytest.mark.parametrize("scheduler", ["fifo", "fair-2.7"])
def test_what_a_policy_does_not_have_is_refused(scheduler: str) -> None:
    rm = resource_manager(scheduler)
    submit(rm)

    refused = [
        rm.handle(event, START_MS).rejected
        for event in (NodeRelabelled("n1:1", "gpu"), ApplicationPriorityChanged(1, 5))
    ]

    assert refused == ["UnsupportedOperationException"] * 2
