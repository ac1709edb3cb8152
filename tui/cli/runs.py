"""`schedlab runs list|show|open|export|repair|delete`: runs kept by `play --keep`, and polls kept by `watch --keep`."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from engine.errors import ConfigError, Problem, nearest
from engine.explain.alerts import Alerts, standing_now
from engine.observe.documents import csv_line, sections_of
from engine.observe.journal import header_of
from engine.observe.snapshots import snapshot_of_simulation
from engine.recorded.polls_file import is_polls, repair_polls
from engine.recorded.polls_writer import PollsInfo, open_polls, polls_info
from engine.run.run_reader import KeptRun, RunInfo, repair, replayed
from engine.run.run_store import check_deletable, delete, names
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.scenario.acts import Act
from engine.simulation.run_export import RunExport, write_run
from engine.units import format_duration
from tui.cli import new_app
from tui.cli import watch_source as twin_options
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.options import Place, keeper_of, report_kept, runs_root
from tui.cli.snapshot_text import SnapshotText, written
from tui.cli.source import moment, run_names, series_text
from tui.session.driving import settle
from tui.settings import resolve
from tui.terminal import format as text
from tui.terminal.edges import is_dumb, visible_line, visible_lines
from tui.terminal.saving import STANDARD_OUTPUT, write_file

# Shows kept polls of a live cluster in `schedlab runs`: kept runs without a simulation.


def polls_row(info: PollsInfo, width: int) -> str:
    """Kept polls in the list of runs."""
    begun = info.beginning
    lasts = format_duration(max(0, (info.until_ms - begun.start_ms) // 1000 * 1000))
    created = begun.created[:16].replace("T", " ")
    return f"{info.name:{width}}  {created}  polls of {begun.where}, {begun.scheduler}, {lasts}{_state(info)}"


def polls_object(info: PollsInfo) -> dict[str, Any]:
    """The same for programs."""
    return {
        "name": info.name,
        **msgspec.to_builtins(info.beginning),
        "until_ms": info.until_ms,
        "is_whole": info.end is not None and not info.end.failure,
        "failure": "" if info.end is None else info.end.failure,
        "size_bytes": info.size_bytes,
    }


def polls_lines(root: Path, name: str) -> list[str]:
    """A summary of kept polls; reads every poll.

    Raises:
        ConfigError: They are damaged.
    """
    info, polls = polls_info(root, name), open_polls(root, name)
    begun, offset_ms = info.beginning, info.beginning.offset_ms
    keeps = format_duration(begun.keep_for_ms) if begun.keep_for_ms else "for ever"
    lines = [
        f"{name}: polls of {begun.where}",
        f"scheduler  {begun.scheduler}",
        f"kept       {begun.created} by schedlab {begun.program}, {keeps}",
        f"from       {text.moment(polls.first_ms, offset_ms)}",
        f"to         {text.moment(polls.now_ms, offset_ms)}{_state(info)}",
        f"polls      {polls.polls:,}",
        f"size       {info.size_bytes / 2**20:.1f} MB",
        f"alerts     {len(polls.alerts)}",
    ]
    return [*lines, *(f"  {text.moment(alert.found_ms, offset_ms)}  {alert.sentence}" for alert in polls.alerts)]


def repaired_words(root: Path, name: str) -> str:
    """Repair kept polls, and say what was done.

    Raises:
        ConfigError: They cannot be repaired.
    """
    done = repair_polls(root, name)
    if not done.damaged:
        return f"nothing of {name} is damaged"
    kept = f"kept {text.plural(done.polls, 'poll')} of {name}"
    return f"{kept}; cut off {text.plural(done.cut_bytes, 'byte')} of {', '.join(done.damaged)}"


def _state(info: PollsInfo) -> str:
    if info.end is None:
        return "  (not ended)"
    return f"  (cut off: {info.end.failure})" if info.end.failure else ""


app = new_app("List, show, open, export, repair and delete runs kept by `play --keep` and `watch --keep`.")

Name = Annotated[str, typer.Argument(metavar="RUN", help="A kept run.", show_default=False, autocompletion=run_names)]


@app.command("list")
def list_runs(
    place: Place = None, as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False
) -> None:
    """List the kept runs, oldest first; damaged ones are named after them, and end it with 2."""
    problems: list[Problem] = []
    with reported_errors():
        root = runs_root(place)
        found = [info for name in names(root) if (info := _info(root, name, problems)) is not None]
        width = max((len(info.name) for info in found), default=0)
        for info in found:
            fields = polls_object(info) if isinstance(info, PollsInfo) else msgspec.to_builtins(info)
            typer.echo(json.dumps(fields) if as_json else visible_line(_row(info, width)))
        if not found and not problems:
            typer.echo(f"no run is kept in {root}; `schedlab play NAME --keep` keeps one", err=True)
        if problems:
            raise ConfigError(problems)


def _info(root: Path, name: str, problems: list[Problem]) -> RunInfo | PollsInfo | None:
    try:
        if is_polls(root, name):
            return polls_info(root, name)
        with KeptRun(root, name) as run:
            return run.info
    except ConfigError as error:
        problems += error.problems
        return None


def _row(info: RunInfo | PollsInfo, width: int) -> str:
    if isinstance(info, PollsInfo):
        return polls_row(info, width)
    state = "" if info.is_whole else f"  (cut off: {info.failure})" if info.failure else "  (not ended)"
    return (
        f"{info.name:{width}}  {info.created[:16].replace('T', ' ')}  {info.scenario}, {info.scheduler},"
        f" {format_duration(info.until_ms - info.start_ms)}, {text.plural(info.records, 'record')}{state}"
    )


@app.command()
def show(
    name: Name,
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="The cluster at an instant: 09:00, +30m or seconds.")
    ] = None,
    place: Place = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Tell what a kept run is; with --at, show its cluster at an instant, rebuilt by replay and checked."""
    with reported_errors(), ExitStack() as stack:
        if is_polls(root := runs_root(place), name):
            if at is not None:
                typer.echo(series_text(open_polls(root, name), at, as_json=as_json), nl=False)
            elif as_json:
                typer.echo(json.dumps(polls_object(polls_info(root, name)), indent=1))
            else:
                typer.echo(visible_lines(polls_lines(root, name)), nl=False)
            return
        run = stack.enter_context(KeptRun(root, name))
        if at is None:
            info = msgspec.to_builtins(run.info) | {"acts_done": msgspec.to_builtins(run.acts())}
            typer.echo(json.dumps(info, indent=1) + "\n" if as_json else visible_lines(_about(run)), nl=False)
            return
        scenario = run.scenario()
        alerts = Alerts()
        simulation = replayed(run, moment(run, scenario, at), [alerts])
        picture, found = snapshot_of_simulation(simulation), standing_now(alerts, simulation)
        sections = sections_of(picture)
        shown = SnapshotText(scenario.name, scenario.offset_ms, picture, sections, found)
        typer.echo(written(shown, as_json=as_json, as_csv=False), nl=False)


@app.command("open")
def open_run(
    name: Name,
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="Look at an instant: 09:00, +30m or seconds; else the end.")
    ] = None,
    is_kept: Annotated[
        bool, typer.Option("--keep", help="Keep what is done there in a run that goes on from it.")
    ] = False,
    kept_as: Annotated[str | None, typer.Option("--keep-as", metavar="NEW", help="The same, under this name.")] = None,
    place: Place = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look only: keys that act are off.")] = False,
    fair: twin_options.FairFile = None,
    capacity: twin_options.CapacityFile = None,
    site: twin_options.SiteFile = None,
) -> None:
    """Open a kept run on screen, standing at its end; [ ] { } and : go through its past.

    Of kept polls B makes a simulation, by the cluster's configuration files that are named.

    The run itself stays as it is; --keep keeps another one that goes on from its end, or from where B branches.
    """
    needs_terminal("schedlab runs show --at")
    if is_dumb():
        typer.echo("schedlab: this terminal has no screen (TERM=dumb); the run is printed in lines", err=True)
        show(name, at, place, as_json=False)
        return
    from tui.app import SchedlabApp  # noqa: PLC0415 -- only a command that opens a screen pays for textual
    from tui.cli.open_log import show_series  # noqa: PLC0415 -- a screen again
    from tui.session.opening import open_kept  # noqa: PLC0415 -- a screen again

    files = twin_options.ClusterFiles(fair, capacity, site)
    with reported_errors():
        if is_polls(root := runs_root(place), name):
            show_series(open_polls(root, name), at, resolve({}), files)
            return
        files.refuse_beside("kept polls")
    with reported_errors(), KeptRun(runs_root(place), name) as run:
        until_ms = run.info.until_ms

        def keep(scenario: Scenario) -> RunWriter:
            return keeper_of(scenario, kept_as, place, parent=name, branched_ms=until_ms)

        session = open_kept(run, at=at, keep=keep if is_kept or kept_as is not None else None)
        settle()
    screen = SchedlabApp(session, read_only=read_only)
    screen.run()
    report_kept(session.keeping.names, session.keeping.troubles, screen.return_code or 0)


@app.command("export")
def export_run(
    name: Name,
    place: Place = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a new file instead of stdout.")
    ] = None,
    as_run: Annotated[
        bool, typer.Option("--run", help="Scenario, actions and hash as one JSON object, instead of the journal.")
    ] = False,
    series: Annotated[
        str | None, typer.Option("--series", metavar="NAME", help="One series as CSV; `all` for every one.")
    ] = None,
) -> None:
    """Write a kept run's journal as JSON lines, as `schedlab play --journal` does."""
    with reported_errors(), KeptRun(runs_root(place), name) as run:
        if as_run and series is not None:
            raise ConfigError([Problem("choose one of --run and --series", key="--series")])
        pieces = _as_run(run) if as_run else _journal(run) if series is None else _csv(run, series)
        write_file(output or STANDARD_OUTPUT, pieces)


def _journal(run: KeptRun) -> Iterator[bytes]:
    header = msgspec.structs.replace(header_of(run.scenario()), program=run.info.program)
    yield msgspec.json.encode(header) + b"\n"
    yield from run.journal()


def _as_run(run: KeptRun) -> Iterator[bytes]:
    fields = run.scenario().model_dump(mode="json")
    yield write_run(RunExport(fields, tuple(run.acts()), run.info.until_ms, run.info.journal_hash)) + b"\n"


def _csv(run: KeptRun, name: str) -> Iterator[bytes]:
    known = run.series()
    if name not in (*known, "all"):
        hint = nearest(name, known) or f"there is {', '.join(known)}"
        raise ConfigError([Problem(f"there is no series {name}", key="--series", hint=hint)])
    yield csv_line(("series", "time_ms", "value")).encode()
    for each in known if name == "all" else [name]:
        yield from (csv_line((each, time_ms, value)).encode() for time_ms, value in known[each])


@app.command("delete")
def delete_runs(
    chosen: Annotated[
        list[str], typer.Argument(metavar="RUN", help="Kept runs.", show_default=False, autocompletion=run_names)
    ],
    place: Place = None,
    sure: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete kept runs; asks first."""
    with reported_errors():
        root = runs_root(place)
        for name in chosen:
            check_deletable(root, name)
        if not sure and not sys.stdin.isatty():
            raise ConfigError([Problem("nobody can be asked here", key="runs delete", hint="--yes deletes")])
        for name in chosen:
            if sure or typer.confirm(f"Delete the kept run {name}?", default=False, err=True):
                delete(root, name)
                typer.echo(f"deleted {name}", err=True)
            else:
                typer.echo(f"kept {name}", err=True)


@app.command("repair")
def repair_run(name: Name, place: Place = None) -> None:
    """Cut a damaged run off before its first damaged line; what was before that is kept."""
    with reported_errors():
        if is_polls(root := runs_root(place), name):
            typer.echo(repaired_words(root, name), err=True)
            return
        done = repair(root, name)
        if not done.damaged_line:
            typer.echo(f"nothing of {name} is damaged", err=True)
        else:
            kept = f"kept {text.plural(done.records, 'record')} of {name}, up to line {done.damaged_line - 1:,}"
            typer.echo(f"{kept}; cut off {text.plural(done.cut_bytes, 'byte')}", err=True)


def _about(run: KeptRun) -> list[str]:
    info, scenario = run.info, run.scenario()
    offset = scenario.offset_ms
    why = f"cut off: {info.failure}" if info.failure else "not ended: still running, or its program was killed"
    ended = "" if info.is_whole else f" ({why})"
    lines = [
        f"{info.name}: {info.title}",
        f"scenario   {info.scenario}, {info.scheduler}, seed {info.seed}",
        f"kept       {info.created} by schedlab {info.program}",
        f"from       {text.moment(info.start_ms, offset)}",
        *([f"goes on    from {info.parent} at {text.moment(info.branched_ms, offset)}"] if info.parent else []),
        f"to         {text.moment(info.until_ms, offset)}, {format_duration(info.until_ms - info.start_ms)}{ended}",
        f"journal    {text.plural(info.records, 'record')}, sha256 {info.journal_hash}",
        f"size       {info.size_bytes / 2**20:.1f} MB",
        f"acts       {info.acts}",
    ]
    lines += [f"  {text.moment(position[0], offset)}  {_act(action)}" for position, action in run.acts()]
    return lines


def _act(action: Act) -> str:
    fields = msgspec.to_builtins(action)
    return " ".join([fields.pop("kind"), *(f"{key}={value}" for key, value in fields.items())])
