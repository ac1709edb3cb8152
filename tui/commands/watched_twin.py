"""The twin of what `schedlab watch` or `schedlab open LOG` shows: who is asked for its configuration."""

import time
from collections.abc import Callable
from contextlib import suppress

from engine.errors import SourceError
from engine.live.spark_source import SparkSource
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from engine.recorded.series import SnapshotSeries
from tui.commands.twin_options import ClusterFiles
from tui.session.twin_session import Said, TwinOpener


def live_twin(source: YarnSource | SparkSource, looked_at: Callable[[], Snapshot], files: ClusterFiles) -> TwinOpener:
    """Makes twins of a live cluster, by the files named and what the server says of its settings.

    Args:
        looked_at: The picture on the screen.
        files: Those that a user named.
    """

    async def settings() -> Said:
        with suppress(SourceError):
            return await source.scheduling() if isinstance(source, YarnSource) else None
        return None

    offset_ms = time.localtime().tm_gmtoff * 1000
    return TwinOpener(source.where, looked_at, files.configuration, settings=settings, offset_ms=offset_ms)


def recorded_twin(series: SnapshotSeries, looked_at: Callable[[], Snapshot], files: ClusterFiles) -> TwinOpener:
    """Makes twins of a recorded past, which says nothing of its settings.

    Args:
        looked_at: The picture on the screen.
        files: Those that a user named.
    """
    return TwinOpener(series.name, looked_at, files.configuration, offset_ms=series.offset_ms)
