"""`schedlab snapshot`: the picture of a scenario at an instant, as text, JSON or CSV on stdout."""

import sys
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem, nearest
from engine.explain.alerts import Alerts, standing_now
from engine.explain.waits import ReleaseSearch
from engine.observe.documents import sections_of
from engine.observe.releases import Releases
from engine.observe.snapshot import SECTIONS
from engine.observe.snapshots import snapshot_of_simulation
from engine.run.player import Run, play_on
from engine.scenario import Scenario
from engine.simulation.simulation import Simulation
from engine.units import instant_given
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.options import Assignments, Place, Trust
from tui.cli.output import Progress
from tui.cli.snapshot_text import SnapshotText, written
from tui.cli.source import SourceName, no_assignments, opened_source, recorded_series, series_text
from tui.terminal.edges import listening

app = new_app()

PIECES: Final = 20_000  # Pieces of work that are spent on who frees reserved nodes; then it is later


@app.command()
def snapshot(
    name: SourceName,
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="Instant: 09:00, +30m or seconds; else the end.")
    ] = None,
    section: Annotated[
        str | None,
        typer.Option(
            "--section",
            metavar="SECTION",
            help=f"Only this one: {', '.join(SECTIONS)}.",
            autocompletion=lambda incomplete: [name for name in SECTIONS if name.startswith(incomplete)],
        ),
    ] = None,
    assignments: Assignments = None,
    trust: Trust = False,
    runs: Place = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="One section as CSV with a header.")] = False,
) -> None:
    """Show a cluster at an instant: queues, nodes, applications, reservations, users; containers when asked for.

    The scenario, or the kept run, is played to the instant, which has happened in full; a log and kept polls show what
    was recorded. In JSON and CSV sizes name their dimensions, times are epoch ms, and what is not known is null and
    named in `unknown`. Who frees a reserved node, and when, is only shown with `--section reservations`, as it is
    played ahead for. Exit code 2: the input was refused; 130: interrupted.
    """
    with reported_errors():
        _check(section, as_json=as_json, as_csv=as_csv)
        series = recorded_series(name, runs)
        if series is not None:
            no_assignments(name, assignments)
            sys.stdout.write(series_text(series, at, section, as_json=as_json, as_csv=as_csv))
            return
        with opened_source(name, assignments or (), runs, is_trusted=trust) as source:
            scenario = source.scenario
            alerts = Alerts()
            simulation = source.kept_simulation(at, [alerts]) or _played(scenario, at, alerts)
        releases = releases_of(simulation) if section == "reservations" else None
        picture = snapshot_of_simulation(simulation, releases=releases)
        chosen = sections_of(picture) if section is None else [section]
        shown = SnapshotText(scenario.name, scenario.offset_ms, picture, chosen, standing_now(alerts, simulation))
        sys.stdout.write(written(shown, as_json=as_json, as_csv=as_csv))


def _played(scenario: Scenario, at: str | None, alerts: Alerts) -> Simulation:
    with listening() as interruption:
        until_ms = scenario.duration_ms if at is None else instant_given(at, scenario.start, "--at")
        run = Run(scenario, [alerts], until_ms, is_judged=False)
        with Progress(until_ms, scenario) as progress:
            _ = play_on(run, is_stopped=interruption.came, progressed=progress.show)
    if interruption.signal:
        raise typer.Exit(128 + interruption.signal)
    return run.simulation


def _check(section: str | None, *, as_json: bool, as_csv: bool) -> None:
    if section is not None and section not in SECTIONS:
        hint = nearest(section, SECTIONS) or f"there is {', '.join(SECTIONS)}"
        raise ConfigError([Problem(f"no section {section}", key="--section", hint=hint)])
    if as_csv and as_json:
        raise ConfigError([Problem("choose one of --json and --csv", key="--csv")])
    if as_csv and section is None:
        raise ConfigError([Problem("one section is one table", key="--csv", hint=f"--section {'|'.join(SECTIONS)}")])


def releases_of(simulation: Simulation) -> Releases:
    """Tells who frees reserved nodes, as far as that is found in reasonable time."""
    search, found = ReleaseSearch(simulation), Releases()
    search.advance(PIECES)
    found.tell(search.found())
    search.close()
    return found
