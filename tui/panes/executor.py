"""Executors of Spark's standalone Master: where they run, what they hold and how much of it works."""

from collections.abc import Sequence

from engine.observe.history import LOST
from engine.observe.snapshot import ExecutorRow, Unknown
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
from tui.panes.line import Fragments, RenderContext, hue_of_number, line_meter
from tui.panes.noun import (
    NavigationTarget,
    PaneTexts,
    PaneView,
    Reference,
    RowLinks,
    TableLayout,
    by_row,
    section,
    to_application,
)
from tui.panes.table import Column, figure
from tui.protocol.picture import SessionState
from tui.terminal import format as text

_application: Draw[ExecutorRow] = text_cell(lambda row, look: f"{row.application:04d}")
_state: Draw[ExecutorRow] = fixed_cell(lambda row, look: (row.state, "data" if row.state == "RUNNING" else "text"))
_tasks: Draw[ExecutorRow] = text_cell(lambda row, look: f"{text.count(row.busy)}/{row.cores}")


def _bar(row: ExecutorRow, look: RenderContext, width: int) -> Fragments:
    busy = 0 if isinstance(row.busy, Unknown) else row.busy
    return line_meter(min(20, width), busy, row.cores, style=hue_of_number(row.application))


_memory: Draw[ExecutorRow] = text_cell(lambda row, look: text.memory(row.memory_mb))


def details(row: ExecutorRow, look: RenderContext) -> list[Fragments]:
    """Returns the lines of the strip about one executor."""
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


# The pane

_BUSY: Column[ExecutorRow] = Column("BUSY", 8, 1, _bar, grow=1, is_bar=True, legend=("",))

FIELDS: RowFields[ExecutorRow] = RowFields(
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
        RowField("state", letter="s", column=Column("STATE", 14, 2, _state), group="state"),
        RowField("age", "launched_ms", SPAN, "g", "age", figure("AGE", 6, 1), "state"),
        RowField("cores", kind=COUNT, letter="c", group="has"),
        RowField("busy", "", COUNT, "b", "busy cores", _BUSY, "has"),
        RowField("tasks", column=figure("TASKS", 5, 0, _tasks)),
        RowField(
            "memory",
            "memory_mb",
            MEMORY,
            "m",
            column=Column("MEM", 4, 1, _memory, right=True),
            group="has",
            own=lambda row, look: row.memory_mb,
        ),
        RowField("profile", kind=COUNT, column=Column("PROFILE", 7, 8, right=True), group="has"),
    ),
    letters="anscbmg",
)
COLUMNS = FIELDS.columns("app executor node state tasks busy memory age")
EVERY_COLUMN = (*COLUMNS, FIELDS.column("profile"))  # To choose from, and for tables outside of a screen


def is_problem(row: ExecutorRow, look: RenderContext) -> bool:
    """True for an executor that runs no task or is not running."""
    return row.busy == 0 or row.state != "RUNNING"


def _enter(row: ExecutorRow, picture: SessionState, scope: Scope | Filter | None) -> NavigationTarget | str:
    if isinstance(scope, Scope) and scope.kind == NODE:
        return to_application(NOUN, row, picture) or NavigationTarget("nodes", row.worker)
    return NavigationTarget("nodes", row.worker)


def _size(rows: Sequence[ExecutorRow], picture: SessionState, arrangement: SortFilter) -> str:
    graphs = picture.graphs
    lost = 0 if graphs is None else dict(zip(graphs.history.names, graphs.reading, strict=False)).get(LOST, 0)
    return f"{len(rows)} run" + (f"  {lost} lost" if lost else "")


NOUN = PaneView(
    name="containers",
    title="Executors",
    source=section("executors"),
    shape=TableLayout(columns=COLUMNS, every_column=EVERY_COLUMN),
    identity=lambda row: f"{row.application:04d}/{row.executor}",
    details=by_row(details),
    table="executors",
    criteria=FIELDS.criteria(is_problem),
    facts=FIELDS.facts(),
    is_linked=True,
    words=PaneTexts(
        nothing="No executor runs.",
        crumb=lambda row_id: f"executor:{row_id}",
        subject=lambda row: f"{row.application:04d} executor {row.executor}",
        size=_size,
    ),
    leads=RowLinks(
        about=lambda row, look: (Reference(APPLICATION, row.application), Reference(NODE, row.worker)),
        enter=_enter,
        enter_help="Go to its worker; from what is on one worker, to its application.",
    ),
)


def executors_of(picture: SessionState) -> Sequence[ExecutorRow]:
    """All executors of a picture."""
    return NOUN.source.rows(picture, SortFilter())[0]
