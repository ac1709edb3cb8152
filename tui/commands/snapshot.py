"""`schedlab snapshot`: the picture of a scenario at an instant, as text, JSON or CSV on stdout."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

import typer

from engine.errors import ConfigError, Problem, nearest
from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.explain.releases import ReleaseSearch
from engine.observe.releases import Releases
from engine.observe.snapshot import SECTIONS, CapacityQueueRow, Header, QueueRow, Snapshot
from engine.observe.snapshot_document import document, section_rows, sections_of, table_csv
from engine.observe.views import snapshot_of_simulation
from engine.run.player import Run, play_on
from engine.scenario import Scenario
from engine.schedulers.scheduler_view import Unknown
from engine.simulation.simulation import Simulation
from engine.units import instant_given
from tui import format as text
from tui.commands.arguments import Assignments, Trust
from tui.commands.cli_errors import reported_errors
from tui.commands.keeping import Place
from tui.commands.progress import Progress
from tui.commands.source import SourceName, opened_source
from tui.end_signals import listening
from tui.glyphs import IN_ASCII
from tui.render import (
    application,
    capacity_queue,
    container,
    executor,
    header,
    mapreduce1,
    node,
    queue,
    reservation,
    standalone,
    user,
    worker,
)
from tui.render.line import Look, Spans, flat
from tui.render.table import Column, PlacedColumn, head_line, place, row_line
from tui.terminal_edge import visible_lines

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

WIDTH: Final = 160
"""Columns of the text where there is no terminal to ask."""

PIECES: Final = 20_000
"""Pieces of work that are spent on who frees reserved nodes; then it is later."""

ALERT: Final = ("kind", "sentence", "verdict", "pattern", "applications")
"""What is written of an alert: since when it holds is not known, as it is looked for at the instant only."""

LOOKS: Final = 100
"""How often it is looked for alerts at most; one look may begin what the next ends."""

UNCUT: Final = 1000
"""Columns no reason is longer than."""

_YARN: Final[Mapping[str, Sequence[Column[Any]]]] = {
    "queues": queue.EVERY_COLUMN,
    "nodes": node.EVERY_COLUMN,
    "applications": application.EVERY_COLUMN,
    "reservations": reservation.TABLE_COLUMNS,
    "containers": container.COLUMNS,
    "users": user.COLUMNS,
}
_SPARK: Final[Mapping[str, Sequence[Column[Any]]]] = {
    **_YARN,
    "nodes": worker.EVERY_COLUMN,
    "applications": standalone.EVERY_COLUMN,
    "executors": executor.EVERY_COLUMN,
    "users": user.STANDALONE_COLUMNS,
}
_MAPREDUCE_1: Final[Mapping[str, Sequence[Column[Any]]]] = {
    **_YARN,
    "queues": mapreduce1.POOL_COLUMNS,
    "nodes": mapreduce1.TRACKER_COLUMNS,
    "applications": mapreduce1.JOB_COLUMNS,
    "containers": mapreduce1.ATTEMPT_COLUMNS,
}
_TABLES: Final = {"yarn": _YARN, "spark": _SPARK, "mr1": _MAPREDUCE_1}
"""Dialect of a snapshot → columns by section."""


def _columns(snapshot: Snapshot) -> Mapping[str, Sequence[Column[Any]]]:
    """The columns of a snapshot by section; queues of CapacityScheduler have their own."""
    tables = _TABLES[snapshot.dialect]
    if issubclass(snapshot.sections.get("queues", QueueRow), CapacityQueueRow):
        return {**tables, "queues": capacity_queue.EVERY_COLUMN}
    return tables


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

    The scenario, or the kept run, is played to the instant, which has happened in full. In JSON and CSV sizes name
    their dimensions, times are epoch ms, and what is not known is null and named in `unknown`. Who frees a reserved
    node, and when, is only shown with `--section reservations`, as it is played ahead for. Exit code 2: the input was
    refused; 130: interrupted.
    """
    with reported_errors():
        _check(section, as_json=as_json, as_csv=as_csv)
        with opened_source(name, assignments or (), runs, is_trusted=trust) as source:
            scenario = source.scenario
            alerts = Alerts()
            simulation = source.kept_simulation(at, [alerts]) or _played(scenario, at, alerts)
        releases = releases_of(simulation) if section == "reservations" else None
        picture = snapshot_of_simulation(simulation, releases=releases)
        chosen = sections_of(picture) if section is None else [section]
        if as_csv:
            rows = section_rows(picture, chosen[0])
            row_type = picture.sections.get(chosen[0], SECTIONS[chosen[0]])
            sys.stdout.write(table_csv(rows, row_type, picture.header.dimensions))
        elif as_json:
            sys.stdout.write(json_text(scenario, picture, chosen, standing(alerts, simulation)))
        else:
            sys.stdout.write(visible_lines(text_lines(scenario, picture, chosen, standing(alerts, simulation))))


def standing(alerts: Alerts, simulation: Simulation) -> Sequence[Alert]:
    """What an operator should know of the instant, the gravest first."""
    for _ in range(LOOKS):
        _ = alerts.look(simulation)
        if alerts.idle(simulation):
            break
    return alerts.standing


def _played(scenario: Scenario, at: str | None, alerts: Alerts) -> Simulation:
    """The simulation of a scenario at an instant, by default its end.

    Raises:
        ConfigError: It is no instant.
        typer.Exit: A signal interrupted it.
    """
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
    """Who frees reserved nodes, as far as that is found in reasonable time."""
    search, found = ReleaseSearch(simulation), Releases()
    search.advance(PIECES)
    found.tell(search.found())
    search.close()
    return found


def json_text(scenario: Scenario, picture: Snapshot, sections: Sequence[str], alerts: Sequence[Alert]) -> str:
    """The picture as one JSON object, with what it is a picture of."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=picture.header.time_ms)
    at = moment.astimezone(scenario.start.tzinfo).isoformat(timespec="milliseconds")
    fields = document(picture, sections)
    named = {
        "schema": fields.pop("schema"),
        "scenario": scenario.name,
        "at": at,
        "alerts": [{name: getattr(alert, name) for name in ALERT} for alert in alerts],
        **fields,
    }
    return json.dumps(named, indent=1, ensure_ascii=False) + "\n"


def _placed(columns: Sequence[Column[Any]], width: int) -> list[PlacedColumn[Any]]:
    """The columns that fit; away from a terminal a text in the last one is never cut."""
    if not columns:
        return []
    placed = place(columns, width)
    is_cut = placed[-1].column.grow and not placed[-1].column.right and not sys.stdout.isatty()
    return [*placed[:-1], placed[-1]._replace(width=UNCUT)] if is_cut else placed


def _ascii(spans: Spans) -> str:
    return flat(spans).translate(IN_ASCII).rstrip()


def counts_words(header: Header) -> str:
    """How many applications, nodes and containers there are; what a cluster has not is left out."""
    nodes, pieces = ("workers", "executors") if "cores" in header.dimensions else ("nodes", "containers")
    pending, reserved = header.containers_pending, header.nodes_reserved
    counts = [
        f"applications {header.applications_running} running, {header.applications_pending} waiting",
        f"{nodes} {header.nodes}" + (f", {header.nodes_down} down" if header.nodes_down else ""),
        f"{pieces} {header.containers}" + ("" if isinstance(pending, Unknown) else f", {pending} asked for"),
        "" if isinstance(reserved, Unknown) else f"reserved {reserved} of {header.nodes} {nodes}",
    ]
    return " " + "   ".join(each for each in counts if each)


def text_lines(scenario: Scenario, picture: Snapshot, sections: Sequence[str], alerts: Sequence[Alert]) -> list[str]:
    """What is wrong, then the panes one below the other, in ASCII, every row of them."""
    width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
    one = picture.header
    look = Look(one.time_ms, one.dimensions, one.total, scenario.offset_ms)
    lines = [text.date(one.time_ms, look.offset_ms) + " " + text.clock(one.time_ms, look.offset_ms)]
    lines.append(flat(header.spans_of(header.meter_line(one, width))).rstrip().translate(IN_ASCII))
    lines.append(counts_words(one))
    lines += [f" ! {text.plain(alert.sentence)}" for alert in alerts]
    tables = _columns(picture)
    for name in sections:
        rows = section_rows(picture, name)
        lines += ["", f"{name.capitalize()} {len(rows)}"]
        placed = _placed(tables.get(name, ()), width)
        if rows:
            lines += [_ascii(head_line(placed)), *(_ascii(row_line(placed, row, look)) for row in rows)]
    return lines
