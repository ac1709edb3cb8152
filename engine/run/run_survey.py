"""Goes through all lines of a kept run: how far they are as they were written, and what they come to."""

import hashlib
import os
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.run.run_file import (
    FILE,
    DamagedLineError,
    RunBeginning,
    RunEnd,
    RunLine,
    Samples,
    check_format,
    decode_other,
    decode_record,
    hash_of,
    read_lines,
    seal,
)
from engine.run.run_store import check_there, lock_file
from engine.simulation.records import Acted


class Survey:
    """The sums over the lines of a run, as far as they are good."""

    def __init__(self, file: BinaryIO) -> None:
        """Go through a file that begins as ours do.

        Raises:
            DamagedLineError: Its first line is damaged.
        """
        self.damage: DamagedLineError | None = None
        """The first line that is damaged."""
        self.end: RunEnd | None = None
        """The run's own end, when it has one."""
        self._acts = self._records = 0
        self._journal_hash = hashlib.sha256()
        lines = read_lines(file)
        first = next(lines, None)
        beginning = None if first is None else decode_other(first)
        if not isinstance(beginning, RunBeginning) or first is None:
            raise DamagedLineError(1)
        self.beginning = beginning
        self.last: RunLine = first
        """The last good line other than the end."""
        self.until_ms = beginning.start_ms
        """Up to where the lines are good [epoch ms]."""
        try:
            for line in lines:
                self._take(line)
        except DamagedLineError as error:
            self.damage = error

    def sums(self, failure: str = "", file_hash: str = "") -> RunEnd:
        """The end that a run of the good lines would have."""
        journal_hash = self._journal_hash.hexdigest()
        return RunEnd(self.until_ms, self._acts, self._records, journal_hash, file_hash, failure)

    def _take(self, line: RunLine) -> None:
        if self.end is not None:
            raise DamagedLineError(line.number, "it stands after the end")
        if line.is_journal:
            time_ms, record = decode_record(line)
            self._journal_hash.update(line.body + b"\n")
            self._records += 1
            self._acts += isinstance(record, Acted) and record.position is not None
            self.until_ms = max(self.until_ms, time_ms)
        else:
            other = decode_other(line)
            if isinstance(other, RunEnd):
                self.end = other
                return
            if not isinstance(other, Samples):
                raise DamagedLineError(line.number, "it stands in the middle")
        self.last = line


class Repair(NamedTuple):
    """The result of repairing a run."""

    damaged_line: int
    """1-based; 0 when nothing was damaged and nothing done."""
    records: int
    """Records that are kept."""
    cut_bytes: int
    """How much was cut off."""


def repair(root: Path, name: str) -> Repair:
    """Cut a run off before its first damaged line; it then ends there, and says why.

    Raises:
        ConfigError: There is no such run, it is being written or cannot be, or its first line is damaged already.
    """
    path = check_there(root, name)
    with lock_file(path, os.O_RDWR, "repaired") as file:
        check_format(file, path / FILE)
        try:
            survey = Survey(file)
        except DamagedLineError as error:
            words = f"{error}; nothing of it can be kept"
            raise ConfigError([Problem(words, file=str(path / FILE), hint=f"`schedlab runs delete {name}`")]) from None
        if survey.damage is None:
            return Repair(0, survey.sums().records, 0)
        size, good = file.seek(0, os.SEEK_END), survey.last
        number = survey.damage.number
        end = survey.sums(f"line {number:,} was damaged", hash_of(file, good.end))
        body = msgspec.json.encode(end)
        try:
            file.truncate(good.end)
            file.seek(good.end)
            file.write(body + b"\t" + seal(good.seal, body) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            words = f"it cannot be repaired: {(error.strerror or str(error)).lower()}"
            raise ConfigError([Problem(words, file=str(path / FILE))]) from None
        return Repair(number, end.records, size - good.end)
