"""Keeps the scores of each trainee on this machine: an SQLite database that only its owner can read."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, OutputError, Problem, quoted
from engine.formats.regular_files import is_a_file
from engine.training.debrief import Debrief

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LARGEST: Final = 10**12
"""The largest score and the largest time."""
FILE: Final = "drills.sqlite3"
COLUMNS: Final = "trainee, drill, played_at, score, solved_s, seed, clocks, steps, is_exam"
TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS exercises (id INTEGER PRIMARY KEY, trainee TEXT NOT NULL, drill TEXT NOT NULL, "
    "played_at TEXT NOT NULL, score INTEGER NOT NULL, solved_s REAL, seed INTEGER, clocks TEXT NOT NULL, "
    "steps TEXT NOT NULL, is_exam INTEGER NOT NULL DEFAULT 0)"
)
"""One row for each exercise; `clocks` is a JSON object, `steps` JSON lines."""


class PlayedDrill(msgspec.Struct, frozen=True):
    """One exercise, as kept."""

    drill: str
    when: str
    """ISO 8601, the wall clock."""
    score: int
    solved_s: float | None
    """Seconds of the cluster's time; None: not solved."""
    steps: tuple[str, ...] = ()
    """What was done, as JSON lines; `drill replay` takes them."""
    seed: int | None = None
    """The seed of `--vary`; None: the drill's own."""
    clocks_s: dict[str, float | None] = {}
    """Time to detect, localise, explain and solve [s]; None: never."""
    is_exam: bool = False


def check_trainee(trainee: str) -> None:
    """Refuse what cannot be the name of a trainee.

    Raises:
        ConfigError: It cannot.
    """
    if NAME.fullmatch(trainee) is None:
        hint = "letters, digits, points, dashes and underlines, at most 64"
        raise ConfigError([Problem(f"{quoted(trainee)} cannot name a trainee", key="--trainee", hint=hint)])


class KeptHistory(NamedTuple):
    """The tries kept of a trainee."""

    played: tuple[PlayedDrill, ...]
    """Oldest first."""
    damaged: tuple[str, ...] = ()
    """One sentence for each row that cannot be read."""


def keep_played(folder: Path, trainee: str, played: PlayedDrill) -> None:
    """Add an exercise of a trainee.

    Raises:
        ConfigError: It cannot be the name of a trainee.
        OutputError: It cannot be written.
    """
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
    except (OSError, sqlite3.Error) as error:
        raise OutputError(str(path), error if isinstance(error, OSError) else OSError(str(error))) from None


def read_history(folder: Path, trainee: str) -> KeptHistory:
    """Read what a trainee played; nothing when nothing was kept. A damaged row takes no other with it.

    Raises:
        ConfigError: It cannot be the name of a trainee, or the database cannot be read.
    """
    check_trainee(trainee)
    path = folder / FILE
    if not is_a_file(path):
        return KeptHistory(())
    query = f"SELECT id, {COLUMNS} FROM exercises WHERE trainee = ? ORDER BY id"
    try:
        with _opened(path) as database:
            return _history(database.execute(query, (trainee,)), path)
    except (sqlite3.Error, ValueError) as error:
        raise ConfigError([Problem(f"cannot be read: {error}", str(path))]) from None


def read_class(folder: Path) -> Mapping[str, Sequence[PlayedDrill]]:
    """Read what every trainee played, by name.

    Raises:
        ConfigError: The database cannot be read.
    """
    path = folder / FILE
    if not is_a_file(path):
        return {}
    try:
        with _opened(path) as database:
            names = [name for (name,) in database.execute("SELECT DISTINCT trainee FROM exercises ORDER BY trainee")]
    except sqlite3.Error as error:
        raise ConfigError([Problem(f"cannot be read: {error}", str(path))]) from None
    return {name: read_history(folder, name).played for name in names if isinstance(name, str) and NAME.fullmatch(name)}


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as database:
        _ = database.execute(TABLE)
        if "is_exam" not in [row[1] for row in database.execute("PRAGMA table_info(exercises)")]:
            _ = database.execute("ALTER TABLE exercises ADD COLUMN is_exam INTEGER NOT NULL DEFAULT 0")
        yield database


def _history(rows: Iterable[tuple[Any, ...]], path: Path) -> KeptHistory:  # Any: a column may hold anything
    played, damaged = [], []
    for number, _, *columns in rows:
        try:
            played.append(_played(columns))
        except (msgspec.MsgspecError, ValueError, TypeError, AttributeError, RecursionError):
            damaged.append(f"{path}: exercise {number} is damaged and left out")
    return KeptHistory(tuple(played), tuple(damaged))


def _played(columns: Sequence[Any]) -> PlayedDrill:
    """An exercise of its columns.

    Raises:
        ValueError: One of them is not what was kept; other errors of reading, likewise.
    """
    drill, when, score, solved_s, seed, clocks, steps, is_exam = columns
    fields = [drill, when, score, solved_s, steps.splitlines(), seed, msgspec.json.decode(clocks), bool(is_exam)]
    found = msgspec.convert(fields, _Row)
    numbers = (found.score, found.solved_s or 0, *(each or 0 for each in found.clocks_s.values()))
    if not all(-LARGEST <= each <= LARGEST for each in numbers):
        raise ValueError
    return PlayedDrill(*msgspec.structs.astuple(found))


class _Row(PlayedDrill, frozen=True, array_like=True):
    """An exercise as a list of its columns."""


def played_of(debrief: Debrief, when: str, steps: Sequence[str], seed: int | None = None) -> PlayedDrill:
    """An exercise as it is kept."""
    score = debrief.score
    clocks_s = {name: None if at_ms is None else at_ms / 1000 for name, at_ms in score.clocks.items()}
    solved_s = clocks_s.get("solved")
    return PlayedDrill(debrief.name, when, score.total, solved_s, tuple(steps), seed, clocks_s, debrief.is_exam)


def best(history: Sequence[PlayedDrill], drill: str) -> PlayedDrill | None:
    """The best exercise of a drill, the first of equal ones; None when it was never played."""
    return max((one for one in history if one.drill == drill), key=lambda one: one.score, default=None)
