"""The address a server listens at: options of `serve` and `web`, and the socket."""

import errno
import socket
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem

MOST_PORT: Final = 65535
NEEDED: Final = ("starlette", "uvicorn")
"""What the extra `server` installs."""

Bind = Annotated[str, typer.Option("--bind", metavar="ADDRESS", help="Address to listen at.")]
Port = Annotated[int, typer.Option("--port", metavar="N", help="Port to listen at; 0 takes any that is free.")]
Hosts = Annotated[
    list[str] | None, typer.Option("--host", metavar="NAME", help="A name it is asked by, too. May be repeated.")
]


def needed_problems() -> list[Problem]:
    """Problems that keep it from serving; none where the extra is installed."""
    missing = [each for each in NEEDED if find_spec(each) is None]
    hint = "install them with: pip install 'schedlab[server]'"
    return [Problem(f"serve needs {' and '.join(missing)}", hint=hint)] if missing else []


def port_problems(port: int) -> list[Problem]:
    """The problem of a port; empty where it is good."""
    return [] if 0 <= port <= MOST_PORT else [Problem(f"{port} is no port, which is 0 to {MOST_PORT}", key="--port")]


def listening_at(bind: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        ConfigError: The address cannot be listened at.
    """
    try:
        family = socket.AF_INET6 if ":" in bind else socket.AF_INET
        return socket.create_server((bind, port), family=family)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            hint = "--port 0 takes any that is free"
            raise ConfigError([Problem(f"port {port} of {bind} is taken", key="--port", hint=hint)]) from None
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no address"
        raise ConfigError([Problem(f"cannot listen at {bind} port {port}: {reason.lower()}")]) from None


def is_loopback(bind: str) -> bool:
    """True where only this machine reaches the address."""
    try:
        return ip_address(bind).is_loopback
    except ValueError:
        return bind == "localhost"
