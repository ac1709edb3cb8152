"""The machines of a scenario."""

import operator
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, time
from math import isfinite
from typing import Annotated, Any, Final, Literal, Self
from xml.sax.saxutils import escape, quoteattr

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from engine.errors import quoted
from engine.model.java_values import INT_MAX
from engine.model.request import DEFAULT_RACK
from engine.units import CENTURY_MS, UnitError, is_number, parse_duration, parse_instant, parse_memory

# Shared parts of a scenario's models: strict frozen models, and how amounts are written in them.
#
# A field named `…_ms` is written in a file without its suffix, as a duration or an instant (`at = "09:00"`, `duration
# = "1h30m"`, `launch_delay = 0.5`: a bare number is seconds); a field named `…_mb` as an amount of memory (`memory =
# "64g"`: a bare number is MB). Code uses the field's own name and integers. A time of day is counted from the
# scenario's start, which the reader passes as validation context `{"start": datetime}`.

Table = dict[str, Any]  # Any: a table of TOML holds values of any of its types

FILE_CONFIG: Final = ConfigDict(
    frozen=True,
    extra="forbid",
    alias_generator=lambda field: field.removesuffix("_ms").removesuffix("_mb"),
    validate_by_name=True,
    validate_by_alias=True,
    allow_inf_nan=False,
)
"""Immutable, unknown keys are faults, and names in a file are without their unit."""


def bare_numbers_as_seconds(cls: type[BaseModel], data: Any) -> Any:  # Any: whatever the user's file holds here
    """Give bare numbers under a file's names their unit; names of code keep ms. True is text but in a flag."""
    if not isinstance(data, dict):
        return data
    spans = {name.removesuffix("_ms") for name in cls.model_fields if name.endswith("_ms")}
    flags = {name for name, field in cls.model_fields.items() if field.annotation is bool}
    timed = {key: _seconds(value) if key in spans else value for key, value in data.items()}
    return timed | {key: quoted(value) for key, value in data.items() if isinstance(value, bool) and key not in flags}


class ScenarioModel(BaseModel):
    """A part of a scenario. Families with a base of their own (`Timed`) take the same two members."""

    model_config = FILE_CONFIG
    _in_seconds = model_validator(mode="before")(bare_numbers_as_seconds)


def _seconds(value: object) -> object:
    """A number, or each number of a list, as text with its unit; anything else as it is."""
    if isinstance(value, list):
        return [_seconds(item) for item in value]
    if is_number(value) and isfinite(value):
        return f"{value}s" if value >= 0 else f"-{-value}s"
    return value


def _memory(value: object) -> object:
    return parse_memory(value) if isinstance(value, str) else value


def _duration(value: object) -> object:
    return parse_duration(value) if isinstance(value, str) else value


def _instant(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str | time | datetime):
        return value
    return parse_instant(value, (info.context or {}).get("start"))


def _span(value: object) -> object:
    """`"forever"` is None, one duration is a span without spread."""
    if value == "forever":
        return None
    if isinstance(value, str) or is_number(value):
        return _span([value, value])
    if isinstance(value, list | tuple):
        span = tuple(_duration(item) for item in value)
        if any(isinstance(item, int) and not 0 <= item <= CENTURY_MS for item in span):
            raise UnitError("is longer than a century, or shorter than nothing")
        if len(span) == 2 and isinstance(span[0], int) and isinstance(span[1], int) and span[0] > span[1]:
            raise UnitError("the shorter duration comes first")
        return span
    return value


_SECONDS: Final = {"type": "number", "minimum": 0}
_WRITTEN: Final = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]})
_DURATION: Final = WithJsonSchema({"anyOf": [{"type": "string"}, _SECONDS]})
_MEMORY: Final = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]})
_SPAN: Final = WithJsonSchema(
    {
        "anyOf": [
            {"type": "string"},
            _SECONDS,
            {"type": "array", "items": {"anyOf": [{"type": "string"}, _SECONDS]}, "minItems": 2, "maxItems": 2},
        ]
    }
)
"""How a file writes amounts, as JSON Schema says it; strings have units."""

JavaInt = Annotated[int, Field(ge=0, le=INT_MAX)]
"""A natural number that Hadoop's int can hold."""

# Bounds beside an annotated type are tried before its own, and the last one holds, so a number from 1 is a type.
PositiveInt = Annotated[int, Field(ge=1, le=INT_MAX)]

Count = Annotated[int, Field(ge=0, le=1_000_000)]
"""How many of something that takes room in the simulation."""

PositiveCount = Annotated[int, Field(ge=1, le=1_000_000)]

MemoryMb = Annotated[int, BeforeValidator(_memory), Field(ge=0, le=INT_MAX), _MEMORY]
"""Memory [MB]; `"64g"` in a file."""

DurationMs = Annotated[int, BeforeValidator(_duration), Field(ge=0, le=CENTURY_MS), _DURATION]
"""A duration [ms]; `"1h30m"` or seconds in a file."""

TimeoutMs = Annotated[
    Annotated[int, Field(ge=0, le=CENTURY_MS)] | None,
    BeforeValidator(lambda value: None if value == "forever" else _duration(value)),
    _DURATION,
]
"""A duration [ms]; None is for ever (`"forever"` in a file)."""

InstantMs = Annotated[int, BeforeValidator(_instant), Field(ge=-CENTURY_MS, le=CENTURY_MS), _WRITTEN]
"""An instant [ms after the scenario's start]; `"09:00"`, `"+30m"` or seconds in a file."""

SpanMs = Annotated[tuple[int, int] | None, BeforeValidator(_span), _SPAN]
"""Shortest and longest duration [ms], drawn evenly between both; None is for ever (`"forever"`).

In a file: `"25s"`, `["14s", "30s"]` or `"forever"`.
"""


class Size(ScenarioModel):
    """The size of a container."""

    memory_mb: MemoryMb
    vcores: JavaInt = 1


DEFAULT_PORT: Final = 8041

MAX_NODES: Final = 100_000
"""Most nodes of a cluster."""


class NodeSpec(ScenarioModel):
    """One node."""

    host: str = Field(min_length=1)
    port: int = Field(default=DEFAULT_PORT, ge=1, le=65535)
    rack: str = DEFAULT_RACK
    memory_mb: MemoryMb
    vcores: JavaInt
    partition: str = ""
    phase_ms: DurationMs | None = None
    """When its first heartbeat comes after it joined; without it the scenario's seed decides."""
    state: Literal["RUNNING", "UNHEALTHY", "LOST", "DECOMMISSIONING", "DECOMMISSIONED"] = Field(
        default="RUNNING", exclude_if=lambda state: state == "RUNNING"
    )
    """As the control plane knows it at the start. Only YARN's nodes start otherwise than `RUNNING`."""

    @property
    def id(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def is_down(self) -> bool:
        return self.state not in ("RUNNING", "DECOMMISSIONING")


class NodeGroup(ScenarioModel):
    """Several alike nodes, named one by one (`hosts`) or by counting (`prefix` and `count`)."""

    hosts: tuple[str, ...] = ()
    """Names of the nodes, one by one."""
    count: int = Field(default=0, ge=0, le=100_000)
    """Number of nodes, named by `prefix` and a number."""
    prefix: str = "node"
    """Beginning of their names."""
    first: JavaInt = 1
    """The first node's number."""
    digits: int = Field(default=0, ge=0, le=20)
    """Numbers are padded with zeros to so many digits; 0 takes as many as the last number has."""
    port: int = Field(default=DEFAULT_PORT, ge=1, le=65535)
    racks: tuple[str, ...] = (DEFAULT_RACK,)
    """Dealt out in turn: node i is in rack i modulo their number."""
    memory_mb: MemoryMb
    vcores: JavaInt
    partition: str = ""

    @model_validator(mode="after")
    def _named_or_counted(self) -> Self:
        if bool(self.hosts) == bool(self.count):
            raise ValueError("give either hosts or a count of nodes")
        if not self.racks:
            raise ValueError("racks is empty")
        return self

    def nodes(self) -> tuple[NodeSpec, ...]:
        last = self.first + self.count - 1
        digits = self.digits or len(str(last))
        hosts = self.hosts or tuple(f"{self.prefix}{number:0{digits}d}" for number in range(self.first, last + 1))
        return tuple(
            NodeSpec(
                host=host,
                port=self.port,
                rack=self.racks[index % len(self.racks)],
                memory_mb=self.memory_mb,
                vcores=self.vcores,
                partition=self.partition,
            )
            for index, host in enumerate(hosts)
        )


class ClusterSpec(ScenarioModel):
    """The nodes of a cluster and how its processes talk."""

    nodes: tuple[NodeSpec, ...] = ()
    """Nodes one by one."""
    groups: tuple[NodeGroup, ...] = ()
    """Groups of alike nodes, after `nodes`."""
    heartbeat_ms: DurationMs = Field(default=1000, gt=0)
    """Between two heartbeats of a node. Source: yarn.resourcemanager.nodemanagers.heartbeat-interval-ms."""
    am_heartbeat_ms: DurationMs = Field(default=1000, gt=0)
    """Between two allocate calls of an application master. Source: AMRMClientAsync's usual interval."""
    launch_delay_ms: DurationMs = 0
    """From the order to launch until a container runs on its node."""
    register_delay_ms: DurationMs = 0
    """From the start of an application master's container until it registers."""
    exit_delay_ms: DurationMs = 0
    """From an application master's last work until its container has ended and gives back what it holds."""
    am_own_rhythm: bool = Field(default=False, exclude_if=operator.not_)
    """True: a master registers `register_delay` after its container began to run, calls at that rhythm from then on,
    and its node's next heartbeat tells of its end. False: it calls at a phase drawn from the seed, and registers after
    its node has reported it.

    Source: RMCommunicator.startAllocatorThread, AMRMClientAsyncImpl.HeartbeatThread (Hadoop 2.7.2, 3.4.1): True.
    """

    @model_validator(mode="after")
    def _hosts_are_different(self) -> Self:
        size = len(self.nodes) + sum(len(group.hosts) or group.count for group in self.groups)
        if size > MAX_NODES:
            raise ValueError(f"has {size:,} nodes; at most {MAX_NODES:,} are simulated")
        counts = Counter(node.id for node in self.all_nodes())
        twice = sorted(node for node, count in counts.items() if count > 1)
        if twice:
            raise ValueError(f"more than one node is called {', '.join(twice)}")
        return self

    def all_nodes(self) -> tuple[NodeSpec, ...]:
        """Every node in order of joining: first the single ones, then the groups'."""
        return self.nodes + tuple(node for group in self.groups for node in group.nodes())


# Queues of a Fair Scheduler written as tables, and the fair-scheduler.xml they stand for.

MAX_QUEUE_DEPTH: Final = 100
"""Deepest queue below root."""

ELEMENTS: Final = {
    "min_resources": "minResources",
    "max_resources": "maxResources",
    "max_running_apps": "maxRunningApps",
    "max_am_share": "maxAMShare",
    "weight": "weight",
    "policy": "schedulingPolicy",
    "min_share_preemption_timeout": "minSharePreemptionTimeout",
    "fair_share_preemption_timeout": "fairSharePreemptionTimeout",
    "fair_share_preemption_threshold": "fairSharePreemptionThreshold",
    "acl_submit_apps": "aclSubmitApps",
    "acl_administer_apps": "aclAdministerApps",
}
"""Field → element of the allocation file."""


class QueueSpec(ScenarioModel):
    """One queue, in the words of fair-scheduler.xml; what is not given is inherited as there.

    Source: AllocationFileLoaderService, Hadoop 2.7.2.
    """

    name: str = Field(min_length=1)
    """Path, with or without `root.`; parents that are not listed are made."""
    weight: float | None = Field(default=None, ge=0)
    """Its part among its siblings; 1 where not given."""
    min_resources: str | None = None
    """`"1024 mb, 1 vcores"`."""
    max_resources: str | None = None
    """The most it may use; written as `min_resources`."""
    max_running_apps: int | None = Field(default=None, ge=0)
    """The most applications that run at once."""
    max_am_share: float | None = None
    """The part of its fair share that application masters may use; -1 for no limit."""
    policy: str | None = None
    """`fair`, `fifo` or `drf`."""
    min_share_preemption_timeout: int | None = Field(default=None, ge=0)
    """Seconds, as in the allocation file."""
    fair_share_preemption_timeout: int | None = Field(default=None, ge=0)
    """Seconds, as in the allocation file."""
    fair_share_preemption_threshold: float | None = Field(default=None, ge=0, le=1)
    acl_submit_apps: str | None = None
    acl_administer_apps: str | None = None

    @field_validator("name")
    @classmethod
    def _is_a_path(cls, value: str) -> str:
        if value.count(".") > MAX_QUEUE_DEPTH:
            raise ValueError(f"has more than {MAX_QUEUE_DEPTH} levels")
        if not all(part.strip() for part in value.split(".")):
            raise ValueError(f"{quoted(value)} has a part without a name")
        return value

    @property
    def path(self) -> str:
        return self.name.removeprefix("root.")


class _Branch:
    """A queue of the tree, which may have no table of its own."""

    __slots__ = ("children", "spec")

    def __init__(self) -> None:
        self.spec: QueueSpec | None = None
        self.children: dict[str, _Branch] = {}


def allocations_xml(queues: Sequence[QueueSpec], defaults: dict[str, str]) -> str:
    """The allocation file these tables stand for; queues keep their order, children sit inside their parent."""
    top = _Branch()
    root: QueueSpec | None = None
    for queue in queues:
        if queue.path == "root":
            root = queue
            continue
        branch = top
        for name in queue.path.split("."):
            branch = branch.children.setdefault(name, _Branch())
        branch.spec = queue
    top.spec = root
    lines = ['<?xml version="1.0"?>', "<allocations>"]
    if root is not None:
        lines += _queue_lines("root", top, "  ")
    else:
        for name, branch in top.children.items():
            lines += _queue_lines(name, branch, "  ")
    lines += [f"  <{key}>{escape(value)}</{key}>" for key, value in defaults.items()]
    return "\n".join([*lines, "</allocations>", ""])


def _queue_lines(name: str, branch: _Branch, indent: str) -> list[str]:
    lines = [f"{indent}<queue name={quoteattr(name)}>"]
    for field, element in ELEMENTS.items():
        value = getattr(branch.spec, field, None)
        if value is not None:
            lines.append(f"{indent}  <{element}>{escape(str(value))}</{element}>")
    for child, below in branch.children.items():
        lines += _queue_lines(child, below, indent + "  ")
    return [*lines, f"{indent}</queue>"]
