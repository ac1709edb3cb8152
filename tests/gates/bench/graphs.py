"""What it costs to keep what was for graphs on a busy day of 1,000 nodes, and to draw it.

The share is of the engine's own time when it goes flat out, on the wall (a look at the clock of CPU time would cost as
much as what is measured); drawing is CPU time.
"""

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter, process_time
from timeit import timeit
from typing import Any

from engine.observe.history import History
from engine.simulation.build import build_simulation
from engine.simulation.records import Record
from tests.gates.bench.day import day
from tui.panes.arrangement import WINDOWS
from tui.panes.chart import Chart, lines
from tui.panes.fragments import RenderContext
from tui.panes.graphs import arranged, small, traces
from tui.protocol.picture import Graphs

HOURS = 2
TRIES = 5


class Clocked:
    """A listener that adds up the time of another one."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.spent_s = 0.0
        self.instants = 0

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        begin = perf_counter()
        self._history.on_records(time_ms, records)
        self.spent_s += perf_counter() - begin
        self.instants += 1


def figures() -> dict[str, Any]:
    """The cost of listening, of a pane of 6 plots, and of a large graph."""
    scenario, history = day(), History()
    clocked = Clocked(history)
    simulation = build_simulation(scenario, [clocked])
    history.follow(simulation.control_plane, simulation.now_ms)
    begin = perf_counter()
    simulation.run_until(scenario.start_ms + HOURS * 3_600_000)
    whole_s, clock_s = perf_counter() - begin, clocked.instants * _clock_s()
    now_ms = simulation.now_ms
    graphs = Graphs(history, history.reading(simulation.control_plane, now_ms), scenario.start_ms)
    look = RenderContext(now_ms, ("memory_mb", "vcores"), (0, 0), 0)
    spent_s = clocked.spent_s - clock_s
    return {
        "bench": "graphs-1000",
        "instants": clocked.instants,
        "us_per_instant": round(1e6 * spent_s / clocked.instants, 2),
        "share_of_engine": round(spent_s / (whole_s - 2 * clock_s - spent_s), 3),
        "values_kept": len(history.cluster) + sum(len(steps) for steps in history.queues.values()),
        "pane_ms": [_ms(partial(_pane, graphs, look, length)) for length in WINDOWS],
        "large_ms": [_ms(partial(_large, graphs, look, length)) for length in WINDOWS],
    }


def _pane(graphs: Graphs, look: RenderContext, length_ms: int | None) -> None:
    """Six small plots in 80 cells by 12."""
    found = traces(graphs, look.now_ms, length_ms)
    shape = arranged(len(found), 80, 12)
    _ = [small(each, (shape.width, shape.height), look) for each in found[: shape.visible * shape.columns]]


def _large(graphs: Graphs, look: RenderContext, length_ms: int | None) -> None:
    """A whole screen of 200 by 60."""
    found = traces(graphs, look.now_ms, length_ms)
    _ = lines(Chart(found[:1], (), look.now_ms, others=found[1:]), look, (200, 55))


def _clock_s() -> float:
    """What a look at the clock costs [s]."""
    return timeit(perf_counter, number=10_000) / 10_000


def _ms(work: Callable[[], object]) -> float:
    """The least time of a few tries [ms]."""
    found = []
    for _ in range(TRIES):
        begin = process_time()
        _ = work()
        found.append(process_time() - begin)
    return round(1e3 * min(found), 2)
