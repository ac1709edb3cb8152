"""`schedlab get`: shows or exports what SOURCE is, at an instant, in the form that is asked for."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from pkgutil import resolve_name
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, Problems, did_you_mean, nearest
from engine.explain.alert import standing_of
from engine.explain.alerts import Alerts, standing_now
from engine.explain.waits import ReleaseSearch
from engine.formats.regular_files import MAX_BYTES
from engine.formats.scenario_toml import dump_file, load, packaged
from engine.observe.documents import csv_line, sections_of
from engine.observe.history import History
from engine.observe.journal import header_of
from engine.observe.releases import Releases
from engine.observe.snapshots import snapshot_of_simulation
from engine.recorded.log_series import SnapshotSeries
from engine.run.expectations import describe
from engine.run.player import Run, play_on
from engine.run.run_reader import KeptRun
from engine.run.run_store import names
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.training.records import curriculum
from engine.units import format_duration, iso_text, parse_instant_option, zone_of
from tui.cli.grammar import Given
from tui.cli.opened import (
    GetQuestion,
    RunSource,
    assumptions_of,
    instant_in,
    looked_at,
    no_assignments,
    opened,
    series_of,
)
from tui.cli.output import enveloped, json_lines, json_text, targets_of
from tui.cli.play import EventStream, Progress, event_line
from tui.cli.runs import run_lines, run_object
from tui.cli.source import (
    CONFIGURATION,
    LIVE,
    LOG,
    NO_PAST,
    POLLS,
    RUN,
    NamedSource,
    named_source,
    runs_folder,
    settings_of,
)
from tui.cli.talk import note
from tui.cli.verbs import KINDS, TABLES
from tui.panes.fragments import RenderContext
from tui.report.snapshot_text import SnapshotText, section_csv, snapshot_object, text_lines
from tui.session.alert_monitor import event_row
from tui.terminal import format as text
from tui.terminal.edges import listening, visible_lines

PIECES: Final = 20_000  # Pieces of work spent on finding what frees reserved nodes; then it is later

SECTIONS: Final = {"apps": "applications"}  # KIND of a table → section of a snapshot, where it has another name
KIND_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("svg", "png"), "picture"),
    "toml": "scenario",
    **dict.fromkeys(("html", "md"), "report"),
    **dict.fromkeys(("sls", "sls-nodes", "rest", "swim"), "workload"),
    "xml": "settings",
    "jsonl": "events",
}  # Form → the KIND it is of where none is said
OF_KINDS: Final = {"size": ("picture",), "press": ("picture",)}  # Option → the KINDs that have a use for it


def get(given: Given) -> int | None:
    if not given.words:
        rows = list(_source_rows(given))
        targets_of(given, ("text", "json", "jsonl")).answer("sources/1", lambda: _source_lines(rows), rows=rows)
        return None
    problems = Problems()
    with problems.taken():
        source = named_source(given)
    with problems.taken():
        kind = _kind_of(given, "settings" if not problems.found and source.kind == CONFIGURATION else "")
        targets = targets_of(given, KINDS[kind], only_files=True)
    problems.check()
    for option, kinds in OF_KINDS.items():
        if given.is_on(option) and kind not in kinds:
            note(f"--{option} is not used: it is of {' and '.join(kinds)}, and this is {kind}")
    if source.kind == CONFIGURATION and kind != "settings":
        hint = f"get {source.name} settings"
        raise ConfigError.of(f"{source.name} is a configuration and runs nothing", key=kind, hint=hint)
    asked = GetQuestion(source, kind, given.words[2:], given, targets)
    getter = _GETTERS[kind]
    code: int | None = (resolve_name(getter) if isinstance(getter, str) else getter)(asked)
    return code


def _kind_of(given: Given, default: str) -> str:
    word = given.word(1) or default
    if word in KINDS:
        return word
    if word:
        raise ConfigError.of(f"there is no kind {word}", key="KIND", hint=did_you_mean(word, list(KINDS)))
    forms = [each.form for each in targets_of(given).found]
    if "csv" in forms:
        raise ConfigError.of("say which table", key="-o csv", hint=f"{', '.join(TABLES)}, alerts or series")
    return next((KIND_OF[form] for form in forms if form in KIND_OF), "summary")


# Without SOURCE.


def _source_lines(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    width = max(len(row["name"]) for row in rows)
    for kind, alike in groupby(rows, key=itemgetter("kind")):
        yield f"{kind}s"
        yield from (f"  {row['name']:{width}}  {row.get('title', row.get('unreadable', ''))}" for row in alike)


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
    if asked.kind == "state" or given.is_on("at") or source.kind in (LOG, LIVE):
        _state(asked)
    elif source.kind in (RUN, POLLS):
        root = runs_folder(given)
        document = run_object(root, source.name)
        asked.targets.answer("run/1", lambda: run_lines(root, source.name), document, source.document())
    else:
        with opened(source, given) as run:
            scenario = run.scenario
        facts, whole = _facts(scenario), source.document(scenario.digest())
        asked.targets.answer("summary/1", lambda: _described(scenario, facts), facts, whole)


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


def _described(scenario: Scenario, facts: Mapping[str, Any]) -> list[str]:
    plural = text.plural
    lines = [
        f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name,
        "",
        *([*scenario.about.splitlines(), ""] if scenario.about.strip() else []),
        f"starts      {scenario.start:%a %Y-%m-%d %H:%M:%S %z}, lasts {format_duration(scenario.duration_ms)}",
        f"cluster     {plural(facts['nodes'], 'node')}, {text.memory(facts['memory_mb'])}, {facts['vcores']} vcores",
        f"scheduler   {scenario.scheduler}, seed {scenario.seed}",
        f"submitted   {plural(facts['applications'], 'application')}",
        f"script      {plural(len(scenario.script), 'action')}, {plural(len(scenario.faults), 'fault')}",
        f"promises    {plural(len(scenario.expectations), 'expectation')}",
    ]
    return [*lines, *(f"  {one.about or describe(one)}" for one in scenario.expectations)]


def _state(asked: GetQuestion) -> None:
    shown, digest = _shown(asked, SECTIONS.get(asked.kind, asked.kind) if asked.kind in TABLES else None)
    document = enveloped("state/1", asked.source.document(digest), snapshot_object(shown))
    asked.targets.write(
        {
            "text": lambda: visible_lines(text_lines(shown)),
            "json": lambda: json.dumps(document, indent=1, ensure_ascii=False) + "\n",
            "csv": lambda: section_csv(shown),
        }
    )


def _shown(asked: GetQuestion, section: str | None) -> tuple[SnapshotText, str]:
    source, given, words = asked.source, asked.given, " ".join(asked.rest)
    if source.kind in (LOG, POLLS, LIVE):
        return _recorded(source, given, section, words), ""
    with opened(source, given) as run:
        alerts, scenario = Alerts(), run.scenario
        simulation = _simulation_at(run, given, [alerts])
        releases = _releases_of(simulation) if section == "reservations" else None
        picture = snapshot_of_simulation(simulation, releases=releases)
        found = standing_now(alerts, simulation)
    chosen = sections_of(picture) if section is None else [section]
    shown = SnapshotText(scenario.name, scenario.offset_ms, picture, chosen, found, (), words)
    return shown, scenario.digest()


def _recorded(source: NamedSource, given: Given, section: str | None, words: str) -> SnapshotText:
    if source.kind != LIVE:
        no_assignments(source, given)
    picture, _, offset_ms, series = looked_at(source, given)
    chosen = sections_of(picture) if section is None else [section]
    if series is None:
        return SnapshotText(source.name, offset_ms, picture, chosen, [], (), words)
    alerts = [each for each in series.alerts if each.found_ms <= picture.header.time_ms]
    return SnapshotText(series.name, offset_ms, picture, chosen, standing_of(alerts), series.notes, words)


def _simulation_at(run: RunSource, given: Given, listeners: Sequence[Listener] = ()) -> Simulation:
    """A source played to `--at`, by default its end; a twin to its beginning."""
    kept = run.kept_simulation(given.text("at"), listeners)
    if kept is not None:
        return kept
    scenario, at = run.scenario, None if run.is_twin else given.text("at")
    with listening() as interruption:
        until_ms = scenario.duration_ms if at is None else parse_instant_option(at, scenario.start, "--at")
        playing = Run(scenario, listeners, until_ms, is_judged=False)
        with Progress(until_ms, scenario) as progress:
            _ = play_on(playing, is_stopped=interruption.came, progressed=progress.show)
    if interruption.code:
        raise SystemExit(interruption.code)
    return playing.simulation


def _releases_of(simulation: Simulation) -> Releases:
    search, found = ReleaseSearch(simulation), Releases()
    search.advance(PIECES)
    found.tell(search.found())
    search.close()
    return found


def _alerts(asked: GetQuestion) -> None:
    shown, digest = _shown(asked, None)
    alerts = shown.kept_alerts()
    rows = [msgspec.to_builtins(each) for each in alerts]
    heads = ("kind", "since_ms", "found_ms", "sentence")
    asked.targets.answer(
        "alerts/1",
        lambda: [text.plain(each.sentence) for each in alerts] or ["no alerts"],
        {"items": rows},
        asked.source.document(digest),
        at=iso_text(shown.picture.header.time_ms, zone_of(shown.offset_ms)),
        forms={"csv": lambda: _csv([heads, *([row[head] for head in heads] for row in rows)])},
    )


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    return "".join(map(csv_line, rows))


# What happened.


def _events(asked: GetQuestion) -> None:
    source, given, targets = asked.source, asked.given, asked.targets
    series = _past_of(source, given)
    if series is not None:
        until_ms = instant_in(series, given.text("at"))
        records = series.records_until(until_ms)
        look = RenderContext(until_ms, ("memory", "vcores"), (0, 0), series.offset_ms)
        rows = [{"at": time_ms, **msgspec.to_builtins(record)} for _, time_ms, record in records]
        lines = partial(map, lambda each: event_line(event_row(*each), look), records)
        targets.write({"text": lambda: visible_lines(lines()), "jsonl": lambda: json_lines("events/1", rows)})
        return
    is_kept = source.kind == RUN
    if is_kept and targets.has("jsonl"):
        with KeptRun(runs_folder(given), source.name) as kept:
            targets.write({"jsonl": lambda: _journal(kept)})
    with targets.streams(("text",) if is_kept else KINDS["events"]) as streams:
        if not streams:
            return
        for stream in streams:
            stream.write(json_lines("events/1", ()) if stream.form == "jsonl" else "")
        with opened(source, given) as run:
            _ = _simulation_at(run, given, [EventStream(run.scenario, stream) for stream in streams])


def _past_of(source: NamedSource, given: Given) -> SnapshotSeries | None:
    if source.kind == LIVE:
        raise ConfigError.of(NO_PAST.format(source.name))
    return series_of(source, given)


def _journal(run: KeptRun) -> Iterator[bytes]:
    header = msgspec.structs.replace(header_of(run.scenario()), program=run.info.program)
    yield msgspec.json.encode(header) + b"\n"
    yield from run.journal()


def _series(asked: GetQuestion) -> None:
    known = _known_series(asked.source, asked.given)
    wanted = [each for each in asked.rest if each != "all"] or list(known)
    for name in wanted:
        if name not in known:
            hint = nearest(name, known) or f"there is {', '.join(known)}"
            raise ConfigError.of(f"there is no series {name}", key="series", hint=hint)
    rows = [(name, time_ms, value) for name in wanted for time_ms, value in known[name]]
    items = [
        {"name": name, "values": [{"time_ms": at, "value": value} for at, value in known[name]]} for name in wanted
    ]
    document = enveloped("series/1", asked.source.document(), {"items": items})
    asked.targets.write(
        {"csv": lambda: _csv([("series", "time_ms", "value"), *rows]), "json": lambda: json_text(document)}
    )


def _known_series(source: NamedSource, given: Given) -> Mapping[str, Sequence[tuple[int, int]]]:
    """(epoch ms, value) of each figure of a history by its name, and of each queue's used memory by its path."""
    if source.kind == RUN:
        with KeptRun(runs_folder(given), source.name) as kept:
            return kept.series()
    recorded = _past_of(source, given)
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


# What others read.


def _scenario(asked: GetQuestion) -> None:
    source, given, targets = asked.source, asked.given, asked.targets
    if source.kind == RUN:
        targets.write({"toml": lambda: _toml(_standing(source, given)), "json": lambda: _as_run(source, given)})
        return
    scenario = _standing(source, given)
    fields = scenario.model_dump(mode="json")
    document = enveloped("scenario/1", source.document(scenario.digest()), fields)
    targets.write({"toml": lambda: _toml(scenario), "json": lambda: json_text(document)})


def _standing(source: NamedSource, given: Given) -> Scenario:
    with opened(source, given) as run:
        if run.is_twin or not (given.is_on("at") or run.is_kept):
            return run.scenario
        from engine.live.twin.twin import twin_of_simulation  # noqa: PLC0415 -- only its users pay for it

        return twin_of_simulation(_simulation_at(run, given), run.scenario, assumptions_of(given))


def _as_run(source: NamedSource, given: Given) -> bytes:
    with KeptRun(runs_folder(given), source.name) as kept:
        fields = kept.scenario().model_dump(mode="json")
        ended = {"until_ms": kept.info.until_ms, "journal_hash": kept.info.journal_hash, "schema": 1}
        return msgspec.json.encode({"scenario": fields, "acts": tuple(kept.acts()), **ended}) + b"\n"


def _toml(scenario: Scenario) -> str:
    written = dump_file(scenario)
    if len(written.encode()) > MAX_BYTES:
        size = f"would have {len(written) // 1_000_000} MB; a scenario has at most {MAX_BYTES // 1024 // 1024} MB"
        raise ConfigError.of(size, key="-o")
    return written


_GETTERS: Final[Mapping[str, Callable[[GetQuestion], int | None] | str]] = {
    "summary": _summary,
    "state": _state,
    **dict.fromkeys(TABLES, _state),
    "alerts": _alerts,
    "events": _events,
    "series": _series,
    "workload": "tui.cli.workload:get_workload",
    "scenario": _scenario,
    "settings": "tui.cli.config:get_settings",
    "picture": "tui.cli.report:get_picture",
    "report": "tui.cli.report:get_report",
}  # KIND → what shows it; by `module:function` where it is loaded when it is asked for
