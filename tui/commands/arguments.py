"""Arguments and options that several commands take, with the words the shell may complete."""

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final, get_args

import typer

from engine.errors import EngineError
from engine.formats.scenario_files import packaged
from engine.settings.capacity import CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.spark import SPARK

DAY_MS: Final = 86_400_000
"""Later instants need a date, which nobody completes."""


def scenario_names(incomplete: str) -> list[str]:
    """Names of packaged scenarios that begin so; files are completed by the shell itself."""
    return [name for name in packaged() if name.startswith(incomplete)]


def setting_names(incomplete: str) -> list[str]:
    """Settings of every scheduler that begin so, each with its sign; for the shell to complete."""
    of_capacity = {key for key, entry in CAPACITY_34.whole.items() if entry.listed and entry.key.prefix}
    known = {*FAIR_27.listed(), *FAIR_34.listed(), *SPARK.whole, *of_capacity}
    return [f"{name}=" for name in sorted(known) if name.startswith(incomplete)]


def queue_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Queues of the scenario named before, with or without `root.`; for the shell to complete."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it
    from engine.run import Run  # noqa: PLC0415 -- only the shell pays for it, too

    try:
        rows = Run(load(_named(ctx))).snapshot().queues()
    except EngineError:
        return []
    paths = [row.path for row in rows]
    return [path for path in (*paths, *(each.removeprefix("root.") for each in paths)) if path.startswith(incomplete)]


def application_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Numbers of applications of the scenario named before, and names of one word that only one has; for the shell."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it
    from engine.workload.arrivals import arrivals  # noqa: PLC0415 -- only the shell pays for it, too

    try:
        coming = arrivals(load(_named(ctx)).workload)
    except EngineError:
        return []
    names = Counter(one.spec.name for one in coming if one.spec.name and " " not in one.spec.name)
    numbers = sorted(one.number for one in coming if one.number is not None)
    words = [*map(str, numbers), *(name for name, count in names.items() if count == 1)]
    return [one for one in words if one.startswith(incomplete)]


def instants(ctx: typer.Context, incomplete: str) -> list[str]:
    """Start, acts, faults and end of the scenario named before, as `09:00:00`; for the shell to complete."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it

    try:
        scenario = load(_named(ctx))
    except EngineError:
        return []
    found = {0, scenario.duration_ms, *(step.at_ms for step in (*scenario.script, *scenario.faults))}
    within = sorted(at_ms for at_ms in found if at_ms < DAY_MS)
    clocks = [f"{scenario.start + timedelta(milliseconds=at_ms):%H:%M:%S}" for at_ms in within]
    return [clock for clock in dict.fromkeys(clocks) if clock.startswith(incomplete)]


def node_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Nodes of the scenario named before; for the shell to complete."""
    from engine.formats.scenario_toml import load  # noqa: PLC0415 -- only the shell pays for it
    from engine.run import Run  # noqa: PLC0415 -- only the shell pays for it, too

    try:
        rows = Run(load(_named(ctx))).snapshot().nodes()
    except EngineError:
        return []
    return [row.host for row in rows if row.host.startswith(incomplete)]


def scheduler_names(incomplete: str) -> list[str]:
    """Schedulers a scenario may name; for the shell to complete."""
    from engine.scenario import Scenario  # noqa: PLC0415 -- only the shell pays for it

    known = Scenario.model_fields["scheduler"].annotation
    return [name for name in get_args(known) if name.startswith(incomplete)]


def _named(ctx: typer.Context) -> str:
    """The scenario named before, which is among the rest while an option has no value yet."""
    return str(ctx.params.get("name") or next(iter(ctx.args), ""))


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
