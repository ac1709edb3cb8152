"""Finds applications that get nothing for long while others go on: stuck for ever, or held up.

An application is asked about (`worst_verdict`) when one of its asks has got nothing for a minute; after ten seconds
where others come first by rule or no node is merely full. It is asked about again when the wait has doubled, and within
a minute of an act. Applications asked about least often come first; among them those that find no room beside
applications that wait for nothing; then the oldest waits. All questions at one instant share its closed world. An
application that gets something in that world needs no question, and neither does one found in a cycle where all freezes
soon. A question is given up when its closed world goes round in a livelock.

All questions together may cost a share of what the run itself has done; the question that uses it up is given up. One
is not begun where an earlier one about the same wait took more than is left. A reserve is kept for first questions
about applications that find no room. An alert that an act puts in doubt is asked about at once; if that is given up,
again whenever the time since the act has doubled, at most a minute apart.

One alert stands for all applications of a queue with the same verdict and pattern. An application in an alert of an
outage gets none of these until the outage is over. When everything freezes within `IMMINENT_MS`, the applications of
the cycle belong to the alert of the freeze.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from engine.control_plane.cluster_view import ApplicationSummary
from engine.explain.alert import EARLY_MS, LONG_MS, SOON_MS, TURN_MS, Alert
from engine.explain.counterfactuals import Lookahead
from engine.explain.explainer import Explainer
from engine.explain.explainers import explainer_of
from engine.explain.instant import HEAD_OF_LINE, OUTSIDE, ClosedWorld, SharedLookahead
from engine.explain.starvation_alerts import Key, OutageAlerts, StarvationAlerts
from engine.explain.verdict import Verdict
from engine.explain.verdict_search import worst_verdict
from engine.incremental import UNBOUNDED, Incremental, Task
from engine.model.decision import Allocated, ApplicationTransitioned, owner_of
from engine.simulation.records import Acted, AskChanged, Record
from engine.simulation.simulation import Simulation

# Since when each ask has got nothing, which applications to ask about soon, and whether an answer is an alert.


def ripens_ms(verdict: Verdict, pattern: str, since_ms: int) -> int | None:
    """Return when an application that waits for its turn has waited long enough for an alert [epoch ms]; else None."""
    due_ms = since_ms + TURN_MS
    is_young = verdict.expected_start_ms is not None and verdict.proof.from_ms < due_ms
    return due_ms if is_young and kind_of(verdict, pattern, since_ms) else None


def kind_of(verdict: Verdict, pattern: str, since_ms: int) -> str:
    """`stuck`, `held-up`, or nothing to tell."""
    start_ms = verdict.expected_start_ms
    if verdict.verdict == "none":
        return ""
    if start_ms is None:
        return "stuck" if verdict.is_never else "held-up"
    return "held-up" if pattern == HEAD_OF_LINE and is_long(since_ms, verdict.proof.from_ms, start_ms) else ""


def is_long(since_ms: int, now_ms: int, start_ms: int) -> bool:
    """Tell whether a wait that ends at an instant is long in all, and from now on [epoch ms]."""
    return start_ms - since_ms >= LONG_MS and start_ms - now_ms >= SOON_MS


class AskWaits:
    """A listener that knows it."""

    def __init__(self) -> None:
        self._since_ms: dict[int, dict[int, int]] = {}  # Application → priority of what it asks for → since when

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self._since_ms.setdefault(owner_of(record.container), {})[record.priority] = time_ms
            elif isinstance(record, AskChanged):
                asks = self._since_ms.setdefault(record.application, {})
                if record.count > 0:
                    asks.setdefault(record.priority, time_ms)
                else:
                    asks.pop(record.priority, None)
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
                self._since_ms.pop(record.application, None)

    def resumed(self, time_ms: int) -> "AskWaits":
        """Return what is known of the asks at an earlier instant [epoch ms]: the asks unchanged since then."""
        other = AskWaits()
        for number, asks in self._since_ms.items():
            other._since_ms[number] = {priority: since for priority, since in asks.items() if since <= time_ms}
        return other

    def since_of(self, number: int, asked: Collection[int], waiting_since_ms: int) -> int:
        """Since when the ask of an application that has waited longest has been given nothing [epoch ms].

        `asked` are the priorities it asks at now, none where asks have none; `waiting_since_ms` is the answer where its
        asks are not known.
        """
        known = self._since_ms.get(number, {})
        asks = [since_ms for priority, since_ms in known.items() if not asked or priority in asked]
        return max(waiting_since_ms, min(asks)) if asks else waiting_since_ms


NEVER_MS: Final = 1 << 62  # An instant that does not come

SCAN_MS: Final = 5_000  # Time between two scans of waiting applications [simulated ms]

SUSPECTED: Final = 8  # Number of applications that are asked about when a freeze ends

IMMINENT_MS: Final = 300_000
"""A cycle is not reported when everything freezes as soon as this: the freeze is, when it forms [ms]."""

STALE_MS: Final = 60_000
"""After how long the others of a scan are not asked about any more, but chosen anew [simulated ms]."""

LEAST: Final = 300  # Pieces of work for questions in any run; a piece is some 64 events

SHARE: Final = 256  # Heartbeats that the run plays for each further piece of them

KEPT: Final = 100  # Further pieces for first questions about applications without room: a crowd may use up the others

WORTH: Final = 16  # A scan begins only when at least so many pieces are left


class _Wait(NamedTuple):
    since_ms: int
    due_ms: int  # When to look at it
    asked: int = 0  # Number of times it was asked about
    pieces: int = 0  # Most pieces of work that a question took
    is_looked_at: bool = False  # True once it is known whether to ask about it early
    is_judged: bool = False  # True if the last question found a verdict
    is_in_cycle: bool = False  # True if that was a cycle that had not formed yet
    doubled_ms: int = NEVER_MS  # When it is asked about should something come from outside before it is served

    def doubted(self, latest_ms: int) -> "_Wait":
        """Return it now that something has come from outside; it is asked about by an instant at the latest."""
        return self._replace(due_ms=min(self.due_ms, self.doubled_ms, latest_ms))

    def asked_at(self, now_ms: int, start_ms: int = 0) -> "_Wait":
        """Return it with the next question when it has doubled, and not before it should have been served."""
        doubled_ms = now_ms + max(now_ms - self.since_ms, LONG_MS)
        return self._replace(due_ms=max(doubled_ms, start_ms + SCAN_MS), doubled_ms=doubled_ms)


class StarvationDetector:
    """Finds such applications; gets every record, and is asked between two instants."""

    def __init__(self, outages: OutageAlerts, world: ClosedWorld) -> None:
        self._outages = outages
        self._world = world
        self._alerts = StarvationAlerts(outages)
        self.urgent = False  # True until it is known which applications are still stuck after a freeze
        self._asks = AskWaits()
        self._waits: dict[int, _Wait] = {}
        self._acted_ms = 0
        self._doubted: dict[int, int] = {}
        """Applications in alerts that were not judged since somebody acted, with when to ask about each [epoch ms]."""
        self._is_acted = False
        """True if somebody has acted since the last scan, so that what the alerts say is to be judged anew."""
        self._scanned_ms = 0
        self._early_ms = 0  # When somebody is to be looked at, at the soonest
        self._told: set[int] = set()  # Applications in alerts of outages at the last look; they are not asked about
        self._scanning: tuple[tuple[object, ...], Task[None]] | None = None
        """The scan that chooses what to ask about, and the state of the run at which it began."""
        self._stands = True  # True if the run stands until all questions are answered
        self._basis: SharedLookahead | None = None
        self._to_ask: list[ApplicationSummary] = []
        self._task: Task[tuple[Verdict, str]] | None = None
        self._roomless: set[int] = set()  # Those of them that find no room and were never asked about
        self._is_short = False  # True if little of the share is left, so that the last scan chose only from those
        self._left_out: set[int] = set()  # Applications that scans have left out since then
        self._spent = 0  # Pieces of work done for questions so far
        self._begun = self._most = 0  # Pieces done before the question under way, and the most it may take

    def resumed(self, time_ms: int, outages: OutageAlerts, world: ClosedWorld) -> "StarvationDetector":
        """Return that of a run that is taken up again at an earlier instant [epoch ms]; it knows the alerts of then."""
        other = StarvationDetector(outages, world)
        other._alerts, other._asks = self._alerts.resumed(time_ms, outages), self._asks.resumed(time_ms)
        return other

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note which applications get something, ask for something or end, and what comes from outside."""
        self._asks.on_records(time_ms, records)
        self._alerts.records(records)
        self._early_ms = min(self._early_ms, time_ms + EARLY_MS)
        kinds = set(map(type, records))
        if Acted in kinds:
            self._acted_ms, self._doubted = time_ms, dict.fromkeys(self._alerts.known, time_ms)
            self._is_acted = bool(self._doubted)
            self._to_ask, self._basis, self._task = [], None, None  # what they rest on holds no more
        if not OUTSIDE.isdisjoint(kinds):
            latest_ms = time_ms + LONG_MS if Acted in kinds else NEVER_MS
            self._waits = {number: wait.doubted(latest_ms) for number, wait in self._waits.items()}
            self._early_ms = min([self._early_ms, *(wait.due_ms for wait in self._waits.values())])

    @property
    def active_alerts(self) -> Mapping[Key, Alert]:
        return self._alerts.standing

    @property
    def copying(self) -> bool:
        """Tell whether an instant is being copied or looked at, until when the run should stand."""
        is_copying = self._basis is not None and not self._basis.copied and self._task is not None
        return is_copying or self._scanning is not None

    @property
    def idle(self) -> bool:
        return not (self._to_ask or self._is_acted or self._alerts.is_served or self._scanning is not None)

    def due_ms(self, simulation: Simulation) -> int | None:
        """Return when it is to be asked though nothing happens before [epoch ms]; None: not before something does."""
        return self._scans_ms if simulation.control_plane.view().somebody_waits() else None

    @property
    def _scans_ms(self) -> int:
        """Return when the next scan is [epoch ms]; applications due before it wait for it."""
        scans = -((self._scanned_ms - self._early_ms) // SCAN_MS)
        return self._scanned_ms + max(1, scans) * SCAN_MS

    def over(self, simulation: Simulation) -> list[Alert]:
        """End alerts whose applications wait no more; return the ended ones."""
        return self._alerts.over(simulation)

    @property
    def known(self) -> Collection[int]:
        """Applications of the alerts that hold now."""
        return self._alerts.known

    def not_judged(self, simulation: Simulation) -> list[tuple[int, int]]:
        """Return applications that wait a minute without a verdict, with since when [epoch ms], longest first."""
        found, explainer = [], explainer_of(simulation)
        for each in self._outages.others(simulation):
            since_ms, wait = self._since(explainer, simulation.now_ms, each), self._waits.get(each.number)
            is_judged = wait is not None and wait.since_ms == since_ms and wait.is_judged
            if simulation.now_ms - since_ms >= LONG_MS and not is_judged and each.number not in self._alerts.known:
                found.append((each.number, since_ms))
        return sorted(found, key=lambda one: (one[1], one[0]))

    def suspect(self, simulation: Simulation) -> None:
        """After a freeze, ask at once about the applications that wait longest: they may still be stuck."""
        longest, now_ms = self._outages.others(simulation)[:SUSPECTED], simulation.now_ms
        explainer = explainer_of(simulation)
        for each in longest:
            self._waits[each.number] = _Wait(self._since(explainer, now_ms, each), now_ms, is_looked_at=True)
        self._scanned_ms = self._early_ms = 0
        self.urgent = bool(longest)

    def rest(self) -> None:
        """Leave off: what is worked on is no longer of interest."""
        self._to_ask, self._task, self._basis, self._scanning = [], None, None, None
        self.urgent, self._early_ms = False, 0

    def look(self, simulation: Simulation, pieces: int) -> list[Alert]:
        """Bring it up to date with the present by some pieces of work; the alerts that are new."""
        new, told = self.over(simulation), self._outages.told
        if new or told != self._told:
            self._early_ms, self._told = simulation.now_ms, told
        is_time = simulation.now_ms >= self._scans_ms and not self._to_ask
        is_waited = simulation.control_plane.view().somebody_waits()
        self._is_acted = self._is_acted and is_waited
        left = self._left(simulation)
        is_worth = is_time and (self.urgent or left + KEPT >= WORTH)
        if self._scanning is None and is_waited and (self._is_acted or is_worth):
            self._is_short = left < WORTH and not (self._is_acted or self.urgent)
            self._begin_scan(simulation)
        self._stands = pieces == UNBOUNDED
        while pieces > 0 and (self._scanning is not None or self._to_ask):
            pieces -= 1
            if self._scanning is not None:
                self._scan_on(simulation)
            else:
                self._go_on(simulation, new)
        self.urgent = self.urgent and not self.idle
        return new

    # Scanning: which applications to ask about

    def _begin_scan(self, simulation: Simulation) -> None:
        self._to_ask, self._basis, self._task = [], None, None
        self._is_acted = False
        self._scanning = (simulation.state_key(), Task(self._scan(simulation)))

    def _scan_on(self, simulation: Simulation) -> None:
        if self._scanning is None:
            return
        stood_at, task = self._scanning
        if stood_at != simulation.state_key():
            self._begin_scan(simulation)
        elif task.advance():
            self._scanning = None

    def _scan(self, simulation: Simulation) -> Incremental[None]:
        now_ms = self._scanned_ms = simulation.now_ms
        waits, others, explainer = self._waits, self._outages.others(simulation), explainer_of(simulation)
        self._early_ms = now_ms if self._is_short else NEVER_MS
        self._waits = {each.number: waits[each.number] for each in others if each.number in waits}
        self._left_out = self._left_out & self._waits.keys() if self._is_short else set()
        for each in others:
            number, wait = each.number, waits.get(each.number)
            if number in self._left_out:
                continue
            if number in self._alerts.known:
                if number not in self._doubted:
                    continue
                wait = _Wait(self._since(explainer, now_ms, each), self._doubted[number])
            elif wait is None or wait.due_ms <= now_ms:
                wait = yield from self._looked_at(explainer, now_ms, each, wait)
            self._waits[number] = wait
            if wait.due_ms <= now_ms:
                self._to_ask.append(each)
            else:
                self._early_ms = min(self._early_ms, wait.due_ms)
        yield
        self._sort(simulation)
        self._basis = SharedLookahead(simulation, self._world, stands=self._stands) if self._to_ask else None

    def _looked_at(
        self, explainer: Explainer, now_ms: int, each: ApplicationSummary, wait: _Wait | None
    ) -> Incremental[_Wait]:
        """Its wait as of now: a new one is asked about early if it may be blocked for good, else after a long wait."""
        since_ms = self._since(explainer, now_ms, each)
        if wait is None or wait.since_ms != since_ms:
            is_looked_at = wait is not None and wait.is_looked_at
            due_ms = since_ms + (LONG_MS if is_looked_at else EARLY_MS)
            wait = _Wait(since_ms, due_ms, wait.asked if wait is not None else 0, is_looked_at)
        if not wait.is_looked_at and wait.due_ms <= now_ms < since_ms + LONG_MS:
            yield
            is_suspect = explainer.before(each.number) or not explainer.is_merely_full(each.number)
            wait = wait._replace(due_ms=now_ms if is_suspect else since_ms + LONG_MS)
        return wait._replace(is_looked_at=wait.is_looked_at or wait.due_ms <= now_ms)

    def _foreseen(self, simulation: Simulation, number: int) -> _Wait | None:
        """Return the wait of an application where the closed world tells already that no alert follows; else None.

        It is given what it asks for, or all freezes soon and it was found in a cycle before.
        """
        ahead, now_ms, wait = self._world.ahead, simulation.now_ms, self._waits[number]
        if ahead is None or number in self._alerts.known:
            return None
        explainer = explainer_of(simulation)
        start_ms = ahead.first.get(number, 0)
        is_told = is_long(wait.since_ms, now_ms, start_ms) and bool(explainer.before(number))
        if start_ms > now_ms and len(explainer.priorities(number)) < 2 and not is_told:
            wait = wait._replace(asked=wait.asked + 1, is_judged=True, is_in_cycle=False)
            return wait.asked_at(now_ms, start_ms)
        freezes_ms = _freezes_ms(ahead, now_ms) if wait.is_in_cycle else None
        if freezes_ms is None or number in ahead.first or number in ahead.over_ms:
            return None
        return wait._replace(due_ms=max(freezes_ms, now_ms) + SCAN_MS)

    def _since(self, explainer: Explainer, now_ms: int, each: ApplicationSummary) -> int:
        since_ms = now_ms if each.unmet_since_ms is None else each.unmet_since_ms
        return self._asks.since_of(each.number, explainer.priorities(each.number), since_ms)

    def _sort(self, simulation: Simulation) -> None:
        waits = {each.number: self._waits[each.number] for each in self._to_ask}
        roomless: set[int] = set()
        if waits:
            resting = {each.number for each in simulation.control_plane.view().applications() if not each.waits}
            roomless = explainer_of(simulation).without_room(waits, resting)
        self._roomless = {number for number in roomless if not waits[number].asked}
        if self._is_short:
            self._left_out.update(waits.keys() - self._roomless)
            self._to_ask = [each for each in self._to_ask if each.number in self._roomless]
        turns = {number: (wait.asked, number not in roomless, wait.since_ms) for number, wait in waits.items()}
        self._to_ask.sort(key=lambda each: turns[each.number])

    # Asking

    def _go_on(self, simulation: Simulation, new: list[Alert]) -> None:
        each, basis = self._to_ask[0], self._basis
        assert basis is not None, "who is asked about rests on something"
        if (foreseen := self._foreseen(simulation, each.number)) is not None:
            self._end_question(simulation, foreseen)
            return
        if self._task is None:
            self._task = Task(worst_verdict(basis, each.number, names_causes=False))
            left = self._left(simulation, each.number)
            self._begun = self._spent
            self._most = left if left >= self._waits[each.number].pieces else 1
        self._spent += 1
        wait, pieces = self._waits[each.number], self._spent - self._begun
        is_done, is_over = self._task.advance(), simulation.control_plane.view().application(each.number) is None
        goes_round = basis.reached_ms is not None and self._world.goes_round  # a livelock, which has its own alert
        is_enough = pieces >= self._most or goes_round
        if not is_done and not is_over and not is_enough:
            return
        wait = wait._replace(asked=wait.asked + 1, pieces=max(pieces, wait.pieces), is_judged=False, is_in_cycle=False)
        found = self._task.result() if is_done and not is_over else None
        if (
            found is not None
            and self._since(explainer_of(simulation), simulation.now_ms, each) <= basis.base_copy.now_ms
        ):
            wait = self._judge(each, wait._replace(is_judged=True), *found, simulation.now_ms, new)
        else:
            wait = wait.asked_at(simulation.now_ms)
            if each.number in self._doubted:
                wait = wait._replace(due_ms=min(wait.due_ms, self._again_ms(simulation.now_ms)))
                self._doubted[each.number] = wait.due_ms
        self._end_question(simulation, wait)

    def _end_question(self, simulation: Simulation, wait: _Wait) -> None:
        assert self._basis is not None, "who is asked about rests on something"
        self._waits[self._to_ask[0].number] = wait
        self._early_ms = min(self._early_ms, wait.due_ms)
        self._task, self._to_ask = None, self._to_ask[1:]
        # What the copy says of the others may be too old by now.
        is_stale = simulation.now_ms - self._scanned_ms >= STALE_MS
        if self._to_ask and (is_stale or self._left(simulation, self._to_ask[0].number) < 0):
            self._to_ask, self._early_ms = [], simulation.now_ms
        if not self._to_ask:
            self._basis = None  # copies are large

    def _again_ms(self, now_ms: int) -> int:
        """Return when to ask again about an alert in doubt [epoch ms]: when the time since the act has doubled."""
        return now_ms + min(max(now_ms - self._acted_ms, SCAN_MS), LONG_MS)

    def _left(self, simulation: Simulation, number: int | None = None) -> int:
        """Pieces of work that are left for questions, or for that about an application, up to where the run stands."""
        kept = KEPT if number in self._roomless else 0
        return LEAST + kept + simulation.world.heartbeats // SHARE - self._spent

    def _is_formed(self, verdict: Verdict, waited_ms: int, *, is_served: bool) -> bool:
        """Tell whether a cycle has lasted long: its ask has nothing, or no application in it is given anything."""
        assert self._basis is not None, "a verdict rests on something"
        ahead = self._basis.ahead
        if _freezes_ms(ahead, self._basis.base_copy.now_ms) is not None:
            return False
        is_still = not is_served or not any(step.application in ahead.first for step in verdict.proof.cycle)
        return waited_ms >= LONG_MS and is_still

    def _forms_ms(self, verdict: Verdict) -> int:
        """Return when a cycle has formed: when something was last given to anybody in it [epoch ms]."""
        assert self._basis is not None, "a verdict rests on something"
        ahead = self._basis.ahead
        if (freezes_ms := _freezes_ms(ahead, self._basis.base_copy.now_ms)) is not None:
            return freezes_ms + SCAN_MS  # the freeze is told of by then
        return max((ahead.latest_of.get(step.application, 0) for step in verdict.proof.cycle), default=0)

    def _judge(
        self, each: ApplicationSummary, wait: _Wait, verdict: Verdict, pattern: str, now_ms: int, new: list[Alert]
    ) -> _Wait:
        assert self._basis is not None, "a verdict rests on something"
        asked_ms, kind = self._basis.base_copy.now_ms, ""
        _ = self._doubted.pop(each.number, None)
        is_served = explainer_of(self._basis.base_copy).is_served_at(each.number, verdict.priority)
        is_ahead = verdict.verdict == "starving" and bool(verdict.proof.cycle)
        if is_ahead and not self._is_formed(verdict, asked_ms - wait.since_ms, is_served=is_served):
            doubled_ms = asked_ms + max(asked_ms - wait.since_ms, LONG_MS)
            formed_ms = max(wait.since_ms + LONG_MS, min(self._forms_ms(verdict), doubled_ms), asked_ms + SCAN_MS)
            wait = wait._replace(due_ms=formed_ms, doubled_ms=NEVER_MS, is_in_cycle=True)
        elif (due_ms := ripens_ms(verdict, pattern, wait.since_ms)) is not None:
            wait = wait._replace(due_ms=due_ms, doubled_ms=NEVER_MS)
        else:
            kind = kind_of(verdict, pattern, wait.since_ms)
            wait = wait.asked_at(asked_ms, verdict.expected_start_ms or 0)
        new += self._alerts.judge(self._basis.base_copy, each, (verdict, pattern), kind, (wait.since_ms, now_ms))
        return wait


def _freezes_ms(ahead: Lookahead, now_ms: int) -> int | None:
    """Return when all freezes [epoch ms], where that is soon; None where it is not, or not known."""
    is_soon = ahead.still and ahead.last_ms is not None and ahead.last_ms - now_ms < IMMINENT_MS
    return ahead.last_ms if is_soon else None
