"""The file of a sweep: what was asked, what came of each point, and files that are none."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.sweep import Axis, Bounds, Point, PointOutcome, StoredPoint, SweepSpec, SweepStore, limit_of, stored
from tests.engine.sweep.test_goals import RUN


def kept(*pairs: tuple[Point, PointOutcome], path: Path) -> list[StoredPoint]:
    """What a file has of these points."""
    with SweepStore.created(path, {}) as store:
        for point, outcome in pairs:
            store.keep(point, outcome)
        return list(store.points())


def test_a_point_comes_back_whole_and_by_number(tmp_path: Path) -> None:
    """With its figures, or the words of why it has none."""
    done = Point(7, {"b": "x", "a": "1"}, 3), PointOutcome("done", "", RUN, 1.25, "host:1", 9)
    failed = Point(2, {}, 4), PointOutcome("failed", "its words")

    assert kept(done, failed, path=tmp_path / "s") == [
        StoredPoint(2, {}, 4, "failed", "its words", None, 0.0),
        StoredPoint(7, {"a": "1", "b": "x"}, 3, "done", "", RUN, 1.25),
    ]
    assert kept(done, path=tmp_path / "t") == [stored(*done)]


def test_a_point_that_is_kept_again_is_replaced(tmp_path: Path) -> None:
    """So that what failed may be played once more."""
    point = Point(1, {}, 0)
    found = kept((point, PointOutcome("failed", "no")), (point, PointOutcome("done")), path=tmp_path / "s")

    assert [each.status for each in found] == ["done"]


def test_equal_points_are_equal_bytes(tmp_path: Path) -> None:
    """Settings are in order of their keys, whatever order they came in."""
    texts = []
    for name, settings in (("s", {"b": "2", "a": "1"}), ("t", {"a": "1", "b": "2"})):
        kept((Point(0, settings, 0), PointOutcome("done", "", RUN)), path=tmp_path / name)
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            texts.append(list(connection.execute("SELECT settings, measures FROM point")))

    assert texts[0] == texts[1]
    assert texts[0][0][0] == '{"a":"1","b":"2"}'


def test_what_is_asked_may_change_and_stays_in_the_file(tmp_path: Path) -> None:
    """Names that are not told again stay as they were."""
    with SweepStore.created(tmp_path / "s", {"one": "1", "two": "2"}) as store:
        assert store.path == tmp_path / "s"
        store.tell({"two": "3", "new": "4"})
    with SweepStore.opened(tmp_path / "s") as store:
        assert store.about() == {"schema": "1", "one": "1", "two": "3", "new": "4"}
        assert (store.numbers(), store.path) == (set(), tmp_path / "s")


def test_a_closed_file_is_kept_and_read_only_files_are_said(tmp_path: Path) -> None:
    """Telling and forgetting are refused in words, as keeping is."""
    with SweepStore.created(tmp_path / "s", {}) as store:
        store.keep(Point(0, {}, 0), PointOutcome("done"))
        store._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(ConfigError) as told:
            store.tell({"a": "b"})
        with pytest.raises(ConfigError) as forgotten:
            store.forget("done")
    for error in (told, forgotten):
        assert str(error.value).startswith(f"{tmp_path / 's'}: cannot be written: ")
        assert str(error.value).endswith("(--resume goes on)")
    with pytest.raises(sqlite3.ProgrammingError):
        store.about()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TABLE other (x)", "is no sweep, or is damaged: no such table: about"),
        ("CREATE TABLE about (name, value)", "is a sweep of version unknown; this program reads 1"),
    ],
)
def test_a_database_of_something_else_is_no_sweep(tmp_path: Path, statement: str, words: str) -> None:
    """It is named."""
    with closing(sqlite3.connect(tmp_path / "s")) as connection:
        connection.execute(statement)
    with pytest.raises(ConfigError) as error:
        SweepStore.opened(tmp_path / "s")
    assert str(error.value) == f"{tmp_path / 's'}: {words}"


def test_where_no_file_can_be_none_is_made(tmp_path: Path) -> None:
    """Nor is the output one, nor one that is there."""
    (tmp_path / "s").write_text("x")
    for path, words in (
        (tmp_path / "no" / "s", "cannot be opened as a sweep: unable to open database file"),
        (Path("-"), "is the output"),
        (tmp_path / "s", "is there already (--resume goes on with it)"),
    ):
        with pytest.raises(ConfigError) as error:
            SweepStore.created(path, {})
        assert str(error.value).startswith(f"{path}: {words}")


SPEC = SweepSpec(
    'duration = "1m"\n',
    "name",
    (Axis("k", ("1", "2")), Axis("nodes", ("3",))),
    (5, 6),
    sample=7,
    trials=8,
    goal_name="makespan",
    limit_texts=("starved < 1", "used > 50%"),
    until_ms=9,
    bounds=Bounds(10.0, 11),
    is_sizing=True,
)


def test_what_is_asked_for_comes_back_whole() -> None:
    """The scenario is kept as the text it is."""
    about = SPEC.about()

    assert about["scenario"] == 'duration = "1m"\n'
    assert SweepSpec.of(about, "s", is_sizing=True) == SPEC
    assert SPEC.goal.name == "makespan"
    assert SPEC.limits == (limit_of("starved < 1", "-"), limit_of("used > 50%", "-"))
    assert (SPEC.base.scenario, SPEC.base.until_ms, SPEC.base.bounds) == (b'duration = "1m"\n', 9, Bounds(10.0, 11))
    assert SPEC.base.version == about["version"]


@pytest.mark.parametrize("is_sizing", [True, False])
def test_a_file_goes_on_with_the_command_that_made_it(is_sizing: bool) -> None:
    """The other one is named."""
    spec = SweepSpec("", "name", (), (), is_sizing=is_sizing)
    command = "size" if is_sizing else "sweep"

    assert SweepSpec.of(spec.about(), "f", is_sizing=is_sizing) == spec
    with pytest.raises(ConfigError) as error:
        SweepSpec.of(spec.about(), "f", is_sizing=not is_sizing)
    assert str(error.value) == f"f: is of schedlab {command} (schedlab {command} --resume f)"


def test_a_file_of_another_version_or_without_a_plan_is_refused() -> None:
    """By name, with both versions."""
    version = SPEC.about()["version"]
    for about, words in (
        ({}, f"f: was made by schedlab unknown; this is {version}, whose figures may differ"),
        ({"version": version}, "f: is no sweep, or is damaged: 'spec'"),
        ({"version": version, "spec": "{"}, "f: is no sweep, or is damaged: Input data was truncated"),
    ):
        with pytest.raises(ConfigError) as error:
            SweepSpec.of(about, "f")
        assert str(error.value) == words


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE point SET measures = '{}'",
        "UPDATE point SET settings = '[]'",
        "UPDATE about SET value = x'ff00' WHERE name = 'schema'",
        "DROP TABLE point",
        "DELETE FROM about",
    ],
)
def test_a_damaged_file_is_refused_and_stays(damage: str, tmp_path: Path) -> None:
    """By its name, whatever of it cannot be read."""
    path = tmp_path / "a.sweep"
    with SweepStore.created(path, {"spec": "{}"}) as store:
        store.keep(Point(0, {}, 1), PointOutcome("played", "", None, 0.1))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(damage)

    with pytest.raises(ConfigError, match=r"a\.sweep: "):
        SweepStore.opened(path)

    assert path.exists()


def test_an_empty_file_gives_way(tmp_path: Path) -> None:
    """As a full disk leaves it."""
    (tmp_path / "a.sweep").touch()

    with SweepStore.created(tmp_path / "a.sweep", {}) as store:
        assert store.numbers() == set()
