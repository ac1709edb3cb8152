"""The lines of a log that is written meanwhile: from its end, what is new, across rotations."""

from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.live.followed_log import EDGE, LogFile, LogTail


class Log:
    """A log on disk that is written and rotated by hand."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rm.log"
        self.path.write_bytes(b"")
        self.tail = LogTail(LogFile(self.path))
        self._count = 0

    def write(self, lines: int, end: str = "\n") -> list[str]:
        first, self._count = self._count, self._count + lines
        found = [f"line {number:05d} of the log" for number in range(first, self._count)]
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{each}\n" for each in found[:-1]) + found[-1] + end)
        return found

    def rotate(self) -> None:
        """As log4j does: the file gets another name, and a new one is begun."""
        self.path.rename(self.path.with_name("rm.log.1"))
        self.path.write_bytes(b"")


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


async def test_what_is_new_comes_once_and_in_order(log: Log) -> None:
    first = log.write(10)
    assert list(await log.tail.from_end(10_000)) == first
    second = log.write(5)

    assert list(await log.tail.fresh() or ()) == second
    assert list(await log.tail.fresh() or ()) == []


async def test_a_line_that_is_not_written_whole_waits_for_its_end(log: Log) -> None:
    log.write(3)
    await log.tail.from_end(10_000)
    half = log.write(1, end="")
    assert list(await log.tail.fresh() or ()) == []
    whole = log.write(1)

    assert list(await log.tail.fresh() or ()) == [half[0] + whole[0]]


@pytest.mark.parametrize(
    ("back", "count", "is_whole"), [(25, 0, False), (50, 1, False), (99, 3, False), (101, 4, True)]
)
async def test_the_end_of_a_log_begins_with_a_whole_line(log: Log, back: int, count: int, is_whole: bool) -> None:
    """Lines have 25 bytes; what stands before the first end of a line is left out, except at the very beginning."""
    lines = [each + "-" for each in log.write(4)]
    log.path.write_text("\n".join(lines).ljust(100, "\n")[:100], encoding="utf-8")
    found = list(await log.tail.from_end(back))

    assert (len([each for each in found if each]), log.tail.is_whole) == (count, is_whole)


async def test_lines_before_and_after_a_rotation_are_read(log: Log) -> None:
    log.write(10)
    await log.tail.from_end(10_000)
    old = log.write(5)
    log.rotate()
    new = log.write(5)

    assert list(await log.tail.fresh() or ()) == old + new


async def test_a_rotation_is_seen_also_where_the_new_file_is_longer(log: Log) -> None:
    log.write(10)
    await log.tail.from_end(10_000)
    log.rotate()
    new = log.write(100)

    assert list(await log.tail.fresh() or ()) == new


async def test_the_end_reaches_into_files_that_were_rotated(log: Log) -> None:
    old = log.write(10)
    log.rotate()
    new = log.write(2)

    assert list(await log.tail.from_end(10_000)) == old + new
    assert log.tail.is_whole


async def test_a_log_that_was_rotated_twice_is_begun_anew(log: Log) -> None:
    log.write(EDGE)
    await log.tail.from_end(10_000)
    log.rotate()
    log.write(EDGE)
    log.rotate()
    log.write(EDGE)

    assert await log.tail.fresh() is None


async def test_packed_files_are_no_rotated_ones(log: Log) -> None:
    log.write(10)
    log.rotate()
    log.path.with_name("rm.log.1").rename(log.path.with_name("rm.log.1.gz"))
    new = log.write(2)

    assert list(await log.tail.from_end(10_000)) == new


async def test_a_log_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.log: no such file"):
        await LogTail(LogFile(tmp_path / "gone.log")).from_end(10)
