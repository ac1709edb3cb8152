"""`schedlab fix`: what an operator could do so that waiting applications start, each act tried on a copy."""

import json
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Annotated, NamedTuple

import msgspec
import typer

from engine.errors import ConfigError, Problem, RefusedError
from engine.explain.alert import waiting_in
from engine.explain.alerts import Alerts, standing_now
from engine.explain.answer import AppliedReport, AppliedStart, EndedReport, RemediesReport
from engine.explain.can_start import RecentDecisions
from engine.explain.instant import Instant, application_at, gone_at, waiting_at
from engine.explain.remedy import NOW
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.explain.remedy_trial import ACT_MS, Target, Trial, submit_again
from engine.explain.reporting import Reporter
from engine.explain.sensitivity import sensitivities_in_time
from engine.explain.start_report import departed, ended_answer, ended_of, refused_submission, with_found
from engine.explain.start_search import Asked, StartSearch
from engine.scenario import Scenario
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.options import (
    SECONDS,
    Assignments,
    Budget,
    BudgetOption,
    Place,
    Trust,
    application_names,
    budget_of_answer,
)
from tui.cli.source import SourceName, opened_source
from tui.cli.why import WorkersOption, search_shared
from tui.pages.remedy_text import applied_lines, remedy_lines
from tui.panes.sensitivity_text import sensitivity_lines
from tui.terminal.format import RelativeTimeFormat, beside

FOLLOW_MS = 60_000  # How long is played on after the last promised start [ms]

FIRST_PART = 0.5  # Part of the budget for the remedies of the instant, before those from the start have their turn

app = new_app()


@app.command()
def fix(
    name: SourceName,
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="Instant: 09:00, +30m or seconds; else the end.")
    ] = None,
    application: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="ID",
            help="Whom to start; else all that wait and never start by themselves.",
            autocompletion=application_names,
        ),
    ] = None,
    apply: Annotated[
        int | None, typer.Option("--apply", metavar="N", min=1, help="Play on with remedy N, and tell what came of it.")
    ] = None,
    from_start: Annotated[bool, typer.Option("--from-start", help="Also what helps when it is set from the start.")] = (
        False
    ),
    budget: BudgetOption = SECONDS,
    workers: WorkersOption = None,
    assignments: Assignments = None,
    place: Place = None,
    trust: Trust = False,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as one JSON object.")] = False,
) -> None:
    """Show what would make waiting applications start, the least harmful first.

    The scenario, or the kept run, is played to the instant; everything else is tried on copies of it. Harm is the run
    time that containers lose, and how much later others start or end, summed up.
    """
    with reported_errors():
        with opened_source(name, assignments or (), place, is_trusted=trust) as source:
            alerts = Alerts()
            scenario, found = source.scenario, source.instant(at, None, () if application else [alerts])
        _check_source(from_start=from_start, is_kept=source.is_kept)
        simulation, whole = found.simulation, Budget(budget)
        most = budget_of_answer(budget, hangs=bool(scenario.assumed))
        alarmed = () if application else waiting_in(standing_now(alerts, simulation))
        asking = _Asking(scenario, found, application, alarmed, workers, can_restart=not source.is_kept)
        answer, remedies = asking.answer(Budget(budget * FIRST_PART), most, from_start=from_start)
        if remedies is not None:
            answer = msgspec.structs.replace(
                answer, assumed=sensitivities_in_time(scenario, simulation, remedies.targets, whole.spend)
            )
        if apply is not None:
            place_of = chosen([each.number for each in answer.remedies], apply)
            assert remedies is not None, "acts are remedies of a search"
            applied = _applied(found, remedies.ranked[place_of], apply, remedies.targets)
            answer = msgspec.structs.replace(answer, applied=applied)
        sys.stdout.write(_written(answer, scenario, as_json=as_json) + "\n")


def _written(answer: RemediesReport, scenario: Scenario, *, as_json: bool) -> str:
    if as_json:
        return json.dumps(answer.written(scenario.start.tzinfo), indent=1)
    return _text(answer, beside(scenario.start))


def _text(answer: RemediesReport, day: RelativeTimeFormat) -> str:
    """The answer in lines: when those asked about start, what that hangs on, and what would help."""
    heading, *rest = remedy_lines(answer, day)
    return "\n".join((heading, *sensitivity_lines(answer.assumed, day), *rest, *applied_lines(answer, day)))


def _is_set_now(trial: Trial) -> bool:
    return trial.remedy.is_setting and trial.remedy.group == NOW


def _check_source(*, from_start: bool, is_kept: bool) -> None:
    if from_start and is_kept:
        hint = "a kept run is as it was"
        raise ConfigError([Problem("nothing can be set from the start here", key="--from-start", hint=hint)])


def _gone(scenario: Scenario, found: Instant, name: str) -> tuple[int, EndedReport] | None:
    """The number and the end of an application that is over, lost or was not let in; None of one that is there.

    Raises:
        RefusedError: No single one is meant.
    """
    simulation = found.simulation
    try:
        row = application_at(simulation, name)
    except RefusedError:
        gone = gone_at(found, name)
        if gone is not None and gone.submitted.application:
            return gone.submitted.application, departed(gone, scenario.timestamp)
        refused = refused_submission(scenario, simulation.now_ms - scenario.start_ms, name)
        if refused is None:
            raise
        return refused
    return None if row.finished_ms is None else (row.number, ended_of(row))


class _Asking(NamedTuple):
    """A question for remedies."""

    scenario: Scenario
    found: Instant
    application: str | None
    alarmed: Collection[int]  # Whom standing alerts name, where no application is asked about
    workers: int | None
    can_restart: bool  # False of a kept run, which is as it was

    def answer(self, first: Budget, most: Budget, *, from_start: bool) -> tuple[RemediesReport, Remedies | None]:
        """Look for what helps at the instant, for what helps from the start, and on for the former."""
        simulation = self.found.simulation
        reporter = Reporter(simulation.control_plane)
        gone = None if self.application is None else _gone(self.scenario, self.found, self.application)
        if gone is not None:
            number, ended = gone
            answer = ended_answer(ended, simulation.now_ms)
            return self._with_start(answer, self._start_search(Asked((), number), most)), None
        numbers = () if self.application is None else (waiting_at(simulation, self.application),)
        search, start = RemedySearch(simulation, numbers, alarmed=self.alarmed), None
        remedies = searched(search, first, self.workers)
        if remedies.targets and (from_start or not any(map(_is_set_now, remedies.ranked))):
            start = self._start_search(Asked(remedies.targets), most)
        if remedies.open and most.goes_on():
            remedies = searched(search, most, self.workers)
        return self._with_start(reporter.remedies(remedies), start), remedies

    def _start_search(self, asked: Asked, budget: Budget) -> StartSearch | None:
        if not self.can_restart:
            return None
        found, scenario = self.found, self.scenario
        numbers = dict.fromkeys(number for number, _ in asked.targets)
        codes = {each.code for number in numbers for each in found.facts.of(number)}
        search = StartSearch(scenario, found.simulation.now_ms - scenario.start_ms, asked, codes)
        with suppress(KeyboardInterrupt):
            search_shared(search, budget, self.workers)
        return search

    def _with_start(self, answer: RemediesReport, start: StartSearch | None) -> RemediesReport:
        if start is None:
            return answer
        id_of = self.found.simulation.control_plane.view().application_id
        return with_found(answer, start.ranked(), id_of, start.tried, start.of)


def searched(search: RemedySearch, budget: Budget, workers: int | None) -> Remedies:
    """Search for remedies until the budget is spent or the user presses Ctrl-C."""

    def told() -> None:
        if sys.stderr.isatty() and search.of:
            sys.stderr.write(f"\rtried {search.tried} of {search.of} ")
            sys.stderr.flush()

    with suppress(KeyboardInterrupt):  # what is known by then is printed
        search_shared(search, budget, workers, told)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    found = search.found()
    if found is None or not search.opened:
        raise ConfigError([Problem("nothing was found in that time", key="--budget", hint="give more")])
    return found


def chosen(numbers: Sequence[int], number: int) -> int:
    """The place of a number among those of the remedies that can be done at the instant.

    Raises:
        ConfigError: There is none.
    """
    if number not in numbers:
        there = f"there are {', '.join(map(str, numbers))}" if numbers else "none helps"
        raise ConfigError([Problem(f"no act of an operator has number {number}", key="--apply", hint=there)])
    return numbers.index(number)


def _applied(found: Instant, trial: Trial, number: int, targets: Sequence[Target]) -> AppliedReport:
    """Play on a copy, with what else comes by then, and compare with what was promised."""
    simulation, facts = found.simulation.fork(), RecentDecisions()
    simulation.run_before(simulation.now_ms + ACT_MS)
    facts.watch(simulation)
    view = simulation.control_plane.view()
    asks, ids = dict(targets), {each.application: view.application_id(each.application) for each in trial.starts}
    answer = simulation.act(trial.remedy.act)
    _ = submit_again(simulation, trial.then)
    simulation.run_until(trial.starts[-1].start_ms + FOLLOW_MS)
    given: dict[tuple[int, int | None], int] = {}
    for time_ms, record in facts.allocated:
        for priority in (record.priority, None):
            _ = given.setdefault((record.container[0], priority), time_ms)
    return AppliedReport(
        number=number,
        remedy=trial.remedy,
        refused=answer.detail or answer.rejected,
        until_ms=simulation.now_ms,
        starts=tuple(
            AppliedStart(
                application=ids[each.application],
                promised_ms=each.start_ms,
                at_ms=given.get((trial.numbers.get(each.application, each.application), asks[each.application])),
            )
            for each in trial.starts
        ),
    )
