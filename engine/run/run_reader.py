"""Runs kept on disk: what the file of one looks like, and how it is read.

A run is a directory with one SQLite file in it: the scenario, what came from outside, the journal with its hash, and
samples of the series. Whatever else is wanted is rebuilt by replay. It can be read while it is written.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec
from pydantic import ValidationError

from engine.errors import ConfigError, InvariantError, Problem
from engine.observe.journal import program_version
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.simulation.run_export import Act, Fingerprint, replay
from engine.simulation.simulation import Simulation

FORMAT: Final = 1
"""Version of the file's form; a reader refuses others."""
APPLICATION: Final = 0x5C4ED1AB
"""What SQLite's header says whose file it is."""
FILE: Final = "run.sqlite3"
PAGE: Final = 10_000
"""Journal lines read at a time."""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class RunInfo(msgspec.Struct, frozen=True):
    """What is known of a kept run without replaying it."""

    name: str
    scenario: str
    """Name of the scenario."""
    title: str
    scheduler: str
    seed: int
    created: str
    """When it was made, as its maker wrote it."""
    program: str
    """Version of the program that made it."""
    start_ms: int
    """Start of the scenario [epoch ms]."""
    until_ms: int
    """Up to where it is known [epoch ms]."""
    is_whole: bool
    """Whether it was ended properly; False while it goes on, or when its program was killed."""
    acts: int
    records: int
    journal_hash: str
    """SHA-256 of all journal lines, as of a `Fingerprint`."""
    size_bytes: int = 0
    parent: str = ""
    """The run it goes on from; empty when it began by itself."""
    branched_ms: int = 0
    """Up to where it is as its parent [epoch ms]; 0 without one."""


def directory(root: Path, name: str) -> Path:
    """The directory of a run.

    Raises:
        ConfigError: It cannot be a run's name.
    """
    if NAME.fullmatch(name) is None:
        hint = "letters, digits, points, dashes and underlines, at most 64"
        raise ConfigError([Problem(f"{name!r} cannot name a run", hint=hint)])
    return root / name


def free_name(root: Path, scenario: str) -> str:
    """The first free name for another run of a scenario."""
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", scenario)[:56].lstrip("._-") or "run"
    return next(name for number in count(1) if not (root / (name := f"{stem}-{number}")).exists())


def names(root: Path) -> list[str]:
    """The runs below a directory, oldest first; none when it is not there."""
    if not root.is_dir():
        return []
    found = [path for path in root.iterdir() if (path / FILE).exists()]
    return [path.name for path in sorted(found, key=lambda path: ((path / FILE).stat().st_ctime_ns, path.name))]


class KeptRun:
    """One kept run, opened to be read; a context manager that closes it."""

    def __init__(self, root: Path, name: str) -> None:
        """Open it.

        Raises:
            ConfigError: There is no such run, or it is damaged, or of another version.
        """
        self._file = directory(root, name) / FILE
        if not self._file.is_file():
            known = names(root)
            hint = f"there is {', '.join(known)}" if known else f"no run is kept in {root}"
            raise ConfigError([Problem(f"there is no run {name}", hint=hint)])
        try:
            self._db = sqlite3.connect(f"{self._file.resolve().as_uri()}?mode=ro", uri=True)
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        try:
            self._check_version()
            self.info = self._info(name)
        except ConfigError:
            self._db.close()
            raise

    def __enter__(self) -> "KeptRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def scenario(self) -> Scenario:
        """What was played.

        Raises:
            ConfigError: It is damaged.
        """
        try:
            return Scenario.model_validate(msgspec.json.decode(self._facts()["scenario"]))
        except (ValidationError, msgspec.MsgspecError) as error:
            raise self._damaged(error) from error

    def acts(self) -> list[Act]:
        """What came from outside, as `Simulation.acts` keeps it.

        Raises:
            ConfigError: It is damaged.
        """
        decoder: msgspec.json.Decoder[Act] = msgspec.json.Decoder(Act)
        try:
            return [decoder.decode(text) for (text,) in self._rows("SELECT act FROM acts ORDER BY id")]
        except msgspec.MsgspecError as error:
            raise self._damaged(error) from error

    def journal(self, until_ms: int | None = None) -> Iterator[bytes]:
        """The journal's lines up to and including an instant [epoch ms], each with its newline; no header.

        Raises:
            ConfigError: It is damaged.
        """
        end_ms = self.info.until_ms if until_ms is None else until_ms
        query = "SELECT id, time_ms, record FROM journal WHERE id > ? AND time_ms <= ? ORDER BY id LIMIT ?"
        last = -1
        while rows := self._rows(query, last, end_ms, PAGE):
            for last, time_ms, record in rows:  # noqa: B007 -- the last one read is where the next page begins
                yield b"[%d,%s]\n" % (time_ms, record.encode())

    def hash_until(self, time_ms: int) -> str:
        """SHA-256 of the journal's lines up to and including an instant [epoch ms]."""
        hashed = hashlib.sha256()
        for line in self.journal(time_ms):
            hashed.update(line)
        return hashed.hexdigest()

    def series(self, name: str) -> list[tuple[int, int]]:
        """(epoch ms, value) of a series of the metrics, or of a queue's used memory by its path."""
        query = "SELECT time_ms, value FROM samples JOIN series ON series.id = series WHERE name = ? ORDER BY time_ms"
        return [(time_ms, value) for time_ms, value in self._rows(query, name)]

    def series_names(self) -> list[str]:
        """The series it has."""
        return [name for (name,) in self._rows("SELECT name FROM series ORDER BY id")]

    def _check_version(self) -> None:
        (application,) = self._rows("PRAGMA application_id")[0]
        (version,) = self._rows("PRAGMA user_version")[0]
        if application != APPLICATION:
            raise ConfigError([Problem("this is no kept run of schedlab", file=str(self._file))])
        if version != FORMAT:
            words = f"it has format {version}, this program ({program_version()}) reads {FORMAT}"
            raise ConfigError([Problem(words, file=str(self._file), hint="open it with the version that made it")])

    def _facts(self) -> Mapping[str, str]:
        return dict(self._rows("SELECT key, value FROM facts"))

    def _info(self, name: str) -> RunInfo:
        facts = self._facts()
        size = sum(path.stat().st_size for path in self._file.parent.iterdir() if path.is_file())
        try:
            about: dict[str, object] = msgspec.json.decode(facts["about"], type=dict)
            so_far: dict[str, object] = msgspec.json.decode(facts["so_far"], type=dict)
            return msgspec.convert({"name": name, "size_bytes": size, **about, **so_far}, RunInfo)
        except (KeyError, msgspec.MsgspecError) as error:
            raise self._damaged(error) from error

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> ConfigError:
        words = " ".join(str(error).split())[:200]
        return ConfigError([Problem(f"this kept run is damaged: {words}", file=str(self._file))])


def delete(root: Path, name: str) -> None:
    """Delete a run, also a damaged one, and nothing else.

    Raises:
        ConfigError: There is no such run, or it cannot be deleted, or its directory holds other files.
    """
    path = directory(root, name)
    if not (path / FILE).is_file():
        raise ConfigError([Problem(f"there is no run {name}", file=str(path))])
    try:
        for ending in ("", "-wal", "-shm"):
            (path / (FILE + ending)).unlink(missing_ok=True)
        path.rmdir()
    except OSError as error:
        raise ConfigError([Problem(f"it cannot be deleted: {error.strerror}", file=str(path))]) from error


def replayed(run: KeptRun, time_ms: int, listeners: Sequence[Listener] = ()) -> Simulation:
    """The run's simulation at the end of an instant [epoch ms].

    Args:
        run: A kept run.
        time_ms: Not after its end.
        listeners: Get everything once more.

    Raises:
        ConfigError: This program does not replay the run as it was, or the run is damaged.
    """
    fingerprint = Fingerprint()
    try:
        simulation = replay(run.scenario(), run.acts(), time_ms, [fingerprint, *listeners])
    except InvariantError as error:
        raise _replays_otherwise(run) from error
    # The last instant of a run that was cut off may be there in part.
    is_all_there = run.info.is_whole or time_ms < run.info.until_ms
    if is_all_there and fingerprint.hexdigest() != run.hash_until(time_ms):
        raise _replays_otherwise(run)
    return simulation


def _replays_otherwise(run: KeptRun) -> ConfigError:
    words = f"schedlab {program_version()} does not replay run {run.info.name} as schedlab {run.info.program} kept it"
    return ConfigError([Problem(words, hint="its journal can still be exported")])
