"""Scores an exercise that is still played as if nothing more were done, from its record."""

from collections.abc import Sequence

from engine.training.drill import DrillScenario
from engine.training.exercise import DrillStage
from engine.training.score import Score, ScoreBaselines, played
from engine.training.steps import RecordedStep, injected, read_record


class ScoreSoFar:
    """Plays a drill each time anew, in a process of its own: who plays it on screen is not slowed.

    Par and doing nothing are played once, and once more whenever the instructor has injected something else.
    """

    def __init__(self, drill: DrillScenario) -> None:
        """Play up to the drill's beginning.

        Raises:
            ConfigError: The scheduler refuses the scenario's settings.
        """
        self._begins = drill.begins
        self._stage = DrillStage(drill)
        self._injected: tuple[RecordedStep, ...] = ()
        self._yardstick = ScoreBaselines(self._stage)

    def of(self, lines: Sequence[str]) -> Score:
        """The score of a record so far; `solved` is what was put right by the end of the drill.

        Raises:
            ConfigError: It is no record.
        """
        steps = read_record(lines, self._begins)
        faults = injected(steps)
        if faults != self._injected:
            self._injected, self._yardstick = faults, ScoreBaselines(self._stage, faults)
        return self._yardstick.score(played(self._stage, steps))
