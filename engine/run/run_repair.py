"""Repairs a damaged run: what comes before the first damaged line is kept, the rest is cut off."""

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.errors import ConfigError, Problem
from engine.run.run_file import FILE, DamagedLineError, check_format, hash_of, seal
from engine.run.run_store import check_there, lock_file
from engine.run.run_survey import Survey


class Repair(NamedTuple):
    """What was done to a run."""

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
