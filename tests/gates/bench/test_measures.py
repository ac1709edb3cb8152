"""The measurements that can be asked for by name."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.model.decision import Decision
from tests.gates.bench import traces
from tests.gates.bench.schedulers import control_plane
from tests.gates.bench.workload import Case, Draws, Player


def test_a_recorded_workload_that_is_not_there_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(traces.FILE, raising=False)
    monkeypatch.setenv(traces.FOLDER, "nowhere")

    found = traces.figures("swf")

    assert found.keys() == {"bench", "missing"}
    assert "nowhere/swf" in found["missing"]


def test_a_recorded_workload_is_played_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.swf"
    log.write_text("; MaxNodes: 1\n1 0 0 60 9 60 -1 9 60 -1 1 1 1 -1 1 -1 -1 -1\n")
    monkeypatch.setenv(traces.FILE, str(log))

    found = traces.figures("swf")

    assert (found["applications"], found["finished"], found["containers"]) == (1, 1, 3)


# The workload on which speed is measured decides what the real classes decided on it.


def unheard(_time_ms: int, _decisions: Sequence[Decision]) -> None:
    """A journal nobody reads."""


@pytest.mark.parametrize(
    "case",
    [
        Case("fair", "fair-2.7", 40, 30, 4, 10, 15, 1, 753439719),
        Case("fifo", "fifo", 40, 30, 4, 10, 15, 1, 109607405),
    ],
    ids=lambda case: case.name,
)
def test_a_small_case_gets_hadoops_check(case: Case) -> None:
    """Every container goes to the application and the node that Hadoop 2.7.2 chose, in its order."""
    played = Player(case, control_plane(case), unheard).play()

    assert (played.check, played.heartbeats) == (case.check, 600)


def test_draws_are_those_of_the_real_driver() -> None:
    """From 1, x = (1103515245 x + 12345) mod 2^31; a draw drops the lowest byte."""
    draws = Draws()

    assert [draws.below(1 << 23) for _ in range(3)] == [(1103527590 >> 8), (377401575 >> 8), (662824084 >> 8)]
