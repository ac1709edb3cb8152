"""Every measurement by its name; each runs in a process of its own, so it is named, not passed."""

import gc
from collections.abc import Callable
from functools import partial

from engine.formats.scenario_toml import load
from tests.gates.bench import asking, capacity, graphs, holding, live, scale, screen, sls, spark, traces, watching
from tests.gates.bench.clock import clock
from tests.gates.bench.explaining import answers, crowded, frozen, remedies
from tests.gates.bench.past import SCENARIOS, past
from tests.gates.bench.schedulers import Figures, scheduler
from tests.gates.bench.simulated import PACKAGED, copied, played, watched
from tests.gates.bench.starts import summary
from tests.gates.bench.workload import CASES
from tui.cli.cli import GARBAGE_THRESHOLD

START_CASES = 200
INCIDENT_MS = 133 * 60_000  # From the start of the incident to 10:43

SCHEDULERS = tuple(case.name for case in CASES)
OTHERS: dict[str, Callable[[], Figures]] = {
    "clock": clock,
    **{name: partial(played, name) for name in (*PACKAGED, "day-1000")},
    "alerts": watched,
    **{f"spark-{workers}": partial(spark.figures, workers) for workers in spark.SIZES},
    **{f"spark-packed-{workers}": partial(spark.figures, workers, spread_out=False) for workers in spark.SIZES},
    **scale.MEASURES,
    **{name: partial(past, name) for name in SCENARIOS},
    "why-crowded-1000": lambda: answers(crowded(), (900, 902)),
    "why-frozen-1000": lambda: answers(frozen()),
    "fix-incident": lambda: remedies("incident", load("reservation-deadlock"), INCIDENT_MS),
    "fix-frozen-1000": lambda: remedies("frozen-1000", frozen()),
    "starts-closed": partial(summary, START_CASES, is_closed=True),
    "starts-open": partial(summary, START_CASES, is_closed=False),
    "fork": copied,
    **asking.MEASURES,
    "graphs-1000": graphs.figures,
    **{f"screen-{width}x{height}": partial(screen.figures, (width, height)) for width, height in screen.SIZES},
    "live-10000": live.figures,
    **watching.MEASURES,
    **sls.MEASURES,
    **holding.MEASURES,
    **traces.MEASURES,
}
"""What is not set beside the real classes: name → the measurement."""

CAPACITY = tuple(case.name for case in capacity.CASES)

NAMES = (*SCHEDULERS, *CAPACITY, *OTHERS)


def measure(name: str, *, beside_hadoop: bool = False) -> Figures:
    """The figures of one measurement, taken in this process as the command line sets it up."""
    gc.set_threshold(*GARBAGE_THRESHOLD)
    if name in OTHERS:
        return OTHERS[name]()
    if name in CAPACITY:
        return capacity.figures(name, beside_hadoop=beside_hadoop)
    return scheduler(name, beside_hadoop=beside_hadoop)
