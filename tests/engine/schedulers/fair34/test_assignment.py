"""What an offer of 3.x gives, holds and refuses."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.control_plane.protocol import (
    ApplicationMasterHeartbeat,
    ApplicationMovedToQueue,
    ApplicationSubmitted,
    Ask,
    NodeLost,
    NodeResized,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.decision import Allocated, Decision, Unreserved
from engine.model.ledger import Attempt, Node
from engine.model.request import Resource
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import START_MS, ask, fetch, heartbeat, submit
from tests.engine.schedulers.fair34.build import FAIR, MULTIPLE, ask_at, attempt, beat, cluster, scheduler, tick
from tests.engine.schedulers.fair34.test_preemption import LATE, full


def asking(count: int, **more: Any) -> tuple[ResourceManager, int]:
    """A cluster in which an application of `a` asks for containers, and its number."""
    rm = cluster(**more)
    number = submit(rm, "a")
    ask(rm, number, count)
    return rm, number


def filled(settings: Mapping[str, str] = MULTIPLE, nodes: int = 3) -> tuple[ResourceManager, int, int]:
    """A cluster of which an application of `a` has all, its number, and that of one of `b` that asks for nothing."""
    rm, small = asking(8 * nodes, settings={**MULTIPLE, **settings}, nodes=nodes)
    large = submit(rm, "b")
    tick(rm)
    beat(rm)
    return rm, small, large


def _given(decisions: list[Decision] | tuple[Decision, ...]) -> int:
    return sum(isinstance(each, Allocated) for each in decisions)


def test_an_application_is_not_looked_at_before_its_demand_was_counted() -> None:
    """By an update pass; nodes that join later are followed by one at once."""
    rm, _ = asking(1)
    assert _given(heartbeat(rm).decisions) == 0
    tick(rm)
    assert _given(heartbeat(rm).decisions) == 1


def test_a_node_that_leaves_is_followed_by_an_update() -> None:
    rm, _ = asking(1)
    rm.handle(NodeLost("n3:1"), START_MS)
    assert not rm.heartbeat_is_idle("n1:1")
    assert _given(heartbeat(rm).decisions) == 1


@pytest.mark.parametrize(
    ("memory_mb", "settings"),
    [
        (1024, {}),
        (3072, {"yarn.scheduler.reservation-threshold.increment-multiple": "4"}),
        (4096, {FAIR + "reservable-nodes": "0"}),
        (4096, {"schedlab.reservation.rule": "off"}),
    ],
    ids=["too small", "below a higher threshold", "no part of the nodes", "the rule is off"],
)
def test_no_node_is_held(memory_mb: int, settings: dict[str, str]) -> None:
    rm, _, large = filled(settings=settings)
    ask(rm, large, 2, memory_mb=memory_mb)
    tick(rm)
    assert beat(rm) == []


def test_switching_the_rule_off_drops_reservations() -> None:
    rm, _, large = filled()
    ask(rm, large, 1, memory_mb=4096)
    tick(rm)
    beat(rm)
    rm.handle(SettingsChanged({"reservation.rule": "off"}), START_MS)
    assert [type(each) for each in beat(rm)] == [Unreserved]


def test_of_equally_free_nodes_a_continuous_pass_offers_only_one() -> None:
    rm, _ = asking(9, settings={FAIR + "continuous-scheduling-enabled": "true"})
    tick(rm)
    assert [_given(rm.run_pass("continuous", START_MS).decisions) for _ in range(3)] == [1, 2, 3]
    assert ("continuous", 5) in [(each.name, each.interval_ms) for each in rm.passes()]


def test_a_continuous_pass_that_finds_nothing_rests() -> None:
    """Until something changes; so does an update without preemption, a clean-up, and the rest of preemption."""
    rm = cluster(settings={FAIR + "continuous-scheduling-enabled": "true"})
    tick(rm)
    rm.run_pass("continuous", START_MS)
    assert all(rm.scheduler.policy.pass_is_idle(each.name) for each in rm.passes())
    number = submit(rm, "a")
    ask(rm, number, 1)
    assert not rm.scheduler.policy.pass_is_idle("continuous")
    assert not rm.scheduler.policy.pass_is_idle("update")
    assert rm.all_nodes_idle() is False


def test_a_blacklist_holds_from_the_masters_start_and_headroom_leaves_its_nodes_out() -> None:
    rm = cluster(nodes=2, settings=MULTIPLE)
    number = submit(rm, "a", am_mb=1024)
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=("n1",)), START_MS)
    tick(rm)
    assert _given(heartbeat(rm, 1).decisions) == 0
    assert _given(heartbeat(rm, 2).decisions) == 1
    fetch(rm, number)
    assert attempt(rm, number).blacklist == set()
    before = rm.scheduler.policy.headroom(attempt(rm, number))
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=("n1",)), START_MS)
    assert before.memory_mb - rm.scheduler.policy.headroom(attempt(rm, number)).memory_mb == 8192
    ask(rm, number, 1)
    tick(rm)
    assert _given(heartbeat(rm, 1).decisions) == 0


def test_asking_for_nothing_anywhere_takes_all_asks_of_the_priority() -> None:
    rm = cluster()
    number = submit(rm, "a")
    ask_at(rm, number, ("n1", 2), ("/r1", 2), ("*", 2))
    ask_at(rm, number, ("*", 0))
    assert [group.by_name for group in attempt(rm, number).groups.values()] == [{}]
    ask_at(rm, number, ("*", 0), ("*", 3))
    assert attempt(rm, number).pending == 3


def test_a_move_beyond_a_limit_is_refused_and_changes_nothing() -> None:
    limits = "<userMaxAppsDefault>1</userMaxAppsDefault>"
    rm = cluster('<queue name="a"/><queue name="b"/>' + limits)
    running, parked = submit(rm, "a"), submit(rm, "a")
    assert not attempt(rm, parked).runnable
    assert rm.handle(ApplicationMovedToQueue(running, "b"), START_MS).rejected == "YarnException"
    assert attempt(rm, running).queue.path == "root.a"
    assert not rm.handle(ApplicationMovedToQueue(parked, "b"), START_MS).rejected
    assert attempt(rm, parked).queue.path == "root.b"


def test_a_parked_application_may_run_where_it_is_moved() -> None:
    rm = cluster('<queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/>')
    first, second, third = submit(rm, "a"), submit(rm, "a"), submit(rm, "a")
    rm.handle(ApplicationMovedToQueue(second, "b"), START_MS)
    assert attempt(rm, second).runnable
    rm.handle(ApplicationMovedToQueue(first, "b"), START_MS)
    assert attempt(rm, third).runnable


def test_an_application_is_admitted_against_its_queue() -> None:
    rm = cluster(
        '<queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>'
        '<queue name="a"><aclSubmitApps>ann</aclSubmitApps>'
        "<maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation></queue>"
        '<queue name="none"><aclSubmitApps>*</aclSubmitApps>'
        "<maxResources>0 mb, 0 vcores</maxResources></queue></queue>",
        settings={"yarn.acl.enable": "true"},
    )

    def submitted(user: str, name: str, memory_mb: int) -> str:
        return rm.handle(ApplicationSubmitted(user, name, Resource(memory_mb, 1)), START_MS).rejected

    assert submitted("ann", "a", 2048) == ""
    assert submitted("ann", "a", 4096) == "InvalidResourceRequestException"
    assert submitted("bob", "a", 1024) == "AccessControlException"
    assert submitted("bob", "a.below", 1024) == "AccessControlException"
    assert submitted("ann", "a.below", 1024) == "APP_REJECTED"
    assert submitted("ann", "root..x", 1024) == "AccessControlException"
    assert submitted("bob", "none", 1024) == "APP_REJECTED"
    unmanaged = submit(rm, "none")
    asks = (Ask(1, "*", 1024, 1, 1),)
    refused = rm.handle(ApplicationMasterHeartbeat(unmanaged, asks), START_MS)
    assert refused.rejected == "SchedulerInvalidResoureRequestException"


def test_an_application_that_no_rule_places_is_rejected() -> None:
    rm = cluster('<queue name="a"/><queuePlacementPolicy><rule name="reject"/></queuePlacementPolicy>')
    assert rm.handle(ApplicationSubmitted("ann", "a"), START_MS).rejected == "APP_REJECTED"


# What is said to stand in an application's way under 3.x, by probe and by recorder.


class Recorder:
    """Keeps what offers refuse."""

    def __init__(self) -> None:
        self.reasons: set[Reason] = set()

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
        self.reasons.add(obstacle.reason)


def _in_queue(rm: ResourceManager, number: int) -> Obstacle | None:
    return rm.scheduler.policy.obstacle(attempt(rm, number))


def _on(rm: ResourceManager, number: int, node: int = 1) -> Reason | None:
    obstacle = rm.scheduler.policy.obstacle_on(attempt(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)
    return None if obstacle is None else obstacle.reason


def _refused(rm: ResourceManager) -> set[Reason]:
    """What an offer of every node refuses, tried on a copy."""
    copy, recorder = forked(rm), Recorder()
    copy.scheduler.policy.recorder = recorder
    beat(copy)
    return recorder.reasons


def test_obstacles_in_the_queue_are_told_in_order() -> None:
    rm = cluster(
        '<queue name="a"><maxRunningApps>1</maxRunningApps><maxResources>3000 mb, 9 vcores</maxResources></queue>'
        '<queue name="b"><maxAMShare>0.0</maxAMShare></queue>'
    )
    running, parked, master = submit(rm, "a"), submit(rm, "a"), submit(rm, "b", am_mb=1024)
    found = _in_queue(rm, running)
    assert found is not None
    assert found.reason is Reason.NOTHING_ASKED
    ask(rm, running, 4)
    ask(rm, parked, 1)
    assert _in_queue(rm, running) == Obstacle(Reason.NOT_COUNTED)
    assert _in_queue(rm, parked) == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (1, 1), "queue root.a")
    tick(rm)
    assert _in_queue(rm, running) is None
    beat(rm)
    assert _in_queue(rm, running) == Obstacle(Reason.QUEUE_OVER_MAXIMUM, (2048, 3000, 1024, 2, 9, 1), "root.a")
    assert _in_queue(rm, master) == Obstacle(Reason.AM_SHARE_EXHAUSTED, (0, 0, 1024, 0, 0, 1), "root.b")
    assert _refused(rm) == {Reason.QUEUE_WOULD_EXCEED_MAXIMUM, Reason.AM_SHARE_EXHAUSTED}


def test_obstacles_on_nodes_are_told() -> None:
    rm = cluster(settings=MULTIPLE | {FAIR + "locality.threshold.node": "1.0", FAIR + "locality.threshold.rack": "1.0"})
    number, far, strict = submit(rm, "a"), submit(rm, "a"), submit(rm, "b")
    ask(rm, number, 2, memory_mb=8192)
    ask_at(rm, far, ("n3", 1), ("/r1", 1), ("*", 1))
    ask_at(rm, strict, ("n3", 1), ("/r1", 1), ("*", 1), relax=False)
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=("n3",)), START_MS)
    rm.handle(NodeResized("n1:1", 4096, 8), START_MS)
    tick(rm)
    assert [_on(rm, number, node) for node in (1, 2, 3)] == [Reason.NODE_TOO_SMALL, None, Reason.BLACKLISTED]
    assert [_on(rm, far, node) for node in (1, 3)] == [Reason.DELAY_SCHEDULING, None]
    assert [_on(rm, strict, node) for node in (1, 3)] == [Reason.LOCALITY_NOT_RELAXED, None]
    assert {
        Reason.BLACKLISTED,
        Reason.NODE_TOO_SMALL,
        Reason.DELAY_SCHEDULING,
        Reason.LOCALITY_NOT_RELAXED,
    } <= _refused(rm)


def test_full_nodes_and_reservations_are_told() -> None:
    """Who holds one, who may hold no more, and who waits on its own."""
    rm, small, large = filled()
    fetch(rm, small)
    ask(rm, large, 2, memory_mb=4096)
    ask(rm, small, 1)
    tick(rm)
    assert _on(rm, large) is Reason.DOES_NOT_FIT
    beat(rm)
    assert [_on(rm, large, node) for node in (1, 2)] == [Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT]
    assert [_on(rm, small, node) for node in (1, 2)] == [Reason.NODE_RESERVED, Reason.DOES_NOT_FIT]
    beat(rm)
    ended = tuple(attempt(rm, small).live[number].id for number in range(1, 5))
    copy = forked(rm)
    for each in ended:
        container = copy.cluster.container(each)
        assert container is not None
        copy.scheduler.policy.complete(container, "FINISH", START_MS)
    assert _on(copy, large) is None
    assert {Reason.RESERVATION_LIMIT, Reason.DOES_NOT_FIT} <= _refused(rm)


def test_an_ask_that_grew_over_its_reservation_does_not_fit() -> None:
    """The node has room for what was reserved, not for what is asked now."""
    rm, small, large = filled(nodes=1)
    fetch(rm, small)
    ask(rm, large, 1, memory_mb=2048)
    tick(rm)
    beat(rm)
    for number in (1, 2):
        container = rm.cluster.container((small, 1, number))
        assert container is not None
        rm.scheduler.policy.complete(container, "FINISH", START_MS)
    assert _on(rm, large) is None
    ask(rm, large, 1, memory_mb=6144)
    assert _on(rm, large) is Reason.DOES_NOT_FIT
    assert beat(rm) == []


def test_what_is_promised_is_found_even_on_a_node_others_hold() -> None:
    rm = full()
    tick(rm, START_MS + 1000)
    tick(rm, START_MS + 3000)
    assert scheduler(rm).promises.count == 1
    assert _on(rm, LATE) is Reason.DOES_NOT_FIT
    node = rm.cluster.nodes["n1:1"]
    for container in [each for each in node.containers.values() if each.state == "KILLED"]:
        rm.cluster.vacate(container)
    assert _on(rm, LATE) is None
