"""`schedlab drill play|replay|history`: a drill played, by a person or a program, and what came of it."""

import getpass
import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, get_args

import msgspec
import platformdirs
import typer

from engine.errors import ConfigError, Problem, nearest
from engine.formats.regular_files import STANDARD_INPUT, read_file_text
from engine.training.debrief import Debrief, debrief_of, html, markdown
from engine.training.drill import DrillScenario, Track, load_drill, packaged_drills
from engine.training.exercise import DrillStage, Exercise
from engine.training.protocol import ProgramScreen, begins_at, brief_of, converse, reply_to, score_of
from engine.training.records import PlayedDrill, best, curriculum, keep_played, played_of, read_history, recommended
from engine.training.score import ScoreBaselines, played
from engine.training.steps import RecordedStep, injected, read_record, read_steps, written_steps
from engine.training.unfinished import recover
from engine.training.variation import solvable, varied
from tui.cli.attach import Share
from tui.cli.cli_errors import needs_terminal, reported_errors
from tui.cli.options import Port
from tui.cli.settings import Ascii, Config, Theme
from tui.pages.drill import debrief_lines, history_lines
from tui.settings import UserSettings, resolve
from tui.terminal import format as text
from tui.terminal.edges import visible_line, visible_lines
from tui.terminal.format import IN_ASCII
from tui.terminal.saving import write_file

UNSOLVED: Final = 1
MOST_WIDTH: Final = 120  # The width of what is written for people


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
Exam = Annotated[
    bool,
    typer.Option("--exam", help="Without help, the clock running; pages come, some reports are wrong."),
]
Trainee = Annotated[
    str | None, typer.Option("--trainee", metavar="WHO", help="Whose history it is kept in; else yours.")
]
Kept = Annotated[
    Path | None, typer.Option("--history", metavar="DIR", help="Where histories are; else the user's data.")
]
DebriefFile = Annotated[
    Path | None, typer.Option("--debrief", metavar="FILE", help="Write the debrief to a new file: .md or .html.")
]


def history_folder(place: Path | None) -> Path:
    """Tells where histories are kept."""
    return place or platformdirs.user_data_path("schedlab") / "drills"


def recover_in(folder: Path) -> None:
    """Keep exercises whose program was killed, and say so."""
    for words in recover(folder):
        typer.echo(visible_line(f"schedlab: {words}"), err=True)


def this_trainee(named: str | None) -> str:
    """Whose history it is: as named, else the user's name."""
    if named is not None:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name
        return "trainee"


def play(
    name: DrillName,
    headless: Annotated[bool, typer.Option("--headless", help="Without a screen.")] = False,
    acts: Annotated[
        Path | None,
        typer.Option("--acts", metavar="FILE", help="With --headless: steps as JSON lines; - talks line by line."),
    ] = None,
    vary: Vary = None,
    exam: Exam = False,
    trainee: Trainee = None,
    place: Kept = None,
    debrief: DebriefFile = None,
    as_json: AsJson = False,
    share: Share = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Let curl, `schedlab yarn` and others ask its ResourceManager meanwhile.")
    ] = False,
    port: Port = 0,
    rm_log: Annotated[
        Path | None, typer.Option("--rm-log", metavar="FILE", help="With --serve: the ResourceManager's growing log.")
    ] = None,
    ascii_only: Ascii = None,
    theme: Theme = None,
    config: Config = None,
) -> None:
    """Play a drill, on screen or, with --headless or --acts, without one: exit code 1 then when it was not solved.

    What is played on screen is kept in your history; without a screen, only where --trainee says whose it is.
    """
    with reported_errors():
        drill = load_drill(name)
        if vary is not None:
            drill, vary = _variation(drill, vary)
        drill = drill.as_exam() if exam else drill
        if not headless and acts is None:
            settings = resolve({"theme": theme, "ascii": ascii_only}, config)
            shared = (f"{drill.name}-{trainee}" if trainee else drill.name) if share else ""
            served, folder = (port, rm_log) if serve else None, history_folder(place)
            _on_screen(drill, folder, this_trainee(trainee), settings, vary, _source(name), shared, served)
            return
        exercise, yardstick = _played_headless(drill, acts, as_json=as_json)
        result = debrief_of(exercise, yardstick)
        if as_json or acts == STANDARD_INPUT:
            _say(score_of(exercise, yardstick))
        else:
            typer.echo(visible_lines(debrief_lines(result)), nl=False)
        if trainee is not None:
            keep(result, exercise, history_folder(place), trainee, vary)
        if debrief is not None:
            write_debrief(result, debrief)
        if result.score.solved_ms is None:
            raise typer.Exit(UNSOLVED)


def _on_screen(
    drill: DrillScenario,
    folder: Path,
    trainee: str,
    settings: UserSettings,
    seed: int | None,
    source: str,
    share: str,
    served: tuple[int, Path | None] | None,
) -> None:
    needs_terminal("schedlab drill play --headless")
    from tui.cli.drill_screen import ServeWish, play_on_screen  # noqa: PLC0415 -- only a screen pays for textual

    recover_in(folder)
    wish = None if served is None else ServeWish(*served)
    play_on_screen(drill, folder, trainee, settings, seed=seed, source=source, share=share, served=wish)


def _variation(drill: DrillScenario, seed: int) -> tuple[DrillScenario, int]:
    """The variation of a seed and the seed it has, said where that is another one."""
    found, used = solvable(drill, seed)
    if used != seed:
        typer.echo(f"seed {seed} leaves {drill.name} without its fault or its solution; seed {used} is taken", err=True)
    return found, used


def _source(name: str) -> str:
    """Tells where another process finds a drill: the absolute path of a file, nothing for one that is packaged."""
    return "" if name in packaged_drills() else str(Path(name).absolute())


def _played_headless(drill: DrillScenario, acts: Path | None, *, as_json: bool) -> tuple[Exercise, ScoreBaselines]:
    """An exercise with the steps of a file, or those of a program that talks."""
    is_live = acts == STANDARD_INPUT
    lines = [] if acts is None or is_live else read_file_text(acts).splitlines()
    steps = read_steps(lines, str(acts or ""), begins_at(drill))
    stage = DrillStage(drill)
    screen = ProgramScreen(stage)
    exercise = screen.exercise
    if is_live:
        _say(brief_of(drill))
        for reply in converse(screen, sys.stdin):
            _say(reply)
    for step in sorted(steps, key=lambda one: one.at_ms):
        done = exercise.take(step)
        if as_json:
            _say(reply_to(screen, done))
        elif done.refused:
            typer.echo(visible_line(f"+{text.duration(done.at_ms)} {done.step.do}: {done.refused}"), err=True)
    return exercise, ScoreBaselines(stage)


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def keep(result: Debrief, exercise: Exercise, folder: Path, trainee: str, seed: int | None) -> None:
    """Add an exercise to a trainee's history.

    Raises:
        ConfigError: It cannot be the name of a trainee.
        OutputError: It cannot be written.
    """
    when = datetime.now(UTC).isoformat(timespec="seconds")
    steps = written_steps(done.step for done in exercise.log)
    keep_played(folder, trainee, played_of(result, when, steps, seed))


def write_debrief(result: Debrief, path: Path) -> None:
    """Write a debrief to a new file, in the form its ending says.

    Raises:
        ConfigError: The ending is neither `.md` nor `.html`, or the file cannot be made.
    """
    forms = {".md": markdown, ".html": html}
    if path.suffix not in forms:
        raise ConfigError([Problem(f"{path.name} ends neither in .md nor in .html", key="--debrief")])
    write_file(path, [forms[path.suffix](result).encode()])


def replay(
    name: DrillName,
    trainee: Trainee = None,
    place: Kept = None,
    is_best: Annotated[bool, typer.Option("--best", help="The best try, not the last one.")] = False,
    is_par: Annotated[bool, typer.Option("--par", help="The reference solution.")] = False,
    debrief: DebriefFile = None,
    as_json: AsJson = False,
) -> None:
    """Play a kept exercise again, step by step as it was, and tell its debrief."""
    with reported_errors():
        drill = load_drill(name)
        taken: tuple[RecordedStep, ...] = drill.drill.reference
        if not is_par:
            kept = _kept(read_history(history_folder(place), this_trainee(trainee)).played, drill.name, is_best=is_best)
            drill = drill if kept.seed is None else varied(drill, kept.seed)
            drill = drill.as_exam() if kept.is_exam else drill
            taken = read_record(kept.steps, begins_at(drill))
        stage = DrillStage(drill)
        exercise, yardstick = played(stage, taken), ScoreBaselines(stage, injected(taken))
        result = debrief_of(exercise, yardstick)
        if as_json:
            _say(score_of(exercise, yardstick))
        else:
            typer.echo(visible_lines(debrief_lines(result)), nl=False)
        if debrief is not None:
            write_debrief(result, debrief)


def _kept(history: tuple[PlayedDrill, ...], drill: str, *, is_best: bool) -> PlayedDrill:
    found = best(history, drill) if is_best else next((one for one in reversed(history) if one.drill == drill), None)
    if found is None:
        known = ", ".join(sorted({one.drill for one in history})) or "nothing"
        raise ConfigError([Problem(f"{drill} was not played", hint=f"there is {known}")])
    return found


def history(trainee: Trainee = None, place: Kept = None, as_json: AsJson = False, ascii_only: Ascii = None) -> None:
    """List what a trainee played, with the scores over time, and what to take next."""
    with reported_errors():
        recover_in(history_folder(place))
        kept, damaged = read_history(history_folder(place), this_trainee(trainee))
        for words in damaged:
            typer.echo(visible_line(f"schedlab: {words}"), err=True)
        following = recommended(kept, curriculum().drills)
        if as_json:
            for one in kept:
                _say({**msgspec.to_builtins(one), "steps": len(one.steps)})
            _say({"next": None if following is None else following._asdict()})
            return
        width = min(MOST_WIDTH, shutil.get_terminal_size().columns)
        lines = history_lines(kept, following, width)
        if resolve({"ascii": ascii_only}, None).is_on("ascii"):
            lines = [line.translate(IN_ASCII) for line in lines]
        typer.echo(visible_lines(lines), nl=False)


def following(
    trainee: Trainee = None,
    place: Kept = None,
    track: Annotated[
        str | None, typer.Option("--track", metavar="TRACK", help="foundations, fair, capacity or spark; else any.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say which drill to take next, by what was played, and why."""
    with reported_errors():
        if track is not None and track not in get_args(Track):
            raise ConfigError(
                [Problem(f"there is no track {track}", key="--track", hint=nearest(track, get_args(Track)))]
            )
        kept, _ = read_history(history_folder(place), this_trainee(trainee))
        drills = [one for one in curriculum().drills if track in (None, one.drill.track)]
        found = recommended(kept, drills)
        if as_json:
            _say({"next": None if found is None else found._asdict()})
        elif found is None:
            typer.echo("every drill is solved, and well")
        else:
            typer.echo(visible_line(f"{found.drill}: {found.reason}"))
