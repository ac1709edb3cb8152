"""The form of kept polls on disk: a beginning, and parts of sealed lines, one line for each poll.

The directory of the run holds `run.jsonl` with the beginning (and the end of one that was ended), and parts
`part-000001.jsonl` and so on. A part begins with a keyframe and can be read without the others, so that old ones can be
deleted. The frames from one keyframe to the next are one stream of zlib, flushed after each: a program that is killed
leaves every frame that it has written.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.explain.alert import Alert
from engine.observe.history import SERIES
from engine.observe.journal import program_version
from engine.run.run_file import FILE, PART, DamagedLineError, Instant, open_regular, read_lines
from engine.run.run_store import check_there, lock_file
from engine.simulation.records import Record

FORMAT: Final = 1  # Version of the form; a reader refuses others
_OURS: Final = re.compile(rb'\{"kind":"schedlab polls","format":(\d{1,9})[,}]')


class PollsBeginning(msgspec.Struct, frozen=True, tag="schedlab polls", tag_field="kind"):
    """The first line of `run.jsonl`: what is polled."""

    format: int
    where: str  # `host:port` of the server; never what a user names to be let in
    dialect: str  # The kind of control plane, as of a snapshot
    scheduler: str
    created: str  # When it was begun, as its maker wrote it
    program: str  # Version of the program that keeps it
    start_ms: Instant  # The instant of the first poll, by the cluster's clock [epoch ms]
    offset_ms: Annotated[int, msgspec.Meta(gt=-86_400_000, lt=86_400_000)]  # East of Greenwich, where it was kept
    keep_for_ms: int = 0  # How long polls are kept; 0 for ever


class PollsEnd(msgspec.Struct, frozen=True, tag="End", tag_field="kind"):
    """The last line of `run.jsonl`; there is none of polls that go on, or whose program was killed."""

    until_ms: Instant
    polls: int
    failure: str = ""  # Why it was not kept to its end; empty when it was


class Poll(msgspec.Struct, frozen=True, array_like=True):
    """One line of a part."""

    time_ms: Instant  # By the cluster's clock, and later than that of the line before [epoch ms]
    is_keyframe: bool
    frame: bytes  # The next piece of the stream, which begins anew with a keyframe
    number: int  # Records that happened before
    reading: tuple[int, ...] = ()  # What graphs show; empty where it is as before
    queues: dict[str, int] = {}  # Leaf queue → memory it uses [MB], where it changed
    records: tuple[Record, ...] = ()  # What happened since the poll before
    alerts: tuple[Alert, ...] = ()  # Alerts that began or ended


_ENDS: Final[msgspec.json.Decoder[PollsBeginning | PollsEnd]] = msgspec.json.Decoder(PollsBeginning | PollsEnd)
_POLL: Final = msgspec.json.Decoder(Poll)


class PlacedPoll(NamedTuple):
    """A poll, and where its line is in its part [bytes]."""

    poll: Poll
    begin: int
    end: int


def is_polls(root: Path, name: str) -> bool:
    """Tell whether a kept run holds polls. Raises ConfigError if there is no such run, or it cannot be read."""
    with open_regular(check_there(root, name) / FILE) as file:
        return _OURS.match(file.read(64)) is not None


def read_ends(path: Path) -> tuple[PollsBeginning, PollsEnd | None]:
    """The beginning of kept polls, and their end where there is one.

    Raises ConfigError if they are damaged, or of another format.
    """
    place = path / FILE
    with open_regular(place) as file:
        found = _OURS.match(file.read(64))
        if found is not None and int(found[1]) != FORMAT:
            words = f"it has format {int(found[1])}, this program ({program_version()}) reads {FORMAT}"
            raise ConfigError([Problem(words, file=str(place), hint="open it with the version that made it")])
        try:
            first, *rest = [_ENDS.decode(line.body) for line in read_lines(file)]
        except (DamagedLineError, msgspec.MsgspecError, ValueError) as error:
            raise ConfigError([Problem(f"its beginning is damaged: {error}", file=str(place))]) from None
    if not isinstance(first, PollsBeginning) or first.dialect not in SERIES:
        raise ConfigError([Problem("its beginning is damaged", file=str(place))])
    return first, next((each for each in rest if isinstance(each, PollsEnd)), None)


def parts_of(path: Path) -> list[int]:
    """The numbers of the parts there are, in order. Raises ConfigError if the directory cannot be read."""
    try:
        found = [PART.fullmatch(each.name) for each in path.iterdir()]
    except OSError as error:
        raise ConfigError([Problem(f"cannot be read: {error.strerror}", file=str(path))]) from None
    return sorted(int(match[1]) for match in found if match is not None)


def part_path(path: Path, number: int) -> Path:
    """The file of a part."""
    return path / f"part-{number:06d}.jsonl"


def read_polls(file: BinaryIO) -> Iterator[PlacedPoll]:
    """The polls of a part, from its first.

    Raises DamagedLineError if a line is not what was written; a last one that was cut off counts as not there.
    """
    begin = 0
    for line in read_lines(file):
        try:
            poll = _POLL.decode(line.body)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise DamagedLineError(line.number, str(error)) from None
        yield PlacedPoll(poll, begin, line.end)
        begin = line.end


def polls_from(file: BinaryIO, begin: int) -> Iterator[PlacedPoll]:
    """The polls of a part from a line on that was read before, whose seals are not looked at again.

    Raises msgspec.MsgspecError if a line holds no poll.
    """
    file.seek(begin)
    while data := file.readline():
        if not data.endswith(b"\n"):
            return
        end = begin + len(data)
        yield PlacedPoll(_POLL.decode(data[:-18]), begin, end)
        begin = end


class PollsRepair(NamedTuple):
    """The result of repairing kept polls."""

    damaged: tuple[str, ...]  # Names of the files in which something was damaged
    polls: int  # The number of polls that are kept
    cut_bytes: int


def repair_polls(root: Path, name: str) -> PollsRepair:
    """Cut off what is damaged; parts after it are kept, as each begins anew.

    Raises ConfigError if they are being written, their beginning is damaged, or nothing can be cut off.
    """
    path = check_there(root, name)
    read_ends(path)
    damaged: list[str] = []
    polls = cut_bytes = 0
    with lock_file(path, os.O_RDWR, "repaired"):
        for number in parts_of(path):
            place = part_path(path, number)
            kept, good, is_damaged = _survey(place)
            polls += kept
            if is_damaged:
                damaged.append(place.name)
                cut_bytes += _cut(place, good)
    return PollsRepair(tuple(damaged), polls, cut_bytes)


def _survey(place: Path) -> tuple[int, int, bool]:
    """Count the good polls of a part, with how far they reach [bytes] and whether damage follows."""
    kept = good = 0
    with open_regular(place) as file:
        try:
            for placed in read_polls(file):
                kept, good = kept + 1, placed.end
        except DamagedLineError:
            return kept, good, True
    return kept, good, False


def _cut(place: Path, size: int) -> int:
    """Cut a part off behind its good lines; how much that was [bytes]."""
    with open_regular(place, os.O_RDWR) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            file.truncate(size)
            os.fsync(file.fileno())
        except OSError as error:
            words = f"it cannot be repaired: {(error.strerror or str(error)).lower()}"
            raise ConfigError([Problem(words, file=str(place))]) from None
    return before - size
