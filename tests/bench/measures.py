"""Every measurement by its name; each runs in a process of its own, so it is named, not passed."""

from tests.bench.clock import clock
from tests.bench.schedulers import Figures, scheduler
from tests.bench.simulated import copied, played
from tests.bench.workload import CASES

SIMULATIONS = ("incident", "day-1000")
NAMES = ("clock", *(case.name for case in CASES), *SIMULATIONS, "fork")


def measure(name: str, *, beside_hadoop: bool = False) -> Figures:
    """The figures of one measurement, taken in this process."""
    if name == "clock":
        return clock()
    if name == "fork":
        return copied()
    if name in SIMULATIONS:
        return played(name)
    return scheduler(name, beside_hadoop=beside_hadoop)
