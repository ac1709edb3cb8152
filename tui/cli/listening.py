"""Where a server of the command line listens, by `--listen [ADDR:]PORT`, and the token that acts on it need."""

import errno
import os
import socket
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import read_file_text
from tui.cli.grammar import Given
from tui.settings import UserSettings

MOST_PORT: Final = 65535
LOOPBACK: Final = "127.0.0.1"
NEEDED: Final = ("starlette", "uvicorn")  # What the extra `server` installs


def place_of(given: Given, port: int) -> tuple[str, int]:
    """The address and the port of `--listen`; on loopback, at `port`, where it does not say."""
    text = given.text("listen")
    if text is None:
        return LOOPBACK, port
    address, _, number = text.rpartition(":")
    if not number.isdecimal() or int(number) > MOST_PORT:
        words = f"{number or text} is not a port, which is 0 to {MOST_PORT}"
        raise ConfigError([Problem(words, key="--listen", hint="8088, 0.0.0.0:8088")])
    return address.strip("[]") or LOOPBACK, int(number)


def port_of(given: Given, port: int) -> int:
    """The port of `--listen` of what only this machine reaches."""
    address, found = place_of(given, port)
    if not is_loopback(address):
        raise ConfigError([Problem(f"{address} is not this machine alone", key="--listen", hint=f"--listen {found}")])
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
            raise ConfigError([Problem(f"port {port} of {bind} is taken", key="--listen", hint=hint)]) from None
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not an address"
        raise ConfigError([Problem(f"cannot listen at {bind} port {port}: {reason.lower()}")]) from None


def address_of(bind: str, listener: socket.socket) -> str:
    """The address and port of a socket, as a URL has them."""
    return f"{f'[{bind}]' if ':' in bind else bind}:{listener.getsockname()[1]}"


def hosts_of(settings: UserSettings) -> list[str]:
    """Names by which a server may be called, beside its address."""
    return [each for each in settings.text("hosts").split(",") if each]


def is_loopback(bind: str) -> bool:
    """True where only this machine reaches the address."""
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
