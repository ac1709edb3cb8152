"""`schedlab drill list|show|check|play`: on-call training."""

import json
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import STANDARD_INPUT, read_file_text
from engine.training.acts_file import read_steps
from engine.training.drill import DrillScenario
from engine.training.drill_check import check_drill
from engine.training.drill_file import load_drill, packaged_drills
from engine.training.exercise import Exercise
from engine.training.protocol import begins_at, brief_of, converse, reply_to, score_of
from engine.training.score import Yardstick
from engine.training.stage import DrillStage
from engine.units import format_duration
from tui import format as text
from tui.commands.cli_errors import reported_errors
from tui.render.drill import brief_lines, score_lines
from tui.terminal_edge import visible_line, visible_lines

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    help="On-call training: list, show, play and check drills.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

CHECK_FAILED: Final = 1
UNSOLVED: Final = 1


def drill_names(incomplete: str) -> list[str]:
    """Names of packaged drills that begin so."""
    return [name for name in packaged_drills() if name.startswith(incomplete)]


DrillName = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE", help="A drill, or its TOML file.", show_default=False, autocompletion=drill_names
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON, one object per line.")]
Vary = Annotated[int | None, typer.Option("--vary", metavar="SEED", min=0, help="Another workload, the same cause.")]


@app.command("list")
def list_drills(as_json: AsJson = False) -> None:
    """List the drills that come with the program, in the order they are best taken."""
    with reported_errors():
        drills = in_order([load_drill(name) for name in packaged_drills()])
        width = max((len(drill.name) for drill in drills), default=0)
        for drill in drills:
            one = drill.drill
            if as_json:
                about = {"difficulty": one.difficulty, "minutes": one.minutes, "before": one.before}
                typer.echo(json.dumps({"name": drill.name, "title": drill.title, **about, "teaches": one.teaches}))
            else:
                line = f"{drill.name:{width}}  {one.difficulty:11}  {one.minutes:3} min  {drill.title}"
                typer.echo(visible_line(line))


def in_order(drills: list[DrillScenario]) -> list[DrillScenario]:
    """Drills by difficulty, each after the one to take before it."""
    ranks = {"first shift": 0, "practised": 1, "expert": 2}
    waiting = sorted(drills, key=lambda drill: (ranks[drill.drill.difficulty], drill.drill.minutes, drill.name))
    names = {drill.name for drill in drills}
    ordered: list[DrillScenario] = []
    while waiting:
        taken = {drill.name for drill in ordered}
        free = [one for one in waiting if one.drill.before is None or one.drill.before in taken - {one.name}]
        free = free or [one for one in waiting if one.drill.before not in names] or waiting
        ordered.append(free[0])
        waiting.remove(free[0])
    return ordered


@app.command()
def show(
    name: DrillName,
    as_json: AsJson = False,
    solution: Annotated[bool, typer.Option("--solution", help="Also how it is solved, and why.")] = False,
) -> None:
    """Show what a trainee is told, and how points are counted."""
    with reported_errors():
        drill = load_drill(name)
        if as_json:
            told = brief_of(drill)
            if solution:
                told["reference"] = [step.model_dump(mode="json") for step in drill.drill.reference]
                told["debrief"] = drill.drill.debrief.strip()
            typer.echo(json.dumps(told))
            return
        lines = brief_lines(drill)
        if solution:
            lines += ["", "SOLUTION", *(f"  {_step_text(step)}" for step in drill.drill.reference)]
            lines += ["", *drill.drill.debrief.strip().splitlines()]
        typer.echo(visible_lines(lines), nl=False)


def _step_text(step: object) -> str:
    written = step.model_dump(mode="json") if hasattr(step, "model_dump") else {}
    at = format_duration(written.pop("at_ms", 0))
    return f"+{at:8} {written.pop('do', '')} {' '.join(str(value) for value in written.values() if value)}".rstrip()


@app.command()
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME|FILE", help="Drills to check; none: all.", autocompletion=drill_names),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play drills and judge them: unsolved idle and by every shortcut, solved by the reference, hints that hold.

    Exit code 1 when a drill is not what it says.
    """
    with reported_errors():
        is_good = True
        for asked in names or packaged_drills():
            drill = load_drill(asked)
            for line in check_drill(drill):
                is_good = is_good and line.ok
                if as_json:
                    typer.echo(
                        json.dumps({"drill": drill.name, "what": line.what, "ok": line.ok, "detail": line.detail})
                    )
                else:
                    detail = f" ({line.detail})" if line.detail else ""
                    typer.echo(visible_line(f"{'ok  ' if line.ok else 'FAIL'} {drill.name}: {line.what}{detail}"))
                sys.stdout.flush()
        if not is_good:
            raise typer.Exit(CHECK_FAILED)


@app.command()
def play(
    name: DrillName,
    headless: Annotated[bool, typer.Option("--headless", help="Without a screen.")] = False,
    acts: Annotated[
        Path | None,
        typer.Option("--acts", metavar="FILE", help="With --headless: steps as JSON lines; - talks line by line."),
    ] = None,
    vary: Vary = None,
    as_json: AsJson = False,
) -> None:
    """Play a drill. Exit code 1 when it was not solved."""
    with reported_errors():
        drill = load_drill(name)
        drill = drill if vary is None else drill.varied(vary)
        if not headless:
            raise ConfigError([Problem("a drill is played with --headless --acts FILE", key="drill play")])
        steps = [] if acts is None or acts == STANDARD_INPUT else read_file_text(acts).splitlines()
        is_live = acts == STANDARD_INPUT
        taken = () if is_live else read_steps(steps, str(acts or ""), begins_at(drill))
        stage = DrillStage(drill)
        exercise = Exercise(stage)
        if is_live:
            _say(brief_of(drill))
            for reply in converse(exercise, sys.stdin):
                _say(reply)
        for step in sorted(taken, key=lambda one: one.at_ms):
            done = exercise.take(step)
            if as_json:
                _say(reply_to(exercise, done))
            elif done.refused:
                typer.echo(visible_line(f"+{text.duration(done.at_ms)} {done.step.do}: {done.refused}"), err=True)
        yardstick = Yardstick(stage)
        score = yardstick.score(exercise)
        if as_json or is_live:
            _say(score_of(exercise, yardstick))
        else:
            typer.echo(visible_lines(score_lines(exercise, score)), nl=False)
        if score.solved_ms is None:
            raise typer.Exit(UNSOLVED)


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
