"""Opens a SOURCE: as something that is played, as a record, or as its twin; and the application asked about."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem, RefusedError, nearest
from engine.explain.instant import Instant, instant_of, kept_instant, kept_longest_wait, longest_wait
from engine.formats.scenario_overrides import Layers
from engine.formats.scenario_references import idle_settings, placed
from engine.formats.scenario_toml import changed, load_with_places, read
from engine.live.twin.applications import Assumptions, read_assumptions
from engine.live.twin.twin import twin_of
from engine.model.request import queue_named
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import terms_of, translate_terms
from engine.recorded.log_series import LogSeries, SnapshotSeries, start_of
from engine.recorded.polls_writer import open_polls
from engine.run.player import Run
from engine.run.run_reader import KeptRun, replayed
from engine.scenario import Scenario
from engine.scenario.acts import script_of
from engine.simulation.build import KeptAct
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.sweep.spec import with_nodes, without_nodes
from engine.training.drill import drill_of, find_drill
from engine.units import parse_instant_option
from tui.cli.grammar import Given
from tui.cli.output import Targets
from tui.cli.source import DRILL, LOG, NO_PAST, POLLS, RUN, SCENARIO, TRACE, NamedSource, runs_folder
from tui.cli.talk import note, warn

TWIN_MS: Final = 1000  # How far a twin is played before it is asked: every node has reported by then


# A source that is played.


class RunSource:
    def __init__(self, scenario: Scenario, kept: KeptRun | None = None, *, is_twin: bool = False) -> None:
        self.scenario, self.is_twin = scenario, is_twin
        self._kept = kept

    @property
    def is_kept(self) -> bool:
        return self._kept is not None

    def acts(self) -> list[KeptAct]:
        return [] if self._kept is None else self._kept.acts()

    def begun(self, listeners: Sequence[Listener] = ()) -> tuple[Run, list[KeptAct]]:
        """A run at its beginning, and what came from outside in the kept one, which replaces the scenario's script."""
        kept = self._kept
        if kept is None:
            return Run(self.scenario, listeners, is_judged=False), []
        until_ms = kept.info.until_ms - self.scenario.start_ms
        without_script = self.scenario.model_copy(update={"script": ()})
        return Run(without_script, listeners, until_ms, is_judged=False), kept.acts()

    def kept_simulation(self, at: str | None, listeners: Sequence[Listener] = ()) -> Simulation | None:
        """The simulation of the kept run at an instant, by default its end; None where the source is a scenario."""
        kept = self._kept
        if kept is None:
            return None
        until_ms = kept.info.until_ms if at is None else moment(kept, self.scenario, at)
        return replayed(kept, until_ms, listeners)

    def instant(self, at: str | None, application: str | None, listeners: Sequence[Listener] = ()) -> Instant:
        """The instant as written; else the longest wait of the application, else the end, of a twin its beginning.

        `listeners` hear what happens up to an instant that was written, or to the end.
        """
        kept = self._kept
        if kept is not None:
            if at is not None:
                return kept_instant(kept, moment(kept, self.scenario, at), listeners)
            chosen = kept_longest_wait(kept, application) if application is not None else None
            return chosen or kept_instant(kept, kept.info.until_ms, listeners)
        if self.is_twin:
            return instant_of(self.scenario, TWIN_MS, listeners)
        if at is not None:
            return instant_of(self.scenario, parse_instant_option(at, self.scenario.start, "--at"), listeners)
        chosen = longest_wait(self.scenario, application) if application is not None else None
        return chosen or instant_of(self.scenario, self.scenario.duration_ms, listeners)

    def as_scenario(self) -> Scenario:
        if not self.is_kept:
            return self.scenario
        run, acts = self.begun()
        script = script_of(acts, self.scenario.start_ms)
        return self.scenario.model_copy(update={"script": script, "duration_ms": run.until_ms, "expectations": ()})


def until_of(given: Given, scenario: Scenario) -> int:
    text = given.text("until")
    return scenario.duration_ms if text is None else parse_instant_option(text, scenario.start, "--until")


def note_start(given: Given, *sources: NamedSource) -> None:
    """Say that `--at` does nothing where all that is played begins at its start."""
    if given.is_on("at") and all(source.kind in (SCENARIO, DRILL, RUN) for source in sources):
        note(f"--at is not used: {' and '.join(source.name for source in sources)} is played from the start")


def moment(run: KeptRun, scenario: Scenario, at: str) -> int:
    last_ms = run.info.until_ms - scenario.start_ms
    return scenario.start_ms + parse_instant_option(at, scenario.start, "--at", last_ms=last_ms)


@contextmanager
def opened(source: NamedSource, given: Given, *, is_whole: bool = False) -> Iterator[RunSource]:
    """Open a source as something that is played; `is_whole` where a log or polls stand for their whole workload."""
    if source.kind in (SCENARIO, DRILL):
        scenario, layers = _scenario_with_places(source, given)
        with placed(layers):
            yield RunSource(scenario)
    elif source.kind == RUN:
        if given.many("set") or given.many("config"):
            raise ConfigError.of(f"{source.name} is a kept run; --set does not apply to it", key="--set")
        with KeptRun(runs_folder(given), source.name) as kept:
            yield RunSource(kept.scenario(), kept)
    elif source.kind == TRACE or (source.kind == LOG and is_whole and not given.is_on("at")):
        yield RunSource(_set_on(_imported(source, given), given))
    else:
        twin = _set_on(twin_of_source(source, given), given, is_twin=True)
        for each in twin.assumed:
            note(f"assumed: {each.words}")
        yield RunSource(twin, is_twin=True)


def _scenario_with_places(source: NamedSource, given: Given) -> tuple[Scenario, Layers]:
    """A scenario, or that of a drill, with what is set on top, and where each of its values stands."""
    nodes, assignments = without_nodes(given.many("set"))
    name = source.file_name
    if source.kind == DRILL:
        layers = read(find_drill(name), is_trusted=given.is_on("trust"))
        scenario = changed(drill_of(layers).scenario, assignments)
    else:
        scenario, layers = load_with_places(name, assignments, is_trusted=given.is_on("trust"))
    for each in idle_settings(scenario, layers):
        warn(f"schedlab: {each}")
    return _configured(with_nodes(scenario, nodes) if nodes else scenario, given), layers


def _configured(scenario: Scenario, given: Given) -> Scenario:
    if not given.many("config"):
        return scenario
    from tui.session.definitions import configuration_files, configured  # noqa: PLC0415 -- only its users pay for it

    for each in given.many("config"):
        scenario, _ = configured(scenario, configuration_files(Path(each)))
    return scenario


def _set_on(scenario: Scenario, given: Given, *, is_twin: bool = False) -> Scenario:
    nodes, assignments = without_nodes(given.many("set"))
    if is_twin:  # who its scheduler is, its configuration has been told
        assignments = [each for each in assignments if not each.startswith("scheduler=")]
    if nodes:
        scenario = with_nodes(scenario, nodes)
    scenario = scenario if is_twin else _configured(scenario, given)
    return changed(scenario, assignments) if assignments else scenario


def _imported(source: NamedSource, given: Given) -> Scenario:
    from engine.formats.traces.report import ImportReport  # noqa: PLC0415 -- only a trace or a log pays for the readers
    from engine.formats.traces.to_scenario import imported_scenario  # noqa: PLC0415 -- as the line above
    from tui.cli.import_ import applications_in, rules_of  # noqa: PLC0415 -- as the line above

    files, report = list(source.paths), ImportReport()
    with applications_in(files, report, rules_of(given), given) as read:
        scenario = imported_scenario(read, report, name=files[0].name.split(".")[0] or "trace")
    if not scenario.workload:
        raise ConfigError([*report.problems[:10], Problem("no application can be played", str(files[0]))])
    return scenario


# A source that was recorded, or is live: what it says itself, and its twin.


def series_of(source: NamedSource, given: Given) -> SnapshotSeries | None:
    """What was recorded: a log or kept polls; None where the source is neither."""
    if source.kind != LOG:
        return open_polls(runs_folder(given), source.name) if source.kind == POLLS else None
    from engine.formats.traces.formats import read_timeline  # noqa: PLC0415 -- only a log pays for the readers
    from engine.formats.traces.report import ImportReport  # noqa: PLC0415 -- as the line above
    from tui.cli.import_ import reading  # noqa: PLC0415 -- as the line above

    first = source.paths[0]
    paths = sorted(each for each in first.iterdir() if each.is_file()) if first.is_dir() else list(source.paths)
    with reading(paths) as progressed:
        timeline = read_timeline(paths, ImportReport(), progressed=progressed)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return LogSeries(f"{paths[0].name}{more}", timeline)


def no_assignments(source: NamedSource, given: Given) -> None:
    """Nothing of what was recorded can be set."""
    if given.many("set"):
        raise ConfigError.of(f"{source.name} is a recording; --set does not apply to it", key="--set")


def instant_in(series: SnapshotSeries, at: str | None) -> int:
    """An instant of a series as a user wrote it, by default its end [epoch ms]."""
    if at is None:
        return series.now_ms
    start_ms = series.first_ms // 1000 * 1000
    given_ms = parse_instant_option(at, start_of(series), "--at", last_ms=series.now_ms - start_ms)
    return max(start_ms + given_ms, series.first_ms)


class LookedAt(NamedTuple):
    snapshot: Snapshot
    settings: Mapping[str, str] | None  # What its server says of its settings
    offset_ms: int  # East of Greenwich
    series: SnapshotSeries | None = None  # Where it was recorded


def looked_at(source: NamedSource, given: Given) -> LookedAt:
    series = series_of(source, given)
    if series is not None:
        recorded = series.snapshot_at(instant_in(series, given.text("at")))
        return LookedAt(recorded, None, series.offset_ms, series)

    from tui.cli.live import live_cluster, polled  # noqa: PLC0415 -- likewise, for all that asks a server

    if given.is_on("at"):
        raise ConfigError.of(NO_PAST.format(source.name), key="--at")
    snapshot, settings = polled(live_cluster(source.urls, given, source.cluster))
    return LookedAt(snapshot, settings, time.localtime().tm_gmtoff * 1000)


def twin_of_source(source: NamedSource, given: Given, found: LookedAt | None = None) -> Scenario:
    from tui.cli.live import files_of  # noqa: PLC0415 -- only a twin pays for it

    snapshot, settings, offset_ms, _ = found or looked_at(source, given)
    configuration = files_of(given, source.cluster).configuration(snapshot, settings)
    return twin_of(snapshot, configuration, assumptions_of(given), offset_ms)


def assumptions_of(given: Given) -> Assumptions:
    """What `--assume remaining=D` and `remaining.APP=D` say."""
    found = []
    for each in given.many("assume"):
        key, _, value = each.partition("=")
        if key == "remaining":
            found.append(value)
        elif key.startswith("remaining."):
            found.append(f"{key.removeprefix('remaining.')}={value}")
    return read_assumptions(found)


# What is asked about.


class GetQuestion(NamedTuple):
    source: NamedSource
    kind: str
    rest: tuple[str, ...]  # The words behind KIND: a name, or a filter
    given: Given
    targets: Targets


KINDS: Final = {"app": "application", "queue": "queue", "node": "node"}  # Written before a name that two kinds have


class Subject(NamedTuple):
    kind: str  # `application`, `queue`, `node` or `cluster`
    key: str  # The name of an application as written, the path of a queue, the id of a node


def subject_of(snapshot: Snapshot, word: str) -> Subject:
    """What a word means of a cluster: `app/ID`, `queue/PATH` or a name; a `RefusedError` if it is nothing, or two."""
    kind, slash, name = word.partition("/")
    terms = terms_of(snapshot.header)
    if slash and kind in KINDS:
        found = [each for each in _subjects(snapshot, name) if each.kind == KINDS[kind]]
        if not found and kind == "queue":
            words = f"there is no {terms.queue} {name}; there is {', '.join(row.path for row in snapshot.queues())}"
            raise RefusedError("UnknownQueue", words)
        if not found and kind == "node":
            raise RefusedError("UnknownNode", f"there is no {terms.node} {name}")
    else:
        found = _subjects(snapshot, word)
    if len(found) == 1:
        return found[0]
    if found:
        hints = " or ".join(f"{'app' if each.kind == 'application' else each.kind}/{word}" for each in found)
        kinds = " and ".join(f"{'an' if each.kind[0] == 'a' else 'a'} {each.kind}" for each in found)
        raise RefusedError("Ambiguous", f"{word} is {kinds}: write {hints}")
    hint = nearest(word, [name for name in _names(snapshot) if name != word])
    nouns = translate_terms("no single application, queue or node", terms)
    words = f"{nouns} is meant by {word}{f' ({hint})' if hint else ''}"
    raise RefusedError("ApplicationNotFoundException", words)


def _names(snapshot: Snapshot) -> list[str]:
    names = [row.name for row in snapshot.applications(why=False)]
    names += [row.path.rpartition(".")[2] for row in snapshot.queues()]
    return [*names, *(row.host for row in snapshot.nodes())]


def _subjects(snapshot: Snapshot, name: str) -> list[Subject]:
    from engine.run.expectations import find_application  # noqa: PLC0415 -- only a user who asks about one pays for it

    found = []
    if find_application(snapshot.applications(why=False), name) is not None:
        found.append(Subject("application", name))
    paths = [row.path for row in snapshot.queues()]
    ends = [path for path in paths if path.rpartition(".")[2] == name]
    path = queue_named(name, paths) or (ends[0] if len(ends) == 1 else None)
    if path is not None:
        found.append(Subject("queue", path))
    hosts = [row.id for row in snapshot.nodes() if name in (row.id, row.host, row.host.partition(".")[0])]
    if len(hosts) == 1:
        found.append(Subject("node", hosts[0]))
    return found
