"""`--listen` and `--web`: where what answers listens, the token that acts need, and a command shown in a browser."""

import asyncio
import errno
import os
import secrets
import socket
import sys
import time
from collections.abc import Collection, Sequence
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from engine.errors import ConfigError, Problem, Problems
from engine.formats.regular_files import read_file_text
from engine.units import parse_duration
from tui.cli.grammar import Given
from tui.cli.source import settings_of
from tui.cli.talk import warn
from tui.serving.web_program import ProcessLimits, PtyProgram, VisitLimits, environment_of
from tui.settings import UserSettings, given_by_words
from tui.terminal.saving import TO_TERMINAL

MOST_PORT: Final = 65535
LOOPBACK: Final = "127.0.0.1"
NEEDED: Final = ("starlette", "uvicorn")  # What the extra `server` installs


def place_of(given: Given, port: int) -> tuple[str, int]:
    text = given.text("listen")
    if text is None:
        return LOOPBACK, port
    address, _, number = text.rpartition(":")
    if not number.isdecimal() or int(number) > MOST_PORT:
        words = f"{number or text} is not a port, which is 0 to {MOST_PORT}"
        raise ConfigError.of(words, key="--listen", hint="8088, 0.0.0.0:8088")
    return address.strip("[]") or LOOPBACK, int(number)


def port_of(given: Given, port: int) -> int:
    address, found = place_of(given, port)
    if not is_loopback(address):
        raise ConfigError.of(f"{address} is not this machine alone", key="--listen", hint=f"--listen {found}")
    return found


def needed_problems() -> list[Problem]:
    """Problems that keep it from serving; none where the extra is installed."""
    missing = [each for each in NEEDED if find_spec(each) is None]
    hint = "install them with: pip install 'schedlab[server]'"
    return [Problem(f"serve needs {' and '.join(missing)}", hint=hint)] if missing else []


def listening_at(bind: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free."""
    try:
        family = socket.AF_INET6 if ":" in bind else socket.AF_INET
        return socket.create_server((bind, port), family=family)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            hint = "--listen 0 takes any that is free"
            raise ConfigError.of(f"port {port} of {bind} is taken", key="--listen", hint=hint) from None
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not an address"
        raise ConfigError.of(f"cannot listen at {bind} port {port}: {reason.lower()}") from None


def address_of(bind: str, listener: socket.socket) -> str:
    return f"{f'[{bind}]' if ':' in bind else bind}:{listener.getsockname()[1]}"


def hosts_of(settings: UserSettings) -> list[str]:
    """Names by which a server may be called, beside its address."""
    return [each for each in settings.text("hosts").split(",") if each]


def is_loopback(bind: str) -> bool:
    try:
        return ip_address(bind).is_loopback
    except ValueError:
        return bind == "localhost"


VARIABLE: Final = "SCHEDLAB_TOKEN"

# The secret that acts on a server may need: from a file or the environment, never from the command line.
#
# Command lines are seen by everybody on a machine (`ps`); so are the environments of commands that are started later,
# so the variable is taken out of this program's own.


def token_given(file: Path | None) -> str:
    """The one word in a file (`-`: standard input), else of the environment, or empty; it is in no message."""
    of_environment = os.environ.pop(VARIABLE, "")
    token, place = (of_environment, "") if file is None else (read_file_text(file), str(file))
    token = token.strip()
    is_whole = token.isascii() and token.isprintable() and " " not in token
    if not is_whole or (file is not None and not token):
        words = "holds no token, which is one word of ASCII letters, digits and signs"
        raise ConfigError.of(words, place, key="--token-file" if place else VARIABLE)
    return token


# `--web`: what a command shows, in a browser; each visitor has a program of their own.

NEEDED_BY_WEB: Final = (*NEEDED, "websockets")  # What the extra `web` installs
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

    The page needs the token in the address that is printed. What visitors save is a download of theirs.
    """
    acts, settings = given.is_on("acts"), settings_of(given)
    command = _command(given.words)
    check(given, acts=acts)
    confines = ProcessLimits(settings.whole("web.memory") or 0, CPU_S, LARGEST_FILE if acts else 0)
    idle_s = parse_duration(settings.text("web.idle")) / 1000
    limits = VisitLimits(settings.whole("web.visitors") or 0, idle_s, confines)
    bind, port = place_of(given, PORT)
    with listening_at(bind, port) as listener:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        address = address_of(bind, listener)
        warn(f"schedlab: http://{address}/?token={token}")
        warn(f"schedlab: anyone with this address {'looks and acts' if acts else 'looks on'}")
        if not is_loopback(bind):
            risk = "other machines can reach it, and read along; ssh -L or a proxy with TLS is safer"
            warn(f"schedlab: --listen {bind}: {risk}")
        start = partial(_start, [sys.executable, "-P", "-m", "tui", *command], acts)
        return asyncio.run(_serve(start, limits, token, address, hosts_of(settings), listener))


def _command(words: Sequence[str]) -> list[str]:
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
    problems = Problems()
    missing = [each for each in NEEDED_BY_WEB if find_spec(each) is None]
    if missing:
        hint = "install them with: pip install 'schedlab[web]'"
        problems.add(f"--web needs {', '.join(missing)}", hint=hint)
    if given.verb == "drill play" and not acts:
        problems.add("a drill is played by acting", key="--web", hint="drill play NAME --web --acts")
    for each in filter(given.is_on, WRITES):
        problems.add("every visitor would write on this machine", key=f"--{each}")
    own = given_by_words(given.many("c"))
    for each in (key for key in DECIDED if key in own):
        problems.add("is decided by --acts", key=f"-c {each}")
    problems.check()


def _start(command: Sequence[str], acts: bool, size: tuple[int, int], confines: ProcessLimits) -> PtyProgram:
    own = {"SCHEDLAB_READ_ONLY": "false" if acts else "true", "SCHEDLAB_SAVE_FOLDER": str(TO_TERMINAL)}
    return PtyProgram(command, environment_of(os.environ, own), size, confines)


async def _serve(
    start: partial[PtyProgram],
    limits: VisitLimits,
    token: str,
    address: str,
    hosts: Collection[str],
    listener: socket.socket,
) -> int:
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
    try:
        return await answered(server, listener, served.visits.watch())
    finally:
        await served.visits.close()
