"""Series in a window: what is looked up, told and drawn of them."""

import pytest

from engine.observe.history import YARN, History, Reading
from tui.panes.graphs import Trace, traces
from tui.protocol.picture import Graphs

START = 1_700_000_000_000
MINUTE = 60_000


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


def test_nothing_later_than_the_instant_looked_at_is_drawn() -> None:
    found = looked_at(ramp(), 5 * MINUTE)
    trace = found["used_memory"]

    assert (trace.now, trace.extremes.high, trace.window.until_ms) == (50, 50, START + 5 * MINUTE)
    assert trace.at(START + 9 * MINUTE) == 50


def test_preempted_containers_are_counted_in_the_minute_before() -> None:
    """The count rises with each and falls a minute later; what came before the window counts too."""
    kept = history(*(reading(preempted_containers=n) for n in (0, 0, 3, 4, 4, 4)), every_ms=30_000)
    trace = looked_at(kept, 240_000, 240_000)["preempted"]
    late = looked_at(kept, 240_000, 140_000)["preempted"]

    assert trace.points.times == [START + after for after in (0, 60_000, 90_000, 120_000, 150_000)]
    assert trace.points.values == [0, 3, 4, 1, 0]
    assert (trace.now, trace.extremes.high) == (0, 4)
    assert late.points.values[0] == 4


@pytest.mark.parametrize("cells", [1, 7, 40, 191])
def test_an_instant_and_its_cell_agree(cells: int) -> None:
    window = looked_at(ramp(), 10 * MINUTE)["used_memory"].window

    assert [window.cell(window.moment(cell, cells), cells) for cell in range(cells)] == list(range(cells))
    assert (window.cell(0, cells), window.cell(2 * START, cells)) == (0, cells - 1)
