"""Alerts: states that need an operator, detected as they form by whoever drives a run.

The driver adds `Alerts` to the run's listeners and calls `look` between two instants, as often as it likes. Whether all
stands still is looked at at most twice per simulated second, and only when nothing was allocated lately; who is stuck
while others go on costs at most a share of what the run itself costs. A run without them pays nothing, and they change
nothing: the journal is the same with and without.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.control_plane.cluster_view import somebody_waits
from engine.explain.alert import Alert, frozen_words, named
from engine.explain.freeze_detector import UNBOUNDED, Outlook
from engine.explain.inquiry import judged
from engine.explain.livelock import Livelock
from engine.explain.outage_alerts import OutageAlerts
from engine.explain.remedy import exact_amounts
from engine.explain.shared_lookahead import Basis
from engine.explain.starvation_detector import HeldUp
from engine.explain.verdict import Verdict
from engine.incremental import Task
from engine.model.decision import Allocated
from engine.observe.system_words import words_of
from engine.simulation.records import AskChanged, Record, Submitted
from engine.simulation.simulation import Simulation

TOO_LARGE: Final = "ask above every node"

ALLOCATED: Final = "allocations go on again"
CHANGED: Final = "something was submitted or changed, and may be allocated something"
"""Kind of the alert that ends a freeze."""

EVERY_MS: Final = 500
"""Least time between two looks [simulated ms]."""

ALLOWANCE: Final = 1_500
"""Pieces of work that may be spent on who is stuck in any run."""

SHARE: Final = 1_024
"""Heartbeats of the run for each further piece."""

KEPT: Final = 2
"""One piece in so many is kept for those whom applications that wait for nothing leave no room."""

SCAN_PIECES: Final = 2
"""Pieces of work of a scan that finds that nobody waits."""

PLAYED_MS: Final = 10_000
"""Simulated time for each further piece, so that in the end everybody is judged, however few heartbeats there are."""


class Alerts:
    """A listener that keeps the alerts of a run."""

    def __init__(self, allocated_ms: int | None = None) -> None:
        """Listen from now on; `allocated_ms` is when something was last allocated before, where that is known."""
        self._outlook = Outlook(allocated_ms)
        self._outages = OutageAlerts()
        self._held_up = HeldUp(self._outages)
        self._livelock = Livelock()
        self._looked_ms = -EVERY_MS
        self._inquiry: tuple[int, Basis, Task[tuple[Verdict, str]]] | None = None
        self._freeze: tuple[int, Verdict, str] | None = None
        """The last freeze: who waits longest, the verdict on that one, and its pattern."""
        self._is_spent = False
        """True if nothing more may be spent now on who is stuck."""
        self._refused: list[Alert] = []
        self._asked: dict[tuple[int, int, int], int] = {}
        self._allocated_ms = 0
        """When something was last allocated [epoch ms]."""
        self.frozen: Alert | None = None
        """The alert that nothing moves; None while something does."""
        self.all: list[Alert] = []
        """Every alert so far, oldest first."""

    @property
    def standing(self) -> tuple[Alert, ...]:
        """The alerts that hold now, the gravest first."""
        found = (*self._outages.standing, self.frozen, self._livelock.standing, *self._held_up.standing.values())
        return tuple(alert for alert in found if alert is not None)

    @property
    def frozen_for(self) -> frozenset[int]:
        """Applications that nothing will be allocated to any more while all is frozen; else nobody."""
        return frozenset(self._outlook.left if self.frozen is not None else ())

    @property
    def known(self) -> frozenset[int]:
        """Applications that the alerts that hold now stand for, also those they do not name."""
        livelock = self._livelock.standing
        livelocked = livelock.applications if livelock is not None else ()
        return self.frozen_for.union(self._outages.told, livelocked, self._held_up.known)

    def not_judged(self, simulation: Simulation) -> list[tuple[int, int]]:
        """Return who has waited for a minute without a verdict, with since when [epoch ms]; nobody in a freeze."""
        return self._held_up.not_judged(simulation) if self.frozen is None else []

    @property
    def copying(self) -> bool:
        """Tell whether an instant is being copied: the run had better stand until the next look, or it begins anew."""
        is_asking = self._inquiry is not None and not self._inquiry[1].copied
        is_looking = self._held_up.copying or self._livelock.copying
        return is_asking or self._outlook.copying or (is_looking and not self._is_spent)

    def idle(self, simulation: Simulation) -> bool:
        """Tell whether another look where the run stands now would find nothing more."""
        is_done = self._inquiry is None and (self._is_spent or (self._held_up.idle and self._livelock.idle))
        return is_done and not self._asked and not self._refused and simulation.now_ms - self._looked_ms < EVERY_MS

    def rests(self, simulation: Simulation) -> bool:
        """Tells whether looks find nothing before the next event, as nobody waits; such looks may be left out."""
        is_told = not (self.standing or self._asked or self._refused or self._livelock.is_due)
        is_idle = self._inquiry is None and self._livelock.idle and not self._outlook.copying
        if (
            not (is_told and is_idle)
            or self._allowed(simulation) < SCAN_PIECES
            or somebody_waits(simulation.control_plane.view(), ())
        ):
            return False
        return self._held_up.leave_off()

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        self._outlook.records(time_ms, records)
        self._outages.records(time_ms, records)
        self._held_up.records(time_ms, records)
        self._livelock.records(time_ms, records)
        for record in records:
            if isinstance(record, Allocated):
                self._allocated_ms = time_ms
            elif isinstance(record, Submitted) and record.rejected:
                sentence = f"application {record.name or record.application} is refused: {record.detail}"
                self._refused.append(
                    Alert("refused", time_ms, time_ms, sentence, "impossible", applications=(record.application,))
                )
            elif isinstance(record, AskChanged) and record.count > 0:
                self._asked[record.application, record.memory_mb, record.vcores] = time_ms

    def look(self, simulation: Simulation, pieces: int = UNBOUNDED) -> list[Alert]:
        """Bring the alerts up to date, between two instants of the run; those that are new.

        With few pieces of work an alert may need several looks.
        """
        new, self._refused = self._refused, []
        now_ms = simulation.now_ms
        self._held_up.resume(now_ms)
        new += self._outages.look(simulation)
        if self.frozen is not None and self._outlook.formed_ms is None:
            self._end_freeze(simulation, self.frozen.since_ms, new)
        if self._asked:
            new += self._too_large(simulation)
        if self._inquiry is None and now_ms - self._looked_ms >= EVERY_MS and not self._held_up.urgent:
            if self._outlook.look(simulation, pieces, self._held_up.known):
                self._looked_ms = now_ms
            self._begin_or_end(simulation, new)
        if self._inquiry is not None:
            self._go_on(simulation, pieces, new)
        elif self.frozen is None and (self._held_up.urgent or not self._outlook.copying):
            of_livelocks = self._earned(simulation) - self._livelock.spent  # nobody else may use it up
            new += self._livelock.look(simulation, min(pieces, of_livelocks))
            allowed, kept = self._allowed(simulation), self._earned(simulation) // KEPT
            new += self._held_up.look(simulation, min(pieces, allowed), allowed - kept)
            self._is_spent = not self._allowed(simulation)
            self._held_up.urgent = self._held_up.urgent and not (self._is_spent or self._held_up.is_held_back)
        else:
            self._held_up.rest()
            new += self._held_up.over(simulation)
        self.all += new
        return new

    def _allowed(self, simulation: Simulation) -> int:
        """Return the pieces of work that may be spent now on applications that are stuck while others go on."""
        return max(0, self._earned(simulation) - self._held_up.spent - self._livelock.spent)

    def _earned(self, simulation: Simulation) -> int:
        """Return the number of pieces of work that could have been spent so far."""
        played_ms = simulation.now_ms - simulation.world.ground.start_ms
        return ALLOWANCE + simulation.world.heartbeats // SHARE + played_ms // PLAYED_MS

    def _too_large(self, simulation: Simulation) -> Iterator[Alert]:
        """Asks since the last look that no node could hold were it empty."""
        asked, self._asked = self._asked, {}
        view, dimensions = simulation.control_plane.view(), simulation.control_plane.dimensions
        for (number, memory_mb, vcores), since_ms in asked.items():
            if not view.has_room_ever(memory_mb, vcores):
                noun = words_of(dimensions).application
                size = exact_amounts((memory_mb, vcores), dimensions)
                sentence = f"{TOO_LARGE}: {named(number, noun)} asks for {size}"
                now_ms, whom = simulation.now_ms, (number,)
                yield Alert("too-large", since_ms, now_ms, sentence, "impossible", TOO_LARGE, whom, noun=noun)

    def _begin_or_end(self, simulation: Simulation, new: list[Alert]) -> None:
        formed_ms = self._outlook.formed_ms
        if formed_ms is None and self.frozen is not None:
            self._end_freeze(simulation, self.frozen.since_ms, new)
        elif formed_ms is not None and (self.frozen is None or self.frozen.applications[0] not in self._outlook.stuck):
            longest = next((number for number in self._outlook.stuck if number not in self._held_up.known), None)
            if longest is not None:
                basis = Basis(simulation)
                self._inquiry = (longest, basis, Task(judged(basis, longest)))
        elif formed_ms is not None and self.frozen is not None:
            self.frozen = self._frozen_now(simulation, self.frozen.since_ms, self.frozen.found_ms)

    def _end_freeze(self, simulation: Simulation, since_ms: int, new: list[Alert]) -> None:
        self.frozen = None
        is_waited = somebody_waits(simulation.control_plane.view(), self._held_up.known)
        moves = ALLOCATED if self._allocated_ms > since_ms else CHANGED
        how = moves if is_waited else "nobody waits any more"
        new.append(Alert("over", since_ms, simulation.now_ms, how))
        self._held_up.suspect(simulation)

    def _go_on(self, simulation: Simulation, pieces: int, new: list[Alert]) -> None:
        """Play the inquiry into who waits longest, and make its verdict the alert."""
        assert self._inquiry is not None, "there is an inquiry to go on with"
        number, _, task = self._inquiry
        if not task.advance(pieces):
            return
        self._inquiry = None
        since_ms = self._outlook.formed_ms
        if since_ms is None:
            return
        self._freeze = (number, *task.result())
        is_new = self.frozen is None
        self.frozen = self._frozen_now(simulation, since_ms, simulation.now_ms)
        if is_new:
            new.append(self.frozen)

    def _frozen_now(self, simulation: Simulation, since_ms: int, found_ms: int) -> Alert:
        """The alert of a freeze, with all whom it is about by now."""
        assert self._freeze is not None, "there is a verdict before there is an alert"
        number, verdict, pattern = self._freeze
        involved = tuple(dict.fromkeys((number, *(step.application for step in verdict.proof.cycle))))
        noun = words_of(simulation.control_plane.dimensions).application
        whom = dict.fromkeys((number, *sorted(self._outlook.left.difference(self._held_up.known))))
        sentence = frozen_words(verdict, pattern, tuple(whom), noun)
        return Alert("frozen", since_ms, found_ms, sentence, verdict.verdict, pattern, involved, noun=noun)
