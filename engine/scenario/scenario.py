"""The scenario as a whole."""

import hashlib
import json
import operator
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, Field, ValidationInfo, WithJsonSchema, field_validator, model_validator

from engine.scenario.acts import ScriptedAct, ScriptedFault
from engine.scenario.applications import ApplicationSpec, ScriptedSpec
from engine.scenario.cluster import (
    ClusterSpec,
    DurationMs,
    InstantMs,
    JavaInt,
    MemoryMb,
    PositiveCount,
    PositiveInt,
    QueueSpec,
    ScenarioModel,
    Size,
    SpanMs,
    allocations_xml,
)
from engine.units import EPOCH

# A scenario's expectations: predicates on its state at instants or over stretches of time.

Subject = Literal["cluster", "queue", "node", "application", "applications", "reservations", "decisions"]

MEASURES: Final[dict[str, dict[str, str]]] = {
    "cluster": {
        "used_memory_mb": "memory of all containers [MB]",
        "used_vcores": "vcores of all containers",
        "used_cores": "on Spark: cores of all executors and drivers",
        "used_map_slots": "on MapReduce 1: map slots of all attempts",
        "used_reduce_slots": "on MapReduce 1: reduce slots of all attempts",
        "memory_share": "used / total memory, 0 to 1",
        "vcores_share": "used / total vcores, 0 to 1",
        "slots_share": "on MapReduce 1: used / total slots of both kinds, 0 to 1",
        "wrong_kind_slots": "on MapReduce 1: idle slots while tasks wait for slots of the other kind, all taken",
        "reserved_memory_mb": "memory of all reservations [MB]",
        "nodes": "nodes that are up",
        "nodes_reserved": "nodes held by a reservation",
        "containers": "live containers",
    },
    "queue": {
        "used_memory_mb": "memory of its containers [MB]",
        "used_vcores": "vcores of its containers",
        "memory_share": "used memory / cluster memory, 0 to 1",
        "vcores_share": "used vcores / cluster vcores, 0 to 1",
        "fair_share_mb": "instantaneous fair share of memory [MB]",
        "steady_share_mb": "steady fair share of memory [MB]",
        "demand_mb": "memory it has and asks for [MB]",
        "applications_running": "applications that are RUNNING",
        "applications_pending": "applications that wait to run",
    },
    "node": {
        "used_memory_mb": "memory of its containers [MB]",
        "used_vcores": "vcores of its containers",
        "used_cores": "on Spark: cores of its executors and drivers",
        "used_map_slots": "on MapReduce 1: map slots of its attempts",
        "used_reduce_slots": "on MapReduce 1: reduce slots of its attempts",
        "free_memory_mb": "memory left [MB]",
        "containers": "containers on it",
        "reserved_by": "end of the id of the application that holds it; empty when none does",
        "state": "its NodeState",
    },
    "application": {
        "state": "its state, as its control plane calls it",
        "queue": "path of its queue",
        "used_memory_mb": "memory of its containers [MB]",
        "used_vcores": "vcores of its containers",
        "used_cores": "on Spark: cores of its executors",
        "used_map_slots": "on MapReduce 1: map slots of its attempts",
        "used_reduce_slots": "on MapReduce 1: reduce slots of its attempts",
        "memory_share": "used memory / cluster memory, 0 to 1",
        "vcores_share": "used vcores / cluster vcores, 0 to 1",
        "refusal": "code of the reason why it waits; empty when it does not",
        "containers": "live containers, the application master's included",
        "reservations": "nodes it holds reserved",
        "pending_containers": "containers it still asks for",
        "jobs_done": "of a session or service: jobs that have ended",
        "idle_containers": "of a session or service: containers that run nothing",
    },
    "applications": {"count": "how many; `state`, `queue` and `name` narrow it down"},
    "reservations": {
        "count": "how many; `application` narrows it down",
        "nodes": "hosts reserved, in any order; `application` narrows it down",
        "memory_mb": "memory reserved [MB]; `application` narrows it down",
    },
    "decisions": {
        "allocated": "containers allocated in the stretch of time",
        "reserved": "reservations made",
        "unreserved": "reservations dropped",
        "warned": "containers marked for preemption",
        "preempted": "containers killed by preemption",
        "killed": "containers killed for any cause",
        "completed": "containers ended by themselves",
        "submitted": "applications submitted and taken",
        "rejected": "applications refused",
    },
}
"""Per subject: what may be asked of it, and what it means."""

NARROWED_BY: Final[dict[str, frozenset[str]]] = {
    "cluster": frozenset(),
    "queue": frozenset({"queue"}),
    "node": frozenset({"node"}),
    "application": frozenset({"application"}),
    "applications": frozenset({"state", "queue", "name"}),
    "reservations": frozenset({"application"}),
    "decisions": frozenset({"application", "node"}),
}
"""Per subject: the keys that say which one, needed where it is called like the subject, else narrowing down."""

Value = bool | int | float | str | tuple[str, ...]


class Expectation(ScenarioModel):
    """One predicate: a measure of a subject, a condition, and when it has to hold.

    Exactly one of `at` (it holds at that instant, after everything of the instant has happened), `within` (it comes
    true at some instant of `since` … `since + within`) and `until` (it holds throughout `since` … `until`). Of
    `decisions`, `until` and `within` count what happened after `since`, `at` what happened at that instant.
    """

    about: str = ""
    """What it means, in words."""
    at_ms: InstantMs | None = None
    since_ms: InstantMs = 0
    """Where the stretch of `within` and `until` begins."""
    within_ms: DurationMs | None = None
    """Comes true within so long after `since`."""
    until_ms: InstantMs | None = None
    """Holds throughout, from `since` to this instant."""
    of: Subject
    """The subject that is measured."""
    queue: str | None = None
    """The path of the queue."""
    node: str | None = None
    """The host of the node."""
    application: str | None = None
    """The id of the application, a unique end of it, or its name."""
    state: str | None = None
    name: str | None = None
    what: str
    """A key of `MEASURES` of the subject."""
    equals: Value | None = None
    """The value it must have."""
    at_least: float | int | None = None
    """The smallest value it may have."""
    at_most: float | int | None = None
    """The largest value it may have."""

    @model_validator(mode="after")
    def _one_time(self) -> Self:
        given = [key for key in ("at", "within", "until") if getattr(self, f"{key}_ms") is not None]
        if len(given) != 1:
            raise ValueError(f"needs exactly one of at, within and until, has {' and '.join(given) or 'none'}")
        if self.until_ms is not None and self.until_ms < self.since_ms:
            raise ValueError("until is before since")
        return self

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        bounds = self.at_least is not None or self.at_most is not None
        if (self.equals is not None) == bounds:
            raise ValueError("needs either equals, or at_least and / or at_most")
        return self

    @model_validator(mode="after")
    def _known_measure(self) -> Self:
        if self.what not in MEASURES[self.of]:
            raise ValueError(f"{self.what!r} is not a measure of {self.of}; there is {', '.join(MEASURES[self.of])}")
        allowed = NARROWED_BY[self.of]
        given = {key for key in ("queue", "node", "application", "state", "name") if getattr(self, key) is not None}
        if given - allowed:
            raise ValueError(f"{min(given - allowed)} does not go with {self.of}")
        if self.of in ("queue", "node", "application") and not given:
            raise ValueError(f"the {self.of} is missing: {self.of} = ...")
        return self


# Applications that are there when a scenario starts, taken over as they stand, and what had to be assumed of them.
#
# A ResourceManager that starts again takes over what nodes and masters tell it; a scenario may open with the same. In
# contrast to `running`, whose containers a policy must give, what stands here may be beyond any limit.


class RecoveredContainers(ScenarioModel):
    """Alike containers that run on one node."""

    node: str = Field(min_length=1)
    """Host, or `host:port`."""
    memory_mb: MemoryMb
    vcores: JavaInt = 1
    count: PositiveCount = 1
    priority: JavaInt = 0
    ask: JavaInt | None = None
    """Place of the ask of the application that they answer; without it they are its master's own container."""
    since_ms: InstantMs = 0
    """When they were allocated."""
    remaining_ms: SpanMs = None
    """How long each runs on from the start; for ever by default. Of a master: how long it stays at least."""


class RecoveredReservation(ScenarioModel):
    """A node that is reserved."""

    node: str = Field(min_length=1)
    memory_mb: MemoryMb
    vcores: JavaInt = 1
    priority: JavaInt = 0
    since_ms: InstantMs = 0


class RecoveredSpec(ScenarioModel):
    """An application with what it holds; its `at` is when it was submitted, its asks count what it has, too."""

    application: ScriptedSpec
    attempt: PositiveInt = 1
    """The number of the attempt that lives."""
    registered: bool = True
    """Whether its master has registered; one without a container has not."""
    waiting_since_ms: InstantMs | None = None
    """Since when it has an ask that is not met; without it, while it has one, since the start."""
    containers: tuple[RecoveredContainers, ...] = ()
    """In the order they were allocated."""
    reserved: tuple[RecoveredReservation, ...] = ()

    @property
    def master(self) -> RecoveredContainers | None:
        return next((each for each in self.containers if each.ask is None), None)

    @property
    def has_master(self) -> bool:
        return self.application.am is None or self.master is not None

    @model_validator(mode="after")
    def _has_one_master_at_most(self) -> Self:
        masters = sum(each.count for each in self.containers if each.ask is None)
        most = 0 if self.application.am is None else 1
        if masters > most:
            raise ValueError(f"has {masters} containers without an ask; only a master's has none, so at most {most}")
        if not (self.has_master and self.registered) and any(each.ask is not None for each in self.containers):
            raise ValueError("holds containers that answer asks without a registered master")
        return self

    @model_validator(mode="after")
    def _answers_its_asks(self) -> Self:
        asks = self.application.asks
        held = [0] * len(asks)
        for each in self.containers:
            if each.ask is not None:
                if each.ask >= len(asks):
                    raise ValueError(f"a container answers ask {each.ask}; there are {len(asks)}, counted from 0")
                held[each.ask] += each.count
        for place, (ask, count) in enumerate(zip(asks, held, strict=True)):
            if count > ask.count and not ask.each_node:
                raise ValueError(f"{count} containers answer ask {place}, which is for {ask.count}")
        return self

    @model_validator(mode="after")
    def _is_one_that_was_submitted(self) -> Self:
        application = self.application
        if application.at_ms > 0:
            raise ValueError("its application is submitted after the start")
        if application.repeat is not None or application.waits:
            raise ValueError("its application has repeat or waits, which mean nothing of what runs already")
        return self


class Assumption(ScenarioModel):
    """One thing that is not known, and what is taken for it."""

    what: Literal[
        "arrivals",
        "asks",
        "durations",
        "holders",
        "places",
        "queues",
        "release",
        "remaining",
        "reservations",
        "rhythm",
        "settings",
        "sizes",
    ]
    """`remaining` is how long containers run of which nothing tells, `durations` where something does; `sizes` is how
    large the containers are for which nodes are reserved, `holders` for whom."""
    sentence: str
    applications: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Ids of those it is about; empty for the cluster."""
    least: Size | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of `sizes`: what is played, the least that is possible."""
    most: Size | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of `sizes`: the most that is possible."""

    @property
    def words(self) -> str:
        """The sentence, and how many it is about where it is about several."""
        about = len(self.applications)
        return f"{self.sentence}{f' ({about} applications)' if about > 1 else ''}"


# Applications that run when a scenario starts: a policy gives them what they hold before the first instant.


class PlacedContainers(ScenarioModel):
    """Containers that run on a node when the scenario starts."""

    node: str = Field(min_length=1)
    """Host, or `host:port`."""
    memory_mb: MemoryMb
    vcores: JavaInt = 1
    count: PositiveCount = 1
    priority: int | None = None
    """The ask they answer; without it the application's first ask of this size."""
    master: bool = False
    """True for the application master's own container."""


class ReservedNode(ScenarioModel):
    """A node that is reserved when the scenario starts."""

    node: str = Field(min_length=1)
    memory_mb: MemoryMb
    vcores: JavaInt = 1
    priority: int | None = None


class RunningSpec(ScenarioModel):
    """An application that runs when the scenario starts, and what it holds.

    Containers placed are subtracted from what the application asks for; durations count from the start.
    """

    application: ApplicationSpec
    placed: tuple[PlacedContainers, ...] = ()
    reserved: tuple[ReservedNode, ...] = ()


_DOTTED: Final = WithJsonSchema({"type": "object"})
"""A file may write dotted keys as tables within tables, and values of any plain type."""


def family_of(policy: str) -> str:
    """The family of a policy: `fair`, `capacity`, `fifo`, `spark`, or `mr1` for every scheduler of a JobTracker.

    >>> family_of("capacity-3.4"), family_of("mr1-fair"), family_of("fifo-3.4")
    ('capacity', 'mr1', 'fifo')
    """
    return policy.partition("-")[0]


def system_of(policy: str) -> str:
    """The system that has a policy: `yarn`, `spark` or `mr1`, as snapshots and views call it, too.

    >>> system_of("capacity-3.4"), system_of("mr1-fair"), system_of("spark")
    ('yarn', 'mr1', 'spark')
    """
    family = family_of(policy)
    return family if family in {"spark", "mr1"} else "yarn"


class Scenario(ScenarioModel):
    """A cluster, its scheduler, what users submit, what fails, what an operator does, and what is expected.

    Instants count from `start`; the engine's own time is epoch ms (`start_ms` + instant).
    """

    name: str = ""
    """Its short name; the file's name without suffix when not given."""
    title: str = ""
    """One line that names what it shows."""
    about: str = ""
    """What it shows and what to look at; the file's leading comment when not given."""
    start: AwareDatetime = datetime(2024, 1, 1, tzinfo=UTC)
    """Date and time of the beginning, with its zone."""
    seed: int = 0
    """Seed of everything random: heartbeat phases, durations, places of blocks."""
    duration_ms: InstantMs = Field(default=3_600_000, gt=0)
    """When a run ends where no other end is given; `"14:30"`, `"2h"` or seconds in a file."""
    scheduler: Literal[
        "fifo",
        "fifo-3.4",
        "capacity-2.7",
        "capacity-3.4",
        "fair-2.7",
        "fair-3.4",
        "spark",
        "mr1-fifo",
        "mr1-fair",
        "mr1-capacity",
    ] = "fair-2.7"
    """Policy and release."""
    settings: Annotated[dict[str, str], _DOTTED] = Field(default={})
    """Hadoop keys (yarn-site.xml) and our own switch (`schedlab.reservation.rule`) to their values."""
    allocations: str | None = None
    """Text of a fair-scheduler.xml; not together with `queues`."""
    queues: tuple[QueueSpec, ...] = ()
    """The queues where there is no allocation file."""
    queue_defaults: Annotated[dict[str, str], _DOTTED] = Field(default={})
    """Top-level elements of the allocation file beside `queues`, e.g. `queueMaxAMShareDefault`."""
    cluster: ClusterSpec
    """Nodes and rhythms."""
    groups: dict[str, tuple[str, ...]] = Field(default={})
    """Groups of each user, the primary one first."""
    cluster_timestamp: int | None = Field(default=None, ge=0, lt=2**63)
    """The number in every id, epoch ms; without it the scenario's start."""
    first_application: PositiveInt = 1
    """Number of the first application that has none of its own."""
    running: tuple[RunningSpec, ...] = ()
    """Applications that run at the start."""
    recovered: tuple[RecoveredSpec, ...] = Field(default=(), exclude_if=operator.not_)
    """Applications taken over as they stand, in order of submission."""
    assumed: tuple[Assumption, ...] = Field(default=(), exclude_if=operator.not_)
    """What is not known of the cluster that it was made of, and what is played; answers that hang on it say so."""
    workload: tuple[ApplicationSpec, ...] = ()
    """Applications that users submit."""
    faults: tuple[ScriptedFault, ...] = ()
    """Acts that happen by themselves."""
    script: tuple[ScriptedAct, ...] = ()
    """Acts of an operator."""
    expectations: tuple[Expectation, ...] = ()
    """Predicates that a run is judged by."""

    @field_validator("settings", "queue_defaults", mode="before")
    @classmethod
    def _plain_texts(cls, value: object) -> object:
        """Nested tables become dotted keys; numbers and truth values become Hadoop's texts."""
        return flat_settings(value) if isinstance(value, dict) else value

    @field_validator("queues")
    @classmethod
    def _one_source(cls, value: tuple[QueueSpec, ...], info: ValidationInfo) -> tuple[QueueSpec, ...]:
        if value and info.data.get("allocations") is not None:
            raise ValueError("queues are given twice: as an allocation file and here")
        return value

    @field_validator("start")
    @classmethod
    def _start_is_within_the_calendar(cls, value: datetime) -> datetime:
        """Instants are counted from 1970, and a century later there must still be a calendar."""
        if not 1970 <= value.year < 2200:
            raise ValueError("is not between 1970 and 2199")
        return value

    @property
    def start_ms(self) -> int:
        return (self.start - EPOCH) // timedelta(milliseconds=1)

    @property
    def timestamp(self) -> int:
        return self.start_ms if self.cluster_timestamp is None else self.cluster_timestamp

    @property
    def era(self) -> str:
        """The era of Hadoop whose reading of files holds: `3.4` or `2.7`."""
        return "3.4" if self.scheduler.endswith("-3.4") else "2.7"

    def allocations_xml(self) -> str | None:
        """The fair-scheduler.xml of this scenario; None when it gives no queues at all."""
        if self.allocations is not None:
            return self.allocations
        return allocations_xml(self.queues, self.queue_defaults) if self.queues or self.queue_defaults else None

    @property
    def family(self) -> str:
        return family_of(self.scheduler)

    @property
    def system(self) -> str:
        return system_of(self.scheduler)

    @property
    def offset_ms(self) -> int:
        """Return how far east of Greenwich its clock is [ms]."""
        offset = self.start.utcoffset()
        return 0 if offset is None else int(offset.total_seconds() * 1000)

    def digest(self) -> str:
        """A hash of everything that can change what happens; the same in every process."""
        data = self.model_dump(mode="json", exclude={"name", "title", "about", "assumed", "expectations"})
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def flat_settings(table: dict[str, object]) -> dict[str, object]:
    """Nested tables as one with dotted keys, numbers and truth values as Hadoop's texts.

    >>> flat_settings({"yarn": {"acl.enable": True}, "a.b": 3})
    {'yarn.acl.enable': 'true', 'a.b': '3'}
    """
    return dict(_flat(table, ""))


POLICIES: Final[tuple[str, ...]] = tuple(Scenario.model_fields["scheduler"].annotation.__args__)  # type: ignore[union-attr]  # it is a Literal of texts


def _flat(table: dict[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, bool):
            yield prefix + key, str(value).lower()
        else:
            yield prefix + key, str(value) if isinstance(value, int | float) else value
