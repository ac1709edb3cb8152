"""Jobs, trackers, pools and attempts of MapReduce 1: map slots and reduce slots side by side."""

from collections.abc import Sequence
from typing import Any

from engine.observe.mr1_snapshot import JobRow
from engine.observe.snapshot import Amounts, ContainerRow, NodeRow, QueueRow, Unknown
from tui import format as text
from tui.render import application, container, node, queue, reservation
from tui.render.field import Draw, said
from tui.render.line import Look, Span, Spans
from tui.render.meter import line_meter
from tui.render.noun import Shape
from tui.render.table import Column

_job, _tracker = application.FIELDS.column, node.FIELDS.column
_pool, _attempt = queue.FIELDS.column, container.FIELDS.column


def _of_trackers(columns: Sequence[Column[Any]]) -> tuple[Column[Any], ...]:
    return tuple(one._replace(title="TRACKER") if one.title == "NODE" else one for one in columns)


def _tasks(tasks: tuple[int, int, int]) -> Span:
    running, finished, wanted = tasks
    style = "good" if finished == wanted else "text" if running else "faint"
    return (f"{running} {finished}/{wanted}" if wanted else "-"), style


def _priority(row: JobRow, look: Look, width: int) -> Span:
    return row.priority.lower().replace("_", " "), "faint" if row.priority == "NORMAL" else "text"


_failed: Draw[JobRow] = said(lambda row, look: str(row.failed_attempts) if row.failed_attempts else "", "watch")


JOB_COLUMNS: Sequence[Column[Any]] = (
    _job("app", title="JOB", width=6, repeats=True),
    _job("user", rank=6),
    _job("queue", title="POOL", width=10, rank=4, grow=1, least=0),
    _job("name", width=12, rank=3, grow=1),
    _job("state", rank=1),
    _job("wait", width=6, rank=1, repeats=True),
    Column("MAPS RUN DONE", 13, 0, lambda row, look, width: _tasks(row.maps), right=True),
    Column("REDS RUN DONE", 13, 0, lambda row, look, width: _tasks(row.reduces), right=True),
    Column("PRIORITY", 9, 7, _priority),
    Column("FAIL", 4, 8, _failed, right=True),
    Column("LOCAL", 5, 9, said(lambda row, look: text.percent(row.local_maps[0], row.local_maps[2])), right=True),
    _job("why", width=34, grow=4, least=20),
)

JOBS = application.NOUN._replace(
    title="Jobs",
    shape=Shape(JOB_COLUMNS),
    words=application.NOUN.words._replace(nothing="No job was submitted yet.", caption=lambda look: ""),
    leads=application.NOUN.leads._replace(enter_help="Go to the attempts it runs."),
)


def _slots(used: int, total: int, style: str = "text") -> Span:
    return f"{used}/{total}", style


def _tracker_bar(row: NodeRow, look: Look, width: int, kind: int) -> Spans:
    return line_meter(width, row.used[kind], row.total[kind])


TRACKER_COLUMNS: Sequence[Column[NodeRow]] = (
    _tracker("node", title="TRACKER", width=12, grow=1, least=0, repeats=True),
    _tracker("state", width=9),
    Column("", 8, 3, lambda row, look, width: _tracker_bar(row, look, width, 0), grow=1, is_bar=True),
    Column("MAPS", 5, 0, lambda row, look, width: _slots(row.used[0], row.total[0]), right=True),
    Column("", 8, 3, lambda row, look, width: _tracker_bar(row, look, width, 1), grow=1, is_bar=True),
    Column("REDS", 5, 0, lambda row, look, width: _slots(row.used[1], row.total[1]), right=True),
    _tracker("app", rank=2),
    *node.FIELDS.columns("rack heard"),
)

TRACKERS = node.NOUN._replace(
    title="Trackers",
    shape=Shape(TRACKER_COLUMNS, is_tight=True),
    words=node.NOUN.words._replace(nothing="No tracker has reported yet.", caption=lambda look: ""),
)


def _part(share: Amounts | None | Unknown, kind: int) -> str:
    return "-" if not isinstance(share, tuple) else str(share[kind])


def _use(row: QueueRow, look: Look, width: int, kind: int) -> Span:
    due = row.fair_share if isinstance(row.fair_share, tuple) else row.min_share
    style = "watch" if isinstance(due, tuple) and row.used[kind] < due[kind] else "text"
    return f"{row.used[kind]}/{_part(due, kind)}", style


_least: Draw[QueueRow] = said(lambda row, look: f"{_part(row.min_share, 0)} {_part(row.min_share, 1)}")


POOL_COLUMNS: Sequence[Column[QueueRow]] = (
    _pool("queue", title="POOL", width=10, grow=1, least=0, repeats=True),
    Column("MAPS/DUE", 9, 0, lambda row, look, width: _use(row, look, width, 0), right=True),
    Column("REDS/DUE", 9, 0, lambda row, look, width: _use(row, look, width, 1), right=True),
    Column("MIN M R", 8, 2, _least, right=True),
    _pool("waiting", rank=1, repeats=True),
    _pool("weight", rank=4),
    _pool("policy", width=8, rank=5),
)

POOLS = queue.NOUN._replace(
    title="Pools",
    shape=queue.NOUN.shape._replace(columns=POOL_COLUMNS, every_column=None),
    words=queue.NOUN.words._replace(caption=lambda look: "slots used of those due"),
    leads=queue.NOUN.leads._replace(enter_help="Go to the jobs of the pool."),
)

RESERVATIONS = reservation.NOUN._replace(
    shape=reservation.NOUN.shape._replace(columns=_of_trackers(reservation.NOUN.shape.columns)),
    words=reservation.NOUN.words._replace(nothing="No tracker is reserved."),
)

ATTEMPT_COLUMNS: Sequence[Column[ContainerRow]] = (
    _attempt("app", title="JOB", width=6),
    Column("ATTEMPT", 28, 0, lambda row, look, width: (row.id.removeprefix("attempt_"), "text"), grow=1),
    _attempt("node", title="TRACKER", width=14, grow=1, least=0),
    _attempt("memory", title="SLOTS", width=9),
    _attempt("age", repeats=True),
    _attempt("user"),
    _attempt("queue", title="POOL", width=10, grow=1),
)

ATTEMPTS = container.NOUN._replace(
    title="Attempts",
    shape=container.NOUN.shape._replace(columns=ATTEMPT_COLUMNS),
    words=container.NOUN.words._replace(
        nothing="No attempt runs.", subject=lambda row: f"attempt {row.id.removeprefix('attempt_')}"
    ),
)
