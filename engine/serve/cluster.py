"""`/info` and `/metrics`: the ResourceManager itself, and the cluster as a whole.

Source: ClusterInfo, ClusterMetricsInfo, Hadoop 2.7.2 and 3.4.1. Differs: what machines really use is not simulated, so
the utilised amounts of 3.4.1 are 0.

Differs: `/conf` has only the keys of the scenario; a real one has Hadoop's defaults and its addresses, too.

Source: NodeInfo, RMWebServices#getNodes, Hadoop 2.7.2 and 3.4.1. Differs: what machines really use is not simulated,
so every utilisation of 3.4.1 is 0.

Source: ConfServlet, Configuration.writeXml, RMWebServices.getSchedulerConfiguration, 2.7.2 and 3.4.1.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from engine.model.ledger import Application, Attempt, Node
from engine.observe.documents import Document
from engine.serve.apps import first
from engine.serve.served import NODE_HTTP_PORT, ServedCluster
from engine.serve.wire import (
    RELEASE_34,
    DocumentAnswer,
    Field,
    HttpAnswer,
    HttpQuestion,
    Table,
    amount,
    constant,
    illegal_argument,
    json_bytes,
    not_found,
    without_odd,
    written,
)
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.site import SCHEDULER_CLASS, SCHEDULER_CLASSES

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
    Field("hadoopBuildVersion", lambda one: f"{one.release.build.rpartition(' ')[0]} {one.release.common_checksum}"),
    Field("hadoopVersionBuiltOn", attrgetter("release.common_built_on")),
    Field("haZooKeeperConnectionState", attrgetter("release.elector")),
)


class ClusterTotals(NamedTuple):
    """The figures of `/metrics`, of the default partition where there are partitions."""

    served: ServedCluster
    ended: Counter[str]  # By QueueMetrics' names, since the start
    pending: int
    running: int
    available: tuple[int, int]
    allocated: tuple[int, int]
    reserved: tuple[int, int]
    wanted: tuple[int, int]
    containers: tuple[int, int, int]  # Allocated, reserved, pending
    nodes: Counter[str]  # By state

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
    return lambda totals: totals.nodes[state]


def _across(*names: str) -> Callable[[ClusterTotals], Document | None]:
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
    return written(INFO, served, served.release)


def metrics(served: ServedCluster) -> Document:
    return written(METRICS, cluster_totals(served), served.release)


def cluster_totals(served: ServedCluster) -> ClusterTotals:
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


# The configuration of a served cluster as its pages say it: `/conf`, `/scheduler-conf`.

_FILE: Final = "yarn-site.xml"


def conf(served: ServedCluster, question: HttpQuestion) -> HttpAnswer:
    """All keys, or in 3.4.1 the one that is named; as XML unless JSON is asked for."""
    settings = {SCHEDULER_CLASS.name: SCHEDULER_CLASSES[served.scheduler_kind], **served.rm.configuration.settings}
    name = first(question.query, "name") if served.release.is_34 else ""
    if name and name not in settings:
        return HttpAnswer(404, "text/plain", f"Property {name} not found".encode())
    chosen = settings if not name else {name: settings[name]}
    form = question.accept if served.release.is_34 else first(question.query, "format")
    if "json" not in form:
        return HttpAnswer(200, "text/xml; charset=utf-8", _xml(chosen))
    rows = [{"key": key, "value": value, "isFinal": False, "resource": _FILE} for key, value in chosen.items()]
    root, body = ("properties", rows) if not name else ("property", rows[0])
    return HttpAnswer(200, "application/json; charset=utf-8", json_bytes(root, body, RELEASE_34))


def _xml(settings: dict[str, str]) -> bytes:
    lines = [
        f"<property><name>{escape(key)}</name><value>{escape(without_odd(value))}</value>"
        f"<source>{_FILE}</source></property>"
        for key, value in settings.items()
    ]
    head = '<?xml version="1.0" encoding="UTF-8" standalone="no"?><configuration>'
    return "\n".join([head, *lines, "</configuration>", ""]).encode()


def scheduler_conf(served: ServedCluster) -> HttpAnswer | DocumentAnswer:
    """The keys of the Capacity Scheduler; no other one has a configuration that can be changed."""
    kind = served.scheduler_kind
    if kind == "capacity":
        settings = served.rm.configuration.settings.items()
        rows = [{"name": key, "value": value} for key, value in settings if key.startswith(PREFIX)]
        return DocumentAnswer("", {"property": rows}, is_bare=True)
    words = (
        "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath "
        f"scheduler {SCHEDULER_CLASSES[kind].rpartition('.')[2]} is not an instance of MutableConfScheduler"
    )
    return HttpAnswer(400, "text/plain", words.encode())


# `/nodes` and `/nodes/{id}`.

STATES: Final = ("NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONED", "LOST", "REBOOTED")
STATES_34: Final = (*STATES, "DECOMMISSIONING", "SHUTDOWN")
GONE: Final = frozenset({"LOST", "DECOMMISSIONED", "REBOOTED", "SHUTDOWN"})  # States in which a node has no web page
_NODES_PACKAGE: Final = "org.apache.hadoop.yarn.api.records"

_UTILISATION: Final = {
    "nodePhysicalMemoryMB": 0,
    "nodeVirtualMemoryMB": 0,
    "nodeCPUUsage": 0.0,
    "aggregatedContainersPhysicalMemoryMB": 0,
    "aggregatedContainersVirtualMemoryMB": 0,
    "containersCPUUsage": 0.0,
}


class NodeFacts(NamedTuple):
    node: Node
    served: ServedCluster
    heartbeat_ms: int

    @property
    def is_known(self) -> bool:
        return self.node.state == "RUNNING"


def _if_known(name: str) -> Callable[[NodeFacts], int]:
    read = attrgetter(name)
    return lambda facts: int(read(facts.node)) if facts.is_known else 0


def _resource(memory: str, vcores: str, *, of_known: bool = True) -> Callable[[NodeFacts], Document | None]:
    read = attrgetter(memory, vcores)
    return lambda facts: amount(facts.served.release, *read(facts.node)) if facts.is_known or not of_known else None


NODE: Final[Table[NodeFacts]] = (
    Field("rack", attrgetter("node.rack")),
    Field("state", attrgetter("node.state")),
    Field("id", attrgetter("node.id")),
    Field("nodeHostName", attrgetter("node.host")),
    Field("nodeHTTPAddress", lambda facts: "" if facts.node.state in GONE else f"{facts.node.host}:{NODE_HTTP_PORT}"),
    Field("lastHealthUpdate", attrgetter("heartbeat_ms")),
    Field("version", attrgetter("served.release.version")),
    Field("healthReport", constant("")),
    Field("numContainers", lambda facts: len(facts.node.containers) if facts.is_known else 0),
    Field("usedMemoryMB", _if_known("used_memory_mb")),
    Field("availMemoryMB", _if_known("free_memory_mb")),
    Field("usedVirtualCores", _if_known("used_vcores")),
    Field("availableVirtualCores", _if_known("free_vcores")),
    Field("memUtilization", constant(0.0), since_34=True),
    Field("cpuUtilization", constant(0.0), since_34=True),
    Field("numRunningOpportContainers", constant(0), since_34=True),
    Field("usedMemoryOpportGB", constant(0), since_34=True),
    Field("usedVirtualCoresOpport", constant(0), since_34=True),
    Field("numQueuedContainers", constant(0), since_34=True),
    Field("nodeLabels", lambda facts: [facts.node.partition] if facts.node.partition else None),
    Field("allocationTags", constant({}), since_34=True),
    Field("resourceUtilization", constant(_UTILISATION), since_34=True),
    Field("usedResource", _resource("used_memory_mb", "used_vcores"), since_34=True),
    Field("availableResource", _resource("free_memory_mb", "free_vcores"), since_34=True),
    Field("nodeAttributesInfo", constant({}), since_34=True),
    Field("totalResource", _resource("total_memory_mb", "total_vcores", of_known=False), since_34=True),
)


def nodes(served: ServedCluster, states: str = "") -> Document:
    """Those in some states (separated by commas) or all. Raises RestError if there is no such state."""
    wanted = set(_states(served, states.split(","))) if states else None
    found = [node for node in served.nodes() if wanted is None or node.state in wanted]
    rows = _rows(served, found)
    return {"node": rows} if rows else {}


def node(served: ServedCluster, node_id: str) -> Document:
    """`/ws/v1/cluster/nodes/{id}`. Raises RestError if there is none, or it is no id."""
    if node_id.count(":") != 1:
        raise illegal_argument(f"Invalid NodeId [{node_id}]. Expected host:port")
    known = served.cluster.nodes.get(node_id) or served.cluster.down.get(node_id)
    if known is None:
        raise not_found(f"nodeId, {node_id}, is not found")
    return _rows(served, [known])[0]


def _rows(served: ServedCluster, found: Iterable[Node]) -> list[Document]:
    heartbeats = served.heartbeats()
    facts = (NodeFacts(served.reported(each), served, heartbeats.get(each.id, 0)) for each in found)
    return [written(NODE, each, served.release) for each in facts]


def _states(served: ServedCluster, names: Iterable[str]) -> Iterable[str]:
    known = STATES_34 if served.release.is_34 else STATES
    for name in names:
        if name.upper() not in known:
            raise illegal_argument(f"No enum constant {_NODES_PACKAGE}.NodeState.{name.upper()}")
        yield name.upper()


def node_labels(served: ServedCluster) -> Document | None:
    """The partitions there are; 2.7.2 says nothing where there is none."""
    names = sorted({node.partition for node in served.nodes() if node.partition})
    if not names:
        return {} if served.release.is_34 else None
    if not served.release.is_34:
        return {"nodeLabels": names[0] if len(names) == 1 else names}
    found = []
    for name in names:
        up = [node for node in served.nodes() if node.partition == name and node.state == "RUNNING"]
        total = amount(served.release, sum(node.total_memory_mb for node in up), sum(node.total_vcores for node in up))
        found.append({**_label(name), "partitionInfo": {"resourceAvailable": total}})
    return {"nodeLabelInfo": found[0] if len(found) == 1 else found}


def node_to_labels(served: ServedCluster) -> Document:
    """Nodes that have a label, with it.

    Differs: `/get-node-to-labels` has each node once, by its full id; a real server also lists labels given to a whole
    host, as `HOST:0`.
    """
    labelled = {node.id: node.partition for node in served.nodes() if node.partition}
    is_34 = served.release.is_34
    entries = [
        {"key": name, "value": {"nodeLabelInfo": _label(label)} if is_34 else {"nodeLabels": label}}
        for name, label in labelled.items()
    ]
    if not entries:
        return {"nodeToLabels": None}
    return {"nodeToLabels": {"entry": entries[0] if len(entries) == 1 else entries}}


def _label(name: str) -> Document:
    return {"name": name, "exclusivity": "true"}
