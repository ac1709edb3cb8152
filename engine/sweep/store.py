"""The SQLite file of a sweep: what was asked, and what came of each point.

One process writes; others may read meanwhile (WAL). A point is there with its outcome or not at all.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import check_file
from engine.measures import RunMeasures
from engine.sweep.playing import PointOutcome
from engine.sweep.points import Point

SCHEMA: Final = 1
"""Version of the file."""

_TABLES: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE point (
    number INTEGER PRIMARY KEY, settings TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL, words TEXT NOT NULL, measures TEXT, seconds REAL NOT NULL
);
"""


class StoredPoint(msgspec.Struct, frozen=True):
    """A point and its outcome."""

    number: int
    settings: Mapping[str, str]
    seed: int
    status: str
    words: str
    measures: RunMeasures | None
    seconds: float


def stored(point: Point, outcome: PointOutcome) -> StoredPoint:
    """A point with what came of it."""
    figures = (outcome.status, outcome.words, outcome.measures, outcome.seconds)
    return StoredPoint(point.number, point.settings, point.seed, *figures)


class SweepStore:
    """An open file; a context that closes it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    @classmethod
    def created(cls, path: Path, about: Mapping[str, str]) -> Self:
        """A new file, also in place of an empty one; `about` tells what is asked.

        Raises:
            ConfigError: The file is there already, is `-`, or cannot be written; then nothing of it is left.
        """
        check_file(path)
        if path.exists() and not (path.is_file() and path.stat().st_size == 0):
            raise ConfigError([Problem("is there already", str(path), hint="--resume goes on with it")])
        with ExitStack() as unless_made:
            unless_made.callback(_removed, path)
            store = cls(_connected(path), path)
            unless_made.push(store)
            with store._guarded():
                store._connection.executescript(_TABLES)
                values = {"schema": str(SCHEMA), **about}
                store._connection.executemany("INSERT INTO about VALUES (?, ?)", sorted(values.items()))
                store._connection.commit()
            unless_made.pop_all()
        return store

    @classmethod
    def opened(cls, path: Path) -> Self:
        """A file that is there.

        Raises:
            ConfigError: It is missing, no sweep, of another version, or damaged; then it is left as it is.
        """
        if not path.is_file():
            raise ConfigError([Problem("there is no such file", str(path))])
        with ExitStack() as unless_read:
            store = cls(_connected(path), path)
            unless_read.push(store)
            try:
                about = store.about()
                if about.get("schema") != str(SCHEMA):
                    words = f"is a sweep of version {about.get('schema', 'unknown')}; this program reads {SCHEMA}"
                    raise ConfigError([Problem(words, str(path))])
                store._check()
            except sqlite3.DatabaseError as error:
                raise ConfigError([Problem(f"is no sweep, or is damaged: {error}", str(path))]) from None
            unless_read.pop_all()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def about(self) -> dict[str, str]:
        """Return what was asked, by name."""
        return dict(self._connection.execute("SELECT name, value FROM about"))

    def tell(self, about: Mapping[str, str]) -> None:
        """Ask for something else from now on; what was kept stays.

        Raises:
            ConfigError: The file cannot be written.
        """
        with self._guarded(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", sorted(about.items()))

    def keep(self, point: Point, outcome: PointOutcome) -> None:
        """Keep the outcome of a point; one that is there already is replaced.

        Raises:
            ConfigError: The file cannot be written, as on a full disk; what was kept before stays.
        """
        settings = msgspec.json.encode(dict(sorted(point.settings.items()))).decode()
        measures = None if outcome.measures is None else _ENCODER.encode(outcome.measures).decode()
        row = (point.number, settings, point.seed, outcome.status, outcome.words, measures, outcome.seconds)
        with self._guarded(), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def forget(self, status: str) -> None:
        """Take out the points with an outcome of this kind, so that they are played again."""
        with self._guarded(), self._connection:
            self._connection.execute("DELETE FROM point WHERE status = ?", (status,))

    def numbers(self) -> set[int]:
        """The points that are there."""
        return {number for (number,) in self._connection.execute("SELECT number FROM point")}

    def points(self) -> Iterator[StoredPoint]:
        """The points by number."""
        for row in self._connection.execute("SELECT * FROM point ORDER BY number"):
            yield _point_of(row)

    def _check(self) -> None:
        """Read all of it once.

        Raises:
            ConfigError: Points of it cannot be read.
            sqlite3.DatabaseError: The file is damaged.
        """
        (state,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        readable, damaged = 0, []
        for row in self._connection.execute("SELECT * FROM point"):
            try:
                _ = msgspec.convert(_point_of(row), StoredPoint)
                readable += 1
            except (ValueError, TypeError, msgspec.MsgspecError):
                damaged.append(row[0])
        if damaged:
            words = f"is damaged: {len(damaged)} of its {readable + len(damaged)} points cannot be read"
            hint = f"sqlite3 FILE 'DELETE FROM point WHERE number IN ({', '.join(map(str, damaged[:10]))})' drops them"
            raise ConfigError([Problem(words, str(self.path), hint=f"{hint}; --resume plays them again")])

    def _guarded(self) -> "_Guarded":
        return _Guarded(self.path)


_ENCODER: Final = msgspec.json.Encoder(order="deterministic")


class _Guarded:
    """Turns an error of SQLite into a message that names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, sqlite3.Error):
            raise ConfigError(
                [Problem(f"cannot be written: {error}", str(self.path), hint="--resume goes on")]
            ) from error


def _point_of(row: tuple[Any, ...]) -> StoredPoint:
    """A row of the file as a point.

    Raises:
        TypeError, ValueError: It is damaged.
    """
    number, settings, seed, status, words, measures, seconds = row
    figures = None if measures is None else msgspec.json.decode(measures, type=RunMeasures)
    return StoredPoint(
        number, msgspec.json.decode(settings, type=dict[str, str]), seed, status, words, figures, seconds
    )


def _removed(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _connected(path: Path) -> sqlite3.Connection:
    try:
        with ExitStack() as unless_opened:
            # One thread after another uses it.
            connection = unless_opened.enter_context(closing(sqlite3.connect(path, check_same_thread=False)))
            connection.execute("PRAGMA journal_mode = WAL")
            # No wait for the disk at each point; only a power cut loses any.
            connection.execute("PRAGMA synchronous = NORMAL")
            unless_opened.pop_all()
    except sqlite3.Error as error:
        raise ConfigError([Problem(f"cannot be opened as a sweep: {error}", str(path))]) from error
    return connection
