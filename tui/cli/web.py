"""`--web`: what a command shows, in a browser; each visitor has a program of their own."""

import asyncio
import os
import secrets
import socket
import sys
import time
from collections.abc import Collection, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from engine.errors import ConfigError, Problem
from engine.units import parse_duration
from tui.cli.grammar import Given
from tui.cli.listening import address_of, hosts_of, is_loopback, listening_at, place_of
from tui.cli.source import settings_of
from tui.cli.talk import warn
from tui.serving.web_program import ProcessLimits, PtyProgram, environment_of
from tui.settings import UserSettings, given_by_words
from tui.terminal.saving import TO_TERMINAL

if TYPE_CHECKING:
    from tui.serving.web_program import VisitLimits

NEEDED: Final = ("starlette", "uvicorn", "websockets")  # What the extra `web` installs
WRITES: Final = ("keep", "output")  # Options that would have every visitor write on this machine
DECIDED: Final = ("read_only", "save_folder")  # Settings that are not a visitor's
PORT: Final = 8089
TOKEN_BYTES: Final = 24
CPU_S: Final = 3600  # Time of a processor for one visitor, in sum [s]
LARGEST_FILE: Final = 64 * 1024 * 1024  # The largest file of a program that may act, as the history of drills [bytes]
PING_S: Final = 20.0  # How often a page is asked whether it is still there, and how long it may take to answer
OWN: Final = {"--web": 1, "--listen": 2}  # Options of the server itself → how many words they are


def show(given: Given) -> int:
    """Show a command in a browser until a signal comes; the exit code. The words are those of the whole command line.

    The page needs the token in the address that is printed. Visitors look only, unless `--acts` is given; what they
    save is a download of theirs, and nothing is written on this machine.
    """
    acts, settings = given.is_on("acts"), settings_of(given)
    command = _command(given.words)
    check(given, acts=acts)
    limits = limits_of(settings, acts=acts)
    bind, port = place_of(given, PORT)
    with listening_at(bind, port) as listener:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        address = address_of(bind, listener)
        warn(f"schedlab: http://{address}/?token={token}")
        warn(f"schedlab: anybody who has this address {'looks and acts' if acts else 'looks on'}")
        if not is_loopback(bind):
            risk = "other machines can reach it, and read along; ssh -L or a proxy with TLS is safer"
            warn(f"schedlab: --listen {bind}: {risk}")
        start = partial(_start, [sys.executable, "-P", "-m", "tui", *command], acts)
        return asyncio.run(_serve(start, limits, token, address, hosts_of(settings), listener))


def _command(words: Sequence[str]) -> list[str]:
    """The command that each visitor's program is: the same without the options of the server."""
    left, found = list(words), list[str]()
    while left:
        word = left.pop(0)
        flag, equals, _ = word.partition("=")
        if flag in OWN:
            del left[: 0 if equals else OWN[flag] - 1]
        else:
            found.append(word)
    return found


def check(given: Given, *, acts: bool) -> None:
    """Refuse what would have visitors write or act."""
    problems: list[Problem] = []
    missing = [each for each in NEEDED if find_spec(each) is None]
    if missing:
        hint = "install them with: pip install 'schedlab[web]'"
        problems.append(Problem(f"--web needs {', '.join(missing)}", hint=hint))
    if given.verb == "drill play" and not acts:
        hint = "drill play NAME --web --acts"
        problems.append(Problem("a drill is played by acting", key="--web", hint=hint))
    problems += [
        Problem("every visitor would write on this machine", key=f"--{each}") for each in WRITES if given.is_on(each)
    ]
    own = given_by_words(given.many("c"))
    problems += [Problem("is decided by --acts", key=f"-c {each}") for each in DECIDED if each in own]
    if problems:
        raise ConfigError(problems)


def limits_of(settings: UserSettings, *, acts: bool) -> "VisitLimits":
    """The limits of visitors, by the settings `web.visitors`, `web.idle` and `web.memory`."""
    from tui.serving.web_program import VisitLimits  # noqa: PLC0415 -- beside what needs the extra `web`

    memory_mb, visitors = settings.whole("web.memory") or 0, settings.whole("web.visitors") or 0
    idle_s = parse_duration(settings.text("web.idle")) / 1000
    return VisitLimits(visitors, idle_s, ProcessLimits(memory_mb, CPU_S, LARGEST_FILE if acts else 0))


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
    from tui.serving.serve_limits import answered, answering  # noqa: PLC0415 -- needs the extra `web`
    from tui.serving.web_app import LARGEST_MESSAGE, WebApp  # noqa: PLC0415 -- it loads starlette, which only a server pays for

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
