"""The directory of kept runs: which there are, and what is deleted."""

import os
import stat
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.observe.journal import Fingerprint
from engine.run.run_file import FILE
from engine.run.run_reader import KeptRun, repair, replayed
from engine.run.run_store import delete, directory, names
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.run_export import replay
from tests.engine.run.test_run_reader import SCENE, kept, lines, write
from tests.small_disk import small_disk


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "é", "x" * 65, "a\n"])
def test_names_stay_inside_the_directory(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot name a run"):
        directory(tmp_path, name)


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


def test_a_run_that_is_being_written_is_not_deleted(tmp_path: Path) -> None:
    with RunWriter(tmp_path, "one", SCENE, created=""), pytest.raises(ConfigError, match="it is being written"):
        delete(tmp_path, "one")
    delete(tmp_path, "one")

    assert names(tmp_path) == []


# Repairing a damaged run: what was good is kept, the run says why it ends there.


def test_what_is_before_the_damage_is_kept(tmp_path: Path) -> None:
    """The run is read and replayed again up to there; the rest is gone."""
    kept(tmp_path)
    good = lines(tmp_path)
    number = len(good) // 2
    write(tmp_path, [*good[:number], b"x" + good[number][1:], *good[number + 1 :]])

    done = repair(tmp_path, "one")

    assert (done.damaged_line, done.cut_bytes) == (number + 1, sum(map(len, good[number:])))
    assert lines(tmp_path)[:-1] == good[:number]
    with KeptRun(tmp_path, "one") as run:
        assert (run.info.records, len(list(run.journal()))) == (done.records, done.records)
        assert (run.info.is_whole, run.info.failure) == (False, f"line {number + 1:,} was damaged")
        assert run.hash_until(run.info.until_ms) == run.info.journal_hash
        assert replayed(run, run.info.until_ms).now_ms == run.info.until_ms
    assert repair(tmp_path, "one").damaged_line == 0


# Writing a run: for its user only, under a name of its own, and no longer when the disk does not take it.


def size(root: Path) -> int:
    return (root / "one" / FILE).stat().st_size


def test_a_run_is_for_its_user_only(tmp_path: Path) -> None:
    """The file and its directory, and the directory of all runs where it is made."""
    kept(tmp_path / "runs", seconds=1)
    paths = [tmp_path / "runs", tmp_path / "runs" / "one", tmp_path / "runs" / "one" / FILE]

    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o700, 0o700, 0o600]


def test_a_place_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match="cannot be made"):
        RunWriter(tmp_path / "file", "one", SCENE, created="")


@pytest.mark.parametrize("left", [0, 1, 100, 511, 4000])
def test_a_full_disk_ends_the_keeping_and_marks_the_run(tmp_path: Path, left: int) -> None:
    """The run goes on; what was written before is an exact prefix, and the run says why it ends there."""
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        simulation = build_simulation(SCENE, [keeper])
        with small_disk(size(tmp_path) + left):
            simulation.run_until(SCENE.start_ms + 120_000)
        simulation.act(SetPreemption(on=True))
        keeper.sync()
        keeper.finish(simulation.now_ms)

    assert keeper.trouble == "the run one is no longer kept: file too large"
    with KeptRun(tmp_path, "one") as run:
        again = Fingerprint()
        replay(run.scenario(), run.acts(), run.info.until_ms, [again])
        assert (run.info.is_whole, run.info.failure) == (False, "file too large")
        assert 0 <= run.info.records == len(list(run.journal())) <= again.lines
        assert run.hash_until(run.info.until_ms) == run.info.journal_hash


def test_an_act_is_on_disk_when_somebody_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system is asked to write the file out; where it cannot, the keeping ends."""
    asked: list[int] = []
    monkeypatch.setattr(os, "fdatasync", asked.append)
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        keeper.sync()

    def fail(handle: int) -> None:
        raise OSError(5, os.strerror(5))

    assert len(asked) == 1
    monkeypatch.setattr(os, "fdatasync", fail)
    with RunWriter(tmp_path, "two", SCENE, created="") as keeper:
        keeper.sync()
        assert keeper.failure == "input/output error"


def test_a_branch_on_a_full_disk_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        simulation = build_simulation(SCENE, [keeper])
        simulation.run_until(SCENE.start_ms + 60_000)
        with small_disk(size(tmp_path) - 1000), pytest.raises(ConfigError, match="cannot be kept"):
            keeper.branch(simulation.now_ms, created="")
        keeper.finish(simulation.now_ms)

    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    with KeptRun(tmp_path, "one") as run:
        assert run.info.is_whole
