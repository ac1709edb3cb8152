"""Recorded pasts as what a command is asked about: files of a ResourceManager's log, and kept polls of a cluster."""

from collections.abc import Sequence
from pathlib import Path

from engine.errors import ConfigError, Problem, RefusedError
from engine.explain.alert import standing_of
from engine.explain.report import PlaceReport, WhyReport
from engine.formats.regular_files import is_a_file
from engine.formats.scenario_files import packaged
from engine.formats.traces.read import is_log, read_timeline
from engine.formats.traces.report import ImportReport
from engine.live.live_why import why_application, why_place
from engine.model.queue import queue_named
from engine.observe.snapshot import Snapshot
from engine.observe.snapshot_document import sections_of
from engine.recorded.kept_polls import open_polls
from engine.recorded.log_series import LogSeries
from engine.recorded.polls_file import is_polls
from engine.recorded.series import SnapshotSeries, start_of
from engine.run.measures import find_application
from engine.run.run_store import NAME, names
from engine.units import instant_given
from tui.commands.import_trace import reading
from tui.commands.keeping import runs_root
from tui.commands.snapshot_text import SnapshotText, written


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
