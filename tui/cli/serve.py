"""`schedlab serve NAME|FILE|RUN`: a simulation that answers as a ResourceManager."""

import asyncio
import os
import re
import secrets
import socket
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import read_file_text
from engine.schedulers.registry import SCHEDULERS
from engine.serve.served import FASTEST, SLOWEST, ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import release_of
from engine.units import instant_given
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.options import (
    Assignments,
    Bind,
    Hosts,
    Place,
    Port,
    Trust,
    is_loopback,
    listening_at,
    needed_problems,
    port_problems,
)
from tui.cli.source import SourceName, opened_source

# The secret that acts on a server may need: from a file or the environment, never from the command line.
#
# Command lines are seen by everybody on a machine (`ps`); so are the environments of commands that are started later,
# so the variable is taken out of this program's own.

VARIABLE: Final = "SCHEDLAB_TOKEN"

TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="FILE", help=f"Token that acts need; else of the variable {VARIABLE}."),
]


def token_given(file: Path | None) -> str:
    """The token of a file, else of the environment; empty where there is none.

    Args:
        file: A text file of one line; `-` is the standard input.

    Raises:
        ConfigError: The file cannot be read, or what it says is no token. What it says is not in the message.
    """
    of_environment = os.environ.pop(VARIABLE, "")
    token, place = (of_environment, "") if file is None else (read_file_text(file), str(file))
    token = token.strip()
    is_whole = token.isascii() and token.isprintable() and " " not in token
    if not is_whole or (file is not None and not token):
        words = "holds no token, which is one word of ASCII letters, digits and signs"
        raise ConfigError([Problem(words, place, key="--token-file" if place else VARIABLE)])
    return token


app = new_app()

TOKEN_BYTES: Final = 16
_UNSENDABLE: Final = re.compile(r"[^!-~]")

EXAMPLES: Final = """\b
The clock is moved by the server's own addresses:
  curl localhost:8088/schedlab/v1/clock
  curl -X PUT -H "Authorization: Bearer $TOKEN" -d '{"paused": true}' localhost:8088/schedlab/v1/clock
  curl -X PUT -H "Authorization: Bearer $TOKEN" -d '{"paused": false, "speed": 60}' localhost:8088/schedlab/v1/clock
  curl -X POST -H "Authorization: Bearer $TOKEN" -d '{"for": "30s"}' localhost:8088/schedlab/v1/clock/step
  curl -X POST -H "Authorization: Bearer $TOKEN" -d '{"to": "09:00"}' localhost:8088/schedlab/v1/clock/step
"""

At = Annotated[str | None, typer.Option("--at", metavar="T", help="Instant to begin at: 09:00, +30m or seconds.")]
Speed = Annotated[float, typer.Option("--speed", metavar="X", help="Simulated seconds per second.")]
Paused = Annotated[bool, typer.Option("--paused", help="Begin with the clock stopped.")]
Token = Annotated[
    str | None,
    typer.Option(
        "--token", metavar="TEXT", envvar=VARIABLE, help="What acts have to bring; else a new one. `ps` shows it here."
    ),
]
Open = Annotated[bool, typer.Option("--no-token", help="Let anybody act who reaches the server.")]


@app.command(epilog=EXAMPLES)
def serve(
    name: SourceName,
    at: At = None,
    speed: Speed = 1.0,
    paused: Paused = False,
    bind: Bind = "127.0.0.1",
    port: Port = 8088,
    token: Token = None,
    no_token: Open = False,
    hosts: Hosts = None,
    assignments: Assignments = None,
    trust: Trust = False,
    runs: Place = None,
) -> None:
    """Serve a simulation as a ResourceManager of 2.7.2 or 3.4.1, for dashboards, exporters and scripts.

    Answers are those of /ws/v1/cluster, as JSON or XML. Times in them are those of the simulation, and so is the Date
    of every answer. Applications are read by anybody; acts (PUT, POST) need the token that is written on stderr.
    It is asked by address, as localhost or by this machine's name; other names of the Host header, and web pages of
    other servers, are refused.

    Exit code 2: the input was refused, or the address is taken; 130: ended by ctrl-C.
    """
    with reported_errors():
        _check(speed, port, token)
        with opened_source(name, assignments or (), runs, is_trusted=trust) as source:
            scheduler = source.scenario.scheduler
            if scheduler not in SCHEDULERS:
                raise ConfigError([Problem(f"{name} has no ResourceManager: its scheduler is {scheduler}")])
            past = ApplicationPast()
            played, kept = source.begun([past])
            begin_ms = 0 if at is None else instant_given(at, played.scenario.start, "--at", last_ms=played.until_ms)
        pace = ServedPace(played, kept, speed=speed, paused=paused)
        pace.advance(begin_ms)
        release = release_of(played.scenario.scheduler)
        secret = None if no_token else secrets.token_urlsafe(TOKEN_BYTES) if token is None else token
        with listening_at(bind, port) as listener:
            address = f"[{bind}]" if ":" in bind else bind
            address += f":{listener.getsockname()[1]}"
            served = ServedCluster(lambda: pace.played.simulation, pace.act, past, release, address)
            _say(served, played.scenario.name, bind, secret if token is None else None, is_open=no_token)
            code = asyncio.run(_serve(served, pace, secret, hosts or (), listener))
    raise typer.Exit(code)


def _check(speed: float, port: int, token: str | None) -> None:
    problems = needed_problems()
    if not SLOWEST <= speed <= FASTEST:
        problems.append(Problem(f"{speed:g} is no speed from {SLOWEST:g} to {FASTEST:,.0f}", key="--speed"))
    if token is not None and _UNSENDABLE.search(token or " "):
        problems.append(Problem("a token is at least one ASCII letter, digit or sign, without blanks", key="--token"))
    problems += port_problems(port)
    if problems:
        raise ConfigError(problems)


def _say(served: ServedCluster, name: str, bind: str, secret: str | None, *, is_open: bool) -> None:
    """Say where it answers, and who may act."""
    version, url = served.release.version, f"http://{served.address}/ws/v1/cluster/info"
    typer.echo(f"schedlab: {name} answers as ResourceManager {version} at {url}", err=True)
    if secret is not None:
        typer.echo(f"schedlab: acts need the token {secret}", err=True)
    if is_open:
        typer.echo(
            "schedlab: --no-token: every program that reaches it may kill and move applications, also one that a web"
            " page talks to; pages themselves are refused by their Origin",
            err=True,
        )
    if not is_loopback(bind):
        typer.echo(f"schedlab: --bind {bind}: other machines can reach it", err=True)


async def _serve(
    served: ServedCluster, pace: ServedPace, token: str | None, hosts: Collection[str], listener: socket.socket
) -> int:
    """Answer until a signal comes; the exit code. What ends the clock ends the server, and is raised."""
    from tui.cli.serve_app import ServedApp  # noqa: PLC0415 -- needs the extra, too
    from tui.cli.serve_limits import answered, answering  # noqa: PLC0415 -- needs the extra `server`

    server = answering(ServedApp(served, pace, token, hosts).app())

    def stop(ended: asyncio.Task[None]) -> None:
        server.should_exit = True

    clock = asyncio.create_task(pace.run())
    clock.add_done_callback(stop)
    try:
        code = await answered(server, listener)
    finally:
        clock.cancel()
        (ended,) = await asyncio.gather(clock, return_exceptions=True)
    if isinstance(ended, Exception):
        raise ended
    return code
