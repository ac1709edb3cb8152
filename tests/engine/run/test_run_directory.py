"""The directory of kept runs: which names are free, who may write, and what cannot be deleted."""

import os
import stat
from itertools import islice
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.run.run_file import FILE
from engine.run.run_store import (
    create_file,
    directory,
    free_names,
    lock,
    lock_file,
)


def problem(error: pytest.ExceptionInfo[ConfigError]) -> Problem:
    (one,) = error.value.problems
    return one


def test_what_cannot_be_a_name_is_told_with_what_can(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        directory(tmp_path, "a b")
    hint = "letters, digits, points, dashes and underlines, at most 64"
    assert problem(error) == Problem("'a b' cannot name a run", hint=hint)


@pytest.mark.parametrize(
    ("scenario", "stem"),
    [("weekly", "weekly"), ("a/b c", "a-b-c"), ("._-a", "a"), ("", "run"), ("...", "run"), ("x" * 57, "x" * 56)],
)
def test_free_names_are_counted(scenario: str, stem: str) -> None:
    assert list(islice(free_names(scenario), 3)) == [f"{stem}-1", f"{stem}-2", f"{stem}-3"]


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
