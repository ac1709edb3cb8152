"""Kept runs on disk: a directory for each, made for its user only, with one file of sealed lines; found, deleted.

A line is JSON, a tab, and the first 16 digits of the SHA-256 of the former line's digits and of the JSON. The first
line is a `RunBeginning`, the last of a run that was ended a `RunEnd`; between them stand journal lines,
`[time_ms, record]`, and `Samples`. Lines are only ever added, so a program that is killed leaves a prefix; a last line
without its newline was cut off and counts as not there.
"""

import fcntl
import hashlib
import os
import re
import stat
from binascii import hexlify
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, BinaryIO, Final, NamedTuple, TypeVar

import msgspec

from engine.errors import ConfigError, Problem
from engine.observe.history import History
from engine.observe.journal import program_version
from engine.observe.snapshots import keep_plans_of
from engine.run.player import Run
from engine.scenario import Scenario
from engine.simulation.records import Listener, Record
from engine.simulation.timeline import Timeline

FORMAT: Final = 2  # Version of the file's form; a reader refuses others
FILE: Final = "run.jsonl"
PART: Final = re.compile(r"part-(\d{6})\.jsonl")
"""Further files of a run that consists of parts: kept polls of a cluster."""
MAX_LINE: Final = 128 * 1024 * 1024  # Longest line [bytes]; the first one holds the scenario
FIRST_SEAL: Final = b"0" * 16  # What the first line is sealed with, in place of a former line's digits

_BLOCK: Final = 1024 * 1024
_TAIL: Final = 8192  # Within it are the last line of an ended run and the seal before it [bytes from the end]
_POLLS: Final = b'{"kind":"schedlab polls",'  # How the file of kept polls begins
_OURS: Final = re.compile(rb'\{"kind":"schedlab run","format":(\d{1,9})[,}]')

Instant = Annotated[int, msgspec.Meta(ge=-62_135_596_800_000, lt=253_402_300_800_000)]
"""Epoch ms within the years 1 to 9999."""


class RunBeginning(msgspec.Struct, frozen=True, tag="schedlab run", tag_field="kind"):
    """The first line: what is played."""

    format: int
    scenario: str  # Name of the scenario
    title: str
    scheduler: str
    seed: int
    created: str  # When it was made, as its maker wrote it
    program: str  # Version of the program that made it
    start_ms: Instant  # Start of the scenario [epoch ms]
    offset_ms: Annotated[int, msgspec.Meta(gt=-86_400_000, lt=86_400_000)]
    """The distance of the scenario's clock from UTC [ms]."""
    definition: msgspec.Raw  # The scenario
    parent: str = ""  # The run it goes on from; empty when it began by itself
    branched_ms: Instant = 0  # Up to where it is as its parent [epoch ms]; 0 without one


class Samples(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """The series that had changed by an instant."""

    time_ms: Instant
    values: dict[str, int]  # Name of the series → value


class RunEnd(msgspec.Struct, frozen=True, tag="End", tag_field="kind"):
    """The last line: how far the run is known, and the sum of all lines before."""

    until_ms: Instant  # Up to where it is known [epoch ms]
    acts: int
    records: int
    journal_hash: str  # SHA-256 of all journal lines, as of a `Fingerprint`
    file_hash: str  # SHA-256 of all bytes before this line
    failure: str = ""  # Why it was not kept to its end; empty when it was


class RunLine(NamedTuple):
    """One line of the file; its seal is right."""

    number: int  # 1-based
    body: bytes  # The JSON, and nothing else
    seal: bytes
    end: int  # Where the next line begins [bytes]

    @property
    def is_journal(self) -> bool:
        return self.body.startswith(b"[")


class DamagedLineError(Exception):
    """A line is not what was written; caught within this package."""

    def __init__(self, number: int, why: str = "") -> None:
        self.number = number
        super().__init__(f"line {number:,} is damaged{why and ': '}{why}")


def seal(former: bytes, body: bytes) -> bytes:
    """The seal of a line that stands after another."""
    return hexlify(hashlib.sha256(former + body).digest()[:8])


def open_regular(path: Path, mode: int = os.O_RDONLY) -> BinaryIO:
    """Open a run's file, which has to be a regular file and no link.

    Raises ConfigError if it is something else, or cannot be opened.
    """
    try:
        handle = os.open(path, mode | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        words = "is a link" if path.is_symlink() else (error.strerror or "").lower()
        raise ConfigError.of(f"this kept run cannot be opened: {words}", file=str(path)) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ConfigError.of("this is not a kept run of schedlab: it is not a regular file", file=str(path))
    return os.fdopen(handle, "rb" if mode == os.O_RDONLY else "r+b", buffering=_BLOCK)


def check_format(file: BinaryIO, path: Path) -> None:
    """Look at how a file begins. Raises ConfigError if it is not ours, or of another version."""
    file.seek(0)
    begin = file.read(64)
    found = _OURS.match(begin)
    if begin.startswith(_POLLS):
        words = "it holds polls of a live cluster, which cannot be played"
        raise ConfigError.of(words, file=str(path), hint=f"`schedlab open {path.parent.name}` shows them")
    if found is None:
        raise ConfigError.of("this is not a kept run of schedlab, or its first line is damaged", file=str(path))
    if int(found[1]) != FORMAT:
        words = f"it has format {int(found[1])}, this program ({program_version()}) reads {FORMAT}"
        raise ConfigError.of(words, file=str(path), hint="open it with the version that made it")


def read_lines(file: BinaryIO) -> Iterator[RunLine]:
    """The lines of a file, from its first.

    Raises DamagedLineError if a line, other than a last one that was cut off, is not what was written.
    """
    file.seek(0)
    number, end, former = 0, 0, FIRST_SEAL
    while data := file.readline(MAX_LINE):
        number += 1
        if not data.endswith(b"\n"):
            if len(data) < MAX_LINE:
                return
            raise DamagedLineError(number, "it does not end")
        body, given = data[:-18], data[-17:-1]
        former = seal(former, body)
        if given != former or data[-18:-17] != b"\t":
            raise DamagedLineError(number)
        end += len(data)
        yield RunLine(number, body, given, end)


_Value = TypeVar("_Value")

_RECORD: Final = msgspec.json.Decoder(tuple[Instant, Record])
_OTHER: Final[msgspec.json.Decoder[RunBeginning | Samples | RunEnd]] = msgspec.json.Decoder(
    RunBeginning | Samples | RunEnd
)


def decode_record(line: RunLine) -> tuple[int, Record]:
    """(epoch ms, record) of a journal line. Raises DamagedLineError if it holds no record."""
    return _decoded(_RECORD, line)


def decode_other(line: RunLine) -> RunBeginning | Samples | RunEnd:
    """Decode a line that is none of the journal. Raises DamagedLineError if it is nothing of ours."""
    return _decoded(_OTHER, line)


def _decoded(decoder: msgspec.json.Decoder[_Value], line: RunLine) -> _Value:
    try:
        return decoder.decode(line.body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise DamagedLineError(line.number, str(error)) from None


def read_end(file: BinaryIO) -> RunEnd | None:
    """The end of a run all of whose bytes are as they were written; None where it has none, or is damaged.

    That takes one look at the bytes and none at the lines.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    former, _, last = tail[:-1].rpartition(b"\n")
    body = last[:-17]
    is_sealed = last == body + b"\t" + seal(former[-16:], body)
    if not tail.endswith(b"\n") or not last.startswith(b'{"kind":"End",') or not is_sealed:
        return None
    try:
        end = msgspec.json.decode(body, type=RunEnd)
    except msgspec.MsgspecError:
        return None
    begin = size - len(last) - 1
    return end if end.file_hash == hash_of(file, begin) else None


def hash_of(file: BinaryIO, count: int) -> str:
    """SHA-256 of so many bytes from the beginning of a file."""
    hashed = hashlib.sha256()
    file.seek(0)
    while block := file.read(min(_BLOCK, count)):
        hashed.update(block)
        count -= len(block)
    return hashed.hexdigest()


# A file of sealed lines that is only ever added to: what a program that is killed has written stays readable.

ROOM: Final = b" " * 512
"""Follows what is written, so that a full disk still has room for the end; counts as a line that was cut off."""


class SealedFile:
    """Writes lines, each sealed with a hash of all before it, and hands them to the operating system at once."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._seal = FIRST_SEAL
        self._hash = hashlib.sha256()
        self.size = 0  # bytes of the lines so far

    @property
    def file_hash(self) -> str:
        return self._hash.hexdigest()

    def append(self, bodies: Iterable[bytes]) -> None:
        """Write lines; all of them or none count. Raises OSError if they cannot be written; the file is as before."""
        former = self._seal
        lines: list[bytes] = []
        for body in bodies:
            former = seal(former, body)
            lines += (body, b"\t", former, b"\n")
        data = b"".join(lines)
        self._write(data + ROOM)
        self._seal = former
        self.size += len(data)
        self._hash.update(data)

    def end(self, body: bytes) -> None:
        """Write the last line, and wait until all is on disk. Raises OSError if it cannot be written."""
        line = body + b"\t" + seal(self._seal, body) + b"\n"
        self._write(line)
        os.ftruncate(self._handle, self.size + len(line))
        os.fdatasync(self._handle)

    def cut(self) -> None:
        """Cut off what does not count, and wait until all that does is on disk. Raises OSError if it cannot be."""
        os.ftruncate(self._handle, self.size)
        os.fdatasync(self._handle)

    def sync(self) -> None:
        """Wait until all that was written is on disk. Raises OSError if it cannot be."""
        os.fdatasync(self._handle)

    def close(self) -> None:
        if self._handle >= 0:
            handle, self._handle = self._handle, -1
            os.close(handle)

    def _write(self, data: bytes) -> None:
        done = os.pwrite(self._handle, data, self.size)
        while done < len(data):
            done += os.pwrite(self._handle, data[done:], self.size + done)


# A run whose past is kept: its timeline, its history for graphs, and the plans of a Spark Master.

SLICE_MS: Final = 10_000  # How much is played between two copies for the timeline, at most [simulated ms]
PLANS_UP_TO: Final = 200
"""Workers up to which the passes of a Spark Master are remembered; on a large cluster that would cost much."""
PLANS_KEPT: Final = 100  # How many of the latest passes are
Progressed = Callable[[int, int], object]  # Told how far a run is, and where it is played to [ms after the start]


class RecordedRun(NamedTuple):
    """A run and what is kept of its past, from where it stood when it was recorded first."""

    run: Run
    timeline: Timeline
    history: History

    @classmethod
    def begin(
        cls,
        scenario: Scenario,
        listeners: Sequence[Listener] = (),
        until_ms: int | None = None,
        history: History | None = None,
    ) -> "RecordedRun":
        """A run that has not begun, without expectations: a reader sees what happens.

        `until_ms` is its end after the start, None the scenario's own; `history` keeps its past for graphs, and begins
        with nothing; None makes one. Raises ConfigError if the scheduler refuses the scenario's settings.
        """
        history = history or History()
        return cls._of(Run(scenario, [*listeners, history], until_ms, is_judged=False), history)

    @classmethod
    def of(cls, run: Run) -> "RecordedRun":
        history = History()
        run.simulation.listeners.append(history)
        return cls._of(run, history)

    @classmethod
    def _of(cls, run: Run, history: History) -> "RecordedRun":
        simulation = run.simulation
        history.follow(simulation.control_plane, simulation.now_ms)
        if len(simulation.world.nodes) <= PLANS_UP_TO:
            keep_plans_of(simulation.control_plane, PLANS_KEPT)
        return cls(run, Timeline(simulation), history)

    def advance(self, to_ms: int) -> None:
        self.timeline.timed(partial(self.run.advance, min(self.run.now_ms + SLICE_MS, to_ms)))


NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def directory(root: Path, name: str, key: str = "") -> Path:
    """The directory of a run. Raises ConfigError if it cannot be a run's name."""
    if NAME.fullmatch(name) is None:
        hint = "letters, digits, points, dashes and underlines, at most 64"
        raise ConfigError.of(f"{name!r} cannot name a run", key=key, hint=hint)
    return root / name


def names(root: Path) -> list[str]:
    """The runs below a directory, oldest first; none when it is not there. Raises ConfigError if it cannot be read."""
    try:
        found = [path for path in root.iterdir() if NAME.fullmatch(path.name) and os.path.lexists(path / FILE)]
        return [path.name for path in sorted(found, key=lambda path: (path.lstat().st_mtime_ns, path.name))]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _failed("cannot be read", error, root) from None


def check_there(root: Path, name: str) -> Path:
    """The directory of a run that is there. Raises ConfigError if there is none of this name."""
    path = directory(root, name)
    if not os.path.lexists(path / FILE):
        known = names(root)
        hint = f"there is {', '.join(known)}" if known else f"no run is kept in {root}"
        raise ConfigError.of(f"there is no run {name}", hint=hint)
    return path


def make_directory(root: Path, candidates: Iterable[str]) -> Path:
    """Make the directory of a new run, under the first of some names that is free.

    `root` is the directory of all runs, made when it is not there; `candidates` are tried in their order. Raises
    ConfigError if all are taken, or nothing can be made there.
    """
    path = root
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        root.mkdir(mode=0o700, exist_ok=True)
        for name in candidates:
            path = directory(root, name, "--keep")
            try:
                path.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return path
    except OSError as error:
        raise _failed("cannot be made", error, path) from None
    hint = "choose another name, or delete that run"
    raise ConfigError.of(f"there is a run {path.name} already", file=str(path), hint=hint)


def free_names(scenario: str) -> Iterable[str]:
    """Names for another run of a scenario, in the order they are tried."""
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", scenario)[:56].lstrip("._-") or "run"
    return (f"{stem}-{number}" for number in count(1))


def create_file(path: Path) -> int:
    """Create the file of a new run in its directory, locked as long as it is open; its handle.

    Raises OSError if it cannot be created.
    """
    handle = os.open(path / FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    lock(handle)
    return handle


def lock(handle: int) -> bool:
    """Take a run's file for oneself; False when another process is writing it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True


def lock_file(path: Path, mode: int, what: str) -> BinaryIO:
    """Open a run's file for oneself. `what` is about to be done, for the refusal.

    Raises ConfigError if it is being written, or is no regular file.
    """
    file = open_regular(path / FILE, mode)
    if not lock(file.fileno()):
        file.close()
        raise ConfigError.of(f"it is being written and cannot be {what}", file=str(path), hint="end it first")
    return file


def check_deletable(root: Path, name: str) -> Path:
    """The directory of a run, also a damaged one, that can be deleted.

    Raises ConfigError if there is no such run, it is being written, it is a link, or its directory holds other files.
    """
    path = check_there(root, name)
    if path.is_symlink():
        raise ConfigError.of("it is a link and not deleted", file=str(path), hint="delete the link by hand")
    try:
        others = sorted(
            other.name for other in path.iterdir() if other.name != FILE and PART.fullmatch(other.name) is None
        )
        is_file = stat.S_ISREG((path / FILE).lstat().st_mode)
    except OSError as error:
        raise _failed("cannot be deleted", error, path) from None
    if others:
        words = f"it cannot be deleted: there are other files in its directory, {', '.join(others[:5])}"
        raise ConfigError.of(words, file=str(path))
    if not is_file:
        raise ConfigError.of("it cannot be deleted: it is not a regular file", file=str(path / FILE))
    lock_file(path, os.O_RDONLY, "deleted").close()
    return path


def delete(root: Path, name: str) -> None:
    """Delete a run, also a damaged one, and nothing else.

    Raises ConfigError as `check_deletable`, or it cannot be deleted.
    """
    path = check_deletable(root, name)
    try:
        for part in [each for each in path.iterdir() if PART.fullmatch(each.name) is not None]:
            part.unlink()
        (path / FILE).unlink()
        path.rmdir()
    except OSError as error:
        raise _failed("cannot be deleted", error, path) from None


def _failed(what: str, error: OSError, path: Path) -> ConfigError:
    return ConfigError([Problem(f"it {what}: {(error.strerror or str(error)).lower()}", file=str(path))])
