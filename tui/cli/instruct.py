"""`schedlab instruct`: the instructor's seat beside a drill that somebody plays in another terminal."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import ConfigError, Problem
from engine.training.drill import DrillScenario, load_drill
from engine.training.score_so_far import ScoreSoFar
from engine.training.variation import varied
from tui.cli import new_app
from tui.cli.attach import SessionName, meet, screen_options
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.output import announced
from tui.cli.settings import Ascii, Config, SaveFolder, Theme
from tui.instructor_app import InstructorApp
from tui.settings import resolve
from tui.sharing.link import INSTRUCTOR, READER, Link, Welcome, greet
from tui.sharing.meeting_place import address_in, default_folder, is_alive, shared_names
from tui.sharing.remote import RemoteSession
from tui.terminal.edges import visible_line

app = new_app()


def drill_of(welcome: Welcome) -> DrillScenario:
    """The drill that is played there.

    Raises:
        ConfigError: None is, or its file cannot be read any more.
    """
    if welcome.drill is None:
        raise ConfigError([Problem("no drill is played there", welcome.name, hint="schedlab attach looks on")])
    drill = load_drill(welcome.drill.source)
    drill = drill if welcome.drill.seed is None else varied(drill, welcome.drill.seed)
    return drill.as_exam() if welcome.drill.is_exam else drill


def seats(folder: Path) -> Iterator[str]:
    """A line for each drill that is shared in a folder: the name to sit down by, and its title."""
    for name in shared_names(folder):
        address = address_in(folder, name)
        welcome = greet(address, READER) if is_alive(address) else None
        if welcome is not None and welcome.drill is not None:
            yield f"{name}  {welcome.title}{', exam' * welcome.drill.is_exam}"


@app.command("instruct")
def instruct(
    name: SessionName = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the seats: every drill that is played and shared.")
    ] = False,
    ascii_only: Ascii = None,
    theme: Theme = None,
    save_folder: SaveFolder = None,
    config: Config = None,
) -> None:
    """Take the instructor's seat beside a drill of yours in another terminal, begun with `drill play NAME --share`.

    The desk shows what the trainee looks at, the keys, answers, hints, the record and the score so far. From there you
    inject faults and load, send messages, freeze the clock and go back to an earlier instant; all of it is in the
    record of the drill. `c` shows the cluster, where your acts are injected, too; `esc` goes back to the desk. The seat
    beside `drill play NAME --share --trainee WHO` is `NAME-WHO`.
    """
    if listed:
        with reported_errors():
            for line in seats(default_folder()):
                typer.echo(visible_line(line))
        return
    needs_terminal("schedlab drill play --headless")
    with reported_errors():
        flags = {"theme": theme, "ascii": ascii_only, "save_folder": save_folder}
        settings = resolve(flags, config)
        address, welcome = meet(name, INSTRUCTOR)
        drill = drill_of(welcome)
        with announced(f"playing {drill.name} up to its beginning"):
            so_far = ScoreSoFar(drill)
        remote = RemoteSession(Link(address, INSTRUCTOR))
        screen = InstructorApp(
            remote, drill, lambda steps: asyncio.to_thread(so_far.of, steps), **screen_options(settings)
        )
    screen.run()
    raise typer.Exit(screen.return_code or 0)
