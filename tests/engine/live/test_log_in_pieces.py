"""Lines of a log that is given in pieces of any length, across files."""

import pytest

from engine.live import log_tail
from engine.live.log_places import Piece
from engine.live.log_tail import EDGE, LogTail


class Bytes:
    """A log in memory, given in pieces of so many bytes; implements `LogPlace`."""

    name = "rm.log"

    def __init__(self, *files: bytes, most: int = 1_000_000) -> None:
        self.files, self.most, self.asked = list(files), most, 0

    async def piece(self, age: int, start: int) -> Piece | None:
        """A part of one of its files."""
        self.asked += 1
        if age >= len(self.files):
            return None
        data = self.files[age]
        begin = max(0, len(data) + start) if start < 0 else min(start, len(data))
        return Piece(data[begin : begin + self.most], begin, len(data), 1_000 + age)

    async def close(self) -> None:
        """There is no connection."""


def lines(first: int, last: int) -> bytes:
    """Lines of five bytes."""
    return b"".join(b"%04d\n" % number for number in range(first, last))


@pytest.mark.parametrize("most", [1, 7, 1_000])
async def test_the_end_is_read_in_pieces_of_any_length(most: int) -> None:
    """Of as many files as it takes, no further back than is asked for."""
    place = Bytes(lines(8, 10), lines(4, 8), lines(0, 4), most=most)
    tail = LogTail(place)

    assert list(await tail.from_end(25)) == ["0006", "0007", "0008", "0009"]
    assert (tail.is_whole, tail.modified_ms) == (False, 1_000)
    assert list(await tail.from_end(60)) == [f"{number:04d}" for number in range(10)]
    assert tail.is_whole


@pytest.mark.parametrize(("back", "is_whole"), [(50, False), (51, True)])
async def test_it_is_whole_where_less_is_there_than_is_asked_for(back: int, *, is_whole: bool) -> None:
    """One byte more."""
    tail = LogTail(Bytes(lines(0, 10)))
    await tail.from_end(back)

    assert tail.is_whole == is_whole


@pytest.mark.parametrize("most", [EDGE + 1, EDGE + 7, 10_000])
async def test_what_is_new_is_read_in_pieces_of_any_length(most: int) -> None:
    """Each line once."""
    place = Bytes(lines(0, 40), most=most)
    tail = LogTail(place)
    await tail.from_end(50)
    place.files[0] += lines(40, 80) + b"half"

    assert list(await tail.fresh() or ()) == [f"{number:04d}" for number in range(40, 80)]
    place.files[0] += b" and more\nx"
    assert list(await tail.fresh() or ()) == ["half and more"]


async def test_of_much_that_is_new_the_rest_comes_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """From so many bytes on nothing more is read."""
    monkeypatch.setattr(log_tail, "MOST_NEW", 20)
    place = Bytes(lines(0, 20), most=EDGE + 10)
    tail = LogTail(place)
    await tail.from_end(1_000)
    place.files[0] += lines(20, 28)
    found = [list(await tail.fresh() or ()) for _ in range(3)]

    assert found == [[f"{n:04d}" for n in range(20, 24)], [f"{n:04d}" for n in range(24, 28)], []]


async def test_a_line_is_cut_at_its_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one whose end is not written yet."""
    monkeypatch.setattr(log_tail, "LONGEST_LINE", 6)
    place = Bytes(b"123456\n1234567\n12345678")
    tail = LogTail(place)

    assert list(await tail.from_end(100)) == ["123456", "123456"]
    place.files[0] += b"9\n"
    assert list(await tail.fresh() or ()) == ["123456"]


async def test_bytes_that_are_no_text_are_replaced() -> None:
    """The line is read all the same."""
    assert list(await LogTail(Bytes(b"a\xffb\n")).from_end(9)) == ["a\N{REPLACEMENT CHARACTER}b"]


async def test_after_a_rotation_the_new_file_may_not_be_there_yet() -> None:
    """What the old one has beyond comes all the same."""
    place = Bytes(lines(0, 20))
    tail = LogTail(place)
    await tail.from_end(1_000)
    place.files = [b"", lines(0, 22)]

    assert list(await tail.fresh() or ()) == ["0020", "0021"]
    place.files[0] = lines(22, 23)
    assert list(await tail.fresh() or ()) == ["0022"]
    assert tail.modified_ms == 1_000
