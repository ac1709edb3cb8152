"""Acts: everything that changes a cluster from outside. One struct serves file, journal and message.

An operator does an act; a fault is an act that happens by itself. To add one: its struct here and in `Act` (and in
`Fault` where a scenario may list it under `faults`), its function in `engine.simulation.act_handlers`, and a key, a
command or a question of the terminal where it is to have one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, Union, get_args, get_type_hints

import msgspec
from pydantic import BaseModel, Field, GetCoreSchemaHandler, TypeAdapter, create_model, model_validator
from pydantic_core import CoreSchema

from engine.model.decision import ContainerId
from engine.model.request import DEFAULT_RACK
from engine.scenario.applications import ApplicationSpec
from engine.scenario.cluster import (
    DEFAULT_PORT,
    FILE_CONFIG,
    DurationMs,
    InstantMs,
    JavaInt,
    MemoryMb,
    Table,
    bare_numbers_as_seconds,
)

# Types of the fields of acts that a file writes otherwise than an act holds them.

APPLICATION: Final[TypeAdapter[ApplicationSpec]] = TypeAdapter(ApplicationSpec)


def fields_of(spec: ApplicationSpec) -> Mapping[str, Any]:
    """The fields of an application that differ from their defaults, and its `type`."""
    return {"type": spec.type, **spec.model_dump(mode="json", exclude_defaults=True)}


def _same(value: Any) -> Any:
    return value


def _container(container: ContainerId | str) -> str:
    return container if isinstance(container, str) else "_".join(map(str, container))


class InFile(NamedTuple):
    """The form of an act's field in a file."""

    type: Any
    """Its type there."""
    key: str = ""
    """Its name there; empty where it is that of the act."""
    read: Callable[[Any], Any] = _same
    """Makes the act's value of the file's."""
    write: Callable[[Any], Any] = _same
    """Makes the file's value of the act's."""
    names: str = ""
    """What it names, so that a name can be looked up in a cluster: `application`, `master`, `queue`, `node` or
    `container`."""


ApplicationRef = Annotated[int | str, InFile(str, write=str, names="application")]
"""An application by its number; in a file by its id, a unique end of it (`183354`) or its name."""

MasterRef = Annotated[str, InFile(str, names="master")]
"""An application by its number as text, or by its name."""

NodeRef = Annotated[str, InFile(str, names="node")]
"""A node by `host:port`; in a file also by its host."""

NodeRefs = Annotated[tuple[str, ...], InFile(tuple[str, ...], names="node")]
"""Nodes, each as `NodeRef` has it."""

QueueRef = Annotated[str, InFile(str, names="queue")]
"""A queue by its name for the scheduler's commands; a screen names its path."""

ContainerRef = Annotated[ContainerId | str, InFile(str, write=_container, names="container")]
"""A container as (application, attempt, container); in a file by its id or those numbers (`0012_01_000003`)."""

NewNode = Annotated[
    str,
    InFile(
        Annotated[str, Field(min_length=1)],
        "host",
        read=lambda host: f"{host}:{DEFAULT_PORT}",
        write=lambda node: node.partition(":")[0],
    ),
]
"""A node that is not there, as `host:port`; a file gives its host."""

Rule = Annotated[str, InFile(Literal["strict", "limited", "off"])]
"""A reservation rule."""

Application = Annotated[Mapping[str, Any], InFile(ApplicationSpec, read=fields_of, write=APPLICATION.validate_python)]
"""An application as the fields of an `ApplicationSpec` that differ from their defaults, and its `type`."""


class _Act(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """The journal names an act by its class, a file by `do`."""

    do: ClassVar[str]


# Applications


class SubmitApplication(_Act, frozen=True):
    """A user submits an application now; its own instant and `repeat` do not count."""

    do: ClassVar[str] = "submit"
    application: Application

    @classmethod
    def of(cls, spec: ApplicationSpec) -> "SubmitApplication":
        return cls(fields_of(spec))

    def spec(self) -> ApplicationSpec:
        """The application as a checked model.

        Raises pydantic.ValidationError if the fields are not those of an application.
        """
        return APPLICATION.validate_python(self.application)


class KillApplication(_Act, frozen=True):
    """The operator kills an application."""

    do: ClassVar[str] = "kill"
    application: ApplicationRef


class KillContainer(_Act, frozen=True):
    """The operator kills one container."""

    do: ClassVar[str] = "kill-container"
    container: ContainerRef


class MoveApplication(_Act, frozen=True):
    """The operator moves an application to another queue."""

    do: ClassVar[str] = "move"
    application: ApplicationRef
    queue: QueueRef


class SetPriority(_Act, frozen=True):
    """The operator changes an application's priority."""

    do: ClassVar[str] = "priority"
    application: ApplicationRef
    priority: JavaInt


class LoseMaster(_Act, frozen=True):
    """An application's master ends with a failure, or hangs."""

    do: ClassVar[str] = "master_lost"
    application: MasterRef
    hangs: bool = False


# Nodes


class AddNode(_Act, frozen=True):
    """A node that was not there before registers, empty."""

    do: ClassVar[str] = "add-node"
    node: NewNode
    memory_mb: MemoryMb
    vcores: JavaInt
    rack: str = DEFAULT_RACK
    partition: str = ""
    """The node label; empty for the default partition."""


class LabelNode(_Act, frozen=True):
    """The operator moves a node to another partition."""

    do: ClassVar[str] = "label"
    node: NodeRef
    partition: str
    """The node label; empty for the default partition."""


class DrainNode(_Act, frozen=True):
    """A node gets no further containers, and leaves when its last one has ended."""

    do: ClassVar[str] = "drain"
    node: NodeRef


class ReturnNode(_Act, frozen=True):
    """A drained, lost or unhealthy node registers again, empty and healthy."""

    do: ClassVar[str] = "return"
    node: NodeRef
    also: NodeRefs = ()  # Further nodes that do so


class LoseNode(_Act, frozen=True):
    """A node sends no more heartbeats and everything on it dies; it counts as alive until it expires."""

    do: ClassVar[str] = "lose"
    node: NodeRef


class ResizeNode(_Act, frozen=True):
    """A node's total changes; what runs on it runs on."""

    do: ClassVar[str] = "resize"
    node: NodeRef
    memory_mb: MemoryMb
    vcores: JavaInt


class SetHealth(_Act, frozen=True):
    """A node reports at its next heartbeat that it is unhealthy, or healthy again."""

    do: ClassVar[str] = "health"
    node: NodeRef
    healthy: bool
    also: NodeRefs = ()  # Further nodes that report the same


class RestartNodeManager(_Act, frozen=True):
    """A node manager stops and starts again, with its containers where it recovers them."""

    do: ClassVar[str] = "node_manager_restart"
    node: NodeRef
    down_ms: DurationMs = 10_000


# Control planes


class RestartResourceManager(_Act, frozen=True):
    """The ResourceManager stops and starts again on its state store; one that is lost is started."""

    do: ClassVar[str] = "rm_restart"
    down_ms: DurationMs = 5_000


class FailOverResourceManager(_Act, frozen=True):
    """The active ResourceManager of a pair goes, and the other one becomes active."""

    do: ClassVar[str] = "rm_failover"
    orderly: bool = False
    """True where it is stopped in order, False for a crash that ZooKeeper has to notice first."""
    down_ms: DurationMs | None = None
    """How long there is no answer; without it as long as ZooKeeper takes."""


class LoseResourceManager(_Act, frozen=True):
    """The ResourceManager goes, and comes back only when it is restarted."""

    do: ClassVar[str] = "rm_lost"


class RestartJobTracker(_Act, frozen=True):
    """The JobTracker stops and starts again; it runs jobs again from their beginning, or loses them.

    Source: mapred.jobtracker.restart.recover.
    """

    do: ClassVar[str] = "job_tracker_restart"
    down_ms: DurationMs = 5_000


# Settings


class SetPreemption(_Act, frozen=True):
    """The operator switches preemption on or off."""

    do: ClassVar[str] = "preemption"
    on: bool


class SetReservationRule(_Act, frozen=True):
    """The operator changes the reservation rule."""

    do: ClassVar[str] = "reservation-rule"
    rule: Rule


class SetQueueSetting(_Act, frozen=True):
    """The operator changes one setting of a queue."""

    do: ClassVar[str] = "queue-setting"
    queue: str
    key: str
    """In the words of fair-scheduler.xml, or the end of a property of capacity-scheduler.xml."""
    value: str


class SetSetting(_Act, frozen=True):
    """The operator changes one setting of the control plane itself."""

    do: ClassVar[str] = "setting"
    key: str
    """E.g. `spark.deploy.spreadOutApps`."""
    value: str


class Reload(_Act, frozen=True):
    """The operator has a new allocation file loaded."""

    do: ClassVar[str] = "reload"
    allocations: str
    """Text of the fair-scheduler.xml; `allocations_file` in a scenario names a file."""


Act: TypeAlias = (
    SubmitApplication
    | KillApplication
    | KillContainer
    | MoveApplication
    | SetPriority
    | LoseMaster
    | AddNode
    | LabelNode
    | DrainNode
    | ReturnNode
    | LoseNode
    | ResizeNode
    | SetHealth
    | RestartNodeManager
    | RestartResourceManager
    | FailOverResourceManager
    | LoseResourceManager
    | RestartJobTracker
    | SetPreemption
    | SetReservationRule
    | SetQueueSetting
    | SetSetting
    | Reload
)
"""Any act; its struct's name tells which in a journal, its `do` in a file."""

Fault: TypeAlias = (
    LoseNode
    | ReturnNode
    | ResizeNode
    | SetHealth
    | RestartNodeManager
    | LoseMaster
    | RestartResourceManager
    | FailOverResourceManager
    | LoseResourceManager
    | RestartJobTracker
)
"""An act that happens by itself: to a node, an application master or a control plane."""

RESTARTS: Final = (RestartResourceManager, FailOverResourceManager, RestartJobTracker)
"""Acts after which a control plane starts again, which may know less than before."""

ONLY_YARN: tuple[type[Fault], ...] = (
    RestartNodeManager,
    RestartResourceManager,
    FailOverResourceManager,
    LoseResourceManager,
    LoseMaster,
)
"""Faults that only a ResourceManager's cluster knows."""

ACTS: tuple[type[Act], ...] = get_args(Act)
FAULTS: tuple[type[Fault], ...] = get_args(Fault)


# Acts with their instants, as the script and the faults of a scenario and the record of a drill list them.
#
# The tables of a file are derived from the structs of `engine.scenario.acts`; nothing here names a single act.

Finders = Mapping[str, Callable[[str], int | str | ContainerId]]
"""What a field names, as `InFile.names` says → what finds the number or id of a name."""


class Timed(BaseModel):
    """Something that happens at an instant; what happens at one instant happens in the order written."""

    model_config = FILE_CONFIG
    _in_seconds = model_validator(mode="before")(bare_numbers_as_seconds)

    at_ms: InstantMs = Field(ge=0)


class TimedAct(Timed):
    """An act at an instant; each act has a derived class, whose further fields are those of the act in a file."""

    do: str

    @property
    def act(self) -> Act:
        kind = _KINDS[self.do]
        made: Act = kind(**{name: form.read(getattr(self, form.key)) for name, form in _FORMS[kind].items()})
        return made


def _form(name: str, hint: Any) -> InFile:
    found = next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, InFile)), InFile(hint))
    return found if found.key else found._replace(key=name)


_KINDS: Final[Mapping[str, type[Act]]] = {kind.do: kind for kind in ACTS}
_FORMS: Final[Mapping[type[Act], Mapping[str, InFile]]] = {
    kind: {name: _form(name, get_type_hints(kind, include_extras=True)[name]) for name in kind.__struct_fields__}
    for kind in ACTS
}


def _table(kind: type[Act]) -> type[TimedAct]:
    fields: Table = {"do": (Literal[kind.do], ...)}
    for field in msgspec.structs.fields(kind):
        form = _FORMS[kind][field.name]
        fields[form.key] = (form.type, ... if field.default is msgspec.NODEFAULT else field.default)
    return create_model(kind.__name__, __base__=TimedAct, __doc__=kind.__doc__, __module__=__name__, **fields)


_TABLES: Final = {kind: _table(kind) for kind in ACTS}


class OneOf:
    """Makes pydantic read a `TimedAct` as one of the tables of some acts; `do` tells which."""

    def __init__(self, kinds: tuple[type[Act], ...]) -> None:
        tables: Any = Union[tuple(_TABLES[kind] for kind in kinds)]  # noqa: UP007  # the members are only known here
        self.tables = Annotated[tables, Field(discriminator="do")]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.tables)


ScriptedAct = Annotated[TimedAct, OneOf(ACTS)]
"""Any act at an instant."""

ScriptedFault = Annotated[TimedAct, OneOf(FAULTS)]
"""A fault at an instant."""


def timed(act: Act, at_ms: int = 0) -> TimedAct:
    """An act at an instant [ms]."""
    fields = {form.key: form.write(getattr(act, name)) for name, form in _FORMS[type(act)].items()}
    return _TABLES[type(act)](at_ms=at_ms, do=act.do, **fields)


def script_of(acts: Iterable[tuple[tuple[int, ...], Act]], start_ms: int) -> tuple[TimedAct, ...]:
    """What was done to a run that began at an instant [epoch ms], as steps of a script; `acts` with their positions."""
    return tuple(timed(act, position[0] - start_ms) for position, act in acts)


def resolved(act: Act, finders: Finders) -> Act:
    """An act whose names, as files give them, are looked up."""
    found = {
        name: _found(getattr(act, name), finders[form.names])
        for name, form in _FORMS[type(act)].items()
        if form.names in finders
    }
    return msgspec.structs.replace(act, **found) if found else act


def _found(value: Any, find: Callable[[str], Any]) -> Any:
    """What a name, or each of several, stands for; a number or an id is what it is."""
    if isinstance(value, tuple):
        return tuple(_found(each, find) for each in value)
    return find(value) if isinstance(value, str) else value


def nodes_of(act: Act) -> Iterator[tuple[str, str]]:
    """Each node that an act is done to, under the name of its field."""
    for name, form in _FORMS[type(act)].items():
        if form.names == "node":
            value = getattr(act, name)
            yield from ((name, each) for each in (value if isinstance(value, tuple) else (value,)))


def written(step: Timed) -> Table:
    """Return a step as a file writes it, without its instant and without keys that have their defaults."""
    fields = step.model_dump(mode="json", exclude_defaults=True)
    return {key.removesuffix("_mb"): value for key, value in fields.items() if key != "at_ms"}


def written_act(act: Act) -> Table:
    """Return an act as a file writes it; an application is named by its number."""
    return written(timed(act))
