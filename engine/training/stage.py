"""A drill played up to where it begins, once; every exercise of it goes on from a copy."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from engine.observe.snapshot import Snapshot
from engine.run.expectations import holds
from engine.run.measures import measure
from engine.run.player import Run
from engine.scenario import Expectation
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.training.drill import Clue, DrillScenario
from engine.training.harm import HarmMeter

LOOK_MS: Final = 10_000
"""How much simulated time passes between two looks for clues before the drill begins."""


class DrillStage:
    """The common beginning of all exercises of a drill."""

    def __init__(self, drill: DrillScenario) -> None:
        """Play a drill's scenario up to its beginning.

        Raises:
            ConfigError: The scheduler refuses the scenario's settings.
        """
        self.drill = drill
        self.seen: dict[str, int] = {}
        """Clue (`about`) → since when it is on the screen, ms after the drill's beginning (before it: negative)."""
        self._meter = HarmMeter(drill.scenario.start_ms)
        begins_ms = drill.drill.begins_ms
        run = Run(drill.scenario, [self._meter], begins_ms, is_judged=False)
        while not run.ended:
            run.advance(run.now_ms + LOOK_MS)
            note_clues(drill.drill.clues, run.snapshot(), run.now_ms - begins_ms, self.seen)
        if begins_ms == 0:
            note_clues(drill.drill.clues, run.snapshot(), 0, self.seen)
        self.simulation: Simulation = run.simulation
        """Stands at the drill's beginning; only to be forked and looked at."""
        self.at_stake_s = self._meter.at_stake_s(self.simulation.now_ms)
        """Container-seconds done by what runs at the beginning."""

    @cached_property
    def goals(self) -> tuple[Expectation, ...]:
        """The goals with instants counted from the scenario's start."""
        return tuple(_moved(goal, self.drill.drill.begins_ms) for goal in self.drill.drill.goals)

    def begun(self, listeners: Sequence[Listener] = ()) -> tuple[Run, HarmMeter]:
        """A run that goes on from the drill's beginning, and what measures its harm; listeners hear it, too."""
        scenario = self.drill.scenario.model_copy(update={"expectations": self.goals})
        meter = self._meter.copied()
        meter.is_counting = True
        run = Run(scenario, until_ms=self.drill.ends_ms)
        run.branch(self.simulation.fork(), [meter, *listeners])
        return run, meter


def note_clues(
    clues: tuple[Clue, ...], snapshot: Snapshot, now_ms: int, seen: dict[str, int], gone: dict[str, int] | None = None
) -> None:
    """Note the clues that a picture shows for the first time, and in `gone` those that it shows no longer."""
    for clue in clues:
        if clue.about in (seen if gone is None else gone):
            continue
        is_shown = holds(clue.shown, measure(clue.shown, snapshot))
        if is_shown:
            seen.setdefault(clue.about, now_ms)
        elif gone is not None and clue.about in seen:
            gone.setdefault(clue.about, now_ms)


def _moved(goal: Expectation, by_ms: int) -> Expectation:
    times = {key: getattr(goal, key) for key in ("at_ms", "since_ms", "until_ms")}
    return goal.model_copy(update={key: time + by_ms for key, time in times.items() if time is not None})
