"""What a recorder is told of offers in vain: who was passed by on which node, and why; it changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import Event
from engine.fork import fork as forked
from engine.model.ledger import Attempt, Node
from engine.schedulers.obstacle_texts import OBSTACLE_TEXTS, Obstacle
from engine.schedulers.registry import SCHEDULERS
from tests.build import START_MS, resource_manager
from tests.engine.schedulers.test_every_policy import EVENTS, QUEUES, SETTINGS

EACH_POLICY = pytest.mark.parametrize("policy", sorted(SCHEDULERS))


class Told:
    """A recorder that keeps everything."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, str, Obstacle]] = []

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
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
