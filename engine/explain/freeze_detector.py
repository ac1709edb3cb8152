"""Since when nothing will be allocated any more: found as it forms, with one copy that stays ahead of the run.

A closed-world copy and the run are the same until something comes from outside, so one copy serves until then, and is
played on only when the run has caught up with the last allocation it knows of.
"""

from collections.abc import Collection, Sequence, Set
from typing import Final

from engine.control_plane.cluster_view import ClusterView, somebody_waits, waiting
from engine.explain.badge_rules import QUIET_MS
from engine.explain.lookahead import Ahead, ahead_of
from engine.incremental import Task
from engine.model.decision import Allocated
from engine.simulation.records import Acted, DriverQueued, Record, Submitted
from engine.simulation.simulation import Simulation

UNBOUNDED: Final = 1 << 62
"""As many pieces of work as it takes."""


class Outlook:
    """A listener that says when a run has frozen; asked between two instants, never from within a listener."""

    def __init__(self, allocated_ms: int | None = None) -> None:
        """Listen from now on; `allocated_ms` is when something was last allocated before, where that is known."""
        self._ahead: Task[Ahead] | None = None
        self._allocated_ms = allocated_ms
        self.outside_ms = 0
        """When something last came from outside [epoch ms]."""
        self._looked_at: Ahead | None = None
        self.formed_ms: int | None = None
        """Since when nothing will be allocated any more though somebody waits [epoch ms]; None while not so."""
        self.stuck: tuple[int, ...] = ()
        """Applications that wait then, and still do at the end of the copy, the longest waiting first."""
        self.left: Set[int] = set()
        """Applications that wait at the end of the copy; some of them may only ask later."""

    @property
    def copying(self) -> bool:
        """Tell whether the run is being copied, until when it should stand."""
        return self._ahead is not None and not self._ahead.done

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note allocations, and what comes from outside."""
        for record in records:
            if isinstance(record, Allocated):
                self._allocated_ms = time_ms
                self.formed_ms = None
            elif isinstance(record, Submitted | DriverQueued | Acted):
                self.outside_ms = time_ms
                self._ahead = None

    def resume(self, formed_ms: int, stuck: tuple[int, ...], left: Set[int]) -> None:
        """Know of a freeze that was proved before the run was taken up again."""
        self.formed_ms, self.stuck, self.left = formed_ms, stuck, left

    def look(self, simulation: Simulation, pieces: int = UNBOUNDED, known: Collection[int] = ()) -> bool:
        """Bring `formed_ms` up to date with the present; whether that took no more than some pieces of work.

        Those who are `known` to be given nothing any more do not count.
        """
        view, now_ms = simulation.control_plane.view(), simulation.now_ms
        if not somebody_waits(view, known):
            self.formed_ms = None
            return True
        if self._allocated_ms is not None and now_ms - self._allocated_ms < QUIET_MS:
            return True
        ahead = self._caught_up(simulation, pieces)
        if ahead is None:
            return False
        is_given = ahead.last_ms is not None and ahead.last_ms > now_ms
        if ahead.still and not is_given and (self.formed_ms is None or self._looked_at is not ahead):
            # Who waits only until it withdraws what it asks for is not stuck; nor is, yet, who asks later.
            self._looked_at = ahead
            self.left = {each.number for each in waiting(ahead.simulation.control_plane.view())}
            self.stuck = tuple(each.number for each in waiting(view) if each.number in self.left)
        if not ahead.still or is_given or set(self.stuck) <= set(known):
            self.formed_ms = None
        elif self.formed_ms is None:
            self.formed_ms = self._began_ms(view, now_ms, known)
        return True

    def _caught_up(self, simulation: Simulation, pieces: int) -> Ahead | None:
        """The copy, once it knows of an allocation after the present, or that there is none; None until then."""
        if self._ahead is None:
            self._ahead = Task(ahead_of(simulation))
        while not self._ahead.done and pieces > 0:
            pieces -= 1
            self._ahead.advance()
        if not self._ahead.done:
            return None
        ahead, now_ms = self._ahead.result(), simulation.now_ms
        while not (is_known := ahead.over or (ahead.last_ms is not None and ahead.last_ms > now_ms)) and pieces > 0:
            pieces -= 1
            ahead.advance()
        return ahead if is_known else None

    def _began_ms(self, view: ClusterView, now_ms: int, known: Collection[int]) -> int:
        """The first instant with this future at which somebody waited."""
        since = (each.waiting_since_ms or 0 for each in waiting(view) if each.number not in known)
        since_ms = next(since, 0)
        return min(now_ms, max(self._allocated_ms or 0, self.outside_ms, since_ms))
