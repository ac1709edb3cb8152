"""`schedlab attach`: a second screen on a session in another terminal."""

from pathlib import Path
from typing import Any, Final

import typer

from tui.app import SchedlabApp
from tui.commands import new_app
from tui.commands.cli_errors import needs_terminal, reported_errors
from tui.commands.settings import Ascii, Config, SaveFolder, Theme
from tui.commands.sharing import SessionName, meet
from tui.requests.context import Absent
from tui.settings import UserSettings, resolve
from tui.sharing.link import Link
from tui.sharing.remote import RemoteSession
from tui.sharing.wire import READER

app = new_app()

SECOND_SCREEN: Final = "This is a second screen: "
ABSENT: Final = Absent(
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
