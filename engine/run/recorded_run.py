"""A run whose past is kept: its timeline, its history for graphs, and the plans of a Spark Master."""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from engine.observe.history import History
from engine.observe.snapshots import keep_plans_of
from engine.run.player import Run
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.simulation.timeline import Timeline

SLICE_MS: Final = 10_000
"""How much is played between two copies for the timeline, at most [simulated ms]."""
PLANS_UP_TO: Final = 200
"""Workers up to which the passes of a Spark Master are remembered; on a large cluster that would cost much."""
PLANS_KEPT: Final = 100
"""How many of the latest passes are."""


class RecordedRun(NamedTuple):
    """A run and what is kept of its past, from where it stood when it was recorded first."""

    run: Run
    timeline: Timeline
    history: History

    @classmethod
    def begin(
        cls,
        scenario: Scenario,
        listeners: Sequence[Listener] = (),
        until_ms: int | None = None,
        history: History | None = None,
    ) -> "RecordedRun":
        """A run that has not begun, without expectations: whoever looks sees what happens.

        `until_ms` is its end after the start, None the scenario's own; `history` keeps its past for graphs, and begins
        with nothing; None makes one.

        Raises:
            ConfigError: The scheduler refuses the scenario's settings.
        """
        history = history or History()
        return cls._of(Run(scenario, [*listeners, history], until_ms, is_judged=False), history)

    @classmethod
    def of(cls, run: Run) -> "RecordedRun":
        """A run that others drive, recorded from where it stands."""
        history = History()
        run.simulation.listeners.append(history)
        return cls._of(run, history)

    @classmethod
    def _of(cls, run: Run, history: History) -> "RecordedRun":
        simulation = run.simulation
        history.follow(simulation.control_plane, simulation.now_ms)
        if len(simulation.world.nodes) <= PLANS_UP_TO:
            keep_plans_of(simulation.control_plane, PLANS_KEPT)
        return cls(run, Timeline(simulation), history)

    def advance(self, to_ms: int) -> None:
        """Play one slice, not beyond an instant [ms after the start]."""
        self.timeline.timed(partial(self.run.advance, min(self.run.now_ms + SLICE_MS, to_ms)))
