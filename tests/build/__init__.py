"""Builders that read as sentences: a small ResourceManager with nodes, queues and applications."""

from collections.abc import Mapping, Sequence

import pytest

from engine.control_plane.protocol import (
    Answer,
    ApplicationMasterHeartbeat,
    ApplicationSubmitted,
    Ask,
    NodeHeartbeat,
    NodeJoined,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.formats.fair_files import read_fair_scheduler
from engine.model.ledger import Attempt
from engine.model.request import Resource

START_MS = 1_510_360_200_000
"""A cluster timestamp, and the clock of the tests."""

START_UP = {"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "-1"}
"""No start-up period, so that the biggest node counts at once."""

SCHEDULERS = ("fifo", "fifo-3.4", "fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4")
"""All of YARN's."""
EVERY_SCHEDULER = pytest.mark.parametrize("scheduler", SCHEDULERS)

ONE_QUEUE = {"yarn.scheduler.capacity.root.queues": "default", "yarn.scheduler.capacity.root.default.capacity": "100"}
"""What the capacity scheduler's file says as Hadoop ships it."""


def resource_manager(
    scheduler: str = "fair-2.7",
    *,
    nodes: int = 3,
    memory_mb: int = 8192,
    vcores: int = 8,
    settings: Mapping[str, str] | None = None,
    queues: str = "",
    groups: Mapping[str, Sequence[str]] | None = None,
    follow_attempts: bool = True,
) -> ResourceManager:
    """A ResourceManager with nodes `n1:1` … on one rack; `queues` is the inside of an allocation file."""
    conf = {**START_UP, **(ONE_QUEUE if scheduler.startswith("capacity") else {}), **(settings or {})}
    era = "3.4" if scheduler.endswith("3.4") else "2.7"
    text = f"<allocations>{queues}</allocations>"
    loaded = read_fair_scheduler(text, settings=conf, era=era).allocation if queues else None
    rm = ResourceManager(
        conf,
        loaded,
        scheduler=scheduler,
        groups=groups,
        cluster_timestamp=START_MS,
        now_ms=START_MS,
        follow_attempts=follow_attempts,
    )
    rm.scheduler.policy.maximum.ask(2 * START_MS)  # the start-up period is over
    for number in range(1, nodes + 1):
        rm.handle(NodeJoined(f"n{number}:1", "/r1", memory_mb, vcores), START_MS)
    return rm


def submit(rm: ResourceManager, queue: str | None = None, *, user: str = "ann", am_mb: int | None = None) -> int:
    """Submit an application, unmanaged unless `am_mb` is given; its number."""
    am = Resource(am_mb, 1) if am_mb is not None else None
    answer = rm.handle(ApplicationSubmitted(user, queue, am), START_MS)
    assert not answer.rejected, answer.detail
    assert answer.application is not None
    return answer.application


def ask(rm: ResourceManager, number: int, count: int, memory_mb: int = 1024, vcores: int = 1, **more: object) -> Answer:
    """An AM call that asks for containers anywhere."""
    asks = (Ask(int(str(more.get("priority", 1))), "*", memory_mb, vcores, count),)
    return rm.handle(ApplicationMasterHeartbeat(number, asks), START_MS)


def fetch(rm: ResourceManager, number: int) -> Answer:
    return rm.handle(ApplicationMasterHeartbeat(number), START_MS)


def heartbeat(rm: ResourceManager, node: int = 1, now_ms: int = START_MS) -> Answer:
    """A heartbeat of node `n<node>` with nothing to report."""
    return rm.handle(NodeHeartbeat(f"n{node}:1"), now_ms)


def update(rm: ResourceManager, now_ms: int = START_MS) -> None:
    """One update pass, where the policy has one."""
    for a_pass in rm.passes():
        if a_pass.name == "update":
            rm.run_pass("update", now_ms)


def attempt_of(rm: ResourceManager, number: int) -> Attempt:
    attempt = rm.cluster.applications[number].attempt
    assert attempt is not None
    return attempt
