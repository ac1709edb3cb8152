"""`schedlab size`: the fewest nodes, or the smallest value of a key, that keep a goal with every seed."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump
from engine.scenario import Scenario
from engine.sweep import (
    NODES,
    Axis,
    GoalLimit,
    SweepSpec,
    SweepStore,
    axis_of,
    limit_of,
    varied,
)
from tui.cli import new_app
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.options import Assignments, Trust
from tui.cli.options import Place as RunsPlace
from tui.cli.output import ProgressBar
from tui.cli.size_search import SizeSearch
from tui.cli.source import source_names
from tui.cli.sweep_play import named_scenario, place_of, resumed
from tui.pages.size_page import size_text
from tui.settings import resolve
from tui.terminal.edges import listening, visible_lines

app = new_app()

WIDEST: Final = 4  # Without a range the cluster is tried with up to so many times its nodes


@app.command()
def size(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME|FILE|RUN", help="What is played.", autocompletion=source_names)
    ] = None,
    wait: Annotated[
        str | None, typer.Option("--wait", metavar="'p95 < 5m'", help="The goal: median, p95 or worst wait.")
    ] = None,
    goal: Annotated[str | None, typer.Option("--goal", metavar="'MEASURE < VALUE'", help="Any other goal.")] = None,
    vary: Annotated[
        str, typer.Option("--vary", metavar="KEY=FROM..TO", help="What is to be small; the nodes if not said.")
    ] = NODES,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="The goal holds with so many seeds.")] = 3,
    until: Annotated[int | None, typer.Option("--until-seconds", min=1, metavar="S", help="End of each play.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", min=1, help="Processes.")] = None,
    dask: Annotated[str | None, typer.Option("--dask", metavar="tcp://HOST:PORT", help="A dask cluster.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Keep what is played, for --resume.")
    ] = None,
    resume: Annotated[Path | None, typer.Option("--resume", metavar="FILE", help="Go on with a search.")] = None,
    on_screen: Annotated[bool, typer.Option("--screen", help="Look at it, also while it is searched.")] = False,
    strained: Annotated[bool, typer.Option("--strained/--plain", help="Also with a rack lost and more work.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as one JSON object.")] = False,
    assignments: Assignments = None,
    trust: Trust = False,
    runs: RunsPlace = None,
) -> None:
    """Find the smallest size that keeps a goal with every seed; one less is played, too, and breaks it.

    Exit code 1: even the largest does not keep it; 2: the input was refused; 130: interrupted, `--resume` goes on.
    """
    with reported_errors():
        if on_screen:
            needs_terminal("schedlab size")
        place = place_of(dask, workers)
        if resume is None:
            scenario = named_scenario(name, assignments or (), runs, is_trusted=trust)
            spec = _spec(scenario, _goal(wait, goal), _range(vary, scenario), seeds, until)
            store = None if output is None else SweepStore.created(output, spec.about())
        else:
            store, spec = resumed(resume, is_sizing=True)
        with store or nullcontext(), listening() as interruption:
            search = SizeSearch(spec, place, store, is_strained=strained)
            if on_screen:
                from tui.cli.tune_screens import look_at  # noqa: PLC0415 -- only a screen pays for textual

                view = look_at(search, interruption.came, resolve({}))
            else:
                with ProgressBar() as bar:
                    view = search.answer(interruption.came, lambda view: bar.draw(view.share, view.doing))
        if as_json:
            others = msgspec.to_builtins(view.others)
            document = {**msgspec.to_builtins(view.sizing), "goal": view.limit, "others": others}
            sys.stdout.write(json.dumps(document, indent=1) + "\n")
        elif not on_screen:
            sys.stdout.write(visible_lines(size_text(view)))
    if interruption.signal:
        raise typer.Exit(128 + interruption.signal)
    raise typer.Exit(int(view.sizing.answer is None and not view.is_stopped))


def _spec(scenario: Scenario, limit: GoalLimit, searched: Axis, seeds: int, until: int | None) -> SweepSpec:
    return SweepSpec(
        scenario=dump(scenario),
        name=scenario.name,
        axes=(searched,),
        seeds=tuple(range(scenario.seed, scenario.seed + seeds)),
        goal_name=limit.goal.name,
        limit_texts=(limit.text,),
        until_ms=None if until is None else until * 1000,
        is_sizing=True,
    )


def _goal(wait: str | None, goal: str | None) -> GoalLimit:
    if (wait is None) == (goal is None):
        raise ConfigError([Problem("name one goal", key="--wait", hint="--wait 'p95 < 5m'")])
    return limit_of(wait, "--wait") if wait is not None else limit_of(goal or "", "--goal")


def _range(vary: str, scenario: Scenario) -> Axis:
    if "=" in vary:
        axis = axis_of(vary)
        if not all(value.isdecimal() for value in axis.values):
            raise ConfigError([Problem("is not FROM..TO in whole numbers", f"--vary {vary}")])
        key, low, high = axis.key, int(axis.values[0]), int(axis.values[-1])
    else:
        key, low, high = vary, 1, WIDEST * len(scenario.cluster.all_nodes())
    varied(scenario, {key: str(high)})
    return Axis(key, (str(low), str(high)))
