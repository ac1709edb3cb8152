"""The answers of a ResourceManager's REST interface, of 2.7 to 3.4, as values.

Fields that no row needs are skipped while decoding; a field that a release does not have is None. Collections are read
in every form the releases write: null, an object without the list, one object instead of a list, the bare list.

Source: org.apache.hadoop.yarn.server.resourcemanager.webapp.dao, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import msgspec

from engine.live.json_answers import Instant, Large, Percent, Whole, many, read, read_each

NOTHING: Final = msgspec.Raw(b"null")

_PARTS: Final = {"mb": "MB", "vcores": "VCores", "am": "AM"}
"""Parts of a name that are written otherwise than with one capital."""


def _server_name(field: str) -> str:
    """Return the name of a field in a server's answer.

    >>> _server_name("reserved_mb"), _server_name("vcores"), _server_name("queue_name")
    ('reservedMB', 'vCores', 'queueName')
    """
    first, *rest = field.split("_")
    name = first + "".join(_PARTS.get(part, part.capitalize()) for part in rest)
    return "vCores" if name == "vcores" else name


class RestAnswer(msgspec.Struct, frozen=True, gc=False, kw_only=True, rename=_server_name):
    """An object of an answer; fields of its class that the release does not have are None or empty."""


class ClusterInfo(RestAnswer, frozen=True, kw_only=True):
    """`/info`."""

    started_on: Instant
    """Which also is the timestamp in every id [epoch ms]."""
    ha_state: str = "ACTIVE"
    resource_manager_version: str = ""


class MetricsInfo(RestAnswer, frozen=True, kw_only=True):
    """`/metrics`, of the whole cluster."""

    reserved_mb: Whole
    allocated_mb: Whole
    total_mb: Whole
    reserved_virtual_cores: Whole
    allocated_virtual_cores: Whole
    total_virtual_cores: Whole
    containers_allocated: Whole
    containers_reserved: Whole
    containers_pending: Whole
    active_nodes: Whole


class Amount(RestAnswer, frozen=True, kw_only=True):
    """An amount of resources; 2.7 has another name for vcores in requests."""

    memory: Large
    vcores: Large | None = None
    virtual_cores: Large | None = None

    @property
    def pair(self) -> tuple[int, int]:
        """Memory [MB] and vcores."""
        return self.memory, self.vcores if self.vcores is not None else self.virtual_cores or 0


class _Priority(RestAnswer, frozen=True, kw_only=True):
    priority: Whole


class RequestInfo(RestAnswer, frozen=True, kw_only=True):
    """An ask of an application at one place and priority."""

    priority: Whole | _Priority
    resource_name: str
    capability: Amount
    num_containers: Whole
    relax_locality: bool = True
    allocation_request_id: Whole = -1

    @property
    def level(self) -> int:
        """The priority, which 2.7 wraps."""
        return self.priority if isinstance(self.priority, int) else self.priority.priority


class ApplicationInfo(RestAnswer, frozen=True, kw_only=True):
    """One application of `/apps`. Amounts of one that has ended are -1."""

    id: Annotated[str, msgspec.Meta(pattern="_[0-9]{1,18}$")]
    user: str
    name: str
    queue: str
    state: str
    application_type: str
    started_time: Instant
    finished_time: Instant
    allocated_mb: Whole = -1
    allocated_vcores: Whole = -1
    reserved_mb: Whole | None = None
    reserved_vcores: Whole | None = None
    running_containers: Whole = -1
    memory_seconds: Large | None = None
    progress: Percent | None = None
    diagnostics: str = ""
    resource_requests: tuple[RequestInfo, ...] | RequestInfo | None = None

    @property
    def requests(self) -> Sequence[RequestInfo]:
        """Return what it asks for."""
        return many(self.resource_requests)


class NodeInfo(RestAnswer, frozen=True, kw_only=True):
    """One node of `/nodes`."""

    id: str
    node_host_name: str
    rack: str
    state: str
    last_health_update: Instant
    num_containers: Whole
    used_memory_mb: Whole
    avail_memory_mb: Whole
    used_virtual_cores: Whole
    available_virtual_cores: Whole
    node_labels: tuple[str, ...] | str | None = None
    """None or one; of more the first is kept."""

    def __post_init__(self) -> None:
        """Let go of what nobody asks for."""
        if isinstance(self.node_labels, tuple) and len(self.node_labels) > 1:
            msgspec.structs.force_setattr(self, "node_labels", self.node_labels[:1])


class SchedulerKind(RestAnswer, frozen=True, kw_only=True):
    """The fields every scheduler's answer begins with."""

    type: str


class _Applications(RestAnswer, frozen=True, kw_only=True):
    app: msgspec.Raw = NOTHING


class _Nodes(RestAnswer, frozen=True, kw_only=True):
    node: msgspec.Raw = NOTHING


class _InfoBody(RestAnswer, frozen=True, kw_only=True):
    cluster_info: ClusterInfo


class _MetricsBody(RestAnswer, frozen=True, kw_only=True):
    cluster_metrics: MetricsInfo


class _ApplicationsBody(RestAnswer, frozen=True, kw_only=True):
    apps: _Applications | None


class _ApplicationBody(RestAnswer, frozen=True, kw_only=True):
    app: ApplicationInfo


class _NodesBody(RestAnswer, frozen=True, kw_only=True):
    nodes: _Nodes | None


class _Scheduler(RestAnswer, frozen=True, kw_only=True):
    scheduler_info: msgspec.Raw


class _SchedulerBody(RestAnswer, frozen=True, kw_only=True):
    scheduler: _Scheduler


class SchedulerAnswer(NamedTuple):
    """`/scheduler`: which scheduler it is, and its own part, not read yet."""

    kind: str
    """`fairScheduler`, `capacityScheduler`, `fifoScheduler`."""
    body: msgspec.Raw

    @property
    def name(self) -> str:
        """Return the name of Hadoop's class: `FairScheduler`."""
        return self.kind[:1].upper() + self.kind[1:]


def read_info(body: bytes) -> ClusterInfo:
    """`/ws/v1/cluster/info`."""
    return read(body, _InfoBody).cluster_info


def read_metrics(body: bytes) -> MetricsInfo:
    """`/ws/v1/cluster/metrics`."""
    return read(body, _MetricsBody).cluster_metrics


def read_applications(body: bytes) -> Sequence[ApplicationInfo]:
    """`/ws/v1/cluster/apps`."""
    apps = read(body, _ApplicationsBody).apps
    return () if apps is None else read_each(apps.app, ApplicationInfo)


def read_application(body: bytes) -> ApplicationInfo:
    """`/ws/v1/cluster/apps/ID`."""
    return read(body, _ApplicationBody).app


def read_nodes(body: bytes) -> Sequence[NodeInfo]:
    """`/ws/v1/cluster/nodes`."""
    nodes = read(body, _NodesBody).nodes
    return () if nodes is None else read_each(nodes.node, NodeInfo)


def read_scheduler(body: bytes) -> SchedulerAnswer:
    """`/ws/v1/cluster/scheduler`."""
    raw = read(body, _SchedulerBody).scheduler.scheduler_info
    return SchedulerAnswer(read(bytes(raw), SchedulerKind).type, raw)
