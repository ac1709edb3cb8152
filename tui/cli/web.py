"""`schedlab web [open|drill|watch …]`: the program in a browser, each visitor with one of their own."""

import asyncio
import os
import secrets
import socket
import sys
import time
from collections.abc import Collection, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Final

import typer

from engine.errors import ConfigError, Problem, nearest
from engine.units import UnitError, parse_duration
from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.options import Bind, Hosts, Port, is_loopback, listening_at, port_problems
from tui.cli.web_program import ProcessLimits, PtyProgram, environment_of
from tui.terminal.saving import TO_TERMINAL

if TYPE_CHECKING:
    from tui.cli.web_program import VisitLimits

app = new_app()

NEEDED: Final = ("starlette", "uvicorn", "websockets")  # What the extra `web` installs
VERBS: Final = ("open", "demo", "tour", "drill", "watch", "attach")  # Commands that have a screen
WRITES: Final = frozenset({"--journal", "--keep", "--keep-as", "--record", "--save-folder"})
"""Options that would have every visitor write on this machine."""
ACTS: Final = frozenset({"--acts", "--no-read-only"})
TOKEN_BYTES: Final = 24
CPU_S: Final = 3600  # Time of a processor for one visitor, in sum [s]
LARGEST_FILE: Final = 64 * 1024 * 1024  # The largest file of a program that may act, as the history of drills [bytes]
PING_S: Final = 20.0  # How often a page is asked whether it is still there, and how long it may take to answer
LEAST_MEMORY_MB, MOST_MEMORY_MB = 256, 65536

EXAMPLES: Final = """\b
  schedlab web open reservation-deadlock --at 09:00
  schedlab web --acts drill play quiet-shift
  ssh -L 8089:localhost:8089 host        then, here, the address that is printed there
"""


@app.command("web", epilog=EXAMPLES, context_settings={
    "help_option_names": ["-h", "--help"], "allow_interspersed_args": False,
})  # fmt: skip
def web(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND …]", help=f"One of {', '.join(VERBS)}, with its options; else open."),
    ] = None,
    acts: Annotated[bool, typer.Option("--acts", help="Let visitors act, too; without it they only look.")] = False,
    bind: Bind = "127.0.0.1",
    port: Port = 8089,
    hosts: Hosts = None,
    visitors: Annotated[int, typer.Option("--visitors", metavar="N", help="How many may be there at once.")] = 4,
    idle: Annotated[
        str, typer.Option("--idle", metavar="T", help="End the program of who types nothing for so long.")
    ] = "30m",
    memory: Annotated[int, typer.Option("--memory", metavar="MB", help="Memory of each program (Linux).")] = 2048,
) -> None:
    """Show the program in a browser: every visitor has one of their own, which outlives a reload.

    The page needs the token in the address that is printed; it asks no other server for anything. Visitors look only,
    unless --acts is given. What they save is a download of theirs, and nothing is written on this machine.

    Exit code 2: the input was refused, or the address is taken; 130: ended by ctrl-C.
    """
    with reported_errors():
        command = list(words or ["open"])
        _check(command, port, acts=acts)
        limits = _limits(visitors, idle, memory, acts=acts)
        with listening_at(bind, port) as listener:
            token = secrets.token_urlsafe(TOKEN_BYTES)
            host = f"[{bind}]" if ":" in bind else bind
            address = f"{host}:{listener.getsockname()[1]}"
            typer.echo(f"schedlab: http://{address}/?token={token}", err=True)
            typer.echo(f"schedlab: anybody who has this address {'looks and acts' if acts else 'looks on'}", err=True)
            if not is_loopback(bind):
                words_of_risk = "other machines can reach it, and read along; ssh -L or a proxy with TLS is safer"
                typer.echo(f"schedlab: --bind {bind}: {words_of_risk}", err=True)
            start = partial(_start, [sys.executable, "-P", "-m", "tui", *command], acts)
            code = asyncio.run(_serve(start, limits, token, address, hosts or (), listener))
    raise typer.Exit(code)


def _check(command: Sequence[str], port: int, *, acts: bool) -> None:
    problems = port_problems(port)
    missing = [each for each in NEEDED if find_spec(each) is None]
    if missing:
        hint = "install them with: pip install 'schedlab[web]'"
        problems.append(Problem(f"web needs {', '.join(missing)}", hint=hint))
    if command[0] not in VERBS:
        hint = nearest(command[0], VERBS) or f"there is {', '.join(VERBS)}"
        problems.append(Problem(f"{command[0]} has no screen", key="web", hint=hint))
    if command[0] == "drill" and not acts:
        problems.append(Problem("a drill is played by acting", key="web", hint="schedlab web --acts drill play NAME"))
    for option in (word.partition("=")[0] for word in command):
        if option in WRITES:
            problems.append(Problem("every visitor would write on this machine", key=option))
        if option in ACTS and not acts:
            problems.append(Problem("visitors only look", key=option, hint="schedlab web --acts lets them act"))
    if problems:
        raise ConfigError(problems)


def _limits(visitors: int, idle: str, memory_mb: int, *, acts: bool) -> "VisitLimits":
    try:
        idle_ms = parse_duration(idle)
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--idle")]) from None
    for key, number, least, most in (
        ("--visitors", visitors, 1, 100),
        ("--idle", idle_ms / 1000, 10, 7 * 86400),
        ("--memory", memory_mb, LEAST_MEMORY_MB, MOST_MEMORY_MB),
    ):
        if not least <= number <= most:
            raise ConfigError([Problem(f"{number:g} is not from {least} to {most}", key=key)])
    from tui.cli.web_program import VisitLimits  # noqa: PLC0415 -- beside what needs the extra `web`

    return VisitLimits(visitors, idle_ms / 1000, ProcessLimits(memory_mb, CPU_S, LARGEST_FILE if acts else 0))


def _start(command: Sequence[str], acts: bool, size: tuple[int, int], confines: ProcessLimits) -> PtyProgram:
    own = {"SCHEDLAB_READ_ONLY": "false" if acts else "true", "SCHEDLAB_SAVE_FOLDER": str(TO_TERMINAL)}
    return PtyProgram(command, environment_of(os.environ, own), size, confines)


async def _serve(
    start: partial[PtyProgram],
    limits: "VisitLimits",
    token: str,
    address: str,
    hosts: Collection[str],
    listener: socket.socket,
) -> int:
    """Answer until a signal comes; the exit code."""
    from tui.cli.serve_limits import answered, answering  # noqa: PLC0415 -- needs the extra `web`
    from tui.cli.web_app import LARGEST_MESSAGE, WebApp  # noqa: PLC0415 -- it loads starlette, which only a server pays for

    served = WebApp(start, limits, token, address, hosts, time.monotonic)
    server = answering(
        served.app(),
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_ping_interval=PING_S,
        ws_ping_timeout=PING_S,
    )
    watching = asyncio.create_task(served.visits.watch())
    try:
        return await answered(server, listener)
    finally:
        watching.cancel()
        await served.visits.close()
