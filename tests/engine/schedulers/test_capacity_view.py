"""What observers are told of the capacity scheduler: its queues as rows, its order, what offers are let pass."""

from typing import Any

import pytest

from engine.control_plane.protocol import ApplicationMasterRegistered, NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.model.java_number import float32
from engine.model.ledger import Attempt
from engine.schedulers.capacity.view import CapacityQueueRow, PartitionUse
from engine.schedulers.scheduler_view import UNKNOWN
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
    """What its policy tells observers."""
    return rm.scheduler.policy.view()


def used_by(rm: ResourceManager, number: int) -> tuple[int, int]:
    """What an application holds."""
    live = list(attempt_of(rm, number).live.values())
    return sum(each.memory_mb for each in live), sum(each.vcores for each in live)


@BOTH
def test_a_leaf_is_a_row_with_its_capacities(scheduler: str) -> None:
    """By memory alone vcores mean nothing in a limit; used is what its applications hold."""
    rm, (first, second, third) = scene(scheduler)
    rows = {row.path: row for row in view_of(rm).queues()}
    used = tuple(map(sum, zip(used_by(rm, second), used_by(rm, third), strict=True)))
    containers = len(attempt_of(rm, second).live) + len(attempt_of(rm, third).live)
    running = 2 if scheduler == "capacity-3.4" else 0

    assert rows["root.p.x"] == CapacityQueueRow(
        path="root.p.x",
        depth=2,
        is_leaf=True,
        policy="fifo",
        used=used,
        max_share=(24_576,),
        reserved=(0, 0),
        applications_running=running,
        applications_pending=2 - running,
        containers=containers,
        guaranteed=(6_144,),
        used_capacity=float32(used[0] / 6_144),
        state="RUNNING",
        user_limit=(6_144,),
        am_used=(3_072, 2),
        am_limit=(12_288,),
        partitions=(PartitionUse("", 0.25, 1.0, (6_144,), (24_576,), used),),
    )
    assert containers > 0
    assert (rows["root.a"].used, rows["root.a"].applications_running) == (used_by(rm, first), 1)


@BOTH
def test_a_parent_sums_up_what_is_under_it(scheduler: str) -> None:
    """It has no limit of a user or of masters; siblings come by name."""
    rm, _ = scene(scheduler)
    rows = {row.path: row for row in view_of(rm).queues()}
    root, a, p = rows["root"], rows["root.a"], rows["root.p"]

    assert list(rows) == ["root", "root.a", "root.p", "root.p.x", "root.p.y"]
    assert [row.depth for row in rows.values()] == [0, 1, 1, 2, 2]
    assert [row.is_leaf for row in rows.values()] == [False, True, False, True, True]
    for field in ("applications_running", "applications_pending", "containers"):
        assert getattr(root, field) == getattr(a, field) + getattr(p, field)
        assert getattr(p, field) == getattr(rows["root.p.x"], field)
    assert (root.user_limit, root.am_used, root.am_limit, p.user_limit) == (None, None, None, None)
    assert (root.policy, p.policy, p.weight) == ("utilization", "utilization", UNKNOWN)
    assert (a.max_share, a.guaranteed, a.am_limit) == ((18_432,), (12_288,), (9_216,))
    assert root.partitions == (PartitionUse("", 1.0, 1.0, (24_576,), (24_576,), root.used),)
    assert a.partitions == (PartitionUse("", 0.5, 0.75, (12_288,), (18_432,), a.used),)
    assert [row.state for row in rows.values()] == ["RUNNING"] * 4 + ["STOPPED"]


@BOTH
def test_what_is_granted_has_names(scheduler: str) -> None:
    """Its guarantee and its limits."""
    rows = {row.path: row for row in view_of(scene(scheduler)[0]).queues()}
    assert rows["root.p.x"].granted == {
        "guaranteed": (6_144,),
        "maximum": (24_576,),
        "user limit": (6_144,),
        "AM limit": (12_288,),
    }
    assert rows["root"].granted["user limit"] is None


@BOTH
def test_by_both_dimensions_limits_have_both(scheduler: str) -> None:
    """Where the calculator is that of dominant resources."""
    rm, _ = scene(scheduler, resource_calculator="org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")
    view = view_of(rm)
    rows = {row.path: row for row in view.queues()}
    assert view.counts_vcores
    assert (rows["root.a"].guaranteed, rows["root.a"].max_share) == ((12_288, 12), (18_432, 18))


@BOTH
def test_use_and_names_are_told_by_path(scheduler: str) -> None:
    """Nothing is used in a queue that is not there; 2.7.2 names a queue by the end of its path."""
    rm, (first, second, third) = scene(scheduler)
    view = view_of(rm)
    in_a, in_x = used_by(rm, first)[0], used_by(rm, second)[0] + used_by(rm, third)[0]

    paths = ("root", "root.a", "root.p", "root.p.x", "root.p.y", "root.gone", "x")
    assert [view.used_memory_mb(path) for path in paths] == [in_a + in_x, in_a, in_x, in_x, 0, 0, 0]
    assert view.queue_name("root.p.x") == ("x" if scheduler == "capacity-2.7" else "root.p.x")
    assert (view.reserved(), view.reservation_rule(), view.allocation()) == ((0, 0), "", None)
    assert view.properties()[f"{PREFIX}root.a.capacity"] == "50"


@BOTH
def test_it_tells_whether_containers_are_preempted(scheduler: str) -> None:
    """As its monitor is on or off."""
    assert view_of(scene(scheduler)[0]).preemption() is False
    on = resource_manager(scheduler, settings={**SETTINGS, "yarn.resourcemanager.scheduler.monitor.enable": "true"})
    assert view_of(on).preemption() is True


@BOTH
def test_settings_that_change_are_listed(scheduler: str) -> None:
    """The switch of preemption first, then those of a queue."""
    names = view_of(scene(scheduler)[0]).settings()
    assert names[:3] == ("preemption", "queue.<path>.capacity", "queue.<path>.maximum-capacity")
    assert ("queue.<path>.ordering-policy" in names) == (scheduler == "capacity-3.4")


@BOTH
@pytest.mark.parametrize("order", ["fifo", "fair"])
def test_whoever_comes_first_is_first_in_a_queue_of_that_order(scheduler: str, order: str) -> None:
    """2.7.2 knows no other."""
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
    """Whichever is more, and one."""
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
    """That of nodes and that of racks beyond it."""
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
