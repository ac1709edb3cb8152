"""Keeps the polls of a live cluster on disk while it is watched, in bounded room.

A poll is handed to the operating system before the next one begins, so that a program that is killed loses at most the
one it was at.
"""

import os
import zlib
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.live.alarms import MOST_ALERTS
from engine.observe.documents import FixedSnapshot
from engine.observe.history import SERIES, History, Reading
from engine.observe.journal import program_version
from engine.observe.snapshot import Snapshot
from engine.recorded.log_series import SnapshotSeries
from engine.recorded.polls_file import (
    FORMAT,
    FrameReader,
    FrameWriter,
    PlacedPoll,
    Poll,
    PollsBeginning,
    PollsEnd,
    SnapshotFrame,
    part_path,
    parts_of,
    polls_from,
    read_ends,
    read_polls,
)
from engine.run.run_store import (
    DamagedLineError,
    SealedFile,
    check_there,
    create_file,
    free_names,
    make_directory,
    open_regular,
)
from engine.simulation.records import Record
from engine.simulation.timeline import NumberedRecord

# Indexes kept polls without their frames: instants, places in the file, graphs and alerts.


class _Keyframe(NamedTuple):
    time_ms: int
    part: int
    begin: int  # The beginning of its line [bytes]


class _PollsIndex:  # Takes eight bytes for a poll, and keeps the rest in bounds
    def __init__(self, dialect: str) -> None:
        self.times_ms = array("q")  # the instant of every poll, in order [epoch ms]
        self.keyframes: list[_Keyframe] = []
        self.history = History()
        self.history.names = SERIES[dialect][0]
        self.alerts: deque[Alert] = deque(maxlen=MOST_ALERTS)
        self.records = 0  # records so far

    def add(self, part: int, placed: PlacedPoll) -> None:
        poll = placed.poll
        self.times_ms.append(poll.time_ms)
        if poll.is_keyframe:
            self.keyframes.append(_Keyframe(poll.time_ms, part, placed.begin))
        if poll.reading:
            self.history.names = self.history.names[: len(poll.reading)]  # the first programs kept fewer figures
            self.history.cluster.note(poll.time_ms, poll.reading)
        for path, used_mb in poll.queues.items():
            self.history.note_queue(path, poll.time_ms, used_mb)
        self.alerts.extend(poll.alerts)
        self.records = poll.number + len(poll.records)

    def drop(self, part: int) -> None:
        self.keyframes = [each for each in self.keyframes if each.part != part]
        first_ms = self.keyframes[0].time_ms if self.keyframes else None
        gone = len(self.times_ms) if first_ms is None else bisect_right(self.times_ms, first_ms - 1)
        self.times_ms = self.times_ms[gone:]

    def keyframe_before(self, time_ms: int) -> _Keyframe:  # The first where there is none
        place = bisect_right(self.keyframes, time_ms, key=lambda each: each.time_ms)
        return self.keyframes[max(0, place - 1)]

    def parts_before(self, time_ms: int) -> Iterator[int]:
        """Parts that hold polls up to an instant [epoch ms], the latest first."""
        yield from dict.fromkeys(each.part for each in reversed(self.keyframes) if each.time_ms <= time_ms)


# Kept polls as a recorded past; they may still be kept on while they are looked at.

LATEST: Final = 2_000  # Records that are given at once, at least, where there were so many

_FRAME: Final = msgspec.msgpack.Decoder(SnapshotFrame)


class _Cursor(NamedTuple):
    # The place up to which frames have been read: the next instant need not begin at the keyframe again

    keyframe: _Keyframe
    time_ms: int  # The instant of the last frame read
    end: int  # Where the next line begins [bytes]
    stream: "zlib._Decompress"
    frames: FrameReader


class KeptPolls(SnapshotSeries):
    """The polls of a directory; there may come more."""

    what = "polls"
    notes = ("between two polls, what came and went again was not seen",)

    def __init__(self, path: Path, beginning: PollsBeginning, index: _PollsIndex) -> None:
        self.name = beginning.where
        self.offset_ms = beginning.offset_ms
        self.history, self.alerts = index.history, index.alerts
        self._path, self._index = path, index
        self._cursor: _Cursor | None = None
        self._records: tuple[int, int, list[NumberedRecord]] | None = None
        """(part, polls there were while it grew, its records) of the part whose records were read last."""

    @property
    def times_ms(self) -> Sequence[int]:
        return self._index.times_ms

    @property
    def polls(self) -> int:
        return len(self._index.times_ms)

    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        time_ms = max(time_ms, self.first_ms)
        place = bisect_right(self.times_ms, time_ms) - 1
        try:
            cursor = self._reached(self.times_ms[place])
        except (OSError, zlib.error, msgspec.MsgspecError, LookupError, ValueError) as error:
            words = f"what was kept there cannot be read: {str(error) or 'it is damaged'}"
            raise ConfigError.of(words, file=str(self._path)) from None
        return cursor.frames.snapshot(cursor.time_ms)

    def records_until(self, time_ms: int) -> Sequence[NumberedRecord]:
        found: list[NumberedRecord] = []
        for part in self._index.parts_before(time_ms):
            records = self._records_of(part)
            end = bisect_right(records, time_ms, key=lambda each: each.time_ms)
            found = [*records[:end], *found]
            if len(found) >= LATEST:
                break
        return found

    def marks(self) -> Sequence[int]:
        found = {each.found_ms if each.kind == "over" else each.since_ms for each in self.alerts}
        return sorted(each for each in found if each >= self.first_ms)

    def _reached(self, time_ms: int) -> _Cursor:
        keyframe, cursor = self._index.keyframe_before(time_ms), self._cursor
        if cursor is None or cursor.keyframe != keyframe or cursor.time_ms > time_ms:
            cursor = _Cursor(keyframe, -1, keyframe.begin, zlib.decompressobj(), FrameReader())
        self._cursor = None  # of no use should a frame fail
        with open_regular(part_path(self._path, keyframe.part)) as file:
            for placed in polls_from(file, cursor.end):
                if placed.poll.time_ms > time_ms:
                    break
                cursor.frames.take(_FRAME.decode(cursor.stream.decompress(placed.poll.frame)))
                cursor = cursor._replace(time_ms=placed.poll.time_ms, end=placed.end)
        self._cursor = cursor
        return cursor

    def _records_of(self, part: int) -> list[NumberedRecord]:
        known, is_growing = self._records, part == self._index.keyframes[-1].part
        count = self.polls if is_growing else 0
        if known is not None and known[:2] == (part, count):
            return known[2]
        with open_regular(part_path(self._path, part)) as file:
            try:
                found = list(_numbered(polls_from(file, 0)))
            except msgspec.MsgspecError as error:
                raise ConfigError.of(f"what was kept cannot be read: {error}", file=str(self._path)) from None
        self._records = part, count, found
        return found


def _numbered(polls: Iterator[PlacedPoll]) -> Iterator[NumberedRecord]:
    for placed in polls:
        poll = placed.poll
        for place, record in enumerate(poll.records):
            yield NumberedRecord(poll.number + place, poll.time_ms, record)


def open_polls(root: Path, name: str) -> KeptPolls:
    """The kept polls of a name; every line is looked at. Raises ConfigError if there are none, or they are damaged."""
    path = check_there(root, name)
    beginning, _ = read_ends(path)
    index = _PollsIndex(beginning.dialect)
    for number in parts_of(path):
        for placed in _polls_of(path, number, f"`schedlab runs repair {name}` keeps what is before and after it"):
            index.add(number, placed)
    if not index.times_ms:
        raise ConfigError.of("no poll was kept in it", file=str(path))
    return KeptPolls(path, beginning, index)


def _polls_of(path: Path, number: int, hint: str = "") -> Iterator[PlacedPoll]:
    place = part_path(path, number)
    with open_regular(place) as file:
        try:
            yield from read_polls(file)
        except DamagedLineError as error:
            raise ConfigError.of(str(error), file=str(place), hint=hint) from None


class PollsInfo(NamedTuple):
    name: str
    beginning: PollsBeginning
    end: PollsEnd | None
    until_ms: int  # The last poll that can be read; the beginning where there is none
    size_bytes: int


def polls_info(root: Path, name: str) -> PollsInfo:
    """What is known of kept polls, by the last part. Raises ConfigError if there are none, or they are damaged."""
    path = check_there(root, name)
    beginning, end = read_ends(path)
    until_ms = beginning.start_ms if end is None else end.until_ms
    for number in parts_of(path)[-1:] if end is None else ():
        until_ms = max((until_ms, *(placed.poll.time_ms for placed in _polls_of(path, number))))
    size = sum(each.stat().st_size for each in path.iterdir() if each.is_file())
    return PollsInfo(name, beginning, end, until_ms, size)


KEYFRAME_MS: Final = 120_000  # Time between two keyframes
LONGEST_PART_MS: Final = 3_600_000
PARTS: Final = 24  # At least so many parts make up the time that is kept, so that little more than it is there

_JSON: Final = msgspec.json.Encoder()
_POLLS_WRITER_FRAME: Final = msgspec.msgpack.Encoder()


class PollEvents(NamedTuple):
    reading: Reading
    queues: Mapping[str, int]  # Leaf queue → memory it uses [MB]
    records: Sequence[Record]
    alerts: Sequence[Alert]


class PollsWriter:
    """Writes the polls of one watch.

    When the disk does not take them any more they are kept no longer: `failure` says why, and what was written stays.
    """

    def __init__(
        self,
        root: Path,
        name: str | None,
        first: Snapshot,
        where: str,
        *,
        created: str,
        offset_ms: int,
        keep_for_ms: int,
    ) -> None:
        """Begin with the instant of the first poll, which is yet to be taken.

        `root` is the folder of all runs, made when it is not there; without a `name` it is the first free one after the
        server's. Times of day are `offset_ms` east of Greenwich; polls are kept `keep_for_ms`, 0 for ever. Raises
        ConfigError if there is a run of this name, or nothing can be written there.
        """
        self.failure = ""  # why it is no longer kept; empty as long as it is
        header = first.header
        beginning = PollsBeginning(
            FORMAT,
            where,
            first.dialect,
            header.scheduler,
            created,
            program_version(),
            header.time_ms,
            offset_ms,
            keep_for_ms,
        )
        self._path = make_directory(root, free_names(where) if name is None else [name])
        self.name = self._path.name
        try:
            self._lines = SealedFile(create_file(self._path))
            self._lines.append([_JSON.encode(beginning)])
        except OSError as error:
            words = f"the polls cannot be kept: {(error.strerror or str(error)).lower()}"
            raise ConfigError.of(words, file=str(self._path)) from None
        self._index = _PollsIndex(first.dialect)
        self.series = KeptPolls(self._path, beginning, self._index)  # what was kept so far
        self._keep_for_ms = keep_for_ms
        self._part_ms = min(LONGEST_PART_MS, keep_for_ms // PARTS or LONGEST_PART_MS)
        self._parts: list[tuple[int, int]] = []  # (number, when its last poll was) of the parts there are
        self._part: SealedFile | None = None
        self._part_began_ms = self._keyframe_ms = 0
        self._stream = zlib.compressobj()
        self._before: FrameWriter | None = None
        self._happened: PollEvents | None = None
        self._polls = 0

    @property
    def trouble(self) -> str:
        """Return which polls are kept no longer, and why; empty as long as they are."""
        return self.failure and f"the polls {self.name} are no longer kept: {self.failure}"

    def take(self, snapshot: Snapshot, happened: PollEvents) -> None:
        if self.failure:
            return
        times_ms = self._index.times_ms
        time_ms = max(snapshot.header.time_ms, times_ms[-1] + 1) if times_ms else snapshot.header.time_ms
        try:
            self._write(time_ms, snapshot, happened)
        except OSError as error:
            self._fail(error.strerror or str(error))
            return
        self._polls += 1
        self._parts[-1] = self._parts[-1][0], time_ms
        while self._keep_for_ms and len(self._parts) > 1 and self._parts[0][1] < time_ms - self._keep_for_ms:
            number, _ = self._parts.pop(0)
            with suppress(OSError):  # another process may have
                part_path(self._path, number).unlink()
            self._index.drop(number)

    def finish(self) -> None:
        with suppress(OSError):  # without its end it is taken for one whose program was killed
            self._write_end()
        self.close()

    def close(self) -> None:
        self._lines.close()
        if self._part is not None:
            self._part.close()

    def _write(self, time_ms: int, snapshot: Snapshot, happened: PollEvents) -> None:
        """Write one line. Raises OSError if it cannot be written."""
        if self._part is None or time_ms - self._part_began_ms >= self._part_ms:
            self._begin_part(time_ms)
        part, now = self._part, FrameWriter(snapshot)
        assert part is not None, "it has begun"
        is_keyframe = self._before is None or time_ms - self._keyframe_ms >= KEYFRAME_MS
        if is_keyframe or self._before is None:
            self._stream, self._keyframe_ms, frame = zlib.compressobj(), time_ms, now.keyframe()
        else:
            frame = now.since(self._before)
        packed = self._stream.compress(_POLLS_WRITER_FRAME.encode(frame)) + self._stream.flush(zlib.Z_SYNC_FLUSH)
        poll = self._poll(time_ms, packed, happened, is_keyframe=is_keyframe)
        begin = part.size
        part.append([_JSON.encode(poll)])
        self._before, self._happened = now, happened
        self._index.add(self._parts[-1][0], PlacedPoll(poll, begin, part.size))

    def _poll(self, time_ms: int, frame: bytes, happened: PollEvents, *, is_keyframe: bool) -> Poll:
        before = self._happened
        known = {} if before is None else before.queues
        reading = () if before is not None and before.reading == happened.reading else happened.reading
        queues = {path: used_mb for path, used_mb in happened.queues.items() if known.get(path) != used_mb}
        return Poll(
            time_ms,
            is_keyframe,
            frame,
            self._index.records,
            reading,
            queues,
            tuple(happened.records),
            tuple(happened.alerts),
        )

    def _begin_part(self, time_ms: int) -> None:
        if self._part is not None:
            part, self._part = self._part, None
            part.cut()
            part.close()
        number = self._parts[-1][0] + 1 if self._parts else 1
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._part = SealedFile(os.open(part_path(self._path, number), flags, 0o600))
        self._parts.append((number, time_ms))
        self._part_began_ms = time_ms
        self._before = self._happened = None

    def _fail(self, reason: str) -> None:
        self.failure = reason.lower()
        with suppress(OSError):
            self._write_end()

    def _write_end(self) -> None:
        if self._part is not None:
            self._part.cut()
        if self._polls:
            self._lines.end(_JSON.encode(PollsEnd(self.series.now_ms, self._polls, self.failure)))
