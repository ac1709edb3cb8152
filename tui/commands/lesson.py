"""`schedlab demo` and `schedlab tour`: the incident on screen, and what a newcomer may do there."""

from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from tui.commands import new_app
from tui.commands.cli_errors import needs_terminal, reported_errors
from tui.commands.open import Opener, screen_of
from tui.commands.settings import Ascii, Config, SaveFolder, Speed, Theme
from tui.requests.lessons import DEADLOCK, DEMO, TOUR, Lesson
from tui.settings import resolve

demo = new_app()
tour = new_app()
Again = Annotated[bool, typer.Option("--again", help="Say what to try, also if it was hidden.")]


@demo.command("demo")
def show_demo(
    again: Again = False,
    speed: Speed = None,
    ascii_only: Ascii = None,
    theme: Theme = None,
    save_folder: SaveFolder = None,
    config: Config = None,
) -> None:
    """Watch a cluster freeze.

    It begins a minute before, stops when nothing is allocated any more, and says in three lines what to try; esc does
    not show these again.
    """
    _open(DEMO, speed, ascii_only, theme, save_folder, config, is_hidden=not again and _mark().exists())


@tour.command("tour")
def show_tour(
    ascii_only: Ascii = None, theme: Theme = None, save_folder: SaveFolder = None, config: Config = None
) -> None:
    """Learn the screen in five minutes: eight steps on a frozen cluster, each waits for your own key."""
    _open(TOUR, None, ascii_only, theme, save_folder, config)


def _mark() -> Path:
    """The file that says that the lines of the demonstration were closed for ever."""
    return platformdirs.user_state_path("schedlab") / "demo-closed"


def _open(
    lesson: Lesson,
    speed: float | None,
    ascii_only: bool | None,
    theme: str | None,
    save_folder: str | None,
    config: Path | None,
    *,
    is_hidden: bool = False,
) -> None:
    needs_terminal("schedlab play")
    flags = {
        "theme": theme,
        "ascii": ascii_only,
        "paused": lesson.is_paused,
        "speed": lesson.speed if speed is None else speed,
        "save_folder": save_folder,
    }
    with reported_errors():
        settings = resolve(flags, config)
        opener = Opener(settings, lesson.at)
        lines = {"lesson": lesson.name, "is_lesson_hidden": is_hidden, "lesson_mark": _mark()}
        screen = screen_of(opener.open(DEADLOCK), [], opener.open, settings, **lines)
    screen.run()
    raise typer.Exit(screen.return_code or 0)
