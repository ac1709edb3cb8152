"""The YARN policies there are, by the names scenarios use."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from engine.model.cluster import Cluster
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.schedulers.fifo import FifoScheduler
from engine.schedulers.interface import YarnScheduler

Make = Callable[[Cluster, Mapping[str, str], FairAllocation | None, Mapping[str, Sequence[str]], int], YarnScheduler]
"""(cluster, Hadoop settings, loaded allocation file or None, user → groups, now_ms) → scheduler."""


def _fifo(
    cluster: Cluster,
    values: Mapping[str, str],
    allocation: FairAllocation | None,
    groups: Mapping[str, Sequence[str]],
    now_ms: int,
) -> YarnScheduler:
    return FifoScheduler(cluster, values, now_ms)


def _fifo_34(
    cluster: Cluster,
    values: Mapping[str, str],
    allocation: FairAllocation | None,
    groups: Mapping[str, Sequence[str]],
    now_ms: int,
) -> YarnScheduler:
    return FifoScheduler(cluster, values, now_ms, is_34=True)


def _capacity_27(
    cluster: Cluster,
    values: Mapping[str, str],
    allocation: FairAllocation | None,
    groups: Mapping[str, Sequence[str]],
    now_ms: int,
) -> YarnScheduler:
    return CapacityScheduler27(cluster, values, groups, now_ms)


SCHEDULERS: Final[Mapping[str, Make]] = {
    "fifo": _fifo,
    "fifo-3.4": _fifo_34,
    "capacity-2.7": _capacity_27,
    "fair-2.7": FairScheduler27,
    "fair-3.4": FairScheduler34,
    "capacity-3.4": CapacityScheduler34,
}
