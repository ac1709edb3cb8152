"""Keeps the polls of a live cluster on disk while it is watched, in bounded room.

A poll is handed to the operating system before the next one begins, so that a program that is killed loses at most the
one it was at.
"""

import os
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.explain.alert import Alert
from engine.observe.history import Reading
from engine.observe.journal import program_version
from engine.observe.snapshot import Snapshot
from engine.recorded.frames import FrameWriter
from engine.recorded.kept_polls import KeptPolls
from engine.recorded.polls_file import FORMAT, PlacedPoll, Poll, PollsBeginning, PollsEnd, part_path
from engine.recorded.polls_index import PollsIndex
from engine.run.run_store import create_file, free_names, make_directory
from engine.run.sealed_file import SealedFile
from engine.simulation.records import Record

KEYFRAME_MS: Final = 120_000
"""Time between two keyframes."""
LONGEST_PART_MS: Final = 3_600_000
PARTS: Final = 24
"""At least so many parts make up the time that is kept, so that little more than it is there."""

_JSON: Final = msgspec.json.Encoder()
_FRAME: Final = msgspec.msgpack.Encoder()


class Happened(NamedTuple):
    """Events of a poll beside the picture."""

    reading: Reading
    queues: Mapping[str, int]
    """Leaf queue → memory it uses [MB]."""
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
        """Begin with the first poll's instant.

        Args:
            root: Directory of all runs; made when it is not there.
            name: Its name; None for the first free one after the server's.
            first: The first poll, which is yet to be taken.
            where: `host:port` of the server.
            created: When, for people to read.
            offset_ms: East of Greenwich, for times of day.
            keep_for_ms: How long polls are kept; 0 for ever.

        Raises:
            ConfigError: There is a run of this name, or nothing can be written there.
        """
        self.failure = ""
        """Why it is no longer kept; empty as long as it is."""
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
            raise ConfigError([Problem(words, file=str(self._path))]) from None
        self._index = PollsIndex(first.dialect)
        self.series = KeptPolls(self._path, beginning, self._index)
        """What was kept so far."""
        self._keep_for_ms = keep_for_ms
        self._part_ms = min(LONGEST_PART_MS, keep_for_ms // PARTS or LONGEST_PART_MS)
        self._parts: list[tuple[int, int]] = []
        """(number, when its last poll was) of the parts there are."""
        self._part: SealedFile | None = None
        self._part_began_ms = self._keyframe_ms = 0
        self._stream = zlib.compressobj()
        self._before: FrameWriter | None = None
        self._happened: Happened | None = None
        self._polls = 0

    @property
    def trouble(self) -> str:
        """Return which polls are kept no longer, and why; empty as long as they are."""
        return self.failure and f"the polls {self.name} are no longer kept: {self.failure}"

    def take(self, snapshot: Snapshot, happened: Happened) -> None:
        """Keep a poll."""
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
            with suppress(OSError):  # somebody else may have
                part_path(self._path, number).unlink()
            self._index.drop(number)

    def finish(self) -> None:
        """The watch has ended properly."""
        with suppress(OSError):  # without its end it is taken for one whose program was killed
            self._write_end()
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._lines.close()
        if self._part is not None:
            self._part.close()

    def _write(self, time_ms: int, snapshot: Snapshot, happened: Happened) -> None:
        """Write one line.

        Raises:
            OSError: It cannot be written.
        """
        if self._part is None or time_ms - self._part_began_ms >= self._part_ms:
            self._begin_part(time_ms)
        part, now = self._part, FrameWriter(snapshot)
        assert part is not None, "it has begun"
        is_keyframe = self._before is None or time_ms - self._keyframe_ms >= KEYFRAME_MS
        if is_keyframe or self._before is None:
            self._stream, self._keyframe_ms, frame = zlib.compressobj(), time_ms, now.keyframe()
        else:
            frame = now.since(self._before)
        packed = self._stream.compress(_FRAME.encode(frame)) + self._stream.flush(zlib.Z_SYNC_FLUSH)
        poll = self._poll(time_ms, packed, happened, is_keyframe=is_keyframe)
        begin = part.size
        part.append([_JSON.encode(poll)])
        self._before, self._happened = now, happened
        self._index.add(self._parts[-1][0], PlacedPoll(poll, begin, part.size))

    def _poll(self, time_ms: int, frame: bytes, happened: Happened, *, is_keyframe: bool) -> Poll:
        """The line of a poll; the first of a part tells all that graphs show."""
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
        """Keep no more, and say why where that can be written."""
        self.failure = reason.lower()
        with suppress(OSError):
            self._write_end()

    def _write_end(self) -> None:
        if self._part is not None:
            self._part.cut()
        if self._polls:
            self._lines.end(_JSON.encode(PollsEnd(self.series.now_ms, self._polls, self.failure)))
