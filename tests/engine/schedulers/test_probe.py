"""The law of the probe, for every YARN policy there is: it changes nothing, and says yes where an offer allocates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import Event, NodeHeartbeat
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.decision import Allocated
from engine.model.ledger import Attempt
from engine.schedulers.registry import SCHEDULERS
from tests.build import START_MS, ask, heartbeat, resource_manager, submit
from tests.engine.schedulers.test_every_policy import EVENTS, POLICIES, QUEUES, SETTINGS

ALL_NODES = {"yarn.scheduler.fair.reservable-nodes": "1.0"}
STATES = st.lists(EVENTS, max_size=40)


def _after(policy: str, events: list[Event]) -> tuple[ResourceManager, int]:
    """A ResourceManager after some events half a second apart, with its passes, and the time."""
    rm = resource_manager(policy, nodes=2, settings=SETTINGS, queues=QUEUES)
    now_ms = START_MS
    for event in events:
        rm.handle(event, now_ms)
        for each in rm.passes():
            rm.run_pass(each.name, now_ms)
        now_ms += 500
    return rm, now_ms


def _waiting(rm: ResourceManager) -> list[Attempt]:
    attempts = [application.attempt for application in rm.cluster.applications.values()]
    return [attempt for attempt in attempts if attempt is not None and attempt.pending]


def offered_alone(rm: ResourceManager, number: int, node_id: str, now_ms: int) -> bool:
    """Whether an offer of a node that only one application may take allocates, tried on a copy."""
    copy = forked(rm)
    for application in copy.cluster.applications.values():
        if application.attempt is not None and application.number != number:
            application.attempt.pending = 0
    decisions = copy.scheduler.policy.offer(copy.cluster.nodes[node_id], now_ms)
    return any(isinstance(each, Allocated) and each.container[0] == number for each in decisions)


def _says_yes(rm: ResourceManager, attempt: Attempt, node_id: str, now_ms: int) -> bool:
    policy = rm.scheduler.policy
    if policy.obstacle(attempt) is not None:
        return False
    return policy.obstacle_on(attempt, rm.cluster.nodes[node_id], now_ms) is None


@pytest.mark.parametrize("policy", sorted(SCHEDULERS))
@given(events=STATES)
def test_it_says_yes_exactly_where_a_restricted_offer_allocates(policy: str, events: list[Event]) -> None:
    rm, now_ms = _after(policy, events)
    for attempt in _waiting(rm):
        number = attempt.application.number
        for node_id in rm.cluster.nodes:
            said = _says_yes(rm, attempt, node_id, now_ms)

            assert said == offered_alone(rm, number, node_id, now_ms), (number, node_id)


@given(POLICIES, STATES, STATES)
def test_it_changes_nothing(policy: str, before: list[Event], after: list[Event]) -> None:
    asked, now_ms = _after(policy, before)
    unasked = forked(asked)
    version = asked.version
    for attempt in _waiting(asked):
        for node_id in asked.cluster.nodes:
            _says_yes(asked, attempt, node_id, now_ms)
    assert asked.version == version

    beats = [NodeHeartbeat(node_id) for node_id in asked.cluster.nodes]
    for step, event in enumerate([*beats, *after]):
        at_ms = now_ms + step * 500
        assert asked.handle(event, at_ms) == unasked.handle(event, at_ms)


def test_a_reservation_that_the_next_offer_drops_is_in_nobodys_way() -> None:
    """Its application asks for nothing there any more, so the node is offered to all."""
    rm = resource_manager(nodes=1)
    first, second = submit(rm), submit(rm)
    ask(rm, first, 1, 6144)
    heartbeat(rm)
    ask(rm, first, 1, 4096)
    heartbeat(rm)
    assert rm.cluster.nodes["n1:1"].reserved is not None
    ask(rm, first, 0, 4096)
    ask(rm, second, 1, 1024)
    waiting = next(iter(_waiting(rm)))

    assert offered_alone(rm, second, "n1:1", START_MS)
    assert _says_yes(rm, waiting, "n1:1", START_MS)


def test_asking_keeps_the_order_of_reservations() -> None:
    rm = resource_manager(nodes=2, settings={"schedlab.reservation.rule": "limited", **ALL_NODES})
    number = submit(rm)
    ask(rm, number, 2, 6144)
    heartbeat(rm, 1)
    heartbeat(rm, 2)
    ask(rm, number, 2, 4096)
    heartbeat(rm, 1)
    heartbeat(rm, 2)
    attempt = next(iter(_waiting(rm)))
    before = list(attempt.reserved)
    assert before == ["n1:1", "n2:1"]

    rm.scheduler.policy.obstacle_on(attempt, rm.cluster.nodes["n1:1"], START_MS)

    assert list(attempt.reserved) == before
