"""`schedlab drill list|show|new|report`: what drills there are and ask for, the draft of another, what a class did."""

import csv
import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from engine.errors import ConfigError, Problem, Problems, did_you_mean, quoted
from engine.formats.regular_files import STANDARD_INPUT, read_file_text
from engine.formats.scenario_toml import load, packaged
from engine.observe.documents import csv_line
from engine.scenario import Scenario
from engine.training import records
from engine.training.bench import BUILT_IN, BenchResult, bench
from engine.training.debrief import Debrief, debrief_of, step_words
from engine.training.drill import DrillScenario, Track, load_drill
from engine.training.drill_check import draft_drill, drill_words
from engine.training.exercise import DrillStage, Exercise
from engine.training.protocol import ProgramScreen, brief_of, converse, reply_to, score_of
from engine.training.score import RecordPlayer, Score, ScoreBaselines
from engine.training.steps import read_steps, written_steps
from engine.training.variation import as_played, solvable
from engine.units import parse_instant_option, span
from tui.cli.grammar import Given
from tui.cli.opened import opened
from tui.cli.output import Targets, targets_of
from tui.cli.source import asked, history_folder, recover_in, settings_of, this_trainee
from tui.cli.talk import WRONG, announced, needs_terminal, note, warn
from tui.pages.drill import brief_lines, debrief_lines, history_lines
from tui.report.drill import COLUMNS, class_csv, class_page, debrief_markdown, debrief_page
from tui.report.page import ReportPart, markdown_of
from tui.terminal import format as text
from tui.terminal.edges import visible_lines
from tui.terminal.format import IN_ASCII

TRACKS: Final = {
    "foundations": "Foundations",
    "fair": "FairScheduler",
    "capacity": "CapacityScheduler",
    "spark": "Spark standalone",
}  # Track → its name
MOST_WIDTH: Final = 120  # The width of what is written for people


def list_drills(given: Given) -> None:
    if given.is_on("instruct"):
        _list_seats()
        return
    targets, track = targets_of(given), given.text("track")
    if track is not None and track not in get_args(Track):
        hint = did_you_mean(track, list(get_args(Track)))
        raise ConfigError.of(f"there is no track {track}", key="--track", hint=hint)
    settings = settings_of(given)
    folder, who = history_folder(given), this_trainee(given.text("trainee"))
    recover_in(folder)
    (kept, damaged), (drills, unreadable) = records.read_history(folder, who), records.curriculum()
    for words in damaged:
        warn(f"schedlab: {words}")
    drills = [each for each in drills if track in (None, each.drill.track)]
    following = records.recommended(kept, drills)
    rows: list[dict[str, Any]] = [_about(each, kept) for each in drills]
    rows += [{"name": name, "unreadable": problem} for name, problem in unreadable.items()]
    others = [{**msgspec.to_builtins(one), "steps": len(one.steps)} for one in kept]
    next_one = None if following is None else following._asdict()
    lines = list(_listed(rows))
    if kept:
        lines += ["", *history_lines(kept, following, min(MOST_WIDTH, shutil.get_terminal_size().columns))]
    else:
        lines += ["", f"next: {following.drill}: {following.reason}"] if following is not None else []
    lines = [line.translate(IN_ASCII) for line in lines] if settings.is_on("ascii") else lines
    own = {"items": rows, "played": others, "next": next_one}
    targets.answer("drills/1", lambda: lines, own, rows=[*rows, *others, {"next": next_one}])


def _about(drill: Any, kept: Sequence[Any]) -> dict[str, Any]:
    one, found = drill.drill, records.best(kept, drill.name)
    lesson = "" if found is None else one.teaches  # which is the answer of one that is still to be played
    about = {"track": one.track, "difficulty": one.difficulty, "minutes": one.minutes, "before": one.before}
    score = None if found is None else found.score
    return {"name": drill.name, "title": drill.title, **about, "teaches": lesson, "best": score}


def _listed(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    track, width = "", max((len(str(row["name"])) for row in rows), default=0)
    for row in rows:
        if "unreadable" in row:
            yield f"{row['name']:{width}}  cannot be read: {row['unreadable']}"
            continue
        if row["track"] != track:
            track = row["track"]
            yield TRACKS[track]
        score, words = "" if row["best"] is None else f"{row['best']}", row["teaches"] or row["title"]
        yield f"  {row['name']:{width}}  {row['difficulty']:11}  {row['minutes']:2} min  {score:>3}  {words}"


def _list_seats() -> None:
    from tui.cli.drill_screen import seats  # noqa: PLC0415 -- only a player pays for textual
    from tui.sharing.socket_directory import default_folder  # noqa: PLC0415 -- as the line above

    sys.stdout.write(visible_lines(seats(default_folder())))


def show_drill(given: Given) -> None:
    targets, name = targets_of(given), given.word()
    if name is None:
        words = list(drill_words())
        rows = [one._asdict() for one in words]
        lines = [line for one in words for line in (f"{one.kind:8} {one.word:32} {one.about}", f"{'':8} {one.example}")]
        targets.answer("words/1", lambda: lines, rows=rows)
        return
    drill = load_drill(name)
    shown = dict(brief_of(drill))
    lines, system = list(brief_lines(drill)), drill.scenario.system
    if given.is_on("solution"):
        shown["reference"] = [step.model_dump(mode="json") for step in drill.drill.reference]
        shown["debrief"] = drill.drill.debrief.strip()
        told = (f"  +{span(step.at_ms):8} {step_words(step, system)}" for step in drill.drill.reference)
        lines += ["", "SOLUTION", *told]
        lines += ["", *drill.drill.debrief.strip().splitlines()]
    targets.answer("drill/1", lambda: lines, shown, rows=[shown])


def new_drill(given: Given) -> None:
    problems, at = Problems(), given.text("at")
    if at is None:
        problems.found.append(Problem("say when the trainee is called", key="--at", hint="--at 10:43"))
    with problems.taken():
        source, targets = asked(given, only_files=True)
    problems.check()
    assert at is not None, "it is said"
    with opened(source, given, is_whole=True) as run:
        scenario = run.scenario
        extends = _extended(scenario) if run.is_kept else source.name
        around_ms = parse_instant_option(at, scenario.start, "--at", last_ms=scenario.duration_ms)
        draft = draft_drill(scenario, extends, around_ms, acts=run.acts())
    toml = {"toml": lambda: visible_lines(draft.splitlines())}
    targets.answer("drill/1", draft.splitlines, {"toml": draft}, source.document(scenario.digest()), forms=toml)


def _extended(scenario: Scenario) -> str:
    if scenario.name in packaged() and load(scenario.name).digest() == scenario.digest():
        return scenario.name
    hint = "draft from the scenario's file"
    raise ConfigError.of("the run was not of a packaged scenario as it is", scenario.name, hint=hint)


# What a class did, and one try told once more.


def report(given: Given) -> int:
    if given.is_on("try"):
        if len(given.words) != 1:
            raise ConfigError.of("name one drill", key="--try")
        return _retold(given, targets_of(given, default="text"))
    if given.is_on("trainee"):
        raise ConfigError.of("says whose try is told", key="--trainee", hint="add --try last")
    targets, folder = targets_of(given, only_files=True), history_folder(given)
    recover_in(folder)
    histories = records.read_class(folder)
    wanted = _wanted(histories, given.words)
    seats = {name: name if given.is_on("names") else f"seat {number}" for number, name in enumerate(histories, 1)}
    tries, again = [], records.ClassReplay(load_drill)
    for trainee, kept in records.latest(histories, wanted):
        with announced(f"playing {kept.drill} of {seats[trainee]} again"):
            tries.append(again.play(seats[trainee], kept))
    drills = records.curriculum().drills
    following = {seats[name]: records.recommended(history, drills) for name, history in histories.items()}
    rows = list(csv.DictReader(io.StringIO(class_csv(tries))))
    table = ReportPart("", columns=COLUMNS, rows=tuple(tuple(row.values()) for row in rows))
    targets.answer(
        "class/1",
        lambda: ("  ".join(f"{cell:>10}" for cell in row.values()) for row in rows),
        rows=rows,
        forms={
            "csv": lambda: class_csv(tries),
            "html": lambda: class_page(tries, wanted, following).html(),
            "md": lambda: markdown_of([table]),
        },
    )
    return 0


def _played_words(drills: Sequence[str]) -> str:
    return f"there is {', '.join(drills)}" if drills else "schedlab drill play NAME plays one"


def _wanted(histories: Mapping[str, Sequence[records.PlayedDrill]], drills: Sequence[str]) -> list[str]:
    known = list(dict.fromkeys(one.drill for history in histories.values() for one in history))
    strange = [name for name in drills if name not in known]
    if strange or not known:
        words = f"{strange[0]} was not played" if strange else "nothing was played"
        raise ConfigError.of(words, key="NAME", hint=_played_words(known))
    return list(drills) or known


# `schedlab drill play`: a drill played, by a person or by programs, and what came of it.

WIDTH: Final = 12  # Of a column of the table of agents


def play(given: Given) -> int:
    """What is played on screen is kept in the history; without a screen, only where `--trainee` says whose it is."""
    way = _way(given)
    if way == "agent":
        return _agents(given, targets_of(given, default="text"))
    if len(given.words) != 1:
        raise ConfigError.of("name one drill", key="NAME", hint="several are for --agent")
    name = given.words[0]
    drill, seed = load_drill(name), given.whole("seed")
    if seed is not None:
        drill, used = solvable(drill, seed)
        if used != seed:
            note(f"seed {seed} leaves {drill.name} without its fault or its solution; seed {used} is taken")
        seed = used
    drill = drill.as_exam() if given.is_on("exam") else drill
    if way == "screen":
        needs_terminal(f"schedlab drill play {name} -o text")
        from tui.cli.drill_screen import play_on_screen  # noqa: PLC0415 -- only a screen pays for textual

        return play_on_screen(name, drill, given, seed, targets_of(given).file_of("rm-log"))
    return _without_screen(drill, given, seed, targets_of(given, default="text"))


WAYS: Final = {
    "agent": ("text", "json", "jsonl", "csv"),
    "steps": ("text", "json", "jsonl", "html", "md"),
    "screen": ("screen", "rm-log"),
}  # How a drill is played → the forms of what comes of it; by steps also where a form asks for no screen


def _way(given: Given) -> str:
    forms = [each.form for each in targets_of(given, only_files=True).found if given.is_on("output")]
    is_shown = not given.is_on("steps") and all(form in WAYS["screen"] for form in forms)
    way = "agent" if given.is_on("agent") else "screen" if is_shown else "steps"
    problems = [
        Problem(f"there is no form {form} here", key="-o", hint=f"there is {', '.join(WAYS[way])}")
        for form in forms
        if form not in WAYS[way]
    ]
    problems += [
        Problem("is of a drill on the screen", key=f"--{each}")
        for each in ("listen", "share")
        if given.is_on(each) and way != "screen"
    ]
    if "rm-log" in forms and not given.is_on("listen"):
        problems.append(Problem("is the log of a drill that is served", key="-o rm-log", hint="add --listen 0"))
    if problems:
        raise ConfigError(problems)
    return way


def _without_screen(drill: DrillScenario, given: Given, seed: int | None, targets: Targets) -> int:
    steps = given.path("steps")
    is_live = steps == STANDARD_INPUT
    targets = targets.only_files() if is_live else targets
    with targets.streams(("jsonl",)) as streams:
        say = partial(_say, [partial(print, end="", flush=True)] * is_live + [stream.write for stream in streams])
        exercise, yardstick = _played_headless(drill, steps, say)
        result, score = debrief_of(exercise, yardstick), score_of(exercise, yardstick)
        say(score)
    _write_result(result, score, targets)
    trainee = given.text("trainee")
    if trainee is not None:
        keep(result.score, exercise, history_folder(given), trainee, seed)
    return WRONG if result.score.solved_ms is None else 0


def _write_result(result: Debrief, score: Any, targets: Targets) -> None:
    forms = {"html": lambda: debrief_page(result).html(), "md": lambda: debrief_markdown(result)}
    targets.answer("debrief/1", lambda: debrief_lines(result), dict(score), forms=forms)


def _played_headless(
    drill: DrillScenario, acts: Path | None, say: Callable[[object], None]
) -> tuple[Exercise, ScoreBaselines]:
    is_live = acts == STANDARD_INPUT
    lines = [] if acts is None or is_live else read_file_text(acts).splitlines()
    steps = read_steps(lines, str(acts or ""), drill.begins)
    stage = DrillStage(drill)
    screen = ProgramScreen(stage, foretells=True)
    exercise = screen.exercise
    if is_live:
        say(brief_of(drill))
        for reply in converse(screen, _typed_lines()):
            say(reply)
    for step in sorted(steps, key=lambda one: one.at_ms):
        done = exercise.take(step)
        say(reply_to(screen, done))
        if done.refused:
            warn(f"+{text.duration(done.at_ms)} {done.step.do}: {done.refused}")
    return exercise, ScoreBaselines(stage)


def _typed_lines() -> Iterator[str]:
    try:
        yield from sys.stdin
    except UnicodeDecodeError:
        raise ConfigError.of("is not UTF-8 text", "the standard input") from None
    except OSError as error:
        raise ConfigError.of(f"cannot be read: {str(error.strerror).lower()}", "the standard input") from None


def _say(outs: Sequence[Callable[[str], object]], value: object) -> None:
    for out in outs:
        out(json.dumps(value) + "\n")


def keep(score: Score, exercise: Exercise, folder: Path, trainee: str, seed: int | None) -> None:
    """Add an exercise to a trainee's history; a `ConfigError` where it can be no name, else an `OutputError`."""
    when = datetime.now(UTC).isoformat(timespec="seconds")
    steps = written_steps(done.step for done in exercise.log)
    records.keep_played(folder, trainee, records.played_of(exercise.stage.drill, score, when, steps, seed))


def _retold(given: Given, targets: Targets) -> int:
    which, found = given.text("try") or "last", load_drill(given.words[0])
    if which not in ("last", "best", "par"):
        raise ConfigError.of(f"there is no try {which}", key="--try", hint="last, best or par")
    drill = found
    lines = written_steps(found.drill.reference)
    if which != "par":
        history = records.read_history(history_folder(given), this_trainee(given.text("trainee"))).played
        kept = _kept(history, drill.name, is_best=which == "best")
        drill = as_played(drill, kept.seed, is_exam=kept.is_exam)
        lines = kept.steps
    exercise, yardstick = RecordPlayer(drill).play(lines, foretells=True)
    _write_result(debrief_of(exercise, yardstick), score_of(exercise, yardstick), targets)
    return 0


def _kept(history: tuple[records.PlayedDrill, ...], drill: str, *, is_best: bool) -> records.PlayedDrill:
    found = (
        records.best(history, drill)
        if is_best
        else next((one for one in reversed(history) if one.drill == drill), None)
    )
    if found is None:
        raise ConfigError.of(f"{drill} was not played", hint=_played_words(sorted({one.drill for one in history})))
    return found


# Agents: programs that talk the protocol of drills, beside idle, random and par.


def _agents(given: Given, targets: Targets) -> int:
    programs = _programs(given.many("agent"))
    drills = [load_drill(name) for name in given.words or [one.name for one in records.curriculum().drills]]
    order = ["idle", "random", *programs, "par"]
    results, settings = list[BenchResult](), settings_of(given)
    for drill in drills:
        results += bench(drill, programs, settings.number("drill.answer_seconds") or 0, warn)
    rows = [msgspec.to_builtins(one) for one in results]
    targets.answer(
        "bench/1",
        lambda: _table(drills, results, order),
        rows=rows,
        forms={"csv": lambda: "".join(csv_line(line) for line in ([*rows[0]], *([*row.values()] for row in rows)))},
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


def _programs(agents: Sequence[str]) -> dict[str, str]:
    problems, programs = Problems(), dict[str, str]()
    for words in agents:
        name, separator, command = words.partition("=")
        if words in BUILT_IN:
            continue
        if not separator or not name or name in BUILT_IN:
            problems.add(f"{quoted(words)} is not NAME=COMMAND", key="--agent")
        elif name in programs:
            problems.add(f"{name} is given twice", key="--agent")
        programs[name] = command
    problems.check()
    return programs
