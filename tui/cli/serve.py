"""`schedlab serve SOURCE`: a simulation that answers as a ResourceManager."""

import asyncio
import secrets
import socket
from collections.abc import Collection
from typing import Final

from engine.errors import ConfigError, Problems
from engine.schedulers.registry import SCHEDULERS
from engine.serve.served import FASTEST, SLOWEST, ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import release_of
from engine.units import parse_instant_option
from tui.cli.grammar import Given
from tui.cli.listening import address_of, hosts_of, is_loopback, listening_at, needed_problems, place_of, token_given
from tui.cli.opened import opened
from tui.cli.source import named_source, settings_of
from tui.cli.talk import warn

TOKEN_BYTES: Final = 16
PORT: Final = 8088


def serve(given: Given) -> int:
    """Serve a source as a ResourceManager of 2.7.2 or 3.4.1 until a signal comes; the exit code."""
    settings, problems = settings_of(given), Problems()
    speed = 1.0 if not given.is_on("speed") else settings.number("speed") or FASTEST
    with problems.taken():
        source = named_source(given)
    with problems.taken():
        bind, port = place_of(given, PORT)
    problems.found += needed_problems()
    if not SLOWEST <= speed <= FASTEST:
        problems.add(f"{speed:g} is not a speed from {SLOWEST:g} to {FASTEST:,.0f}", key="--speed")
    problems.check()
    named, is_open = token_given(given.path("token-file")), settings.is_on("serve.open")
    with opened(source, given) as run:
        scheduler, at = run.scenario.scheduler, None if run.is_twin else given.text("at")
        if scheduler not in SCHEDULERS:
            raise ConfigError.of(f"{source.name} has no ResourceManager: its scheduler is {scheduler}")
        past = ApplicationPast()
        played, kept = run.begun([past])
        begin_ms = 0 if at is None else parse_instant_option(at, played.scenario.start, "--at", last_ms=played.until_ms)
    pace = ServedPace(played, kept, speed=speed, paused=given.is_on("paused"))
    pace.advance(begin_ms)
    release = release_of(played.scenario.scheduler)
    secret = None if is_open else named or secrets.token_urlsafe(TOKEN_BYTES)
    with listening_at(bind, port) as listener:
        address = address_of(bind, listener)
        served = ServedCluster(lambda: pace.played.simulation, pace.act, past, release, address)
        _say(served, played.scenario.name, bind, None if named else secret, is_open=is_open)
        return asyncio.run(_serve(served, pace, secret, hosts_of(settings), listener))


def _say(served: ServedCluster, name: str, bind: str, secret: str | None, *, is_open: bool) -> None:
    version, url = served.release.version, f"http://{served.address}/ws/v1/cluster/info"
    warn(f"schedlab: {name} answers as ResourceManager {version} at {url}")
    if secret is not None:
        warn(f"schedlab: acts need the token {secret}")
    if is_open:
        warn(
            "schedlab: serve.open: every program that reaches it may kill and move applications, also one that a web"
            " page talks to; pages themselves are refused by their Origin",
        )
    if not is_loopback(bind):
        warn(f"schedlab: --listen {bind}: other machines can reach it")


async def _serve(
    served: ServedCluster, pace: ServedPace, token: str | None, hosts: Collection[str], listener: socket.socket
) -> int:
    from tui.serving.serve_app import ServedApp  # noqa: PLC0415 -- needs the extra, too
    from tui.serving.serve_limits import answered, answering  # noqa: PLC0415 -- needs the extra `server`

    return await answered(answering(ServedApp(served, pace, token, hosts).app()), listener, pace.run())
