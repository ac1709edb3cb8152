"""Queues by partition of nodes: the root of each partition, and below it every queue with what it has there."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from engine.model.request import is_under
from engine.observe.snapshot import UNKNOWN, Amounts, CapacityQueueRow, QueueRow, Snapshot, column, rows_at
from engine.observe.snapshots import WaitTotal, running_below, waits_below
from tui.panes.arrangement import SortFilter
from tui.panes.fragments import RenderContext
from tui.panes.group import Grouping, RowGroup, by_key
from tui.panes.header import partition_uses
from tui.panes.misfit import opened_to
from tui.panes.pane_view import Rows
from tui.protocol.picture import SessionState
from tui.terminal import format as text

PARTITION: Final = "partition"  # Kind of a scope: the rows of one
DEFAULT: Final = "default"  # What the partition without label is called


class QueueInPartition(CapacityQueueRow, frozen=True, kw_only=True):
    """A queue in one of several partitions: its amounts and its applications are those there."""

    partition: str  # The name that screens have for it
    total: Amounts  # What the partition has: the scale of the meter
    waits: WaitTotal
    is_open: bool  # Whether the queue may use it


def partition_name(label: str) -> str:
    return text.plain(label) or DEFAULT


def partition_of(row: Any) -> str:
    """The name of the partition a row's amounts are of."""
    return row.partition if isinstance(row, QueueInPartition) else DEFAULT


def row_id(row: Any) -> str:
    """The id of a queue's row: its path, in another partition than the default one with its name."""
    name = partition_of(row)
    return row.path if name == DEFAULT else f"{row.path} {name}"


def partitions_of(snapshot: Snapshot) -> dict[str, Amounts]:
    """Label of every partition of a queue → what it has in all, the default one first; none where all are one."""
    found: dict[str, Amounts] = {}
    for row in _queues(snapshot):
        for use in row.partitions:
            found.setdefault(use.label, use.guaranteed)  # the root comes first and has all of it
    return dict(sorted(found.items()))


def with_partitions(look: RenderContext, snapshot: Snapshot) -> RenderContext:
    """The `RenderContext` that knows the partitions of a snapshot, where there are several."""
    known = tuple(partitions_of(snapshot))
    return look._replace(partitions=known if len(known) > 1 else ())


def _queues(snapshot: Snapshot) -> list[CapacityQueueRow]:
    return [row for row in snapshot.queues() if isinstance(row, CapacityQueueRow)]


def queues_by_partition(picture: SessionState, arrangement: SortFilter) -> Rows:
    """Every queue in each partition; where there is one only, every queue."""
    return in_partitions(picture.snapshot), arrangement


def in_partitions(snapshot: Snapshot) -> Sequence[QueueRow]:
    """Every queue in each partition of a snapshot; where there is one only, every queue."""
    totals = partitions_of(snapshot)
    if len(totals) < 2:
        return snapshot.queues()
    applications = snapshot.applications(why=False)
    labels = [found.split(" ") if isinstance(found, str) else [""] for found in column(applications, "partition")]
    root, *others = _queues(snapshot)
    queues = [_with_nodes(root, snapshot.nodes()), *others]
    rows: list[QueueInPartition] = []
    for label, total in totals.items():
        places = [place for place, some in enumerate(labels) if label in some]
        elsewhere = {place for place in places if len(labels[place]) > 1}
        there = _applications_in(rows_at(applications, places), [place in elsewhere for place in places])
        rows += [_in_partition(row, label, total, there) for row in queues]
    return rows


def _with_nodes(root: CapacityQueueRow, nodes: Sequence[Any]) -> CapacityQueueRow:
    """The real root counts no use of partitions but the default one where it may use them all."""
    on_nodes = {use.label: (use.used,) for use in partition_uses(nodes)}
    uses = [msgspec.structs.replace(use, used=on_nodes.get(use.label, use.used)) for use in root.partitions]
    return msgspec.structs.replace(root, used=on_nodes.get("", root.used), partitions=tuple(uses))


class _Applications(NamedTuple):
    waits: Mapping[str, WaitTotal]
    running: Counter[str]
    held: Mapping[str, int]  # Containers
    elsewhere: frozenset[str]  # Paths of queues with an application that is in another partition, too


def _applications_in(rows: Sequence[Any], are_elsewhere: Sequence[bool]) -> _Applications:
    held, elsewhere = Counter[str](), set()
    fields = (column(rows, name) for name in ("queue", "containers"))
    for path, containers, is_elsewhere in zip(*fields, are_elsewhere, strict=True):
        held[path] += containers
        if is_elsewhere:
            elsewhere.add(path)
    return _Applications(waits_below(rows), running_below(rows), held, frozenset(elsewhere))


def _in_partition(row: CapacityQueueRow, label: str, total: Amounts, there: _Applications) -> QueueInPartition:
    fields = {name: getattr(row, name) for name in CapacityQueueRow.__struct_fields__}
    fields["applications_running"] = there.running[row.path]
    if isinstance(row.containers, int):
        is_elsewhere = any(is_under(path, row.path) for path in there.elsewhere)
        held = sum(count for path, count in there.held.items() if is_under(path, row.path))
        fields["containers"] = UNKNOWN if is_elsewhere else held
    if label:  # limits of users and masters are known of the default one only
        nothing = (0,) * len(total)
        use = next((use for use in row.partitions if use.label == label), None)
        used, guaranteed, most = (nothing,) * 3 if use is None else (use.used, use.guaranteed, use.limit)
        fields |= {"used": used, "guaranteed": guaranteed, "max_share": most}
        fields |= {"used_capacity": used[0] / guaranteed[0] if guaranteed[0] else 0.0}
        fields |= {"user_limit": None, "am_used": None, "am_limit": None}
    is_open, waiting = label in opened_to(row), there.waits.get(row.path, WaitTotal())
    return QueueInPartition(**fields, partition=partition_name(label), total=total, waits=waiting, is_open=is_open)


def by_partition(rows: Sequence[Any], picture: SessionState, look: RenderContext) -> Grouping | None:
    """Queues under the name of their partition; None where there is one only."""
    if not look.partitions:
        return None
    places = by_key([partition_of(row) for row in rows])
    return Grouping([RowGroup(name, some, [(name, "strong")]) for name, some in places.items()])
