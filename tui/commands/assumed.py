"""What the answers of `why` and `fix` about a twin hang on, found in the time there is."""

from collections.abc import Sequence
from typing import Final

from engine.explain.sensitivity import Target, sensitivities, unlooked
from engine.explain.sensitivity_report import SensitivityReport
from engine.incremental import Task
from engine.scenario import Scenario
from engine.simulation.simulation import Simulation
from tui.commands.budget import Budget

PART: Final = 2 / 3
"""The part of the time for the answer itself, where there are assumptions to look at after it."""


def budget_of_answer(scenario: Scenario, seconds: float) -> Budget:
    """The time for an answer; some of it is left for what the answer hangs on."""
    return Budget(seconds * PART if scenario.assumed else seconds)


def assumed_in(
    scenario: Scenario, simulation: Simulation, targets: Sequence[Target], budget: Budget
) -> tuple[SensitivityReport, ...]:
    """What the answer about some that wait hangs on."""
    if not scenario.assumed or not targets:
        return ()
    work = Task(sensitivities(scenario, simulation, targets))
    return work.result() if budget.spend(work.advance) else unlooked(scenario)
