"""One pass of Spark's Master as a table, core by core, with the reason beside each worker."""

from engine.observe.spark_snapshot import PlanTables, Table, WorkerLine
from tui.panes.field import Draw, fixed_cell, text_cell
from tui.panes.line import Fragments, RenderContext, line_meter
from tui.panes.noun import NO_SOURCE, PaneTexts, PaneView, TableLayout, by_row
from tui.panes.table import Column
from tui.terminal import format as text

_NO_LIMIT = text.NO_LIMIT_FROM // 2  # More than this is no number anybody asked for


_mark: Draw[WorkerLine] = text_cell(lambda row, look: ">" if row.got else "", "good")
_worker: Draw[WorkerLine] = fixed_cell(lambda row, look: (text.plain(row.worker), "strong" if row.got else "text"))
_free: Draw[WorkerLine] = text_cell(
    lambda row, look: text.amounts((row.memory_free_mb, row.cores_free), look.dimensions)
)
_executors: Draw[WorkerLine] = text_cell(lambda row, look: str(row.executors or ""))
_cores: Draw[WorkerLine] = fixed_cell(lambda row, look: (str(row.cores or ""), "strong" if row.got else "text"))
_why: Draw[WorkerLine] = fixed_cell(
    lambda row, look: (row.words, "good" if row.got else "text" if row.waits else "watch")
)


COLUMNS: tuple[Column[WorkerLine], ...] = (
    Column("", 1, 0, _mark),
    Column("WORKER", 14, 0, _worker),
    Column("FREE", 11, 1, _free, right=True),
    Column("EXEC", 4, 2, _executors, right=True),
    Column("CORES", 5, 0, _cores, right=True),
    Column("WHO GOT CORES, AND WHY NOT THE OTHERS", 26, 0, _why, grow=3),
)


def details(row: WorkerLine, look: RenderContext) -> list[Fragments]:
    """One worker in a sentence."""
    return [[(text.plain(row.worker), "strong"), (f"  {row.words}", "text")]]


def head_lines(plan: PlanTables, table: Table, place: tuple[int, int], look: RenderContext) -> list[Fragments]:
    """Tells which pass, which application, how far: three lines over the table.

    `place` is (which plan from 1, how many there are).
    """
    moment = f"{text.clock(plan.time_ms, look.offset_ms)}.{plan.time_ms % 1000:03d}"
    when = f"{moment}  what a pass would do now" if plan.ahead else f"{moment}  pass after {plan.cause}"
    return [
        [(f" plan {place[0]} of {place[1]}", "faint"), ("  ", "text"), (when, "watch" if plan.ahead else "text")],
        [
            (f" {plan.application:04d} {text.plain(plan.name)}", "strong"),
            (f" profile {plan.profile}" if plan.profile else "", "text"),
            (" wants ", "faint"),
            (_wish(plan), "text"),
            ("   mode ", "faint"),
            ("spread out" if plan.spread_out else "packing", "held"),
        ],
        _progress(plan, table),
    ]


def _wish(plan: PlanTables) -> str:
    want = plan.want
    cores = "every core there is" if want.cores_left > _NO_LIMIT else text.plural(want.cores_left, "core")
    memory = text.memory(want.memory_mb)
    if want.executor_cores is None:
        return f"{cores}, one executor of {memory} on each worker"
    most = f", at most {want.executors_left}" if want.executors_left < _NO_LIMIT else ""
    return f"{cores} in executors of {text.plural(want.executor_cores, 'core')}, {memory}{most}"


def _progress(plan: PlanTables, table: Table) -> Fragments:
    if not plan.count:
        return [(" no step: ", "watch"), ("nobody can be given anything", "text")]
    words = f"round {table.round}, step {table.number} of {plan.count}" if table.number else "before the first step"
    executors = sum(line.executors for line in table.lines)
    total = f" {text.plural(sum(line.cores for line in table.lines), 'core')} in {text.plural(executors, 'executor')}"
    return [(f" {words}  ", "strong"), *line_meter(20, table.number, plan.count), (total, "text")]


def foot_lines(table: Table, worker: WorkerLine | None) -> list[Fragments]:
    """The result of the step, and the full state of the worker under the cursor."""
    about: Fragments = [] if worker is None else [(f" {text.plain(worker.worker)}: ", "faint"), (worker.words, "text")]
    return [about, [(" ", "text"), (table.sentence, "strong")]]


NOUN = PaneView(
    name="workers",
    title="Workers",
    source=NO_SOURCE,
    shape=TableLayout(columns=COLUMNS),
    identity=lambda row: row.worker,
    details=by_row(details),
    words=PaneTexts(nothing="No worker is known."),
)
