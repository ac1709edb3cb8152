"""What a recorder is told of offers in vain: who was passed by on which node, and why; it changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Event
from engine.fork import fork as forked
from engine.model.ledger import Attempt, Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.obstacle_texts import OBSTACLE_TEXTS
from engine.schedulers.registry import SCHEDULERS
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update
from tests.engine.schedulers.test_every_policy import EVENTS, QUEUES, SETTINGS

EACH_POLICY = pytest.mark.parametrize("policy", sorted(SCHEDULERS))
BY_BOTH = {"yarn.scheduler.capacity.maximum-am-resource-percent": "1"}


class Told:
    """A recorder that keeps everything."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, str, Obstacle]] = []

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
        """Keep it."""
        self.heard.append((attempt.application.number, node.id, obstacle))


@EACH_POLICY
@given(events=st.lists(EVENTS, max_size=25))
def test_recording_changes_nothing(policy: str, events: list[Event]) -> None:
    """Whatever happens; what is told is of an application, with as many numbers as its reason has at most."""
    rm = resource_manager(policy, nodes=2, settings=SETTINGS, queues=QUEUES)
    recorded, told = forked(rm), Told()
    recorded.scheduler.policy.recorder = told
    for step, event in enumerate(events):
        now_ms = START_MS + step * 500
        assert recorded.handle(event, now_ms) == rm.handle(event, now_ms)
        for each in rm.passes():
            assert recorded.run_pass(each.name, now_ms) == rm.run_pass(each.name, now_ms)
    for number, node, obstacle in told.heard:
        assert 1 <= number <= len(events)
        assert node.startswith("n")
        assert len(obstacle.numbers) <= len(OBSTACLE_TEXTS[obstacle.reason].numbers)


@EACH_POLICY
def test_a_blacklisted_node_is_told(policy: str) -> None:
    """By its application."""
    rm, told = resource_manager(policy, nodes=1, settings=BY_BOTH), Told()
    number = submit(rm)
    ask(rm, number, 1)
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=("n1",)), START_MS)
    rm.scheduler.policy.recorder = told
    update(rm)
    heartbeat(rm)
    assert {(each[0], each[1], each[2].reason) for each in told.heard} == {(number, "n1:1", Reason.BLACKLISTED)}


FREE = (4096, 2048)
OBSTACLES = {
    "capacity-2.7": Obstacle(Reason.QUEUE_OVER_MAXIMUM, (6144, 8192, 4096), "root.default"),
    "capacity-3.4": Obstacle(Reason.QUEUE_OVER_MAXIMUM, (6144, 8192, 4096), "root.default"),
    "fair-2.7": Obstacle(Reason.DOES_NOT_FIT, (*FREE, 1, 7)),
    "fair-3.4": Obstacle(Reason.DOES_NOT_FIT, (*FREE, 1, 7)),
    "fifo": Obstacle(Reason.DOES_NOT_FIT, FREE),
    "fifo-3.4": Obstacle(Reason.DOES_NOT_FIT, FREE),
}
"""Of 8 GB of one node 6 are taken and 4 wanted: the queue of a capacity scheduler has no more than the node."""


@EACH_POLICY
def test_a_node_with_too_little_room_is_told_with_what_is_free(policy: str) -> None:
    """And what was wanted there; a capacity scheduler sees the queue's maximum first."""
    rm, told = resource_manager(policy, nodes=1, settings=BY_BOTH), Told()
    first, second = submit(rm), submit(rm)
    ask(rm, first, 1, 6144)
    update(rm)
    heartbeat(rm)
    ask(rm, second, 1, 4096)
    rm.scheduler.policy.recorder = told
    update(rm)
    heartbeat(rm)
    assert told.heard == [(second, "n1:1", OBSTACLES[policy])]
