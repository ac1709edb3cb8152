"""Jobs, trackers, pools and attempts of MapReduce 1: map slots and reduce slots side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.observe.mr1_view import JobRow
from engine.observe.snapshot import Amounts, ContainerRow, NodeRow, QueueRow, Unknown
from tui import format as text
from tui.render import application, container, node, queue
from tui.render.line import Look, Span, Spans
from tui.render.meter import line_meter
from tui.render.noun import no_scales
from tui.render.table import Column

_AS_THEY_ARE: Mapping[str, Any] = {
    "grouping": None,
    "has_folds": False,
    "scales": no_scales,
    "sorted_columns": None,
    "every_column": None,
    "caption": lambda look: "",
}
"""Rows in one list and in the same columns, in whatever order."""
_OF_APPLICATIONS = {column.title: column for column in application.EVERY_COLUMN}
_OF_NODES = {column.title: column for column in node.EVERY_COLUMN}
_OF_QUEUES = {column.title: column for column in queue.EVERY_COLUMN}
_OF_CONTAINERS = {column.title: column for column in container.COLUMNS}


def _tasks(tasks: tuple[int, int, int]) -> Span:
    running, finished, wanted = tasks
    style = "good" if finished == wanted else "text" if running else "faint"
    return (f"{running} {finished}/{wanted}" if wanted else "-"), style


def _maps(row: JobRow, look: Look, width: int) -> Span:
    return _tasks(row.maps)


def _reduces(row: JobRow, look: Look, width: int) -> Span:
    return _tasks(row.reduces)


def _priority(row: JobRow, look: Look, width: int) -> Span:
    return row.priority.lower().replace("_", " "), "faint" if row.priority == "NORMAL" else "text"


def _failed(row: JobRow, look: Look, width: int) -> Span:
    return (str(row.failed_attempts) if row.failed_attempts else ""), "watch"


def _local(row: JobRow, look: Look, width: int) -> Span:
    return text.percent(row.local_maps[0], row.local_maps[2]), "text"


JOB_COLUMNS: Sequence[Column[JobRow]] = (
    Column("JOB", 6, 0, _OF_APPLICATIONS["APP"].cell),
    Column("USER", 8, 5, _OF_APPLICATIONS["USER"].cell),
    Column("POOL", 10, 4, _OF_APPLICATIONS["QUEUE"].cell, grow=1),
    Column("NAME", 12, 6, _OF_APPLICATIONS["NAME"].cell, grow=1),
    Column("STATE", 9, 1, _OF_APPLICATIONS["STATE"].cell),
    Column("WAITS", 6, 1, _OF_APPLICATIONS["WAITS"].cell, right=True),
    Column("MAPS RUN DONE", 13, 0, _maps, right=True),
    Column("REDS RUN DONE", 13, 0, _reduces, right=True),
    Column("PRIORITY", 9, 7, _priority),
    Column("FAIL", 4, 8, _failed, right=True),
    Column("LOCAL", 5, 9, _local, right=True),
    Column("WHY IT WAITS", 34, 0, _OF_APPLICATIONS["WHY IT WAITS"].cell, grow=4, least=20),
)

JOBS = application.NOUN._replace(title="Jobs", columns=JOB_COLUMNS, nothing="No job was submitted yet.", **_AS_THEY_ARE)


def _slots(used: int, total: int, style: str = "text") -> Span:
    return f"{used}/{total}", style


def _tracker_bar(row: NodeRow, look: Look, width: int, kind: int) -> Spans:
    return line_meter(width, row.used[kind], row.total[kind])


TRACKER_COLUMNS: Sequence[Column[NodeRow]] = (
    Column("TRACKER", 12, 0, _OF_NODES["NODE"].cell, grow=1),
    Column("STATE", 9, 1, _OF_NODES["STATE"].cell),
    Column("", 8, 3, lambda row, look, width: _tracker_bar(row, look, width, 0), grow=1, is_bar=True),
    Column("MAPS", 5, 0, lambda row, look, width: _slots(row.used[0], row.total[0]), right=True),
    Column("", 8, 3, lambda row, look, width: _tracker_bar(row, look, width, 1), grow=1, is_bar=True),
    Column("REDS", 5, 0, lambda row, look, width: _slots(row.used[1], row.total[1]), right=True),
    Column("RESERVED BY", 17, 2, _OF_NODES["RESERVED BY"].cell),
    Column("RACK", 13, 8, _OF_NODES["RACK"].cell),
    Column("HEARD", 6, 9, _OF_NODES["HEARD"].cell, right=True),
)

TRACKERS = node.NOUN._replace(
    title="Trackers", columns=TRACKER_COLUMNS, nothing="No tracker has reported yet.", **_AS_THEY_ARE
)


def _part(share: Amounts | None | Unknown, kind: int) -> str:
    return "-" if not isinstance(share, tuple) else str(share[kind])


def _use(row: QueueRow, look: Look, width: int, kind: int) -> Span:
    due = row.fair_share if isinstance(row.fair_share, tuple) else row.min_share
    style = "watch" if isinstance(due, tuple) and row.used[kind] < due[kind] else "text"
    return f"{row.used[kind]}/{_part(due, kind)}", style


def _least(row: QueueRow, look: Look, width: int) -> Span:
    return f"{_part(row.min_share, 0)} {_part(row.min_share, 1)}", "text"


POOL_COLUMNS: Sequence[Column[QueueRow]] = (
    Column("POOL", 10, 0, _OF_QUEUES["QUEUE"].cell, grow=1),
    Column("MAPS/DUE", 9, 0, lambda row, look, width: _use(row, look, width, 0), right=True),
    Column("REDS/DUE", 9, 0, lambda row, look, width: _use(row, look, width, 1), right=True),
    Column("MIN M R", 8, 2, _least, right=True),
    Column("RUN/WAIT", 8, 1, _OF_QUEUES["RUN/WAIT"].cell, right=True),
    Column("WEIGHT", 6, 4, _OF_QUEUES["WEIGHT"].cell, right=True),
    Column("POLICY", 8, 5, _OF_QUEUES["POLICY"].cell),
)

POOLS = queue.NOUN._replace(title="Pools", columns=POOL_COLUMNS, every_column=None)

ATTEMPT_COLUMNS: Sequence[Column[ContainerRow]] = (
    Column("JOB", 6, 0, _OF_CONTAINERS["APP"].cell),
    Column("ATTEMPT", 28, 0, lambda row, look, width: (row.id.removeprefix("attempt_"), "text"), grow=1),
    Column("TRACKER", 14, 0, _OF_CONTAINERS["NODE"].cell, grow=1),
    Column("SLOTS", 9, 1, _OF_CONTAINERS["SIZE"].cell),
    Column("AGE", 6, 3, _OF_CONTAINERS["AGE"].cell, right=True),
    Column("USER", 8, 4, _OF_CONTAINERS["USER"].cell),
    Column("POOL", 10, 5, _OF_CONTAINERS["QUEUE"].cell, grow=1),
)

ATTEMPTS = container.NOUN._replace(
    title="Attempts",
    columns=ATTEMPT_COLUMNS,
    nothing="No attempt runs.",
    subject=lambda row: f"attempt {row.id.removeprefix('attempt_')}",
)
