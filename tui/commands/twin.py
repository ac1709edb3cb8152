"""`schedlab twin URL|RUN|LOG`: a scenario that stands as a cluster stands, and what was assumed for it."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer

from engine.errors import ConfigError, Problem, Problems, SourceError
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import is_a_file, read_file_text
from engine.formats.traces.read import is_log, read_timeline
from engine.formats.traces.report import ImportReport
from engine.live.spark_source import SparkSource
from engine.live.twin.assumptions import AS_LONG_AGAIN, Assumptions, Span
from engine.live.twin.configuration import configuration_of_cluster
from engine.live.twin.simulated import twin_of_simulation
from engine.live.twin.twin import Twin, twin_of
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from engine.recorded.log_series import LogSeries
from engine.run.player import Run
from engine.units import UnitError, instant_given, parse_duration
from tui.commands import watch_options
from tui.commands.cli_errors import reported_errors
from tui.commands.keeping import Place
from tui.commands.scenario_output import target_of, write_scenario
from tui.commands.settings import Force
from tui.commands.source import opened_source
from tui.commands.watch_connection import connector
from tui.commands.watch_source import source_of
from tui.session.series_place import SeriesPlace
from tui.terminal_edge import visible_line

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FairFile = Annotated[
    Path | None, typer.Option("--fair-scheduler", metavar="FILE", help="The cluster's fair-scheduler.xml.")
]
CapacityFile = Annotated[
    Path | None, typer.Option("--capacity-scheduler", metavar="FILE", help="The cluster's capacity-scheduler.xml.")
]
SiteFile = Annotated[Path | None, typer.Option("--yarn-site", metavar="FILE", help="Its yarn-site.xml; else /conf.")]
Remaining = Annotated[
    list[str] | None,
    typer.Option(
        "--remaining",
        metavar="[APP=]D",
        help="How long containers run on whose end is not known: 10m, forever; of one application APP=10m. "
        "Else as long again as their application has run.",
    ),
]


class ClusterFiles(NamedTuple):
    """Configuration files that a user named."""

    fair: Path | None
    capacity: Path | None
    site: Path | None
    scheduler: str | None = None
    """The policy, as scenarios call it; None takes what the cluster says."""

    def settings(self, of_server: Mapping[str, str] | None) -> Mapping[str, str] | None:
        """Hadoop keys of the files, or of the server where no yarn-site.xml is named; None where nobody says any.

        Raises:
            ConfigError: A file cannot be read.
        """
        paths = [path for path in (self.site, self.capacity) if path is not None]
        read = dict(read_configurations(paths).values) if paths else {}
        if self.site is None and of_server is None:
            return read or None
        return {**(of_server or {} if self.site is None else {}), **read}

    def allocations(self) -> str | None:
        """The text of fair-scheduler.xml; None where none is named.

        Raises:
            ConfigError: It cannot be read.
        """
        return None if self.fair is None else read_file_text(self.fair)


@app.command()
def make_twin(
    source: Annotated[str, typer.Argument(metavar="URL|RUN|LOG", help="A ResourceManager, a kept run, or a log.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Scenario file; - is stdout.")] = "-",
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="Instant of a run or log: 09:00, +30m or seconds.")
    ] = None,
    fair: FairFile = None,
    capacity: CapacityFile = None,
    site: SiteFile = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="NAME", help="fair-2.7, capacity-3.4 …, where a log does not say."),
    ] = None,
    rm_log: watch_options.RmLog = None,
    remaining: Remaining = None,
    authority: watch_options.Authority = None,
    insecure: watch_options.Insecure = False,
    runs: Place = None,
    as_json: Annotated[bool, typer.Option("--json", help="What was assumed as JSON, with -o FILE on stdout.")] = False,
    force: Force = False,
) -> None:
    """Write a scenario that stands as a cluster stands: nodes, queues, containers, reservations and asks.

    What had to be assumed is said on stderr. A server is asked by REST and never changed. Exit code 1: the server
    could not be asked; 2: the input was refused.
    """
    with reported_errors():
        target, files = target_of(output, force=force), ClusterFiles(fair, capacity, site, scheduler)
        assumptions = read_assumptions(remaining or ())
        if _is_url(source):
            asked = watch_options.checked([source], "2s", "60s", (), None, rm_log)
            server = source_of(asked, connector(authority, insecure=insecure), rm_log)
            snapshot, settings = asyncio.run(_asked(server))
            twin = _of_cluster(snapshot, files, settings, assumptions)
        elif is_a_file(path := Path(source)) and path.suffix != ".toml" and is_log(path):
            twin = _of_cluster(_logged(path, at), files, None, assumptions)
        else:
            twin = _of_run(source, at, runs, assumptions)
        write_scenario(twin.scenario, target, force=force)
        _say(twin, target, as_json=as_json)


def _is_url(source: str) -> bool:
    """Whether a server is named: `http://rm1:8088`, `rm1:8088`."""
    return "://" in source or source.rpartition(":")[2].isdigit()


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


def _logged(path: Path, at: str | None) -> Snapshot:
    """The cluster at an instant of a log, by default its end."""
    place = SeriesPlace(LogSeries(path.name, read_timeline([path], ImportReport())), "The log ends before that.")
    if at is not None and (words := place.travel(at)):
        raise ConfigError([Problem(words, key="--at")])
    return place.snapshot()


def _of_cluster(
    snapshot: Snapshot, files: ClusterFiles, of_server: Mapping[str, str] | None, assumptions: Assumptions
) -> Twin:
    allocations = files.allocations()
    configuration = configuration_of_cluster(snapshot, files.settings(of_server), allocations, files.scheduler)
    if allocations is not None:
        era = "3.4" if configuration.scheduler.endswith("-3.4") else "2.7"
        read_fair_scheduler(allocations, file=str(files.fair), settings=configuration.settings, era=era)
    return twin_of(snapshot, configuration, assumptions)


def _of_run(name: str, at: str | None, runs: Path | None, assumptions: Assumptions) -> Twin:
    """Of a kept run, or of a scenario as it is played."""
    with opened_source(name, (), runs) as source:
        simulation = source.kept_simulation(at)
        if simulation is None:
            scenario = source.scenario
            run = Run(scenario, is_judged=False)
            last_ms = scenario.duration_ms
            run.advance(last_ms if at is None else instant_given(at, scenario.start, "--at", last_ms=last_ms))
            simulation = run.simulation
        return twin_of_simulation(simulation, source.scenario, assumptions)


def read_assumptions(texts: Sequence[str]) -> Assumptions:
    """What `--remaining` says, for all and for single applications.

    Raises:
        ConfigError: With every text that means nothing.
    """
    problems = Problems()
    for_all: Span = AS_LONG_AGAIN
    of_application: dict[str, Span] = {}
    for text in texts:
        name, _, words = text.rpartition("=")
        try:
            span = None if words.strip() == "forever" else parse_duration(words)
        except UnitError as error:
            problems.found.append(Problem(str(error), key="--remaining", hint="10m, forever, or APP=10m"))
            continue
        if name:
            of_application[name.strip()] = span
        else:
            for_all = span
    problems.check()
    return Assumptions(for_all, of_application)


def _say(twin: Twin, target: Path | None, *, as_json: bool) -> None:
    """What was assumed: on stderr, as JSON on stdout where the scenario is in a file."""
    if as_json:
        answer = {"scenario": str(target or "-"), "assumed": [msgspec.to_builtins(each) for each in twin.assumed]}
        typer.echo(json.dumps(answer, ensure_ascii=False), err=target is None)
        return
    for each in twin.assumed:
        about = f" ({len(each.applications)} applications)" if len(each.applications) > 1 else ""
        typer.echo(f"assumed: {visible_line(each.sentence)}{about}", err=True)
