"""Who is starved in 3.x, what is taken back for it, and who gets it."""

import pytest

from engine.control_plane.protocol import ApplicationFinished, NodeJoined, NodeLost
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.decision import Allocated, Decision, Killed, Warned
from engine.model.identity import hash_map_order, node_id_hash
from engine.schedulers.fair34.scheduler import FairScheduler34
from tests.build import START_MS, ask, fetch, resource_manager, submit
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


def test_a_queue_is_starved_from_the_update_that_finds_it_so_though_nothing_may_be_preempted() -> None:
    """The clocks that preemption goes by stand from the queue's beginning on."""
    rm = full(settings={FAIR + "preemption": "false"})
    waits = rm.scheduler.cluster.applications[LATE].attempt
    assert waits is not None
    shortfall = [rm.view().policy.starved_queues()]
    ask(rm, LATE, 0)
    _ = tick(rm, START_MS + 50_000)
    ask(rm, LATE, 2)
    for second in (60, 90):
        _ = tick(rm, START_MS + second * 1000)
        shortfall.append(rm.view().policy.starved_queues())

    assert shortfall == [{"root.b": START_MS}, *[{"root.b": START_MS + 60_000}] * 2]
    found = rm.view().policy.shortfall(waits, START_MS + 90_000)
    assert found is not None
    assert "below its minimum share of 2048 MB for 30s" in found.sentence


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


# Nodes of one cluster by what asks call them, under FairScheduler 3.4.


def named(rm: ResourceManager, name: str) -> list[str]:
    policy = rm.scheduler.policy
    assert isinstance(policy, FairScheduler34)
    return [node.id for node in policy.nodes.named(name)]


@pytest.mark.parametrize("count", [1, 5, 12, 13, 30])
def test_any_means_all_in_the_order_of_a_hash_map(count: int) -> None:
    rm = resource_manager("fair-3.4", nodes=1)
    for number in range(2, count + 1):
        rm.handle(NodeJoined(f"n{number}:1", "/r1", 8192, 8), START_MS)
        ids = [f"n{each}:1" for each in range(1, number + 1)]
        hashes = [node_id_hash(f"n{each}", 1) for each in range(1, number + 1)]
        assert named(rm, "*") == hash_map_order(ids, hashes, number)
