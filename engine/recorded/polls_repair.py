"""Makes damaged kept polls readable again: each part is cut off before its first damaged line."""

import os
from pathlib import Path
from typing import NamedTuple

from engine.errors import ConfigError, Problem
from engine.recorded.polls_file import part_path, parts_of, read_ends, read_polls
from engine.run.run_file import DamagedLineError, open_regular
from engine.run.run_store import check_there, lock_file


class PollsRepair(NamedTuple):
    """What was done to kept polls."""

    damaged: tuple[str, ...]
    """Names of the files in which something was damaged."""
    polls: int
    """Those that are kept."""
    cut_bytes: int


def repair_polls(root: Path, name: str) -> PollsRepair:
    """Cut off what is damaged; parts after it are kept, as each begins anew.

    Raises:
        ConfigError: They are being written, their beginning is damaged, or nothing can be cut off.
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
    """How many polls of a part are good, how far they reach [bytes], and whether something after them is damaged."""
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
