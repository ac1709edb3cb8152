"""One type of picture of a cluster feeds every screen: simulated, recorded or live.

A snapshot is taken at one instant and knows its dimensions (memory and vcores; memory and cores; map and reduce
slots): every amount is a tuple with one int per dimension. A field the source cannot tell is `UNKNOWN`, never 0.
Sections are built only when asked for, and a long one may make each row only when that row is asked for: which rows
there are is of the moment the section was built, what a row says is of the moment the row was made. So the rows of an
instant are to be read before the cluster goes on; a row that was made never changes. Each section has a version number,
so a screen redraws only what changed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, Final, Generic, Protocol, TypeVar, cast, overload, runtime_checkable

import msgspec

from engine.control_plane.cluster_view import RecoveryFigures
from engine.control_plane.protocol import ControlPlane
from engine.schedulers.capacity.view import CapacityQueueRow, PartitionUse
from engine.schedulers.interface import UNKNOWN, Amounts, QueueRow, Unknown

Row = TypeVar("Row")
Read = Callable[[Any], Any]  # Reads a field of a thing


class Section(Sequence[Row], Generic[Row]):
    """Rows of one kind; which there are is settled, what a row says is read from its thing when the row is made.

    Ten thousand nodes of which forty are looked at cost forty rows; who orders or chooses among all of them takes
    `lazy_rows`, which cost the few fields that are looked at.
    """

    __slots__ = ("fields", "glimpsed", "make", "things")

    def __init__(
        self,
        things: Sequence[Any],
        make: Callable[..., Row],
        fields: Mapping[str, Read],
        glimpsed: Mapping[str, Read] | None = None,
    ) -> None:
        """Make nothing yet: a row of things in order takes its fields by name, as `fields` read them.

        `glimpsed` does the same for costly fields that are read in every row.
        """
        self.things = things
        self.make = make
        self.fields = fields
        self.glimpsed = glimpsed or {}

    def __len__(self) -> int:
        return len(self.things)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> "Section[Row]": ...

    def __getitem__(self, index: int | slice) -> "Row | Section[Row]":
        if isinstance(index, slice):
            return Section(self.things[index], self.make, self.fields, self.glimpsed)
        thing = self.things[index]
        return self.make(**{name: read(thing) for name, read in self.fields.items()})

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # what its rows say may change

    def rows_at(self, order: Iterable[int]) -> "Section[Row]":
        things = self.things
        return Section([things[index] for index in order], self.make, self.fields, self.glimpsed)

    def lazy_rows(self) -> Iterable[Row]:
        """All rows as seen from afar: a field is read when it is asked for, and the others never are."""
        fields = {**self.fields, **self.glimpsed}
        return (cast("Row", _Glimpse(thing, self.make, fields)) for thing in self.things)


@cache
def _defaults(kind: Any) -> dict[str, object]:
    names, defaults = kind.__struct_fields__, kind.__struct_defaults__
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


class _Glimpse:  # Passes for a row of its section
    __slots__ = ("_fields", "_make", "_thing")

    def __init__(self, thing: Any, make: Callable[..., Any], fields: Mapping[str, Read]) -> None:
        self._thing, self._make, self._fields = thing, make, fields

    def __getattr__(self, name: str) -> Any:
        read = self._fields.get(name)
        if read is not None:
            return read(self._thing)
        try:
            return _defaults(self._make)[name]  # the section leaves it out: it is the same in every row
        except KeyError:
            raise AttributeError(name) from None

    @property  # type: ignore[misc]  # a stand-in is of the type it stands in for
    def __class__(self) -> Any:
        """That of the row, so that `isinstance` gives the right answer."""
        return self._make


def lazy_rows(rows: Sequence[Row]) -> Iterable[Row]:
    """All rows, for readers of a few fields of each: where it can be helped no row is made."""
    return rows.lazy_rows() if isinstance(rows, Section) else rows


def rows_at(rows: Sequence[Row], order: Iterable[int]) -> Sequence[Row]:
    """The rows at some places, in this order."""
    return rows.rows_at(order) if isinstance(rows, Section) else [rows[index] for index in order]


def column(rows: Sequence[Any], name: str) -> list[Any]:
    """One field of every row, without making the rows where that can be helped."""
    if isinstance(rows, Section):
        read = rows.fields.get(name)
        if read is None:  # left out, it is the same in every row
            return [getattr(row, name) for row in rows[:1]] * len(rows)
        return list(map(read, rows.things))
    return list(map(attrgetter(name), rows))


__all__ = [
    "UNKNOWN",
    "Amounts",
    "CapacityQueueRow",
    "PartitionUse",
    "QueueRow",
    "Unknown",
]  # part of a snapshot, declared where policies make them

_Value = TypeVar("_Value")


def known(value: _Value | Unknown) -> _Value | None:
    """A value that the source can tell; None where it cannot."""
    return None if isinstance(value, Unknown) else value


def summed(amounts: Iterable[Amounts], nothing: Amounts = (0, 0)) -> Amounts:
    """Amounts added up, dimension by dimension; `nothing` where there are none."""
    return tuple(map(sum, zip(*amounts, strict=True))) or nothing


def known_sum(amounts: Iterable[Amounts | Unknown], nothing: Amounts = (0, 0)) -> Amounts | Unknown:
    """Amounts added up; unknown where one of them is."""
    parts = list(amounts)
    known = [each for each in parts if not isinstance(each, Unknown)]
    return summed(known, nothing) if len(known) == len(parts) else UNKNOWN


def missing(wanted: Amounts, there: Amounts) -> Amounts:
    """What is short of what is wanted, dimension by dimension."""
    return tuple(max(want - have, 0) for want, have in zip(wanted, there, strict=True))


class Header(msgspec.Struct, frozen=True):
    time_ms: int  # Epoch ms of the cluster's own clock
    scheduler: str
    dimensions: tuple[str, ...]
    total: Amounts
    used: Amounts
    reserved: Amounts | Unknown
    nodes: int  # Nodes that are up
    nodes_down: int
    nodes_reserved: int | Unknown
    applications_running: int
    applications_pending: int  # Submitted and ACCEPTED but not yet running
    containers: int
    containers_pending: int | Unknown
    preemption: bool | Unknown
    reservation_rule: str | Unknown  # `strict`, `limited`, `off`, or empty where the policy has none
    spread_out: bool | Unknown = UNKNOWN
    """True if executors are spread over workers or packed on few; `UNKNOWN` where there is no such mode."""
    restart_keeps: str | Unknown = UNKNOWN
    """The objects that outlive a restart of the control plane: `containers`, `applications` alone, or `nothing`."""
    recovery: RecoveryFigures | None = None
    """Progress of the control plane's recovery; None when it is there and recovered."""
    pages_ms: int | None = None  # When nodes and applications were told, where that was before `time_ms` [epoch ms]
    inferred: tuple[str, ...] = ()  # Sections whose rows the source does not say: they are inferred from its sums
    master_start_ms: int | None = None
    """How long masters take from their container to their registration; None where too few starts were seen."""

    @property
    def applications(self) -> int:
        return self.applications_running + self.applications_pending

    @property
    def nodes_held(self) -> int:
        return self.nodes_reserved if isinstance(self.nodes_reserved, int) else 0


def header_of(control_plane: ControlPlane, now_ms: int) -> Header:
    """The cluster as a whole, as its control plane believes it to be at an instant [epoch ms]."""
    view = control_plane.view()
    figures, running = view.figures()._asdict(), len(view.numbers_running())
    del figures["pending_at_least"]
    return Header(
        time_ms=now_ms,
        scheduler=control_plane.name,
        dimensions=control_plane.dimensions,
        applications_running=running,
        applications_pending=figures.pop("applications") - running,
        recovery=view.recovery(),
        **figures,
        **view.modes()._asdict(),
    )


class NodeRow(msgspec.Struct, frozen=True, gc=False):
    """One node, in order of joining."""

    id: str  # `host:port`
    host: str
    rack: str
    state: str  # NodeState: `RUNNING`, `LOST`, `UNHEALTHY`, `DECOMMISSIONING`, `DECOMMISSIONED`
    partition: str
    total: Amounts  # Zeros where its size is not stated
    used: Amounts
    free: Amounts  # May be negative on an over-committed node
    containers: int
    reserved_by: str | None | Unknown  # Application id that holds the node's reservation; None when it is free
    reserved: Amounts | None | Unknown
    last_heartbeat_ms: int | Unknown


class AskRow(msgspec.Struct, frozen=True, gc=False):
    """An unmet ask of an application at one priority."""

    priority: int
    count: int
    size: Amounts
    places: tuple[str, ...] = ()  # Hosts and racks it prefers or insists on; empty when anywhere will do
    relax_locality: bool = True


def asked_places(named: Iterable[tuple[str, bool]], *, is_relaxed: bool) -> tuple[str, ...]:
    """Where an ask is for a container: its hosts and racks, each with whether the request there is relaxed.

    Not the racks of hosts that it insists on. Source: AMRMClientImpl#addContainerRequest, AppSchedulingInfo.
    """
    return tuple(name for name, may_be_near in named if is_relaxed or may_be_near or not name.startswith("/"))


class ObstacleSummary(msgspec.Struct, frozen=True, gc=False):
    code: str  # A `schedulers.obstacle_texts.Reason` name
    sentence: str  # One line with the numbers
    certainty: str = "known"  # `known`, `inferred` or `unknown`


class ApplicationRow(msgspec.Struct, frozen=True, gc=False):
    """One application; live ones in order of submission, then finished ones, latest first."""

    id: str  # `application_<cluster timestamp>_<number>`
    number: int
    name: str
    user: str
    queue: str
    type: str
    state: str  # YarnApplicationState; WAITING of Spark's Master, PREP and SUCCEEDED of a JobTracker
    submitted_ms: int
    waiting_since_ms: int | None  # Since when it has an unmet ask; None when it asks for nothing
    finished_ms: int | None
    used: Amounts
    containers: int
    reserved: Amounts | Unknown
    reservations: int | Unknown
    asks: tuple[AskRow, ...] | Unknown
    pending_containers: int | Unknown
    obstacle: ObstacleSummary | None = msgspec.field(name="refusal")  # what documents call it
    """The reason it waits now; None when it does not wait."""
    diagnostics: str = ""
    lifespan: str = ""  # `session` or `service`; empty for one job, and where the source cannot tell
    jobs: int = 0  # Jobs that a session or service is given in all
    jobs_done: int = 0
    idle_since_ms: int | None = None  # Since when a session or service has no job to do; None while it has one
    idle_containers: int = 0  # Containers of a session or service that run nothing
    memory_seconds: int | Unknown = UNKNOWN  # What it was given so far [MB s]; grows only while containers run
    progress: float | Unknown = UNKNOWN  # As its master reports it [%]
    partition: str | Unknown = UNKNOWN
    """Labels of the partitions it asks in and has containers in, with blanks between; unknown where no node has one."""

    @property
    def listed_asks(self) -> tuple[AskRow, ...]:
        return self.asks if isinstance(self.asks, tuple) else ()


class NodeHolder(msgspec.Struct, frozen=True):
    """The containers of one application on a reserved node."""

    application: str
    containers: int
    size: Amounts  # Total of these containers
    waits: bool  # True if it waits for something itself


class Release(msgspec.Struct, frozen=True):
    """The instant at which a reserved node has room for the reserved container, if nothing more comes from outside."""

    outcome: str
    """`fits` now; `ends`: running containers end, `preempted`: they are preempted; `dropped`: the reservation goes
    first, `given_elsewhere`: for it got its container on another node, `ended`: for the application ended; `never`:
    nothing is allocated any more; `later`: not before an instant; empty: not looked at yet."""
    time_ms: int | None = None  # The instant; of `later` the end of the lookahead [epoch ms]
    by: tuple[NodeHolder, ...] = ()
    """For `ends` and `preempted` the holders whose containers make room, the last to do so first; for `never` those
    on the node, those with most memory first."""
    from_ms: int | None = None  # The instant it is said of [epoch ms]


SOME_NODE: Final = ""  # The node of a reservation whose place is not known


class ReservationRow(msgspec.Struct, frozen=True, gc=False):
    """One node held for one application."""

    node: str  # `host:port`, or `SOME_NODE`
    application: str
    queue: str
    size: Amounts | Unknown
    free: Amounts
    short_by: Amounts | Unknown  # Missing amount per dimension, at least 0
    since_ms: int | Unknown
    released: Release | Unknown = UNKNOWN  # The applications that could free the node, and the instant


class ContainerRow(msgspec.Struct, frozen=True, gc=False):
    """One container that is allocated or reserved, or that its node has not let go of yet."""

    id: str  # `container_<cluster timestamp>_<application>_<attempt>_<number>`
    application: str
    node: str  # `host:port`
    queue: str
    user: str
    priority: int | Unknown
    size: Amounts
    state: str  # RMContainerState: `RESERVED`, `ALLOCATED`, `ACQUIRED`, `RUNNING`, or of one that ended how it did
    since_ms: int | Unknown  # Instant of its allocation or, while it is reserved, of its reservation [epoch ms]
    is_am: bool  # True if the application's master runs in it
    marked_ms: int | None | Unknown  # Instant at which it was marked for preemption [epoch ms]; None when it is not


class UserRow(msgspec.Struct, frozen=True, gc=False):
    """One user with a live application, and what all of those hold and want together."""

    user: str
    queues: tuple[str, ...]  # The queues of those applications, sorted
    applications_running: int
    applications_pending: int  # Live ones that do not run yet
    containers: int
    used: Amounts
    reserved: Amounts | Unknown
    pending_containers: int | Unknown
    pending: Amounts | Unknown  # Sum of the unmet asks
    share: float  # Share of the cluster's total, in the dimension used most [fraction 0–1]


class ExecutorRow(msgspec.Struct, frozen=True):
    application: int
    executor: int
    worker: str  # `host:port`
    cores: int
    memory_mb: int
    profile: int
    state: str
    launched_ms: int
    busy: int | Unknown = UNKNOWN  # Cores that run a task; only the application's driver can tell


SECTIONS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "queues": QueueRow,
    "nodes": NodeRow,
    "applications": ApplicationRow,
    "reservations": ReservationRow,
    "users": UserRow,
    "executors": ExecutorRow,
    "containers": ContainerRow,
}
"""Every section there may be → its rows; a kind of control plane has some of them, and may have more in its rows."""


@runtime_checkable
class Findable(Protocol):
    """Rows that find one by its id without making the others."""

    def place_of(self, row_id: str) -> int | None:
        """Return the place of the row with an id; None when it is not here."""


@runtime_checkable
class Snapshot(Protocol):
    """A picture of a cluster at one instant; while the cluster stands, building a section twice gives the same rows."""

    header: Header
    dialect: str  # The kind of control plane (`ClusterView.kind`), by which a screen chooses its words: `yarn`, `spark`
    sections: Mapping[str, type[msgspec.Struct]]  # Section → the type of its rows, whose fields are its columns

    def version(self, section: str) -> int:
        """A number that changes when the section's rows may have changed. `section` is one of `sections`."""

    def queues(self) -> Sequence[QueueRow]:
        """All queues, in tree order."""

    def nodes(self) -> Sequence[NodeRow]:
        """All nodes, also those that are down."""

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """All live and the remembered finished applications.

        With `why` off the rows have no refusals, whose making looks at every node.
        """

    def reservations(self) -> Sequence[ReservationRow]:
        """All reservations, in order of node; none where nodes cannot be reserved."""
        return ()

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """All containers, node by node, or only those of an application, of a node, or of both, by id.

        Rows may be made when they are looked at, as there may be very many. None where the cluster has none.
        """
        return ()

    def users(self) -> Sequence[UserRow]:
        """Everybody with a live application, by name."""

    def executors(self) -> Sequence[ExecutorRow]:
        """Live executors, application by application; none where there are containers."""
        return ()
