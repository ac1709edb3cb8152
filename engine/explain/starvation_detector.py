"""Applications that are given nothing for long while others go on: those that never will be, and those held up.

Who waits for a minute is asked about, sooner where others come first by rule or no node is merely full; after that,
each time its wait has doubled.
All asked about at one instant share its closed world. Who works with what it has and only cannot have more is not
reported, unless it waits for others that wait for it. One alert stands for all applications of a queue with the same
verdict and pattern. A deadlock that only lies ahead is not reported before it forms.
"""

from collections.abc import Collection, Sequence
from typing import Final

from engine.control_plane.cluster_view import ApplicationSummary, waiting
from engine.explain.alert import HOW, Alert
from engine.explain.ask_inquiry import LONG_MS
from engine.explain.explainers import explainer_of
from engine.explain.inquiry import Inquiry, judged
from engine.explain.patterns import HEAD_OF_LINE
from engine.explain.shared_lookahead import Basis
from engine.explain.verdict import Verdict
from engine.incremental import Incremental, Task
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.schedulers.activity import Reason
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

SCAN_MS: Final = 5_000
"""How often it is looked who waits [simulated ms], and after how long a wait is looked at first."""

SOON_MS: Final = 30_000
"""Who is served within that is not reported as held up [ms]."""

SUSPECTS: Final = 2
"""How many new waits are looked at in one scan."""

SUSPECTED: Final = 8
"""How many are asked about when a freeze ends."""

CYCLE_MS: Final = 600_000
"""After how long a wait those that wait for each other are reported, when others still go on [ms]."""

MOST: Final = 50_000
"""Pieces of work after which a question is given up until its wait has doubled."""

FULL: Final = {
    *(Reason.DOES_NOT_FIT.name, Reason.NODE_RESERVED.name, Reason.OTHER_FIRST.name, Reason.RESERVATION_LIMIT.name),
    *(Reason.DELAY_SCHEDULING.name, Reason.NOT_COUNTED.name, "WAITS_FOR_EVENT"),
}
"""Reasons that as a rule go away by themselves."""

Key = tuple[str, str, str]
"""(queue, kind, pattern or verdict)."""


class HeldUp:
    """Finds such applications; gets every record, and is asked between two instants."""

    def __init__(self) -> None:
        self.standing: dict[Key, Alert] = {}
        """The alerts that hold now."""
        self.spent = 0
        """Pieces of work done so far."""
        self.urgent = False
        """Whether it is to be known first whom the end of a freeze has left behind."""
        self._told: dict[int, Key] = {}
        self._due: dict[int, int] = {}
        self._served: list[int] = []
        self._scanned_ms = 0
        self._scanning: tuple[tuple[object, ...], Task[None]] | None = None
        """Where the run stands while it is chosen whom to ask about, and the choosing."""
        self._basis: Basis | None = None
        self._to_ask: list[ApplicationSummary] = []
        self._task: Task[tuple[Verdict, str]] | None = None
        self._task_spent = 0

    def records(self, records: Sequence[Record]) -> None:
        """Note who is given something, or ends."""
        for record in records:
            if isinstance(record, Allocated):
                self._served_one(record.container[0])
            elif isinstance(record, ApplicationTransitioned) and record.state in FINAL_APPLICATION_STATES:
                self._served_one(record.application)

    def _served_one(self, number: int) -> None:
        self._due.pop(number, None)
        if number in self._told:
            self._served.append(number)

    @property
    def copying(self) -> bool:
        """Whether an instant is being copied or looked at, until when the run should stand."""
        is_copying = self._basis is not None and not self._basis.copied and self._task is not None
        return is_copying or self._scanning is not None

    @property
    def idle(self) -> bool:
        """Whether it has nothing to work on."""
        return not self._to_ask and not self._served and self._scanning is None

    @property
    def known(self) -> Collection[int]:
        """Applications of the alerts that hold now."""
        return self._told.keys()

    def suspect(self, simulation: Simulation) -> None:
        """A freeze has ended: those that wait longest are asked about at once, as it may not have ended for them."""
        longest = waiting(simulation.control_plane.view())[:SUSPECTED]
        self._due.update((each.number, simulation.now_ms) for each in longest)
        self._scanned_ms = 0
        self.urgent = bool(longest)

    def rest(self) -> None:
        """Leave off: what is worked on is no longer of interest."""
        self._to_ask, self._task, self._basis, self._scanning = [], None, None, None
        self.urgent = False

    def look(self, simulation: Simulation, pieces: int) -> list[Alert]:
        """Bring it up to date with the present.

        Args:
            simulation: The run, between two instants.
            pieces: How many pieces of work may be done now.

        Returns:
            The alerts that are new.
        """
        now_ms = simulation.now_ms
        new = self._over(now_ms)
        if not self._to_ask and self._scanning is None and now_ms - self._scanned_ms >= SCAN_MS:
            self._begin_scan(simulation)
        while self._scanning is not None and pieces > 0:
            pieces -= 1
            self._scan_on(simulation)
        while self._scanning is None and self._to_ask and pieces > 0:
            pieces -= 1
            self._go_on(simulation, new)
        self.urgent = self.urgent and (bool(self._to_ask) or self._scanning is not None)
        return new

    def _over(self, now_ms: int) -> list[Alert]:
        """Alerts whose applications have all been given something, or ended."""
        new = []
        for number in self._served:
            key = self._told.pop(number, None)
            if key is not None and key not in self._told.values():
                stood = self.standing.pop(key)
                sentence = f"{stood.pattern or stood.verdict}: application {number} in {key[0]} waits no longer"
                new.append(Alert("over", stood.since_ms, now_ms, sentence, applications=(number,)))
        self._served = []
        return new

    def _begin_scan(self, simulation: Simulation) -> None:
        self._to_ask, self._basis = [], None
        self._scanning = (simulation.stands_at(), Task(self._scan(simulation)))

    def _scan_on(self, simulation: Simulation) -> None:
        """Do a piece of choosing; when the run went on meanwhile it begins anew."""
        if self._scanning is None:
            return
        stood_at, task = self._scanning
        if stood_at != simulation.stands_at():
            self._begin_scan(simulation)
        elif task.advance():
            self._scanning = None

    def _scan(self, simulation: Simulation) -> Incremental[None]:
        """Choose whom to ask about, a suspect at a time; the run should stand until it is done."""
        now_ms = self._scanned_ms = simulation.now_ms
        suspects = 0
        for each in waiting(simulation.control_plane.view()):
            since_ms = each.waiting_since_ms or now_ms
            if each.number in self._told or now_ms - since_ms < SCAN_MS:
                continue
            if each.number not in self._due and suspects < SUSPECTS:
                suspects += 1
                yield
                is_suspect = yield from _is_suspect(simulation, each.number)
                self._due[each.number] = now_ms if is_suspect else since_ms + LONG_MS
            if self._due.get(each.number, now_ms + 1) <= now_ms:
                self._to_ask.append(each)
        self._basis = Basis(simulation) if self._to_ask else None

    def _go_on(self, simulation: Simulation, new: list[Alert]) -> None:
        """Do a piece of work on the first of those to ask about."""
        each, basis = self._to_ask[0], self._basis
        assert basis is not None, "who is asked about rests on something"
        if self._task is None:
            self._task, self._task_spent = Task(judged(Inquiry(simulation, each.number, None, basis), each.number)), 0
        self.spent += 1
        self._task_spent += 1
        is_done = self._task.advance()
        if not is_done and self._task_spent < MOST and each.number in self._due:
            return
        if is_done and each.number in self._due:
            self._judge(each, *self._task.result(), basis.here.now_ms, simulation.now_ms, new)
        elif each.number in self._due:
            self._ask_again(each, simulation.now_ms)
        self._to_ask.pop(0)
        self._task = None
        if not self._to_ask:
            self._basis = None  # copies are large

    def _is_formed(self, verdict: Verdict, waited_ms: int) -> bool:
        """Whether nobody in a cycle will be given anything any more, and that for long."""
        assert self._basis is not None, "a verdict rests on something"
        first = self._basis.ahead.first
        return waited_ms >= CYCLE_MS and not any(step.application in first for step in verdict.proof.cycle)

    def _ask_again(self, each: ApplicationSummary, now_ms: int, start_ms: int = 0) -> None:
        """When its wait has doubled, and not before it should have been served."""
        self._due[each.number] = max(now_ms + max(now_ms - (each.waiting_since_ms or 0), LONG_MS), start_ms + SCAN_MS)

    def _judge(
        self, each: ApplicationSummary, verdict: Verdict, pattern: str, asked_ms: int, now_ms: int, new: list[Alert]
    ) -> None:
        since_ms, start_ms = each.waiting_since_ms or asked_ms, verdict.expected_start_ms
        if verdict.verdict == "starving" and verdict.proof.cycle and not self._is_formed(verdict, asked_ms - since_ms):
            self._ask_again(each, asked_ms, since_ms + CYCLE_MS - SCAN_MS)
            return
        kind = _kind(verdict, pattern, since_ms)
        if not kind or (kind == "stuck" and each.works and not verdict.proof.cycle):
            self._ask_again(each, asked_ms, start_ms or 0)
            return
        key = (each.queue, kind, pattern or verdict.verdict)
        self._told[each.number] = key
        if key in self.standing:
            return
        ends = dict.fromkeys((each.number, *(step.application for step in verdict.proof.cycle), *verdict.proof.ends))
        words = _words(each, verdict, pattern, kind)
        alert = Alert(kind, since_ms, now_ms, words, verdict.verdict, pattern, applications=tuple(ends))
        self.standing[key] = alert
        new.append(alert)


def _is_suspect(simulation: Simulation, number: int) -> Incremental[bool]:
    """Whether it is asked about soon: others come first by rule, or what is in its way seldom goes away by itself."""
    explainer = explainer_of(simulation)
    if explainer.is_behind(number):
        return True
    rows = yield from explainer.obstacles(number)
    if rows and rows[0].code not in FULL:
        return True
    return (yield from explainer.is_too_large(number))


def _kind(verdict: Verdict, pattern: str, since_ms: int) -> str:
    """`stuck`, `held-up`, or nothing to tell."""
    start_ms = verdict.expected_start_ms
    if verdict.verdict == "none":
        return ""
    if verdict.verdict == "later":
        return "held-up"
    if start_ms is None:
        return "stuck"
    is_long = start_ms - since_ms >= LONG_MS and start_ms - verdict.proof.from_ms >= SOON_MS
    return "held-up" if pattern == HEAD_OF_LINE and is_long else ""


def _words(each: ApplicationSummary, verdict: Verdict, pattern: str, kind: str) -> str:
    what = f"{pattern or verdict.verdict}: application {each.number} {each.name} in {each.queue}"
    if kind == "held-up" and verdict.verdict != "later":
        return f"{what} waits for its turn, others came first"
    how = HOW["deadlocked" if verdict.proof.cycle else verdict.verdict]
    is_never = verdict.proof.still or verdict.verdict == "impossible"
    never = "will be given nothing any more" if is_never else "is given nothing within 24 hours"
    return f"{what} {never}; {how}"
