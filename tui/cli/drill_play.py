"""`schedlab drill play`: a drill played, by a person or by programs, and what came of it."""

import getpass
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import platformdirs

from engine.errors import ConfigError, Problem, quoted
from engine.formats.regular_files import STANDARD_INPUT, read_file_text
from engine.observe.documents import csv_line
from engine.training.bench import BUILT_IN, BenchResult, bench
from engine.training.debrief import Debrief, debrief_of, html, markdown
from engine.training.drill import DrillScenario, load_drill, packaged_drills
from engine.training.exercise import DrillStage, Exercise
from engine.training.protocol import ProgramScreen, brief_of, converse, reply_to, score_of
from engine.training.records import PlayedDrill, best, curriculum, keep_played, played_of, read_history
from engine.training.score import RecordPlayer, Score, ScoreBaselines
from engine.training.steps import read_steps, written_steps
from engine.training.unfinished import recover
from engine.training.variation import as_played, solvable
from tui.cli.grammar import Given
from tui.cli.listening import port_of
from tui.cli.output import Targets, enveloped, json_lines, json_text, targets_of
from tui.cli.source import settings_of
from tui.cli.talk import WRONG, needs_terminal, note, warn
from tui.pages.drill import debrief_lines
from tui.settings import UserSettings
from tui.terminal import format as text
from tui.terminal.edges import visible_lines

WIDTH: Final = 12  # Of a column of the table of agents


def history_folder(settings: UserSettings) -> Path:
    """Tells where histories are kept."""
    return settings.folder("history_folder") or platformdirs.user_data_path("schedlab") / "drills"


def recover_in(folder: Path) -> None:
    """Keep exercises whose program was killed, and say so."""
    for words in recover(folder):
        warn(f"schedlab: {words}")


def this_trainee(named: str | None) -> str:
    """Whose history it is: as named, else the user's name."""
    if named is not None:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name
        return "trainee"


def play(given: Given) -> int:
    """Play a drill on the screen, or without one; let agents play drills. The exit code.

    What is played on screen is kept in the history; without a screen, only where `--trainee` says whose it is.

    Raises:
        ConfigError: A drill or an option is wrong.
    """
    targets = targets_of(given)
    if given.is_on("agent"):
        return _agents(given, targets)
    if len(given.words) != 1:
        raise ConfigError([Problem("name one drill", key="NAME", hint="several are for --agent")])
    name, settings = given.words[0], settings_of(given)
    drill, seed = load_drill(name), given.whole("seed")
    if seed is not None:
        drill, seed = _variation(drill, seed)
    drill = drill.as_exam() if given.is_on("exam") else drill
    form = "text" if targets.on_stdout == "screen" and given.is_on("steps") else targets.on_stdout
    if form == "screen":
        _on_screen(drill, given, settings, seed, targets)
        return 0
    steps = given.path("steps")
    exercise, yardstick = _played_headless(drill, steps, as_json=form == "jsonl")
    result, score = debrief_of(exercise, yardstick), score_of(exercise, yardstick)
    if form == "jsonl" or steps == STANDARD_INPUT:
        _say(score)
    targets = targets._replace(
        found=tuple(each._replace(form=form) if each.file is None else each for each in targets.found)
    )
    write_result(result, score, targets, is_said=steps == STANDARD_INPUT)
    trainee = given.text("trainee")
    if trainee is not None:
        keep(result.score, exercise, history_folder(settings), trainee, seed)
    return WRONG if result.score.solved_ms is None else 0


def write_result(result: Debrief, score: Any, targets: Targets, *, is_said: bool = False) -> None:
    """Write what came of an exercise in the forms asked for; on stdout only where it `is_said` by no other means."""
    if is_said:
        targets = targets._replace(found=tuple(each for each in targets.found if each.file is not None))
    targets.write(
        {
            "text": lambda: visible_lines(debrief_lines(result)),
            "json": lambda: json_text(enveloped("debrief/1", None, dict(score))),
            "html": lambda: html(result),
            "md": lambda: markdown(result),
        }
    )


def _on_screen(drill: DrillScenario, given: Given, settings: UserSettings, seed: int | None, targets: Targets) -> None:
    needs_terminal(f"schedlab drill play {given.words[0]} -o text")
    from tui.cli.drill_screen import ServeWish, play_on_screen  # noqa: PLC0415 -- only a screen pays for textual

    folder, trainee = history_folder(settings), given.text("trainee")
    recover_in(folder)
    wish = ServeWish(port_of(given, 0), targets.file_of("rm-log")) if given.is_on("listen") else None
    shared = (f"{drill.name}-{trainee}" if trainee else drill.name) if given.is_on("share") else ""
    source = _source(given.words[0])
    play_on_screen(drill, folder, this_trainee(trainee), settings, seed=seed, source=source, share=shared, served=wish)


def _variation(drill: DrillScenario, seed: int) -> tuple[DrillScenario, int]:
    """The variation of a seed and the seed it has, said where that is another one."""
    found, used = solvable(drill, seed)
    if used != seed:
        note(f"seed {seed} leaves {drill.name} without its fault or its solution; seed {used} is taken")
    return found, used


def _source(name: str) -> str:
    """Tells where another process finds a drill: the absolute path of a file, nothing for one that is packaged."""
    return "" if name in packaged_drills() else str(Path(name).absolute())


def _played_headless(drill: DrillScenario, acts: Path | None, *, as_json: bool) -> tuple[Exercise, ScoreBaselines]:
    """An exercise with the steps of a file, or those of a program that talks."""
    is_live = acts == STANDARD_INPUT
    lines = [] if acts is None or is_live else read_file_text(acts).splitlines()
    steps = read_steps(lines, str(acts or ""), drill.begins)
    stage = DrillStage(drill)
    screen = ProgramScreen(stage, foretells=True)
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
            warn(f"+{text.duration(done.at_ms)} {done.step.do}: {done.refused}")
    return exercise, ScoreBaselines(stage)


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def keep(score: Score, exercise: Exercise, folder: Path, trainee: str, seed: int | None) -> None:
    """Add an exercise to a trainee's history.

    Raises:
        ConfigError: It cannot be the name of a trainee.
        OutputError: It cannot be written.
    """
    when = datetime.now(UTC).isoformat(timespec="seconds")
    steps = written_steps(done.step for done in exercise.log)
    keep_played(folder, trainee, played_of(exercise.stage.drill, score, when, steps, seed))


def retold(given: Given, targets: Targets) -> int:
    """Play a kept exercise again, step by step as it was, and tell its debrief; the exit code.

    Raises:
        ConfigError: It was not played, or the history cannot be read.
    """
    which, found = given.text("try") or "last", load_drill(given.words[0])
    if which not in ("last", "best", "par"):
        raise ConfigError([Problem(f"there is no try {which}", key="--try", hint="last, best or par")])
    drill = found
    lines = written_steps(found.drill.reference)
    if which != "par":
        history = read_history(history_folder(settings_of(given)), this_trainee(given.text("trainee"))).played
        kept = _kept(history, drill.name, is_best=which == "best")
        drill = as_played(drill, kept.seed, is_exam=kept.is_exam)
        lines = kept.steps
    exercise, yardstick = RecordPlayer(drill).play(lines, foretells=True)
    write_result(debrief_of(exercise, yardstick), score_of(exercise, yardstick), targets)
    return 0


def _kept(history: tuple[PlayedDrill, ...], drill: str, *, is_best: bool) -> PlayedDrill:
    found = best(history, drill) if is_best else next((one for one in reversed(history) if one.drill == drill), None)
    if found is None:
        known = ", ".join(sorted({one.drill for one in history})) or "nothing"
        raise ConfigError([Problem(f"{drill} was not played", hint=f"there is {known}")])
    return found


# Agents: programs that talk the protocol of drills, beside idle, random and par.


def _agents(given: Given, targets: Targets) -> int:
    """Let agents play drills and compare their scores; + is solved."""
    programs = dict(_named(each) for each in given.many("agent") if each not in BUILT_IN)
    drills = [load_drill(name) for name in given.words or [one.name for one in curriculum().drills]]
    order = ["idle", "random", *programs, "par"]
    results: list[BenchResult] = []
    for drill in drills:
        results += bench(drill, programs)
    rows = [msgspec.to_builtins(one) for one in results]
    if targets.on_stdout == "screen":
        targets = targets._replace(
            found=tuple(each._replace(form="text") if each.file is None else each for each in targets.found)
        )
    targets.write(
        {
            "text": lambda: visible_lines(_table(drills, results, order)),
            "json": lambda: json_text(enveloped("bench/1", None, {"items": rows})),
            "jsonl": lambda: json_lines("bench/1", rows),
            "csv": lambda: "".join(csv_line(line) for line in ([*rows[0]], *([*row.values()] for row in rows))),
        }
    )
    return 0


def _table(drills: Sequence[DrillScenario], results: Sequence[BenchResult], order: Sequence[str]) -> list[str]:
    room = max((len(drill.name) for drill in drills), default=0)
    lines = [_line("drill", order, room)]
    for drill in drills:
        own = {one.agent: one for one in results if one.drill == drill.name}
        cells = [f"{own[agent].score}{' +' if own[agent].solved else '  '}" for agent in order if agent in own]
        lines.append(_line(drill.name, cells, room))
    each = [[one for one in results if one.agent == agent] for agent in order]
    lines.append(_line("solved", [f"{sum(one.solved for one in own)}  " for own in each], room))
    return [*lines, _line("mean", [f"{sum(one.score for one in own) / max(1, len(own)):.0f}  " for own in each], room)]


def _line(name: str, cells: Sequence[str], room: int) -> str:
    return f"{name:{room}}{''.join(f'{cell:>{WIDTH}}' for cell in cells)}".rstrip()


def _named(words: str) -> tuple[str, str]:
    name, separator, command = words.partition("=")
    if not separator or not name or name in BUILT_IN:
        raise ConfigError([Problem(f"{quoted(words)} is not NAME=COMMAND", key="--agent")])
    return name, command
