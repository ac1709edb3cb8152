"""The journal: everything that happens in a run, one JSON line per record.

The first line is a `JournalHeader`. Every other line is `[time_ms, {"kind": …, …}]`: epoch ms and a record of
`simulation.records`, tagged by `kind`, in the order they came about. Each instant is written with one call of the
operating system, so after the program is killed the file is whole up to its last complete line. The same scenario,
seed, outside actions and program version give the same bytes.
"""

import hashlib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Self

import msgspec

from engine.errors import OutputError
from engine.observe.new_file import NewFile
from engine.scenario import Scenario
from engine.simulation.records import Record

SCHEMA: Final = 1
"""Version of the journal's form."""

_ENCODER: Final = msgspec.json.Encoder()


class JournalHeader(msgspec.Struct, frozen=True, tag="Header", tag_field="kind"):
    """The journal's first line: what run this is."""

    schema: int
    program: str
    """Version of the program that wrote it."""
    scenario: str
    """Name of the scenario."""
    scenario_hash: str
    """Hash of everything in the scenario that can change what happens."""
    seed: int
    scheduler: str
    start_ms: int
    """Start of the scenario [epoch ms]; what it opens with is written before that."""
    cluster_timestamp: int
    """The number in every application id."""


def program_version() -> str:
    """Version of this program; `unknown` where it runs without having been installed."""
    try:
        return version("schedlab")
    except PackageNotFoundError:
        return "unknown"


def header_of(scenario: Scenario) -> JournalHeader:
    """The header of a run of this scenario."""
    return JournalHeader(
        schema=SCHEMA,
        program=program_version(),
        scenario=scenario.name,
        scenario_hash=scenario.digest(),
        seed=scenario.seed,
        scheduler=scenario.scheduler,
        start_ms=scenario.start_ms,
        cluster_timestamp=scenario.timestamp,
    )


def encode_records(time_ms: int, records: Sequence[Record]) -> bytes:
    """Encode the records of one instant as lines of the journal, `[time_ms, {"kind": …, …}]` each with its newline."""
    head = b"[%d," % time_ms
    # A newline within a text is escaped, so each one here ends a record.
    return (head + _ENCODER.encode_lines(records).replace(b"\n", b"]\n" + head))[: -len(head)]


class Fingerprint:
    """Hashes the journal's lines without keeping them; a listener."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.lines = 0
        """Number of records so far."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Add the records of one instant."""
        self._hash.update(encode_records(time_ms, records))
        self.lines += len(records)

    def hexdigest(self) -> str:
        """Return the SHA-256 of all lines so far, without the header."""
        return self._hash.hexdigest()


class JournalWriter:
    """A listener that writes a journal; a context manager that closes it."""

    def __init__(self, file: NewFile, scenario: Scenario) -> None:
        """Write the header."""
        self._file = file
        self._file.write(msgspec.json.encode(header_of(scenario)) + b"\n")

    @classmethod
    def to_file(cls, path: Path, scenario: Scenario, *, force: bool = False) -> Self:
        """A writer of a new file, which takes its name with its first records; arguments as of `NewFile.create`.

        Raises:
            ConfigError: It is there already, or cannot be opened.
            OutputError: It cannot be written.
        """
        file = NewFile.create(path, force=force)
        try:
            return cls(file, scenario)
        except OutputError:
            file.close()
            raise

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Write the records of one instant.

        Raises:
            ConfigError: The file cannot take its name.
            OutputError: It cannot be written any more.
        """
        self._file.write(encode_records(time_ms, records))
        self._file.take_name()

    def close(self) -> None:
        """Close the file; one without records goes."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
