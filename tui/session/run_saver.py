"""Keeps on disk the run on the screen, and after each branch another."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Final

from engine.errors import ConfigError
from engine.observe.history import History
from engine.run.player import Run
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.scenario.acts import Act
from tui.protocol.picture import ExpectationResult

STEP_MS: Final = 1000  # Time played between two looks at the clock [simulated ms]

Acts = Sequence[tuple[tuple[int, ...], Act]]  # Acts with their positions, as a simulation keeps them


class ExpectationReplay:
    """Judges expectations once a run has ended: plays it again in pieces, with branches and acts."""

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

    def results(self) -> tuple[ExpectationResult, ...]:
        start_ms = self._run.scenario.start_ms
        return tuple(
            ExpectationResult(
                one.verdict,
                one.expectation.about,
                one.sentence,
                None if one.time_ms is None else start_ms + one.time_ms,
            )
            for one in self._run.outcome().results
        )


def wall_time() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


class RunSaver:
    """Keeps a run, or nothing."""

    def __init__(self, keeper: RunWriter | None = None) -> None:
        """Begin with the run that keeps from the start, or with nothing."""
        self._keeper = keeper
        self.names: list[str] = [] if keeper is None else [keeper.name]  # The runs kept so far
        self.troubles: list[str] = []  # The runs that could not be kept to their end, and why

    @property
    def listeners(self) -> list[RunWriter]:
        return [] if self._keeper is None else [self._keeper]

    @property
    def history(self) -> History | None:
        return None if self._keeper is None else self._keeper.history

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Begin the run; when it is refused, no empty run stays behind."""
        with ExitStack() as stack:
            for keeper in self.listeners:
                stack.enter_context(keeper)
            yield
            stack.pop_all()

    def sync(self) -> None:
        if self._keeper is not None:
            self._keeper.sync()

    def has_failed(self) -> bool:
        """Tell whether keeping has failed since the last call; the last of `troubles` says why."""
        keeper = self._keeper
        if keeper is None or not keeper.failure:
            return False
        self.troubles.append(keeper.trouble)
        self._keeper = None
        keeper.close()
        return True

    def branch(self, ended_ms: int, branched_ms: int) -> str:
        """End the run, and go on with one that is the same up to an instant [epoch ms]; returns the refusal."""
        if self._keeper is None:
            return ""
        try:
            other = self._keeper.branch(branched_ms, created=wall_time())
        except ConfigError as error:
            return str(error)
        self.finish(ended_ms)
        self._keeper = other
        self.names.append(other.name)
        return ""

    def finish(self, ended_ms: int) -> None:
        if self._keeper is not None:
            self._keeper.finish(ended_ms)
            if not self.has_failed():
                self._keeper.close()
                self._keeper = None
