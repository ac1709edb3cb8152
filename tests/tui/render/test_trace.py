"""Series in a window: what is looked up, told and drawn of them."""

import pytest

from engine.observe.history import SPARK, YARN, History, Reading
from engine.observe.step_series import Steps
from tui.picture import Graphs
from tui.render import chart, graph
from tui.render.line import Look, flat
from tui.render.trace import Trace, traces

START = 1_700_000_000_000
MINUTE = 60_000
LOOK = Look(START, ("memory_mb", "vcores"), (0, 0), 8 * 3_600_000)


def reading(**changes: int) -> Reading:
    """A cluster of 100 GB and 40 vcores on which nothing happens, but for these."""
    values = dict.fromkeys(YARN, 0) | {"total_memory_mb": 102400, "total_vcores": 40, "nodes": 4} | changes
    return tuple(values[name] for name in YARN)


def history(*readings: Reading, every_ms: int = MINUTE) -> History:
    kept = History()
    for number, one in enumerate(readings):
        kept.cluster.note(START + number * every_ms, one)
    return kept


def looked_at(kept: History, after_ms: int, length_ms: int | None = 600_000) -> dict[str, Trace]:
    now_ms = START + after_ms
    graphs = Graphs(kept, kept.cluster.at(now_ms) or reading(), START)
    return {trace.key: trace for trace in traces(graphs, now_ms, length_ms)}


def ramp() -> History:
    """Ten minutes in which used memory grows from nothing to all, a container more waits each minute, up to 9."""
    return history(*(reading(used_memory_mb=10240 * n, pending_containers=min(n, 9)) for n in range(11)))


def test_the_highest_of_each_cell_is_drawn() -> None:
    kept = history(*(reading(pending_containers=80 if n == 7 else 10) for n in range(20)), every_ms=10_000)
    trace = looked_at(kept, 200_000, 200_000)["pending_containers"]

    assert trace.levels(4) == [10, 80, 10, 10]
    assert (trace.extremes.high, trace.extremes.high_ms) == (80, START + 70_000)


def test_nothing_later_than_the_instant_looked_at_is_drawn() -> None:
    found = looked_at(ramp(), 5 * MINUTE)
    trace = found["used_memory"]

    assert (trace.now, trace.extremes.high, trace.window.until_ms) == (50, 50, START + 5 * MINUTE)
    assert trace.at(START + 9 * MINUTE) == 50


def test_what_the_cluster_is_now_is_exact() -> None:
    kept = history(reading(pending_containers=3))
    found = traces(Graphs(kept, reading(pending_containers=9), START), START + MINUTE, None)
    trace = next(each for each in found if each.key == "pending_containers")

    assert (trace.now, trace.extremes.high, trace.levels(2)) == (9, 9, [3, 9])


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
    kept = ramp()
    for path, used_mb in (("root.etl", 2048), ("root.adhoc", 512)):
        kept.queues[path] = Steps()
        kept.queues[path].note(START, used_mb)
    found = looked_at(kept, 10 * MINUTE)

    assert list(found)[-2:] == ["root.adhoc", "root.etl"]
    assert (found["root.etl"].name, str(found["root.etl"])) == ("queue etl", "queue etl: now 2G, lowest 2G, highest 2G")


def test_a_standalone_master_has_cores() -> None:
    """Used as a share, free as a number; nothing of it is reserved or preempted."""
    kept = History()
    kept.names = SPARK
    kept.cluster.note(START, (8192, 16, 1024, 12, 5, 2, 9, 3, 2, 1, 4))
    found = {trace.key: trace for trace in traces(Graphs(kept, kept.cluster.values[0], START), START + 1, None)}

    assert {key: trace.shown(trace.now) for key, trace in found.items()} == {
        "used_cores": "75%",
        "pending_executors": "5",
        "executors": "3",
        "used_memory": "12%",
        "workers": "4",
        "lost": "2",
        "free_cores": "4",
        "allocated": "0",
        "applications_pending": "1",
        "applications_running": "2",
    }
    assert [key for key, trace in found.items() if trace.is_problem] == ["pending_executors", "applications_pending"]


def test_an_empty_history_can_be_drawn() -> None:
    kept = History()
    nothing = tuple(0 for _ in YARN)
    for trace in traces(Graphs(kept, nothing, START), START, None):
        assert trace.now == 0
        assert len(chart.lines(chart.Chart([trace], (), None), LOOK, (40, 10))[0]) == 10


@pytest.mark.parametrize(("lines", "step"), [(10, 20), (5, 20), (4, 25), (3, 50), (1, 100), (0, 100)])
def test_a_share_is_drawn_out_of_all(lines: int, step: int) -> None:
    assert looked_at(ramp(), 2 * MINUTE)["used_memory"].scale(lines) == (100, step)


def test_a_scale_has_room_for_all_series_drawn_on_it() -> None:
    found = looked_at(history(reading(containers=3, pending_containers=80)), MINUTE)

    assert found["containers"].scale(6).top == 3
    assert found["containers"].scale(6, found["pending_containers"]).top == 80


def test_the_strip_tells_when_it_was_lowest_and_highest() -> None:
    told = [flat(line) for line in graph.details(looked_at(ramp(), 10 * MINUTE)["pending_containers"], LOOK)]

    assert told[0] == "containers asked  from 06:13:20 to 06:23:20"
    assert told[1] == "now 9   lowest 0 at 06:13:20   highest 9 at 06:22:20"


@pytest.mark.parametrize("cells", [1, 7, 40, 191])
def test_an_instant_and_its_cell_agree(cells: int) -> None:
    window = looked_at(ramp(), 10 * MINUTE)["used_memory"].window

    assert [window.cell(window.moment(cell, cells), cells) for cell in range(cells)] == list(range(cells))
    assert (window.cell(0, cells), window.cell(2 * START, cells)) == (0, cells - 1)
