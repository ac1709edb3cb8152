"""Figures of policies that follow what an earlier life of the ResourceManager left, and what recovery stands before."""

from typing import Any

import pytest

from engine.control_plane.protocol import (
    ApplicationRecovered,
    ApplicationSubmitted,
    NodeContainer,
    ReservationRecovered,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.model.cluster import NO_OFFERS
from engine.model.request import Resource
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.yarn_scheduler import obstacle_before_nodes
from tests.build import START_MS, ask, attempt_of, resource_manager, submit
from tests.engine.schedulers.test_capacity_view import BOTH, SETTINGS

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
    recovery = rm.scheduler.recovery
    assert recovery is not None
    recovery.count_master(next(one for one in attempt.live.values() if one.is_am))
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
