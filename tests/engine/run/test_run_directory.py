"""The directory of kept runs: which names are free, who may write, and what cannot be deleted."""

import os
import stat
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.run.run_file import FILE
from engine.run.run_store import (
    create_file,
    lock,
    lock_file,
)


def problem(error: pytest.ExceptionInfo[ConfigError]) -> Problem:
    (one,) = error.value.problems
    return one


def test_a_file_belongs_to_whoever_holds_its_lock(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    handle = create_file(tmp_path / "one")
    other = os.open(tmp_path / "one" / FILE, os.O_RDONLY)
    assert stat.S_IMODE((tmp_path / "one" / FILE).stat().st_mode) == 0o600
    assert not lock(other)
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "one")
    with pytest.raises(ConfigError) as error:
        lock_file(tmp_path / "one", os.O_RDONLY, "washed")
    file = str(tmp_path / "one")
    assert problem(error) == Problem("it is being written and cannot be washed", file=file, hint="end it first")

    os.close(handle)
    assert lock(other)
    os.close(other)
    with lock_file(tmp_path / "one", os.O_RDWR, "washed") as mine:
        assert mine.writable()
