"""One pass of Spark's Master, core by core."""

from engine.observe.spark_snapshot import PlanTables, Table, WorkerLine
from engine.schedulers.spark.assignment import RemainingDemand
from engine.schedulers.spark.scheduling_pass import PlanRecord
from tests.tui.render.drawing import stored
from tui.panes.line import Fragments, RenderContext
from tui.panes.plan import COLUMNS, details, foot_lines, head_lines
from tui.panes.table import head_line, place, row_line

LOOK = RenderContext(600_000, ("memory_mb", "cores"), (65_536, 32), 3_600_000)
WORKERS = (
    WorkerLine("w1", 3, 2048, 1, 2, "got 1 core", got=True),
    WorkerLine("w2", 1, 512, 0, 0, "comes next", waits=True),
    WorkerLine("w3", 0, 9, 2, 4, "has no core free"),
)


def tables(
    want: RemainingDemand, count: int = 6, *, profile: int = 0, spread_out: bool = True, ahead: bool = False
) -> PlanTables:
    """The plan of an application that wants so much, in so many steps."""
    given = (count * (want.executor_cores or 1),)
    record = PlanRecord(7, profile, want, spread_out, (), (), given)
    return PlanTables(61_234, "ExecutorAdded", record, {}, "etl daily", ahead)


def test_a_pass_is_drawn_as_it_is_stored() -> None:
    """Its head, its table, the worker under the cursor, the result of the step; one that would be made now says so."""
    table = Table(3, 2, WORKERS, 4, "w1 gets a core")
    lines: list[Fragments] = head_lines(
        tables(RemainingDemand(4, None, 1024), profile=2, spread_out=False), table, (1, 2), LOOK
    )
    lines += head_lines(tables(RemainingDemand(4, None, 1024), ahead=True), table, (2, 2), LOOK)
    placed = place(COLUMNS, 90)
    lines += [head_line(placed), *(row_line(placed, row, LOOK) for row in WORKERS)]
    lines += [line for row in WORKERS for line in details(row, LOOK)]
    lines += [*foot_lines(table, WORKERS[1]), *foot_lines(table, None)]
    drawn, kept = stored("plan", lines)

    assert drawn == kept
