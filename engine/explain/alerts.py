"""Detects alerts: states of a run that need an operator, found as they form.

The driver adds `Alerts` to the run's listeners and calls `look` between two instants, as often as it likes. A look
works only when something unusual has happened, or at an instant that it planned. Alerts look for a freeze only when
nothing was allocated lately. They ask about an application that is stuck while others go on when its wait has doubled;
all these questions cost at most a share of what the run itself costs. Alerts change nothing: the journal is the same
with and without them.
"""

from collections.abc import Callable, Collection, Iterator, Sequence, Set
from functools import partial
from typing import Final, NamedTuple

import msgspec

from engine.control_plane.cluster_view import ClusterView, somebody_waits, waiting
from engine.explain.alert import QUIET_MS, Alert, QueueWaits, frozen_words, named, standing_of
from engine.explain.counterfactuals import Lookahead, Stillness
from engine.explain.instant import OUTSIDE, ClosedWorld, SharedLookahead
from engine.explain.livelock import Livelock
from engine.explain.remedy import exact_amounts
from engine.explain.starvation import NEVER_MS, StarvationDetector
from engine.explain.starvation_alerts import OutageAlerts
from engine.explain.verdict import Verdict
from engine.explain.verdict_search import worst_verdict
from engine.incremental import UNBOUNDED, Task
from engine.model.decision import Allocated, Completed, Reserved, Unreserved, Warned
from engine.observe.snapshots import terms_for, wait_of
from engine.simulation.records import Acted, AskChanged, Record, Started, Submitted
from engine.simulation.simulation import Simulation

# Since when nothing will be allocated any more: found as it forms, with one copy that stays ahead of the run.
#
# A closed-world copy and the run are the same until something comes from outside, so one copy serves until then, and
# is played on only when the run has caught up with the last allocation it knows of. Where only heartbeats are left the
# run itself shows soon that nothing follows from a submission, and a freeze that was proved needs no other copy.

LATEST_MS: Final = 9_000
"""How long after the last allocation or submission it is looked ahead where something runs: an allocation may follow
what begins or ends before [ms]."""

MOST_PATIENCE_MS: Final = 10_000  # How long it is waited at most until a run itself shows that it is still [ms]


class FreezeDetector:
    """A listener that says when a run has frozen; asked between two instants, never from within a listener."""

    def __init__(self, allocated_ms: int | None = None) -> None:
        """Listen from now on; `allocated_ms` is when something was last allocated before, where that is known."""
        self.world = ClosedWorld()
        self._allocated_ms = allocated_ms
        self.outside_ms = 0  # When something last came from outside [epoch ms]
        self.quiet_ms = (allocated_ms or 0) + QUIET_MS
        """Until when no lookahead is needed, as something was just allocated, submitted or asked for [epoch ms]."""
        self._is_acted = True  # True if somebody has acted since the last look ahead
        self._stillness: Stillness | None = None
        self._looked_at: Lookahead | None = None
        self.due_ms: int | None = None
        """When it is to be asked though nothing happens before [epoch ms]; None: not before something does."""
        self.formed_ms: int | None = None
        """Since when nothing will be allocated any more though somebody waits [epoch ms]; None while not so."""
        self.stuck: tuple[int, ...] = ()
        """Applications that wait then, and still do at the end of the copy, the longest waiting first."""
        self.left: Set[int] = set()  # Applications that wait at the end of the copy; some of them may only ask later

    @property
    def copying(self) -> bool:
        """Tell whether the run is being copied, until when it should stand."""
        return self.world.copying

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        if self._stillness is not None:
            self._stillness.on_records(time_ms, records)
        kinds = set(map(type, records))
        is_outside = not OUTSIDE.isdisjoint(kinds)
        if is_outside or Allocated in kinds or AskChanged in kinds:
            self.quiet_ms = time_ms + QUIET_MS
        if Allocated in kinds:
            self._allocated_ms = time_ms
            self.formed_ms = None
        if is_outside:
            self.outside_ms = time_ms
            self.world.outdate()
        if Acted in kinds:
            self._is_acted, self._stillness = True, None

    def resume(self, formed_ms: int, stuck: tuple[int, ...], left: Set[int]) -> None:
        """Know of a freeze that was proved before the run was taken up again."""
        self.formed_ms, self.stuck, self.left = formed_ms, stuck, left

    def look(self, simulation: Simulation, pieces: int = UNBOUNDED, known: Collection[int] = ()) -> bool:
        """Bring `formed_ms` up to date with the present; False when that takes more pieces of work.

        Applications that are `known` to be stuck do not count.
        """
        now_ms, recent_ms = simulation.now_ms, max(self._allocated_ms or 0, self.outside_ms) + QUIET_MS
        self.due_ms = None
        if now_ms < recent_ms and self.formed_ms is None and not self._is_acted:
            self.due_ms = recent_ms
            return True
        view = simulation.control_plane.view()
        if not somebody_waits(view, known):
            self.formed_ms = None
            return True
        stillness = self._resting(simulation)
        if (due_ms := self._looks_at_ms(simulation, stillness)) > now_ms:
            self.due_ms = due_ms
            return True
        if stillness is not None and stillness.holds():
            self.left = {each.number for each in waiting(view)}
            return True
        ahead = self._caught_up(simulation, pieces)
        if ahead is None:
            return False
        self._is_acted = False
        is_given = ahead.is_given_after(now_ms)
        if ahead.still and not is_given and (self.formed_ms is None or self._looked_at is not ahead):
            # An application that will withdraw its ask is not stuck, and one that asks later is not stuck yet.
            self._looked_at = ahead
            self.left = {each.number for each in waiting(ahead.simulation.control_plane.view())}
            self.stuck = tuple(each.number for each in waiting(view) if each.number in self.left)
        if not ahead.still or is_given or set(self.stuck) <= set(known):
            self.formed_ms = None
        elif self.formed_ms is None:
            self.formed_ms = self._began_ms(view, now_ms, known)
        return True

    def _looks_at_ms(self, simulation: Simulation, resting: Stillness | None) -> int:
        """Return when to look ahead, unless something happens before [epoch ms]; `resting` is as of `_resting`."""
        now_ms = simulation.now_ms
        if self._is_acted:
            return 0 if self._allocated_ms is None else self._allocated_ms + QUIET_MS
        since_ms = max(self._allocated_ms or 0, self.outside_ms)
        if resting is not None:
            return max(resting.due_ms, since_ms + QUIET_MS)
        latest_ms = since_ms + LATEST_MS
        if now_ms < latest_ms and simulation.world.next_move_ms() is None:
            latest_ms = min(latest_ms, self.quiet_ms)
        return latest_ms

    def _resting(self, simulation: Simulation) -> Stillness | None:
        """Return when the run itself is still, where a freeze stands and only a submission could have ended it."""
        stillness = self._stillness = self._stillness or Stillness(simulation)
        is_proved = self.formed_ms is not None and self.world.ahead is None and not self._is_acted
        is_soon = is_proved and stillness.patience_ms <= MOST_PATIENCE_MS
        return stillness if is_soon and stillness.is_aimless else None

    def _caught_up(self, simulation: Simulation, pieces: int) -> Lookahead | None:
        """The copy, once it knows of an allocation after the present, or that there is none; None until then."""
        while pieces > 0 and not self.world.copy_on(simulation):
            pieces -= 1
        ahead = self.world.ahead
        if ahead is None:
            return None
        is_given = partial(ahead.is_given_after, simulation.now_ms)
        while not (is_known := ahead.over or is_given()) and pieces > 0:
            pieces -= 1
            ahead.advance(is_given)
        return ahead if is_known else None

    def _began_ms(self, view: ClusterView, now_ms: int, known: Collection[int]) -> int:
        since = (each.waiting_since_ms or 0 for each in waiting(view) if each.number not in known)
        since_ms = next(since, 0)
        return min(now_ms, max(self._allocated_ms or 0, self.outside_ms, since_ms))


TOO_LARGE: Final = "ask above every node"

ALLOCATED: Final = "allocations go on again"
CHANGED: Final = "something was submitted or changed, and may be allocated something"
ACTED: Final = "somebody acted, so it is to be proved anew"  # Words of the alert that ends a freeze
UNTOLD: Final = frozenset({Started, Reserved, Unreserved, Warned})  # Records from which no alert begins or ends

BEGINS_NO_WAIT: Final = frozenset({*UNTOLD, Allocated})  # Records after which no further application waits

ROUTINE: Final = frozenset({*UNTOLD, Allocated, AskChanged, Completed})
"""Records that are no reason to look at once while no alert stands."""


class _Proof(NamedTuple):
    """What a freeze rests on, from when and until when that holds [epoch ms]."""

    alert: Alert
    number: int  # The application that waits longest; the verdict is about it
    verdict: Verdict
    pattern: str
    stuck: tuple[int, ...]
    left: Set[int]  # See `Outlook`
    from_ms: int
    until_ms: int | None = None  # When somebody acted or something was allocated; None before


class Alerts:
    """A listener that keeps the alerts of a run."""

    def __init__(self, allocated_ms: int | None = None) -> None:
        """Listen from now on; `allocated_ms` is when something was last allocated before, where that is known."""
        self._outlook = FreezeDetector(allocated_ms)
        self._outages = OutageAlerts()
        self._held_up = StarvationDetector(self._outages, self._outlook.world)
        self._livelock = Livelock()
        self._inquiry: tuple[int, SharedLookahead, Task[tuple[Verdict, str]]] | None = None
        self._waiting: tuple[object, tuple[QueueWaits, ...]] = (None, ())
        """The applications that wait in the present freeze, and the state of the run at which they were counted."""
        self._proofs: list[_Proof] = []  # Every freeze that was proved, the last one last
        self._is_lifted = False
        """True after a freeze, until the applications that may still be stuck have been asked about."""
        self._is_news = True  # True if something out of the ordinary has happened since the last look
        self._is_moved = False  # True if anything has
        self._due_ms: int | None = None
        """When to look though nothing happens before [epoch ms]; None: not before something does."""
        self.heard: list[Alert] = []  # Alerts that records told of and no look has returned yet
        self._recalled: tuple[Alert, ...] = ()
        """Outages that stood where the run was taken up again, until the next look finds them anew or not."""
        self._asked: dict[tuple[int, int, int], int] = {}
        """(application, MB, vcores) asked for since the last look, of sizes that may fit no node → when [epoch ms]."""
        self._fitting: set[tuple[int, int]] = set()
        """Sizes that some node could hold, as of the last time that anything but jobs changed."""
        self._stands = False  # True if any alert stood at the last look
        self._waits = True  # True if anybody waited at the last look
        self.frozen: Alert | None = None  # The alert that nothing moves; None while something does
        self.all: list[Alert] = []  # Every alert so far, oldest first

    @property
    def active_alerts(self) -> tuple[Alert, ...]:
        """The alerts that hold now, the gravest first."""
        livelock = None if self._livelock.is_doubted else self._livelock.standing
        some = (*self._outages.active_alerts, self.frozen, livelock, *self._held_up.active_alerts.values())
        found = [alert for alert in some if alert is not None]
        return (*found, *(each for each in self._recalled if not any(_is_same(each, other) for other in found)))

    @property
    def frozen_for(self) -> frozenset[int]:
        """Applications that will get nothing any more while all is frozen; else empty."""
        return frozenset(self._outlook.left if self.frozen is not None else ())

    @property
    def known(self) -> frozenset[int]:
        """All applications that present alerts stand for, including those they do not name."""
        livelock = self._livelock.standing
        livelocked = livelock.applications if livelock is not None else ()
        return self.frozen_for.union(self._outages.told, livelocked, self._held_up.known)

    def not_judged(self, simulation: Simulation) -> list[tuple[int, int]]:
        """Return applications that have waited for a minute without a verdict, each with since when [epoch ms]."""
        return self._held_up.not_judged(simulation) if self.frozen is None else []

    @property
    def copying(self) -> bool:
        """Tell whether an instant is being copied: the run had better stand until the next look, or it begins anew."""
        is_asking = self._inquiry is not None and not self._inquiry[1].copied
        return is_asking or self._outlook.copying or self._held_up.copying or self._livelock.copying

    def idle(self, simulation: Simulation) -> bool:
        """Tell whether another look where the run stands now would find nothing more."""
        return self._is_quiet(simulation.now_ms) and not self._is_working

    @property
    def _is_working(self) -> bool:
        if self._asked or self.heard or self._is_lifted or self._inquiry is not None:
            return True
        return self.frozen is None and not (self._livelock.idle and self._held_up.idle)

    def _is_quiet(self, now_ms: int) -> bool:
        is_due = self._due_ms is not None and now_ms >= self._due_ms
        return not (self._is_news or is_due or (self._is_moved and now_ms >= self._outlook.quiet_ms))

    def watch(self, simulation: Simulation) -> Callable[[], int]:
        """Look; what tells when to look next [epoch ms]: earlier looks would find nothing."""
        _ = self.look(simulation)
        return partial(self.next_look_ms, simulation)

    def next_look_ms(self, simulation: Simulation) -> int:
        """Return when to look next, as of what has been recorded by now [epoch ms]."""
        if self._is_news:
            return simulation.now_ms
        due_ms = NEVER_MS if self._due_ms is None else self._due_ms
        return min(due_ms, self._outlook.quiet_ms) if self._is_moved else due_ms

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._outlook.on_records(time_ms, records)
        kinds = set(map(type, records))
        self._is_moved = self._is_moved or self._waits or not kinds <= BEGINS_NO_WAIT
        if kinds <= UNTOLD:
            return
        self._held_up.on_records(time_ms, records)
        self._livelock.on_records(time_ms, records)
        if Acted in kinds:
            self._lift(time_ms, ACTED)
        elif Allocated in kinds:
            self._lift(time_ms, ALLOCATED)
        if AskChanged in kinds:
            self._note_asks(time_ms, records)
        if kinds <= (UNTOLD if self._stands else ROUTINE):
            return
        self._is_news = True
        self._outages.on_records(time_ms, records)
        for record in records:
            if isinstance(record, Submitted) and record.rejected:
                sentence = f"application {record.name or record.application} is refused: {record.detail}"
                self.heard.append(
                    Alert("refused", time_ms, time_ms, sentence, "impossible", applications=(record.application,))
                )

    def _note_asks(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note asks of a size that was not asked for before; look at the first application that waits at once."""
        self._is_news = self._is_news or self._due_ms is None
        for record in records:
            if isinstance(record, AskChanged) and record.count > 0:
                size = record.memory_mb, record.vcores
                if size not in self._fitting:
                    self._asked[record.application, *size], self._is_news = time_ms, True

    def _lift(self, time_ms: int, how: str) -> None:
        """End a freeze: its proof holds until somebody acts or something is allocated."""
        self._inquiry = None
        if self.frozen is None:
            return
        self.heard.append(Alert("over", self.frozen.since_ms, time_ms, how, waiting=self._waiting[1]))
        self._proofs[-1] = self._proofs[-1]._replace(until_ms=time_ms)
        self.frozen, self._is_lifted = None, True

    def resumed(self, time_ms: int, allocated_ms: int | None = None) -> "Alerts":
        """Return the alerts of a run that is taken up again at an earlier instant [epoch ms]: what was known then.

        `allocated_ms` is when something was last allocated before that instant.
        """
        other = Alerts(allocated_ms)
        other.all = [each for each in self.all if each.found_ms <= time_ms]
        standing = standing_of(other.all)
        other._recalled = tuple(each for each in standing if each.kind == "outage")
        other._held_up = self._held_up.resumed(time_ms, other._outages, other._outlook.world)
        livelock = next((each for each in standing if each.kind == "livelock"), None)
        other._livelock = self._livelock.resumed(time_ms, livelock)
        other._proofs = [each for each in self._proofs if each.from_ms <= time_ms]
        proof = other._proofs[-1] if other._proofs else None
        if proof is not None and (proof.until_ms is None or time_ms < proof.until_ms):
            other._proofs[-1] = proof._replace(until_ms=None)
            other._resume_freeze(proof, time_ms)
        return other

    def _resume_freeze(self, proof: _Proof, time_ms: int) -> None:
        alert = msgspec.structs.replace(proof.alert, found_ms=min(proof.alert.found_ms, time_ms))
        self._outlook.resume(alert.since_ms, proof.stuck, proof.left)
        self.frozen = alert
        if all(each.kind != "frozen" for each in standing_of(self.all)):
            self.all.append(alert)

    def look(self, simulation: Simulation, pieces: int = UNBOUNDED) -> list[Alert]:
        """Bring the alerts up to date between two instants of the run, and return the new ones.

        With few pieces of work an alert may need several looks.
        """
        now_ms = simulation.now_ms
        if self._is_quiet(now_ms) and not self._is_working:
            return []
        new, self.heard = self.heard, []
        if self._is_news or self._stands:
            self._fitting.clear()
            new += self._outages.look(simulation)
        self._is_news = self._is_moved = False
        new = [each for each in new if not any(_is_same(each, other) for other in self._recalled)]
        self._recalled = ()
        if self.frozen is not None and self._outlook.formed_ms is None:
            self._end_freeze(simulation, self.frozen.since_ms, new)
        elif self._outlook.formed_ms is None:
            self._look_behind(simulation)
        if self._asked:
            new += self._too_large(simulation)
        is_known = self._inquiry is not None or self._look_ahead(simulation, pieces, new)
        if self._inquiry is not None:
            self._go_on(simulation, pieces, new)
        elif self.frozen is None and (self._held_up.urgent or not self._outlook.copying):
            new += self._livelock.look(simulation, pieces)
            new += self._held_up.look(simulation, pieces)
        else:
            self._held_up.rest()
            new += self._held_up.over(simulation)
        self.all += new
        self._stands = self.frozen is not None or bool(self.known or self._outages.active_alerts)
        self._waits = simulation.control_plane.view().somebody_waits()
        self._is_moved = self._waits and self.frozen is None and now_ms < self._outlook.quiet_ms
        self._plan(simulation, is_again=bool(new) or not is_known or self._is_working)
        return new

    def _look_ahead(self, simulation: Simulation, pieces: int, new: list[Alert]) -> bool:
        """Look whether anything will be allocated any more; False where that takes further looks to know."""
        if self._held_up.urgent:
            return True
        is_known = self._outlook.look(simulation, pieces, self._held_up.known)
        if is_known or not self._is_lifted:
            self._begin_or_end(simulation, new, stands=pieces == UNBOUNDED)
        return is_known

    def _plan(self, simulation: Simulation, *, is_again: bool) -> None:
        dues = [None if self._is_moved else self._outlook.due_ms]
        if self.frozen is None:
            dues.append(self._held_up.due_ms(simulation))
        if is_again:
            dues.append(simulation.now_ms)
        elif self._outages.active_alerts:
            dues.append(simulation.now_ms + 1)
        self._due_ms = min((each for each in dues if each is not None), default=None)

    def _too_large(self, simulation: Simulation) -> Iterator[Alert]:
        asked, self._asked = self._asked, {}
        view, dimensions = simulation.control_plane.view(), simulation.control_plane.dimensions
        for (number, memory_mb, vcores), since_ms in asked.items():
            if (memory_mb, vcores) in self._fitting:
                continue
            if not view.has_room_ever(memory_mb, vcores):
                noun = terms_for(dimensions).application
                size = exact_amounts((memory_mb, vcores), dimensions)
                sentence = f"{TOO_LARGE}: {named(number, noun)} asks for {size}"
                now_ms, whom = simulation.now_ms, (number,)
                yield Alert("too-large", since_ms, now_ms, sentence, "impossible", TOO_LARGE, whom, noun=noun)
            else:
                self._fitting.add((memory_mb, vcores))

    def _begin_or_end(self, simulation: Simulation, new: list[Alert], *, stands: bool) -> None:
        formed_ms = self._outlook.formed_ms
        if formed_ms is None and self.frozen is not None:
            self._end_freeze(simulation, self.frozen.since_ms, new)
        elif formed_ms is None:
            self._look_behind(simulation)
        elif self.frozen is None or self.frozen.applications[0] not in self._outlook.stuck:
            self._is_lifted = False
            longest = next((number for number in self._outlook.stuck if number not in self._held_up.known), None)
            if longest is not None:
                basis = SharedLookahead(simulation, self._outlook.world, stands=stands)
                self._inquiry = (longest, basis, Task(worst_verdict(basis, longest, names_causes=False)))
        else:
            proved = self._proofs[-1][1:4]
            self.frozen = self._frozen_now(simulation, self.frozen.since_ms, self.frozen.found_ms, proved)

    def _end_freeze(self, simulation: Simulation, since_ms: int, new: list[Alert]) -> None:
        self.frozen, self._is_lifted = None, True
        is_waited = somebody_waits(simulation.control_plane.view(), self._held_up.known)
        how = CHANGED if is_waited else "nothing waits any more"
        new.append(Alert("over", since_ms, simulation.now_ms, how, waiting=self._waiting[1]))
        self._proofs[-1] = self._proofs[-1]._replace(until_ms=simulation.now_ms)
        self._look_behind(simulation)

    def _look_behind(self, simulation: Simulation) -> None:
        if self._is_lifted:
            self._is_lifted = False
            self._held_up.suspect(simulation)

    def _go_on(self, simulation: Simulation, pieces: int, new: list[Alert]) -> None:
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
        number, verdict, pattern = proved
        involved = tuple(dict.fromkeys((number, *(step.application for step in verdict.proof.cycle))))
        noun = terms_for(simulation.control_plane.dimensions).application
        whom = dict.fromkeys((number, *sorted(set(self._outlook.left).difference(self._held_up.known))))
        sentence = frozen_words(verdict, pattern, tuple(whom), noun)
        if self._waiting[0] != (version := simulation.control_plane.version):
            self._waiting = (version, _waits_of(simulation.control_plane.view()))
        return Alert("frozen", since_ms, found_ms, sentence, verdict.verdict, pattern, involved, noun=noun)


LOOKS: Final = 200  # Most looks at an instant that is played to; a state takes a few


def standing_now(alerts: Alerts, simulation: Simulation) -> Sequence[Alert]:
    """The alerts of the instant at which a run stands, the gravest first; `alerts` heard it and may not have looked."""
    for _ in range(LOOKS):
        _ = alerts.look(simulation)
        if alerts.idle(simulation):
            break
    return alerts.active_alerts


def _waits_of(view: ClusterView) -> tuple[QueueWaits, ...]:
    found: dict[str, list[int]] = {}
    for each in view.applications():
        has_nothing = wait_of(view, each.number)
        if has_nothing is not None:
            found.setdefault(each.queue, [0, 0])[not has_nothing] += 1
    return tuple(QueueWaits(queue, first, more) for queue, (first, more) in sorted(found.items()))


def _is_same(one: Alert, other: Alert) -> bool:
    return (one.kind, one.since_ms, one.applications[:1]) == (other.kind, other.since_ms, other.applications[:1])
