"""Series in a window: what is looked up, told and drawn of them."""

import math

import pytest

from engine.observe.history import SPARK, YARN, History, Reading
from engine.observe.step_series import Steps
from tui.render import chart, graph
from tui.render.line import ASCII, BLOCKS, Look, flat, head_line, length, place, table_line
from tui.render.trace import Trace, traces
from tui.view_state import Graphs

START = 1_700_000_000_000
MINUTE = 60_000
LOOK = Look(START, ("memory_mb", "vcores"), (0, 0), 8 * 3_600_000, ASCII)
SIZES = ((80, 24), (120, 40), (200, 60))


def reading(**changes: int) -> Reading:
    """A cluster of 100 GB and 40 vcores on which nothing happens, but for these."""
    values = dict.fromkeys(YARN, 0) | {"total_memory_mb": 102400, "total_vcores": 40, "nodes": 4} | changes
    return tuple(values[name] for name in YARN)


def history(*readings: Reading, every_ms: int = MINUTE) -> History:
    """Readings at equal distances."""
    kept = History()
    for number, one in enumerate(readings):
        kept.cluster.note(START + number * every_ms, one)
    return kept


def looked_at(kept: History, after_ms: int, length_ms: int | None = 600_000) -> dict[str, Trace]:
    """The series by key, so long after the start."""
    now_ms = START + after_ms
    graphs = Graphs(kept, kept.cluster.at(now_ms) or reading(), START)
    return {trace.key: trace for trace in traces(graphs, now_ms, length_ms)}


def ramp() -> History:
    """Ten minutes in which used memory grows from nothing to all, a container more waits each minute, up to 9."""
    return history(*(reading(used_memory_mb=10240 * n, pending_containers=min(n, 9)) for n in range(11)))


def curve(trace: Trace, look: Look = LOOK, width: int = 10) -> str:
    """What is drawn of it in a cell of the table."""
    column = next(column for column in graph.COLUMNS if column.title == "OVER TIME")
    cell = column.cell(trace, look, width)
    return flat(cell) if isinstance(cell, list) else cell[0]


def test_a_curve_climbs_in_eight_steps() -> None:
    """Nothing is a dot, all is the highest sign; in blocks and in ASCII."""
    trace = looked_at(ramp(), 10 * MINUTE)["used_memory"]

    assert curve(trace) == "::-=++*#%@"
    assert curve(trace, LOOK._replace(glyphs=BLOCKS)) == "▁▁▂▃▄▄▅▆▇█"
    assert [trace.shown(value) for value in (trace.now, trace.extremes.low, trace.extremes.high)] == [
        "100%",
        "0%",
        "100%",
    ]


def test_before_the_first_reading_nothing_is_drawn() -> None:
    """Of a window that is longer than the run the left is empty; a value of nothing is a dot."""
    found = looked_at(history(reading(), reading(pending_containers=4)), 5 * MINUTE)

    assert curve(found["pending_containers"]) == "    .@@@@@"
    assert curve(found["reservations"]) == "    ......"


def test_the_highest_of_each_cell_is_drawn() -> None:
    """A short peak is not lost, however few cells there are."""
    kept = history(*(reading(pending_containers=80 if n == 7 else 10) for n in range(20)), every_ms=10_000)
    trace = looked_at(kept, 200_000, 200_000)["pending_containers"]

    assert trace.levels(4) == [10, 80, 10, 10]
    assert (trace.extremes.high, trace.extremes.high_ms) == (80, START + 70_000)


def test_nothing_later_than_the_instant_looked_at_is_drawn() -> None:
    """The past ends where somebody stands in it."""
    found = looked_at(ramp(), 5 * MINUTE)
    trace = found["used_memory"]

    assert (trace.now, trace.extremes.high, trace.until_ms) == (50, 50, START + 5 * MINUTE)
    assert trace.at(START + 9 * MINUTE) == 50


def test_what_the_cluster_is_now_is_exact() -> None:
    """What is read now counts, also where nothing was noted of it."""
    kept = history(reading(pending_containers=3))
    trace = traces(Graphs(kept, reading(pending_containers=9), START), START + MINUTE, None)[1]

    assert (trace.key, trace.now, trace.extremes.high, trace.levels(2)) == ("pending_containers", 9, 9, [3, 9])


def test_preempted_containers_are_counted_in_the_minute_before() -> None:
    """The count rises with each and falls a minute later; what came before the window counts too."""
    kept = history(*(reading(preempted_containers=n) for n in (0, 0, 3, 4, 4, 4)), every_ms=30_000)
    trace = looked_at(kept, 240_000, 240_000)["preempted"]
    late = looked_at(kept, 240_000, 140_000)["preempted"]

    assert trace.points.times == [START + after for after in (0, 60_000, 90_000, 120_000, 150_000)]
    assert trace.points.values == [0, 3, 4, 1, 0]
    assert (trace.now, trace.extremes.high) == (0, 4)
    assert late.points.values[0] == 4


def test_queues_come_after_the_cluster_by_path() -> None:
    """Their used memory, under the name people say."""
    kept = ramp()
    for path, used_mb in (("root.etl", 2048), ("root.adhoc", 512)):
        kept.queues[path] = Steps()
        kept.queues[path].note(START, used_mb)
    found = looked_at(kept, 10 * MINUTE)

    assert list(found)[-2:] == ["root.adhoc", "root.etl"]
    assert (found["root.etl"].name, str(found["root.etl"])) == (
        "queue etl",
        "queue etl: now 2G, lowest 2G, highest 2G",
    )


def test_a_standalone_master_has_cores() -> None:
    """Used as a share, free as a number; nothing of it is reserved or preempted."""
    kept = History()
    kept.names = SPARK
    kept.cluster.note(START, (8192, 16, 1024, 12, 0, 0, 0, 3, 2, 1, 4))
    found = {trace.key: trace for trace in traces(Graphs(kept, kept.cluster.values[0], START), START + 1, None)}

    assert {key: trace.shown(trace.now) for key, trace in found.items()} == {
        "used_cores": "75%",
        "free_cores": "4",
        "applications_pending": "1",
        "executors": "3",
        "used_memory": "12%",
        "applications_running": "2",
        "workers": "4",
    }
    assert [key for key, trace in found.items() if trace.is_problem] == ["applications_pending"]


def test_an_empty_history_can_be_drawn() -> None:
    """Nothing noted, a cluster of nothing: no division by it."""
    kept = History()
    nothing = tuple(0 for _ in YARN)
    for trace in traces(Graphs(kept, nothing, START), START, None):
        assert (trace.now, curve(trace).strip(" .")) == (0, "")
        assert len(chart.lines(trace, (), LOOK, START, (40, 10))) == 10


@pytest.mark.parametrize("width", [22, 28, 40, 80, 120])
def test_a_line_keeps_name_curve_and_value(width: int) -> None:
    """Lowest and highest go first where there is little room; nothing is wider than the pane."""
    trace = looked_at(ramp(), 10 * MINUTE)["used_memory"]
    columns = place(graph.COLUMNS, width)
    line = table_line(columns, trace, LOOK)

    assert length(line) == width
    assert flat(line).startswith("memory us")
    assert flat(line).rstrip().endswith("100%")
    assert ("LOW" in flat(head_line(columns))) == (width >= 44)


def test_the_strip_tells_when_it_was_lowest_and_highest() -> None:
    """In the time of the place."""
    told = [flat(line) for line in graph.details(looked_at(ramp(), 10 * MINUTE)["pending_containers"], LOOK)]

    assert told[0] == "containers wait  from 06:13:20 to 06:23:20"
    assert told[1] == "now 9   lowest 0 at 06:13:20   highest 9 at 06:22:20"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("glyphs", [ASCII, BLOCKS])
def test_a_chart_fills_its_room(size: tuple[int, int], glyphs: object) -> None:
    """Every line as wide as there is room at most, the last column full to the top, the first empty."""
    trace = looked_at(ramp(), 10 * MINUTE)["used_memory"]
    look = LOOK._replace(glyphs=BLOCKS if glyphs is BLOCKS else ASCII)
    lines = [flat(line) for line in chart.lines(trace, (), look, START, size)]
    plot = lines[: size[1] - chart.FOOT_LINES]
    full = look.glyphs.fills[-1]

    assert len(lines) == size[1]
    assert max(len(line) for line in lines) == size[0]
    assert [line[-1] for line in plot] == [full] * len(plot)
    assert math.isclose(sum(line.count(full) for line in plot) / (len(plot) * (size[0] - 9)), 0.5, abs_tol=0.08)


def test_a_chart_reads_as_drawn() -> None:
    """Axis, marks and cursor, letter by letter."""
    trace = looked_at(ramp(), 10 * MINUTE)["used_memory"]
    marks = (START + 2 * MINUTE + 1000, START + 20 * MINUTE)
    lines = [flat(line).rstrip() for line in chart.lines(trace, marks, LOOK, START + 5 * MINUTE, (49, 9))]

    assert lines == [
        "   100% |                   |               ....#",
        "        |                   |       ....::::#####",
        "        |                   |   ::::#############",
        "    50% |               ....#####################",
        "        |       ....::::#########################",
        "     0% |   ::::#################################",
        "        +--------!----------^--------------------",
        "               06:15               06:20",
        " Wed 06:18:20  memory used 50%",
    ]


@pytest.mark.parametrize(
    ("length_ms", "times"),
    [
        (30_000, "06:23:00"),
        (3_600_000, "05:30 06:00"),
        (86_400_000 * 3, "00:00 00:00"),
    ],
)
def test_times_below_the_axis_are_round(length_ms: int, times: str) -> None:
    """In seconds, minutes or hours, in the time of the place, as many as there is room for."""
    trace = looked_at(ramp(), 10 * MINUTE, length_ms)["used_memory"]
    line = flat(chart.lines(trace, (), LOOK, START, (39, 9))[-2])

    assert " ".join(line.split()) == times


def test_a_mark_under_the_cursor_is_told() -> None:
    """Whoever stands on one reads when it was."""
    trace = looked_at(ramp(), 10 * MINUTE)["used_memory"]
    mark = START + 2 * MINUTE
    last = flat(chart.lines(trace, (mark,), LOOK, mark, (100, 9))[-1])

    assert last == " Wed 06:15:20  memory used 20%   ! alert or act at 06:15:20"


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (9, 4), (29, 5), (30, 2)])
def test_a_chart_of_any_size_is_drawn(size: tuple[int, int]) -> None:
    """However small."""
    trace = looked_at(ramp(), 10 * MINUTE)["used_memory"]

    assert len(chart.lines(trace, (START,), LOOK, START, size)) == size[1]


@pytest.mark.parametrize("cells", [1, 7, 40, 191])
def test_an_instant_and_its_cell_agree(cells: int) -> None:
    """The last instant of a cell lies in it; ends stay ends."""
    trace = looked_at(ramp(), 10 * MINUTE)["used_memory"]

    assert [trace.cell(trace.moment(cell, cells), cells) for cell in range(cells)] == list(range(cells))
    assert (trace.cell(0, cells), trace.cell(2 * START, cells)) == (0, cells - 1)
