"""Goes through all lines of a kept run: how far they are as they were written, and what they come to."""

import hashlib
from typing import BinaryIO

from engine.run.run_file import (
    DamagedLineError,
    RunBeginning,
    RunEnd,
    RunLine,
    Samples,
    decode_other,
    decode_record,
    read_lines,
)
from engine.simulation.records import Acted


class Survey:
    """What the lines of a run come to, as far as they are good."""

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
