"""What stands in an application's way in the capacity scheduler: each obstacle with its numbers, in both releases."""

from collections.abc import Mapping

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask
from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit
from tests.engine.schedulers.test_capacity_view import BOTH, PREFIX

SETTINGS = {
    "root.queues": "a,b",
    "root.a.capacity": "50",
    "root.a.maximum-capacity": "75",
    "root.b.capacity": "50",
    "root.a.user-limit-factor": "10",
    "root.b.user-limit-factor": "10",
}


def cluster(scheduler: str, nodes: int = 1, more: Mapping[str, str] | None = None) -> ResourceManager:
    """Nodes of 8 GB, of which a and b are due half each."""
    settings = {f"{PREFIX}{key}": value for key, value in {**SETTINGS, **(more or {})}.items()}
    return resource_manager(scheduler, nodes=nodes, settings=settings)


def in_queue(rm: ResourceManager, number: int) -> Obstacle | None:
    return rm.scheduler.policy.obstacle(attempt_of(rm, number))


def on_node(rm: ResourceManager, number: int, node: int = 1) -> Obstacle | None:
    return rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)


@BOTH
@pytest.mark.parametrize(("taken_mb", "wanted_mb", "left_mb"), [(8192, 4096, 0), (8192, 1024, 0)])
def test_a_full_node_says_what_is_wanted_and_free(scheduler: str, taken_mb: int, wanted_mb: int, left_mb: int) -> None:
    rm = cluster(scheduler, 2, {"root.a.maximum-capacity": "100"})
    first, second = submit(rm, "a"), submit(rm, "b", user="bob")
    ask(rm, first, 1, taken_mb)
    heartbeat(rm)
    ask(rm, second, 1, wanted_mb)
    assert on_node(rm, second) == Obstacle(Reason.DOES_NOT_FIT, (wanted_mb, left_mb))
    assert on_node(rm, second, 2) is None


@BOTH
@pytest.mark.parametrize(("used_mb", "is_over"), [(4096, True), (3072, False)])
def test_a_queue_at_its_maximum_is_in_the_way(scheduler: str, used_mb: int, is_over: bool) -> None:
    rm = cluster(scheduler, more={"root.a.maximum-capacity": "50"})
    number = submit(rm, "a")
    ask(rm, number, 1, used_mb)
    heartbeat(rm)
    ask(rm, number, 1, 1024)
    found = on_node(rm, number)
    assert (found is not None) == is_over
    if found is not None:
        assert (found.reason, found.numbers[:2], found.subject) == (
            Reason.QUEUE_OVER_MAXIMUM,
            (4096, 4096),
            "root.a",
        )


@BOTH
@pytest.mark.parametrize(("used_mb", "is_over"), [(5120, True), (4096, False)])
def test_a_user_beyond_the_limit_is_in_the_way(scheduler: str, used_mb: int, is_over: bool) -> None:
    rm = cluster(scheduler, more={"root.a.user-limit-factor": "1"})
    number = submit(rm, "a")
    ask(rm, number, 1, used_mb)
    heartbeat(rm)
    ask(rm, number, 1, 1024)
    expected = Obstacle(Reason.USER_OVER_LIMIT, (5120, 4096), "ann")
    assert on_node(rm, number) == (expected if is_over else None)


def asks(rm: ResourceManager, number: int, *places: str, relax: bool) -> None:
    """Ask for one container of 1 GB at some places, and anywhere if `relax`."""
    near = [Ask(1, place, 1024, 1, 1, relax_locality=relax or place != "/r1") for place in places]
    anywhere = Ask(1, "*", 1024, 1, 1, relax_locality=relax)
    rm.handle(ApplicationMasterHeartbeat(number, (*near, anywhere)), START_MS)


@BOTH
def test_an_ask_waits_for_its_host(scheduler: str) -> None:
    rm = cluster(scheduler, 2, {"node-locality-delay": "1"})
    number = submit(rm, "a")
    asks(rm, number, "n2", "/r1", relax=True)
    found = on_node(rm, number)
    assert found is not None
    assert (found.reason, found.numbers[1:]) == (Reason.DELAY_SCHEDULING, (1,))
    assert on_node(rm, number, 2) is None
    heartbeat(rm)
    assert attempt_of(rm, number).live == {}
    assert on_node(rm, number) is None
    heartbeat(rm)
    assert len(attempt_of(rm, number).live) == 1


@pytest.mark.parametrize(("limit", "key"), [("queue root.a", "root.a.max-parallel-apps"), ("user ann", "user.max")])
def test_applications_beyond_a_parallel_limit_are_held_back(limit: str, key: str) -> None:
    name = "user.ann.max-parallel-apps" if key == "user.max" else key
    rm = cluster("capacity-3.4", more={name: "1"})
    first, second = submit(rm, "a"), submit(rm, "a")
    for number in (first, second):
        ask(rm, number, 1)
    assert in_queue(rm, first) is None
    assert in_queue(rm, second) == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (1, 1), limit)
