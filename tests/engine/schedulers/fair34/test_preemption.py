"""Who is starved in 3.x, what is taken back for it, and who gets it."""

from collections.abc import Callable

import pytest

from engine.control_plane.protocol import ApplicationFinished, NodeJoined, NodeLost
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.cluster import hash_map_order, node_id_hash
from engine.model.decision import Allocated, Decision, Killed, Warned
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf
from engine.schedulers.fair34.node_promises import (
    NodePromises,
    StarvedApps,
    is_starved,
    min_share_starvation,
    update_fair_share_starvation,
    update_starved,
)
from engine.schedulers.fair34.preemption import starved_asks
from engine.schedulers.fair34.scheduler import FairScheduler34
from tests.build import START_MS, ask, fetch, heartbeat, resource_manager, submit, update
from tests.engine.schedulers.fair34.build import FAIR, MULTIPLE, ask_at, attempt, beat, cluster, queue, scheduler, tick

SETTINGS = MULTIPLE | {
    FAIR + "preemption": "true",
    FAIR + "preemption.cluster-utilization-threshold": "0.5",
    FAIR + "waitTimeBeforeKill": "2000",
    FAIR + "waitTimeBeforeNextStarvationCheck": "3000",
}
QUEUES = """<queue name="a"/><queue name="b"><minResources>2048 mb, 1 vcores</minResources></queue>
<defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout>
<defaultFairSharePreemptionTimeout>5</defaultFairSharePreemptionTimeout>
<defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>"""
HOG, LATE = 1, 2


def full(
    queues: str = QUEUES,
    *,
    nodes: int = 1,
    hog: str = "a",
    am_mb: int | None = None,
    settings: dict[str, str] | None = None,
) -> ResourceManager:
    """A cluster filled by one application, and another that waits from the start on for two containers of 1024 MB."""
    rm = cluster(queues, nodes=nodes, settings=SETTINGS | (settings or {}))
    submit(rm, hog, am_mb=am_mb)
    if am_mb is not None:
        tick(rm)
        beat(rm)
        fetch(rm, HOG)
    ask(rm, HOG, 8 * nodes - (am_mb is not None))
    tick(rm)
    beat(rm)
    fetch(rm, HOG)
    beat(rm)
    submit(rm, "b")
    ask(rm, LATE, 2)
    tick(rm)
    return rm


def _kinds(decisions: list[Decision]) -> list[type]:
    return [type(each) for each in decisions]


def test_containers_are_picked_marked_killed_and_handed_over() -> None:
    """For a queue below its minimum; the node's space comes when it reports, and goes to the starved one first."""
    rm = full()
    assert tick(rm, START_MS + 900) == []
    picked = tick(rm, START_MS + 1000)
    assert _kinds(picked) == [Warned, Warned]
    assert len(fetch(rm, HOG).to_be_preempted) == 2
    assert tick(rm, START_MS + 2900) == []
    killed = tick(rm, START_MS + 3000)
    assert _kinds(killed) == [Killed, Killed]
    assert attempt(rm, HOG).used_memory_mb == 6144
    assert beat(rm, START_MS + 3100) == []
    ended = tuple(one.container for one in killed if isinstance(one, Killed))
    ask(rm, HOG, 4)
    given = beat(rm, START_MS + 4100, ended=ended)
    assert [each.container[0] for each in given if isinstance(each, Allocated)] == [LATE, LATE]
    assert scheduler(rm).promises.count == 0


def test_an_application_is_left_alone_for_a_while_after_a_pick() -> None:
    """The wait for the kill and for the next look, even though it is as starved as before."""
    rm = full()
    tick(rm, START_MS + 1000)
    ask(rm, LATE, 5)
    assert _kinds(tick(rm, START_MS + 3000)) == [Killed, Killed]
    assert tick(rm, START_MS + 5900) == []
    assert _kinds(tick(rm, START_MS + 6000)).count(Warned) > 0


def test_nothing_is_picked_while_the_cluster_is_not_busy_or_preemption_is_off() -> None:
    assert tick(full(settings={FAIR + "preemption.cluster-utilization-threshold": "1.0"}), START_MS + 9000) == []
    assert tick(full(settings={FAIR + "preemption": "false"}), START_MS + 9000) == []


def test_starvation_of_fair_share_belongs_to_applications() -> None:
    """Also within a leaf: the second application of the same queue is helped up to the threshold of its share."""
    timeout = "<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>"
    threshold = "<defaultFairSharePreemptionThreshold>0.5</defaultFairSharePreemptionThreshold>"
    rm = full('<queue name="a"/><queue name="b"/>' + timeout + threshold, hog="b")
    ask(rm, LATE, 8)
    tick(rm, START_MS + 100)
    assert _kinds(tick(rm, START_MS + 1100)) == [Warned, Warned]


@pytest.mark.parametrize("change", ["forbidden", "at its share", "is the master"])
def test_a_container_that_may_not_go_stays(change: str) -> None:
    """Where the queue forbids it, the application would fall below its share, or it is an AM that is protected."""
    if change == "forbidden":
        rm = full(
            QUEUES.replace(
                '<queue name="a"/>', '<queue name="a"><allowPreemptionFrom>false</allowPreemptionFrom></queue>'
            )
        )
        assert tick(rm, START_MS + 1000) == []
    elif change == "at its share":
        rm = full(
            QUEUES.replace(
                '<queue name="a"/>', '<queue name="a"><minResources>8192 mb, 1 vcores</minResources></queue>'
            )
        )
        assert tick(rm, START_MS + 1000) == []
    else:
        rm = full(am_mb=1024, settings={FAIR + "am.preemption": "false"})
        picked = tick(rm, START_MS + 1000)
        assert {one.container[2] for one in picked if isinstance(one, Warned)}.isdisjoint({1})


def test_masters_go_last() -> None:
    """The whole node is needed, so its AM goes too, as the last of the list."""
    rm = full(QUEUES.replace("2048 mb", "8192 mb"), am_mb=1024)
    ask(rm, LATE, 0)
    ask(rm, LATE, 1, memory_mb=8192)
    scheduler(rm).tree.queues["root.b"].weight = 1000.0
    tick(rm, START_MS + 100)
    picked = [one.container[2] for one in tick(rm, START_MS + 1100) if isinstance(one, Warned)]
    assert picked == sorted(picked, key=lambda number: number == 1)
    assert picked[-1] == 1


def test_what_was_promised_is_dropped_when_the_application_ends_or_the_node_leaves() -> None:
    rm = full()
    tick(rm, START_MS + 1000)
    assert scheduler(rm).promises.count == 1
    rm.handle(ApplicationFinished(LATE, "KILLED"), START_MS + 1500)
    beat(rm, START_MS + 1600)
    assert scheduler(rm).promises.count == 0
    other = full()
    tick(other, START_MS + 1000)
    other.handle(NodeLost("n1:1"), START_MS + 1500)
    assert scheduler(other).promises.count == 0


def test_a_fork_in_the_middle_goes_on_alike() -> None:
    rm = full()
    tick(rm, START_MS + 1000)
    fork = forked(rm)
    assert tick(fork, START_MS + 3000) == tick(rm, START_MS + 3000) != []
    assert scheduler(fork).promises.count == 1
    assert scheduler(fork).pass_is_idle("due_kills")


def test_asks_count_at_one_level_of_locality_on_each_rack() -> None:
    rm = cluster(nodes=2)
    number = submit(rm, "a")
    ask_at(rm, number, ("n1", 2), ("/r1", 2), ("*", 2), ("gone", 1))
    starved = attempt(rm, number)
    starved.starved_memory_mb, starved.starved_vcores = 9000, 9
    names = [each.resource_name for each in starved_asks(starved, scheduler(rm).nodes)]
    assert sorted(names) in (["*"], ["n1"], ["/r1"])
    ask_at(rm, number, ("*", 0))
    ask_at(rm, number, ("/r1", 1))
    assert [each.resource_name for each in starved_asks(starved, scheduler(rm).nodes)] == ["/r1"]
    ask_at(rm, number, ("n1", 3))
    assert len(starved_asks(starved, scheduler(rm).nodes)) == 1


def test_asks_are_cut_to_the_starvation() -> None:
    rm = cluster()
    number = submit(rm, "a")
    ask(rm, number, 5)
    starved = attempt(rm, number)
    starved.starved_memory_mb = 2500
    assert [(each.containers, each.relax_locality) for each in starved_asks(starved, scheduler(rm).nodes)] == [
        (2, True)
    ]
    starved.starved_memory_mb = 900
    assert starved_asks(starved, scheduler(rm).nodes) == []


def test_the_queue_of_the_starved_is_javas() -> None:
    rm = cluster()
    starved = StarvedApps()
    numbers = [submit(rm, "a") for _ in range(7)]
    for number, memory_mb in zip(numbers, (5, 3, 8, 1, 9, 2, 7), strict=True):
        one = attempt(rm, number)
        one.starved_memory_mb = memory_mb
        starved.add(one)
        starved.add(one)
    taken = []
    while (one_taken := starved.take()) is not None:
        taken.append(one_taken.starved_memory_mb)
    assert taken == [1, 2, 3, 5, 7, 8, 9]


def test_an_application_that_wants_more_than_is_left_of_the_minimum_is_given_the_rest_of_its_wish() -> None:
    rm = full(QUEUES.replace("2048 mb, 1 vcores", "2048 mb, 0 vcores"))
    ask(rm, LATE, 5)
    tick(rm, START_MS + 100)
    tick(rm, START_MS + 1100)
    assert attempt(rm, LATE).min_starved_memory_mb == 5120 - 2048
    assert queue(rm, "root.b").min_memory_mb == 2048


def test_timers_are_told() -> None:
    rm = full()
    assert scheduler(rm).longest_timer_ms() == 5000 + 5000
    assert scheduler(cluster()).longest_timer_ms() == 0


def test_elsewhere_a_set_without_masters_is_taken_if_the_ask_may_go_there() -> None:
    """The named host has only an AM to give, another node has an ordinary container."""
    rm = cluster(QUEUES.replace("2048 mb", "1024 mb"), nodes=2, memory_mb=1024, settings=SETTINGS)
    submit(rm, "a", am_mb=1024)
    tick(rm)
    given = [one.node for one in beat(rm) if isinstance(one, Allocated)]
    fetch(rm, HOG)
    ask(rm, HOG, 1)
    tick(rm)
    beat(rm)
    fetch(rm, HOG)
    beat(rm)
    submit(rm, "b")
    scheduler(rm).tree.queues["root.b"].weight = 1000.0
    ask_at(rm, LATE, (given[0].partition(":")[0], 1), ("*", 1))
    tick(rm, START_MS + 100)
    picked = [one.node for one in tick(rm, START_MS + 1100) if isinstance(one, Warned)]
    assert picked != given
    assert len(picked) == 1


# By how much applications and leaves of 3.x are starved, at the boundaries of their shares and timeouts.

TOTAL = (24_576, 24)


def _scene(applications: int = 1) -> tuple[FairLeaf, list[FairAttempt]]:
    """A leaf at half of its share as threshold, with applications that want 4096 MB and 4 vcores and have nothing."""
    rm = cluster()
    numbers = [submit(rm, "a") for _ in range(applications)]
    for number in numbers:
        ask(rm, number, 4)
    update(rm)
    leaf = queue(rm, "root.a")
    assert isinstance(leaf, FairLeaf)
    leaf.threshold, leaf.fair_share_timeout_ms, leaf.min_share_timeout_ms = 0.5, 5_000, 3_000
    attempts = [attempt(rm, number) for number in numbers]
    for one in attempts:
        one.fair_memory_mb, one.fair_vcores = 6_000, 6
    return leaf, attempts


@pytest.mark.parametrize(
    ("change", "starved"),
    [
        (lambda one: None, (3_000, 3)),
        (lambda one: one.charge(1_024, 1), (1_976, 2)),
        (lambda one: one.charge(2_999, 3), (1, 0)),
        (lambda one: one.charge(3_000, 0), (0, 0)),
        (lambda one: setattr(one, "demand_memory_mb", 100), (100, 3)),
        (lambda one: setattr(one, "demand_vcores", 1), (3_000, 1)),
    ],
)
def test_an_application_is_starved_up_to_the_threshold_or_what_it_wants(
    change: Callable[[FairAttempt], None], starved: tuple[int, int]
) -> None:
    _, (one,) = _scene()
    change(one)
    update_fair_share_starvation(one, TOTAL, START_MS + 5_000)

    assert (one.starved_memory_mb, one.starved_vcores) == starved


def test_an_application_is_starved_from_the_timeout_on() -> None:
    _, (one,) = _scene()
    found = []
    for ms in (4_999, 5_000):
        update_fair_share_starvation(one, TOTAL, START_MS + ms)
        found.append(one.starved_memory_mb)
    one.charge(3_000, 3)
    update_fair_share_starvation(one, TOTAL, START_MS + 6_000)
    one.charge(-3_000, -3)
    for ms in (10_999, 11_000):
        update_fair_share_starvation(one, TOTAL, START_MS + ms)
        found.append(one.starved_memory_mb)

    assert found == [0, 3_000, 0, 3_000]


@pytest.mark.parametrize(
    ("minimum", "demand", "used", "starved"),
    [
        ((2_000, 2), (4_096, 4), (0, 0), (2_000, 2)),
        ((2_000, 2), (1_000, 1), (0, 0), (1_000, 1)),
        ((2_000, 2), (4_096, 4), (500, 1), (1_500, 1)),
        ((2_000, 2), (4_096, 4), (2_000, 1), (0, 1)),
        ((2_000, 2), (4_096, 4), (3_000, 2), (0, 0)),
    ],
)
def test_a_leaf_misses_what_it_wants_of_its_minimum(
    minimum: tuple[int, int], demand: tuple[int, int], used: tuple[int, int], starved: tuple[int, int]
) -> None:
    leaf, _ = _scene()
    leaf.min_memory_mb, leaf.min_vcores = minimum
    leaf.demand_memory_mb, leaf.demand_vcores = demand
    leaf.used_memory_mb, leaf.used_vcores = used
    leaf.last_min_share_ms = START_MS

    assert min_share_starvation(leaf, START_MS + 2_999) == (0, 0)
    if starved != (0, 0):
        assert leaf.last_min_share_ms == START_MS
    assert min_share_starvation(leaf, START_MS + 3_000) == starved


def test_a_missing_minimum_is_handed_out_in_order() -> None:
    """The last one is given what it wants less what is left, as in Hadoop; who comes after it nothing."""
    leaf, attempts = _scene(3)
    leaf.min_memory_mb, leaf.min_vcores = 5_096, 7
    leaf.demand_memory_mb, leaf.demand_vcores = 12_288, 12
    leaf.fair_share_timeout_ms = 10**9
    attempts[2].min_starved_memory_mb = attempts[2].min_starved_vcores = 9
    starved = StarvedApps()
    changed = [update_starved(leaf, starved, TOTAL, START_MS + 3_000) for _ in range(2)]

    assert [(one.min_starved_memory_mb, one.min_starved_vcores) for one in attempts] == [(4_096, 4), (3_096, 1), (0, 0)]
    assert (set(starved.heap.items), changed) == (set(attempts[:2]), [True, False])


def test_what_is_starved_of_fair_share_is_no_missing_minimum() -> None:
    leaf, (one,) = _scene()
    leaf.min_memory_mb, leaf.min_vcores = 3_500, 5
    leaf.demand_memory_mb, leaf.demand_vcores = 4_096, 6
    one.demand_vcores = 6
    update_starved(leaf, StarvedApps(), TOTAL, START_MS + 5_000)

    assert (one.starved_memory_mb, one.starved_vcores) == (3_000, 3)
    assert (one.min_starved_memory_mb, one.min_starved_vcores) == (596, 1)
    assert one.starvation == (3_596, 4)


def test_who_was_helped_lately_is_not_looked_at() -> None:
    leaf, (one,) = _scene()
    one.next_check_ms = START_MS + 6_000
    starved = StarvedApps()
    found = []
    for ms in (5_999, 6_000):
        _ = update_starved(leaf, starved, TOTAL, START_MS + ms)
        found.append(len(starved.heap.items))

    assert found == [0, 1]


def test_the_first_that_is_not_starved_ends_the_look() -> None:
    leaf, (first, second) = _scene(2)
    first.charge(3_000, 3)
    first.demand_memory_mb = 4_096
    order = [standing.member for standing in leaf.order.sort(leaf.policy)]
    starved = StarvedApps()
    _ = update_starved(leaf, starved, TOTAL, START_MS + 5_000)

    assert order == [second, first]
    assert starved.heap.items == [second]


def test_who_is_below_its_share_or_its_queues_minimum_is_starved() -> None:
    _, (one,) = _scene()
    found = [is_starved(one, TOTAL)]
    one.charge(6_000, 0)
    found.append(is_starved(one, TOTAL))
    for name in ("min_starved_memory_mb", "min_starved_vcores"):
        setattr(one, name, 1)
        found.append(is_starved(one, TOTAL))
        setattr(one, name, 0)

    assert found == [True, False, True, True]


def test_smaller_starvation_is_helped_first() -> None:
    _, attempts = _scene(4)
    for one, memory_mb in zip(attempts, (4_000, 2_000, 3_000, 1_000), strict=True):
        one.starved_memory_mb = memory_mb
    starved = StarvedApps()
    for one in (*attempts, attempts[0]):
        starved.add(one)
    taken = [starved.take() for _ in range(5)]

    assert taken == [attempts[3], attempts[1], attempts[2], attempts[0], None]


# What was taken back on a node, and for whom: who keeps it until the node is offered.

PROMISE_TOTAL = (8192, 8)


def _promised() -> tuple[ResourceManager, NodePromises, FairAttempt]:
    """A cluster in which two containers of one node are picked for the late application, and it alone."""
    rm = full()
    tick(rm, START_MS + 1000)
    late = attempt(rm, LATE)
    late.starved_memory_mb, late.starved_vcores = 1, 0
    late.min_starved_memory_mb = late.min_starved_vcores = 0
    late.used_memory_mb, late.fair_memory_mb = 4095, 4096
    return rm, scheduler(rm).promises, late


def test_a_starved_application_keeps_what_is_promised_to_it() -> None:
    rm, promises, late = _promised()

    assert promises.still_promised(rm.cluster.nodes["n1:1"], PROMISE_TOTAL) == [(late, (2048, 2))]
    assert promises.count == 1


def test_an_application_of_no_starvation_loses_it() -> None:
    """Although it is below its fair share at this moment: its starvation was not counted."""
    rm, promises, late = _promised()
    late.starved_memory_mb = 0

    assert promises.still_promised(rm.cluster.nodes["n1:1"], PROMISE_TOTAL) == []
    assert promises.count == 0


def test_an_application_that_reached_its_fair_share_loses_it() -> None:
    rm, promises, late = _promised()
    late.used_memory_mb = 4096

    assert promises.still_promised(rm.cluster.nodes["n1:1"], PROMISE_TOTAL) == []
    assert promises.count == 0


def test_starvation_of_the_queues_minimum_keeps_it_above_the_fair_share() -> None:
    rm, promises, late = _promised()
    late.used_memory_mb = 4096
    late.starved_memory_mb = 0
    late.min_starved_vcores = 1

    assert promises.still_promised(rm.cluster.nodes["n1:1"], PROMISE_TOTAL) == [(late, (2048, 2))]


def test_an_application_that_ended_loses_it() -> None:
    rm, promises, late = _promised()
    late.stopped = True

    assert promises.still_promised(rm.cluster.nodes["n1:1"], PROMISE_TOTAL) == []
    assert promises.count == 0


@pytest.mark.parametrize(("starved_mb", "kept"), [(1, 1), (0, 0)])
def test_an_offer_drops_what_is_not_promised_any_more(starved_mb: int, kept: int) -> None:
    rm, promises, late = _promised()
    late.starved_memory_mb = starved_mb
    assert not rm.heartbeat_is_idle("n1:1")

    heartbeat(rm, 1)

    assert promises.count == kept
    assert attempt(rm, HOG).used_memory_mb == 8192


# Nodes of one cluster by what asks call them, under FairScheduler 3.4.


def named(rm: ResourceManager, name: str) -> list[str]:
    policy = rm.scheduler.policy
    assert isinstance(policy, FairScheduler34)
    return [node.id for node in policy.nodes.named(name)]


def join(rm: ResourceManager, node: str, rack: str) -> None:
    rm.handle(NodeJoined(node, rack, 8192, 8), START_MS)


@pytest.mark.parametrize("count", [1, 5, 12, 13, 30])
def test_any_means_all_in_the_order_of_a_hash_map(count: int) -> None:
    rm = resource_manager("fair-3.4", nodes=1)
    for number in range(2, count + 1):
        join(rm, f"n{number}:1", "/r1")
        ids = [f"n{each}:1" for each in range(1, number + 1)]
        hashes = [node_id_hash(f"n{each}", 1) for each in range(1, number + 1)]
        assert named(rm, "*") == hash_map_order(ids, hashes, number)
