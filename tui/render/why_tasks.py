"""A JobTracker's waiting job as tables: its tasks with their starts, and every limit with its figures."""

from typing import Final

from engine.explain.report import WhyReport
from engine.observe.mr1_snapshot import JobRow
from engine.observe.snapshot import Snapshot
from tui.format import Beside
from tui.glyphs import METER_FULL, NONE, TRACK
from tui.render.line import Span
from tui.render.mapreduce1_jobs import KINDS, left
from tui.render.panel import PanelRow, TextColumn, table

_METER: Final = 8  # Cells of a meter
_UNLIMITED: Final = 2**31 - 1  # A maximum that is none
_REASONS: Final = {
    "QUEUE_OVER_MAXIMUM": "limit of the pool",
    "USER_OVER_LIMIT": "limit of the user",
    "QUEUE_NOT_RUNNING_IT": "limit of running jobs",
    "MAPS_FIRST": "after the maps",
    "DOES_NOT_FIT": "no free slot",
}
"""Code of an obstacle → what its tasks wait for."""


def job_of(why: WhyReport, snapshot: Snapshot | None) -> JobRow | None:
    """The job asked about; None on other systems, where it is not known, and where there is no snapshot."""
    rows = snapshot.applications() if snapshot is not None and snapshot.dialect == "mr1" else ()
    return next((row for row in rows if isinstance(row, JobRow) and row.id == why.application.id), None)


def task_rows(why: WhyReport, job: JobRow, day: Beside, width: int) -> list[PanelRow]:
    """Each kind of tasks of a job: how many are done, run and wait, when the next one starts, what it waits for."""
    tasks = (job.maps, job.reduces)
    rest = [left(each) for each in tasks]
    due = 0 if rest[0] else 1
    starts = {ask.priority: ask.expected_start_ms for ask in why.application.listed_asks}
    reason = _REASONS.get(why.reasons[0].code, why.reasons[0].sentence) if why.reasons else "its turn"
    words = ["not waiting" if not rest[kind] else reason if kind == due else "after the maps" for kind in (0, 1)]
    waiting = [str(rest[kind]) if rest[kind] and kind == due else NONE for kind in (0, 1)]
    at = [starts.get(kind) if rest[kind] else None for kind in (0, 1)]
    styles = ["strong" if kind == due and rest[kind] else "text" for kind in (0, 1)]
    head, lines = table(
        [
            TextColumn("TASKS", [(f"{kind}s", style) for kind, style in zip(KINDS, styles, strict=True)]),
            TextColumn("", [_meter(done, every) for _, done, every in tasks], rank=2),
            TextColumn("DONE", [(f"{done}/{every}", "text") for _, done, every in tasks], right=True),
            TextColumn("RUN", [(str(running or NONE), "text") for running, _, _ in tasks], right=True),
            TextColumn("WAIT", [(each, "text") for each in waiting], right=True),
            TextColumn("NEXT STARTS", [(NONE if each is None else day.clock(each), "strong") for each in at]),
            TextColumn("WHY", [(each, "text") for each in words], rank=1),
        ],
        width,
    )
    return [PanelRow(head), *map(PanelRow, lines)]


def limit_rows(why: WhyReport, job: JobRow, snapshot: Snapshot, width: int) -> list[PanelRow]:
    """Each limit on the tasks that wait: whose it is, its key, its figures, and whether it decides; that one first."""
    kind, code = 0 if left(job.maps) else 1, why.reasons[0].code if why.reasons else ""
    found: list[tuple[str, str, int, int, bool]] = []
    for pool in snapshot.queues():
        most = pool.max_share[kind] if isinstance(pool.max_share, tuple) else _UNLIMITED
        if pool.path == job.queue and most < _UNLIMITED:
            key = f"max{KINDS[kind].capitalize()}s"
            found.append((f"pool {pool.path}", key, pool.used[kind], most, code == "QUEUE_OVER_MAXIMUM"))
    used, total = snapshot.header.used[kind], snapshot.header.total[kind]
    found.append(("trackers", f"{KINDS[kind]} slots", used, total, code == "DOES_NOT_FIT"))
    found.sort(key=lambda one: not one[-1])
    styles = ["strong" if decides else "soft" for *_, decides in found]
    lines = table(
        [
            TextColumn("WHOSE", [(one[0], style) for one, style in zip(found, styles, strict=True)]),
            TextColumn("LIMIT", [(one[1], style) for one, style in zip(found, styles, strict=True)]),
            TextColumn("USED", [(f"{one[2]} of {one[3]}", style) for one, style in zip(found, styles, strict=True)]),
            TextColumn("", [_meter(one[2], one[3]) for one in found], rank=1),
            TextColumn("", [("full: decides" if one[-1] else "not in the way", "soft") for one in found]),
        ],
        width,
    )
    return [PanelRow(lines[0]), *map(PanelRow, lines[1])]


def _meter(part: int, whole: int) -> Span:
    cells = min(_METER, part * _METER // whole) if whole else 0
    return METER_FULL * cells + TRACK * (_METER - cells), "data"
