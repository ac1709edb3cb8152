"""What an offer of 3.x gives, holds and refuses."""

import pytest

from engine.control_plane.protocol import (
    ApplicationMasterHeartbeat,
    ApplicationMovedToQueue,
    ApplicationSubmitted,
    Ask,
    ContainerKilled,
    NodeHeartbeat,
    NodeLost,
    NodeResized,
    SettingsChanged,
)
from engine.model.decision import Allocated, Decision, Killed, Reserved, Unreserved
from engine.model.request import Resource
from engine.schedulers.fair34.assignment import am_share_allows
from tests.build import START_MS, ask, fetch, heartbeat, submit
from tests.engine.schedulers.fair34.build import FAIR, MULTIPLE, ask_at, attempt, beat, cluster, queue, scheduler, tick

HALF = {FAIR + "assignmultiple": "true"}


def _given(decisions: list[Decision] | tuple[Decision, ...]) -> int:
    return sum(isinstance(each, Allocated) for each in decisions)


def test_an_application_is_not_looked_at_before_its_demand_was_counted() -> None:
    """By an update pass; nodes that join later are followed by one at once."""
    rm = cluster()
    number = submit(rm, "a")
    ask(rm, number, 1)
    assert _given(heartbeat(rm).decisions) == 0
    tick(rm)
    assert _given(heartbeat(rm).decisions) == 1


def test_a_node_that_leaves_is_followed_by_an_update() -> None:
    rm = cluster()
    number = submit(rm, "a")
    ask(rm, number, 1)
    rm.handle(NodeLost("n3:1"), START_MS)
    assert not rm.heartbeat_is_idle("n1:1")
    assert _given(heartbeat(rm).decisions) == 1


def test_half_of_what_is_free_is_given_at_once_and_one_more() -> None:
    rm = cluster(settings=HALF)
    number = submit(rm, "a")
    ask(rm, number, 20)
    tick(rm)
    assert _given(heartbeat(rm).decisions) == 5


@pytest.mark.parametrize(("most", "given"), [("3", 3), ("-1", 8)])
def test_a_fixed_limit_holds_where_the_dynamic_one_is_off(most: str, given: int) -> None:
    rm = cluster(settings=MULTIPLE | {FAIR + "max.assign": most})
    number = submit(rm, "a")
    ask(rm, number, 20)
    tick(rm)
    assert _given(heartbeat(rm).decisions) == given


def test_a_queue_never_passes_its_maximum() -> None:
    rm = cluster(
        '<queue name="a"><maxResources>1500 mb, 9 vcores</maxResources></queue><queue name="b"/>', settings=MULTIPLE
    )
    first, second = submit(rm, "a"), submit(rm, "b")
    ask(rm, first, 4)
    ask(rm, second, 2)
    tick(rm)
    assert _given(heartbeat(rm).decisions) == 3
    assert attempt(rm, first).used_memory_mb == 1024


def test_a_node_is_held_for_a_large_ask_of_a_starved_application() -> None:
    """One node of three at the default ratio; the reservation is met when there is room."""
    rm = cluster(settings=MULTIPLE)
    small, large = submit(rm, "a"), submit(rm, "b")
    ask(rm, small, 24)
    tick(rm)
    beat(rm)
    fetch(rm, small)
    beat(rm)
    ask(rm, large, 2, memory_mb=4096)
    tick(rm)
    decisions = beat(rm)
    assert [type(each) for each in decisions] == [Reserved]
    assert len(attempt(rm, large).reserved) == 1
    assert attempt(rm, large).last_container_number == 1
    ended = tuple(attempt(rm, small).live[number].id for number in range(1, 5))
    assert _given(beat(rm, ended=ended)) == 1
    assert rm.cluster.nodes["n1:1"].reserved is None


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
    rm = cluster(settings=MULTIPLE | settings)
    small, large = submit(rm, "a"), submit(rm, "b")
    ask(rm, small, 24)
    tick(rm)
    beat(rm)
    ask(rm, large, 2, memory_mb=memory_mb)
    tick(rm)
    assert beat(rm) == []


def test_no_node_is_held_for_who_has_its_share() -> None:
    rm = cluster(settings=MULTIPLE)
    number = submit(rm, "a")
    ask(rm, number, 24)
    tick(rm)
    beat(rm)
    ask(rm, number, 2, memory_mb=4096)
    tick(rm)
    assert beat(rm) == []


def test_switching_the_rule_off_drops_reservations() -> None:
    rm = cluster(settings=MULTIPLE)
    small, large = submit(rm, "a"), submit(rm, "b")
    ask(rm, small, 24)
    tick(rm)
    beat(rm)
    ask(rm, large, 1, memory_mb=4096)
    tick(rm)
    beat(rm)
    rm.handle(SettingsChanged({"reservation.rule": "off"}), START_MS)
    assert [type(each) for each in beat(rm)] == [Unreserved]


def test_a_reservation_that_nobody_asks_for_any_more_is_dropped_and_the_node_offered_on() -> None:
    rm = cluster(settings=MULTIPLE, nodes=1)
    small, large = submit(rm, "a"), submit(rm, "b")
    ask(rm, small, 8)
    tick(rm)
    beat(rm)
    fetch(rm, small)
    ask(rm, large, 1, memory_mb=4096)
    tick(rm)
    beat(rm)
    ask(rm, large, 0, memory_mb=4096)
    ask(rm, small, 1)
    tick(rm)
    decisions = beat(rm, ended=(attempt(rm, small).live[1].id,))
    assert [type(each) for each in decisions][-2:] == [Unreserved, Allocated]


def test_the_masters_share_counts_both_dimensions_and_rounds_up() -> None:
    """0.1 of a share of 24576 MB is 2458 MB: two masters of 1024 MB, and of 24 vcores three."""
    rm = cluster('<queue name="a"><maxAMShare>0.1</maxAMShare></queue>', settings=MULTIPLE)
    for _ in range(4):
        submit(rm, "a", am_mb=1024)
    tick(rm)
    assert _given(beat(rm)) == 2
    assert queue(rm, "root.a").used_memory_mb == 2048


def test_without_a_share_masters_go_by_what_is_free() -> None:
    """So that the first may start before any share was computed; a share of -1 is no limit."""
    rm = cluster('<queue name="a"><maxAMShare>-1.0</maxAMShare></queue><queue name="b"/>')
    leaf = queue(rm, "root.b")
    assert leaf.is_leaf
    leaves, available = scheduler(rm).tree.leaves, scheduler(rm).queues.available
    assert am_share_allows(leaves[1], 12288, 12, available)
    assert not am_share_allows(leaves[1], 12289, 12, available)
    assert am_share_allows(leaves[0], 10**9, 10**9, available)


def test_a_strict_ask_waits_for_its_host_and_passes_other_nodes_by() -> None:
    rm = cluster()
    number = submit(rm, "a")
    ask_at(rm, number, ("n2", 1), ("/r1", 1), ("*", 1), relax=False)
    tick(rm)
    assert _given(heartbeat(rm, 1).decisions) == 0
    assert _given(heartbeat(rm, 2).decisions) == 1


def test_an_ask_larger_than_a_node_is_for_another() -> None:
    rm = cluster()
    number = submit(rm, "a")
    ask(rm, number, 1, memory_mb=8192)
    rm.handle(NodeResized("n1:1", 4096, 8), START_MS)
    tick(rm)
    assert _given(heartbeat(rm, 1).decisions) == 0
    assert _given(heartbeat(rm, 2).decisions) == 1


def test_delay_scheduling_by_time_begins_with_the_first_look() -> None:
    values = {
        FAIR + "continuous-scheduling-enabled": "true",
        FAIR + "locality-delay-node-ms": "1000",
        FAIR + "locality-delay-rack-ms": "1000",
    }
    rm = cluster(settings=values)
    number = submit(rm, "a")
    ask_at(rm, number, ("far", 1), ("/far", 1), ("*", 1))
    tick(rm)
    later_ms = START_MS + 10_000
    given = [_given(heartbeat(rm, 1, later_ms + at_ms).decisions) for at_ms in (0, 1000, 1001, 2001, 2002)]
    assert given == [0, 0, 0, 0, 1]


def test_of_equally_free_nodes_a_continuous_pass_offers_only_one() -> None:
    rm = cluster(settings={FAIR + "continuous-scheduling-enabled": "true"})
    number = submit(rm, "a")
    ask(rm, number, 9)
    tick(rm)
    assert [_given(rm.run_pass("continuous", START_MS).decisions) for _ in range(3)] == [1, 2, 3]
    assert ("continuous", 5) in [(each.name, each.interval_ms) for each in rm.passes()]


def test_a_continuous_pass_that_finds_nothing_rests() -> None:
    """Until something changes; so does an update without preemption, a clean-up, and the rest of preemption."""
    rm = cluster(settings={FAIR + "continuous-scheduling-enabled": "true"})
    tick(rm)
    rm.run_pass("continuous", START_MS)
    assert all(rm.scheduler.pass_is_idle(each.name) for each in rm.passes())
    number = submit(rm, "a")
    ask(rm, number, 1)
    assert not rm.scheduler.pass_is_idle("continuous")
    assert not rm.scheduler.pass_is_idle("update")
    assert rm.scheduler.all_nodes_idle() is False


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


def test_a_killed_container_holds_its_node_until_that_reports_it() -> None:
    """Its application and queue let go of it at once; one that was never started frees its node too."""
    rm = cluster(nodes=1)
    number = submit(rm, "a")
    ask(rm, number, 2)
    tick(rm)
    beat(rm)
    fetch(rm, number)
    beat(rm)
    started = attempt(rm, number).live[1].id
    answer = rm.handle(ContainerKilled(started), START_MS)
    assert isinstance(answer.decisions[0], Killed)
    assert queue(rm, "root.a").used_memory_mb == 1024
    assert rm.cluster.nodes["n1:1"].used_memory_mb == 2048
    rm.handle(ContainerKilled(attempt(rm, number).live[2].id), START_MS)
    assert rm.cluster.nodes["n1:1"].used_memory_mb == 1024
    rm.handle(NodeHeartbeat("n1:1", (), ((started, -102),)), START_MS)
    assert started not in rm.cluster.nodes["n1:1"].containers


def test_what_was_never_fetched_is_asked_for_again_at_once() -> None:
    rm = cluster(nodes=1)
    number = submit(rm, "a")
    ask(rm, number, 1)
    tick(rm)
    beat(rm)
    assert attempt(rm, number).pending == 0
    rm.handle(ContainerKilled(attempt(rm, number).live[1].id), START_MS)
    assert attempt(rm, number).pending == 1


def test_asking_for_nothing_anywhere_takes_all_asks_of_the_priority() -> None:
    rm = cluster()
    number = submit(rm, "a")
    ask_at(rm, number, ("n1", 2), ("/r1", 2), ("*", 2))
    ask_at(rm, number, ("*", 0))
    assert [group.by_name for group in attempt(rm, number).groups.values()] == [{}]
    ask_at(rm, number, ("*", 0), ("*", 3))
    assert attempt(rm, number).pending == 3


def test_a_lost_node_takes_containers_that_had_ended_with_it() -> None:
    rm = cluster(nodes=1)
    number = submit(rm, "a")
    ask(rm, number, 1)
    tick(rm)
    beat(rm)
    fetch(rm, number)
    beat(rm)
    rm.handle(ContainerKilled(attempt(rm, number).live[1].id), START_MS)
    assert [type(each) for each in rm.handle(NodeLost("n1:1"), START_MS).decisions] == []
    assert rm.cluster.used_memory_mb == 0


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
