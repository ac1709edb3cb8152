"""Opens the source of `schedlab watch`: a ResourceManager or a Spark Master, whichever answers; and whom it trusts."""

import asyncio
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib import import_module
from pathlib import Path
from typing import Final

import httpx
import typer

from engine.errors import ConfigError, Problem, SourceError
from engine.formats.regular_files import read_file_text
from engine.live.followed_log import FollowedLog
from engine.live.log_places import LogFile, LogPage
from engine.live.rest_client import PollPace, RestClient
from engine.live.spark_source import SparkSource, is_spark_master
from engine.live.yarn_acts import YarnActs
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from tui.commands.twin_options import ClusterFiles
from tui.commands.watch_options import WatchInput, is_address
from tui.session.live_acts import LiveActs
from tui.session.opening import Said, TwinOpener

TIMEOUT_S: Final = 10.0
"""How long a server may take for a connection, and between two parts of an answer."""


def connector(authority: Path | None, *, insecure: bool, kerberos: bool = False) -> Callable[[], httpx.AsyncClient]:
    """Makes clients that trust what the user trusts, and log in as the user.

    Raises:
        ConfigError: The file of certificates cannot be read, or there is no library for Kerberos.
    """
    login = _login() if kerberos else None
    context = ssl.create_default_context() if authority is None else _trusting(authority)
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    limits = httpx.Limits(max_connections=2)
    return lambda: httpx.AsyncClient(
        verify=context,
        timeout=TIMEOUT_S,
        limits=limits,
        follow_redirects=False,
        auth=login,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # none is kept
    )


def _login() -> httpx.Auth:
    """Logs in by SPNEGO with the ticket that `kinit` got."""
    try:
        gssapi = import_module("httpx_gssapi")
    except (ImportError, OSError):  # the library is there without the Kerberos of the system
        hint = "pip install 'schedlab[kerberos]', which needs the Kerberos libraries of the system"
        raise ConfigError([Problem("needs httpx-gssapi", key="--kerberos", hint=hint)]) from None
    login: httpx.Auth = gssapi.HTTPSPNEGOAuth(opportunistic_auth=True)
    return login


def _trusting(authority: Path) -> ssl.SSLContext:
    """Makes a TLS context that trusts the authorities of a file and no others."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        text = read_file_text(authority).encode("ascii", "replace").decode("ascii")  # comments may be of other letters
        context.load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ConfigError([Problem("holds no certificates in PEM form", str(authority), key="--ca")]) from None
    return context


Connect = Callable[[], httpx.AsyncClient]


def source_of(asked: WatchInput, connect: Connect, rm_log: str | None) -> YarnSource | SparkSource:
    """Find out what the servers are; those that do not answer are taken for ResourceManagers.

    `rm_log` is the ResourceManager's log, a file or an address; None where none is read.
    """
    client, pace = RestClient(asked.urls, connect), PollPace(asked.interval_ms)
    if asyncio.run(_is_spark(client)):
        return SparkSource(client, connect, pace)
    return YarnSource(client, pace, None if rm_log is None else _followed(rm_log, connect))


def acts_of(source: YarnSource | SparkSource, user: str, token: str = "") -> LiveActs | None:
    """The acts that its server offers, by a user; None, and a sentence, where it offers none.

    `user` acts, where the server believes a name alone; empty where a login or a token says it. An empty `token` is
    none.
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


def live_twin(source: YarnSource | SparkSource, looked_at: Callable[[], Snapshot], files: ClusterFiles) -> TwinOpener:
    """Makes twins of a live cluster, by the files named and what the server says of its settings."""

    async def settings() -> Said:
        with suppress(SourceError):
            return await source.scheduling() if isinstance(source, YarnSource) else None
        return None

    offset_ms = time.localtime().tm_gmtoff * 1000
    return TwinOpener(source.client.where, looked_at, files.configuration, settings=settings, offset_ms=offset_ms)
