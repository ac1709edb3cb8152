"""The file of a sweep: what was asked, what came of each point, and files that are none."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.sweep import Axis, Bounds, Point, PointOutcome, StoredPoint, SweepSpec, SweepStore, stored
from tests.engine.sweep.test_goals import RUN


def kept(*pairs: tuple[Point, PointOutcome], path: Path) -> list[StoredPoint]:
    with SweepStore.created(path, {}) as store:
        for point, outcome in pairs:
            store.keep(point, outcome)
        return list(store.points())


def test_a_point_comes_back_whole_and_by_number(tmp_path: Path) -> None:
    done = Point(7, {"b": "x", "a": "1"}, 3), PointOutcome("done", "", RUN, 1.25, "host:1", 9)
    failed = Point(2, {}, 4), PointOutcome("failed", "its words")

    assert kept(done, failed, path=tmp_path / "s") == [
        StoredPoint(2, {}, 4, "failed", "its words", None, 0.0),
        StoredPoint(7, {"a": "1", "b": "x"}, 3, "done", "", RUN, 1.25),
    ]
    assert kept(done, path=tmp_path / "t") == [stored(*done)]


def test_equal_points_are_equal_bytes(tmp_path: Path) -> None:
    texts = []
    for name, settings in (("s", {"b": "2", "a": "1"}), ("t", {"a": "1", "b": "2"})):
        kept((Point(0, settings, 0), PointOutcome("done", "", RUN)), path=tmp_path / name)
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            texts.append(list(connection.execute("SELECT settings, measures FROM point")))

    assert texts[0] == texts[1]
    assert texts[0][0][0] == '{"a":"1","b":"2"}'


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


def test_a_file_of_another_version_or_without_a_plan_is_refused() -> None:
    version = SPEC.about()["version"]
    for about, words in (
        ({}, f"f: was made by schedlab unknown; this is {version}, whose figures may differ"),
        ({"version": version}, "f: is not a sweep, or is damaged: 'spec'"),
        ({"version": version, "spec": "{"}, "f: is not a sweep, or is damaged: Input data was truncated"),
    ):
        with pytest.raises(ConfigError) as error:
            SweepSpec.of(about, "f")
        assert str(error.value) == words


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE point SET measures = '{}'",
        "UPDATE point SET settings = '[]'",
        "UPDATE point SET seed = 'x'",
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
