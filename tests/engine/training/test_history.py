"""Histories: what is kept of each trainee, and what can go wrong with the file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import ConfigError, OutputError
from engine.training.records import FILE, LARGEST, PlayedDrill, check_trainee, keep_played, read_history

FIRST = PlayedDrill("a", "t1", 40, None)
SECOND = PlayedDrill("a", "t2", 80, 61.5, ('{"do": "hint"}', '{"do": "finish"}'), 7, {"solved": 61.5, "detect": None})


def test_a_history_is_kept_by_name(tmp_path: Path) -> None:
    """Oldest first, everything of it; others have their own, and only the owner can read the file."""
    for one in (FIRST, SECOND):
        keep_played(tmp_path / "h", "kim", one)
    keep_played(tmp_path / "h", "pat", FIRST)
    assert read_history(tmp_path / "h", "kim").played == (FIRST, SECOND)
    assert read_history(tmp_path / "h", "pat").played == (FIRST,)
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "h", tmp_path / "h" / FILE)] == [0o700, 0o600]


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
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
    for one in (FIRST, SECOND):
        keep_played(tmp_path, "kim", one)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute(f"UPDATE exercises SET {column} = ? WHERE id = 1", (value,))
        database.commit()

    found = read_history(tmp_path, "kim")

    assert found.played == (SECOND,)
    assert found.damaged == (f"{tmp_path / FILE}: exercise 1 is damaged and left out",)


def test_a_history_of_before_exams_is_read_on(tmp_path: Path) -> None:
    keep_played(tmp_path, "kim", FIRST)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("ALTER TABLE exercises DROP COLUMN is_exam")
        database.commit()

    assert read_history(tmp_path, "kim").played == (FIRST,)
    keep_played(tmp_path, "kim", SECOND)
    assert read_history(tmp_path, "kim").played == (FIRST, SECOND)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("a", True), ("A1._-", True), ("x" * 64, True), ("x" * 65, False), ("", False), ("-a", False), ("a/b", False)],
)
def test_a_name_is_short_and_plain(name: str, *, is_one: bool) -> None:
    if is_one:
        check_trainee(name)
    else:
        with pytest.raises(ConfigError) as caught:
            check_trainee(name)
        (problem,) = caught.value.problems
        assert (problem.key, problem.hint) == (
            "--trainee",
            "letters, digits, points, dashes and underlines, at most 64",
        )


@pytest.mark.parametrize(("number", "is_read"), [(LARGEST, True), (-LARGEST, True), (-LARGEST - 1, False)])
@pytest.mark.parametrize("column", ["score", "solved_s"])
def test_numbers_have_bounds(tmp_path: Path, column: str, number: int, *, is_read: bool) -> None:
    keep_played(tmp_path, "kim", FIRST)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute(f"UPDATE exercises SET {column} = ?", (number,))
        database.commit()

    assert len(read_history(tmp_path, "kim").played) == is_read
