"""Kept polls as a recorded past; they may still be kept on while they are looked at."""

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.explain.alert import Alert
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.history import History
from engine.recorded.frames import FrameReader, SnapshotFrame
from engine.recorded.polls_file import (
    PlacedPoll,
    PollsBeginning,
    PollsEnd,
    part_path,
    parts_of,
    polls_from,
    read_ends,
    read_polls,
)
from engine.recorded.polls_index import Keyframe, PollsIndex
from engine.recorded.series import after, before
from engine.run.run_file import DamagedLineError, open_regular
from engine.run.run_store import check_there
from engine.simulation.record_log import NumberedRecord

LATEST: Final = 2_000
"""Records that are given at once, at least, where there were so many."""

_FRAME: Final = msgspec.msgpack.Decoder(SnapshotFrame)


class _Cursor(NamedTuple):
    """The place up to which frames have been read, so that the next instant need not begin at the keyframe again."""

    keyframe: Keyframe
    time_ms: int
    """The instant of the last frame read."""
    end: int
    """Where the next line begins [bytes]."""
    stream: "zlib._Decompress"
    frames: FrameReader


class KeptPolls:
    """Implements `SnapshotSeries`."""

    what = "polls"
    notes = ("between two polls, what came and went again was not seen",)

    def __init__(self, path: Path, beginning: PollsBeginning, index: PollsIndex) -> None:
        """Look at the polls of a directory that an index knows; it may grow."""
        self.name = beginning.where
        self.beginning = beginning
        self.offset_ms = beginning.offset_ms
        self._path, self._index = path, index
        self._cursor: _Cursor | None = None
        self._records: tuple[int, int, list[NumberedRecord]] | None = None
        """(part, polls there were while it grew, its records) of the part whose records were read last."""

    @property
    def history(self) -> History:
        """Return the history of the cluster, for graphs."""
        return self._index.history

    @property
    def alerts(self) -> Sequence[Alert]:
        """The latest alerts."""
        return self._index.alerts

    @property
    def first_ms(self) -> int:
        """The first poll that is still kept."""
        return self._index.times_ms[0]

    @property
    def now_ms(self) -> int:
        """The last poll."""
        return self._index.times_ms[-1]

    @property
    def polls(self) -> int:
        """Return how many are kept."""
        return len(self._index.times_ms)

    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        """The last poll at an instant [epoch ms] or before it; before the first that one.

        Raises:
            ConfigError: It cannot be read.
        """
        time_ms = max(time_ms, self.first_ms)
        place = bisect_right(self._index.times_ms, time_ms) - 1
        try:
            cursor = self._reached(self._index.times_ms[place])
        except (OSError, zlib.error, msgspec.MsgspecError, LookupError, ValueError) as error:
            words = f"what was kept there cannot be read: {str(error) or 'it is damaged'}"
            raise ConfigError([Problem(words, file=str(self._path))]) from None
        return cursor.frames.snapshot(cursor.time_ms)

    def records_until(self, time_ms: int) -> Sequence[NumberedRecord]:
        """The latest records up to the end of an instant [epoch ms], oldest first.

        Raises:
            ConfigError: They cannot be read.
        """
        found: list[NumberedRecord] = []
        for part in self._index.parts_before(time_ms):
            records = self._records_of(part)
            end = bisect_right(records, time_ms, key=lambda each: each.time_ms)
            found = [*records[:end], *found]
            if len(found) >= LATEST:
                break
        return found

    def marks(self) -> Sequence[int]:
        """Return where alerts began and ended, as far as those instants are still kept."""
        found = {each.found_ms if each.kind == "over" else each.since_ms for each in self.alerts}
        return sorted(each for each in found if each >= self.first_ms)

    def previous_record(self, time_ms: int) -> int | None:
        """The last poll before an instant [epoch ms]."""
        return before(self._index.times_ms, time_ms)

    def next_record(self, time_ms: int) -> int | None:
        """The first poll after an instant [epoch ms]."""
        return after(self._index.times_ms, time_ms)

    def previous_mark(self, time_ms: int) -> int | None:
        """The last mark before an instant [epoch ms]."""
        return before(self.marks(), time_ms)

    def next_mark(self, time_ms: int) -> int | None:
        """The first mark after an instant [epoch ms]."""
        return after(self.marks(), time_ms)

    def _reached(self, time_ms: int) -> _Cursor:
        """Read frames up to the poll of an instant [epoch ms]."""
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
                raise ConfigError([Problem(f"what was kept cannot be read: {error}", file=str(self._path))]) from None
        self._records = part, count, found
        return found


def _numbered(polls: Iterator[PlacedPoll]) -> Iterator[NumberedRecord]:
    for placed in polls:
        poll = placed.poll
        for place, record in enumerate(poll.records):
            yield NumberedRecord(poll.number + place, poll.time_ms, record)


def open_polls(root: Path, name: str) -> KeptPolls:
    """The kept polls of a name; every line is looked at.

    Raises:
        ConfigError: There are none, or they are damaged.
    """
    path = check_there(root, name)
    beginning, _ = read_ends(path)
    index = PollsIndex(beginning.dialect)
    for number in parts_of(path):
        _index_part(path, number, index, name)
    if not index.times_ms:
        raise ConfigError([Problem("no poll was kept in it", file=str(path))])
    return KeptPolls(path, beginning, index)


def _index_part(path: Path, number: int, index: PollsIndex, name: str) -> None:
    place = part_path(path, number)
    with open_regular(place) as file:
        try:
            for placed in read_polls(file):
                index.add(number, placed)
        except DamagedLineError as error:
            hint = f"`schedlab runs repair {name}` keeps what is before and after it"
            raise ConfigError([Problem(str(error), file=str(place), hint=hint)]) from None


class PollsInfo(NamedTuple):
    """The facts of kept polls at a glance."""

    name: str
    beginning: PollsBeginning
    end: PollsEnd | None
    until_ms: int
    """The last poll that can be read; the beginning where there is none."""
    size_bytes: int


def polls_info(root: Path, name: str) -> PollsInfo:
    """Return what is known of the kept polls of a name; only the last part is looked through.

    Raises:
        ConfigError: There are none, or their beginning is damaged.
    """
    path = check_there(root, name)
    beginning, end = read_ends(path)
    until_ms = beginning.start_ms if end is None else end.until_ms
    numbers = parts_of(path)
    if numbers and end is None:
        with open_regular(part_path(path, numbers[-1])) as file:
            try:
                for placed in read_polls(file):
                    until_ms = max(until_ms, placed.poll.time_ms)
            except DamagedLineError as error:
                raise ConfigError([Problem(str(error), file=str(part_path(path, numbers[-1])))]) from None
    size = sum(each.stat().st_size for each in path.iterdir() if each.is_file())
    return PollsInfo(name, beginning, end, until_ms, size)
