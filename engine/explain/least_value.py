"""The least value of a setting that helps: found by halving, axis by axis, each value tried on a copy of its own.

A value is enough when as many start by it as by the largest one and, where the first of them starts anyway, it gains at
least half of what the largest gains.
"""

from collections.abc import Sequence

import msgspec

from engine.explain.remedy import Family
from engine.explain.remedy_trial import Baseline, Target, Trial, tried
from engine.incremental import Incremental
from engine.simulation.simulation import Simulation


def least_of(
    here: Simulation, targets: Sequence[Target], family: Family, most: Trial, base: Baseline, pieces: int
) -> Incremental[Trial]:
    """The trial of the least value that helps, where that of the largest (`most`) does.

    Each value is played for some pieces at most; what is not decided by then counts as no help.
    """
    value = list(family.highs)

    def enough(axis: int, size: int) -> Incremental[bool]:
        remedy = family.make((*value[:axis], size, *value[axis + 1 :]))
        trial = yield from tried(here, targets, remedy, base, pieces, follow_ms=0)
        return trial is not None and is_enough(trial, most)

    for axis, low in enumerate(family.lows):
        if low < value[axis] and (yield from enough(axis, low)):
            value[axis] = low
        below = low
        while value[axis] - below > 1:
            middle = (value[axis] + below) // 2
            if (yield from enough(axis, middle)):
                value[axis] = middle
            else:
                below = middle
    if tuple(value) == family.highs:
        return msgspec.structs.replace(most, is_least=True)
    least = yield from tried(here, targets, family.make(tuple(value)), base, pieces)
    return least if least is not None and least.helps else most


def is_enough(trial: Trial, most: Trial) -> bool:
    """Tell whether a value helps well enough, beside the largest one."""
    if len(trial.starts) < len(most.starts):
        return False
    expected_ms = most.starts[0].expected_ms
    return expected_ms is None or 2 * trial.start_ms <= expected_ms + most.start_ms
