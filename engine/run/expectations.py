"""Expectations watched while a scenario is played: which hold, which fail, when and why."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from engine.model.decision import Allocated, Completed, Killed, Reserved, Unreserved, Warned
from engine.model.lifecycle import EARLIER_STATES, still_live
from engine.observe.snapshot import (
    UNKNOWN,
    Amounts,
    ApplicationRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    Snapshot,
    Unknown,
    known,
    lazy_rows,
)
from engine.observe.snapshots import terms_of
from engine.scenario import Expectation
from engine.simulation.records import Record, Submitted

# Computes the value of an expectation's measure in a picture of the cluster.

Measured: TypeAlias = int | float | str | tuple[str, ...] | None
"""None when there is nothing to measure (no such queue, node or application), or the source cannot tell."""


def measure(expectation: Expectation, snapshot: Snapshot) -> Measured:
    """The value of a measure of the cluster, a queue, a node, an application, or of several; not of `decisions`."""
    return _SUBJECTS[expectation.of](expectation, snapshot)


def matches(row: ApplicationRow, name: str) -> bool:
    """Tell whether a name means this application: its id, the end of its id's number, or what its user called it.

    `183354` means `application_1507795051888_183354`; so does `54` where no other number ends so; `d0001` a driver.
    """
    is_driver = row.id.startswith("driver-") and name[:1] == "d" and name[1:].isdigit()
    end = name[1:] if is_driver else name
    return name in (row.id, row.name) or (end.isdigit() and row.id.endswith(end))


def find_application(rows: Sequence[ApplicationRow], name: str) -> ApplicationRow | None:
    """The one application a name means, a live one before ended ones; None when none or several are meant."""
    meant = [row for row in rows if matches(row, name)]
    exact = [row for row in meant if str(row.number) == name.lstrip("0") or name in (row.id, row.name)]
    live = still_live(exact or meant)
    found = live or exact or meant
    return found[0] if len(found) == 1 else None


def _of(amounts: Amounts | Unknown | None, header: Header, dimension: str) -> int | None:
    if not isinstance(amounts, tuple) or dimension not in header.dimensions:
        return None
    return amounts[header.dimensions.index(dimension)]


def _share(amounts: Amounts, header: Header, dimension: str) -> float | None:
    part, whole = _of(amounts, header, dimension), _of(header.total, header, dimension)
    return None if part is None or not whole else part / whole


def _usage(what: str, used: Amounts, header: Header) -> int | float | None:
    kind, _, suffix = what.rpartition("_")
    if suffix == "share":
        return _share(used, header, "memory_mb" if kind == "memory" else "vcores")
    return _of(used, header, what.removeprefix("used_"))


_USAGE: Final = (
    "used_memory_mb",
    "used_vcores",
    "used_cores",
    "used_map_slots",
    "used_reduce_slots",
    "memory_share",
    "vcores_share",
)


def _cluster(expectation: Expectation, snapshot: Snapshot) -> Measured:
    header = snapshot.header
    values: Mapping[str, Callable[[], Measured]] = {
        "reserved_memory_mb": lambda: _of(header.reserved, header, "memory_mb"),
        "slots_share": lambda: (
            sum(header.used) / sum(header.total) if _has_slots(header) and any(header.total) else None
        ),
        "wrong_kind_slots": lambda: _wrong_kind_slots(snapshot) if _has_slots(header) else None,
        "nodes": lambda: header.nodes,
        "nodes_reserved": lambda: known(header.nodes_reserved),
        "containers": lambda: header.containers,
    }
    if expectation.what in _USAGE:
        return _usage(expectation.what, header.used, header)
    return values[expectation.what]()


def _has_slots(header: Header) -> bool:
    return "map_slots" in header.dimensions


def _wrong_kind_slots(snapshot: Snapshot) -> int:
    """Idle slots that none of the waiting tasks can use; a kind with an idle slot makes no job wait."""
    header = snapshot.header
    idle = [total - used for total, used in zip(header.total, header.used, strict=True)]
    rows = snapshot.applications(why=False)
    asks = [ask for row in rows for ask in row.listed_asks]
    waited_for = [any(ask.size[kind] for ask in asks) for kind in range(len(idle))]
    return sum(idle[1 - kind] for kind in range(len(idle)) if idle[kind] <= 0 and waited_for[kind])


def _queue_row(expectation: Expectation, snapshot: Snapshot) -> QueueRow | None:
    path = (expectation.queue or "").removeprefix("root.")
    return next((row for row in snapshot.queues() if row.path.removeprefix("root.") == path), None)


def _queue(expectation: Expectation, snapshot: Snapshot) -> Measured:
    row = _queue_row(expectation, snapshot)
    if row is None:
        return None
    what, header = expectation.what, snapshot.header
    if what in _USAGE:
        return _usage(what, row.used, header)
    amounts = {"fair_share_mb": row.fair_share, "steady_share_mb": row.steady_share, "demand_mb": row.demand}
    if what in amounts:
        return _of(amounts[what], header, "memory_mb")
    return row.applications_running if what == "applications_running" else row.applications_pending


def _node_row(expectation: Expectation, snapshot: Snapshot) -> NodeRow | None:
    return next((row for row in snapshot.nodes() if expectation.node in (row.id, row.host)), None)


def _node(expectation: Expectation, snapshot: Snapshot) -> Measured:
    row = _node_row(expectation, snapshot)
    if row is None:
        return None
    what, header = expectation.what, snapshot.header
    if what in _USAGE:
        return _usage(what, row.used, header)
    if what == "reserved_by":
        return None if row.reserved_by is UNKNOWN else str(row.reserved_by or "").rpartition("_")[2]
    values: Mapping[str, Measured] = {
        "free_memory_mb": _of(row.free, header, "memory_mb"),
        "containers": row.containers,
        "state": row.state,
    }
    return values[what]


def _application_row(expectation: Expectation, snapshot: Snapshot) -> ApplicationRow | None:
    rows = snapshot.applications(why=expectation.what == "refusal")
    return find_application(rows, expectation.application or "")


def _application(expectation: Expectation, snapshot: Snapshot) -> Measured:
    row = _application_row(expectation, snapshot)
    if row is None:
        return None
    if expectation.what in _USAGE:
        return _usage(expectation.what, row.used, snapshot.header)
    wanted = expectation.equals
    values: Mapping[str, Measured] = {
        "state": str(wanted) if _is_state(wanted, row.state) else row.state,
        "queue": row.queue,
        "containers": row.containers,
        "refusal": "" if row.obstacle is None else row.obstacle.code,
        "reservations": known(row.reservations),
        "pending_containers": known(row.pending_containers),
        "jobs_done": row.jobs_done if row.lifespan else None,
        "idle_containers": row.idle_containers if row.lifespan else None,
    }
    return values[expectation.what]


def _is_state(wanted: object, state: str) -> bool:
    return wanted == state or (isinstance(wanted, str) and EARLIER_STATES.get(wanted) == state)


def _applications(expectation: Expectation, snapshot: Snapshot) -> Measured:
    queue = None if expectation.queue is None else expectation.queue.removeprefix("root.")
    return sum(
        (expectation.state is None or _is_state(expectation.state, row.state))
        and queue in (None, row.queue.removeprefix("root."))
        and expectation.name in (None, row.name)
        for row in lazy_rows(snapshot.applications(why=False))
    )


def _reservations(expectation: Expectation, snapshot: Snapshot) -> Measured:
    rows: Sequence[ReservationRow] = snapshot.reservations()
    if expectation.application is not None:
        row = find_application(snapshot.applications(why=False), expectation.application)
        rows = [one for one in rows if row is not None and one.application == row.id]
    if expectation.what == "count":
        return len(rows)
    if expectation.what == "nodes":
        return tuple(sorted(row.node.rpartition(":")[0] for row in rows))
    return sum(_of(row.size, snapshot.header, "memory_mb") or 0 for row in rows)


_ROWS: Final[Mapping[str, Callable[[Expectation, Snapshot], object]]] = {
    "queue": _queue_row,
    "node": _node_row,
    "application": _application_row,
}
"""Subject that is called by a name → its row, None where there is none."""


def missing(expectation: Expectation, snapshot: Snapshot) -> str:
    """Why there is nothing to measure: what it asks about is not there, or has no such figure."""
    of = expectation.of
    if of in _ROWS and _ROWS[of](expectation, snapshot) is None:
        return f"there was no {of} {getattr(expectation, of)}"
    if expectation.what.endswith("_share") and not any(snapshot.header.total):
        return f"no {terms_of(snapshot.header).node} was in service"
    return f"this {of} has no {expectation.what}"


_SUBJECTS: Final[Mapping[str, Callable[[Expectation, Snapshot], Measured]]] = {
    "cluster": _cluster,
    "queue": _queue,
    "node": _node,
    "application": _application,
    "applications": _applications,
    "reservations": _reservations,
}

_KINDS: Final[dict[str, Callable[[Record], bool]]] = {
    "allocated": lambda record: isinstance(record, Allocated),
    "reserved": lambda record: isinstance(record, Reserved),
    "unreserved": lambda record: isinstance(record, Unreserved),
    "warned": lambda record: isinstance(record, Warned),
    "preempted": lambda record: isinstance(record, Killed) and record.cause == "PREEMPTED",
    "killed": lambda record: isinstance(record, Killed),
    "completed": lambda record: isinstance(record, Completed),
    "submitted": lambda record: isinstance(record, Submitted) and not record.rejected,
    "rejected": lambda record: isinstance(record, Submitted) and bool(record.rejected),
}
"""Measure of `decisions` → whether a record counts."""


class Result(msgspec.Struct, frozen=True):
    expectation: Expectation
    verdict: str  # `met`, `failed`, or `open` when the run ended before it could be judged
    time_ms: int | None = None  # Ms after the start: when it was met or failed; None while open
    value: Measured = None  # What was measured then
    missing: str = ""  # Why there was nothing to measure

    @property
    def sentence(self) -> str:
        wanted = describe(self.expectation)
        if self.verdict != "failed":
            return wanted
        return f"{wanted}; {self.missing or f'it was {_written(self.value)}'}"


class Watch:
    """One expectation and what is known of it so far; times are ms after the start."""

    __slots__ = ("count", "end_ms", "expectation", "first_ms", "result")

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self.count = 0
        self.result: Result | None = None
        at = expectation.at_ms
        self.first_ms = expectation.since_ms if at is None else at  # from here on it is looked at
        self.end_ms = self._end_ms()  # here it is judged at the latest

    def _end_ms(self) -> int:
        one = self.expectation
        if one.at_ms is not None:
            return one.at_ms
        if one.until_ms is not None:
            return one.until_ms
        return one.since_ms + (one.within_ms or 0)

    def counts_at(self, now_ms: int) -> bool:
        """Tell whether what happens now counts: at the one instant, or after `since` up to the end."""
        if self.expectation.at_ms is not None:
            return now_ms == self.end_ms
        return self.first_ms < now_ms <= self.end_ms

    def judge(self, now_ms: int, value: Measured) -> None:
        """Look at the value at an instant when everything of it has happened."""
        one = self.expectation
        good = holds(one, value)
        is_last = now_ms >= self.end_ms
        is_final = is_last or (not good and self._stays_bad()) if one.within_ms is None else is_last or good
        if is_final:
            self.result = Result(one, "met" if good else "failed", now_ms, value)

    def _stays_bad(self) -> bool:
        """Tell whether a value that breaks it now has broken it: counts may still grow up to what is wanted."""
        one = self.expectation
        if one.of != "decisions":
            return True
        most = one.at_most if one.at_most is not None else one.equals
        return isinstance(most, int | float) and self.count > most


class Watches:
    """All expectations of a scenario; a listener that counts decisions and judges after each instant."""

    def __init__(self, expectations: Sequence[Expectation], start_ms: int) -> None:
        self._start_ms = start_ms
        self._open = [Watch(expectation) for expectation in expectations]
        self._all = list(self._open)
        self._names: dict[int, str] = {}

    def bounds(self) -> list[int]:
        """The instants [ms after the start] at which something has to be judged, sorted."""
        return sorted({time for watch in self._all for time in (watch.first_ms, watch.end_ms)})

    def stretches(self, measures: Collection[str]) -> list[tuple[int, int]]:
        """(first, last) instant [ms after the start] of the expectations that take one of these measures."""
        return [(watch.first_ms, watch.end_ms) for watch in self._all if watch.expectation.what in measures]

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        now = time_ms - self._start_ms
        for record in records:
            if isinstance(record, Submitted):
                self._names[record.application] = record.name
        for watch in self._open:
            if watch.expectation.of == "decisions" and watch.counts_at(now):
                watch.count += sum(self._is_meant(watch.expectation, record) for record in records)

    def _is_meant(self, expectation: Expectation, record: Record) -> bool:
        if not _KINDS[expectation.what](record):
            return False
        if expectation.node is not None and expectation.node not in _nodes(record):
            return False
        wanted = expectation.application
        if wanted is None:
            return True
        number = record.application if isinstance(record, Submitted) else getattr(record, "container", (0,))[0]
        end = wanted.rpartition("_")[2]
        return self._names.get(number) == wanted or (end.isdigit() and f"{number:04d}".endswith(end))

    def is_watching(self, now_ms: int) -> bool:
        """Tell whether any expectation may change its verdict at this instant [ms after the start]."""
        return any(watch.first_ms <= now_ms for watch in self._open)

    def judge(self, now_ms: int, snapshot: Snapshot) -> None:
        """Look at everything that is due once all of an instant [ms after the start] has happened."""
        for watch in self._open:
            if watch.first_ms <= now_ms:
                is_count = watch.expectation.of == "decisions"
                watch.judge(now_ms, watch.count if is_count else measure(watch.expectation, snapshot))
                if watch.result is not None and watch.result.value is None:
                    watch.result = msgspec.structs.replace(watch.result, missing=missing(watch.expectation, snapshot))
        self._open = [watch for watch in self._open if watch.result is None]

    def results(self) -> tuple[Result, ...]:
        return tuple(watch.result or Result(watch.expectation, "open") for watch in self._all)


def _nodes(record: Record) -> tuple[str, str]:
    node: str = getattr(record, "node", "")
    return node, node.rpartition(":")[0]


def holds(expectation: Expectation, value: Measured) -> bool:
    """Tell whether a measured value meets the condition; nothing to measure meets none."""
    if value is None:
        return False
    if expectation.equals is not None:
        wanted = expectation.equals
        return value == (tuple(sorted(wanted)) if isinstance(wanted, tuple) else wanted)
    if not isinstance(value, int | float):
        return False
    low, high = expectation.at_least, expectation.at_most
    return (low is None or value >= low) and (high is None or value <= high)


def describe(expectation: Expectation) -> str:
    """An expectation in words, without its time.

    >>> describe(Expectation(at_ms=0, of="queue", queue="prod", what="used_memory_mb", at_least=1, at_most=3))
    'queue prod used_memory_mb at least 1 and at most 3'
    """
    one = expectation
    which = [f"{key} {value}" for key in _WHICH if (value := getattr(one, key)) is not None]
    subject = [] if one.of in ("queue", "node", "application") else [one.of]
    bounds = [f"at least {one.at_least}"] if one.at_least is not None else []
    bounds += [f"at most {one.at_most}"] if one.at_most is not None else []
    condition = " and ".join(bounds) if one.equals is None else f"= {_written(one.equals)}"
    return " ".join([*subject, *which, one.what, condition])


_WHICH: Final = ("queue", "node", "application", "state", "name")


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value) or "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value) or "none"
