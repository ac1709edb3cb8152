"""The directory of kept runs: which there are, and what is deleted."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.run.run_file import FILE
from engine.run.run_store import delete, directory, free_names, names
from engine.run.run_writer import RunWriter
from tests.engine.run.test_run_reader import SCENE, kept


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "é", "x" * 65, "a\n"])
def test_names_stay_inside_the_directory(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot name a run"):
        directory(tmp_path, name)


def test_names_are_made_of_the_scenario() -> None:
    assert next(iter(free_names("../ a/b"))) == "a-b-1"
    assert next(iter(free_names("é"))) == "run-1"


def test_runs_are_listed_oldest_first(tmp_path: Path) -> None:
    kept(tmp_path, "two", seconds=1)
    kept(tmp_path, "one", seconds=1)
    (tmp_path / "other").mkdir()

    assert names(tmp_path) == ["two", "one"]
    assert names(tmp_path / "missing") == []
    assert names(tmp_path / "two" / FILE) == []


def test_deleting_takes_the_run_and_nothing_else(tmp_path: Path) -> None:
    """A directory with other files in it stays as it is, the run included."""
    kept(tmp_path, seconds=1)
    kept(tmp_path, "two", seconds=1)
    (tmp_path / "two" / "notes").write_text("mine")

    delete(tmp_path, "one")

    assert not (tmp_path / "one").exists()
    with pytest.raises(ConfigError, match="other files in its directory, notes"):
        delete(tmp_path, "two")
    assert {path.name for path in (tmp_path / "two").iterdir()} == {FILE, "notes"}
    with pytest.raises(ConfigError, match="there is no run one"):
        delete(tmp_path, "one")


def test_a_damaged_run_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / FILE).write_bytes(b"x")

    delete(tmp_path, "one")

    assert names(tmp_path) == []


def test_links_are_not_followed_to_delete(tmp_path: Path) -> None:
    kept(tmp_path / "runs", seconds=1)
    kept(tmp_path / "other", "real", seconds=1)
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "other" / "real")
    (tmp_path / "runs" / "two").mkdir()
    (tmp_path / "runs" / "two" / FILE).symlink_to(tmp_path / "other" / "real" / FILE)

    for name in ("link", "two"):
        with pytest.raises(ConfigError, match="link"):
            delete(tmp_path / "runs", name)
    assert (tmp_path / "other" / "real" / FILE).exists()


def test_a_run_that_is_being_written_is_not_deleted(tmp_path: Path) -> None:
    with RunWriter(tmp_path, "one", SCENE, created=""), pytest.raises(ConfigError, match="it is being written"):
        delete(tmp_path, "one")
    delete(tmp_path, "one")

    assert names(tmp_path) == []
