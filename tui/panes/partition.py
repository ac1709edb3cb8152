"""Queues by partition of nodes: the root of each partition, and below it every queue with what it has there."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.model.request import is_under
from engine.observe.snapshot import Amounts, CapacityQueueRow, Snapshot, column, rows_at
from engine.observe.snapshots import WaitTotal, waits_below
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
    """Return the name of a partition on screens."""
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
    snapshot, totals = picture.snapshot, partitions_of(picture.snapshot)
    if len(totals) < 2:
        return snapshot.queues(), arrangement
    applications = snapshot.applications(why=False)
    labels = [found.split(" ") if isinstance(found, str) else [""] for found in column(applications, "partition")]
    on_nodes = {use.label: (use.used,) for use in partition_uses(snapshot.nodes())}
    rows: list[QueueInPartition] = []
    for label, total in totals.items():
        there = rows_at(applications, [place for place, some in enumerate(labels) if label in some])
        waits, running = waits_below(there), _running(there)
        head, *others = [_in_partition(row, label, total, waits, running) for row in _queues(snapshot)]
        # The real root counts no use of partitions but the default one where it may use them all.
        rows += [msgspec.structs.replace(head, used=on_nodes.get(label, head.used)), *others]
    return rows, arrangement


def _running(applications: Sequence[Any]) -> Counter[str]:
    pairs = zip(column(applications, "queue"), column(applications, "state"), strict=True)
    return Counter(path for path, state in pairs if state == "RUNNING")


def _in_partition(
    row: CapacityQueueRow, label: str, total: Amounts, waits: Mapping[str, WaitTotal], running: Mapping[str, int]
) -> QueueInPartition:
    fields = {name: getattr(row, name) for name in CapacityQueueRow.__struct_fields__}
    fields["applications_running"] = sum(count for path, count in running.items() if is_under(path, row.path))
    if label:  # limits of users and masters are known of the default one only
        nothing = (0,) * len(total)
        use = next((use for use in row.partitions if use.label == label), None)
        used, guaranteed, most = (nothing,) * 3 if use is None else (use.used, use.guaranteed, use.limit)
        fields |= {"used": used, "guaranteed": guaranteed, "max_share": most}
        fields |= {"used_capacity": used[0] / guaranteed[0] if guaranteed[0] else 0.0}
        fields |= {"user_limit": None, "am_used": None, "am_limit": None}
    is_open, waiting = label in opened_to(row), waits.get(row.path, WaitTotal())
    return QueueInPartition(**fields, partition=partition_name(label), total=total, waits=waiting, is_open=is_open)


def by_partition(rows: Sequence[Any], picture: SessionState, look: RenderContext) -> Grouping | None:
    """Queues under the name of their partition; None where there is one only."""
    if not look.partitions:
        return None
    places = by_key([partition_of(row) for row in rows])
    return Grouping([RowGroup(name, some, [(name, "strong")]) for name, some in places.items()])
