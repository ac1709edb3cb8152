"""`/info` and `/metrics`: the ResourceManager itself, and the cluster as a whole.

Source: ClusterInfo, ClusterMetricsInfo, Hadoop 2.7.2 and 3.4.1. Differs: what machines really use is not simulated, so
the utilised amounts of 3.4.1 are 0.
"""

from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from typing import Final, NamedTuple

from engine.model.ledger import Application, Attempt
from engine.serve.fields import Document, Field, Table, amount, constant, written
from engine.serve.served import ServedCluster

_STORES: Final = {True: "FileSystemRMStateStore", False: "NullRMStateStore"}
_STORE_PACKAGE: Final = "org.apache.hadoop.yarn.server.resourcemanager.recovery."

INFO: Final[Table[ServedCluster]] = (
    Field("id", attrgetter("cluster.cluster_timestamp")),
    Field("startedOn", attrgetter("cluster.cluster_timestamp")),
    Field("state", constant("STARTED")),
    Field("haState", constant("ACTIVE")),
    Field("rmStateStoreName", lambda one: _STORE_PACKAGE + _STORES[one.rm.recovery.settings.enabled]),
    Field("resourceManagerVersion", attrgetter("release.version")),
    Field("resourceManagerBuildVersion", attrgetter("release.build")),
    Field("resourceManagerVersionBuiltOn", attrgetter("release.built_on")),
    Field("hadoopVersion", attrgetter("release.version")),
    Field(
        "hadoopBuildVersion",
        lambda one: f"{one.release.build.rpartition(' ')[0]} {one.release.common_checksum}",
    ),
    Field("hadoopVersionBuiltOn", attrgetter("release.common_built_on")),
    Field("haZooKeeperConnectionState", attrgetter("release.elector")),
)


class ClusterTotals(NamedTuple):
    """The figures of `/metrics`, of the default partition where there are partitions."""

    served: ServedCluster
    ended: Counter[str]
    """By QueueMetrics' names, since the start."""
    pending: int
    running: int
    available: tuple[int, int]
    allocated: tuple[int, int]
    reserved: tuple[int, int]
    wanted: tuple[int, int]
    containers: tuple[int, int, int]
    """Allocated, reserved, pending."""
    nodes: Counter[str]
    """By state."""

    @property
    def total(self) -> tuple[int, int]:
        """Total of the cluster: with CapacityScheduler of 3.4.1 reservations are counted apart."""
        parts = [self.available, self.allocated]
        if self.served.release.is_34 and self.served.scheduler_kind == "capacity":
            parts.append(self.reserved)
        return sum(each[0] for each in parts), sum(each[1] for each in parts)


def _pair(name: str, place: int) -> Callable[[ClusterTotals], int]:
    def read(totals: ClusterTotals) -> int:
        part: tuple[int, ...] = getattr(totals, name)
        return part[place]

    return read


def _ended(name: str) -> Callable[[ClusterTotals], int]:
    return lambda totals: totals.ended[name]


def in_state(state: str) -> Callable[[ClusterTotals], int]:
    """Reads how many nodes are in a state."""
    return lambda totals: totals.nodes[state]


def _across(*names: str) -> Callable[[ClusterTotals], Document | None]:
    """Totals over all partitions; only CapacityScheduler has them."""

    def read(totals: ClusterTotals) -> Document | None:
        served = totals.served
        if served.scheduler_kind != "capacity":
            return None
        figures = served.view.figures()
        parts = [getattr(figures, name) for name in names]
        return amount(served.release, sum(part[0] for part in parts), sum(part[1] for part in parts))

    return read


def _is_capacity(totals: ClusterTotals) -> bool:
    return totals.served.scheduler_kind == "capacity"


METRICS: Final[Table[ClusterTotals]] = (
    Field("appsSubmitted", _ended("AppsSubmitted")),
    Field("appsCompleted", _ended("AppsCompleted")),
    Field("appsPending", attrgetter("pending")),
    Field("appsRunning", attrgetter("running")),
    Field("appsFailed", _ended("AppsFailed")),
    Field("appsKilled", _ended("AppsKilled")),
    Field("reservedMB", _pair("reserved", 0)),
    Field("availableMB", _pair("available", 0)),
    Field("allocatedMB", _pair("allocated", 0)),
    Field("pendingMB", _pair("wanted", 0), since_34=True),
    Field("reservedVirtualCores", _pair("reserved", 1)),
    Field("availableVirtualCores", _pair("available", 1)),
    Field("allocatedVirtualCores", _pair("allocated", 1)),
    Field("pendingVirtualCores", _pair("wanted", 1), since_34=True),
    Field("containersAllocated", _pair("containers", 0)),
    Field("containersReserved", _pair("containers", 1)),
    Field("containersPending", _pair("containers", 2)),
    Field("totalMB", _pair("total", 0)),
    Field("utilizedMB", constant(0), since_34=True),
    Field("totalVirtualCores", _pair("total", 1)),
    Field("utilizedVirtualCores", constant(0), since_34=True),
    Field("utilizedMBPercent", constant(0), since_34=True),
    Field("utilizedVirtualCoresPercent", constant(0), since_34=True),
    Field("rmSchedulerBusyPercent", constant(0), since_34=True),
    Field("totalNodes", lambda totals: totals.nodes.total()),
    Field("lostNodes", in_state("LOST")),
    Field("unhealthyNodes", in_state("UNHEALTHY")),
    Field("decommissioningNodes", constant(0), since_34=True),
    Field("decommissionedNodes", in_state("DECOMMISSIONED")),
    Field("rebootedNodes", in_state("REBOOTED")),
    Field("activeNodes", in_state("RUNNING")),
    Field("shutdownNodes", constant(0), since_34=True),
    Field("containerAssignedPerSecond", constant(0), since_34=True),
    Field("totalUsedResourcesAcrossPartition", _across("used", "reserved"), since_34=True),
    Field("totalClusterResourcesAcrossPartition", _across("total"), since_34=True),
    Field("totalReservedResourcesAcrossPartition", _across("reserved"), since_34=True),
    Field(
        "totalAllocatedContainersAcrossPartition",
        lambda totals: totals.served.cluster.live if _is_capacity(totals) else 0,
        since_34=True,
    ),
    Field("crossPartitionMetricsAvailable", _is_capacity, since_34=True),
    Field("rmEventQueueSize", constant(0), since_34=True),
    Field("schedulerEventQueueSize", constant(0), since_34=True),
)


def info(served: ServedCluster) -> Document:
    """`/ws/v1/cluster/info`."""
    return written(INFO, served, served.release)


def metrics(served: ServedCluster) -> Document:
    """`/ws/v1/cluster/metrics`."""
    return written(METRICS, cluster_totals(served), served.release)


def cluster_totals(served: ServedCluster) -> ClusterTotals:
    """Read the figures of the ResourceManager at this instant."""
    cluster = served.cluster
    attempts = [each.attempt for each in cluster.applications.values() if each.attempt is not None]
    pending = sum(waits_for_first(each.application) for each in attempts)
    labelled = {node.id for node in cluster.nodes.values() if node.partition}
    total = (cluster.total_memory_mb, cluster.total_vcores)
    allocated = (cluster.metrics_memory_mb, cluster.metrics_vcores)
    reserved = served.view.policy.reserved()
    counts = (cluster.live, cluster.reservations)
    if labelled:
        total, allocated, reserved, counts = _default_partition(served)
    taken = reserved if served.scheduler_kind == "capacity" else (0, 0)
    ended: Counter[str] = Counter()
    for (what, _, _), count in served.past.counts.items():
        ended[what] += count
    return ClusterTotals(
        served=served,
        ended=ended,
        pending=pending,
        running=len(attempts) - pending,
        available=(total[0] - allocated[0] - taken[0], total[1] - allocated[1] - taken[1]),
        allocated=allocated,
        reserved=(reserved[0], reserved[1]),
        wanted=wanted(attempts),
        containers=(*counts, sum(each.pending for each in attempts)),
        nodes=Counter(node.state for node in served.nodes()),
    )


def _default_partition(
    served: ServedCluster,
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Total, allocated, reserved, and (containers, reservations) on nodes without a label."""
    nodes = [node for node in served.cluster.nodes.values() if not node.partition]
    held = [node.reserved for node in nodes if node.reserved is not None]
    live = [each for node in nodes for each in node.containers.values() if each.id[2] in each.attempt.live]
    return (
        (sum(node.total_memory_mb for node in nodes), sum(node.total_vcores for node in nodes)),
        (sum(each.memory_mb for each in live), sum(each.vcores for each in live)),
        (sum(each.memory_mb for each in held), sum(each.vcores for each in held)),
        (len(live), len(held)),
    )


def waits_for_first(application: Application) -> bool:
    """True if no live attempt of it was given a container yet; QueueMetrics counts it as pending."""
    attempt = application.attempt
    return attempt is not None and attempt.master is None and not attempt.live


def wanted(attempts: list[Attempt]) -> tuple[int, int]:
    """Sum up the unmet asks of attempts anywhere: memory [MB] and vcores."""
    asks = [
        group.anywhere
        for attempt in attempts
        for group in attempt.groups.values()
        if group.anywhere is not None and group.anywhere.count > 0
    ]
    return sum(ask.memory_mb * ask.count for ask in asks), sum(ask.vcores * ask.count for ask in asks)
