"""Finds out without much work that a remedy cannot help: in a smaller world, where only what blocks an ask is left.

Where applications that wait for nothing suffice to keep an ask from ever starting, all others are ended in a copy. An
act that does not start the ask there does not start it beside the others either. Preemption is the exception, as it may
depend on how full a cluster is.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.explain.explainers import explainer_of
from engine.explain.inquiry import beside
from engine.explain.remedy import Remedy
from engine.explain.remedy_trial import Baseline, Target, Unacted, tried
from engine.incremental import Incremental
from engine.scenario.acts import KillApplication, SetPreemption
from engine.simulation.simulation import Simulation

PIECES: Final = 100
"""Pieces of work for the smaller world at most, without an act and with each."""


class Core(NamedTuple):
    """An ask alone with those that keep it from ever starting."""

    simulation: Simulation
    """At the instant, closed; it is not changed."""
    base: Baseline
    """The course of events there without any act: nothing for the ask."""


def core_of(here: Simulation, targets: Sequence[Target]) -> Incremental[Core | None]:
    """The smaller world of an instant, for a single ask; None where it would be no smaller or does not block it."""
    view = here.control_plane.view()
    if len(targets) != 1 or view.modes().preemption is True or not here.control_plane.answers:
        return None
    number, priority = targets[0]
    everybody = view.applications()
    keepers = {each.number for each in everybody if not each.waits and each.number != number}
    if not keepers or len(keepers) + 1 == len(everybody):
        return None
    ahead = yield from beside(here, number, keepers)
    if ahead.is_settled(number, priority):  # the others' end alone starts it, as Spark's Master gives at once
        return None
    explainer_of(ahead.simulation).drop_other_asks(number, priority)
    unacted = Unacted((yield from ahead.simulation.forking()))
    unacted.targets = tuple(targets)
    yield from unacted.play(PIECES, targets)
    if not unacted.ahead.still or unacted.ahead.is_settled(number, priority):
        return None
    return Core(ahead.simulation, unacted.baseline())


def may_help(core: Core, targets: Sequence[Target], remedy: Remedy) -> Incremental[bool]:
    """Tell whether a remedy starts the ask in the smaller world, or that cannot be known there."""
    act = remedy.act
    if isinstance(act, SetPreemption):
        return True
    if isinstance(act, KillApplication):
        is_there = core.simulation.control_plane.view().application(remedy.application) is not None
        if not is_there:
            return False
    trial = yield from tried(core.simulation, targets, remedy, core.base, PIECES, follow_ms=0)
    return trial is None or trial.helps or bool(trial.refused)
