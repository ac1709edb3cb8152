"""`schedlab sweep`: one scenario at many points, on this machine or on a dask cluster."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump
from engine.observe.documents import csv_line
from engine.scenario import Scenario
from engine.sweep import (
    GOALS,
    POLICY,
    Axis,
    Bounds,
    StoredPoint,
    SweepSpec,
    SweepStore,
    axis_of,
    goal_named,
    limit_of,
    varied,
)
from engine.units import instant_given
from tui.cli import new_app
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.options import Assignments, Trust, setting_names
from tui.cli.options import Place as RunsPlace
from tui.cli.output import ProgressBar, report_target
from tui.cli.settings import Ascii, Force, Theme
from tui.cli.source import source_names
from tui.cli.sweep_play import SweepPlay, named_scenario, place_of, report_of, resumed
from tui.pages.tune import SweepView, sweep_text
from tui.settings import UserSettings, resolve
from tui.terminal.edges import listening, visible_lines
from tui.terminal.saving import write_file

app = new_app()

BEST: Final = 20  # Settings listed

SUFFIX: Final = ".sweep"
TRIALS: Final = 50
PROPERTIES: Final = ("yarn.scheduler.", "spark.")
QUEUE_PROPERTIES: Final = "yarn.scheduler.capacity.root."

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME|FILE|RUN", help="What is played.", show_default=False, autocompletion=source_names),
]
Vary = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="KEY=A,B|KEY=FROM..TO/STEP",
        help="A key and its values; `nodes` is the size of the cluster; repeatable.",
        autocompletion=setting_names,
    ),
]
Policies = Annotated[list[str] | None, typer.Option("--policy", metavar="P", help="A policy to try; repeatable.")]
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="Play each setting with so many seeds.")]
Sample = Annotated[
    int | None, typer.Option("--sample", metavar="N", min=1, help="Draw N settings by Latin hypercube instead of all.")
]
Tune = Annotated[
    str | None, typer.Option("--tune", metavar="MEASURE", help="Let Optuna look for the setting that is best in it.")
]
Trials = Annotated[int, typer.Option("--trials", metavar="N", min=1, help="Settings that --tune plays.")]
GoalName = Annotated[str, typer.Option("--goal", metavar="MEASURE", help="What settings are ranked by.")]
Limits = Annotated[
    list[str] | None,
    typer.Option("--limit", metavar="'MEASURE < VALUE'", help="What a setting has to keep; repeatable."),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="The SQLite file of the sweep; NAME.sweep if not said."),
]
Resume = Annotated[
    Path | None, typer.Option("--resume", metavar="FILE", help="Go on with a sweep, or show one that is done.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Processes of this machine; all its cores if not said."),
]
Dask = Annotated[str | None, typer.Option("--dask", metavar="tcp://HOST:PORT", help="Play on a dask cluster.")]


@app.command()
def sweep(
    name: Name = None,
    vary: Vary = None,
    policies: Policies = None,
    seeds: Seeds = 1,
    sample: Sample = None,
    tune_by: Tune = None,
    trials: Trials = TRIALS,
    goal: GoalName = "p95_wait",
    limits: Limits = None,
    until: Annotated[str | None, typer.Option("--until", metavar="T", help="End of each play.")] = None,
    output: Output = None,
    resume: Resume = None,
    workers: Workers = None,
    dask: Dask = None,
    point_seconds: Annotated[float | None, typer.Option(metavar="S", min=0.0, help="Wall time of a point.")] = None,
    point_memory: Annotated[int | None, typer.Option(metavar="MB", min=1, help="Memory of a process.")] = None,
    report: Annotated[str | None, typer.Option("--report", metavar="FILE.html", help="Write a report as HTML.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The summary as one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Every point as CSV.")] = False,
    on_screen: Annotated[bool, typer.Option("--screen", help="Look at it on screen, also while it is played.")] = False,
    theme: Theme = None,
    ascii_only: Ascii = None,
    assignments: Assignments = None,
    trust: Trust = False,
    runs: RunsPlace = None,
    force: Force = False,
) -> None:
    """Play a scenario at every combination of settings, policies, node counts and seeds; results go into one file.

    Exit code 1: a point failed; 2: the input was refused; 130: interrupted, `--resume` goes on.
    """
    with reported_errors():
        if on_screen:
            needs_terminal("schedlab sweep")
        settings = resolve({"theme": theme, "ascii": ascii_only})
        target = report_target(report, "--report", force=force)
        place = place_of(dask, workers)  # before the file is made: an address may be wrong
        if resume is None:
            scenario = named_scenario(name, assignments or (), runs, is_trusted=trust)
            spec = msgspec.structs.replace(
                _every_combination(scenario, _axes(vary or (), policies or ()), seeds, until),
                sample=sample,
                trials=None if tune_by is None else trials,
                goal_name=goal_named(tune_by or goal, "--goal" if tune_by is None else "--tune").name,
                limit_texts=tuple(limit_of(each, "--limit").text for each in limits or ()),
                bounds=Bounds(point_seconds, point_memory),
            )
            store = SweepStore.created(output or Path(f"{scenario.name}{SUFFIX}"), spec.about())
        else:
            store, spec = resumed(resume)
        with store, listening() as interruption:
            played = SweepPlay(spec, store, place)
            _carry_out(played, interruption.came, settings if on_screen else None)
            view = played.view(is_running=False)
            if target is not None:
                write_file(target, [report_of(view).encode()], force=force)
            _show(view, store, as_json=as_json, as_csv=as_csv)
    raise typer.Exit(128 + interruption.signal if interruption.signal else int("failed" in view.summary.counts))


def _every_combination(scenario: Scenario, axes: tuple[Axis, ...], seeds: int, until: str | None) -> SweepSpec:
    """A sweep over all values of all axes, once some value of each has been tried on the scenario."""
    _check(scenario, axes)
    until_ms = None if until is None else instant_given(until, scenario.start, "--until")
    return SweepSpec(
        dump(scenario), scenario.name, axes, tuple(range(scenario.seed, scenario.seed + seeds)), until_ms=until_ms
    )


def _axes(vary: Sequence[str], policies: Sequence[str]) -> tuple[Axis, ...]:
    axes = [axis_of(each) for each in vary]
    if policies:
        axes.insert(0, axis_of(f"{POLICY}={','.join(policies)}"))
    twice = [axis.key for place, axis in enumerate(axes) if axis.key in {each.key for each in axes[:place]}]
    if twice:
        raise ConfigError([Problem(f"{twice[0]} varies twice", key="--vary")])
    if not axes:
        raise ConfigError([Problem("nothing varies", key="--vary", hint="--vary nodes=40..80/10 --policy fair-3.4")])
    return tuple(axes)


def _check(scenario: Scenario, axes: Sequence[Axis]) -> None:
    """Refuse a key that is unknown; a value that a class refuses is an outcome of its points."""
    problems: list[Problem] = []
    for axis in axes:
        refusals: list[ConfigError] = []
        for value in axis.values:
            try:
                varied(scenario, {axis.key: value})
            except ConfigError as error:
                refusals.append(error)
        if len(refusals) == len(axis.values):
            problems += [_as_asked(each) for each in refusals[0].problems]
    if problems:
        raise ConfigError(problems)


def _as_asked(problem: Problem) -> Problem:
    """A problem with the options of this command in place of those of `compare` and `play`."""
    key = "--policy" if problem.key == "--with" else problem.key
    return msgspec.structs.replace(problem, key=key, file=problem.file.replace("--set ", "--vary "))


def _carry_out(played: SweepPlay, is_stopped: Callable[[], bool], settings: UserSettings | None) -> None:
    if settings is None:
        with ProgressBar() as bar:
            played.play(is_stopped, lambda: bar.count(played.done, played.whole, played.rate))
        return
    from tui.cli.tune_screens import SweepWatch  # noqa: PLC0415 -- only a screen pays for textual

    SweepWatch(played, settings).look()


def _show(view: SweepView, store: SweepStore, *, as_json: bool, as_csv: bool) -> None:
    if as_json:
        document = {"scenario": view.spec.name, "file": str(store.path), **msgspec.to_builtins(view.summary)}
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
    elif as_csv:
        sys.stdout.writelines(points_csv(store.points(), view.spec.axes))
    else:
        sys.stdout.write(visible_lines(summary_lines(view)))
        sys.stderr.write(f"kept in {store.path}\n")


def summary_lines(view: SweepView) -> Iterator[str]:
    """The best settings, those on the front, what matters, and what could not be played."""
    goal = view.spec.goal
    counts = ", ".join(f"{count} {status}" for status, count in view.summary.counts.items()) or "no point played"
    yield f"{view.spec.name}: {counts}; {goal.title}{', lowest' if goal.is_less_better else ', highest'} first"
    for limit in view.spec.limits:
        yield f"limit: {limit.text}"
    yield ""
    yield from sweep_text(view, BEST)
    if len(view.summary.settings) > BEST:
        yield f"{len(view.summary.settings) - BEST} settings more: --csv and --screen have all"


def points_csv(points: Iterable[StoredPoint], axes: Sequence[Axis]) -> Iterator[str]:
    """Every point with all its figures."""
    keys = [axis.key for axis in axes]
    yield csv_line(["number", *keys, "seed", "status", "words", *GOALS])
    for each in points:
        measures = each.measures
        figures = [""] * len(GOALS) if measures is None else [f"{goal.of(measures):g}" for goal in GOALS.values()]
        settings = [each.settings.get(key, "") for key in keys]
        yield csv_line([str(each.number), *settings, str(each.seed), each.status, each.words, *figures])
