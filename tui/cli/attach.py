"""`schedlab attach`: a second screen on a session in another terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tui.app import SchedlabApp
from tui.cli import new_app
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.settings import Ascii, Config, SaveFolder, Theme
from tui.screens.requests import UnavailableMessages
from tui.settings import UserSettings, resolve
from tui.sharing.link import READER, Link, Welcome, greet
from tui.sharing.meeting_place import Address, SharedSessionEntry, default_folder, find, open_door, shared_names
from tui.sharing.remote import RemoteSession
from tui.terminal.edges import visible_line

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
def shared_as(name: str) -> Iterator[SharedSessionEntry]:
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


app = new_app()

SECOND_SCREEN: Final = "This is a second screen: "
ABSENT: Final = UnavailableMessages(
    clock=f"{SECOND_SCREEN}the clock is driven where the run is.",
    acts=f"{SECOND_SCREEN}nothing here changes the run.",
    questions=f"{SECOND_SCREEN}why something waits is asked where the run is.",
    copy="Not tried: this is a second screen, and copies are made where the run is.",
)


def screen_options(settings: UserSettings) -> dict[str, Any]:
    """Tells how the settings want a second screen to be."""
    return {
        "palette": settings.text("theme"),
        "ascii_only": settings.is_on("ascii"),
        "registry": settings.registry,
        "save_folder": settings.folder("save_folder") or Path(),
        "absent": ABSENT,
    }


@app.command("attach")
def attach(
    name: SessionName = None,
    ascii_only: Ascii = None,
    theme: Theme = None,
    save_folder: SaveFolder = None,
    config: Config = None,
) -> None:
    """Look on at a session of yours in another terminal, opened with `--share`.

    The same run on a screen of its own: panes, cursor, filter and marks are yours, nothing here changes the run. When
    several sessions are shared they are listed; what a program that has ended left behind is removed.
    """
    needs_terminal("schedlab snapshot")
    with reported_errors():
        flags = {"theme": theme, "ascii": ascii_only, "save_folder": save_folder}
        settings = resolve(flags, config)
        address, _ = meet(name, READER)
        screen = SchedlabApp(RemoteSession(Link(address, READER)), read_only=True, **screen_options(settings))
    screen.run()
    raise typer.Exit(screen.return_code or 0)
