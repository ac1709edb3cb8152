"""`schedlab drill bench`: a table of agents on drills."""

import json
import sys
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem, quoted
from engine.training.bench import BUILT_IN, BenchResult, bench
from engine.training.curriculum import curriculum
from engine.training.drill_file import load_drill
from tui.commands.cli_errors import reported_errors
from tui.commands.drill_play import AsJson, drill_names
from tui.terminal_edge import visible_line

WIDTH: Final = 12


def bench_agents(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME|FILE", help="Drills; none: all.", autocompletion=drill_names)
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", metavar="NAME=COMMAND", help="A program that talks the drill protocol; may be repeated."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let agents play drills and compare their scores: idle, random, programs of yours, and par; + is solved."""
    with reported_errors():
        programs = dict(map(_named, agents or []))
        drills = [load_drill(name) for name in names or (one.name for one in curriculum().drills)]
        order = ["idle", "random", *programs, "par"]
        room = max((len(drill.name) for drill in drills), default=0)
        results: list[BenchResult] = []
        if not as_json:
            typer.echo(visible_line(_line("drill", order, room)))
        for drill in drills:
            found = list(bench(drill, programs))
            results += found
            if as_json:
                for one in found:
                    typer.echo(json.dumps(msgspec.to_builtins(one)))
            else:
                cells = [f"{one.score}{' +' if one.solved else '  '}" for one in found]
                typer.echo(visible_line(_line(drill.name, cells, room)))
            sys.stdout.flush()
        if not as_json:
            each = [[one for one in results if one.agent == agent] for agent in order]
            typer.echo(visible_line(_line("solved", [f"{sum(one.solved for one in own)}  " for own in each], room)))
            means = [f"{sum(one.score for one in own) / max(1, len(own)):.0f}  " for own in each]
            typer.echo(visible_line(_line("mean", means, room)))


def _line(name: str, cells: list[str], room: int) -> str:
    return f"{name:{room}}{''.join(f'{cell:>{WIDTH}}' for cell in cells)}".rstrip()


def _named(words: str) -> tuple[str, str]:
    """The name and the command of an agent."""
    name, separator, command = words.partition("=")
    if not separator or not name or name in BUILT_IN:
        raise ConfigError([Problem(f"{quoted(words)} is not NAME=COMMAND", key="--agent")])
    return name, command
