"""Computes the value of an expectation's measure in a picture of the cluster."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from engine.model.lifecycle import still_live
from engine.observe.section import glimpses
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
)
from engine.scenario import Expectation

Measured: TypeAlias = int | float | str | tuple[str, ...] | None
"""None when there is nothing to measure (no such queue, node or application), or the source cannot tell."""


def measure(expectation: Expectation, snapshot: Snapshot) -> Measured:
    """The value of a measure of the cluster, a queue, a node, an application, or of several; not of `decisions`."""
    return _SUBJECTS[expectation.of](expectation, snapshot)


def matches(row: ApplicationRow, name: str) -> bool:
    """Tell whether a name means this application: its id, the end of its id's number, or what its user called it.

    `183354` means `application_1507795051888_183354`; so does `54` where no other number ends so; `d0001` a driver.
    """
    if name[:1] == "d" and name[1:].isdigit():
        return row.id.startswith("driver-") and row.id.endswith(name[1:])
    return name in (row.id, row.name) or (name.isdigit() and row.id.endswith(name))


def find_application(rows: Sequence[ApplicationRow], name: str) -> ApplicationRow | None:
    """The one application a name means, a live one before ended ones; None when none or several are meant."""
    meant = [row for row in rows if matches(row, name)]
    exact = [row for row in meant if str(row.number) == name.lstrip("0") or row.id == name]
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
    """The measures every subject that uses something has."""
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
    """Idle slots that none of the waiting tasks can use; a kind with an idle slot makes nobody wait."""
    header = snapshot.header
    idle = [total - used for total, used in zip(header.total, header.used, strict=True)]
    rows = snapshot.applications(why=False)
    asks = [ask for row in rows for ask in row.listed_asks]
    waited_for = [any(ask.size[kind] for ask in asks) for kind in range(len(idle))]
    return sum(idle[1 - kind] for kind in range(len(idle)) if idle[kind] <= 0 and waited_for[kind])


def _below_root(path: str) -> str:
    """A queue's path without `root.`, which queues of YARN have and pools do not."""
    return path.removeprefix("root.")


def _queue(expectation: Expectation, snapshot: Snapshot) -> Measured:
    path = _below_root(expectation.queue or "")
    row = next((row for row in snapshot.queues() if _below_root(row.path) == path), None)
    return None if row is None else _queue_value(expectation.what, row, snapshot.header)


def _queue_value(what: str, row: QueueRow, header: Header) -> Measured:
    if what in _USAGE:
        return _usage(what, row.used, header)
    amounts = {"fair_share_mb": row.fair_share, "steady_share_mb": row.steady_share, "demand_mb": row.demand}
    if what in amounts:
        return _of(amounts[what], header, "memory_mb")
    return row.applications_running if what == "applications_running" else row.applications_pending


def _node(expectation: Expectation, snapshot: Snapshot) -> Measured:
    row = next((row for row in snapshot.nodes() if expectation.node in (row.id, row.host)), None)
    return None if row is None else _node_value(expectation.what, row, snapshot.header)


def _node_value(what: str, row: NodeRow, header: Header) -> Measured:
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


def _application(expectation: Expectation, snapshot: Snapshot) -> Measured:
    rows = snapshot.applications(why=expectation.what == "refusal")
    row = find_application(rows, expectation.application or "")
    if row is None:
        return None
    if expectation.what in _USAGE:
        return _usage(expectation.what, row.used, snapshot.header)
    values: Mapping[str, Measured] = {
        "state": row.state,
        "queue": row.queue,
        "containers": row.containers,
        "refusal": "" if row.obstacle is None else row.obstacle.code,
        "reservations": known(row.reservations),
        "pending_containers": known(row.pending_containers),
        "jobs_done": row.jobs_done if row.lifespan else None,
        "idle_containers": row.idle_containers if row.lifespan else None,
    }
    return values[expectation.what]


def _applications(expectation: Expectation, snapshot: Snapshot) -> Measured:
    queue = None if expectation.queue is None else _below_root(expectation.queue)
    return sum(
        expectation.state in (None, row.state)
        and queue in (None, _below_root(row.queue))
        and expectation.name in (None, row.name)
        for row in glimpses(snapshot.applications(why=False))
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


_SUBJECTS: Final[Mapping[str, Callable[[Expectation, Snapshot], Measured]]] = {
    "cluster": _cluster,
    "queue": _queue,
    "node": _node,
    "application": _application,
    "applications": _applications,
    "reservations": _reservations,
}
