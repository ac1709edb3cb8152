"""`schedlab open LOG…`: what a ResourceManager's log says, on the screens of a simulation."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import is_a_file
from engine.formats.traces.read import is_log, read_timeline
from engine.formats.traces.report import ImportReport
from engine.recorded.log_series import LogSeries
from engine.recorded.series import SnapshotSeries
from tui.app import SchedlabApp
from tui.commands.import_trace import reading
from tui.requests.context import Absent
from tui.session.series_view import SeriesConnection
from tui.settings import UserSettings

ABSENT: Final = Absent(
    acts="This was recorded: nothing here can change a cluster.",
    copy="Not tried: this was recorded, and there is no copy of the cluster.",
)
"""What is said where a recorded past has no acts."""


def is_a_log(names: Sequence[str]) -> bool:
    """Whether files are named that belong to a log: several, or one that begins as a log does.

    Raises:
        ConfigError: It cannot be opened.
    """
    paths = [Path(name) for name in names]
    return len(names) > 1 or (is_a_file(paths[0]) and paths[0].suffix != ".toml" and is_log(paths[0]))


def open_log(paths: Sequence[Path], at: str | None, settings: UserSettings) -> None:
    """Show the files of one log on screen.

    Args:
        paths: The files, in any order.
        at: The instant to begin at, as people write it; None is the end.
        settings: How the screen is to be.

    Raises:
        ConfigError: A file is no log, or says nothing of a cluster, or the instant is not within it.
    """
    report = ImportReport()
    with reading(paths) as progressed:
        timeline = read_timeline(paths, report, progressed=progressed)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    show_series(LogSeries(f"{paths[0].name}{more}", timeline), at, settings)


def show_series(series: SnapshotSeries, at: str | None, settings: UserSettings) -> None:
    """Show a recorded past on screen, standing at an instant, by default at its end.

    Raises:
        ConfigError: The instant is not within it.
    """
    connection = SeriesConnection(series)
    if at is not None and (words := connection.place.travel(at)):
        raise ConfigError([Problem(words, key="--at")])
    speed = settings.number("speed")
    if speed is not None:
        connection.place.speed = speed or float("inf")
    SchedlabApp(
        connection,
        palette=settings.text("theme"),
        ascii_only=settings.is_on("ascii"),
        read_only=True,
        registry=settings.registry,
        save_folder=settings.folder("save_folder") or Path(),
        absent=ABSENT,
    ).run()
