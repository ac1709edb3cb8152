"""`schedlab size`: the fewest nodes, or the smallest value of a key, that keep a goal with every seed."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump
from engine.scenario import Scenario
from engine.sweep import (
    GROWTH,
    LOST_RACKS,
    NODES,
    GoalLimit,
    Point,
    PointOutcome,
    SizeStep,
    Sizing,
    StoredPoint,
    SweepSpec,
    WorkPlace,
    axis_of,
    limit_of,
    play_all,
    sized,
    stored,
    varied,
)
from tui.commands import new_app
from tui.commands.arguments import Assignments, Trust
from tui.commands.cli_errors import reported_errors
from tui.commands.compared_runs import source_scenario
from tui.commands.keeping import Place as RunsPlace
from tui.commands.progress import ProgressBar, announced
from tui.commands.source import source_names
from tui.commands.sweep_place import place_of
from tui.commands.sweep_text import sizing_lines
from tui.end_signals import listening
from tui.terminal_edge import visible_lines

app = new_app()

WIDEST: Final = 4
"""Without a range the cluster is tried with up to so many times its nodes."""

STRAINS: Final[Mapping[str, Mapping[str, str]]] = {
    "with a rack lost": {LOST_RACKS: "1"},
    "with 20 % more work": {GROWTH: "20"},
}
"""What else is asked of the nodes."""


@app.command()
def size(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE|RUN", help="What is played.", autocompletion=source_names)],
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
    strained: Annotated[bool, typer.Option("--strained/--plain", help="Also with a rack lost and more work.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as one JSON object.")] = False,
    assignments: Assignments = None,
    trust: Trust = False,
    runs: RunsPlace = None,
) -> None:
    """Find the smallest size that keeps a goal with every seed; one less is played, too, and breaks it.

    Exit code 1: even the largest does not keep it; 2: the input was refused; 130: interrupted.
    """
    with reported_errors():
        limit = _goal(wait, goal)
        with announced(f"reading {name}"):
            scenario = source_scenario(name, (), assignments or (), runs, is_trusted=trust)
        key, low, high = _range(vary, scenario)
        spec = SweepSpec(
            scenario=dump(scenario),
            name=scenario.name,
            axes=(),
            seeds=tuple(range(scenario.seed, scenario.seed + seeds)),
            until_ms=None if until is None else until * 1000,
        )
        with listening() as interruption:
            place = place_of(dask, workers)
            player = _Player(spec, place, interruption.came)
            found = sized(key, low, high, limit, spec.seeds, player.played)
            others = _others(found, high, limit, spec, player) if strained and key == NODES else {}
        if as_json:
            document = {**msgspec.to_builtins(found), "goal": limit.text, "others": msgspec.to_builtins(others)}
            sys.stdout.write(json.dumps(document, indent=1) + "\n")
        else:
            sys.stdout.write(visible_lines(sizing_lines(found, limit.goal, limit.text, others)))
    if interruption.signal:
        raise typer.Exit(128 + interruption.signal)
    raise typer.Exit(0 if found.answer is not None else 1)


def _goal(wait: str | None, goal: str | None) -> GoalLimit:
    if (wait is None) == (goal is None):
        raise ConfigError([Problem("name one goal", key="--wait", hint="--wait 'p95 < 5m'")])
    return limit_of(wait, "--wait") if wait is not None else limit_of(goal or "", "--goal")


def _range(vary: str, scenario: Scenario) -> tuple[str, int, int]:
    """What varies, from where to where."""
    if "=" in vary:
        axis = axis_of(vary)
        if not all(value.isdecimal() for value in axis.values):
            raise ConfigError([Problem("is not FROM..TO in whole numbers", f"--vary {vary}")])
        key, low, high = axis.key, int(axis.values[0]), int(axis.values[-1])
    else:
        key, low, high = vary, 1, WIDEST * len(scenario.cluster.all_nodes())
    varied(scenario, {key: str(high)})
    return key, low, high


class _Player:
    """Plays points, and shows how many it has played."""

    def __init__(self, spec: SweepSpec, place: WorkPlace, is_stopped: Callable[[], bool]) -> None:
        self._spec, self._place, self._is_stopped = spec, place, is_stopped
        self._count = 0

    def played(self, points: list[Point]) -> dict[int, StoredPoint]:
        """What came of points by number; fewer when it was stopped."""
        found: dict[int, StoredPoint] = {}
        with ProgressBar() as bar:
            words = ", ".join(f"{key} {value}" for key, value in points[0].settings.items())

            def keep(point: Point, outcome: PointOutcome) -> None:
                self._count += 1
                found[point.number] = stored(point, outcome)
                bar.draw(len(found) / len(points), f"{words}; {self._count} points played")

            bar.draw(0, words)
            play_all([self._spec.job(each) for each in points], self._place, keep, self._is_stopped)
        return found


def _others(found: Sizing, high: int, limit: GoalLimit, spec: SweepSpec, player: _Player) -> dict[str, SizeStep | None]:
    """The sizes that keep the goal under each strain as well."""
    if found.answer is None:
        return {}
    others: dict[str, SizeStep | None] = {}
    for name, beside in STRAINS.items():
        other = sized(NODES, found.answer, high, limit, spec.seeds, player.played, beside)
        others[name] = None if other.answer is None else other.step(other.answer)
    return others
