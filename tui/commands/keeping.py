"""Where kept runs are, and what keeps another one."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import platformdirs
import typer

from engine.run.keeping import Keeper
from engine.run.kept import free_name
from engine.scenario import Scenario

ENVIRONMENT: Final = "SCHEDLAB_RUNS"
"""Names the directory of kept runs when no flag does."""

Place = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", help=f"Directory of kept runs; else ${ENVIRONMENT}, else the user's data."),
]


def runs_root(place: Path | None) -> Path:
    """The directory of kept runs: as named, else as the environment says, else in the user's data."""
    if place is not None:
        return place
    named = os.environ.get(ENVIRONMENT, "")
    return Path(named) if named else platformdirs.user_data_path("schedlab") / "runs"


def keeper_of(scenario: Scenario, name: str | None, place: Path | None) -> Keeper:
    """What keeps a run of a scenario under a name, by default the first free one.

    Raises:
        ConfigError: The name is taken, or nothing can be written there.
    """
    root = runs_root(place)
    created = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    return Keeper(root, name or free_name(root, scenario.name), scenario, created=created)
