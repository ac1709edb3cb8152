"""Works out the answer to a question in pieces: what is known at once, the wait, the verdict, the facts.

The simulation asked about is never changed: everything that takes time happens on copies.
"""

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar

import msgspec

from engine.explain.answer import LastChanceReport, RefusalReport, RemediesReport, SearchReport, WhyReport, place_report
from engine.explain.counterfactuals import Ask
from engine.explain.explainers import explainer_of
from engine.explain.impact import ImpactReport, aftermath
from engine.explain.instant import SharedLookahead, round_before, wait_of
from engine.explain.obstacles import ObstacleRow, SensitivityReport, idle_words
from engine.explain.point_of_no_return import Search
from engine.explain.recent_decisions import RecentDecisions
from engine.explain.remedy import GROUPS, NOW, Remedy
from engine.explain.remedy_report import deciding_report, deciding_rows, deciding_search, remedies_report
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.explain.sensitivity import sensitivities
from engine.explain.start_search import StartSearch
from engine.explain.why_question import WhyQuestion, row_of
from engine.incremental import ANSWER_S, Budget, Incremental, Task
from engine.model.decision import Allocated
from engine.observe.snapshot import ApplicationRow
from engine.observe.snapshots import snapshot_of
from engine.run.player import finders_in, scenario_so_far
from engine.scenario import Scenario
from engine.scenario.acts import resolved
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import NumberedRecord, Timeline
from tui.pages.verdict_text import longest_wait_words, verdict_words
from tui.pages.why_parts import entry_of, remedies_of
from tui.protocol.picture import ACT, APPLICATION, CLUSTER, WhyAnswer, WhySubject
from tui.terminal.format import instant

AHEAD, BACK, ROUND = "simulating ahead", "looking back for its longest wait", "reading the last scheduling pass"
FOLLOWING, TRYING = "simulating remedy", "trying it on a copy"
REMEDIES, RETURN, ASKING = "trying remedies", "finding the last moment each remedy works", "asking what waits"
OTHERWISE = "simulating what is assumed otherwise"
DECIDING = "trying settings that may decide it"
NO_FACTS: Final = {
    "mr1": "a JobTracker does not record why it skips a job",
    "spark": "Spark's Master does not record why it skips an application",
}  # Kind of cluster → why nothing was recorded
SILENT = "not in the last scheduling pass"
NOT_WAITING = "It is not waiting for anything that a remedy could give"

Result = TypeVar("Result")


class QuestionContext(NamedTuple):
    simulation: Simulation  # The run at an instant, in the present or the past
    timeline: Timeline
    scenario: Scenario
    events: Sequence[NumberedRecord]  # The latest records up to that instant, oldest first
    offset_ms: int  # East of Greenwich, for times in words
    alarmed: Sequence[int] = ()  # Applications that wait by the alerts that stand there


class WhyAnalysis:
    def __init__(self, scene: QuestionContext, subject: WhySubject, basis: SharedLookahead | None = None) -> None:
        """Take the question; `work` finds the answer, with the `basis` of another one at the same instant."""
        self._scene, self._subject = scene, subject
        self.basis = basis  # What the answer rests on; None while it rests on nothing
        self._simulation = settled(scene.simulation)
        self._wants_remedies = self._is_answered = False
        self._numbers: dict[tuple[object, ...], int] = {}  # What it is done to → number of a remedy, in order
        self.search: RemedySearch | None = None  # The search for remedies; None while none are wanted
        self._tried = 0
        self._wanted: int | None = None  # The remedy whose aftermath is wanted
        self._followed: Remedy | None = None  # The remedy whose aftermath is known, by default the best
        self._is_chosen = False
        self.answer_s = ANSWER_S  # How long values that decide are looked for at once [CPU s]; 0 is no limit
        self._deciding: tuple[StartSearch, Task[None]] | None = None  # None before it begins, and when it is done
        self.answer = WhyAnswer(subject, self._simulation.now_ms, scene.offset_ms, doing=AHEAD)
        """The answer as far as it is known."""

    def work(self) -> Iterator[None]:
        """Find what is still missing; after the first piece there is what is known at once."""
        if not self._is_answered:
            kinds = {APPLICATION: self._application, ACT: self._act, CLUSTER: self._cluster}
            work = kinds.get(self._subject.kind, self._place)
            yield from work()
            self._is_answered = True
        if self._wants_remedies:
            self._wants_remedies = False
            yield from self._remedies()
        yield from self._follow_wanted()
        self._do("")

    def ask_remedies(self) -> str:
        """Have remedies tried; in words why not, or nothing."""
        known = self.answer.why
        if self._subject.kind == CLUSTER:
            return ""
        if self._subject.kind != APPLICATION or (self._is_answered and (known is None or known.proof is None)):
            return f"{NOT_WAITING}{idle_words(known.reasons if known is not None else ())}."
        self._wants_remedies = known is None or known.would_help is None or self._deciding is not None
        return ""

    def ask_aftermath(self, number: int) -> str:
        """Have found out what follows a remedy; in words why not, or nothing."""
        if entry_of(self.answer.remedies, number) is None:
            return f"There is no remedy {number}."
        self._wanted, self._is_chosen = number, True
        return ""

    # An application

    def _application(self) -> Iterator[None]:
        number = int(self._subject.key)
        row = row_of(self._simulation, number)
        if row is not None and row.finished_ms is not None:
            ended = WhyQuestion(self._simulation, number).so_far()
            self._publish(ended)
            yield from self._go_back(row, ended)
        facts = facts_of(self._scene.events, self._simulation.now_ms)
        question = WhyQuestion(self._simulation, number, facts, self.basis)
        self.basis = question.basis
        self._publish(question.so_far())
        self._do(AHEAD, question.reached_ms)
        yield
        while not question.advance():
            self._do(AHEAD, question.reached_ms)
            yield
        why = question.answer()
        self._publish(why)
        yield from self._read_round(why)
        yield from self._find_assumed(question.targets)

    def _go_back(self, row: ApplicationRow, ended: WhyReport) -> Iterator[None]:
        spell = yield from self._through(BACK, wait_of(self._scene.timeline, row))
        if spell is None:
            self.answer = msgspec.structs.replace(self.answer, note="It never waited for long.")
            return
        middle_ms = (spell.from_ms + spell.until_ms) // 2
        self._simulation = yield from self._through(BACK, self._scene.timeline.reach(middle_ms))
        over, cause = "It is over", next((each.sentence for each in ended.reasons), row.diagnostics)
        if row.state == "FAILED" and cause:
            over = f"It {verdict_words(ended, self.answer.beside).removeprefix('it ')}: {cause}"
        middle = longest_wait_words(spell, lambda time_ms: instant(time_ms, self._scene.offset_ms))
        note = f"{over}; {middle}."
        self.answer = msgspec.structs.replace(self.answer, note=note)

    def _read_round(self, why: WhyReport) -> Iterator[None]:
        view = self._simulation.control_plane.view()
        if not view.records_refusals:
            self.answer = msgspec.structs.replace(self.answer, facts=NO_FACTS[view.kind])
        elif self.basis is not None:
            heartbeat_ms = self._scene.scenario.cluster.heartbeat_ms
            now_ms = self._simulation.now_ms
            work = round_before(self._scene.timeline, now_ms, heartbeat_ms)
            facts = yield from self._through(ROUND, work)
            found = facts.of(why.application.number)
            self._add(facts=found)
            self.answer = msgspec.structs.replace(self.answer, facts="" if found else SILENT)

    def _remedies(self) -> Iterator[None]:
        why = self.answer.why
        if why is None or why.proof is None or self.basis is None:
            return
        if self._deciding is None:
            search = RemedySearch(self.basis.base_copy, (why.application.number,))
            yield from self._search(search, lambda found: self._add(would_help=self._numbered(found)))
            if why.verdict == "deadlocked":
                yield from self._way_back()
            scenario = scenario_so_far(self._scene.scenario, self._simulation)
            if not why.reasons or scenario.recovered:  # the past of a twin is not known
                return
            values = deciding_search(scenario, self._simulation, why)
            self._deciding = values, Task(values.find_deciding())
        yield from self._find_deciding(*self._deciding, why)

    def _find_deciding(self, search: StartSearch, work: Task[None], why: WhyReport) -> Iterator[None]:
        budget = Budget(self.answer_s)
        while not work.advance() and budget.goes_on():
            self._do(f"{DECIDING}: {search.tried} of {search.of}" if search.of else DECIDING)
            yield
        rows = deciding_rows(search.decided.values(), why.reasons, self._simulation.now_ms)
        self._add(reasons=(*why.reasons, *rows), deciding=deciding_report(search, is_whole=work.done))
        self._deciding = None if work.done else self._deciding

    def _cluster(self) -> Iterator[None]:
        yield from self._search(RemedySearch(self._simulation, alarmed=self._scene.alarmed), self._plan)

        if self.search is not None and self._scene.scenario.assumed:
            yield from self._find_assumed(self.search.targets)

    def _plan(self, found: RemediesReport) -> None:
        self.answer = msgspec.structs.replace(self.answer, plan=self._numbered(found))

    def _report(self, found: Remedies) -> RemediesReport:
        return remedies_report(self._scene.simulation.control_plane, found)

    def _find_assumed(self, targets: Sequence[Ask]) -> Iterator[None]:
        here, scenario = self._scene.simulation, self._scene.scenario
        if not scenario.assumed or self._simulation.now_ms != here.now_ms:
            return
        found = yield from self._through(OTHERWISE, sensitivities(scenario, here, targets))
        if self.answer.plan is not None:
            plan = msgspec.structs.replace(self.answer.plan, assumed=found)
            self.answer = msgspec.structs.replace(self.answer, plan=plan)
        else:
            self._add(assumed=found)

    def _numbered(self, found: RemediesReport) -> RemediesReport:
        """A remedy keeps its number when a better one is found after it, and when a smaller value helps as well."""
        entries, used = [], set[int]()
        for entry in found.remedies:
            what = entry.remedy
            key: tuple[object, ...] = what.kind, what.application, what.host, what.queue, what.setting, what.family
            number = self._numbers.setdefault(key, len(self._numbers) + 1)
            while number in used:
                key = (*key, number)
                number = self._numbers.setdefault(key, len(self._numbers) + 1)
            used.add(number)
            entries.append(msgspec.structs.replace(entry, number=number))
        return msgspec.structs.replace(found, remedies=tuple(entries))

    def _search(self, search: RemedySearch, publish: Callable[[RemediesReport], None]) -> Iterator[None]:
        self.search = search
        while not search.advance():
            if (found := search.found()) is not None and search.tried != self._tried:
                self._tried = search.tried
                publish(self._report(found))
            self._do(f"{REMEDIES}: {search.tried} of {search.of}" if search.of else REMEDIES)
            yield
            if self._followed is None:
                self._want_best((NOW,))
            if self._wanted is not None and search.between_jobs:
                yield from self._follow_wanted()
        publish(self._report(search.answer()))
        self._want_best(GROUPS)
        yield from self._follow_wanted()

    def _want_best(self, groups: Sequence[str]) -> None:
        best = remedies_of(self.answer.remedies)[:1]
        if best and not self._is_chosen and best[0].remedy != self._followed and best[0].group in groups:
            self._wanted = best[0].number

    def _follow_wanted(self) -> Iterator[None]:
        if self._wanted is not None:
            number, self._wanted = self._wanted, None
            yield from self._follow(number)

    def _follow(self, number: int) -> Iterator[None]:
        search, entry = self.search, entry_of(self.answer.remedies, number)
        found = search.found() if search is not None else None
        if search is None or search.here is None or found is None or entry is None:
            return
        trial = next((each for each in found.ranked if each.remedy == entry.remedy), None)
        if trial is None:
            return
        self._followed = trial.remedy
        work = aftermath(search.here, (trial.remedy.act,), search.targets, self._allocated())
        after = yield from self._through(f"{FOLLOWING} {number}", work)
        after = msgspec.structs.replace(after, remedy=trial.remedy, number=number)
        if self._subject.kind == CLUSTER:
            self.answer = msgspec.structs.replace(self.answer, aftermath=after)
        else:
            self._add(aftermath=after)

    def _allocated(self) -> list[int]:
        return [time_ms for time_ms, _ in facts_of(self._scene.events, self._simulation.now_ms).allocated]

    # An act

    def _act(self) -> Iterator[None]:
        here = self._simulation
        snapshot = snapshot_of(here)
        finders = finders_in(snapshot)
        acts = [resolved(act, finders) for act in self._subject.acts]
        self._do(TRYING)
        yield
        copy = yield from here.fork_in_steps(closed=True)
        after = yield from aftermath(copy, acts, (), self._allocated())
        self.answer = msgspec.structs.replace(self.answer, aftermath=after, time_ms=here.now_ms)

    def _way_back(self) -> Iterator[None]:
        past = self._scene.timeline
        search = Search(past, max([past.first_ms, *self._allocated()[-1:]]), self._simulation.now_ms)
        while not search.advance():
            self._do(RETURN if search.of is None else f"{RETURN}: {search.tried} of {search.of} remedies")
            yield
        self._add(point_of_no_return=search.answer())

    # A place

    def _place(self) -> Iterator[None]:
        kind, key = self._subject.kind, self._subject.key
        explainer = explainer_of(self._simulation)
        waiters = explainer.waiting_in_queue(key) if kind == "queue" else explainer.waiting_for_node(key)
        place = place_report(self._simulation.now_ms, kind, key, ())
        self.answer = msgspec.structs.replace(self.answer, place=place, doing=ASKING)
        yield
        for waiter in waiters:
            place = msgspec.structs.replace(place, waiting=(*place.waiting, waiter))
            self.answer = msgspec.structs.replace(self.answer, place=place, doing=ASKING)
            yield

    # The answer so far

    def _publish(self, why: WhyReport) -> None:
        self.answer = msgspec.structs.replace(self.answer, why=why, time_ms=why.at_ms, names=self._names(why))

    def _add(
        self,
        **found: RemediesReport
        | ImpactReport
        | LastChanceReport
        | tuple[SensitivityReport, ...]
        | tuple[RefusalReport, ...]
        | tuple[ObstacleRow, ...]
        | SearchReport
        | None,
    ) -> None:
        assert self.answer.why is not None, "an application was asked about"
        why = msgspec.structs.replace(self.answer.why, **found)
        self.answer = msgspec.structs.replace(self.answer, why=why)

    def _names(self, why: WhyReport) -> dict[str, str]:
        proof = why.proof
        if proof is None:
            return {}
        wanted = {*proof.for_ever, *(step.application for step in proof.cycle)}
        wanted |= {each.application for each in proof.passed_by}
        rows = snapshot_of(self._simulation).applications(why=False)
        return {row.id: row.name for row in rows if row.id in wanted}

    def _do(self, doing: str, reached_ms: int | None = None) -> None:
        self.answer = msgspec.structs.replace(self.answer, doing=doing, reached_ms=reached_ms)

    def _through(self, doing: str, work: Generator[int | None, None, Result]) -> Incremental[Result]:
        while True:
            try:
                reached_ms = next(work)
            except StopIteration as done:
                result: Result = done.value
                return result
            self._do(doing, reached_ms)
            yield


def settled(simulation: Simulation) -> Simulation:
    """The simulation between two instants: itself, or a copy that has ended the instant it is in."""
    if simulation.next_event_ms() != simulation.now_ms:
        return simulation
    copy = simulation.fork()
    copy.run_until(copy.now_ms)
    return copy


def facts_of(events: Sequence[NumberedRecord], until_ms: int) -> RecentDecisions:
    """Applications that were given something lately, up to the end of an instant [epoch ms]."""
    facts = RecentDecisions()
    for event in events[: bisect_left(events, until_ms + 1, key=attrgetter("time_ms"))]:
        if isinstance(event.record, Allocated):
            facts.on_records(event.time_ms, (event.record,))
    return facts
