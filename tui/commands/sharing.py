"""`--share`, and how a command finds a session that is shared."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from tui.sharing.link import greet
from tui.sharing.meeting_place import Address, OpenDoor, default_folder, find, open_door, shared_names
from tui.sharing.wire import Welcome
from tui.terminal_edge import visible_line

Share = Annotated[
    bool, typer.Option("--share", help="Let other terminals of yours look on: schedlab attach, schedlab instruct.")
]


def shared_sessions(incomplete: str) -> list[str]:
    """Names of shared sessions that begin so."""
    return [name for name in shared_names(default_folder()) if name.startswith(incomplete)]


SessionName = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="The shared session; none: the only one.", autocompletion=shared_sessions),
]


@contextmanager
def shared_as(name: str) -> Iterator[OpenDoor]:
    """Listen under a name, or under one like it, until the session is over.

    Raises:
        ConfigError: It cannot be shared.
    """
    opened = open_door(default_folder(), name)
    try:
        yield opened
    finally:
        opened.close()


def meet(name: str | None, role: str) -> tuple[Address, Welcome]:
    """The session of this name, or the only one, and what it says to a visitor in this role.

    Raises:
        ConfigError: There is none, or it lets nobody in.
    """
    address = find(default_folder(), name, lambda words: typer.echo(visible_line(f"schedlab: {words}"), err=True))
    return address, greet(address, role)
