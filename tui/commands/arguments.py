"""Arguments and options that several commands take, with the words the shell may complete."""

from pathlib import Path
from typing import Annotated

import typer

from engine.formats.scenario_files import packaged


def scenario_names(incomplete: str) -> list[str]:
    """Names of packaged scenarios that begin so; files are completed by the shell itself."""
    return [name for name in packaged() if name.startswith(incomplete)]


ScenarioName = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE",
        help="A packaged scenario, or a TOML file.",
        show_default=False,
        autocompletion=scenario_names,
    ),
]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set one key on top; may be repeated.")
]
Journal = Annotated[
    Path | None, typer.Option("--journal", metavar="FILE", help="Write everything that happens to a new file.")
]
Trust = Annotated[bool, typer.Option("--trust", help="Let the scenario name files outside its folder.")]
