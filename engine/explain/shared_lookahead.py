"""Shares one closed world, played ahead from an instant, among all questions at that instant.

A run may go on while it is asked about, so the instant is copied first, in pieces; whoever drives the run lets it
stand until that is done (`copied`), which takes a few pieces. The closed world is the dear part. It is played on by
whichever question wants to know more, and what one found out the next one need not.
"""

from engine.explain.lookahead import Ahead
from engine.explain.patterns import goes_round
from engine.incremental import Incremental, Task
from engine.simulation.simulation import Simulation


class Basis:
    """An instant of a run, and what follows from it in the closed world."""

    def __init__(self, simulation: Simulation) -> None:
        """Begin; when the simulation goes on before it is copied, that begins anew, and the instant is a later one."""
        self._copying = Task(simulation.forking(closed=True))
        self._meeting = Task(self._meet())
        self._stands_at = simulation.stands_at()
        self._livelocked: tuple[int, ...] | None = None

    @property
    def copied(self) -> bool:
        """Tell whether the instant is kept, so that the run may go on."""
        return self._copying.done

    def advance(self) -> bool:
        """Do a piece of the copying; whether all of it is done."""
        return self._copying.advance() and self._meeting.advance()

    def _meet(self) -> Incremental[Ahead]:
        return Ahead((yield from self.here.forking()), is_own=True)

    @property
    def here(self) -> Simulation:
        """The instant, closed to what would have come from outside; it is never played."""
        return self._copying.result()

    @property
    def ahead(self) -> Ahead:
        """The closed world, as far as anybody has played it."""
        return self._meeting.result()

    def livelocked(self) -> Incremental[tuple[int, ...]]:
        """Applications whose containers are preempted again and again from this instant on, as of `goes_round`."""
        if self._livelocked is None:
            self._livelocked = yield from goes_round(self.here)
        return self._livelocked

    def is_of(self, simulation: Simulation) -> bool:
        """Tell whether a simulation stands at this instant."""
        return self._stands_at == simulation.stands_at()

    @property
    def reached_ms(self) -> int | None:
        """Return the instant up to which the closed world was played [epoch ms]; None before there is one."""
        return self.ahead.now_ms if self._meeting.done else None
