"""Compares the run of a session with the same under other policies, releases or settings."""

import asyncio
from collections.abc import Sequence
from typing import Final

from engine.compare import Contestant, compared, partings_of, snapshots_at
from engine.scenario import Scenario
from engine.scenario.timed_acts import timed
from tui.session.contestants import Wanted, contestants_of
from tui.session.driving import RunDriver
from tui.session_protocol import OpenComparison

SHOWN: Final = 50
"""Divergences that a screen goes through."""


class SessionComparing:
    """Implements `session_protocol.ComparingProtocol`; the run itself goes on meanwhile."""

    def __init__(self, driver: RunDriver) -> None:
        self._driver = driver

    async def compare(self, words: str) -> OpenComparison:
        """Play the scenario to its end, with the acts so far at their times, under each word."""
        scenario = self._as_played()
        contestants = contestants_of(scenario, Wanted(words.split()))
        return await asyncio.to_thread(opened, contestants, scenario.duration_ms)

    def _as_played(self) -> Scenario:
        run = self._driver.run
        scenario, now_ms = run.scenario, run.now_ms
        done = [timed(act, position[0] - scenario.start_ms) for position, act in run.simulation.acts]
        script = (*done, *(step for step in scenario.script if step.at_ms > now_ms))
        return scenario.model_copy(update={"script": script, "expectations": ()})


def opened(contestants: Sequence[Contestant], until_ms: int) -> OpenComparison:
    """Play runs to an end [ms after the start], to be looked at."""
    comparison = compared(contestants, until_ms)
    played = [each for each in contestants if each.letter not in comparison.refused]
    partings = partings_of(played, comparison.divergences[:SHOWN])
    return OpenComparison(comparison, partings, lambda time_ms: snapshots_at(played, time_ms))
