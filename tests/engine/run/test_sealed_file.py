"""A file of sealed lines: what is in it after each step, also when the disk takes only a part."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from engine.run.sealed_file import ROOM, SealedFile
from tests.engine.run.test_run_reader import sealed
from tests.small_disk import small_disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file is."""
    return tmp_path / "file"


@pytest.fixture
def file(path: Path) -> Iterator[SealedFile]:
    """An empty file."""
    one = SealedFile(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    yield one
    one.close()


def test_lines_are_added_with_room_after_them(file: SealedFile, path: Path) -> None:
    """The room is written over by the next ones, and does not count."""
    file.append([b"a", b"bb"])
    first = b"".join(sealed([b"a", b"bb"]))
    assert path.read_bytes() == first + ROOM
    assert (file.size, file.file_hash) == (len(first), sha256(first).hexdigest())

    file.append([])
    file.append([b"c"])
    both = b"".join(sealed([b"a", b"bb", b"c"]))
    assert path.read_bytes() == both + ROOM
    assert (file.size, file.file_hash) == (len(both), sha256(both).hexdigest())


def test_the_end_has_no_room_after_it(file: SealedFile, path: Path) -> None:
    """It is sealed like any line; the hash is of those before it."""
    file.append([b"a"])
    file.end(b"z")
    assert path.read_bytes() == b"".join(sealed([b"a", b"z"]))
    assert file.file_hash == sha256(b"".join(sealed([b"a"]))).hexdigest()


def test_what_does_not_count_can_be_cut_off(file: SealedFile, path: Path) -> None:
    """Lines may follow after that."""
    file.append([b"a"])
    file.cut()
    assert path.read_bytes() == b"".join(sealed([b"a"]))
    file.append([b"b"])
    file.cut()
    assert path.read_bytes() == b"".join(sealed([b"a", b"b"]))


def test_lines_that_cannot_be_written_do_not_count(file: SealedFile, path: Path) -> None:
    """None of them; the end has room all the same, for it is shorter than the room."""
    file.append([b"a"])
    before = (file.size, file.file_hash)
    with small_disk(file.size + len(ROOM)), pytest.raises(OSError, match="File too large"):
        file.append([b"b" * 10, b"c"])
    assert (file.size, file.file_hash) == before
    with small_disk(file.size + len(ROOM)):
        file.end(b"z" * (len(ROOM) - 18))
    assert path.read_bytes() == b"".join(sealed([b"a", b"z" * (len(ROOM) - 18)]))


def test_a_disk_may_take_a_part_at_a_time(file: SealedFile, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is written after it."""
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, place: write(handle, data[:7], place))
    file.append([b"a" * 20])
    file.append([b"b" * 20])
    assert path.read_bytes() == b"".join(sealed([b"a" * 20, b"b" * 20])) + ROOM


@pytest.mark.parametrize("step", ["end", "cut", "sync"])
def test_it_is_waited_until_all_is_on_disk(file: SealedFile, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once; lines alone are only handed to the operating system."""
    waits: list[int] = []
    monkeypatch.setattr(os, "fdatasync", waits.append)
    file.append([b"a"])
    assert waits == []
    {"end": lambda: file.end(b"z"), "cut": file.cut, "sync": file.sync}[step]()
    assert len(waits) == 1


def test_a_file_is_closed_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its handle may be another file's by then; also where it is the first of all."""
    closed: list[int] = []
    monkeypatch.setattr(os, "close", closed.append)
    for handle in (0, 7):
        file = SealedFile(handle)
        file.close()
        file.close()
    assert closed == [0, 7]
