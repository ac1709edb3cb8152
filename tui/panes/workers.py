"""Workers of Spark's standalone Master, the executors on them, and one pass of it core by core."""

from collections.abc import Callable, Sequence

from engine.observe.history import LOST
from engine.observe.snapshot import ExecutorRow, NodeRow, Unknown, column, lazy_rows
from engine.observe.spark_snapshot import PlanTables, Table, WorkerLine
from tui.panes import nodes as node
from tui.panes.arrangement import Filter, SortFilter
from tui.panes.field import (
    APPLICATION,
    COUNT,
    MEMORY,
    NODE,
    NODE_NAME,
    SPAN,
    Draw,
    RowField,
    RowFields,
    Scope,
    fixed_cell,
    text_cell,
)
from tui.panes.fragments import Fragments, RenderContext, hue_of_number, line_meter
from tui.panes.nodes import Block, node_bar
from tui.panes.pane_view import NO_SOURCE, NavigationTarget, PaneView, Reference, by_row, section, to_application
from tui.panes.table import Column, figure
from tui.protocol.picture import SessionState
from tui.terminal import format as text

# Executors

_application: Draw[ExecutorRow] = text_cell(lambda row, look: f"{row.application:04d}")
_executor_state: Draw[ExecutorRow] = fixed_cell(
    lambda row, look: (row.state, "data" if row.state == "RUNNING" else "text")
)
_tasks: Draw[ExecutorRow] = text_cell(lambda row, look: f"{text.count(row.busy)}/{row.cores}")


def _busy_bar(row: ExecutorRow, look: RenderContext, width: int) -> Fragments:
    busy = 0 if isinstance(row.busy, Unknown) else row.busy
    return line_meter(min(20, width), busy, row.cores, style=hue_of_number(row.application))


_executor_memory: Draw[ExecutorRow] = text_cell(lambda row, look: text.memory(row.memory_mb))


def _executor_details(row: ExecutorRow, look: RenderContext) -> list[Fragments]:
    if isinstance(row.busy, Unknown):
        works = "its driver does not know it yet"
    elif row.busy:
        works = f"{row.busy} of {text.plural(row.cores, 'core')} run a task"
    else:
        works = f"it holds {text.plural(row.cores, 'core')} and runs no task"
    has = f"{text.plural(row.cores, 'core')}, {text.memory(row.memory_mb)}"
    age = text.age(row.launched_ms, look.now_ms)
    return [
        [(row.state, "strong"), (f" {age}: {has} on {text.plain(row.worker)}", "text")],
        [(works, "text")],
        [(f"executor {row.executor} of application {row.application:04d}", "soft")],
    ]


_BUSY: Column[ExecutorRow] = Column("BUSY", 8, 1, _busy_bar, grow=1, is_bar=True, legend=("",))

EXECUTOR_FIELDS: RowFields[ExecutorRow] = RowFields(
    (
        RowField(
            "app", "application", COUNT, "a", "application", Column("APP", 8, 0, _application), "executor", APPLICATION
        ),
        RowField("executor", kind=COUNT, column=figure("EXEC", 4, 0), group="executor"),
        RowField(
            "node",
            "worker",
            NODE_NAME,
            "n",
            "worker",
            Column("WORKER", 14, 0, least=8, repeats=False),
            "executor",
            NODE,
        ),
        RowField("state", letter="s", column=Column("STATE", 14, 2, _executor_state), group="state"),
        RowField("age", "launched_ms", SPAN, "g", "age", figure("AGE", 6, 1), "state"),
        RowField("cores", kind=COUNT, letter="c", group="has"),
        RowField("busy", "", COUNT, "b", "busy cores", _BUSY, "has"),
        RowField("tasks", column=figure("TASKS", 5, 0, _tasks)),
        RowField(
            "memory",
            "memory_mb",
            MEMORY,
            "m",
            column=Column("MEM", 4, 1, _executor_memory, right=True),
            group="has",
            own=lambda row, look: row.memory_mb,
        ),
        RowField("profile", kind=COUNT, column=Column("PROFILE", 7, 8, right=True), group="has"),
    ),
    letters="anscbmg",
)
EXECUTOR_COLUMNS = EXECUTOR_FIELDS.columns("app executor node state tasks busy memory age")
EVERY_EXECUTOR_COLUMN = (*EXECUTOR_COLUMNS, EXECUTOR_FIELDS.column("profile"))  # Also for tables outside of a screen


def _enter(row: ExecutorRow, picture: SessionState, scope: Scope | Filter | None) -> NavigationTarget | str:
    if isinstance(scope, Scope) and scope.kind == NODE:
        return to_application(EXECUTORS, row, picture) or NavigationTarget("nodes", row.worker)
    return NavigationTarget("nodes", row.worker)


def _executor_count(rows: Sequence[ExecutorRow], picture: SessionState, arrangement: SortFilter) -> str:
    graphs = picture.graphs
    lost = 0 if graphs is None else dict(zip(graphs.history.names, graphs.reading, strict=False)).get(LOST, 0)
    return f"{len(rows)} run" + (f"  {lost} lost" if lost else "")


EXECUTORS = PaneView(
    name="containers",
    title="Executors",
    source=section("executors"),
    columns=EXECUTOR_COLUMNS,
    every_column=EVERY_EXECUTOR_COLUMN,
    identity=lambda row: f"{row.application:04d}/{row.executor}",
    details=by_row(_executor_details),
    kind="executors",
    criteria=EXECUTOR_FIELDS.criteria(lambda row, look: row.busy == 0 or row.state != "RUNNING"),
    facts=EXECUTOR_FIELDS.facts(),
    is_linked=True,
    empty_text="No executor runs.",
    crumb=lambda row_id: f"executor:{row_id}",
    subject=lambda row: f"{row.application:04d} executor {row.executor}",
    size=_executor_count,
    refers_to=lambda row, look: (Reference(APPLICATION, row.application), Reference(NODE, row.worker)),
    enter=_enter,
    enter_help="Go to its worker; from what is on one worker, to its application.",
)


# Workers

_MEANING = {
    "DEAD": "The Master lost it; its figures are the last it knew.",
    "DECOMMISSIONED": "It takes no more work and its executors go.",
}


def _bar(row: NodeRow, look: RenderContext, width: int) -> Fragments:
    most = max(1, look.scales.get(MOST, row.total[1]))
    cells = row.total[1] * max(1, min(4, width // most))
    size = min(width, cells)
    if node.is_out(row):
        return [(text.GONE * size, "faint"), (" " * (width - size), "text")]
    blocks = look.blocks(row.id)
    drivers = row.used[1] - sum(block.size for block in blocks)
    if drivers > 0:
        blocks = (*blocks, Block("drivers", "", "", drivers, "q6", "drivers"))
    spans = node_bar(size, row.total[1], blocks, selected=look.selected, has_letters=look.has_letters)
    return [*spans, (" " * (width - size), "text")]


def _of_alive(words: Callable[[NodeRow], str]) -> Draw[NodeRow]:
    return text_cell(lambda row, look: text.NONE if node.is_out(row) else words(row))


_cores = _of_alive(lambda row: f"{row.used[1]}/{row.total[1]}")
_memory = _of_alive(lambda row: f"{text.memory(row.used[0])}/{text.memory(row.total[0])}")
_free = _of_alive(lambda row: str(row.free[1]))
_executors = _of_alive(lambda row: str(row.containers))


MOST = "most"  # The scale of the bars: the cores of the largest worker

_BAR: Column[NodeRow] = Column(
    "BAR",
    9,
    1,
    _bar,
    grow=1,
    is_bar=True,
    legend=("▄ in use  ▁ free",),
    letters=f"a = an application's letter, {text.BLOCK_END} end",
)

WORKER_FIELDS: RowFields[NodeRow] = node.FIELDS.drawn_as(
    node=Column("WORKER", 24, 0, node.name_cell, least=6, repeats=False, sorts="node"),
    state=node.FIELDS.column("state", width=14),
    part=_BAR,
    vcores=Column("CORES", 5, 0, _cores, right=True),
    free=Column("FREE", 4, 0, _free, right=True),
    total=Column("MEMORY", 7, 2, _memory, right=True, sorts="used"),
    containers=Column("EXEC", 4, 3, _executors, right=True),
)
WORKER_COLUMNS = WORKER_FIELDS.columns("node part vcores free total containers")
SORTED_WORKER_COLUMNS = WORKER_FIELDS.columns("node state part vcores free total containers")
EVERY_WORKER_COLUMN = WORKER_FIELDS.columns("node state part vcores free total containers rack")


def _worker_details(row: NodeRow, look: RenderContext) -> list[Fragments]:
    held = node.format_held([row], "executor")
    lines: list[Fragments] = [[(row.state, "strong")]]
    if row.state == "DECOMMISSIONED":
        counted = f"{held}, {text.amounts(row.used, look.dimensions)}" if any(row.used) else "nothing"
        lines.append([("the Master still counts ", "soft"), (counted, "text")])
    else:
        lines.append(node.amounts_line(row, look, held))
    if row.state in _MEANING:
        is_live = look.watched_from_ms is not None
        lines.append([(_MEANING[row.state] + ("" if is_live else " D brings it back as a new worker."), "text")])
    return lines


def _owner(row: NodeRow, picture: SessionState) -> NavigationTarget | str:
    ids = {one.number: one.id for one in lazy_rows(picture.snapshot.applications(why=False))}
    here = [one.application for one in picture.snapshot.executors() if one.worker == row.id]
    return node.owner_among([ids[number] for number in here if number in ids], row, picture)


def _count(rows: Sequence[object], picture: SessionState, arrangement: SortFilter) -> str:
    header = picture.snapshot.header
    return f"{header.nodes} alive" + (f"  {header.nodes_down} down" if header.nodes_down else "")


WORKERS: PaneView[NodeRow] = node.VIEW._replace(
    title="Workers",
    columns=WORKER_COLUMNS,
    scales=lambda rows, look: {MOST: max((total[1] for total in column(rows, "total")), default=1)},
    sorted_columns=SORTED_WORKER_COLUMNS,
    every_column=EVERY_WORKER_COLUMN,
    details=by_row(_worker_details),
    linked=lambda picture, look: "",
    empty_text="No worker has registered yet.",
    size=_count,
    caption=lambda look: "one block = one executor",
    owner=_owner,
)


# One pass of the Master as a table, with the reason beside each worker

_NO_LIMIT = text.NO_LIMIT_FROM // 2  # More than this is no number anybody asked for


_got: Draw[WorkerLine] = text_cell(lambda row, look: ">" if row.got else "", "good")
_plan_worker: Draw[WorkerLine] = fixed_cell(lambda row, look: (text.plain(row.worker), "strong" if row.got else "text"))
_plan_free: Draw[WorkerLine] = text_cell(
    lambda row, look: text.amounts((row.memory_free_mb, row.cores_free), look.dimensions)
)
_plan_executors: Draw[WorkerLine] = text_cell(lambda row, look: str(row.executors or ""))
_plan_cores: Draw[WorkerLine] = fixed_cell(lambda row, look: (str(row.cores or ""), "strong" if row.got else "text"))
_plan_why: Draw[WorkerLine] = fixed_cell(
    lambda row, look: (row.words, "good" if row.got else "text" if row.waits else "watch")
)


PLAN_COLUMNS: tuple[Column[WorkerLine], ...] = (
    Column("", 1, 0, _got),
    Column("WORKER", 14, 0, _plan_worker),
    Column("FREE", 11, 1, _plan_free, right=True),
    Column("EXEC", 4, 2, _plan_executors, right=True),
    Column("CORES", 5, 0, _plan_cores, right=True),
    Column("CORES GIVEN, AND WHY NO MORE", 26, 0, _plan_why, grow=3),
)


def plan_details(row: WorkerLine, look: RenderContext) -> list[Fragments]:
    return [[(text.plain(row.worker), "strong"), (f"  {row.words}", "text")]]


def head_lines(plan: PlanTables, table: Table, place: tuple[int, int], look: RenderContext) -> list[Fragments]:
    """Which pass, which application, how far: three lines over the table; `place` is which plan from 1, of how many."""
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
        return [(" no step: ", "watch"), ("no executor can be started", "text")]
    words = f"round {table.round}, step {table.number} of {plan.count}" if table.number else "before the first step"
    executors = sum(line.executors for line in table.lines)
    total = f" {text.plural(sum(line.cores for line in table.lines), 'core')} in {text.plural(executors, 'executor')}"
    return [(f" {words}  ", "strong"), *line_meter(20, table.number, plan.count), (total, "text")]


def foot_lines(table: Table, worker: WorkerLine | None) -> list[Fragments]:
    """The result of the step, and the full state of the worker under the cursor."""
    about: Fragments = [] if worker is None else [(f" {text.plain(worker.worker)}: ", "faint"), (worker.words, "text")]
    return [about, [(" ", "text"), (table.sentence, "strong")]]


PLAN = PaneView(
    name="workers",
    title="Workers",
    source=NO_SOURCE,
    columns=PLAN_COLUMNS,
    identity=lambda row: row.worker,
    details=by_row(plan_details),
    empty_text="No worker is known.",
)
