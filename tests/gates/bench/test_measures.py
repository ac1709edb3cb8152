"""The measurements that can be asked for by name."""

from pathlib import Path

import pytest

from tests.gates.bench import traces


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
