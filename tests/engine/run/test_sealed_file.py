"""A file of sealed lines: what is in it after each step, also when the disk takes only a part."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.run.run_file import ROOM, SealedFile
from tests.engine.run.test_run_reader import sealed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


@pytest.fixture
def file(path: Path) -> Iterator[SealedFile]:
    one = SealedFile(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    yield one
    one.close()


def test_a_disk_may_take_a_part_at_a_time(file: SealedFile, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, place: write(handle, data[:7], place))
    file.append([b"a" * 20])
    file.append([b"b" * 20])
    assert path.read_bytes() == b"".join(sealed([b"a" * 20, b"b" * 20])) + ROOM


@pytest.mark.parametrize("step", ["end", "cut", "sync"])
def test_it_is_waited_until_all_is_on_disk(file: SealedFile, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []
    monkeypatch.setattr(os, "fdatasync", waits.append)
    file.append([b"a"])
    assert waits == []
    {"end": lambda: file.end(b"z"), "cut": file.cut, "sync": file.sync}[step]()
    assert len(waits) == 1
