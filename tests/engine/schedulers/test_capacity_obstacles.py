"""What stands in an application's way in the capacity scheduler: each obstacle with its numbers, in both releases."""

from collections.abc import Mapping

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask
from engine.control_plane.resource_manager import ResourceManager
from engine.model.identity import application_name
from engine.schedulers.activity import Obstacle, Reason
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
NOTHING = Obstacle(Reason.NOTHING_ASKED)


def cluster(scheduler: str, nodes: int = 1, more: Mapping[str, str] | None = None) -> ResourceManager:
    """Nodes of 8 GB, of which a and b are due half each."""
    settings = {f"{PREFIX}{key}": value for key, value in {**SETTINGS, **(more or {})}.items()}
    return resource_manager(scheduler, nodes=nodes, settings=settings)


def in_queue(rm: ResourceManager, number: int) -> Obstacle | None:
    """The obstacle of an application on every node."""
    return rm.scheduler.policy.obstacle(attempt_of(rm, number))


def on_node(rm: ResourceManager, number: int, node: int = 1) -> Obstacle | None:
    """Its obstacle on one node."""
    return rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)


@BOTH
def test_whoever_asks_for_nothing_gets_nothing(scheduler: str) -> None:
    """One that asks for something that there is has no obstacle."""
    rm = cluster(scheduler)
    number = submit(rm, "a")
    assert in_queue(rm, number) == NOTHING
    ask(rm, number, 1)
    assert (in_queue(rm, number), on_node(rm, number)) == (None, None)


@BOTH
def test_masters_wait_for_their_share_of_the_queue(scheduler: str) -> None:
    """A tenth of what the queue may use, at least one smallest container; what is used, the share, and the next."""
    rm = cluster(scheduler)
    submit(rm, "a", am_mb=1024)
    second = submit(rm, "a", am_mb=1024, user="bob")
    assert in_queue(rm, second) == Obstacle(Reason.AM_SHARE_EXHAUSTED, (1024, 1024, 1024), "root.a")


@BOTH
def test_masters_wait_for_the_share_of_their_user(scheduler: str) -> None:
    """A quarter of that of the queue, where a user's limit is; another user's master has room."""
    more = {"maximum-am-resource-percent": "0.5", "root.a.minimum-user-limit-percent": "25"}
    rm = cluster(scheduler, more={**more, "root.a.user-limit-factor": "1"})
    submit(rm, "a", am_mb=1024)
    submit(rm, "a", am_mb=1024, user="bob")
    second = submit(rm, "a", am_mb=1024)
    assert in_queue(rm, second) == Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, (1024, 1024, 1024), "ann")


@BOTH
@pytest.mark.parametrize(("taken_mb", "wanted_mb", "left_mb"), [(8192, 4096, 0), (8192, 1024, 0)])
def test_a_full_node_says_what_is_wanted_and_free(scheduler: str, taken_mb: int, wanted_mb: int, left_mb: int) -> None:
    """In memory alone where that alone counts."""
    rm = cluster(scheduler, 2, {"root.a.maximum-capacity": "100"})
    first, second = submit(rm, "a"), submit(rm, "b", user="bob")
    ask(rm, first, 1, taken_mb)
    heartbeat(rm)
    ask(rm, second, 1, wanted_mb)
    assert on_node(rm, second) == Obstacle(Reason.DOES_NOT_FIT, (wanted_mb, left_mb))
    assert on_node(rm, second, 2) is None


def held(scheduler: str) -> tuple[ResourceManager, int, int]:
    """Two nodes, the first with 3 GB free and reserved for 4 GB by the second application."""
    rm = cluster(scheduler, 2)
    first, second = submit(rm, "a"), submit(rm, "b", user="bob")
    ask(rm, first, 1, 5120)
    heartbeat(rm)
    ask(rm, second, 1, 4096)
    heartbeat(rm)
    assert rm.cluster.nodes["n1:1"].reserved is not None
    return rm, first, second


@BOTH
def test_a_reserved_node_is_in_the_way_of_the_others(scheduler: str) -> None:
    """With what is held, what is free, and who holds it; whoever holds it waits for room."""
    rm, first, second = held(scheduler)
    ask(rm, first, 1, 1024)
    holder = application_name(START_MS, second)
    assert on_node(rm, first) == Obstacle(Reason.NODE_RESERVED, (4096, 3072), holder)
    assert on_node(rm, second) == Obstacle(Reason.DOES_NOT_FIT, (4096, 3072))
    assert (on_node(rm, first, 2), on_node(rm, second, 2)) == (None, None)


@BOTH
@pytest.mark.parametrize(("used_mb", "is_over"), [(4096, True), (3072, False)])
def test_a_queue_at_its_maximum_is_in_the_way(scheduler: str, used_mb: int, is_over: bool) -> None:
    """With what it uses and may use."""
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
    """Which may be exceeded once, by the last container."""
    rm = cluster(scheduler, more={"root.a.user-limit-factor": "1"})
    number = submit(rm, "a")
    ask(rm, number, 1, used_mb)
    heartbeat(rm)
    ask(rm, number, 1, 1024)
    expected = Obstacle(Reason.USER_OVER_LIMIT, (5120, 4096), "ann")
    assert on_node(rm, number) == (expected if is_over else None)


@BOTH
@pytest.mark.parametrize("name", ["n1", "/r1"])
def test_a_node_on_the_blacklist_is_none(scheduler: str, name: str) -> None:
    """By its host or its rack."""
    rm = cluster(scheduler, 2)
    number = submit(rm, "a")
    ask(rm, number, 1)
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=(name,)), START_MS)
    other = None if name == "n1" else Obstacle(Reason.BLACKLISTED)
    assert (on_node(rm, number), on_node(rm, number, 2)) == (Obstacle(Reason.BLACKLISTED), other)


def asks(rm: ResourceManager, number: int, *places: str, relax: bool) -> None:
    """Ask for one container of 1 GB at some places, and anywhere if `relax`."""
    near = [Ask(1, place, 1024, 1, 1, relax_locality=relax or place != "/r1") for place in places]
    anywhere = Ask(1, "*", 1024, 1, 1, relax_locality=relax)
    rm.handle(ApplicationMasterHeartbeat(number, (*near, anywhere)), START_MS)


@BOTH
def test_an_ask_may_insist_on_its_host(scheduler: str) -> None:
    """Other nodes of the rack are not for it."""
    rm = cluster(scheduler, 2)
    number = submit(rm, "a")
    asks(rm, number, "n2", "/r1", relax=False)
    assert (on_node(rm, number), on_node(rm, number, 2)) == (Obstacle(Reason.LOCALITY_NOT_RELAXED), None)


@BOTH
def test_an_ask_waits_for_its_host(scheduler: str) -> None:
    """One offer is let pass; another node of the rack will do then."""
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


@BOTH
def test_the_first_priority_decides(scheduler: str) -> None:
    """Where nothing of the first fits on a node at all, the next is looked at."""
    rm = cluster(scheduler, 2)
    number = submit(rm, "a")
    near = Ask(1, "n2", 1024, 1, 1)
    rack, anywhere = Ask(1, "/r1", 1024, 1, 1, relax_locality=False), Ask(1, "*", 1024, 1, 1, relax_locality=False)
    rm.handle(ApplicationMasterHeartbeat(number, (near, rack, anywhere)), START_MS)
    assert on_node(rm, number) == Obstacle(Reason.LOCALITY_NOT_RELAXED)
    ask(rm, number, 1, 1024, priority=2)
    assert on_node(rm, number) is None


@pytest.mark.parametrize(("limit", "key"), [("queue root.a", "root.a.max-parallel-apps"), ("user ann", "user.max")])
def test_applications_beyond_a_parallel_limit_are_held_back(limit: str, key: str) -> None:
    """Of the queue, or of the user; only 3.4 has them."""
    name = "user.ann.max-parallel-apps" if key == "user.max" else key
    rm = cluster("capacity-3.4", more={name: "1"})
    first, second = submit(rm, "a"), submit(rm, "a")
    for number in (first, second):
        ask(rm, number, 1)
    assert in_queue(rm, first) is None
    assert in_queue(rm, second) == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (1, 1), limit)
