"""What really runs on a node, and when the control plane hears of it."""

from engine.control_plane.protocol import Grant, NodeContainer
from engine.fork import fork
from engine.model.decision import ContainerId
from engine.simulation.node_manager import TERMINATED, NodeManager
from engine.state import declared
from engine.workload.master import HELD

FIRST, SECOND = (1, 1, 2), (1, 1, 3)


def grant(container: ContainerId, created_ms: int = 7) -> Grant:
    return Grant(container, "n1:8041", 3, 1024, 1, created_ms)


def node() -> NodeManager:
    return NodeManager(0, "n1:8041", "/r1", 16384, 16, "")


def running(*containers: tuple[int, int, int]) -> NodeManager:
    """A member on which these containers run and have been reported."""
    one = node()
    one.member = True
    for container in containers:
        one.launch(grant(container), HELD, 0)
        one.begin(container)
    one.report()
    return one


def test_a_launched_container_is_reported_once() -> None:
    one = node()
    one.launch(grant(FIRST), 5000, 0)

    begun = one.begin(FIRST)

    assert begun == (5000, 0)
    assert [one.report(), one.report()] == [((FIRST,), ()), ((), ())]


def test_a_dead_node_launches_nothing() -> None:
    one = node()
    one.up = False

    assert not one.launch(grant(FIRST), HELD, 0)
    assert one.begin(FIRST) is None


def test_an_end_is_reported_with_its_status() -> None:
    one = running(FIRST)

    assert one.end(FIRST, 1)
    assert one.report() == ((), ((FIRST, 1),))


def test_what_does_not_run_cannot_end() -> None:
    assert not running().end(FIRST, 0)


def test_orders_stop_containers_and_the_next_report_says_so() -> None:
    """An ordered container is terminated; one that has ended already is not reported twice."""
    one = running(FIRST, SECOND)
    one.end(SECOND, 0)

    one.stop([FIRST, SECOND])

    assert one.report() == ((), ((SECOND, 0), (FIRST, TERMINATED)))
    assert one.running == {}


def test_a_launch_can_be_stopped_before_it_succeeds() -> None:
    one = node()
    one.launch(grant(FIRST), HELD, 0)

    one.stop([FIRST])

    assert one.begin(FIRST) is None


def test_what_must_be_told_makes_a_report() -> None:
    quiet, started, ended, ordered, draining, sick = (running(FIRST) for _ in range(6))
    started.started.append(SECOND)
    ended.end(FIRST, 0)
    ordered.orders.append(FIRST)
    draining.draining = True
    sick.healthy = False

    assert [one.has_report() for one in (quiet, started, ended, ordered, draining, sick)] == [False] + [True] * 5


def test_a_dying_node_forgets_everything() -> None:
    one = running(FIRST)
    one.end(FIRST, 0)
    life = one.life

    one.lose_everything()

    assert (one.report(), one.running, one.life) == (((), ()), {}, life + 1)


def test_load_counts_what_is_launched_too() -> None:
    one = running(FIRST)
    one.launch(Grant(SECOND, one.id, 1, 2048, 3), HELD, 0)

    assert one.load() == (3072, 4)


def test_a_fork_is_independent_and_complete() -> None:
    one = running(FIRST)
    copy = fork(one)

    copy.end(FIRST, 0)

    assert list(one.running) == [FIRST]
    assert [name for name in declared(NodeManager) if not hasattr(copy, name)] == []


def test_a_node_that_registers_again_names_what_it_holds_and_what_has_ended_once() -> None:
    """Containers that run or are being launched come with priority, size and instant, ended ones with their status."""
    one = running(FIRST, SECOND)
    one.launch(grant((1, 1, 4), 9), HELD, 0)
    one.end(FIRST, 1)

    assert one.known_containers() == (
        NodeContainer(SECOND, 3, 1024, 1, 7),
        NodeContainer((1, 1, 4), 3, 1024, 1, 9),
        NodeContainer(FIRST, 0, 0, 0, 0, 1),
    )
    assert one.completed == []
