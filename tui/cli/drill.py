"""`schedlab drill list|show|new|report`: what drills there are and ask for, the draft of another, what a class did."""

import csv
import io
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

import msgspec

from engine.errors import ConfigError, Problem, did_you_mean
from engine.formats.scenario_toml import load, packaged
from engine.scenario import Scenario
from engine.training.debrief import step_words
from engine.training.drill import Track, load_drill
from engine.training.drill_check import draft_drill, drill_words
from engine.training.protocol import brief_of
from engine.training.records import (
    ClassReplay,
    ClassTry,
    PlayedDrill,
    best,
    curriculum,
    latest,
    read_class,
    read_history,
    recommended,
)
from engine.units import parse_instant_option, span
from tui.cli.drill_play import history_folder, recover_in, retold, this_trainee
from tui.cli.grammar import Given
from tui.cli.opened import opened
from tui.cli.output import enveloped, json_lines, json_text, targets_of
from tui.cli.source import named_source, settings_of
from tui.cli.talk import announced, warn
from tui.pages.drill import brief_lines, history_lines
from tui.report.drill_class import class_csv, class_page
from tui.terminal.edges import visible_lines
from tui.terminal.format import IN_ASCII

TRACKS: Final = {
    "foundations": "Foundations",
    "fair": "FairScheduler",
    "capacity": "CapacityScheduler",
    "spark": "Spark standalone",
}
"""Track → its name."""
MOST_WIDTH: Final = 120  # The width of what is written for people


def list_drills(given: Given) -> None:
    """List the drills, what was played of them, and what to take next.

    Raises:
        ConfigError: There is no such track, or the history cannot be read.
    """
    if given.is_on("instruct"):
        _list_seats()
        return
    track = given.text("track")
    if track is not None and track not in get_args(Track):
        hint = did_you_mean(track, list(get_args(Track)))
        raise ConfigError([Problem(f"there is no track {track}", key="--track", hint=hint)])
    settings = settings_of(given)
    folder, who = history_folder(settings), this_trainee(given.text("trainee"))
    recover_in(folder)
    (kept, damaged), (drills, unreadable) = read_history(folder, who), curriculum()
    for words in damaged:
        warn(f"schedlab: {words}")
    drills = [each for each in drills if track in (None, each.drill.track)]
    following = recommended(kept, drills)
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
    targets_of(given).write(
        {
            "text": lambda: visible_lines(lines),
            "json": lambda: json_text(enveloped("drills/1", None, {"items": rows, "played": others, "next": next_one})),
            "jsonl": lambda: json_lines("drills/1", [*rows, *others, {"next": next_one}]),
        }
    )


def _about(drill: Any, kept: Sequence[Any]) -> dict[str, Any]:
    one, found = drill.drill, best(kept, drill.name)
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
    import sys  # noqa: PLC0415 -- beside what only seats need

    from tui.cli.attach import seats  # noqa: PLC0415 -- only who sits down pays for textual
    from tui.sharing.meeting_place import default_folder  # noqa: PLC0415 -- as the line above

    sys.stdout.write(visible_lines(seats(default_folder())))


def show_drill(given: Given) -> None:
    """Show what a trainee reads, and how points are counted; without a name, what an author can write.

    Raises:
        ConfigError: There is no such drill.
    """
    targets, name = targets_of(given), given.word()
    if name is None:
        words = drill_words()
        rows = [one._asdict() for one in words]
        lines = [line for one in words for line in (f"{one.kind:8} {one.word:32} {one.about}", f"{'':8} {one.example}")]
        targets.write(
            {
                "text": lambda: visible_lines(lines),
                "json": lambda: json_text(enveloped("words/1", None, {"items": rows})),
                "jsonl": lambda: json_lines("words/1", rows),
            }
        )
        return
    drill = load_drill(name)
    shown = dict(brief_of(drill))
    lines = list(brief_lines(drill))
    if given.is_on("solution"):
        shown["reference"] = [step.model_dump(mode="json") for step in drill.drill.reference]
        shown["debrief"] = drill.drill.debrief.strip()
        lines += ["", "SOLUTION", *(f"  +{span(step.at_ms):8} {step_words(step)}" for step in drill.drill.reference)]
        lines += ["", *drill.drill.debrief.strip().splitlines()]
    targets.write(
        {
            "text": lambda: visible_lines(lines),
            "json": lambda: json_text(enveloped("drill/1", None, shown)),
            "jsonl": lambda: json_lines("drill/1", [shown]),
        }
    )


def new_drill(given: Given) -> None:
    """Draft a drill around `--at` of a scenario or a kept run.

    Raises:
        ConfigError: SOURCE or `--at` is wrong.
    """
    targets, source, at = targets_of(given, only_files=True), named_source(given), given.text("at")
    if at is None:
        raise ConfigError([Problem("say when the trainee is called", key="--at", hint="--at 10:43")])
    with opened(source, given, is_whole=True) as run:
        scenario = run.scenario
        extends = _extended(scenario) if run.is_kept or run.is_twin else source.name
        around_ms = parse_instant_option(at, scenario.start, "--at", last_ms=scenario.duration_ms)
        draft = draft_drill(scenario, extends, around_ms, acts=run.acts())
    targets.write(
        {
            "toml": lambda: visible_lines(draft.splitlines()),
            "json": lambda: json_text(enveloped("drill/1", source.document(scenario.digest()), {"toml": draft})),
        }
    )


def _extended(scenario: Scenario) -> str:
    if scenario.name in packaged() and load(scenario.name).digest() == scenario.digest():
        return scenario.name
    hint = "draft from the scenario's file"
    raise ConfigError([Problem("the run was not of a packaged scenario as it is", scenario.name, hint=hint)])


# What a class did, and one try told once more.


def report(given: Given) -> int:
    """Tell of the last try of each trainee at each drill, played again; or of one try. The exit code.

    Raises:
        ConfigError: A drill was played by nobody, or a history cannot be read.
    """
    if given.is_on("try"):
        if len(given.words) != 1:
            raise ConfigError([Problem("name one drill", key="--try")])
        return retold(given, targets_of(given, default="text"))
    targets, folder = targets_of(given, only_files=True), history_folder(settings_of(given))
    recover_in(folder)
    histories = read_class(folder)
    wanted = _wanted(histories, given.words)
    seats = {name: name if given.is_on("names") else f"seat {number}" for number, name in enumerate(histories, 1)}
    tries, again = [], ClassReplay(load_drill)
    for trainee, kept in latest(histories, wanted):
        with announced(f"playing {kept.drill} of {seats[trainee]} again"):
            tries.append(again.play(seats[trainee], kept))
    following = {seats[name]: recommended(history, curriculum().drills) for name, history in histories.items()}
    rows = _rows(tries)
    targets.write(
        {
            "csv": lambda: class_csv(tries),
            "html": lambda: class_page(tries, wanted, following).html(),
            "json": lambda: json_text(enveloped("class/1", None, {"items": rows})),
            "text": lambda: visible_lines("  ".join(f"{cell:>10}" for cell in row.values()) for row in rows),
            "md": lambda: _markdown(rows),
        }
    )
    return 0


def _rows(tries: Sequence[ClassTry]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(class_csv(tries))))


def _markdown(rows: Sequence[Mapping[str, str]]) -> str:
    heads = list(rows[0]) if rows else []
    lines = [heads, ["---"] * len(heads), *(list(row.values()) for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _wanted(histories: Mapping[str, Sequence[PlayedDrill]], drills: Sequence[str]) -> list[str]:
    known = list(dict.fromkeys(one.drill for history in histories.values() for one in history))
    strange = [name for name in drills if name not in known]
    if strange or not known:
        words = f"{strange[0]} was played by nobody" if strange else "nothing was played"
        raise ConfigError([Problem(words, key="NAME", hint=f"there is {', '.join(known) or 'nothing'}")])
    return list(drills) or known
