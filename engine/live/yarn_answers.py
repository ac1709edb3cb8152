"""The answers of a ResourceManager's REST interface, of 2.7 to 3.4, as values.

Fields that no row needs are skipped while decoding; a field that a release does not have is None. Collections are read
in every form the releases write: null, an object without the list, one object instead of a list, the bare list.

Source: org.apache.hadoop.yarn.server.resourcemanager.webapp.dao, Hadoop 2.7.2 and 3.4.1; QueueMetrics, FSQueueMetrics,
Hadoop 2.7.2 and 3.4.1; ConfServlet; FairSchedulerConfiguration, YarnConfiguration, Hadoop 2.7.2 and 3.4.1;
AppActivitiesInfo, AppAllocationInfo, ActivityNodeInfo, Hadoop 3.1 to 3.4.1.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple, TypeVar

import msgspec

from engine.control_plane.cluster_view import ClusterModes
from engine.errors import EngineError
from engine.observe.snapshot import UNKNOWN, Amounts
from engine.settings.capacity import LABELS_ENABLED, MONITORS
from engine.settings.capacity_scheduler import PREFIX as CAPACITY_PREFIX
from engine.settings.fair import (
    ALLOCATION_FILE,
    INCREMENT_MB,
    PREEMPTION,
    RESERVABLE_NODES,
    RESERVATION_RULE,
    fair_table,
)
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.settings.site import (
    ACL_ENABLE,
    MAX_ATTEMPTS,
    MAXIMA,
    MINIMUM_MB,
    PORT_IN_NODE_NAME,
    PRESERVES_WORK,
    RECOVERY,
)
from engine.settings.table import Key

# Reads answers of servers, which are JSON, as values of a type.

Kind = TypeVar("Kind")

Whole = Annotated[int, msgspec.Meta(ge=-(2**45), le=2**45)]  # A count, or an amount in use
Large = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""An amount that may be Java's largest, which stands for no limit."""
Instant = Annotated[int, msgspec.Meta(ge=-1, le=32_503_680_000_000)]
"""Epoch ms, up to the year 3000; -1 and 0 stand for never."""
Percent = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]

MOST_VALUES: Final = 2_500_000
"""Values an answer may have; 10,000 nodes of 3.4 have a million. The shortest cost 15 times their length."""
MOST_OBJECTS: Final = 500_000  # The same of answers whose every value is kept, as of queues; 10,000 queues have 280,000
LONGEST_TEXT: Final = 512 * 1024
"""Bytes of an answer without a quotation mark; a text of any length would become four times as long."""

PIECE: Final = 256 * 1024  # Bytes of an answer that are counted at once; others work in between
QUOTED: Final = 80  # How much of an answer that is not understood is quoted [characters]


class AnswerError(EngineError):
    """An answer is not what such a server answers."""


def read(body: bytes, kind: type[Kind], most: int | None = None) -> Kind:
    """An answer as a value of this type. `most` is the number of values it may have, where that is fewer than usual.

    Raises AnswerError if it is not JSON, not of this form, or would take too much memory.
    """
    _check(body, most or MOST_VALUES)
    return _decoded(body, kind)


def read_part(body: bytes, kind: type[Kind], *names: str) -> Kind:
    """The value of this type in an answer `{name: {name: value}}`; errors as of `read`."""
    _check(body, MOST_VALUES)
    return _decoded(_part(body, names), kind)


def _part(body: bytes, names: Sequence[str]) -> msgspec.Raw:
    """What stands below names, not read yet."""
    part = msgspec.Raw(body)
    for name in names:
        fields = _decoded(part, dict[str, msgspec.Raw])
        if name not in fields:
            raise AnswerError(f"{_what(body)} (Object missing required field `{name}`)")
        part = fields[name]
    return part


def _decoded(body: bytes | msgspec.Raw, kind: type[Kind]) -> Kind:
    try:
        return msgspec.json.decode(body, type=kind, strict=False)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise AnswerError(f"{_what(bytes(memoryview(body)[:QUOTED]))} ({error})") from error


def read_each(body: msgspec.Raw, kind: type[Kind]) -> Sequence[Kind]:
    """The items of a collection in any of its forms; others may work in between. Raises AnswerError if one is none."""
    decoder = msgspec.json.Decoder(kind, strict=False)
    try:
        first = bytes(memoryview(body)[:1])
        parts = msgspec.json.decode(body, type=list[msgspec.Raw]) if first == b"[" else [] if first == b"n" else [body]
        return tuple([decoder.decode(part) for part in parts])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise AnswerError(f"{_what(bytes(memoryview(body)[:QUOTED]))} ({error})") from error


def read_objects(body: bytes, kind: type[Kind], make: Callable[[list[tuple[str, Any]]], dict[str, object]]) -> Kind:
    """An answer as a value of this type, where a name may stand several times in an object.

    `make` makes one object of its names and values, which stand as in the answer. Raises AnswerError if it is not JSON,
    not of this form, or would take too much memory.
    """
    _check(body, MOST_OBJECTS)
    try:
        return msgspec.convert(json.loads(body, object_pairs_hook=make), type=kind, strict=False)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise AnswerError(f"{_what(body)} ({error})") from error


def many(value: Sequence[Kind] | Kind | None) -> Sequence[Kind]:
    """The items of a collection in any of its forms."""
    if value is None:
        return ()
    return value if isinstance(value, tuple | list) else (value,)


def _check(body: bytes, most: int) -> None:
    """Refuse what is small and becomes large. Raises AnswerError if it has too many values or too long texts."""
    marks = (b",", b"[", b"{")
    pieces = range(0, len(body), PIECE) if len(body) > most else ()
    if sum(body.count(mark, at, at + PIECE) for at in pieces for mark in marks) > most:
        raise AnswerError(f"more than {most:,} values")
    if any(body.find(b'"', at, at + LONGEST_TEXT) < 0 for at in range(0, len(body) - LONGEST_TEXT, LONGEST_TEXT)):
        raise AnswerError("a text of more than half a megabyte")


def _what(body: bytes) -> str:
    start = body[:QUOTED].decode(errors="replace").strip()
    if not start:
        return "an empty answer"
    if start.startswith("<?xml"):
        return "XML instead of JSON"
    if start.startswith("<"):
        return "an HTML page instead of JSON, as of a login"
    return f"something else than was asked for: {start!r}"


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

    started_on: Instant  # Which also is the timestamp in every id [epoch ms]
    ha_state: str = "ACTIVE"
    resource_manager_version: str = ""


class MetricsInfo(RestAnswer, frozen=True, kw_only=True):
    """`/metrics`, of the whole cluster."""

    reserved_mb: Whole
    allocated_mb: Whole
    total_mb: Whole
    total_virtual_cores: Whole = 0
    reserved_virtual_cores: Whole
    allocated_virtual_cores: Whole
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
    http_address: str = msgspec.field(default="", name="nodeHTTPAddress")
    node_labels: tuple[str, ...] | str | None = None  # None or one; of more the first is kept

    def __post_init__(self) -> None:
        if isinstance(self.node_labels, tuple) and len(self.node_labels) > 1:
            msgspec.structs.force_setattr(self, "node_labels", self.node_labels[:1])


class _SchedulerKind(RestAnswer, frozen=True, kw_only=True):  # How every scheduler's answer begins
    type: str


class SchedulerAnswer(NamedTuple):
    """`/scheduler`: which scheduler it is, and its own part, not read yet."""

    kind: str  # `fairScheduler`, `capacityScheduler`, `fifoScheduler`
    body: msgspec.Raw

    @property
    def name(self) -> str:
        return self.kind[:1].upper() + self.kind[1:]


def read_info(body: bytes) -> ClusterInfo:
    """`/ws/v1/cluster/info`."""
    return read_part(body, ClusterInfo, "clusterInfo")


def read_metrics(body: bytes) -> MetricsInfo:
    """`/ws/v1/cluster/metrics`."""
    return read_part(body, MetricsInfo, "clusterMetrics")


def read_applications(body: bytes) -> Sequence[ApplicationInfo]:
    """`/ws/v1/cluster/apps`."""
    return _collection(body, "apps", "app", ApplicationInfo)


def read_application(body: bytes) -> ApplicationInfo:
    """`/ws/v1/cluster/apps/ID`."""
    return read_part(body, ApplicationInfo, "app")


def read_nodes(body: bytes) -> Sequence[NodeInfo]:
    """`/ws/v1/cluster/nodes`."""
    return _collection(body, "nodes", "node", NodeInfo)


def _collection(body: bytes, name: str, of_each: str, kind: type[Kind]) -> Sequence[Kind]:
    found = read_part(body, msgspec.Raw, name)
    return () if found == NOTHING else read_each(_decoded(found, dict[str, msgspec.Raw]).get(of_each, NOTHING), kind)


def read_scheduler(body: bytes) -> SchedulerAnswer:
    """`/ws/v1/cluster/scheduler`."""
    raw = read_part(body, msgspec.Raw, "scheduler", "schedulerInfo")
    return SchedulerAnswer(_decoded(raw, _SchedulerKind).type, raw)


# Reads a ResourceManager's `/jmx` page, which alone says what is reserved in each queue of 2.7.

QUEUE_BEANS: Final = "/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,*"

_PREFIX: Final = "Hadoop:service=ResourceManager,name=QueueMetrics,"


class _Bean(msgspec.Struct, frozen=True):
    name: str
    reserved_mb: Large = msgspec.field(name="ReservedMB", default=0)
    reserved_vcores: Large = msgspec.field(name="ReservedVCores", default=0)


def read_queue_reservations(body: bytes) -> Mapping[str, Amounts]:
    """Path of a queue → memory [MB] and vcores reserved in it and below. Raises AnswerError if it is something else."""
    found = {}
    for bean in read_part(body, tuple[_Bean, ...], "beans"):
        parts = bean.name.removeprefix(_PREFIX).split(",")
        if bean.name.startswith(_PREFIX) and all(part.startswith("q") for part in parts):  # others are of users
            path = ".".join(part.partition("=")[2] for part in parts)
            found[path] = bean.reserved_mb, bean.reserved_vcores
    return found


# Settings of a running ResourceManager that its `/conf` page says, as modes of the cluster.
#
# Only the keys named here are kept: the page also has secrets.

KEPT: Final = frozenset(
    key.name
    for key in (PREEMPTION, MONITORS, RECOVERY, PRESERVES_WORK, *MAXIMA, MINIMUM_MB, INCREMENT_MB, RESERVABLE_NODES)
)

SCHEDULING: Final = (
    CAPACITY_PREFIX,
    FAIR_PREFIX,
    "yarn.scheduler.increment-allocation-",
    "yarn.scheduler.maximum-allocation-",
    "yarn.scheduler.minimum-allocation-",
    PORT_IN_NODE_NAME.name,
    ACL_ENABLE.name,
    LABELS_ENABLED.name,
    MAX_ATTEMPTS.name,
    RECOVERY.name,
    "yarn.resourcemanager.work-preserving-recovery.",
    MONITORS.name,
    "yarn.resourcemanager.monitor.capacity.",
)
"""Beginnings of the keys that decide what is scheduled."""

PATHS: Final = frozenset({ALLOCATION_FILE.name})  # Keys that name files of the server


class _Property(msgspec.Struct, frozen=True):
    key: str
    value: str | None = None


def read_settings(body: bytes) -> Mapping[str, str]:
    """`/conf?format=json`: key → value, of the keys that are kept. Raises AnswerError if it is something else."""
    return {key: text for key, text in _read_all(body) if key in KEPT}


def read_scheduling(body: bytes) -> Mapping[str, str]:
    """The same page: key → value of what decides on scheduling. Raises AnswerError if it is something else."""
    return {key: text for key, text in _read_all(body) if key.startswith(SCHEDULING) and key not in PATHS}


def _read_all(body: bytes) -> Iterator[tuple[str, str]]:
    return (
        (each.key, each.value)
        for each in read_part(body, tuple[_Property, ...], "properties")
        if each.value is not None
    )


def modes_of(settings: Mapping[str, str], scheduler: str, version: str) -> ClusterModes:
    """The modes of a cluster; `UNKNOWN` where not stated.

    `settings` are as `read_settings` answers, empty where unread; `scheduler` is Hadoop's, as `FairScheduler`; nodes
    are reserved by the rule of the release `version`.
    """
    if not settings:
        return ClusterModes(UNKNOWN, UNKNOWN, UNKNOWN)
    is_fair = scheduler == "FairScheduler"
    preempts = _is_on(settings, PREEMPTION if is_fair else MONITORS)
    keeps = "nothing"
    if _is_on(settings, RECOVERY):
        is_preserving = PRESERVES_WORK.name not in settings or _is_on(settings, PRESERVES_WORK)
        keeps = "containers" if is_preserving else "applications"
    rule = fair_table("3.4" if version.startswith("3.") else "2.7").default(RESERVATION_RULE) if is_fair else ""
    return ClusterModes(preempts and scheduler != "FifoScheduler", rule, UNKNOWN, keeps)


def _is_on(settings: Mapping[str, str], key: Key[bool]) -> bool:
    return settings.get(key.name, "").strip().lower() == "true"


# Reads what a CapacityScheduler of 3.x recorded of one application: which nodes passed it by, in its own words.
#
# The first request has the server begin to record, a later one has what it recorded since.

GIVEN: Final = frozenset({"ALLOCATED", "ALLOCATED_FROM_RESERVED", "ACCEPTED"})  # States that are no reason to wait


class Activities(NamedTuple):
    diagnostic: str  # Why there is nothing; empty where there is
    passed: tuple[tuple[str, str], ...]
    """Node and the server's words, each pair once; the node is empty where it is not about one."""


class _Activity(RestAnswer, frozen=True, kw_only=True):
    allocation_state: str = ""
    diagnostic: str = ""
    node_id: str = ""
    node_ids: tuple[str, ...] | str | None = None
    children: "tuple[_Activity, ...] | _Activity | None" = None


class _AppActivities(RestAnswer, frozen=True, kw_only=True):
    diagnostic: str = ""
    allocations: tuple[_Activity, ...] | _Activity | None = None


def read_activities(body: bytes) -> Activities:
    """`/ws/v1/cluster/scheduler/app-activities/ID`. Raises AnswerError if it is something else."""
    found = read_part(body, _AppActivities, "appActivities")
    pairs = [pair for each in many(found.allocations) for pair in _passed(each, each.node_id)]
    return Activities(found.diagnostic, tuple(dict.fromkeys(pairs)))


def _passed(activity: _Activity, node: str) -> Iterator[tuple[str, str]]:
    under = many(activity.children)
    for child in under:
        yield from _passed(child, child.node_id or node)
    if under or activity.allocation_state in GIVEN or not activity.diagnostic:
        return
    words = " ".join(activity.diagnostic.split())
    for each in many(activity.node_ids) or (node,):
        yield each, words
