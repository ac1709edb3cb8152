"""`schedlab drill list|show|check|from`: what drills there are, and whether they are what they say."""

import json
import sys
from itertools import chain
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem, quoted
from engine.formats.scenario_toml import load, packaged
from engine.scenario import Scenario
from engine.training.bench import BUILT_IN, BenchResult, bench
from engine.training.drill import load_drill, packaged_drills
from engine.training.drill_check import CheckLine, check_drill, draft_drill, drill_words
from engine.training.protocol import brief_of
from engine.training.records import curriculum
from engine.training.steps import TraineeStep
from engine.training.variation import check_variations
from engine.units import format_duration, instant_given
from tui.cli import drill_play, drill_report, new_app
from tui.cli.cli_errors import reported_errors
from tui.cli.drill_play import AsJson, DrillName, drill_names
from tui.cli.options import Trust
from tui.cli.source import SourceName, opened_source
from tui.pages.drill import brief_lines
from tui.terminal import format as text
from tui.terminal.edges import visible_line, visible_lines

# `schedlab drill bench`: a table of agents on drills.

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
    name, separator, command = words.partition("=")
    if not separator or not name or name in BUILT_IN:
        raise ConfigError([Problem(f"{quoted(words)} is not NAME=COMMAND", key="--agent")])
    return name, command


app = new_app("On-call training: list, show, play and check drills.")

CHECK_FAILED: Final = 1
TRACKS: Final = {
    "foundations": "Foundations",
    "fair": "FairScheduler",
    "capacity": "CapacityScheduler",
    "spark": "Spark standalone",
}
"""Track → its name."""


@app.command("list")
def list_drills(as_json: AsJson = False) -> None:
    """List the drills that come with the program by track, in the order they are best taken, with what each teaches."""
    with reported_errors():
        drills, unreadable = curriculum()
        track = ""
        width = max(map(len, packaged_drills()), default=0)
        for drill in drills:
            one = drill.drill
            if as_json:
                about = {"track": one.track, "difficulty": one.difficulty, "minutes": one.minutes, "before": one.before}
                typer.echo(json.dumps({"name": drill.name, "title": drill.title, **about, "teaches": one.teaches}))
            else:
                if one.track != track:
                    track = one.track
                    typer.echo(TRACKS[track])
                line = f"  {drill.name:{width}}  {one.difficulty:11}  {one.minutes:2} min  {one.teaches}"
                typer.echo(visible_line(line))
        for name, problem in unreadable.items():
            line = f"{name:{width}}  cannot be read: {problem}"
            typer.echo(json.dumps({"name": name, "unreadable": problem}) if as_json else visible_line(line))


@app.command()
def show(
    name: DrillName,
    as_json: AsJson = False,
    solution: Annotated[bool, typer.Option("--solution", help="Also how it is solved, and why.")] = False,
) -> None:
    """Show what a trainee reads, and how points are counted."""
    with reported_errors():
        drill = load_drill(name)
        if as_json:
            shown = brief_of(drill)
            if solution:
                shown["reference"] = [step.model_dump(mode="json") for step in drill.drill.reference]
                shown["debrief"] = drill.drill.debrief.strip()
            typer.echo(json.dumps(shown))
            return
        lines = brief_lines(drill)
        if solution:
            lines += ["", "SOLUTION", *(f"  {_step_text(step)}" for step in drill.drill.reference)]
            lines += ["", *drill.drill.debrief.strip().splitlines()]
        typer.echo(visible_lines(lines), nl=False)


def _step_text(step: TraineeStep) -> str:
    written = step.model_dump(mode="json")
    at = format_duration(written.pop("at_ms", 0))
    return f"+{at:8} {written.pop('do', '')} {' '.join(str(value) for value in written.values() if value)}".rstrip()


@app.command()
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME|FILE", help="Drills to check; none: all.", autocompletion=drill_names),
    ] = None,
    vary: Annotated[
        int, typer.Option("--vary", metavar="N", min=0, help="Also the variations of the seeds 1 to N.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Play drills and judge them: unsolved idle and by every shortcut, solved by the reference, hints that hold.

    Exit code 1 when a drill is not what it says.
    """
    with reported_errors():
        checks = failed = 0
        asked = names or packaged_drills()
        for name in asked:
            drill = load_drill(name)
            for line in chain(check_drill(drill), check_variations(drill, vary)):
                checks, failed = checks + 1, failed + (not line.ok)
                typer.echo(_check_line(drill.name, line, as_json=as_json))
                sys.stdout.flush()
        if not as_json:
            typer.echo(f"{text.plural(len(asked), 'drill')}, {text.plural(checks, 'check')}, {failed} failed")
        if failed:
            raise typer.Exit(CHECK_FAILED)


def _check_line(drill: str, line: CheckLine, *, as_json: bool) -> str:
    if as_json:
        return json.dumps({"drill": drill, "what": line.what, "ok": line.ok, "detail": line.detail})
    detail = f" ({line.detail})" if line.detail else ""
    return visible_line(f"{'ok  ' if line.ok else 'FAIL'} {drill}: {line.what}{detail}")


app.command("play")(drill_play.play)
app.command("bench")(bench_agents)
app.command("replay")(drill_play.replay)
app.command("history")(drill_play.history)
app.command("next")(drill_play.following)
app.command("report")(drill_report.report)


@app.command()
def words(as_json: AsJson = False) -> None:
    """List what an author can write: measures, goals, acts, tables of an exam, panes, causes; each with an example."""
    with reported_errors():
        for one in drill_words():
            if as_json:
                typer.echo(json.dumps(one._asdict()))
            else:
                typer.echo(visible_line(f"{one.kind:8} {one.word:32} {one.about}"))
                typer.echo(visible_line(f"{'':8} {one.example}"))


@app.command("from")
def draft_from(
    name: SourceName,
    around: Annotated[str, typer.Option("--around", metavar="T", help="When you are called: 09:00, +30m or seconds.")],
    trust: Trust = False,
) -> None:
    """Draft a drill around an instant of a scenario or a kept run: clues, goals, questions and a tried solution.

    It is written on stdout as TOML; what you have to write yourself is marked EDIT. `drill check FILE` judges it.
    """
    with reported_errors(), opened_source(name, (), None, is_trusted=trust) as source:
        scenario = source.scenario
        extends = _extended(scenario) if source.is_kept else name
        around_ms = instant_given(around, scenario.start, "--around", last_ms=scenario.duration_ms)
        draft = draft_drill(scenario, extends, around_ms, acts=source.acts())
        typer.echo(visible_lines(draft.splitlines()), nl=False)


def _extended(scenario: Scenario) -> str:
    if scenario.name in packaged() and load(scenario.name).digest() == scenario.digest():
        return scenario.name
    hint = "draft from the scenario's file"
    raise ConfigError([Problem("the run was not of a packaged scenario as it is", scenario.name, hint=hint)])
