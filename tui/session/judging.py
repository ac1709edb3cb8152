"""Judges the expectations of a scenario once a run has ended, by playing it again with everything done to it.

It is played as it went, with branches and acts, so nothing is judged while somebody watches.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine.run.player import Run
from engine.scenario import Scenario
from engine.scenario.acts import Act
from tui.picture import Judged

STEP_MS: Final = 1000
"""Time played between two looks at the clock [simulated ms]."""

Acts = Sequence[tuple[tuple[int, ...], Act]]
"""Acts with their positions, as a simulation keeps them."""


class Judging:
    """Plays a run again, in pieces."""

    def __init__(self, scenario: Scenario, acts: Acts, until_ms: int) -> None:
        """Begin; `until_ms` is the end, ms after the start."""
        self._run = Run(scenario.model_copy(update={"script": ()}), until_ms=until_ms)
        self._pieces = self._play(acts)
        self.is_done = False

    def _play(self, acts: Acts) -> Iterator[None]:
        start_ms = self._run.scenario.start_ms
        for position, act in acts:
            yield from self._advance(position[0] - start_ms - 1)
            self._run.repeat(position, act)
        yield from self._advance(self._run.until_ms)

    def _advance(self, to_ms: int) -> Iterator[None]:
        while self._run.now_ms < to_ms:
            self._run.advance(min(to_ms, self._run.now_ms + STEP_MS))
            yield

    def work(self, is_over: Callable[[], bool]) -> bool:
        """Play on until all is played or `is_over`; return True when all is."""
        while not self.is_done and not is_over():
            self.is_done = next(self._pieces, self) is self
        return self.is_done

    def results(self) -> tuple[Judged, ...]:
        """Return how each expectation came out, in the scenario's order."""
        start_ms = self._run.scenario.start_ms
        return tuple(
            Judged(
                one.verdict,
                one.expectation.about,
                one.sentence,
                None if one.time_ms is None else start_ms + one.time_ms,
            )
            for one in self._run.outcome().results
        )
