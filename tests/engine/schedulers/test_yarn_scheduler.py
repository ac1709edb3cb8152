"""What YARN's schedulers have in common: offers without heartbeats, calculators, properties, recovery."""

from typing import Any

import pytest

from engine.control_plane.protocol import (
    ApplicationRecovered,
    ApplicationSubmitted,
    NodeContainer,
    NodeHeartbeat,
    Pass,
    ReservationRecovered,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.model.cluster import NO_OFFERS
from engine.model.decision import Allocated
from engine.model.ledger import Attempt
from engine.model.request import Resource
from engine.schedulers.capacity.properties import NO_LABEL, DecidingProperties
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.interface import Setting
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.yarn_scheduler import obstacle_before_nodes
from engine.settings.capacity import CAPACITY_34
from tests.build import START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit
from tests.build.capacity import BOTH, CAPACITY, SETTINGS

ASYNCHRONOUS = {
    f"{CAPACITY}schedule-asynchronously.enable": "true",
    f"{CAPACITY}schedule-asynchronously.scheduling-interval-ms": "100",
    f"{CAPACITY}schedule-asynchronously.maximum-threads": "4",
    f"{CAPACITY}maximum-am-resource-percent": "1",
    f"{CAPACITY}root.default.user-limit-factor": "4",
}


def _waiting(scheduler: str, containers: int) -> tuple[ResourceManager, int]:
    """Three nodes that were heard of now, and an application that wants containers."""
    rm = resource_manager(scheduler, nodes=3, settings=ASYNCHRONOUS)
    number = submit(rm)
    ask(rm, number, containers)
    return rm, number


def _round(rm: ResourceManager, after_ms: int = 0) -> list[str]:
    decisions = rm.run_pass("schedule", START_MS + after_ms).decisions
    return [each.node for each in decisions if isinstance(each, Allocated)]


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_a_heartbeat_gives_nothing(scheduler: str) -> None:
    rm, number = _waiting(scheduler, 1)

    assert heartbeat(rm).decisions == ()
    assert _round(rm) == ["n1:1"]
    [granted] = fetch(rm, number).granted
    rm.handle(NodeHeartbeat("n1:1", (granted.container,)), START_MS)
    rm.handle(NodeHeartbeat("n1:1", (), ((granted.container, 0),)), START_MS)
    assert rm.cluster.nodes["n1:1"].containers == {}


@pytest.mark.parametrize(("scheduler", "interval_ms"), [("capacity-2.7", 100), ("capacity-3.4", 25)])
def test_threads_make_rounds_come_more_often(scheduler: str, interval_ms: int) -> None:
    rm, _ = _waiting(scheduler, 1)

    assert Pass("schedule", interval_ms) in rm.passes()


def test_a_round_begins_one_node_after_the_former_and_comes_back_to_it() -> None:
    """In 3.4.1 each node is offered once, and the first one again at the end."""
    rm, _ = _waiting("capacity-3.4", 8)

    assert _round(rm) == ["n1:1", "n2:1", "n3:1", "n1:1"]
    assert _round(rm) == ["n2:1", "n3:1", "n1:1", "n2:1"]


def test_a_round_of_2_7_2_ends_with_all_nodes() -> None:
    rm, _ = _waiting("capacity-2.7", 20)

    assert _round(rm) == ["n1:1", "n2:1", "n3:1", "n1:1", "n2:1", "n3:1"]


def test_a_silent_node_is_passed_by() -> None:
    """3.4.1 offers no node that missed two heartbeats; 2000 ms are still no silence."""
    rm, _ = _waiting("capacity-3.4", 8)
    rm.handle(NodeHeartbeat("n2:1"), START_MS + 1)

    assert _round(rm, 2000)[:3] == ["n1:1", "n2:1", "n3:1"]
    assert _round(rm, 2001) == ["n2:1", "n2:1"]


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_rounds_rest_when_nobody_wants_anything(scheduler: str) -> None:
    """Once a round came to nothing, the next one need not be run before something changes."""
    rm, _ = _waiting(scheduler, 1)
    _round(rm)
    _round(rm)
    _round(rm)

    assert rm.pass_is_idle("schedule")


def test_heartbeats_are_heard_even_if_nothing_happens() -> None:
    """3.4.1 tells by them who is alive, so none of them may be left out."""
    rm, _ = _waiting("capacity-3.4", 1)
    _round(rm)
    _round(rm)

    assert not rm.heartbeat_is_idle("n1:1")
    assert not rm.all_nodes_idle()


# Which property of capacity-scheduler.xml is named behind an obstacle, with which value.

VALUES = {
    f"{CAPACITY}{key}": value
    for key, value in {
        "root.p.x.user-limit-factor": "2",
        "root.p.x.minimum-user-limit-percent": "25",
        "root.p.maximum-capacity": "80",
        "root.p.x.max-parallel-apps": "7",
        "root.p.x.ordering-policy": "fair",
        "user.bob.max-parallel-apps": "3",
        "user.max-parallel-apps": "9",
        "maximum-am-resource-percent": "0.2",
        "root.accessible-node-labels": "gpu,ssd",
        "root.a.accessible-node-labels": " ",
        "node-locality-delay": "5",
    }.items()
}


def attempt() -> Attempt:
    rm = resource_manager("capacity-3.4", settings=SETTINGS)
    return attempt_of(rm, submit(rm, "x"))


@pytest.mark.parametrize(
    ("obstacle", "factor", "setting"),
    [
        (Obstacle(Reason.DELAY_SCHEDULING, (1, 2)), False, ("node-locality-delay", "5")),
        (Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), "root.p.x"), False, ("root.accessible-node-labels", "gpu,ssd")),
        (Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), "root.a"), False, ("root.a.accessible-node-labels", NO_LABEL)),
        (Obstacle(Reason.USER_OVER_LIMIT, (1, 2), "ann"), True, ("root.p.x.user-limit-factor", "2")),
        (Obstacle(Reason.USER_OVER_LIMIT, (1, 2), "ann"), False, ("root.p.x.minimum-user-limit-percent", "25")),
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (1, 2), "root.p"), False, ("root.p.maximum-capacity", "80")),
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (1, 2), "root.p.x"), False, ("root.p.x.maximum-capacity", "100")),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (7, 7), "queue root.p.x"), False, ("root.p.x.max-parallel-apps", "7")),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (9, 9), "user ann"), False, ("user.max-parallel-apps", "9")),
        (Obstacle(Reason.AM_SHARE_EXHAUSTED, (1, 2, 3), "root.p.x"), False, ("maximum-am-resource-percent", "0.2")),
        (Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, (1, 2, 3), "ann"), False, ("maximum-am-resource-percent", "0.2")),
        (Obstacle(Reason.OTHER_FIRST), False, ("root.p.x.ordering-policy", "fair")),
        (Obstacle(Reason.DOES_NOT_FIT, (2, 1)), False, None),
        (Obstacle(Reason.NODE_RESERVED), True, None),
    ],
)
def test_the_property_behind_an_obstacle(obstacle: Obstacle, factor: bool, setting: tuple[str, str] | None) -> None:
    """That of the queue or user it is about, the common one where only that is set, or none."""
    found = DecidingProperties(VALUES, CAPACITY_34).behind(attempt(), obstacle, factor_decides=factor)
    assert found == (None if setting is None else Setting(f"{CAPACITY}{setting[0]}", setting[1]))


@pytest.mark.parametrize(
    ("reason", "first", "keys"),
    [
        (Reason.QUEUE_OVER_MAXIMUM, "root.p.maximum-capacity", ["root.p.x.maximum-capacity"]),
        (Reason.QUEUE_OVER_MAXIMUM, "root.p.x.maximum-capacity", ["root.p.maximum-capacity"]),
        (
            Reason.USER_OVER_LIMIT,
            "root.p.x.user-limit-factor",
            ["root.p.x.minimum-user-limit-percent", "root.p.x.maximum-capacity", "root.p.maximum-capacity"],
        ),
        (
            Reason.AM_SHARE_EXHAUSTED,
            "maximum-am-resource-percent",
            ["root.p.x.maximum-capacity", "root.p.maximum-capacity"],
        ),
        (
            Reason.USER_AM_SHARE_EXHAUSTED,
            "maximum-am-resource-percent",
            [
                "root.p.x.user-limit-factor",
                "root.p.x.minimum-user-limit-percent",
                "root.p.x.maximum-capacity",
                "root.p.maximum-capacity",
            ],
        ),
        (Reason.DOES_NOT_FIT, "", []),
    ],
)
def test_further_properties_that_a_limit_follows_from(reason: Reason, first: str, keys: list[str]) -> None:
    """All but the first; of queues above only their maximum, and nothing of root."""
    properties = DecidingProperties(VALUES, CAPACITY_34)
    value = VALUES.get(f"{CAPACITY}{first}", "100")
    found = properties.others("root.p.x", reason, Setting(f"{CAPACITY}{first}", value))
    assert [each.key.removeprefix(CAPACITY) for each in found] == keys


# Figures of policies that follow what an earlier life of the ResourceManager left, and what recovery stands before.

MASTER = ("n1:1", NodeContainer((7, 1, 1), 0, 1024, 1, START_MS))
WORKER = ("n2:1", NodeContainer((7, 1, 2), 4, 2048, 2, START_MS))


def recover(rm: ResourceManager, queue: str, *, has_master: bool = True) -> None:
    """Application 7 of Ann, with its master of 1 GB and a container of 2 GB."""
    submission = ApplicationSubmitted("ann", queue, Resource(1024, 1), 7)
    containers = (MASTER, WORKER) if has_master else (WORKER,)
    answer = rm.handle(ApplicationRecovered(submission, START_MS, 1, has_master, None, containers, 5), START_MS)
    assert answer.rejected == ""


def used(rm: ResourceManager) -> dict[str, tuple[int, object]]:
    view = rm.scheduler.policy.view()
    return {row.path: (view.used_memory_mb(row.path) or 0, row.containers) for row in view.queues()}


def paid(rm: ResourceManager) -> dict[str, int]:
    """By queue, the memory of the default partition that counts against its limits."""
    rows: Any = rm.scheduler.policy.view().queues()
    return {row.path: row.partitions[0].used[0] for row in rows}


@BOTH
def test_queues_pay_for_what_came_back(scheduler: str) -> None:
    rm = resource_manager(scheduler, settings=SETTINGS)
    recover(rm, "x" if scheduler == "capacity-2.7" else "root.p.x")
    assert used(rm) == {
        "root": (3072, 2),
        "root.a": (0, 0),
        "root.p": (3072, 2),
        "root.p.x": (3072, 2),
        "root.p.y": (0, 0),
    }


@BOTH
def test_a_recovered_reservation_is_paid_for_as_a_container(scheduler: str) -> None:
    rm = resource_manager(scheduler, settings=SETTINGS)
    recover(rm, "x" if scheduler == "capacity-2.7" else "root.p.x")
    before = paid(rm)
    ask(rm, 7, 1, 4096, priority=4)
    answer = rm.handle(ReservationRecovered(7, "n3:1", 4, 4096, 1, START_MS), START_MS)
    assert answer.rejected == ""
    after = paid(rm)
    assert rm.scheduler.policy.view().reserved() == (4096, 1)
    assert rm.cluster.nodes["n3:1"].reserved is not None
    assert {path: after[path] - before[path] for path in after if after[path] != before[path]} == dict.fromkeys(
        ("root", "root.p", "root.p.x"), 4096
    )


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4"])
def test_a_recovered_master_counts_for_its_leaf(scheduler: str) -> None:
    rm = resource_manager(scheduler, queues='<queue name="a"/>')
    recover(rm, "root.a")
    attempt = attempt_of(rm, 7)
    assert isinstance(attempt, FairAttempt)
    assert (attempt.queue.am_memory_mb, attempt.queue.am_vcores) == (1024, 1)
    rm.scheduler.policy.count_master(next(one for one in attempt.live.values() if one.is_am))
    assert (attempt.queue.am_memory_mb, attempt.queue.am_vcores) == (1024, 1)


@pytest.mark.parametrize(
    ("offers_after_ms", "recovered", "asks", "reason"),
    [
        (NO_OFFERS, False, True, Reason.NO_RESOURCE_MANAGER),
        (NO_OFFERS, True, True, Reason.NO_RESOURCE_MANAGER),
        (NO_OFFERS, True, False, Reason.MASTER_NOT_BACK),
        (NO_OFFERS, False, False, Reason.NOTHING_ASKED),
        (0, False, True, Reason.RECOVERY_WAIT),
        (START_MS, False, True, Reason.RECOVERY_WAIT),
        (0, True, True, Reason.MASTER_NOT_BACK),
        (0, False, False, Reason.NOTHING_ASKED),
    ],
)
def test_recovery_stands_before_the_policy(offers_after_ms: int, recovered: bool, asks: bool, reason: Reason) -> None:
    """Nobody answers, the master is not back, or nothing is offered yet, in this order."""
    rm = resource_manager("fifo")
    number = submit(rm)
    if asks:
        ask(rm, number, 1)
    rm.cluster.offers_after_ms = offers_after_ms
    attempt = attempt_of(rm, number)
    attempt.recovered = recovered
    assert obstacle_before_nodes(rm.scheduler, attempt) == Obstacle(reason)
