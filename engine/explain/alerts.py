"""Alerts: states that need an operator, detected as they form by whoever drives a run.

The driver adds `Alerts` to the run's listeners and calls `look` between two instants, as often as it likes. Whether all
stands still is looked at at most twice per simulated second, and only when nothing was allocated lately; who is stuck
while others go on costs at most a share of what the run itself costs. A run without them pays nothing, and they change
nothing: the journal is the same with and without.
"""

from collections.abc import Iterator, Sequence, Set
from typing import Final, NamedTuple

import msgspec

from engine.control_plane.cluster_view import somebody_waits
from engine.explain.alert import Alert, frozen_words, named, standing_of
from engine.explain.badge_rules import STANDING
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
from engine.simulation.records import Acted, AskChanged, Record, Submitted
from engine.simulation.simulation import Simulation

TOO_LARGE: Final = "ask above every node"

ALLOCATED: Final = "allocations go on again"
CHANGED: Final = "something was submitted or changed, and may be allocated something"
ACTED: Final = "somebody acted, so it is to be proved anew"
"""Words of the alert that ends a freeze."""

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


class _Proof(NamedTuple):
    """What a freeze rests on, from when and until when that holds [epoch ms]."""

    alert: Alert
    number: int
    """Who waits longest, whom the verdict is about."""
    verdict: Verdict
    pattern: str
    stuck: tuple[int, ...]
    left: Set[int]
    """See `Outlook`."""
    from_ms: int
    until_ms: int | None = None
    """When somebody acted or something was allocated; None before."""


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
        self._proofs: list[_Proof] = []
        """Every freeze that was proved, the last one last."""
        self._is_lifted = False
        """True if a freeze has ended and nobody was asked about yet whom its end may have left behind."""
        self._is_spent = False
        """True if nothing more may be spent now on who is stuck."""
        self.heard: list[Alert] = []
        """Alerts that records told of and no look has returned yet."""
        self._recalled: tuple[Alert, ...] = ()
        """Alerts that stood where the run was taken up again, until they are found anew or not."""
        self._asked: dict[tuple[int, int, int], int] = {}
        self.frozen: Alert | None = None
        """The alert that nothing moves; None while something does."""
        self.all: list[Alert] = []
        """Every alert so far, oldest first."""

    @property
    def standing(self) -> tuple[Alert, ...]:
        """The alerts that hold now, the gravest first."""
        some = (*self._outages.standing, self.frozen, self._livelock.standing, *self._held_up.standing.values())
        found = [alert for alert in some if alert is not None]
        return (*found, *(each for each in self._recalled if not any(_is_same(each, other) for other in found)))

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
        is_told = not (self._asked or self.heard or self._is_lifted)
        return is_done and is_told and simulation.now_ms - self._looked_ms < EVERY_MS

    def rests(self, simulation: Simulation) -> bool:
        """Tells whether looks find nothing before the next event, as nobody waits; such looks may be left out."""
        is_told = not (self.standing or self._asked or self.heard or self._is_lifted or self._livelock.is_due)
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
                self._lift(time_ms, ALLOCATED)
            elif isinstance(record, Acted):
                self._lift(time_ms, ACTED)
            elif isinstance(record, Submitted) and record.rejected:
                sentence = f"application {record.name or record.application} is refused: {record.detail}"
                self.heard.append(
                    Alert("refused", time_ms, time_ms, sentence, "impossible", applications=(record.application,))
                )
            elif isinstance(record, AskChanged) and record.count > 0:
                self._asked[record.application, record.memory_mb, record.vcores] = time_ms

    def _lift(self, time_ms: int, how: str) -> None:
        """End a freeze: its proof holds until somebody acts or something is allocated."""
        if self._inquiry is not None:
            self._inquiry = None
            self._looked_ms = -EVERY_MS
        if self.frozen is None:
            return
        self.heard.append(Alert("over", self.frozen.since_ms, time_ms, how))
        self._proofs[-1] = self._proofs[-1]._replace(until_ms=time_ms)
        self.frozen, self._is_lifted = None, True
        self._looked_ms = -EVERY_MS  # it is proved again at once, or not

    def resumed(self, time_ms: int, allocated_ms: int | None = None) -> "Alerts":
        """Return the alerts of a run that is taken up again at an earlier instant [epoch ms]: what was known then.

        `allocated_ms` is when something was last allocated before that instant.
        """
        other = Alerts(allocated_ms)
        other.all = [each for each in self.all if each.found_ms <= time_ms]
        other._recalled = tuple(
            each for each in standing_of(other.all) if each.kind in STANDING and each.kind != "frozen"
        )
        other._proofs = [each for each in self._proofs if each.from_ms <= time_ms]
        proof = other._proofs[-1] if other._proofs else None
        if proof is not None and (proof.until_ms is None or time_ms < proof.until_ms):
            other._proofs[-1] = proof._replace(until_ms=None)
            other._resume_freeze(proof, time_ms)
        return other

    def _resume_freeze(self, proof: _Proof, time_ms: int) -> None:
        """Let a freeze stand at an instant at which its proof holds."""
        alert = msgspec.structs.replace(proof.alert, found_ms=min(proof.alert.found_ms, time_ms))
        self._outlook.resume(alert.since_ms, proof.stuck, proof.left)
        self.frozen, self._looked_ms = alert, time_ms
        if all(each.kind != "frozen" for each in standing_of(self.all)):
            self.all.append(alert)

    def look(self, simulation: Simulation, pieces: int = UNBOUNDED) -> list[Alert]:
        """Bring the alerts up to date, between two instants of the run; those that are new.

        With few pieces of work an alert may need several looks.
        """
        new, self.heard = self.heard, []
        now_ms = simulation.now_ms
        self._held_up.resume(now_ms)
        new += self._outages.look(simulation)
        if self.frozen is not None and self._outlook.formed_ms is None:
            self._end_freeze(simulation, self.frozen.since_ms, new)
        elif self._outlook.formed_ms is None:
            self._look_behind(simulation)
        if self._asked:
            new += self._too_large(simulation)
        if self._inquiry is None and now_ms - self._looked_ms >= EVERY_MS and not self._held_up.urgent:
            if is_known := self._outlook.look(simulation, pieces, self._held_up.known):
                self._looked_ms = now_ms
            if is_known or not self._is_lifted:
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
        if self._recalled and self.frozen is None and self.idle(simulation):
            self._recalled = ()
        new = [each for each in new if not any(_is_same(each, other) for other in self._recalled)]
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
        elif formed_ms is None:
            self._look_behind(simulation)
        elif self.frozen is None or self.frozen.applications[0] not in self._outlook.stuck:
            self._is_lifted = False
            longest = next((number for number in self._outlook.stuck if number not in self._held_up.known), None)
            if longest is not None:
                basis = Basis(simulation)
                self._inquiry = (longest, basis, Task(judged(basis, longest)))
        else:
            proved = self._proofs[-1][1:4]
            self.frozen = self._frozen_now(simulation, self.frozen.since_ms, self.frozen.found_ms, proved)

    def _end_freeze(self, simulation: Simulation, since_ms: int, new: list[Alert]) -> None:
        self.frozen, self._is_lifted = None, True
        is_waited = somebody_waits(simulation.control_plane.view(), self._held_up.known)
        how = CHANGED if is_waited else "nobody waits any more"
        new.append(Alert("over", since_ms, simulation.now_ms, how))
        self._proofs[-1] = self._proofs[-1]._replace(until_ms=simulation.now_ms)
        self._look_behind(simulation)

    def _look_behind(self, simulation: Simulation) -> None:
        """Once a freeze has ended, ask about those whom its end may have left behind."""
        if self._is_lifted:
            self._is_lifted = False
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
        is_new = self.frozen is None
        proved = (number, *task.result())
        self.frozen = self._frozen_now(simulation, since_ms, simulation.now_ms, proved)
        outlook = self._outlook
        proof = _Proof(self.frozen, *proved, outlook.stuck, outlook.left, max(since_ms, outlook.outside_ms))
        self._proofs = [*(self._proofs if is_new else self._proofs[:-1]), proof]
        if is_new:
            new.append(self.frozen)

    def _frozen_now(
        self, simulation: Simulation, since_ms: int, found_ms: int, proved: tuple[int, Verdict, str]
    ) -> Alert:
        """The alert of a freeze, with all whom it is about by now."""
        number, verdict, pattern = proved
        involved = tuple(dict.fromkeys((number, *(step.application for step in verdict.proof.cycle))))
        noun = words_of(simulation.control_plane.dimensions).application
        whom = dict.fromkeys((number, *sorted(set(self._outlook.left).difference(self._held_up.known))))
        sentence = frozen_words(verdict, pattern, tuple(whom), noun)
        return Alert("frozen", since_ms, found_ms, sentence, verdict.verdict, pattern, involved, noun=noun)


def _is_same(one: Alert, other: Alert) -> bool:
    """Tell whether two alerts are of the same state, found twice."""
    return (one.kind, one.since_ms, one.applications[:1]) == (other.kind, other.since_ms, other.applications[:1])
