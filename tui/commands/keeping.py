"""Where kept runs are, and what keeps another one."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from engine.run.keeping import Keeper
from engine.run.kept import free_name
from engine.scenario import Scenario
from tui.settings import resolve

Place = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", help="Directory of kept runs; else as settings say, else the user's data."),
]


def runs_root(place: Path | None) -> Path:
    """The directory of kept runs: as named, else as the settings say, else in the user's data.

    Raises:
        ConfigError: Something in the settings is wrong.
    """
    chosen = resolve({"runs": None if place is None else str(place)}).folder("runs")
    return chosen or platformdirs.user_data_path("schedlab") / "runs"


def keeper_of(scenario: Scenario, name: str | None, place: Path | None) -> Keeper:
    """What keeps a run of a scenario under a name, by default the first free one.

    Raises:
        ConfigError: The name is taken, or nothing can be written there.
    """
    root = runs_root(place)
    created = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    return Keeper(root, name or free_name(root, scenario.name), scenario, created=created)
