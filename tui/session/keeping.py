"""Keeps on disk the run on the screen, and after each branch another."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from engine.errors import ConfigError
from engine.observe.history import History
from engine.run.run_writer import RunWriter


def wall_time() -> str:
    """Return the time of the user's clock."""
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


class Keeping:
    """Keeps a run, or nothing."""

    def __init__(self, keeper: RunWriter | None = None, *, now: Callable[[], str] = wall_time) -> None:
        """Begin with the run that keeps from the start, or with nothing."""
        self._keeper, self._now = keeper, now
        self.names: list[str] = [] if keeper is None else [keeper.name]
        """The runs kept so far."""
        self.troubles: list[str] = []
        """The runs that could not be kept to their end, and why."""

    @property
    def listeners(self) -> list[RunWriter]:
        """The listeners that write the run."""
        return [] if self._keeper is None else [self._keeper]

    @property
    def history(self) -> History | None:
        """The history that the kept run's series are sampled from; None where nothing is kept."""
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
        """Wait until every act is on disk."""
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
        """End the run here, and go on with another that is the same up to an instant [both epoch ms].

        Returns:
            The refusal, or nothing; where refused, the former run is kept on.
        """
        if self._keeper is None:
            return ""
        try:
            other = self._keeper.branch(branched_ms, created=self._now())
        except ConfigError as error:
            return str(error)
        self.finish(ended_ms)
        self._keeper = other
        self.names.append(other.name)
        return ""

    def finish(self, ended_ms: int) -> None:
        """End the run at an instant [epoch ms]."""
        if self._keeper is not None:
            self._keeper.finish(ended_ms)
            if not self.has_failed():
                self._keeper.close()
                self._keeper = None
