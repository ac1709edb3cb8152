"""Laws for every YARN policy there is: random events, and what must hold after each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import (
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMovedToQueue,
    ApplicationSubmitted,
    Ask,
    Event,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeResized,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.decision import Allocated
from engine.model.ledger import Attempt, Node
from engine.model.request import Resource
from engine.schedulers.obstacle_texts import OBSTACLE_TEXTS, Obstacle
from engine.schedulers.registry import SCHEDULERS
from tests.build import START_MS, ask, heartbeat, resource_manager, submit
from tests.engine.model.invariants import check

QUEUES = """
<queue name="a"><minResources>2048 mb, 2 vcores</minResources><maxRunningApps>2</maxRunningApps></queue>
<queue name="b"><weight>2</weight><maxResources>6144 mb, 6 vcores</maxResources>
  <schedulingPolicy>drf</schedulingPolicy></queue>
<queue name="c"><weight>0</weight><schedulingPolicy>fifo</schedulingPolicy></queue>
<defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout>
<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
"""
SETTINGS = {
    "yarn.scheduler.fair.preemption": "true",
    "yarn.scheduler.fair.preemption.cluster-utilization-threshold": "0.1",
    "yarn.scheduler.fair.preemptionInterval": "0",
    "yarn.scheduler.fair.waitTimeBeforeKill": "1500",
    "yarn.scheduler.fair.assignmultiple": "true",
    "yarn.scheduler.fair.locality.threshold.node": "0.5",
    "yarn.scheduler.fair.locality.threshold.rack": "0.5",
    "yarn.scheduler.capacity.root.queues": "a,b,c",
    "yarn.scheduler.capacity.root.a.capacity": "50",
    "yarn.scheduler.capacity.root.a.user-limit-factor": "2",
    "yarn.scheduler.capacity.root.b.capacity": "30",
    "yarn.scheduler.capacity.root.b.maximum-capacity": "60",
    "yarn.scheduler.capacity.root.c.capacity": "20",
    "yarn.scheduler.capacity.root.a.max-parallel-apps": "2",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5",
    "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled": "true",
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": "1500",
    "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round": "1.0",
    "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": "1.0",
}

NUMBERS = st.integers(1, 6)
NODES = st.integers(1, 4).map(lambda number: f"n{number}:1")
SIZES = st.sampled_from([1024, 2048, 5120])
PLACES = st.sampled_from(["*", "*", "n1", "n2", "/r1"])
ASKS = st.builds(Ask, st.integers(1, 2), PLACES, SIZES, st.integers(1, 3), st.integers(0, 4), st.booleans())
EVENTS = st.one_of(
    st.builds(NodeHeartbeat, NODES),
    st.builds(NodeHeartbeat, NODES),
    st.builds(ApplicationSubmitted, st.sampled_from(["ann", "bob"]), st.sampled_from(["a", "b", "c"])),
    st.builds(ApplicationSubmitted, st.just("cleo"), st.sampled_from(["a", "root.d.e"]), st.just(Resource(1024, 1))),
    st.builds(ApplicationMasterHeartbeat, NUMBERS, st.tuples(ASKS, ASKS)),
    st.builds(ApplicationMasterHeartbeat, NUMBERS, blacklist_add=st.sampled_from([(), ("n1",)])),
    st.builds(ApplicationFinished, NUMBERS, st.sampled_from(["FINISHED", "KILLED"])),
    st.builds(ApplicationMovedToQueue, NUMBERS, st.sampled_from(["a", "b"])),
    st.builds(NodeJoined, NODES, st.just("/r1"), st.sampled_from([4096, 8192]), st.integers(2, 8)),
    st.builds(NodeLost, NODES),
    st.builds(NodeResized, NODES, st.sampled_from([2048, 8192]), st.integers(1, 8)),
    st.builds(SettingsChanged, st.sampled_from([{"reservation.rule": rule} for rule in ("strict", "limited", "off")])),
)
POLICIES = st.sampled_from(sorted(SCHEDULERS))


def _cluster(policy: str) -> ResourceManager:
    return resource_manager(policy, nodes=2, settings=SETTINGS, queues=QUEUES)


def _play(rm: ResourceManager, events: list[Event], start_ms: int = START_MS) -> list[Answer]:
    """The answers to the events, one each half second with the passes that are due then."""
    answers: list[Answer] = []
    for step, event in enumerate(events):
        now_ms = start_ms + step * 500
        answers.append(rm.handle(event, now_ms))
        answers += [rm.run_pass(a_pass.name, now_ms) for a_pass in rm.passes()]
    return answers


@given(POLICIES, st.lists(EVENTS, max_size=40))
def test_the_ledgers_add_up_after_every_event(policy: str, events: list[Event]) -> None:
    rm = _cluster(policy)
    for step, event in enumerate(events):
        rm.handle(event, START_MS + step * 500)
        check(rm.cluster)
        for a_pass in rm.passes():
            rm.run_pass(a_pass.name, START_MS + step * 500)
            check(rm.cluster)


@given(POLICIES, st.lists(EVENTS, max_size=40))
def test_no_allocation_overfills_a_node(policy: str, events: list[Event]) -> None:
    """In memory; a node that shrank may be over-committed, but is given nothing more."""
    rm = _cluster(policy)
    for step, event in enumerate(events):
        answer = rm.handle(event, START_MS + step * 500)
        for decision in answer.decisions:
            if isinstance(decision, Allocated) and decision.memory_mb:
                assert rm.cluster.nodes[decision.node].free_memory_mb >= 0


@given(POLICIES, st.lists(EVENTS, max_size=30), st.lists(EVENTS, max_size=15))
def test_a_fork_answers_as_the_original(policy: str, before: list[Event], after: list[Event]) -> None:
    rm = _cluster(policy)
    _play(rm, before)
    fork = forked(rm)
    later_ms = START_MS + len(before) * 500

    original = _play(rm, after, later_ms)

    assert _play(fork, after, later_ms) == original


@given(POLICIES, st.lists(EVENTS, max_size=40))
def test_an_idle_heartbeat_changes_nothing(policy: str, events: list[Event]) -> None:
    """Where the scheduler says an offer is idle, making it decides nothing and leaves counters and headrooms alone."""
    rm = _cluster(policy)
    _play(rm, events)
    now_ms = START_MS + len(events) * 500
    for node in list(rm.cluster.nodes):
        for step in range(2):
            before, is_idle = _what_an_offer_may_change(rm), rm.heartbeat_is_idle(node)

            answer = rm.handle(NodeHeartbeat(node), now_ms + step)

            if is_idle:
                assert answer.decisions == ()
                assert before == _what_an_offer_may_change(rm)


@given(POLICIES, st.lists(EVENTS, max_size=40))
def test_where_it_is_quiet_every_heartbeat_is_idle(policy: str, events: list[Event]) -> None:
    rm = _cluster(policy)
    _play(rm, events)
    for node in ("", *rm.cluster.nodes):
        if node:
            rm.handle(NodeHeartbeat(node), START_MS + len(events) * 500)
        if rm.all_nodes_idle():
            assert all(rm.heartbeat_is_idle(each) for each in rm.cluster.nodes)


def _what_an_offer_may_change(rm: ResourceManager) -> tuple[object, ...]:
    """The version, and what each attempt used up and may hope for."""
    attempts = [each.attempt for each in rm.cluster.applications.values() if each.attempt]
    return rm.version, [(each.last_container_number, rm.scheduler.policy.headroom(each)) for each in attempts]


# The law of the probe, for every YARN policy there is: it changes nothing, and says yes where an offer allocates.

ALL_NODES = {"yarn.scheduler.fair.reservable-nodes": "1.0"}
STATES = st.lists(EVENTS, max_size=40)


def _after(policy: str, events: list[Event]) -> tuple[ResourceManager, int]:
    """A ResourceManager after some events half a second apart, with its passes, and the time."""
    rm = _cluster(policy)
    _play(rm, events)
    return rm, START_MS + len(events) * 500


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


# What a recorder is told of offers in vain: who was passed by on which node, and why; it changes nothing.


class Told:
    """A recorder that keeps everything."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, str, Obstacle]] = []

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
        self.heard.append((attempt.application.number, node.id, obstacle))


@given(POLICIES, st.lists(EVENTS, max_size=25))
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
