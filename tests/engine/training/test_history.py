"""Histories: what is kept of each trainee, and what can go wrong with the file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import ConfigError, OutputError
from engine.training.history import FILE, PlayedDrill, best, keep_played, read_history

FIRST = PlayedDrill("a", "t1", 40, None)
SECOND = PlayedDrill("a", "t2", 80, 61.5, ('{"do": "hint"}', '{"do": "finish"}'), 7, {"solved": 61.5, "detect": None})


def test_a_history_is_kept_by_name(tmp_path: Path) -> None:
    """Oldest first, everything of it; others have their own, and only the owner can read the file."""
    for one in (FIRST, SECOND):
        keep_played(tmp_path / "h", "kim", one)
    keep_played(tmp_path / "h", "pat", FIRST)
    assert read_history(tmp_path / "h", "kim").played == (FIRST, SECOND)
    assert read_history(tmp_path / "h", "pat").played == (FIRST,)
    assert (tmp_path / "h" / FILE).stat().st_mode & 0o077 == 0


def test_nothing_kept_is_an_empty_history(tmp_path: Path) -> None:
    """Reading makes no file."""
    assert read_history(tmp_path, "kim").played == ()
    assert list(tmp_path.iterdir()) == []


def test_a_strange_name_is_refused(tmp_path: Path) -> None:
    """For reading and for writing."""
    with pytest.raises(ConfigError, match="cannot name a trainee"):
        keep_played(tmp_path, "../kim", FIRST)
    with pytest.raises(ConfigError, match="cannot name a trainee"):
        read_history(tmp_path, "")


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    """With its path; what was written there stays."""
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be taken for one" * 40)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_history(tmp_path, "kim")
    with pytest.raises(OutputError, match=FILE):
        keep_played(tmp_path, "kim", FIRST)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("clocks", "[" * 100_000), ("clocks", '{"solved": 1e999}'), ("clocks", "[]"), ("clocks", b"\xff"),
        ("solved_s", float("inf")), ("score", 10**12 + 1), ("steps", b"\x00\xff"), ("drill", b"blob"), ("seed", "x"),
    ],
)  # fmt: skip
def test_a_damaged_row_is_named_and_takes_no_other_with_it(tmp_path: Path, column: str, value: object) -> None:
    """Deep JSON, infinities, bytes where a text belongs."""
    for one in (FIRST, SECOND):
        keep_played(tmp_path, "kim", one)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute(f"UPDATE exercises SET {column} = ? WHERE id = 1", (value,))
        database.commit()

    found = read_history(tmp_path, "kim")

    assert found.played == (SECOND,)
    assert found.damaged == (f"{tmp_path / FILE}: exercise 1 is damaged and left out",)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "h").write_text("")
    with pytest.raises(OutputError):
        keep_played(tmp_path / "h", "kim", FIRST)


def test_the_best_is_the_first_of_equal_ones() -> None:
    """Of the drill asked for."""
    again = PlayedDrill("a", "t3", 80, 5.0)
    assert best((FIRST, SECOND, again, PlayedDrill("b", "t", 99, 1.0)), "a") is SECOND
    assert best((FIRST,), "b") is None
