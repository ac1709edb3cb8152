"""`schedlab open LOG…`: what a ResourceManager's log says, on the screens of a simulation."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from engine.errors import ConfigError, Problem
from engine.recorded.log_series import SnapshotSeries
from tui.app import SchedlabApp
from tui.cli.source import log_series
from tui.cli.watch_source import NO_FILES, ClusterFiles, recorded_twin
from tui.screens.requests import UnavailableMessages
from tui.session.series import SeriesConnection
from tui.settings import UserSettings

ABSENT: Final = UnavailableMessages(
    acts="This was recorded: nothing here can change a cluster.",
    copy="Not tried: this was recorded, and there is no copy of the cluster.",
)
"""What is said where a recorded past has no acts."""


def open_log(paths: Sequence[Path], at: str | None, settings: UserSettings, files: ClusterFiles = NO_FILES) -> None:
    """Show the files of one log on screen.

    Args:
        paths: The files, in any order.
        at: The instant to begin at, as people write it; None is the end.
        files: The cluster's configuration, for twins.

    Raises:
        ConfigError: A file is no log, or says nothing of a cluster, or the instant is not within it.
    """
    show_series(log_series(paths), at, settings, files)


def show_series(series: SnapshotSeries, at: str | None, settings: UserSettings, files: ClusterFiles = NO_FILES) -> None:
    """Show a recorded past on screen, standing at an instant, by default at its end.

    Raises:
        ConfigError: The instant is not within it, or a file cannot be read.
    """
    connection = SeriesConnection(series)
    connection.twin = recorded_twin(series, connection.place.snapshot, files.checked())
    if at is not None and (words := connection.place.travel(at)):
        raise ConfigError([Problem(words, key="--at")])
    speed = settings.number("speed")
    if speed is not None:
        connection.place.speed = speed or float("inf")
    screen = SchedlabApp(
        connection,
        palette=settings.text("theme"),
        ascii_only=settings.is_on("ascii"),
        read_only=True,
        registry=settings.registry,
        save_folder=settings.folder("save_folder") or Path(),
        absent=ABSENT,
    )
    screen.run()
    raise typer.Exit(screen.return_code or 0)
