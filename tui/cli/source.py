"""The source of an instant to ask about: a scenario, or a kept run with all that came from outside."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem, RefusedError, alike
from engine.explain.alert import standing_of
from engine.explain.answer import PlaceReport, WhyReport
from engine.explain.instant import Instant, instant_of, kept_instant, kept_longest_wait, longest_wait
from engine.formats.regular_files import is_a_file
from engine.formats.scenario_references import placed
from engine.formats.scenario_toml import changed, load_with_places, packaged
from engine.formats.traces.formats import is_log, read_timeline
from engine.formats.traces.report import ImportReport
from engine.live.live_why import why_application, why_place
from engine.model.request import queue_named
from engine.observe.documents import sections_of
from engine.observe.snapshot import Snapshot
from engine.recorded.log_series import LogSeries, SnapshotSeries, start_of
from engine.recorded.polls_file import is_polls
from engine.recorded.polls_writer import open_polls
from engine.run.expectations import find_application
from engine.run.player import Run
from engine.run.run_reader import KeptRun, replayed
from engine.run.run_store import NAME, names
from engine.scenario import Scenario
from engine.scenario.acts import timed
from engine.simulation.records import Listener
from engine.simulation.run_export import KeptAct
from engine.simulation.simulation import Simulation
from engine.units import instant_given
from tui.cli.cli_errors import say_idle
from tui.cli.import_ import reading
from tui.cli.options import runs_root, scenario_names
from tui.cli.snapshot_text import SnapshotText, written


def run_names(incomplete: str) -> list[str]:
    """Names of kept runs that begin so, in the directory the settings name; for the shell to complete."""
    try:
        return [name for name in names(runs_root(None)) if name.startswith(incomplete)]
    except ConfigError:
        return []


def source_names(incomplete: str) -> list[str]:
    """Names of packaged scenarios and of kept runs that begin so; for the shell to complete."""
    return [*scenario_names(incomplete), *run_names(incomplete)]


SourceName = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE|RUN",
        help="A packaged scenario, a TOML file, or a kept run.",
        show_default=False,
        autocompletion=source_names,
    ),
]


def moment(run: KeptRun, scenario: Scenario, at: str) -> int:
    """An instant within a kept run [epoch ms].

    Raises:
        ConfigError: It is no instant, or not within the run.
    """
    last_ms = run.info.until_ms - scenario.start_ms
    return scenario.start_ms + instant_given(at, scenario.start, "--at", last_ms=last_ms)


class RunSource:
    """A scenario as it is played, or as a kept run played it."""

    def __init__(self, scenario: Scenario, kept: KeptRun | None = None) -> None:
        """Ask a scenario, or the kept run of it."""
        self.scenario = scenario
        self._kept = kept

    @property
    def is_kept(self) -> bool:
        """True for a kept run, false for a scenario."""
        return self._kept is not None

    def acts(self) -> list[KeptAct]:
        """The acts from outside in the kept run; empty where the source is a scenario.

        Raises:
            ConfigError: The run is damaged.
        """
        return [] if self._kept is None else self._kept.acts()

    def begun(self, listeners: Sequence[Listener] = ()) -> tuple[Run, list[KeptAct]]:
        """A run at its beginning, and what came from outside in the kept one, which replaces the scenario's script.

        `listeners` get everything that happens.

        Raises:
            ConfigError: The run is damaged, or the scheduler refuses the scenario's settings.
        """
        kept = self._kept
        if kept is None:
            return Run(self.scenario, listeners, is_judged=False), []
        until_ms = kept.info.until_ms - self.scenario.start_ms
        without_script = self.scenario.model_copy(update={"script": ()})
        return Run(without_script, listeners, until_ms, is_judged=False), kept.acts()

    def kept_simulation(self, at: str | None, listeners: Sequence[Listener] = ()) -> Simulation | None:
        """The simulation of the kept run at an instant, by default its end; None where the source is a scenario.

        Args:
            at: The instant as written.
            listeners: Get everything that happens until then.

        Raises:
            ConfigError: It is no instant, or not within the run; or the run cannot be replayed.
        """
        kept = self._kept
        if kept is None:
            return None
        until_ms = kept.info.until_ms if at is None else moment(kept, self.scenario, at)
        return replayed(kept, until_ms, listeners)

    def instant(self, at: str | None, application: str | None, listeners: Sequence[Listener] = ()) -> Instant:
        """The instant as written; else the longest wait of the application that is over, else the end.

        `listeners` hear what happens up to an instant that was written, or to the end.

        Raises:
            ConfigError: It is no instant, or not there; or the run cannot be replayed.
        """
        kept = self._kept
        if kept is not None:
            if at is not None:
                return kept_instant(kept, moment(kept, self.scenario, at), listeners)
            chosen = kept_longest_wait(kept, application) if application is not None else None
            return chosen or kept_instant(kept, kept.info.until_ms, listeners)
        if at is not None:
            return instant_of(self.scenario, instant_given(at, self.scenario.start, "--at"), listeners)
        chosen = longest_wait(self.scenario, application) if application is not None else None
        return chosen or instant_of(self.scenario, self.scenario.duration_ms, listeners)


@contextmanager
def opened_source(
    name: str, assignments: Sequence[str], place: Path | None, *, is_trusted: bool = False
) -> Iterator[RunSource]:
    """Open what a name means: a packaged scenario or a file first, then a kept run.

    Args:
        name: As the user wrote it.
        assignments: `KEY=VALUE` on top of a scenario; a kept run takes none.
        place: Directory of kept runs; None for that of the settings.
        is_trusted: Whether a scenario may name files outside its folder.

    Raises:
        ConfigError: There is neither, with the names most like it; or something is wrong with it.
    """
    if name in packaged() or is_a_file(Path(name)) or NAME.fullmatch(name) is None or name.endswith(".toml"):
        scenario, layers = load_with_places(name, assignments, is_trusted=is_trusted)
        say_idle(scenario, layers)
        with placed(layers):
            yield RunSource(scenario)
        return
    root = runs_root(place)
    runs = names(root)
    if name not in runs:
        hint = _alike(name, runs)
        raise ConfigError([Problem(f"there is no scenario and no kept run called {name}", hint=hint)])
    if assignments:
        raise ConfigError([Problem(f"{name} is a kept run, which is as it was", key="--set")])
    with KeptRun(root, name) as kept:
        yield RunSource(kept.scenario(), kept)


def _alike(name: str, runs: Sequence[str]) -> str:
    scenarios = alike(name, packaged(), 3) or packaged()
    near = alike(name, runs, 3) or runs
    kept = f"runs {', '.join(near)}" if near else "no kept run"
    return f"nearest are scenarios {', '.join(scenarios)}; {kept}"


# Recorded pasts as what a command is asked about: files of a ResourceManager's log, and kept polls of a cluster.


def is_a_log(names: Sequence[str]) -> bool:
    """True where the names are files of a log: several, or one that begins as a log does.

    Raises:
        ConfigError: It cannot be opened.
    """
    paths = [Path(name) for name in names]
    return len(names) > 1 or (is_a_file(paths[0]) and paths[0].suffix != ".toml" and is_log(paths[0]))


def log_series(paths: Sequence[Path]) -> LogSeries:
    """The files of one log, in any order.

    Raises:
        ConfigError: A file is no log, or they say nothing of a cluster.
    """
    with reading(paths) as progressed:
        timeline = read_timeline(paths, ImportReport(), progressed=progressed)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return LogSeries(f"{paths[0].name}{more}", timeline)


def recorded_series(name: str, place: Path | None) -> SnapshotSeries | None:
    """Finds what was recorded under a name: a log, or kept polls; None where the name means something else.

    Args:
        name: As the user wrote it.
        place: Directory of kept runs; None for that of the settings.

    Raises:
        ConfigError: It cannot be read.
    """
    if is_a_file(Path(name)):
        return log_series([Path(name)]) if is_a_log([name]) else None
    if name in packaged() or NAME.fullmatch(name) is None:
        return None
    root = runs_root(place)
    return open_polls(root, name) if name in names(root) and is_polls(root, name) else None


def no_assignments(name: str, assignments: Sequence[str] | None) -> None:
    """Nothing of what was recorded can be set.

    Raises:
        ConfigError: Something is.
    """
    if assignments:
        raise ConfigError([Problem(f"{name} was recorded and is as it was", key="--set")])


def instant_in(series: SnapshotSeries, at: str | None) -> int:
    """An instant of a series as a user wrote it, by default its end [epoch ms].

    Raises:
        ConfigError: It is none, or not within the series.
    """
    if at is None:
        return series.now_ms
    start_ms = series.first_ms // 1000 * 1000
    given_ms = instant_given(at, start_of(series), "--at", last_ms=series.now_ms - start_ms)
    return max(start_ms + given_ms, series.first_ms)


def series_text(
    series: SnapshotSeries, at: str | None, section: str | None = None, *, as_json: bool, as_csv: bool = False
) -> str:
    """The cluster at an instant of a series, as text, JSON or CSV.

    Args:
        at: The instant as written; None is the end.
        section: The only one that is wanted; None for all but containers.
        as_json: Whether as one JSON object.
        as_csv: Whether as a table of the section.

    Raises:
        ConfigError: It is no instant of it, or cannot be read.
    """
    time_ms = instant_in(series, at)
    picture = series.snapshot_at(time_ms)
    standing = standing_of([each for each in series.alerts if each.found_ms <= time_ms])
    chosen = sections_of(picture) if section is None else [section]
    shown = SnapshotText(series.name, series.offset_ms, picture, chosen, standing, series.notes)
    return written(shown, as_json=as_json, as_csv=as_csv)


def why_recorded(
    series: SnapshotSeries, at: str | None, application: str | None, queue: str | None, node: str | None
) -> WhyReport | PlaceReport:
    """The answer about an application, a queue or a node at an instant, by default the end.

    Raises:
        ConfigError: It is no instant of the series, or what was recorded there cannot be read.
        RefusedError: There is no such application, queue or node.
    """
    snapshot = series.snapshot_at(instant_in(series, at))
    if application is not None:
        row = find_application(snapshot.applications(why=False), application)
        if row is None:
            words = f"no single application is meant by {application} at that instant"
            raise RefusedError("ApplicationNotFoundException", words)
        return why_application(snapshot, row.number)
    return why_place(snapshot, *place_named(snapshot, queue, node))


def place_named(snapshot: Snapshot, queue: str | None, node: str | None) -> tuple[str, str]:
    """`queue` and the path of the queue that is meant, else `node` and the id of the node.

    Raises:
        RefusedError: There is no such queue or node.
    """
    if queue is not None:
        paths = [row.path for row in snapshot.queues()]
        path = queue_named(queue, paths)
        if path is None:
            raise RefusedError("UnknownQueue", f"there is no queue {queue}; there is {', '.join(paths)}")
        return "queue", path
    found = next((row.id for row in snapshot.nodes() if node in (row.id, row.host)), None)
    if found is None:
        raise RefusedError("UnknownNode", f"there is no node {node}")
    return "node", found


# The source of a comparison: a scenario, a kept run, a trace, or a ResourceManager's log.

TOML: Final = ".toml"


def source_scenario(
    name: str | None, logs: Sequence[Path], assignments: Sequence[str], runs: Path | None, *, is_trusted: bool
) -> Scenario:
    """The scenario of a source: a packaged one, a file, a kept run with its acts as script, a trace or a log.

    Raises:
        ConfigError: There is no such source, or something is wrong with it.
    """
    if (name is None) == (not logs):
        raise ConfigError(
            [Problem("name what is compared: a scenario, run, trace or log, or --from-log FILE", key="compare")]
        )
    path = Path(name) if name is not None else logs[0]
    if logs or (is_a_file(path) and path.suffix != TOML):
        return changed(_imported(list(logs) or [path]), assignments)
    with opened_source(str(name), assignments, runs, is_trusted=is_trusted) as source:
        scenario = source.scenario
        if not source.is_kept:
            return scenario
        run, acts = source.begun()
        script = tuple(timed(act, position[0] - scenario.start_ms) for position, act in acts)
        return scenario.model_copy(update={"script": script, "duration_ms": run.until_ms, "expectations": ()})


def _imported(files: Sequence[Path]) -> Scenario:
    from engine.formats.traces.formats import read_traces  # noqa: PLC0415 -- only a trace or a log pays for the readers
    from engine.formats.traces.report import ImportReport  # noqa: PLC0415 -- as above
    from engine.formats.traces.to_scenario import imported_scenario  # noqa: PLC0415 -- as above
    from tui.cli.import_ import reading  # noqa: PLC0415 -- as above

    report = ImportReport()
    with reading(files) as progressed, closing(read_traces(files, report, progressed=progressed)) as read:
        scenario = imported_scenario(read, report, name=files[0].name.split(".")[0] or "trace")
    if not scenario.workload:
        raise ConfigError([*report.problems[:10], Problem("no application can be played", str(files[0]))])
    return scenario
