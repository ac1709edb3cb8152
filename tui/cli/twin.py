"""`schedlab twin URL|RUN|LOG`: a scenario that stands as a cluster stands, and what was assumed for it."""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import SourceError
from engine.live.spark import SparkSource
from engine.live.twin.applications import Assumptions, read_assumptions
from engine.live.twin.twin import twin_of, twin_of_simulation
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from engine.run.player import Run
from engine.scenario import Scenario
from engine.units import instant_given
from tui.cli import new_app
from tui.cli import watch_source as twin_options
from tui.cli.cli_errors import reported_errors
from tui.cli.options import Place
from tui.cli.output import target_of, write_scenario
from tui.cli.settings import Force
from tui.cli.source import instant_in, opened_source, recorded_series
from tui.cli.watch_source import connector, source_of
from tui.panes.sensitivity_text import assumption_words
from tui.terminal.edges import visible_line

app = new_app()


@app.command()
def make_twin(
    source: Annotated[str, typer.Argument(metavar="URL|RUN|LOG", help="A ResourceManager, a kept run, or a log.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Scenario file; - is stdout.")] = "-",
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="Instant of a run or log: 09:00, +30m or seconds.")
    ] = None,
    fair: twin_options.FairFile = None,
    capacity: twin_options.CapacityFile = None,
    site: twin_options.SiteFile = None,
    scheduler: twin_options.Policy = None,
    rm_log: twin_options.RmLog = None,
    remaining: twin_options.Remaining = None,
    authority: twin_options.Authority = None,
    insecure: twin_options.Insecure = False,
    runs: Place = None,
    as_json: Annotated[bool, typer.Option("--json", help="What was assumed as JSON, with -o FILE on stdout.")] = False,
    force: Force = False,
) -> None:
    """Write a scenario that stands as a cluster stands: nodes, queues, containers, reservations and asks.

    What had to be assumed is said on stderr. A server is asked by REST and never changed. Exit code 1: the server
    could not be asked; 2: the input was refused.
    """
    with reported_errors():
        target, files = target_of(output, force=force), twin_options.ClusterFiles(fair, capacity, site, scheduler)
        assumptions = read_assumptions(remaining or ())
        if "://" in source or source.rpartition(":")[2].isdigit():
            asked = twin_options.checked([source], "2s", "60s", (), None, rm_log)
            server = source_of(asked, connector(authority, insecure=insecure), rm_log)
            snapshot, settings = asyncio.run(_asked(server))
            offset_ms = time.localtime().tm_gmtoff * 1000
            twin = twin_of(snapshot, files.configuration(snapshot, settings), assumptions, offset_ms)
        elif (series := recorded_series(source, runs)) is not None:
            snapshot = series.snapshot_at(instant_in(series, at))
            twin = twin_of(snapshot, files.configuration(snapshot, None), assumptions, series.offset_ms)
        else:
            twin = _of_run(source, at, runs, assumptions)
        write_scenario(twin, target, force=force)
        _say(twin, target, as_json=as_json)


async def _asked(server: YarnSource | SparkSource) -> tuple[Snapshot, Mapping[str, str] | None]:
    """The cluster, and the settings that its server says; None where it says none."""
    try:
        snapshot = await server.poll()
        if isinstance(server, YarnSource):
            with suppress(SourceError):
                return snapshot, await server.scheduling()
        return snapshot, None
    finally:
        await server.close()


def _of_run(name: str, at: str | None, runs: Path | None, assumptions: Assumptions) -> Scenario:
    """Makes the twin of a kept run, or of a scenario as it is played."""
    with opened_source(name, (), runs) as source:
        simulation = source.kept_simulation(at)
        if simulation is None:
            scenario = source.scenario
            run = Run(scenario, is_judged=False)
            last_ms = scenario.duration_ms
            run.advance(last_ms if at is None else instant_given(at, scenario.start, "--at", last_ms=last_ms))
            simulation = run.simulation
        return twin_of_simulation(simulation, source.scenario, assumptions)


def _say(twin: Scenario, target: Path | None, *, as_json: bool) -> None:
    """Prints what was assumed: on stderr, as JSON on stdout where the scenario is in a file."""
    if as_json:
        answer = {"scenario": str(target or "-"), "assumed": [each.model_dump(mode="json") for each in twin.assumed]}
        typer.echo(json.dumps(answer, ensure_ascii=False), err=target is None)
        return
    for each in twin.assumed:
        typer.echo(f"assumed: {visible_line(assumption_words(each))}", err=True)
