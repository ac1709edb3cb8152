"""`schedlab why`: why the cluster stands, or an application, a queue or a node waits, and whether it will ever run."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from engine.errors import ConfigError, RefusedError
from engine.explain.answer import PlaceReport, WhyReport, judged_waiter, place_report
from engine.explain.explainers import explainer_of
from engine.explain.instant import Instant, SharedLookahead, WaitInterval, application_at, gone_at
from engine.explain.remedy_report import deciding_report, deciding_rows, deciding_search
from engine.explain.sensitivity import sensitivities_in_time
from engine.explain.why_question import WhyQuestion, gone_report, request_report
from engine.incremental import Budget, Task
from engine.live.live_why import why_application, why_place
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import SystemTerms, snapshot_of, terms_of
from engine.run.expectations import find_application
from engine.scenario import Scenario
from engine.units import moment_at, zone_of
from tui.cli.grammar import PART, Given, seconds_of
from tui.cli.opened import LookedAt, RunSource, Subject, looked_at, no_assignments, opened, subject_of, twin_of_source
from tui.cli.output import Targets
from tui.cli.source import LIVE, LOG, POLLS, NamedSource, asked
from tui.pages.verdict_text import longest_wait_words, place_lines, why_lines
from tui.panes.sensitivity_text import ASSUMED, IF_ASSUMED
from tui.terminal.edges import listening
from tui.terminal.format import beside

JUDGED: Final = 20  # Number of applications at a place that get a verdict
ROOT: Final = "root"  # The queue above all others


def why(given: Given) -> int:
    source, targets = asked(given)
    if targets.on_stdout == "screen":
        from tui.cli.open import open_at  # noqa: PLC0415 -- only a screen pays for textual

        open_at(source, given, given.word(1))
        return 0
    if source.kind in (LOG, POLLS, LIVE):
        _of_record(source, given, targets)
        return 0
    with opened(source, given) as run:
        name = given.word(1)
        found = run.instant(given.text("at"), None if name is None else name.removeprefix("app/"))
        with listening() as interruption:
            answer = _answer(run, found, name, given, interruption.came)
        terms = terms_of(snapshot_of(found.simulation).header)
    _write(answer, run.scenario.start, source, targets, terms, assumed=run.scenario, wait=found.spell)
    return interruption.code


def _answer(
    run: RunSource, found: Instant, name: str | None, given: Given, is_stopped: Callable[[], bool]
) -> WhyReport | PlaceReport:
    subject = _subject(found, name)
    seconds = seconds_of(given)
    if subject.kind != "application":
        if given.is_on("priority"):
            raise ConfigError.of("a priority is one of an application's", key="--priority")
        return _at_place(found, subject.kind, subject.key, Budget(seconds, is_stopped))
    budget = Budget(seconds * (PART if run.scenario.assumed else 1), is_stopped)
    question = ApplicationQuestion(run.as_scenario(), found, budget, Budget(seconds, is_stopped))
    return question.answer(subject.key, given.whole("priority"))


def _subject(found: Instant, name: str | None) -> Subject:
    if name is None:
        return _everybody(snapshot_of(found.simulation))
    application = name.removeprefix("app/")
    if gone_at(found, application) is not None:
        return Subject("application", application)
    return subject_of(snapshot_of(found.simulation), name)


def _everybody(snapshot: Snapshot) -> Subject:
    paths = [row.path for row in snapshot.queues()]
    if ROOT in paths:
        return Subject("queue", ROOT)
    return Subject("cluster", paths[0] if len(paths) == 1 else "")


def _of_record(source: NamedSource, given: Given, targets: Targets) -> None:
    if source.kind != LIVE:
        no_assignments(source, given)
    record = looked_at(source, given)
    name, terms = given.word(1), terms_of(record.snapshot.header)
    subject = _everybody(record.snapshot) if name is None else _recorded_subject(record.snapshot, name)
    start = moment_at(record.snapshot.header.time_ms, zone_of(record.offset_ms))
    if subject.kind != "application":
        _write(why_place(record.snapshot, subject.kind, subject.key), start, source, targets, terms)
        return
    row = find_application(record.snapshot.applications(why=False), subject.key)
    assert row is not None, "a subject is there"
    answer = why_application(record.snapshot, row.number)
    if not given.is_on("config") and source.kind != LIVE:
        _write(answer, start, source, targets, terms)
        return
    twin, judged = _by_twin(source, given, record, row.id)
    if judged is not None:
        fields = {"verdict": judged.verdict, "proof": judged.proof, "looked_until_ms": judged.looked_until_ms}
        if source.kind == LIVE or answer.verdict in ("live", "unknown"):
            answer = msgspec.structs.replace(answer, **fields, expected_start_ms=judged.expected_start_ms)
    _write(answer, start, source, targets, terms, assumed=twin, is_if=judged is not None)


def _recorded_subject(snapshot: Snapshot, name: str) -> Subject:
    try:
        return subject_of(snapshot, name)
    except RefusedError as error:
        raise RefusedError(error.kind, f"at that instant {error}") from None


def _by_twin(
    source: NamedSource, given: Given, record: LookedAt, name: str
) -> tuple[Scenario | None, WhyReport | None]:
    """The twin, and its answer; none where its configuration is not told or none of that name waits there."""
    try:
        twin = twin_of_source(source, given, record)
        run = RunSource(twin, is_twin=True)
        found = run.instant(None, None)
        seconds = seconds_of(given)
        question = ApplicationQuestion(twin, found, Budget(seconds * PART), Budget(seconds))
        return twin, question.answer(name.rpartition("_")[2].lstrip("0") or name, given.whole("priority"))
    except (ConfigError, RefusedError):
        return None, None


def _write(
    answer: WhyReport | PlaceReport,
    start: datetime,
    source: NamedSource,
    targets: Targets,
    terms: SystemTerms,
    *,
    assumed: Scenario | None = None,
    is_if: bool = False,
    wait: WaitInterval | None = None,
) -> None:
    day = beside(start)
    lines = place_lines(answer, day, terms) if isinstance(answer, PlaceReport) else why_lines(answer, day)
    if wait is not None:
        note = f"it is over in the end; {longest_wait_words(wait, day.instant)}; --at asks about another instant"
        lines.insert(1, f"{'':10}{note}")
    if assumed is not None and assumed.assumed and (is_if or not any(ASSUMED in line for line in lines)):
        lines = [IF_ASSUMED, *lines, *(f"{ASSUMED}{each.words}" for each in assumed.assumed if is_if)]
    document = answer.written(start.tzinfo)
    digest = "" if assumed is None else assumed.digest()
    targets.answer("why/1", lambda: lines, document, source.document(digest), is_prose=True)


class ApplicationQuestion(NamedTuple):
    scenario: Scenario
    found: Instant
    budget: Budget
    whole: Budget  # Also for what the answer hangs on

    def answer(self, name: str, priority: int | None) -> WhyReport:
        """The answer as far as there was time to find it; a `RefusedError` where there is no such ask."""
        simulation = self.found.simulation
        gone = gone_at(self.found, name)
        if gone is not None:
            return gone_report(simulation.control_plane.view(), gone, simulation.now_ms)
        row = application_at(simulation, name)
        request = None if priority is None else request_report(simulation, row.number, priority)
        question = WhyQuestion(simulation, row.number, self.found.facts)
        is_whole = self.budget.spend(question.advance)
        report = question.so_far()
        if question.basis is not None:
            report = self._with_deciding(report)
        return msgspec.structs.replace(
            report,
            request=request,
            looked_until_ms=None if is_whole else question.reached_ms or simulation.now_ms,
            assumed=sensitivities_in_time(self.scenario, simulation, question.targets, self.whole.spend),
        )

    def _with_deciding(self, report: WhyReport) -> WhyReport:
        """Add values that decide beside those that stand in the way; none of a twin, whose beginning is not known."""
        if not report.reasons or self.scenario.recovered:
            return report
        simulation = self.found.simulation
        search = deciding_search(self.scenario, simulation, report)
        is_whole = self.whole.spend(Task(search.find_deciding()).advance)
        rows = deciding_rows(search.decided.values(), report.reasons, simulation.now_ms)
        left = deciding_report(search, is_whole=is_whole)
        return msgspec.structs.replace(report, reasons=(*report.reasons, *rows), deciding=left)


def _at_place(found: Instant, kind: str, key: str, budget: Budget) -> PlaceReport:
    explainer, simulation = explainer_of(found.simulation), found.simulation
    is_queue = kind == "queue" or (kind == "cluster" and key)
    waiting = list((explainer.waiting_in_queue if is_queue else explainer.waiting_for_node)(key))
    numbers = {row.id: row.number for row in snapshot_of(simulation).applications(why=False)}
    basis: SharedLookahead | None = None
    for index, waiter in enumerate(waiting[:JUDGED]):
        question = WhyQuestion(simulation, numbers[waiter.application], found.facts, basis)
        basis = question.basis or basis
        if not budget.spend(question.advance):
            break
        waiting[index] = judged_waiter(waiter, question.answer())
    return place_report(simulation.now_ms, kind, key, waiting)
