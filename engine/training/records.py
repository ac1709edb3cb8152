"""Keeps the scores of each trainee on this machine: an SQLite database that only its owner can read."""

import json
import re
import sqlite3
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple, get_args

import msgspec

from engine.errors import ConfigError, OutputError, quoted
from engine.formats.regular_files import is_a_file
from engine.observe.snapshots import terms_of_system
from engine.training.drill import Difficulty, DrillScenario, Track, find_drill, load_drill, packaged_drills
from engine.training.exercise import Exercise
from engine.training.score import CLOCKS, RecordPlayer, Score
from engine.training.variation import as_played
from engine.units import plural

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LARGEST: Final = 10**12  # The largest score and the largest time
FILE: Final = "drills.sqlite3"
COLUMNS: Final = "trainee, drill, played_at, score, solved_s, seed, clocks, steps, is_exam"
TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS exercises (id INTEGER PRIMARY KEY, trainee TEXT NOT NULL, drill TEXT NOT NULL, "
    "played_at TEXT NOT NULL, score INTEGER NOT NULL, solved_s REAL, seed INTEGER, clocks TEXT NOT NULL, "
    "steps TEXT NOT NULL, is_exam INTEGER NOT NULL DEFAULT 0)"
)
"""One row for each exercise; `clocks` is a JSON object, `steps` JSON lines."""


class PlayedDrill(msgspec.Struct, frozen=True):
    drill: str
    when: str  # ISO 8601, the wall clock
    score: int
    solved_s: float | None  # Seconds of the cluster's time; None: not solved
    steps: tuple[str, ...] = ()  # What was done, as JSON lines; `drill replay` takes them
    seed: int | None = None  # The seed of `--seed`; None: the drill's own
    clocks_s: dict[str, float | None] = {}  # Time to detect, localise, explain and solve [s]; None: never
    is_exam: bool = False


def check_trainee(trainee: str) -> None:
    """Refuse what cannot be the name of a trainee. Raises ConfigError if it cannot."""
    if NAME.fullmatch(trainee) is None:
        hint = "letters, digits, points, dashes and underlines, at most 64"
        raise ConfigError.of(f"{quoted(trainee)} cannot name a trainee", key="--trainee", hint=hint)


class KeptHistory(NamedTuple):
    played: tuple[PlayedDrill, ...]  # Oldest first
    damaged: tuple[str, ...] = ()  # One sentence for each row that cannot be read


def keep_played(folder: Path, trainee: str, played: PlayedDrill) -> None:
    """Raises ConfigError if it cannot be the name of a trainee, OutputError if it cannot be written."""
    check_trainee(trainee)
    path = folder / FILE
    row = (
        *(trainee, played.drill, played.when, played.score, played.solved_s, played.seed),
        *(json.dumps(played.clocks_s), "\n".join(played.steps), played.is_exam),
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        with _opened(path) as database:
            _ = database.execute(f"INSERT INTO exercises ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            database.commit()
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:  # a damaged table is quoted, and may be no text
        raise OutputError(str(path), error if isinstance(error, OSError) else OSError(str(error))) from None


def read_history(folder: Path, trainee: str) -> KeptHistory:
    """What a trainee played; a damaged row takes no other with it. Raises ConfigError if it cannot be read."""
    check_trainee(trainee)
    played, damaged = [], []
    path = folder / FILE
    query = f"SELECT id, {COLUMNS} FROM exercises WHERE trainee = ? ORDER BY id"
    for number, _, *columns in _rows(path, query, trainee):
        try:
            played.append(_played(columns))
        except (msgspec.MsgspecError, ValueError, TypeError, AttributeError, RecursionError):
            damaged.append(f"{path}: exercise {number} is damaged and left out")
    return KeptHistory(tuple(played), tuple(damaged))


def read_class(folder: Path) -> Mapping[str, Sequence[PlayedDrill]]:
    """Read what every trainee played, by name. Raises ConfigError if the database cannot be read."""
    names = _rows(folder / FILE, "SELECT DISTINCT trainee FROM exercises ORDER BY trainee")
    return {
        name: read_history(folder, name).played for (name,) in names if isinstance(name, str) and NAME.fullmatch(name)
    }


def _rows(path: Path, query: str, *values: str) -> list[tuple[Any, ...]]:  # Any: a column may hold anything
    if not is_a_file(path):
        return []
    try:
        with _opened(path) as database:
            return database.execute(query, values).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise ConfigError.of(f"cannot be read: {error}", str(path)) from None


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as database:
        _ = database.execute(TABLE)
        if "is_exam" not in [row[1] for row in database.execute("PRAGMA table_info(exercises)")]:
            _ = database.execute("ALTER TABLE exercises ADD COLUMN is_exam INTEGER NOT NULL DEFAULT 0")
        yield database


def _played(columns: Sequence[Any]) -> PlayedDrill:
    drill, when, score, solved_s, seed, clocks, steps, is_exam = columns
    fields = (drill, when, score, solved_s, steps.splitlines(), seed, msgspec.json.decode(clocks), bool(is_exam))
    played = msgspec.convert(dict(zip(PlayedDrill.__struct_fields__, fields, strict=True)), PlayedDrill)
    numbers = (played.score, played.solved_s or 0, *(each or 0 for each in played.clocks_s.values()))
    if not all(-LARGEST <= each <= LARGEST for each in numbers):
        raise ValueError
    return played


def played_of(
    drill: DrillScenario, score: Score, when: str, steps: Sequence[str], seed: int | None = None
) -> PlayedDrill:
    clocks_s = {name: None if at_ms is None else at_ms / 1000 for name, at_ms in score.clocks.items()}
    solved_s = clocks_s.get("solved")
    return PlayedDrill(drill.name, when, score.total, solved_s, tuple(steps), seed, clocks_s, drill.is_exam)


def best(history: Sequence[PlayedDrill], drill: str) -> PlayedDrill | None:
    """The best exercise of a drill, the first of equal ones; None when it was never played."""
    return max((one for one in history if one.drill == drill), key=lambda one: one.score, default=None)


# Reports on a class: the last try of each trainee at each drill, played again and measured beside par.

_GROUPS: Final = {
    "Naming the fault costs": CLOCKS,
    "The repair costs": ("solved",),
    "Lost work and waiting cost": ("work kept", "waiting"),
}
"""Words → lines of a score that cost something together."""
_PRICES: Final = "Hints and prices cost"  # Every other line


class ClassTry(NamedTuple):
    trainee: str
    drill: DrillScenario
    score: Score
    par: Score
    hints: int
    unaccepted: tuple[str, ...]
    costs: tuple["ClassCost", ...]

    @property
    def lost_s(self) -> float:
        return max(0.0, self.score.harm.lost_s - self.par.harm.lost_s)

    @property
    def waited_s(self) -> float:
        return max(0.0, self.score.harm.waiting_s - self.par.harm.waiting_s)


class ClassCost(NamedTuple):
    """Something a trainee did, or did not do, and what that cost."""

    trainee: str
    drill: str
    at_ms: int  # Ms after the drill's beginning
    words: str
    cost_s: float  # Container-seconds lost, or application-seconds waited beyond par
    unit: str


def latest(histories: Mapping[str, Sequence[PlayedDrill]], drills: Sequence[str]) -> Iterator[tuple[str, PlayedDrill]]:
    """(trainee, the last try) for each of the drills and each trainee who played it."""
    for drill in drills:
        for trainee, history in histories.items():
            found = next((one for one in reversed(history) if one.drill == drill), None)
            if found is not None:
                yield trainee, found


class ClassReplay:
    """Plays kept tries again; those of the same drill share its beginning, par and doing nothing."""

    def __init__(self, load: Callable[[str], DrillScenario]) -> None:
        self._load = load
        self._players: dict[tuple[str, int | None, bool], RecordPlayer] = {}

    def play(self, trainee: str, kept: PlayedDrill) -> ClassTry:
        """A kept try, played again. Raises ConfigError if what was kept is no record, or its drill cannot be read."""
        key = (kept.drill, kept.seed, kept.is_exam)
        if key not in self._players:
            self._players[key] = RecordPlayer(as_played(self._load(kept.drill), kept.seed, is_exam=kept.is_exam))
        exercise, yardstick = self._players[key].play(kept.steps)
        score, par = yardstick.score(exercise), yardstick.score(yardstick.par)
        unaccepted = tuple(name for name, _ in yardstick.unaccepted(exercise))
        found = ClassTry(trainee, yardstick.stage.drill, score, par, exercise.hints, unaccepted, ())
        return found._replace(costs=tuple(_costs(found, exercise, yardstick.par)))


def _costs(one: ClassTry, exercise: Exercise, par: Exercise) -> Iterator[ClassCost]:
    name, words = one.drill.name, terms_of_system(one.drill.scenario.system)
    for number, loss in exercise.sacrificed.items():
        if number not in par.sacrificed and loss.lost_s > 0:
            at_ms = loss.killed_ms - one.drill.begins_ms
            ended = f"{number} is ended, which par leaves alone"
            yield ClassCost(one.trainee, name, at_ms, ended, loss.lost_s, words.container)
    last_ms = one.drill.drill.lasts_ms
    for harm in one.unaccepted:
        yield ClassCost(one.trainee, name, last_ms, f"not accepted: {harm}", one.lost_s, words.container)
    if one.score.solved_ms is None:
        yield ClassCost(one.trainee, name, last_ms, "not solved when time is up", one.waited_s, words.application)


def middle(values: Sequence[float]) -> float | None:
    """The median; None of nothing."""
    return median(values) if values else None


def share_until_named(tries: Sequence[ClassTry]) -> float | None:
    """The median part of the time to a solution that passes before a culprit is named."""
    clocks = [one.score.clocks for one in tries]
    pairs = [(each.get("localise"), each.get("solved")) for each in clocks]
    return middle([named / solved for named, solved in pairs if named is not None and solved])


def repair_ms(tries: Sequence[ClassTry]) -> float | None:
    """The median time from the explanation to the solution, of those that explained first."""
    clocks = [one.score.clocks for one in tries]
    pairs = [(each.get("explain"), each.get("solved")) for each in clocks]
    return middle(
        [solved - named for named, solved in pairs if named is not None and solved is not None and solved >= named]
    )


def summary(tries: Sequence[ClassTry]) -> str:
    """What costs the class most, repairs without explanation, and the drill with most work lost; empty for none."""
    return " ".join(sentence for sentence in (_costliest(tries), _unexplained(tries), _most_lost(tries)) if sentence)


def _costliest(tries: Sequence[ClassTry]) -> str:
    """The group of lines that costs most points; empty where two cost as much, or less than a point is lost."""
    lost = dict.fromkeys((*_GROUPS, _PRICES), 0.0)
    for line in (line for one in tries for line in one.score.lines):
        group = next((words for words, names in _GROUPS.items() if line.what in names), _PRICES)
        lost[group] += line.most - line.points
    (words, most), (_, second) = sorted(lost.items(), key=lambda pair: -pair[1])[:2]
    if sum(lost.values()) < 1 or round(most, 1) == round(second, 1):
        return ""
    return f"{words} most: {most:.0f} of the {sum(lost.values()):.0f} points lost."


def _unexplained(tries: Sequence[ClassTry]) -> str:
    solved = [one.score for one in tries if one.score.solved_ms is not None and "explain" in one.score.clocks]
    unexplained = sum(one.clocks["explain"] is None for one in solved)
    was = "was" if unexplained == 1 else "were"
    return f"{unexplained} of {len(solved)} repairs {was} made without an explanation." if unexplained else ""


def _most_lost(tries: Sequence[ClassTry]) -> str:
    lost: dict[str, float] = {}
    for one in tries:
        lost[one.drill.name] = lost.get(one.drill.name, 0.0) + one.lost_s
    drill = max(lost, key=lambda name: lost[name], default="")
    minutes = round(lost.get(drill, 0.0) / 60)
    own = [one for one in tries if one.drill.name == drill]
    who = sum(one.lost_s > 0 for one in own)
    if not minutes:
        return ""
    lost_work = plural(minutes, f"{terms_of_system(own[0].drill.scenario.system).container}-minute")
    return f"In {drill} {who} of {len(own)} lost work that par keeps: {lost_work}."


# In which order drills are best taken, and which one a trainee takes next.

ENOUGH: Final = 80  # A drill solved with so many points need not be repeated
TRIES: Final = 3  # After so many tries in a row without a solution something else comes first


class ListedFacts(msgspec.Struct, frozen=True):
    """The facts of a drill that a list needs; fields as of `Drill`."""

    brief: str
    minutes: int
    difficulty: Difficulty
    teaches: str
    before: str | None = None
    track: Track = "foundations"


class ListedDrill(msgspec.Struct, frozen=True):
    """A drill in a list, whose scenario was not looked at."""

    title: str
    drill: ListedFacts
    name: str = ""


class Curriculum(NamedTuple):
    drills: Sequence[ListedDrill]  # Track by track, each in the order it is best taken
    unreadable: Mapping[str, str]  # Name of a drill that cannot be read → why, in one line


class Recommendation(NamedTuple):
    drill: str
    reason: str


def curriculum() -> Curriculum:
    """Return the entries of all packaged drills; one that cannot be read keeps no other from being taken."""
    drills, unreadable = [], {}
    for name in packaged_drills():
        try:
            drills.append(listed(name))
        except ConfigError as error:
            unreadable[name] = error.first_line
    tracks = get_args(Track)
    return Curriculum(sorted(in_order(drills), key=lambda drill: tracks.index(drill.drill.track)), unreadable)


def listed(name: str) -> ListedDrill:
    """A packaged drill's entry, by its own file alone if that says all. Raises ConfigError if it cannot be read."""
    try:
        table = tomllib.loads(find_drill(name).file.read_text(encoding="utf-8"))
        return msgspec.convert({**table, "name": name}, ListedDrill)
    except (msgspec.ValidationError, ValueError, OSError):
        return msgspec.convert(load_drill(name), ListedDrill, from_attributes=True)


def recommended(history: Sequence[PlayedDrill], ordered: Sequence[ListedDrill]) -> Recommendation | None:
    """The drill to take next, and why; None when every drill was solved with enough points.

    A drill that was just not solved comes again, three times at most; then the first unsolved one whose predecessor is
    solved, of the same track where there is one; then, with all solved, the one with the fewest points below `ENOUGH`.

    `history` is what the trainee played, oldest first; `ordered` are all drills, in the order they are best taken.
    """
    solved = {one.drill for one in history if one.solved_s is not None}
    titles = {drill.name: drill for drill in ordered}
    last = history[-1].drill if history else ""
    others = [place for place, one in enumerate(history, 1) if one.drill != last]
    tries = len(history) - (others[-1] if others else 0)
    if last in titles and last not in solved and tries < TRIES:
        return Recommendation(last, f"not solved yet, after {tries} of {TRIES} tries in a row; a hint costs little")
    unsolved = [drill for drill in ordered if drill.name not in solved and drill.name != last]
    ready = [drill for drill in unsolved if drill.drill.before is None or drill.drill.before in solved]
    track = titles[last].drill.track if last in titles else ""
    for drill in sorted(ready or unsolved, key=lambda one: one.drill.track != track):
        after = f"after {drill.drill.before}: " if drill.drill.before in solved else ""
        return Recommendation(drill.name, f"{after}{drill.title}")
    if last in titles and last not in solved:
        return Recommendation(last, "the only one that is not solved")
    return _weakest(history, ordered)


def _weakest(history: Sequence[PlayedDrill], ordered: Sequence[ListedDrill]) -> Recommendation | None:
    scores = [(found.score, drill.name) for drill in ordered if (found := best(history, drill.name)) is not None]
    score, name = min(scores, default=(ENOUGH, ""))
    return Recommendation(name, f"your best is {score}; --seed 1 gives it another workload") if score < ENOUGH else None


def in_order(drills: list[ListedDrill]) -> list[ListedDrill]:
    """Drills by difficulty, each after the one to take before it."""
    ranks = {"first shift": 0, "practised": 1, "expert": 2}
    waiting = sorted(drills, key=lambda drill: (ranks[drill.drill.difficulty], drill.drill.minutes, drill.name))
    names = {drill.name for drill in drills}
    ordered: list[ListedDrill] = []
    while waiting:
        taken = {drill.name for drill in ordered}
        free = [one for one in waiting if one.drill.before is None or one.drill.before in taken - {one.name}]
        free = free or [one for one in waiting if one.drill.before not in names] or waiting
        ordered.append(free[0])
        waiting.remove(free[0])
    return ordered
