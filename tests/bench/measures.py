"""Every measurement by its name; each runs in a process of its own, so it is named, not passed."""

import gc

from tests.bench.clock import clock
from tests.bench.explaining import answers, crowded, frozen
from tests.bench.past import SCENARIOS, past
from tests.bench.schedulers import Figures, scheduler
from tests.bench.simulated import copied, played
from tests.bench.spark import SIZES, figures
from tests.bench.starts import summary
from tests.bench.workload import CASES
from tui.cli import GARBAGE_THRESHOLD

SIMULATIONS = ("incident", "day-1000")
SPARK = {f"spark-{workers}": workers for workers in SIZES}
EXPLAINED = {"why-crowded-1000": (crowded, (900, 902)), "why-frozen-1000": (frozen, ())}
STARTS = {"starts-closed": True, "starts-open": False}
START_CASES = 200
NAMES = ("clock", *(case.name for case in CASES), *SIMULATIONS, *SPARK, *SCENARIOS, *EXPLAINED, *STARTS, "fork")


def measure(name: str, *, beside_hadoop: bool = False) -> Figures:
    """The figures of one measurement, taken in this process as the command line sets it up."""
    gc.set_threshold(*GARBAGE_THRESHOLD)
    if name == "clock":
        return clock()
    if name == "fork":
        return copied()
    if name in SCENARIOS:
        return past(name)
    if name in EXPLAINED:
        scenario_of, numbers = EXPLAINED[name]
        return answers(scenario_of(), numbers)
    if name in STARTS:
        return summary(START_CASES, is_closed=STARTS[name])
    if name in SPARK:
        return figures(SPARK[name])
    if name in SIMULATIONS:
        return played(name)
    return scheduler(name, beside_hadoop=beside_hadoop)
