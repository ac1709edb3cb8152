"""An instant of a kept run, rebuilt and checked against what was kept."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.run.run_reader import KeptRun, replayed
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from tests.engine.run.test_run_reader import lines, sealed, write
from tests.engine.simulation.scenes import BUSY, Log, scenario

SCENE = scenario(BUSY, count=6)
START_MS = SCENE.start_ms


def keep(root: Path, *, is_whole: bool = True) -> Log:
    """Keep a run of a minute and a half with one action; its log."""
    log = Log()
    with RunWriter(root, "one", SCENE, created="") as keeper:
        simulation = build_simulation(SCENE, [keeper, log])
        simulation.run_until(START_MS + 60_000)
        simulation.act(SetPreemption(on=True))
        simulation.run_until(START_MS + 90_000)
        if is_whole:
            keeper.finish(simulation.now_ms)
    return log


def test_an_instant_is_what_it_was(tmp_path: Path) -> None:
    """With the actions that had come by then, and listeners are told everything once more."""
    log, again = keep(tmp_path), Log()

    with KeptRun(tmp_path, "one") as run:
        early, late = replayed(run, START_MS + 30_000), replayed(run, START_MS + 90_000, [again])

    assert (early.now_ms, len(early.acts), len(late.acts)) == (START_MS + 30_000, 0, 1)
    assert again.journal == log.journal


def test_a_run_that_was_cut_off_is_rebuilt_to_its_end(tmp_path: Path) -> None:
    keep(tmp_path, is_whole=False)

    with KeptRun(tmp_path, "one") as run:
        assert replayed(run, run.info.until_ms).now_ms == run.info.until_ms


def test_a_journal_that_differs_is_refused(tmp_path: Path) -> None:
    keep(tmp_path)
    first, *rest = (line[:-18] for line in lines(tmp_path))
    write(tmp_path, sealed([first, *rest[:8], rest[8].replace(b"[1", b"[2"), *rest[9:-1]]))

    with KeptRun(tmp_path, "one") as run, pytest.raises(ConfigError, match="does not replay run one"):
        replayed(run, START_MS + 80_000)
