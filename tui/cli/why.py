"""`schedlab why`: why an application waits at an instant, whether it will ever run, and what would have helped."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from typing import Annotated, Any, NamedTuple

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.explain.answer import LastChanceReport, PlaceReport, RemediesReport, WhyReport
from engine.explain.explainers import explainer_of
from engine.explain.instant import Instant, SharedLookahead, application_at, gone_at
from engine.explain.obstacles import SensitivityReport
from engine.explain.point_of_no_return import Search
from engine.explain.remedy_search import RemedySearch
from engine.explain.reporting import Reporter, Why, WhyQuestion, request_obstacles
from engine.explain.sensitivity import sensitivities_in_time
from engine.explain.waits import Waiter
from engine.incremental import Task
from engine.observe.snapshots import snapshot_of
from engine.processes import SharedSearch, processes, shared
from engine.recorded.log_series import start_of
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.timeline import Timeline
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.options import (
    SECONDS,
    Assignments,
    Budget,
    BudgetOption,
    Place,
    QueuePath,
    Trust,
    application_names,
    budget_of_answer,
    node_names,
)
from tui.cli.source import SourceName, no_assignments, opened_source, place_named, recorded_series, why_recorded
from tui.pages.verdict_text import place_lines, why_lines
from tui.panes.sensitivity_text import sensitivity_lines
from tui.terminal.edges import visible_lines
from tui.terminal.format import beside

# A search for remedies on the cores of this machine, as long as its time lasts.

WorkersOption = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="How many processes try; else one a core.")
]


def search_shared(
    search: SharedSearch[Any], budget: Budget, workers: int | None = None, told: Callable[[], None] = lambda: None
) -> None:
    """Do a search until it is done or the budget is spent; `told` is called after each piece.

    One process is this one; the others start when a search takes longer.
    """
    others = (workers or os.cpu_count() or 1) - 1
    work = Task(shared(search, partial(processes, others), others))

    def advance() -> bool:
        told()
        return work.advance()

    with closing(work):
        _ = budget.spend(advance)


JUDGED = 20  # On how many of those who wait at a place there is a verdict

app = new_app()


@app.command()
def why(
    name: SourceName,
    application: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="ID",
            help="Application: id, a unique end of it, or name.",
            autocompletion=application_names,
        ),
    ] = None,
    priority: Annotated[
        int | None, typer.Option("--priority", metavar="N", help="With --app: also why its request of that priority.")
    ] = None,
    queue: QueuePath = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="HOST", help="Who waits for a node.", autocompletion=node_names)
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="T", help="Instant: 09:00, +30m or seconds; else the end, or its longest wait."),
    ] = None,
    assignments: Assignments = None,
    trust: Trust = False,
    remedies: Annotated[
        bool, typer.Option("--remedies", help="Also try what would help, or would have, and until when (slow).")
    ] = False,
    place: Place = None,
    budget: BudgetOption = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as one JSON object.")] = False,
) -> None:
    """Show why an application waits, with the verdict on it and its proof.

    The scenario, or the kept run, is played to the instant; everything else is asked of copies. Of a log and of kept
    polls there is no verdict: nothing is played ahead.
    """
    with reported_errors():
        if sum(each is not None for each in (application, queue, node)) != 1:
            raise ConfigError([Problem("say which one: --app ID, --queue PATH or --node HOST", key="why")])
        if priority is not None and application is None:
            raise ConfigError([Problem("a priority is one of an application's", key="--priority", hint="add --app ID")])
        series = recorded_series(name, place)
        if series is not None:
            no_assignments(name, assignments)
            answer = why_recorded(series, at, application, queue, node)
            _write(answer, start_of(series), as_json=as_json)
            return
        with opened_source(name, assignments or (), place, is_trusted=trust) as source:
            scenario, found = source.scenario, source.instant(at, application)
        reporter = Reporter(found.simulation.control_plane)
        if application is not None:
            whole = Budget(budget)
            question = ApplicationQuestion(
                scenario, found, reporter, budget_of_answer(budget, hangs=bool(scenario.assumed)), whole
            )
            answer = question.answer(application, priority, tries_remedies=remedies)
        else:
            answer = _at_place(found, queue, node, reporter, Budget(budget))
        _write(answer, scenario.start, as_json=as_json)


def _write(answer: WhyReport | PlaceReport, start: datetime, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(answer.written(start.tzinfo), indent=1) + "\n")
        return
    day = beside(start)
    if isinstance(answer, PlaceReport):
        lines = place_lines(answer, day)
    else:
        lines = [*why_lines(answer, day), *sensitivity_lines(answer.assumed, day)]
    sys.stdout.write(visible_lines(lines))


class ApplicationQuestion(NamedTuple):
    """A question about an application, and the time for it."""

    scenario: Scenario
    found: Instant
    reporter: Reporter
    budget: Budget
    whole: Budget  # Also for what the answer hangs on

    def answer(self, name: str, priority: int | None, *, tries_remedies: bool) -> WhyReport:
        """The answer as far as there was time to find it.

        Raises:
            RefusedError: There is no such application, or it asks for nothing at that priority.
        """
        simulation, reporter = self.found.simulation, self.reporter
        gone = gone_at(self.found, name)
        if gone is not None:
            return reporter.gone(gone, simulation.now_ms)
        row = application_at(simulation, name)
        own = None if priority is None else (priority, request_obstacles(simulation, row.number, priority))
        question = WhyQuestion(simulation, row.number, self.found.facts)
        is_whole = self.budget.spend(question.advance)
        why = question.so_far()
        turning = self._turning() if tries_remedies and why.verdict == "deadlocked" else None
        return msgspec.structs.replace(
            reporter.why(why, turning, own),
            looked_until_ms=None if is_whole else question.reached_ms or simulation.now_ms,
            would_help=self._remedies(row.number) if tries_remedies and why.found is not None else None,
            assumed=self._assumed(row.number, why),
        )

    def _assumed(self, number: int, why: Why) -> tuple[SensitivityReport, ...]:
        targets = [(number, each.priority) for each in (why.asks or filter(None, [why.found]))]
        return sensitivities_in_time(self.scenario, self.found.simulation, targets, self.whole.spend)

    def _remedies(self, number: int) -> RemediesReport | None:
        simulation = self.found.simulation
        search = RemedySearch(simulation, (number,))
        search_shared(search, self.budget)
        found = search.found()
        return self.reporter.remedies(found) if found is not None else None

    def _turning(self) -> LastChanceReport | None:
        """Until when it could have been prevented; None when there was no time to find that out."""
        simulation, found = self.found.simulation, self.found
        past = Timeline(build_simulation(self.scenario))
        past.follow(simulation.acts, simulation.now_ms)
        last_ms = found.facts.allocated[-1][0] if found.facts.allocated else past.first_ms
        search = Search(past, max(last_ms, past.first_ms), simulation.now_ms)
        return search.answer() if self.budget.spend(search.advance) else None


def _at_place(found: Instant, queue: str | None, node: str | None, reporter: Reporter, budget: Budget) -> PlaceReport:
    simulation = found.simulation
    explainer, snapshot = explainer_of(simulation), snapshot_of(simulation)
    kind, key = place_named(snapshot, queue, node)
    waiters = tuple((explainer.waiting_in_queue if kind == "queue" else explainer.waiting_for_node)(key))
    return _judged(reporter.place(simulation.now_ms, kind, key, waiters), waiters, found, reporter, budget)


def _judged(
    answer: PlaceReport, waiters: Sequence[Waiter], found: Instant, reporter: Reporter, budget: Budget
) -> PlaceReport:
    """The answer with the verdicts on those who wait longest; one closed world is played for all of them."""
    basis: SharedLookahead | None = None
    waiting = list(answer.waiting)
    for place, waiter in enumerate(waiters[:JUDGED]):
        question = WhyQuestion(found.simulation, waiter.application, found.facts, basis)
        basis = question.basis or basis
        if not budget.spend(question.advance):
            break
        waiting[place] = reporter.judged(waiting[place], question.answer())
    return msgspec.structs.replace(answer, waiting=tuple(waiting))
