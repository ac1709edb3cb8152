"""What is said to stand in an application's way under 3.x, by probe and by recorder."""

from engine.control_plane.protocol import ApplicationMasterHeartbeat, NodeResized
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.ledger import Attempt, Node
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import START_MS, ask, fetch, submit
from tests.engine.schedulers.fair34.build import FAIR, MULTIPLE, ask_at, attempt, beat, cluster, scheduler, tick
from tests.engine.schedulers.fair34.test_preemption import LATE, full


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
    rm = cluster(settings=MULTIPLE)
    small, large = submit(rm, "a"), submit(rm, "b")
    ask(rm, small, 24)
    tick(rm)
    beat(rm)
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
    rm = cluster(settings=MULTIPLE, nodes=1)
    small, large = submit(rm, "a"), submit(rm, "b")
    ask(rm, small, 8)
    tick(rm)
    beat(rm)
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
