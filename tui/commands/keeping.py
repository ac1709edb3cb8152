"""Finds the folder of kept runs, and keeps another one."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from tui.commands.cli_errors import NOT_DONE
from tui.session.keeping import wall_time
from tui.settings import resolve

Place = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", help="Directory of kept runs; else as settings say, else the user's data."),
]

IsKept = Annotated[bool, typer.Option("--keep", help="Keep the run; `schedlab runs` lists what is kept.")]
KeptAs = Annotated[str | None, typer.Option("--keep-as", metavar="RUN", help="Keep the run under this name.")]


def runs_root(place: Path | None) -> Path:
    """The directory of kept runs: as named, else as the settings say, else in the user's data.

    Raises:
        ConfigError: Something in the settings is wrong.
    """
    chosen = resolve({"runs": None if place is None else str(place)}).folder("runs")
    return chosen or platformdirs.user_data_path("schedlab") / "runs"


def keeper_of(
    scenario: Scenario, name: str | None, place: Path | None, *, parent: str = "", branched_ms: int = 0
) -> RunWriter:
    """Opens a kept run of a scenario under a name, by default the first free one.

    Args:
        name: The run's; None for a free one.
        place: Directory of kept runs; None as settings say.
        parent: The run it goes on from; empty when it begins by itself.
        branched_ms: Up to where it is as its parent [epoch ms].

    Raises:
        ConfigError: The name is taken, or nothing can be written there.
    """
    return RunWriter(runs_root(place), name, scenario, created=wall_time(), parent=parent, branched_ms=branched_ms)


def report_kept(names: Iterable[str], failures: Sequence[str], code: int = 0) -> None:
    """Say under which names runs were kept, and what could not be kept to its end.

    `failures` are sentences, without their points; where the exit `code` of the program is 0, failures end it with
    another.
    """
    for name in names:
        typer.echo(f"kept as {name}", err=True)
    for failure in failures:
        typer.echo(f"schedlab: {failure}", err=True)
    if code or failures:
        raise typer.Exit(code or NOT_DONE)
