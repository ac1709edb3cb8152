"""The journal: everything that happens in a run, one JSON line per record.

The first line is a `JournalHeader`. Every other line is `[time_ms, {"kind": …, …}]`: epoch ms and a record of
`simulation.records`, tagged by `kind`, in the order they came about. Each instant is written with one call of the
operating system, so after the program is killed the file is whole up to its last complete line. The same scenario,
seed, outside actions and program version give the same bytes.
"""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from io import FileIO
from pathlib import Path
from typing import Final, Self

import msgspec

from engine.errors import ConfigError, OutputError
from engine.formats.regular_files import check_file
from engine.scenario import Scenario
from engine.simulation.records import Record


class NewFile:
    """An unbuffered file that a user asked for: written whole or not at all, and never over another unasked.

    It is begun beside its place under a name of its own, and takes its name by a rename: with the first of its content
    where others may follow it while it grows (a journal, a log), else when it is whole. One that cannot be written any
    more, as on a full disk, is removed.
    """

    def __init__(self, file: FileIO, name: str, beside: Path | None = None, target: Path | None = None) -> None:
        """A file that is open for writing, unbuffered.

        `beside` is what it is called until it takes its name at `target`, or at `name` where that is None.
        """
        self._file = file
        self._name = name
        self._beside = beside
        self._target = Path(name) if target is None else target
        self._named: Path | None = None  # the file, once it took its name

    @classmethod
    def create(cls, path: Path, *, force: bool = False) -> Self:
        """A new file; a device, or a pipe with a reader, is written to as it is.

        With `force` a regular file of this name is replaced and its mode is kept; a link stays, and the file it names
        is replaced. Raises ConfigError if it is there already, is `-`, or cannot be opened.
        """
        check_file(path)
        try:
            mode = path.stat().st_mode if path.exists() else None
            if mode is not None and not stat.S_ISREG(mode):
                return cls(_opened_as_it_is(path), str(path))
            if not force and (mode is not None or path.is_symlink()):
                raise ConfigError.of("is there already", file=str(path), hint="--force replaces it")
            target = path.resolve() if force else path
            beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
            if mode is not None:
                os.fchmod(handle, stat.S_IMODE(mode))
            return cls(FileIO(handle, "w"), str(path), beside, target)
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a circle of links, before Python 3.13
            words = (error.strerror if isinstance(error, OSError) else "") or "not a file name"
            raise ConfigError.of(f"cannot be written: {words.lower()}", file=str(path)) from None

    def write(self, data: bytes) -> None:
        """Write all of it. Raises OutputError if it cannot be written any more; what was written of it is removed."""
        try:
            done = self._file.write(data)
            while done < len(data):
                done += self._file.write(data[done:])
        except OSError as error:
            for path in (self._beside, self._named):
                if path is not None:
                    path.unlink(missing_ok=True)
            self._beside = self._named = None
            raise OutputError(self._name, error) from error

    def take_name(self) -> None:
        """Give it its own name, if it has not got it yet. Raises ConfigError if it cannot be given."""
        if self._beside is None:
            return
        try:
            self._beside.replace(self._target)
        except OSError as error:
            raise ConfigError.of(f"cannot be written: {error.strerror}", file=self._name) from error
        self._beside, self._named = None, self._target

    def finish(self) -> None:
        """Have it on disk, and name it. Raises ConfigError if it cannot be named, OutputError if the disk refuses."""
        if self._beside is not None:
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                raise OutputError(self._name, error) from error
        self.take_name()

    def close(self) -> None:
        """Close it; one without a name is removed."""
        self._file.close()
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_whole(path: Path, pieces: Iterable[bytes], *, force: bool = False) -> None:
    """Write a file whole or not at all; arguments and errors as `NewFile.create`.

    Raises ConfigError if it is there already, is a folder, or cannot be made, OutputError if it cannot be written;
    nothing of it is left.
    """
    with NewFile.create(path, force=force) as file:
        for piece in pieces:
            file.write(piece)
        file.finish()


def _opened_as_it_is(path: Path) -> FileIO:
    """A device or a pipe; a pipe is not waited for. Raises OSError if it is a folder, or a pipe without a reader."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads this pipe") from None
        raise
    os.set_blocking(handle, True)
    return FileIO(handle, "w")


SCHEMA: Final = 1  # Version of the journal's form

_ENCODER: Final = msgspec.json.Encoder()


class JournalHeader(msgspec.Struct, frozen=True, tag="Header", tag_field="kind"):
    """The journal's first line: what run this is."""

    schema: int
    program: str  # Version of the program that wrote it
    scenario: str  # Name of the scenario
    scenario_hash: str  # Hash of everything in the scenario that can change what happens
    seed: int
    scheduler: str
    start_ms: int  # Start of the scenario [epoch ms]; what it opens with is written before that
    cluster_timestamp: int  # The number in every application id


def program_version() -> str:
    """Version of this program; `unknown` where it runs without having been installed."""
    try:
        return version("schedlab")
    except PackageNotFoundError:
        return "unknown"


def header_of(scenario: Scenario) -> JournalHeader:
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
        self.lines = 0  # number of records so far

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._hash.update(encode_records(time_ms, records))
        self.lines += len(records)

    def hexdigest(self) -> str:
        """Return the SHA-256 of all lines so far, without the header."""
        return self._hash.hexdigest()


class JournalWriter:
    """A listener that writes a journal; a context manager that closes it."""

    def __init__(self, file: NewFile, scenario: Scenario) -> None:
        self._file = file
        self._file.write(msgspec.json.encode(header_of(scenario)) + b"\n")

    @classmethod
    def to_file(cls, path: Path, scenario: Scenario, *, force: bool = False) -> Self:
        """A writer of a new file, which takes its name with its first records; arguments as of `NewFile.create`.

        Raises ConfigError if it is there already, or cannot be opened, OutputError if it cannot be written.
        """
        file = NewFile.create(path, force=force)
        try:
            return cls(file, scenario)
        except OutputError:
            file.close()
            raise

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Raises ConfigError if the file cannot take its name, OutputError if it cannot be written any more."""
        self._file.write(encode_records(time_ms, records))
        self._file.take_name()

    def close(self) -> None:
        """Close the file; one without records goes."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
