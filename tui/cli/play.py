"""`schedlab play`: a scenario without a screen; events on stdout, progress on stderr, expectations in the exit code."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.formats.scenario_references import placed
from engine.formats.scenario_toml import load_with_places
from engine.observe.journal import JournalWriter
from engine.observe.rm_log import ResourceManagerLogWriter
from engine.run import Outcome, play
from engine.scenario import Scenario
from engine.serve.attempts import AppsWriter
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.units import instant_given
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors, say_idle
from tui.cli.options import Assignments, IsKept, Journal, KeptAs, Place, ScenarioName, Trust, keeper_of, report_kept
from tui.cli.output import AlertStream, EventStream, JsonStream, Progress, Tally, announced, summary
from tui.cli.settings import Alerts, Config, Force
from tui.settings import resolve
from tui.terminal.edges import Interruption, listening
from tui.terminal.palettes import take_colour_wish

app = new_app()

EXPECTATION_FAILED: Final = 1


@app.command()
def play_scenario(
    name: ScenarioName,
    until: Annotated[
        str | None, typer.Option("--until", metavar="T", help="End: 09:00, +30m or seconds after the start.")
    ] = None,
    assignments: Assignments = None,
    trust: Trust = False,
    as_json: Annotated[bool, typer.Option("--json", help="Events and outcome as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No events, only the summary.")] = False,
    journal: Journal = None,
    rm_log: Annotated[
        Path | None, typer.Option("--rm-log", metavar="FILE", help="Write what the ResourceManager would log.")
    ] = None,
    apps_json: Annotated[
        Path | None, typer.Option("--apps-json", metavar="FILE", help="Write the applications as its REST API would.")
    ] = None,
    force: Force = False,
    is_kept: IsKept = False,
    kept_as: KeptAs = None,
    runs: Place = None,
    alerts: Alerts = None,
    config: Config = None,
) -> None:
    """Play a scenario without a screen and check its expectations.

    Events go to stdout. Exit code 0: every expectation was met or is beyond the end; 1: one failed; 2: the input was
    refused; 130: interrupted.
    """
    with reported_errors():
        settings = resolve({"alerts": alerts, "runs": None if runs is None else str(runs)}, config)
        take_colour_wish(settings.text("theme"))
        with announced(f"reading {name}"):
            scenario, layers = load_with_places(name, assignments or (), is_trusted=trust)
        say_idle(scenario, layers)
        until_ms = scenario.duration_ms if until is None else instant_given(until, scenario.start, "--until")
        with listening() as interruption, ExitStack() as stack, placed(layers):
            writers, apps = _files(stack, scenario, journal, rm_log, apps_json, force=force)
            keeper = (
                stack.enter_context(keeper_of(scenario, kept_as, settings.folder("runs")))
                if is_kept or kept_as is not None
                else None
            )
            writers += [] if keeper is None else [keeper, keeper.history]
            is_on = settings.is_on("alerts")
            begun = [each.follow for each in (apps, keeper) if each is not None]
            outcome = _play(
                scenario, until_ms, interruption, writers, begun, as_json=as_json, is_quiet=quiet, alerts=is_on
            )
            if apps is not None:
                apps.finish()
            if keeper is not None:
                keeper.finish(scenario.start_ms + outcome.ended_ms)
    code = 128 + interruption.signal if interruption.signal else 0
    if keeper is not None:
        report_kept([keeper.name], [keeper.trouble] if keeper.failure else [], code)
    if code:
        raise typer.Exit(code)
    if not outcome.ok:
        raise typer.Exit(EXPECTATION_FAILED)


def _files(
    stack: ExitStack, scenario: Scenario, journal: Path | None, rm_log: Path | None, apps: Path | None, *, force: bool
) -> tuple[list[Listener], AppsWriter | None]:
    """Opens the writers of the files asked for; that of the applications also by itself."""
    writers: list[Listener] = []
    if journal is not None:
        writers.append(stack.enter_context(JournalWriter.to_file(journal, scenario, force=force)))
    if rm_log is not None:
        writers.append(stack.enter_context(ResourceManagerLogWriter.to_file(rm_log, scenario, force=force)))
    if apps is None:
        return writers, None
    of_apps = stack.enter_context(AppsWriter.to_file(apps, scenario, force=force))
    return [*writers, of_apps], of_apps


def _play(
    scenario: Scenario,
    until_ms: int,
    interruption: Interruption,
    writers: Sequence[Listener],
    begun: Sequence[Callable[[Simulation], None]],
    *,
    as_json: bool,
    is_quiet: bool,
    alerts: bool,
) -> Outcome:
    tally = Tally(scenario)
    listeners: list[Listener] = [tally, *writers]
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(until_ms, scenario))
        if as_json:
            listeners.append(JsonStream(scenario))
        elif not is_quiet:
            listeners.append(EventStream(scenario, progress.clear))
        watch = AlertStream(scenario, progress.clear, as_json=as_json) if alerts else None
        if watch is not None:
            listeners.append(watch.alerts)
        outcome = play(
            scenario,
            until_ms,
            listeners,
            is_stopped=interruption.came,
            progressed=progress.show,
            watched=watch.look if watch is not None else None,
            begun=lambda simulation: [follow(simulation) for follow in begun],
        )
    if as_json:
        not_judged = watch.not_judged() if watch is not None else None
        sys.stdout.write(JsonStream.outcome(outcome, not_judged, scenario.assumed))
    else:
        sys.stdout.write(summary(scenario, outcome, tally))
        sys.stdout.write(watch.closing_line() if watch is not None else "")
    return outcome
