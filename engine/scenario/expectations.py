"""A scenario's expectations: predicates on its state at instants or over stretches of time."""

from typing import Final, Literal, Self

from pydantic import model_validator

from engine.scenario.parts import DurationMs, InstantMs, Part

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
        "state": "its YarnApplicationState",
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


class Expectation(Part):
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
