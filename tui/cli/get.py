"""`schedlab get`: shows or exports what SOURCE is, at an instant, in the form that is asked for."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem, did_you_mean, nearest
from engine.explain.alert import Alert, standing_of
from engine.explain.alerts import Alerts
from engine.explain.waits import ReleaseSearch
from engine.formats.regular_files import MAX_BYTES
from engine.formats.scenario_toml import dump_file, load, packaged
from engine.observe.documents import csv_line, sections_of
from engine.observe.history import History
from engine.observe.journal import header_of
from engine.observe.releases import Releases
from engine.observe.snapshots import snapshot_of_simulation
from engine.run.expectations import describe
from engine.run.player import Run, play_on
from engine.run.run_reader import KeptRun
from engine.run.run_store import names
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.simulation.run_export import RunExport, write_run
from engine.simulation.simulation import Simulation
from engine.training.records import curriculum
from engine.units import format_duration, iso_text, parse_instant_option, zone_of
from tui.cli.grammar import Given
from tui.cli.opened import RunSource, instant_in, looked_at, no_assignments, opened, series_of
from tui.cli.output import Targets, enveloped, json_lines, json_text, targets_of
from tui.cli.play_output import EventStream, JsonStream, Progress
from tui.cli.runs import run_lines, run_object
from tui.cli.source import (
    CONFIGURATION,
    DRILL,
    LIVE,
    LOG,
    NO_PAST,
    POLLS,
    RUN,
    SCENARIO,
    SWEEP,
    TRACE,
    Source,
    runs_folder,
    settings_of,
    source_of,
    suitable,
)
from tui.panes.events import event_text
from tui.panes.line import RenderContext
from tui.report.snapshot_text import SnapshotText, section_csv, snapshot_object, text_lines
from tui.session.alert_monitor import event_row
from tui.terminal import format as text
from tui.terminal.edges import listening, visible_lines

PIECES: Final = 20_000  # Pieces of work that are spent on who frees reserved nodes; then it is later
LOOKS: Final = 100  # How often it is looked for alerts at most; one look may begin what the next ends

TABLES: Final[Mapping[str, str]] = {
    "queues": "queues",
    "nodes": "nodes",
    "apps": "applications",
    "users": "users",
    "reservations": "reservations",
    "executors": "executors",
    "containers": "containers",
}
"""KIND of a table → section of a snapshot."""

FORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "summary": ("text", "json"),
    "state": ("text", "json"),
    **dict.fromkeys(TABLES, ("text", "json", "csv")),
    "alerts": ("text", "json", "csv"),
    "events": ("text", "jsonl"),
    "series": ("csv", "json"),
    "workload": ("text", "json", "sls", "sls-nodes", "rest", "swim"),
    "scenario": ("toml", "json"),
    "settings": ("text", "json", "xml"),
    "picture": ("svg", "png", "text", "html"),
    "report": ("html", "md", "json", "text"),
}
"""KIND → its forms, the default first."""

KIND_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("svg", "png"), "picture"),
    "toml": "scenario",
    **dict.fromkeys(("html", "md"), "report"),
    **dict.fromkeys(("sls", "sls-nodes", "rest", "swim"), "workload"),
    "xml": "settings",
    "jsonl": "events",
}
"""Form → the KIND it is of where none is said."""

REPORT: Final = "tui.cli.report"  # The module whose `get_report` makes the KIND report


def get(given: Given) -> int | None:
    """Show or export a source; without one, all there are."""
    if not given.words:
        _list_sources(given)
        return None
    source = suitable(source_of(given.words[0], given), given.verb, given)
    kind, rest = _kind_of(source, given)
    targets = targets_of(given, FORMS[kind], only_files=True)
    if source.kind == CONFIGURATION and kind != "settings":
        hint = f"get {source.name} settings"
        raise ConfigError([Problem(f"{source.name} is a configuration and runs nothing", key=kind, hint=hint)])
    if source.kind == SWEEP:
        raise ConfigError([Problem(f"{source.name} is a kept sweep: tune {source.name} shows it")])
    asked = GetQuestion(source, kind, rest, given, targets)
    return _GETTERS[kind](asked)


def described_scenario(scenario: Scenario) -> list[str]:
    """A scenario in a few lines: what it shows, when, on what, and what it promises."""
    nodes = scenario.cluster.all_nodes()
    submitted = sum(spec.repeat.times if spec.repeat is not None else 1 for spec in scenario.workload)
    memory = text.memory(sum(node.memory_mb for node in nodes))
    lines = [
        f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name,
        "",
        *scenario.about.splitlines(),
        "",
        f"starts      {scenario.start:%a %Y-%m-%d %H:%M:%S %z}, lasts {format_duration(scenario.duration_ms)}",
        f"cluster     {text.plural(len(nodes), 'node')}, {memory}, {sum(node.vcores for node in nodes)} vcores",
        f"scheduler   {scenario.scheduler}, seed {scenario.seed}",
        f"submitted   {text.plural(submitted, 'application')}",
        f"script      {text.plural(len(scenario.script), 'action')}, {text.plural(len(scenario.faults), 'fault')}",
        f"promises    {text.plural(len(scenario.expectations), 'expectation')}",
    ]
    return [*lines, *(f"  {one.about or describe(one)}" for one in scenario.expectations)]


class GetQuestion(NamedTuple):
    """What is to be shown."""

    source: Source
    kind: str
    rest: tuple[str, ...]  # The words behind KIND: a name, or a filter
    given: Given
    targets: Targets


def _kind_of(source: Source, given: Given) -> tuple[str, tuple[str, ...]]:
    """The KIND that is asked for, and the words behind it."""
    word = given.word(1)
    if word is not None and word in FORMS:
        return word, given.words[2:]
    if word is not None:
        raise ConfigError([Problem(f"there is no kind {word}", key="KIND", hint=did_you_mean(word, list(FORMS)))])
    if source.kind == CONFIGURATION:
        return "settings", ()
    every = tuple(dict.fromkeys(form for forms in FORMS.values() for form in forms))
    forms = [each.form for each in targets_of(given, every).found]
    if "csv" in forms:
        raise ConfigError([Problem("say which table", key="-o csv", hint=f"{', '.join(TABLES)}, alerts or series")])
    return next((KIND_OF[form] for form in forms if form in KIND_OF), "summary"), ()


# Without SOURCE.


def _list_sources(given: Given) -> None:
    rows = list(_source_rows(given))
    width = max(len(str(row["name"])) for row in rows)
    targets_of(given, ("text", "json", "jsonl")).write(
        {
            "text": lambda: visible_lines(_source_lines(rows, width)),
            "json": lambda: json_text(enveloped("sources/1", None, {"items": rows})),
            "jsonl": lambda: json_lines("sources/1", rows),
        }
    )


def _source_lines(rows: Sequence[Mapping[str, str]], width: int) -> Iterator[str]:
    kind = ""
    for row in rows:
        if row["kind"] != kind:
            kind = row["kind"]
            yield f"{kind}s"
        yield f"  {row['name']:{width}}  {row.get('title', row.get('unreadable', ''))}"


def _source_rows(given: Given) -> Iterator[dict[str, str]]:
    for name in packaged():
        try:
            scenario = load(name)
        except ConfigError as error:
            yield {"name": name, "kind": "scenario", "unreadable": error.first_line}
        else:
            yield {"name": name, "kind": "scenario", "title": scenario.title, "scheduler": scenario.scheduler}
    for drill in curriculum().drills:
        yield {"name": drill.name, "kind": "drill", "title": drill.title}
    for name, cluster in settings_of(given).clusters.items():
        yield {"name": name, "kind": "cluster", "title": cluster.url}
    for name in names(runs_folder(given)):
        yield {"name": name, "kind": "run", "title": ""}


# The state of a cluster: as a whole, or one table of it.


def _summary(asked: GetQuestion) -> None:
    source, given = asked.source, asked.given
    if asked.kind == "summary" and not given.is_on("at"):
        if source.kind in (RUN, POLLS):
            root = runs_folder(given)
            asked.targets.write(
                {
                    "text": lambda: visible_lines(run_lines(root, source.name)),
                    "json": lambda: json_text(enveloped("run/1", source.document(), run_object(root, source.name))),
                }
            )
            return
        if source.kind in (SCENARIO, DRILL, TRACE):
            with opened(source, given) as run:
                scenario = run.scenario
            asked.targets.write(
                {
                    "text": lambda: visible_lines(described_scenario(scenario)),
                    "json": lambda: json_text(
                        enveloped("summary/1", source.document(scenario.digest()), _facts(scenario))
                    ),
                }
            )
            return
    _write_state(asked, None)


def _facts(scenario: Scenario) -> dict[str, Any]:
    nodes = scenario.cluster.all_nodes()
    return {
        "title": scenario.title,
        "about": scenario.about,
        "start": scenario.start.isoformat(),
        "duration_s": scenario.duration_ms / 1000,
        "nodes": len(nodes),
        "memory_mb": sum(node.memory_mb for node in nodes),
        "vcores": sum(node.vcores for node in nodes),
        "scheduler": scenario.scheduler,
        "seed": scenario.seed,
        "applications": sum(spec.repeat.times if spec.repeat is not None else 1 for spec in scenario.workload),
        "expectations": [one.about for one in scenario.expectations],
    }


def _table(asked: GetQuestion) -> None:
    _write_state(asked, TABLES[asked.kind])


def _write_state(asked: GetQuestion, section: str | None) -> None:
    shown, digest = _shown(asked, section)
    document = snapshot_object(shown)
    asked.targets.write(
        {
            "text": lambda: visible_lines(text_lines(shown)),
            "json": lambda: (
                json.dumps(enveloped("state/1", asked.source.document(digest), document), indent=1, ensure_ascii=False)
                + "\n"
            ),
            "csv": lambda: section_csv(shown),
        }
    )


def _shown(asked: GetQuestion, section: str | None) -> tuple[SnapshotText, str]:
    """What is shown, and the digest of its scenario."""
    source, given, words = asked.source, asked.given, " ".join(asked.rest)
    if source.kind in (LOG, POLLS, LIVE):
        if source.kind != LIVE:
            no_assignments(source, given)
        record = looked_at(source, given)
        series = record.series
        time_ms = record.snapshot.header.time_ms
        alerts = [] if series is None else [each for each in series.alerts if each.found_ms <= time_ms]
        notes = () if series is None else series.notes
        name = source.name if series is None else series.name
        picture = record.snapshot
        chosen = sections_of(picture) if section is None else [section]
        return SnapshotText(name, record.offset_ms, picture, chosen, standing_of(alerts), notes, words), ""
    with opened(source, given) as run:
        alerts_seen = Alerts()
        simulation = run.kept_simulation(given.text("at"), [alerts_seen]) or played(run, given, [alerts_seen])
        releases = releases_of(simulation) if section == "reservations" else None
        picture = snapshot_of_simulation(simulation, releases=releases)
        chosen = sections_of(picture) if section is None else [section]
        scenario = run.scenario
        found = standing(alerts_seen, simulation)
    shown = SnapshotText(scenario.name, scenario.offset_ms, picture, chosen, found, (), words)
    return shown, scenario.digest()


def standing(alerts: Alerts, simulation: Simulation) -> Sequence[Alert]:
    """The alerts of the instant, the gravest first."""
    for _ in range(LOOKS):
        _ = alerts.look(simulation)
        if alerts.idle(simulation):
            break
    return alerts.active_alerts


def played(run: RunSource, given: Given, listeners: Sequence[Listener]) -> Simulation:
    """A scenario played to `--at`, by default its end; a twin to its beginning."""
    scenario, at = run.scenario, None if run.is_twin else given.text("at")
    with listening() as interruption:
        until_ms = scenario.duration_ms if at is None else parse_instant_option(at, scenario.start, "--at")
        playing = Run(scenario, listeners, until_ms, is_judged=False)
        with Progress(until_ms, scenario) as progress:
            _ = play_on(playing, is_stopped=interruption.came, progressed=progress.show)
    if interruption.signal:
        raise SystemExit(128 + interruption.signal)
    return playing.simulation


def releases_of(simulation: Simulation) -> Releases:
    """Tells who frees reserved nodes, as far as that is found in reasonable time."""
    search, found = ReleaseSearch(simulation), Releases()
    search.advance(PIECES)
    found.tell(search.found())
    search.close()
    return found


def _alerts(asked: GetQuestion) -> None:
    shown, digest = _shown(asked, None)
    at = iso_text(shown.picture.header.time_ms, zone_of(shown.offset_ms))
    rows = [msgspec.to_builtins(each) for each in shown.alerts]
    heads = ("kind", "since_ms", "found_ms", "sentence")
    asked.targets.write(
        {
            "text": lambda: visible_lines([text.plain(each.sentence) for each in shown.alerts] or ["no alerts"]),
            "json": lambda: json_text(enveloped("alerts/1", asked.source.document(digest), {"items": rows}, at=at)),
            "csv": lambda: "".join(csv_line([row[head] for head in heads] if row else heads) for row in (None, *rows)),
        }
    )


# What happened.


def _events(asked: GetQuestion) -> None:
    source, given, form = asked.source, asked.given, asked.targets.on_stdout
    if source.kind == LIVE:
        raise ConfigError([Problem(NO_PAST.format(source.name))])
    series = series_of(source, given)
    if series is not None:
        until_ms = instant_in(series, given.text("at"))
        records = series.records_until(until_ms)
        look = RenderContext(until_ms, ("memory", "vcores"), (0, 0), series.offset_ms)
        asked.targets.write(
            {
                "text": lambda: visible_lines(_event_lines(records, look)),
                "jsonl": lambda: json_lines(
                    "events/1", [{"at": each[1], **msgspec.to_builtins(each[2])} for each in records]
                ),
            }
        )
        return
    if source.kind == RUN and asked.targets.has("jsonl"):
        with KeptRun(runs_folder(given), source.name) as kept:
            asked.targets.write({"jsonl": lambda: _journal(kept)})
        if form != "text":
            return
    if form:
        with opened(source, given) as run:
            _ = _stream(run, given, form)
    files = {each.form: partial(_streamed, source, given, each.form) for each in asked.targets.found if each.file}
    asked.targets.write(files)


def _streamed(source: Source, given: Given, form: str) -> str:
    """The events of a run as one text, for a file."""
    with redirect_stdout(StringIO()) as out, opened(source, given) as run:
        _ = _stream(run, given, form)
    return out.getvalue()


def _stream(run: RunSource, given: Given, form: str) -> Simulation:
    scenario = run.scenario
    if form == "jsonl":
        sys.stdout.write(json_lines("events/1", ()))
    listener = JsonStream(scenario) if form == "jsonl" else EventStream(scenario, lambda: None)
    return run.kept_simulation(given.text("at"), [listener]) or played(run, given, [listener])


def _event_lines(records: Sequence[Any], look: RenderContext) -> Iterator[str]:
    for number, time_ms, record in records:
        event = event_text(event_row(number, time_ms, record), look)
        application = "" if event.application is None else f"{event.application:04d}"
        when = text.near_instant(time_ms, look.now_ms, look.offset_ms)
        yield f"{when}  {event.verb:9} {application:>7}  {text.plain(event.sentence)}"


def _journal(run: KeptRun) -> Iterator[bytes]:
    header = msgspec.structs.replace(header_of(run.scenario()), program=run.info.program)
    yield msgspec.json.encode(header) + b"\n"
    yield from run.journal()


def _series(asked: GetQuestion) -> None:
    source, given = asked.source, asked.given
    if source.kind == LIVE:
        raise ConfigError([Problem(NO_PAST.format(source.name))])
    if source.kind == RUN:
        with KeptRun(runs_folder(given), source.name) as kept:
            known = kept.series()
    else:
        known = _read_series(source, given)
    wanted = [each for each in asked.rest if each != "all"] or list(known)
    for name in wanted:
        if name not in known:
            hint = nearest(name, known) or f"there is {', '.join(known)}"
            raise ConfigError([Problem(f"there is no series {name}", key="series", hint=hint)])
    items = [
        {"name": name, "values": [{"time_ms": at, "value": value} for at, value in known[name]]} for name in wanted
    ]
    asked.targets.write(
        {
            "csv": lambda: "".join(_series_csv({name: known[name] for name in wanted})),
            "json": lambda: json_text(enveloped("series/1", source.document(), {"items": items})),
        }
    )


def _read_series(source: Source, given: Given) -> dict[str, list[tuple[int, int]]]:
    """(epoch ms, value) of each figure of a history by its name, and of each queue's used memory by its path."""
    recorded = series_of(source, given)
    history = History() if recorded is None else recorded.history
    if recorded is None:
        with opened(source, given) as run:
            playing = Run(run.scenario, [history], run.scenario.duration_ms, is_judged=False)
            history.follow(playing.simulation.control_plane, run.scenario.start_ms)
            playing.advance(playing.until_ms)
    found = {
        name: [(at, values[place]) for at, values in zip(history.cluster.times, history.cluster.values, strict=True)]
        for place, name in enumerate(history.names)
    }
    return found | {path: list(zip(steps.times, steps.values, strict=True)) for path, steps in history.queues.items()}


def _series_csv(series: Mapping[str, Sequence[tuple[int, int]]]) -> Iterator[str]:
    yield csv_line(("series", "time_ms", "value"))
    for name, values in series.items():
        yield from (csv_line((name, time_ms, value)) for time_ms, value in values)


# What others read.


def _scenario(asked: GetQuestion) -> None:
    """The scenario; of a kept run as JSON its acts and hash with it; of what is recorded or live, its twin."""
    source, given = asked.source, asked.given
    if source.kind == RUN and asked.targets.has("json"):
        with KeptRun(runs_folder(given), source.name) as kept:
            asked.targets.write({"json": lambda: _as_run(kept)})
        return
    with opened(source, given) as run:
        scenario = _stands(run, given)
    fields = scenario.model_dump(mode="json")
    asked.targets.write(
        {
            "toml": lambda: _toml(scenario),
            "json": lambda: json_text(enveloped("scenario/1", source.document(scenario.digest()), fields)),
        }
    )


def _stands(run: RunSource, given: Given) -> Scenario:
    """The scenario, or with `--at` one that stands as it stood."""
    if run.is_twin or not (given.is_on("at") or run.is_kept):
        return run.scenario
    from engine.live.twin.twin import twin_of_simulation  # noqa: PLC0415 -- only who asks for one pays for it
    from tui.cli.opened import assumptions_of  # noqa: PLC0415 -- as the line above

    simulation = run.kept_simulation(given.text("at")) or played(run, given, ())
    return twin_of_simulation(simulation, run.scenario, assumptions_of(given))


def _toml(scenario: Scenario) -> str:
    written = dump_file(scenario)
    if len(written.encode()) > MAX_BYTES:
        size = f"would have {len(written) // 1_000_000} MB; a scenario has at most {MAX_BYTES // 1024 // 1024} MB"
        raise ConfigError([Problem(size, key="-o")])
    return written


def _as_run(run: KeptRun) -> Iterator[bytes]:
    fields = run.scenario().model_dump(mode="json")
    yield write_run(RunExport(fields, tuple(run.acts()), run.info.until_ms, run.info.journal_hash)) + b"\n"


def _workload(asked: GetQuestion) -> None:
    from tui.cli.workload import get_workload  # noqa: PLC0415 -- only a workload pays for its readers

    get_workload(asked.source, asked.given, asked.targets)


def _settings(asked: GetQuestion) -> None:
    from tui.cli.config import get_settings  # noqa: PLC0415 -- only files pay for their readers

    get_settings(asked.source, asked.given, asked.targets)


def _picture(asked: GetQuestion) -> int:
    from tui.cli.picture import get_picture  # noqa: PLC0415 -- only a picture pays for textual

    return get_picture(asked.source, asked.rest, asked.given, asked.targets)


def _report(asked: GetQuestion) -> None:
    if find_spec(REPORT) is None:
        raise ConfigError([Problem("this build makes no reports", key="report")])
    import_module(REPORT).get_report(asked.source, asked.given, asked.targets)


_GETTERS: Final[Mapping[str, Callable[[GetQuestion], int | None]]] = {
    "summary": _summary,
    "state": _summary,
    **dict.fromkeys(TABLES, _table),
    "alerts": _alerts,
    "events": _events,
    "series": _series,
    "workload": _workload,
    "scenario": _scenario,
    "settings": _settings,
    "picture": _picture,
    "report": _report,
}
