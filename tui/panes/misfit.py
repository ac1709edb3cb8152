"""Waits for one kind of place while another kind is free that may not be used: a partition, a kind of slots."""

from collections.abc import Mapping, Sequence, Set
from operator import itemgetter
from typing import Any, Final, NamedTuple

from engine.explain.alert import SOON_MS
from engine.observe.mr1_snapshot import JobRow
from engine.observe.snapshot import Amounts, ApplicationRow, CapacityQueueRow, NodeRow, Snapshot, lazy_rows
from engine.observe.snapshots import WAITS, services
from tui.terminal import format as text

KINDS: Final = ("map", "reduce")
Tasks = tuple[int, int, int]


def left(tasks: Tasks) -> int:
    """Tasks that neither run nor have finished; of running, finished, all."""
    return max(0, tasks[2] - tasks[1] - tasks[0])


def tasks_of(row: JobRow, kind: int) -> Tasks:
    """The tasks of a kind: running, finished, all."""
    return row.reduces if kind else row.maps


def kind_waiting(row: JobRow) -> int:
    """The kind of tasks that wait for a slot: reduces once no map does."""
    return 0 if left(row.maps) else 1


def chore_of(row: JobRow) -> str:
    """What alone it waits for: its setup task, or its cleanup task once it is killed or fails; else nothing."""
    if row.state != "RUNNING":
        return "setup"
    return "" if row.asks or not any(map(left, (row.maps, row.reduces))) else "cleanup"


NO_ACCESS, WRONG_KIND = "no-access", "wrong-kind"  # Kind of a state → its badge is in `alert.BADGES`


class Misfit(NamedTuple):
    kind: str
    headline: str
    since_ms: int  # Since when the longest waiting one waits [epoch ms]
    closed: str = ""  # The free room and the applications that may not use it, in words; empty of another kind


def misfit_of(snapshot: Snapshot) -> Misfit | None:
    """The state a cluster is in; None where none has waited so for long."""
    is_mr1, queues = snapshot.dialect == "mr1", snapshot.queues()
    opened = {row.path: opened_to(row) for row in queues if isinstance(row, CapacityQueueRow)}
    if not is_mr1 and len(set().union(*opened.values())) < 2:
        return None
    rows, latest_ms = snapshot.applications(why=False), snapshot.header.time_ms - SOON_MS
    waiting = [
        (row.waiting_since_ms, row)
        for row, each in zip(lazy_rows(rows), services(rows), strict=True)
        if each == WAITS and row.waiting_since_ms is not None and row.waiting_since_ms <= latest_ms
    ]
    waiting.sort(key=itemgetter(0))
    return _wrong_kind(waiting, snapshot) if is_mr1 else _no_access(waiting, snapshot, opened)


def opened_to(row: CapacityQueueRow) -> frozenset[str]:
    """The partitions that a queue may use something of."""
    return frozenset(use.label for use in row.partitions if use.maximum > 0)


def _wrong_kind(waiting: Sequence[tuple[int, Any]], snapshot: Snapshot) -> Misfit | None:
    used, total = snapshot.header.used, snapshot.header.total
    for since_ms, row in waiting:
        kind = kind_waiting(row)
        other = 1 - kind
        if not chore_of(row) and used[kind] >= total[kind] and not used[other] and total[other]:
            wanted = text.plural(left(tasks_of(row, kind)), f"{KINDS[kind]} slot")
            idle = text.plural(total[other], f"{KINDS[other]} slot")
            verb = "is" if total[other] == 1 else "are"
            return Misfit(WRONG_KIND, f"{row.number:04d} waits for {wanted}; {idle} {verb} idle", since_ms)
    return None


def _no_access(
    waiting: Sequence[tuple[int, ApplicationRow]], snapshot: Snapshot, opened: Mapping[str, Set[str]]
) -> Misfit | None:
    known, nodes = frozenset[str]().union(*opened.values()), list(snapshot.nodes())
    looked_at = set[tuple[object, ...]]()  # Many of a queue ask for the same, and a look goes through all nodes
    for since_ms, row in waiting:
        sizes = tuple(ask.size for ask in row.asks) if isinstance(row.asks, tuple) else ()
        wanted = (row.queue, row.partition, sizes)
        if not sizes or wanted in looked_at:
            continue
        looked_at.add(wanted)
        if _has_room(nodes, row.partition, sizes):
            continue
        shut = sorted(known.difference(opened.get(row.queue, known)))
        label = next((each for each in shut if _has_room(nodes, each, sizes)), None)
        if label is not None:
            free = text.memory(sum(max(0, node.free[0]) for node in nodes if node.partition == label))
            queue = text.plain(text.short_queue(row.queue))
            room = f"{free} of {text.plain(label) or 'default'} are free"
            words = f"{row.number:04d} of {queue} waits; {room} and closed to it"
            return Misfit(NO_ACCESS, words, since_ms, f"{room}, closed to {queue}")
    return None


def _has_room(nodes: Sequence[NodeRow], label: object, sizes: Sequence[Amounts]) -> bool:
    return any(
        all(free >= wanted for free, wanted in zip(node.free, size, strict=True))
        for node in nodes
        if node.partition == label and node.reserved_by is None
        for size in sizes
    )
