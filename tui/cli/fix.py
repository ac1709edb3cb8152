"""`schedlab fix`: what an operator could do so that waiting applications start, each act tried on a copy."""

import os
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, RefusedError
from engine.explain import remedy_report
from engine.explain.alert import waiting_in
from engine.explain.alerts import Alerts, standing_now
from engine.explain.answer import AppliedReport, AppliedStart, EndedReport, RemediesReport
from engine.explain.change import Asked
from engine.explain.counterfactuals import NEARLY_ALL, Ask, is_near
from engine.explain.explainers import waiting_at
from engine.explain.instant import Instant, application_at, gone_at
from engine.explain.recent_decisions import RecentDecisions
from engine.explain.remedy import NOW
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.explain.remedy_trial import ACT_MS, Trial, submit_again
from engine.explain.sensitivity import sensitivities_in_time
from engine.explain.start_search import StartSearch
from engine.incremental import Budget, SharedSearch, Task
from engine.processes import processes, shared
from engine.scenario import Scenario
from tui.cli.grammar import PART, Given, seconds_of
from tui.cli.opened import RunSource, opened
from tui.cli.source import ITSELF, LIVE, NamedSource, asked
from tui.cli.talk import ProgressBar, note
from tui.pages.remedy_text import applied_lines, remedy_lines
from tui.panes.sensitivity_text import ASSUMED, IF_ASSUMED
from tui.terminal.edges import listening
from tui.terminal.format import beside

FIRST_PART: Final = 0.5  # Of the budget: for remedies of the instant, before those from the start have their turn
FOLLOW_MS: Final = 60_000  # How long is played on after the last promised start [ms]


def fix(given: Given) -> int:
    source, targets = asked(given)
    if targets.on_stdout == "screen":
        from tui.cli.open import open_at  # noqa: PLC0415 -- only a screen pays for textual

        open_at(source, given, given.word(1))
        return 0
    with opened(source, given) as run:
        alerts = Alerts()
        found = run.instant(given.text("at"), None, () if given.word(1) else [alerts])
        with listening() as interruption:
            answer = _answer(source, run, found, alerts, given, interruption.came)
    scenario = run.scenario
    day, document = beside(scenario.start), answer.written(scenario.start.tzinfo)
    lines = [*remedy_lines(answer, day), *applied_lines(answer, day)]
    if scenario.assumed and (run.is_twin or not any(ASSUMED in line for line in lines)):
        lines.insert(0, IF_ASSUMED)
    targets.answer("fix/1", lambda: lines, document, source.document(scenario.digest()), is_prose=True)
    return interruption.code


def _answer(
    source: NamedSource, run: RunSource, found: Instant, alerts: Alerts, given: Given, is_stopped: Callable[[], bool]
) -> RemediesReport:
    scenario, simulation, seconds = run.scenario, found.simulation, seconds_of(given)
    name = given.word(1)
    application = None if name is None else name.removeprefix("app/")
    from_start, whole = given.is_on("from-start"), Budget(seconds, is_stopped)
    if from_start and run.is_kept:
        hint = "a kept run is as it was"
        raise ConfigError.of("nothing can be set from the start here", key="--from-start", hint=hint)
    alarmed = () if application else waiting_in(standing_now(alerts, simulation), simulation.control_plane.view())
    asking = _Asking(scenario, found, application, alarmed, given.whole("workers"), can_restart=not run.is_kept)
    most = Budget(seconds * (PART if scenario.assumed else 1), is_stopped)
    answer, remedies = asking.answer(Budget(seconds * FIRST_PART, is_stopped), most, from_start=from_start)
    if remedies is not None:
        assumed = sensitivities_in_time(scenario, simulation, remedies.targets, whole.spend)
        answer = msgspec.structs.replace(answer, assumed=assumed)
    number_wanted = given.whole("apply")
    if number_wanted is None:
        return answer
    place_of = chosen([each.number for each in answer.remedies], number_wanted)
    assert remedies is not None, "acts are remedies of a search"
    if source.kind == LIVE:
        note(f"schedlab: {ITSELF.format(source.name)}")
    applied = _applied(found, remedies.ranked[place_of], number_wanted, remedies)
    return msgspec.structs.replace(answer, applied=applied)


def _gone(scenario: Scenario, found: Instant, name: str) -> tuple[int, EndedReport] | None:
    simulation = found.simulation
    try:
        row = application_at(simulation, name)
    except RefusedError:
        gone = gone_at(found, name)
        if gone is not None and gone.submitted.application:
            return gone.submitted.application, remedy_report.departed(gone, scenario.timestamp)
        refused = remedy_report.refused_submission(scenario, found.facts.submissions, name)
        if refused is None:
            raise
        return refused
    ended = (
        remedy_report.starved_of(simulation, row)
        if row.finished_ms is None
        else remedy_report.ended_of(simulation, row)
    )
    return None if ended is None else (row.number, ended)


def _is_set_now(trial: Trial, found: Remedies) -> bool:
    """Tell whether it changes a setting, at once in most releases, by which most of the wait is spared for all."""
    remedy, last = trial.remedy, trial.starts[-1]
    is_soon = is_near(last.start_ms, found.from_ms, last.expected_ms or found.base.until_ms, NEARLY_ALL)
    is_set = remedy.is_setting and remedy.group == NOW and remedy.kind != "preemption"
    return is_set and is_soon and not trial.is_last


class _Asking(NamedTuple):
    scenario: Scenario
    found: Instant
    application: str | None
    alarmed: Collection[int]  # The applications that standing alerts name, where none is asked about
    workers: int | None
    can_restart: bool  # False of a kept run, which is as it was

    def answer(self, first: Budget, most: Budget, *, from_start: bool) -> tuple[RemediesReport, Remedies | None]:
        simulation = self.found.simulation
        gone = None if self.application is None else _gone(self.scenario, self.found, self.application)
        if gone is not None:
            return self._of_gone(*gone, most), None
        numbers = () if self.application is None else (waiting_at(simulation, self.application),)
        search, start = RemedySearch(simulation, numbers, alarmed=self.alarmed), None
        remedies = _searched(search, first, self.workers)
        lost = None if numbers or remedies.targets else self.found.facts.turned_away()
        if lost is not None and lost.submitted.application and self.can_restart:
            return self._of_gone(
                lost.submitted.application, remedy_report.departed(lost, self.scenario.timestamp), most
            ), None
        is_set_now = any(_is_set_now(each, remedies) for each in remedies.ranked)
        if remedies.targets and (from_start or not is_set_now):
            start = self._start_search(Asked(remedies.targets), most)
        if remedies.open and most.goes_on():
            remedies = _searched(search, most, self.workers)
        report = remedy_report.remedies_report(simulation.control_plane, remedies)
        return remedy_report.with_found(report, simulation, remedies.targets, start), remedies

    def _of_gone(self, number: int, ended: EndedReport, most: Budget) -> RemediesReport:
        answer = remedy_report.ended_answer(ended, self.found.simulation.now_ms)
        start = self._start_search(Asked((), number), most)
        return remedy_report.with_found(answer, self.found.simulation, (), start)

    def _start_search(self, asked: Asked, budget: Budget) -> StartSearch | None:
        if not self.can_restart:
            return None
        found, scenario = self.found, self.scenario
        numbers = dict.fromkeys(number for number, _ in asked.targets)
        codes = {each.code for number in numbers for each in found.facts.of(number)}
        search = StartSearch(scenario, found.simulation.now_ms - scenario.start_ms, asked, codes)
        _search_shared(search, budget, self.workers)
        return search


def _search_shared(
    search: SharedSearch[Any], budget: Budget, workers: int | None = None, told: Callable[[], None] = lambda: None
) -> None:
    """Search, on several processes where it takes longer, until the budget is spent; `told` is called each time."""
    others = (workers or os.cpu_count() or 1) - 1
    work = Task(shared(search, partial(processes, others), others))

    def advance() -> bool:
        told()
        return work.advance()

    with closing(work):
        _ = budget.spend(advance)


def _searched(search: RemedySearch, budget: Budget, workers: int | None) -> Remedies:
    with ProgressBar() as bar:

        def told() -> None:
            if search.of:
                bar.count(search.tried, search.of, f"tried {search.tried} of {search.of}")

        _search_shared(search, budget, workers, told)
    found = search.found()
    if found is None or not search.opened:
        raise ConfigError.of("nothing was found in that time", key="--budget", hint="give more")
    return found


def chosen(numbers: Sequence[int], number: int) -> int:
    """The place of a number among those of the remedies that can be done at the instant."""
    if number not in numbers:
        there = f"there are {', '.join(map(str, numbers))}" if numbers else "none helps"
        raise ConfigError.of(f"no act of an operator has number {number}", key="--apply", hint=there)
    return numbers.index(number)


def _applied(found: Instant, trial: Trial, number: int, remedies: Remedies) -> AppliedReport:
    simulation, facts = found.simulation.fork(), RecentDecisions()
    simulation.run_before(simulation.now_ms + ACT_MS)
    facts.watch(simulation)
    view = simulation.control_plane.view()
    ids = {each.application: view.application_id(each.application) for each in trial.starts}
    asks = dict(remedies.targets)
    answer = simulation.act(trial.remedy.act)
    _ = submit_again(simulation, trial.then)
    simulation.run_until(trial.starts[-1].start_ms + FOLLOW_MS)
    given: dict[Ask, list[int]] = {}
    for time_ms, record in facts.allocated:
        for priority in (record.priority, None):
            given.setdefault((record.container[0], priority), []).append(time_ms)

    def served_ms(application: int) -> int | None:
        ask = (application, asks[application])
        times = given.get((trial.numbers.get(application, application), ask[1]), [])
        return next(iter(times[remedies.base.wanted.get(ask, 1) - 1 :]), None)

    return AppliedReport(
        number=number,
        remedy=trial.remedy,
        refused=answer.detail or answer.rejected,
        until_ms=simulation.now_ms,
        starts=tuple(
            AppliedStart(
                application=ids[each.application],
                promised_ms=each.start_ms,
                at_ms=served_ms(each.application),
            )
            for each in trial.starts
        ),
    )
