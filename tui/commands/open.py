"""`schedlab open [NAME|FILE]`: a scenario on screen; the only verb that loads textual."""

import os
import sys
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import ConfigError
from engine.formats.scenario_toml import load, packaged
from tui.app import SchedlabApp
from tui.commands.complaints import INPUT_REFUSED, told
from tui.opening import open_session
from tui.render.scenario import ScenarioEntry
from tui.session import Session
from tui.theme import PALETTES

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("open", context_settings={"help_option_names": ["-h", "--help"]})
def open_scenario(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|FILE]", help="A packaged scenario, or a TOML file.", show_default=False),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="T", help="Begin at this time: 09:00, +30m or seconds.")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            metavar="X",
            min=0.0,
            help="Seconds of the cluster per second; 0 is flat out; 10 or, beyond an hour, 60 when not given.",
        ),
    ] = None,
    paused: Annotated[bool, typer.Option("--paused", help="Begin with the clock standing.")] = False,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set one key on top; may be repeated.")
    ] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", metavar="FILE", help="Write everything that happens to a file.")
    ] = None,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look only: keys that act are off.")] = False,
    theme: Annotated[str, typer.Option("--theme", metavar="NAME", help="dark, light or none (no colour).")] = "dark",
) -> None:
    """Open a scenario on screen; without a name, choose one.

    In the screen, ? lists all keys and q leaves.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):  # textual draws on stderr
        typer.echo("schedlab: a screen needs a terminal; `schedlab play` works without one", err=True)
        raise typer.Exit(INPUT_REFUSED)
    if theme not in PALETTES:
        typer.echo(f"schedlab: no theme {theme} (there is {', '.join(PALETTES)})", err=True)
        raise typer.Exit(INPUT_REFUSED)

    def opened(chosen: str) -> Session:
        return open_session(
            chosen,
            at=at,
            speed=inf if speed == 0 else speed,
            paused=paused,
            overrides=assignments or (),
            journal=journal,
        )

    with told():
        door = opened(name) if name is not None else None
        entries = () if name is not None else _entries()
        screen = SchedlabApp(
            door, entries=entries, open_door=opened, palette=theme, ascii_only=ascii_only, read_only=read_only
        )
    screen.run()
    if screen.return_code:
        raise typer.Exit(screen.return_code)


def _entries() -> list[ScenarioEntry]:
    """What the picker shows; a scenario that cannot be read says so instead of what it shows."""
    entries = []
    for name in packaged():
        try:
            scenario = load(name)
        except ConfigError as error:
            entries.append(ScenarioEntry(name, "cannot be read", os.linesep.join(str(one) for one in error.problems)))
        else:
            entries.append(ScenarioEntry(name, scenario.title, scenario.about or scenario.title))
    return entries
