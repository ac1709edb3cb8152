"""The journal: everything that happens in a run, one JSON line per record.

The first line is a `JournalHeader`. Every other line is `[time_ms, {"kind": …, …}]`: epoch ms and a record of
`simulation.records`, tagged by `kind`, in the order they came about. Each instant is written with one call of the
operating system, so after the program is killed the file is whole up to its last complete line. The same scenario,
seed, outside actions and program version give the same bytes.
"""

import os
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from engine.errors import ConfigError, OutputError, Problem
from engine.scenario import Scenario
from engine.simulation.records import Record, encode_records

SCHEMA: Final = 1
"""Version of the journal's form; a reader refuses others."""


class JournalHeader(msgspec.Struct, frozen=True, tag="Header", tag_field="kind"):
    """The journal's first line: what run this is."""

    schema: int
    program: str
    """Version of the program that wrote it."""
    scenario: str
    """Name of the scenario."""
    scenario_hash: str
    """Of everything in the scenario that can change what happens."""
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


class JournalWriter:
    """A listener that writes a journal; a context manager that closes it."""

    def __init__(self, file: FileIO, scenario: Scenario, name: str = "", beside: Path | None = None) -> None:
        """Write the header.

        Args:
            file: Open for writing, unbuffered.
            scenario: What is being run.
            name: How to name the file in problems.
            beside: What the file is called until the first records are written; None where it has its own name.
        """
        self._file = file
        self._name = name
        self._beside = beside
        self._write(msgspec.json.encode(header_of(scenario)) + b"\n")

    @classmethod
    def to_file(cls, path: Path, scenario: Scenario, *, force: bool = False) -> Self:
        """A writer of a new file, which takes its name with its first records: a run that is refused leaves nothing.

        A device or a pipe is written to as it is.

        Args:
            path: The file.
            scenario: What is being run.
            force: Whether a file, or a link, of this name is replaced.

        Raises:
            ConfigError: It is there already, or cannot be opened.
            OutputError: It cannot be written.
        """
        try:
            is_special = path.exists() and not path.is_file()
            if (path.is_symlink() and not is_special and not force) or (path.is_file() and not force):
                raise ConfigError([Problem("is there already", file=str(path), hint="--force replaces it")])
            beside = None if is_special else path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
            file = FileIO(path if beside is None else beside, "w")
        except (OSError, ValueError) as error:
            words = (error.strerror if isinstance(error, OSError) else "") or "not a file name"
            raise ConfigError([Problem(f"cannot be written: {words.lower()}", file=str(path))]) from None
        try:
            return cls(file, scenario, str(path), beside)
        except OutputError:
            file.close()
            if beside is not None:
                beside.unlink()
            raise

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Write the records of one instant.

        Raises:
            ConfigError: The file cannot take its name.
            OutputError: It cannot be written any more.
        """
        self._write(encode_records(time_ms, records))
        if self._beside is not None:
            self._take_name(self._beside)

    def close(self) -> None:
        """Close the file; one without records goes."""
        self._file.close()
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_name(self, beside: Path) -> None:
        try:
            beside.replace(self._name)
        except OSError as error:
            raise ConfigError([Problem(f"cannot be written: {error.strerror}", file=self._name)]) from error
        self._beside = None

    def _write(self, data: bytes) -> None:
        try:
            done = self._file.write(data)
            while done < len(data):
                done += self._file.write(data[done:])
        except OSError as error:
            raise OutputError(self._name or "the journal", error) from error


class JournalReader:
    """A journal read back; a torn last line is left out."""

    def __init__(self, data: bytes, name: str = "") -> None:
        """Read the header.

        Args:
            data: The whole file.
            name: How to name it in problems.

        Raises:
            ConfigError: It is not a journal, or one of another schema.
        """
        self._name = name
        lines = data.split(b"\n")
        self.is_torn = lines.pop() != b""
        """Whether the last line was cut off."""
        self._lines = lines
        try:
            self.header = msgspec.json.decode(lines[0] if lines else b"", type=JournalHeader)
        except msgspec.MsgspecError as error:
            raise self._problem(f"this is no journal: {error}", 1) from error
        if self.header.schema != SCHEMA:
            raise self._problem(f"it has schema {self.header.schema}, this program reads {SCHEMA}", 1)

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ConfigError: It cannot be read, or is no journal.
        """
        try:
            return cls(path.read_bytes(), str(path))
        except OSError as error:
            raise ConfigError([Problem(f"it cannot be read: {error.strerror}", file=str(path))]) from error

    def __len__(self) -> int:
        """How many records it has."""
        return len(self._lines) - 1

    def records(self) -> Iterator[tuple[int, Record]]:
        """(epoch ms, record), in order.

        Raises:
            ConfigError: A line other than a torn last one is not a record.
        """
        decoder: msgspec.json.Decoder[tuple[int, Record]] = msgspec.json.Decoder(tuple[int, Record])
        for number, line in enumerate(self._lines[1:], start=2):
            try:
                yield decoder.decode(line)
            except msgspec.MsgspecError as error:
                raise self._problem(f"this is no record: {error}", number) from error

    def _problem(self, message: str, line: int) -> ConfigError:
        return ConfigError([Problem(message, file=self._name, line=line)])
