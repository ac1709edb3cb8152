"""Repairing a damaged run: what was good is kept, the run says why it ends there."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.run.run_file import FILE
from engine.run.run_reader import KeptRun, repair, replayed
from engine.run.run_writer import RunWriter
from tests.engine.run.test_run_reader import SCENE, kept, lines, write


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


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_good_run_is_left_as_it_is(tmp_path: Path, is_whole: bool) -> None:
    kept(tmp_path)
    if not is_whole:
        write(tmp_path, [*lines(tmp_path)[:9], b'[1,{"ki'])
    before = (tmp_path / "one" / FILE).read_bytes()

    assert repair(tmp_path, "one").damaged_line == 0
    assert (tmp_path / "one" / FILE).read_bytes() == before


def test_without_its_first_line_nothing_is_kept(tmp_path: Path) -> None:
    kept(tmp_path, seconds=1)
    first, *rest = lines(tmp_path)
    write(tmp_path, [first.replace(b'"title"', b'"tilte"'), *rest])
    before = (tmp_path / "one" / FILE).read_bytes()

    with pytest.raises(ConfigError, match=r"line 1 is damaged; nothing of it can be kept.*runs delete one"):
        repair(tmp_path, "one")
    assert (tmp_path / "one" / FILE).read_bytes() == before


def test_a_run_that_is_being_written_is_not_repaired(tmp_path: Path) -> None:
    with RunWriter(tmp_path, "one", SCENE, created=""), pytest.raises(ConfigError, match="it is being written"):
        repair(tmp_path, "one")
