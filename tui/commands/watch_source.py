"""What `schedlab watch` asks: a ResourceManager or a Spark Master, whichever answers."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import typer

from engine.live.followed_log import FollowedLog
from engine.live.log_places import LogFile, LogPage
from engine.live.rest_client import PollPace, RestClient
from engine.live.spark_source import SparkSource, is_spark_master
from engine.live.yarn_acts import YarnActs
from engine.live.yarn_source import YarnSource
from tui.commands.watch_options import WatchInput, is_address
from tui.session.live_acts import LiveActs

Connect = Callable[[], httpx.AsyncClient]


def source_of(asked: WatchInput, connect: Connect, rm_log: str | None) -> YarnSource | SparkSource:
    """Find out what the servers are; those that do not answer are taken for ResourceManagers.

    Args:
        rm_log: The ResourceManager's log, a file or an address; None where none is read.
    """
    client, pace = RestClient(asked.urls, connect), PollPace(asked.interval_ms)
    if asyncio.run(_is_spark(client)):
        return SparkSource(client, connect, pace)
    return YarnSource(client, pace, None if rm_log is None else _followed(rm_log, connect))


def acts_of(source: YarnSource | SparkSource, user: str, token: str = "") -> LiveActs | None:
    """The acts that its server offers, by a user; None, and a sentence, where it offers none.

    Args:
        user: Who acts, where the server believes a name alone; empty where a login or a token says it.
        token: What the server wants to see before it acts; empty where it wants none.
    """
    if isinstance(source, YarnSource):
        return LiveActs(YarnActs(source.client, user, token))
    typer.echo("schedlab: --acts: a Spark Master has no REST interface for acts; it is only looked at", err=True)
    return None


async def _is_spark(client: RestClient) -> bool:
    """Connections belong to this loop and are let go."""
    try:
        return await is_spark_master(client)
    finally:
        await client.close()


def _followed(rm_log: str, connect: Connect) -> FollowedLog:
    return FollowedLog(LogPage(rm_log, connect) if is_address(rm_log) else LogFile(Path(rm_log)))
