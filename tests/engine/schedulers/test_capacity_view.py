"""What observers are told of the capacity scheduler: its queues as rows, its order, what offers are let pass."""

from typing import Any

import pytest

from engine.control_plane.protocol import ApplicationMasterRegistered, NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.model.ledger import Attempt
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit

PREFIX = "yarn.scheduler.capacity."
SETTINGS = {
    f"{PREFIX}{key}": value
    for key, value in {
        "root.queues": "p,a",
        "root.a.capacity": "50",
        "root.a.maximum-capacity": "75",
        "root.a.user-limit-factor": "0.5",
        "root.p.capacity": "50",
        "root.p.queues": "y,x",
        "root.p.x.capacity": "50",
        "root.p.y.capacity": "50",
        "root.p.y.state": "STOPPED",
        "node-locality-delay": "3",
        "maximum-am-resource-percent": "0.5",
    }.items()
}
"""Of three nodes of 8 GB: a is guaranteed 12 GB, x and y 6 GB each."""
BOTH = pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])


def scene(scheduler: str, **more: str) -> tuple[ResourceManager, tuple[int, int, int]]:
    """One application in a with two containers of 1 GB, two in x, of which one has its master of 1 GB."""
    settings = SETTINGS | {f"{PREFIX}{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}
    rm = resource_manager(scheduler, settings=settings)
    numbers = (submit(rm, "a"), submit(rm, "x", am_mb=1024), submit(rm, "x", am_mb=2048))
    rm.handle(ApplicationMasterRegistered(numbers[0]), START_MS)
    ask(rm, numbers[0], 2)
    heartbeat(rm, 1)
    heartbeat(rm, 2)
    heartbeat(rm, 3)
    return rm, numbers


def view_of(rm: ResourceManager) -> Any:
    return rm.scheduler.policy.view()


@BOTH
@pytest.mark.parametrize("order", ["fifo", "fair"])
def test_whoever_comes_first_is_first_in_a_queue_of_that_order(scheduler: str, order: str) -> None:
    rm, numbers = scene(scheduler, root__p__x__ordering_policy=order)
    found = [view_of(rm).is_first_come(attempt_of(rm, number)) for number in numbers]
    is_fair = order == "fair" and scheduler == "capacity-3.4"
    assert found == [True, not is_fair, not is_fair]


def waiting(scheduler: str, count: int, **more: str) -> Any:
    """The view of a scheduler with one application that wants so many containers; another wants none."""
    settings = SETTINGS | {f"{PREFIX}{key.replace('_', '-')}": value for key, value in more.items()}
    rm = resource_manager(scheduler, settings=settings)
    submit(rm, "x")
    number = submit(rm, "a")
    rm.handle(ApplicationMasterRegistered(number), START_MS)
    if count:
        ask(rm, number, count, 8192)
    return view_of(rm)


@pytest.mark.parametrize(
    ("count", "delay", "offers"), [(1, "3", 4), (3, "3", 4), (4, "3", 5), (9, "3", 10), (0, "3", 4)]
)
def test_in_2_7_an_offer_is_let_pass_for_each_container_or_the_delay(count: int, delay: str, offers: int) -> None:
    assert waiting("capacity-2.7", count, node_locality_delay=delay).delay_offers() == offers


@pytest.mark.parametrize(
    ("count", "rack_delay", "offers"),
    [(0, "-1", 0), (1, "-1", 2), (2, "-1", 3), (3, "-1", 4), (9, "-1", 4), (1, "0", 4), (9, "0", 4), (1, "1", 4)],
)
def test_in_3_4_so_many_offers_are_let_pass(count: int, rack_delay: str, offers: int) -> None:
    """One for each container or, with a delay for racks, both delays; as many as there are nodes at most, and one."""
    view = waiting("capacity-3.4", count, rack_locality_additional_delay=rack_delay)
    assert view.delay_offers() == offers


def test_on_more_nodes_the_delays_of_3_4_add_up() -> None:
    settings = {**SETTINGS, f"{PREFIX}rack-locality-additional-delay": "2"}
    rm = resource_manager("capacity-3.4", settings=settings)
    for number in range(4, 9):
        rm.handle(NodeJoined(f"n{number}:1", "/r1", 8192, 8), START_MS)
    number = submit(rm, "a")
    rm.handle(ApplicationMasterRegistered(number), START_MS)
    ask(rm, number, 9, 8192)
    attempt: Attempt = attempt_of(rm, number)
    assert attempt.pending == 9
    assert view_of(rm).delay_offers() == 3 + 2 + 1
