"""The one queue of the FIFO scheduler: who is in it, in which order, and what stands in the way on a node."""

import pytest

from engine.control_plane.protocol import ApplicationFinished, ApplicationMasterHeartbeat
from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.fifo import FifoScheduler
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit

BOTH = pytest.mark.parametrize("scheduler", ["fifo", "fifo-3.4"])


def policy(rm: ResourceManager) -> FifoScheduler:
    """The scheduler itself."""
    found = rm.scheduler.policy
    assert isinstance(found, FifoScheduler)
    return found


@BOTH
def test_attempts_stand_in_order_of_their_numbers(scheduler: str) -> None:
    """An ended one is gone; new ones are noted until an offer has seen them."""
    rm = resource_manager(scheduler)
    numbers = [submit(rm, "any") for _ in range(3)]
    queue = policy(rm).applications
    assert [one.application.number for one in queue.attempts] == numbers
    assert list(queue.new) == numbers
    assert {rm.cluster.applications[number].queue for number in numbers} == {"default"}
    rm.handle(ApplicationFinished(numbers[1], "FINISHED"), START_MS)
    assert [one.application.number for one in queue.attempts] == [numbers[0], numbers[2]]
    assert list(queue.new) == [numbers[0], numbers[2]]


@BOTH
def test_headroom_is_what_was_free_at_the_last_offer(scheduler: str) -> None:
    """Nothing for one that came since."""
    rm = resource_manager(scheduler, nodes=1)
    first = submit(rm)
    ask(rm, first, 1, 3072)
    heartbeat(rm)
    second = submit(rm)
    headrooms = [policy(rm).headroom(attempt_of(rm, number)).memory_mb for number in (first, second)]
    assert headrooms == [5120, 0]


def on_node(rm: ResourceManager, number: int) -> Obstacle | None:
    """The obstacle of an application on the only node."""
    return policy(rm).obstacle_on(attempt_of(rm, number), rm.cluster.nodes["n1:1"], START_MS)


@BOTH
@pytest.mark.parametrize(
    ("free_mb", "wanted_mb", "found"),
    [
        (8192, 8192, None),
        (5120, 5120, None),
        (4096, 5120, Obstacle(Reason.DOES_NOT_FIT, (5120, 4096))),
        (4096, 8192, Obstacle(Reason.DOES_NOT_FIT, (8192, 4096))),
    ],
)
def test_memory_alone_stands_in_the_way(scheduler: str, free_mb: int, wanted_mb: int, found: Obstacle | None) -> None:
    """What is wanted, and what is free."""
    rm = resource_manager(scheduler, nodes=1)
    first, second = submit(rm), submit(rm)
    if free_mb < 8192:
        ask(rm, first, 1, 8192 - free_mb)
        heartbeat(rm)
    ask(rm, second, 1, wanted_mb, 4)
    assert policy(rm).obstacle(attempt_of(rm, second)) is None
    assert on_node(rm, second) == found


@BOTH
def test_a_small_node_and_a_blacklisted_one_are_told(scheduler: str) -> None:
    """The blacklist comes first; one that asks for nothing has no other obstacle."""
    rm = resource_manager(scheduler, nodes=1)
    number = submit(rm)
    assert policy(rm).obstacle(attempt_of(rm, number)) == Obstacle(Reason.NOTHING_ASKED)
    ask(rm, number, 1, 8192)
    rm.cluster.nodes["n1:1"].total_memory_mb = 8191
    rm.cluster.nodes["n1:1"].free_memory_mb = 8191
    found = on_node(rm, number)
    assert found is not None
    assert (found.reason, found.numbers[:2]) == (Reason.NODE_TOO_SMALL, (8192, 8191))
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=("n9",)), START_MS)
    assert on_node(rm, number) == found
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=("n1",)), START_MS)
    assert on_node(rm, number) == Obstacle(Reason.BLACKLISTED)
