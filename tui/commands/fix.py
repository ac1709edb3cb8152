"""`schedlab fix`: what an operator could do so that waiting applications start, each act tried on a copy."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.explain.facts import Facts
from engine.explain.instant import Instant, waiting_at
from engine.explain.prevention import preventions
from engine.explain.remedy_candidates import largest_ask
from engine.explain.remedy_report import AppliedReport, AppliedStart, RemediesReport
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.explain.remedy_trial import ACT_MS, Target, Trial, submit_again
from engine.explain.reporting import Reporter
from engine.explain.sensitivity import sensitivities_in_time
from engine.incremental import Task
from tui.commands import new_app
from tui.commands.arguments import Assignments, Trust, application_names
from tui.commands.budget import SECONDS, Budget, BudgetOption, budget_of_answer
from tui.commands.cli_errors import reported_errors
from tui.commands.keeping import Place
from tui.commands.remedy_processes import WorkersOption, search_shared
from tui.commands.source import SourceName, opened_source
from tui.format import Beside, beside
from tui.render.remedy_text import applied_lines, prevention_lines, remedy_lines
from tui.render.sensitivity_text import sensitivity_lines

FOLLOW_MS = 60_000
"""How long is played on after the last promised start [ms]."""

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
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Also what would have kept it from happening, set from the start.")
    ] = False,
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
            scenario, found = source.scenario, source.instant(at, None)
        simulation = found.simulation
        targets = () if application is None else (waiting_at(simulation, application),)
        if from_start and (source.is_kept or scenario.system != "yarn"):
            master = "a JobTracker" if scenario.system == "mr1" else "a Spark Master"
            hint = "a kept run is as it was" if source.is_kept else f"{master} has no such settings"
            raise ConfigError([Problem("nothing can be set from the start here", key="--from-start", hint=hint)])
        whole, search = Budget(budget), RemedySearch(simulation, targets)
        remedies = searched(search, budget_of_answer(budget, hangs=bool(scenario.assumed)), workers)
        answer = msgspec.structs.replace(
            Reporter(simulation.control_plane).remedies(remedies),
            assumed=sensitivities_in_time(scenario, simulation, remedies.targets, whole.spend),
        )
        if apply is not None:
            applied = _applied(found, chosen(remedies, apply), remedies.targets, apply)
            answer = msgspec.structs.replace(answer, applied=applied)
        if from_start:
            work = Task(preventions(scenario, simulation.now_ms - scenario.start_ms, largest_ask(simulation)))
            is_done = Budget(budget).spend(work.advance)
            answer = msgspec.structs.replace(answer, from_start=tuple(work.result()) if is_done else None)
        day = beside(scenario.start)
        written = json.dumps(answer.written(scenario.start.tzinfo), indent=1) if as_json else _text(answer, day)
        sys.stdout.write(written + "\n")


def _text(answer: RemediesReport, day: Beside) -> str:
    """The answer in lines: when those asked about start, what that hangs on, and what would help."""
    heading, *rest = remedy_lines(answer, day)
    more = (*prevention_lines(answer), *applied_lines(answer, day))
    return "\n".join((heading, *sensitivity_lines(answer.assumed, day), *rest, *more))


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


def chosen(remedies: Remedies, number: int) -> Trial:
    """The remedy of a number in the list.

    Raises:
        ConfigError: There is none.
    """
    if number > len(remedies.ranked):
        there = f"there are {len(remedies.ranked)}" if remedies.ranked else "none helps"
        raise ConfigError([Problem(f"there is no remedy {number}", key="--apply", hint=there)])
    return remedies.ranked[number - 1]


def _applied(found: Instant, trial: Trial, targets: Sequence[Target], number: int) -> AppliedReport:
    """Play on a copy, with what else comes by then, and compare with what was promised."""
    simulation, facts = found.simulation.fork(), Facts()
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
