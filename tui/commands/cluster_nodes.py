"""The nodes that `schedlab config --nodes` names: sizes, or a running cluster, a log or kept polls that tell them."""

import asyncio
from collections import Counter

from engine.errors import ConfigError, Problem
from engine.formats.finding import NodeSizes
from engine.live.spark_source import SparkSource
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from tui.commands.recorded_source import recorded_series
from tui.commands.watch_options import checked, is_address
from tui.commands.watch_source import connector, source_of


def nodes_told_by(given: str) -> list[NodeSizes] | None:
    """The nodes of a cluster at an address, or at the end of a log or of kept polls; None where it is none of these.

    Raises:
        ConfigError: It cannot be read, or tells of no node how large it is.
        SourceError: The server does not answer.
    """
    if is_address(given):
        asked = checked([given], "2s", "60s", (), None, None)
        found = asyncio.run(_polled(source_of(asked, connector(None, insecure=False), None)))
    else:
        series = recorded_series(given, None)
        if series is None:
            return None
        found = series.snapshot_at(series.now_ms)
    sizes = Counter(node.total[:2] for node in found.nodes() if all(node.total[:2]))
    if not sizes:
        raise ConfigError([Problem("tells of no node how large it is", given, key="--nodes", hint="e.g. 40x128g/32")])
    return [NodeSizes(count, *size) for size, count in sizes.items()]


async def _polled(server: YarnSource | SparkSource) -> Snapshot:
    """The cluster now; connections belong to this loop and are let go."""
    try:
        return await server.poll()
    finally:
        await server.close()
