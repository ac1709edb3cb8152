"""`schedlab size`: the fewest nodes, or the smallest value of a key, that keep a goal with every seed."""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
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
    Axis,
    GoalLimit,
    Point,
    PointOutcome,
    SizeStep,
    StoredPoint,
    SweepSpec,
    SweepStore,
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
from tui.commands.cli_errors import needs_terminal, reported_errors
from tui.commands.keeping import Place as RunsPlace
from tui.commands.progress import ProgressBar
from tui.commands.source import source_names
from tui.commands.sweep_place import named_scenario, place_of
from tui.end_signals import listening
from tui.render.size_page import SizeView, size_text
from tui.settings import resolve
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
    on_screen: Annotated[bool, typer.Option("--screen", help="Look at the answer on screen.")] = False,
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
            store = SweepStore.opened(resume)
            spec = SweepSpec.of(store.about(), str(resume), is_sizing=True)
        with store or nullcontext(), listening() as interruption:
            view = _searched(spec, _Player(spec, place, store, interruption.came), is_strained=strained)
        if on_screen:
            from tui.commands.size_screen import look_at  # noqa: PLC0415 -- only a screen pays for textual

            look_at(view, spec, resolve({}))
        elif as_json:
            others = msgspec.to_builtins(view.others)
            document = {**msgspec.to_builtins(view.sizing), "goal": view.limit, "others": others}
            sys.stdout.write(json.dumps(document, indent=1) + "\n")
        else:
            sys.stdout.write(visible_lines(size_text(view)))
    if interruption.signal:
        raise typer.Exit(128 + interruption.signal)
    raise typer.Exit(0 if view.sizing.answer is not None else 1)


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


def _searched(spec: SweepSpec, player: "_Player", *, is_strained: bool) -> SizeView:
    """The answer, and what else it would take."""
    (axis,), (limit,) = spec.axes, spec.limits
    low, high = map(int, axis.values)
    found = sized(axis.key, low, high, limit, spec.seeds, player.played)
    others: dict[str, SizeStep | None] = {}
    if found.answer is not None and is_strained and axis.key == NODES:
        for name, beside in STRAINS.items():
            other = sized(NODES, found.answer, high, limit, spec.seeds, player.played, beside)
            others[name] = None if other.answer is None else other.step(other.answer)
    return SizeView(
        spec.name, limit.goal, limit.text, limit.value, found, others, player.file, is_stopped=player.is_stopped()
    )


def _goal(wait: str | None, goal: str | None) -> GoalLimit:
    if (wait is None) == (goal is None):
        raise ConfigError([Problem("name one goal", key="--wait", hint="--wait 'p95 < 5m'")])
    return limit_of(wait, "--wait") if wait is not None else limit_of(goal or "", "--goal")


def _range(vary: str, scenario: Scenario) -> Axis:
    """What varies, from where to where."""
    if "=" in vary:
        axis = axis_of(vary)
        if not all(value.isdecimal() for value in axis.values):
            raise ConfigError([Problem("is not FROM..TO in whole numbers", f"--vary {vary}")])
        key, low, high = axis.key, int(axis.values[0]), int(axis.values[-1])
    else:
        key, low, high = vary, 1, WIDEST * len(scenario.cluster.all_nodes())
    varied(scenario, {key: str(high)})
    return Axis(key, (str(low), str(high)))


class _Player:
    """Plays points that are not in the file yet, and shows how many it has played."""

    def __init__(
        self, spec: SweepSpec, place: WorkPlace, store: SweepStore | None, is_stopped: Callable[[], bool]
    ) -> None:
        self._spec, self._place, self._store, self.is_stopped = spec, place, store, is_stopped
        self._there = {_key(each): each for each in (store.points() if store is not None else ())}

    @property
    def file(self) -> str:
        """The name of the file; empty without one."""
        return "" if self._store is None else self._store.path.name

    def played(self, points: list[Point]) -> dict[int, StoredPoint]:
        """What came of points by number; fewer when it was stopped."""
        words = ", ".join(f"{key} {value}" for key, value in points[0].settings.items())
        todo = [each for each in points if _key(each) not in self._there]
        with ProgressBar() as bar:

            def keep(point: Point, outcome: PointOutcome) -> None:
                numbered = msgspec.structs.replace(point, number=len(self._there))
                self._there[_key(point)] = stored(numbered, outcome)
                if self._store is not None:
                    self._store.keep(numbered, outcome)
                count = sum(_key(each) in self._there for each in points)
                bar.draw(count / len(points), f"{words}; {len(self._there)} points played")

            bar.draw(0, words)
            if todo:
                play_all(self._spec.base, todo, self._place, keep, self.is_stopped)
        return {each.number: self._there[_key(each)] for each in points if _key(each) in self._there}


def _key(point: Point | StoredPoint) -> tuple[tuple[tuple[str, str], ...], int]:
    return tuple(sorted(point.settings.items())), point.seed
