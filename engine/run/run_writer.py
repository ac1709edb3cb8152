"""Writes a run to disk while it goes on: a listener that writes what `run_reader` reads.

What comes from outside is on disk before it is answered; the rest follows in batches. A program that is killed loses
at most the last batch, which it had not yet acknowledged.
"""

import hashlib
import sqlite3
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, Self

import msgspec

from engine.errors import ConfigError, Problem
from engine.observe.journal import program_version
from engine.observe.metrics import Metrics
from engine.run.run_reader import APPLICATION, FILE, FORMAT, KeptRun, RunInfo, directory, free_name
from engine.scenario import Scenario
from engine.simulation.records import Acted, Record

BATCH: Final = 5000
"""Records written together."""
SAMPLES: Final = 2000
"""Samples of each series over the scenario's duration, at most."""

_TABLES: Final = """
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE acts (id INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, act TEXT NOT NULL);
CREATE TABLE journal (id INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, record TEXT NOT NULL);
CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE samples (
    series INTEGER NOT NULL, time_ms INTEGER NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (series, time_ms)
) WITHOUT ROWID;
"""
_ABOUT: Final = ("scenario", "title", "scheduler", "seed", "created", "program", "start_ms", "parent", "branched_ms")
_LINE: Final = msgspec.json.Decoder(tuple[int, Record])


class RunWriter:
    """Writes one run; a context manager that writes what is left and closes the file."""

    def __init__(
        self, root: Path, name: str, scenario: Scenario, *, created: str, parent: str = "", branched_ms: int = 0
    ) -> None:
        """Begin a new run.

        Args:
            root: Directory of all runs; made when it is not there.
            name: Its name.
            scenario: What is played.
            created: When, for people to read.
            parent: The run it goes on from, whose records this one must get, too.
            branched_ms: Up to where it is as its parent [epoch ms].

        Raises:
            ConfigError: There is a run of this name, or nothing can be written there.
        """
        self.name = name
        self._root, self._scenario = root, scenario
        self._path = directory(root, name)
        self._every_ms = max(1, scenario.duration_ms // SAMPLES)
        self._metrics = Metrics()
        self._hash = hashlib.sha256()
        self._batch: list[tuple[int, str]] = []
        self._acts: list[tuple[int, str]] = []
        self._count = 0
        self._until_ms = scenario.start_ms
        self._series: dict[str, int] = {}
        self._sampled: dict[str, int] = {}
        self._samples: list[tuple[int, int, int]] = []
        """(series, epoch ms, value) not yet written."""
        self._encode = msgspec.json.Encoder().encode
        self._about = RunInfo(
            name=name,
            scenario=scenario.name,
            title=scenario.title,
            scheduler=scenario.scheduler,
            seed=scenario.seed,
            created=created,
            program=program_version(),
            start_ms=scenario.start_ms,
            until_ms=scenario.start_ms,
            is_whole=False,
            acts=0,
            records=0,
            journal_hash=self._hash.hexdigest(),
            parent=parent,
            branched_ms=branched_ms,
        )
        try:
            self._path.mkdir(parents=True)
        except FileExistsError:
            hint = "choose another name, or delete that run"
            raise ConfigError([Problem(f"there is a run {name} already", file=str(self._path), hint=hint)]) from None
        except OSError as error:
            raise ConfigError([Problem(f"it cannot be made: {error.strerror}", file=str(self._path))]) from error
        self._db = self._begin(scenario)

    def _begin(self, scenario: Scenario) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self._path / FILE, isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")  # survives a kill; only a power cut may take the last batches
            about = {key: value for key, value in msgspec.structs.asdict(self._about).items() if key in _ABOUT}
            facts = {
                "about": self._encode(about).decode(),
                "so_far": self._so_far(),
                "scenario": self._encode(scenario.model_dump(mode="json")).decode(),
                "scenario_hash": scenario.digest(),
            }
            db.executescript(f"BEGIN; PRAGMA application_id = {APPLICATION}; {_TABLES} COMMIT;")
            db.execute("BEGIN")
            db.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
            db.execute(f"PRAGMA user_version = {FORMAT}")
            db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._cannot(error) from error
        return db

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant; those of an action from outside are on disk when this returns.

        Raises:
            ConfigError: The run cannot be written any more.
        """
        self._sample(time_ms)
        acted = False
        encode, hashed = self._encode, self._hash
        begin = b"[%d," % time_ms
        for record in records:
            data = encode(record)
            hashed.update(begin + data + b"]\n")
            self._batch.append((time_ms, data.decode()))
            if type(record) is Acted and record.position is not None:
                self._acts.append((time_ms, encode((record.position, record.action)).decode()))
                acted = True
        self._metrics.follow(records)
        self._until_ms = max(time_ms, self._until_ms)
        self._count += len(records)
        if acted or len(self._batch) >= BATCH:
            self.write()

    def write(self) -> None:
        """Write what is left; when this returns it is on disk.

        Raises:
            ConfigError: The run cannot be written any more.
        """
        batch, self._batch = self._batch, []
        acts, self._acts = self._acts, []
        self._about = msgspec.structs.replace(
            self._about,
            until_ms=self._until_ms,
            records=self._count,
            acts=self._about.acts + len(acts),
            journal_hash=self._hash.hexdigest(),
        )
        try:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT INTO journal (time_ms, record) VALUES (?, ?)", batch)
            self._db.executemany("INSERT INTO acts (time_ms, act) VALUES (?, ?)", acts)
            self._write_samples()
            self._db.execute("UPDATE facts SET value = ? WHERE key = 'so_far'", (self._so_far(),))
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._cannot(error) from error

    def branch(self, time_ms: int, *, created: str) -> "RunWriter":
        """What keeps another run that is this one up to the end of an instant [epoch ms], under a free name.

        When this returns all of it is on disk.

        Raises:
            ConfigError: It cannot be written.
        """
        self.write()
        name = free_name(self._root, self._scenario.name)
        other = RunWriter(self._root, name, self._scenario, created=created, parent=self.name, branched_ms=time_ms)
        with KeptRun(self._root, self.name) as run:
            lines = map(_LINE.decode, run.journal(time_ms))
            for at_ms, numbered in groupby(lines, key=itemgetter(0)):
                other.records(at_ms, [record for _, record in numbered])
        other.write()
        return other

    def finish(self, until_ms: int) -> None:
        """The run has ended properly at an instant [epoch ms].

        Raises:
            ConfigError: The run cannot be written any more.
        """
        self._about = msgspec.structs.replace(self._about, is_whole=True)
        self._until_ms = until_ms
        self._note_samples()
        self.write()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._batch:
                self.write()
        finally:
            self.close()

    def _so_far(self) -> str:
        about = msgspec.structs.asdict(self._about)
        so_far = {key: value for key, value in about.items() if key not in {*_ABOUT, "name", "size_bytes"}}
        return self._encode(so_far).decode()

    def _sample(self, time_ms: int) -> None:
        """Note the series as they were before an instant that begins another stretch of time."""
        if time_ms // self._every_ms != self._until_ms // self._every_ms:
            self._note_samples()

    def _note_samples(self) -> None:
        for name, value in self._metrics.values().items():
            if self._sampled.get(name, 0) != value:
                self._sampled[name] = value
                self._samples.append((self._series.setdefault(name, len(self._series)), self._until_ms, value))

    def _write_samples(self) -> None:
        self._db.executemany(
            "INSERT OR IGNORE INTO series VALUES (?, ?)", [(n, name) for name, n in self._series.items()]
        )
        self._db.executemany("INSERT OR REPLACE INTO samples VALUES (?, ?, ?)", self._samples)
        self._samples = []

    def _cannot(self, error: sqlite3.Error) -> ConfigError:
        return ConfigError([Problem(f"the run cannot be kept: {error}", file=str(self._path))])
