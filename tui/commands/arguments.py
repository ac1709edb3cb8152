"""Arguments and options that several commands take, with the words the shell may complete."""

from pathlib import Path
from typing import Annotated

import typer

from engine.errors import EngineError
from engine.formats.capacity_keys import GLOBAL_KEYS_34
from engine.formats.scenario_files import packaged
from engine.formats.scheduler_keys import DEFAULTS, DEFAULTS_34
from engine.schedulers.capacity.properties import PREFIX
from engine.schedulers.spark.settings import KEYS


def scenario_names(incomplete: str) -> list[str]:
    """Names of packaged scenarios that begin so; files are completed by the shell itself."""
    return [name for name in packaged() if name.startswith(incomplete)]


def setting_names(incomplete: str) -> list[str]:
    """Settings of every scheduler that begin so, each with its sign; for the shell to complete."""
    known = {*DEFAULTS, *DEFAULTS_34, *KEYS, *(PREFIX + name for name in GLOBAL_KEYS_34)}
    return [f"{name}=" for name in sorted(known) if name.startswith(incomplete)]


def queue_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Queues of the scenario named before, with or without `root.`; for the shell to complete."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it
    from engine.run import Run  # noqa: PLC0415 -- only the shell pays for it, too

    named = ctx.params.get("name") or next(iter(ctx.args), "")  # among the rest while the option has no value yet
    try:
        rows = Run(load(named)).snapshot().queues()
    except EngineError:
        return []
    paths = [row.path for row in rows]
    return [path for path in (*paths, *(each.removeprefix("root.") for each in paths)) if path.startswith(incomplete)]


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
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Set one key on top; may be repeated.", autocompletion=setting_names
    ),
]
QueuePath = Annotated[
    str | None, typer.Option("--queue", metavar="PATH", help="Who waits in a queue.", autocompletion=queue_names)
]
Journal = Annotated[
    Path | None, typer.Option("--journal", metavar="FILE", help="Write everything that happens to a new file.")
]
Trust = Annotated[bool, typer.Option("--trust", help="Let the scenario name files outside its folder.")]
