"""The journal on disk: written line by line."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from engine.errors import ConfigError, OutputError
from engine.observe.journal import JournalHeader, JournalWriter, header_of
from engine.simulation.build import build_simulation
from engine.simulation.records import AskChanged, Record
from tests import PATIENCE_S
from tests.engine.simulation.scenes import BUSY, Log, scenario

ASKED = AskChanged(1, 20, 1024, 1, 5)
_LINE: msgspec.json.Decoder[tuple[int, Record]] = msgspec.json.Decoder(tuple[int, Record])


def written(path: Path) -> Log:
    """Write a minute of a busy scenario; the same records as remembered by a listener."""
    scene, log = scenario(BUSY, count=6), Log()
    with JournalWriter.to_file(path, scene) as writer:
        simulation = build_simulation(scene, [log, writer])
        simulation.run_until(scene.start_ms + 60_000)
    return log


def records(path: Path) -> list[tuple[int, Record]]:
    return [_LINE.decode(line) for line in path.read_bytes().splitlines()[1:]]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    log = written(tmp_path / "run.jsonl")

    header, *lines = (tmp_path / "run.jsonl").read_bytes().splitlines()

    assert msgspec.json.decode(header, type=JournalHeader) == header_of(scenario(BUSY, count=6))
    assert [_LINE.decode(line) for line in lines] == log.entries


def test_every_instant_is_on_disk_at_once(tmp_path: Path) -> None:
    scene = scenario()
    writer = JournalWriter.to_file(tmp_path / "run.jsonl", scene)

    writer.on_records(scene.start_ms, [ASKED])

    assert records(tmp_path / "run.jsonl") == [(scene.start_ms, ASKED)]
    writer.close()


def test_a_killed_program_leaves_a_readable_journal(tmp_path: Path) -> None:
    """After kill -9 in the middle of a run every complete line is there."""
    path = tmp_path / "run.jsonl"
    code = (
        "import sys; from pathlib import Path; from engine.observe.journal import JournalWriter;"
        "from engine.simulation.build import build_simulation; from tests.engine.simulation.scenes import *;"
        "scene = scenario(BUSY, count=6); writer = JournalWriter.to_file(Path(sys.argv[1]), scene);"
        "simulation = build_simulation(scene, [writer]);"
        "[simulation.run_until(scene.start_ms + second * 1000) for second in range(10**9)]"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)]) as process:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and (not path.exists() or path.stat().st_size < 20_000):
            os.sched_yield()
        process.send_signal(signal.SIGKILL)

    header, *lines = path.read_bytes().split(b"\n")[:-1]

    assert msgspec.json.decode(header, type=JournalHeader) == header_of(scenario(BUSY, count=6))
    assert len([_LINE.decode(line) for line in lines]) > 100


def test_a_full_disk_is_a_problem() -> None:
    with pytest.raises(OutputError, match="cannot be written: no space left"):
        JournalWriter.to_file(Path("/dev/full"), scenario())


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    """Neither a file nor a link, wherever it leads; nothing is left beside it."""
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.write_text("mine")
    link.symlink_to(kept)

    for path in (kept, link):
        with pytest.raises(ConfigError, match="is there already"):
            JournalWriter.to_file(path, scenario())

    assert (kept.read_text(), sorted(tmp_path.iterdir())) == ("mine", [kept, link])


def test_a_forced_journal_keeps_a_link_and_replaces_what_it_leads_to(tmp_path: Path) -> None:
    """The name is taken with the first records; until then everything is as it was."""
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.write_text("mine")
    link.symlink_to(kept)

    with JournalWriter.to_file(link, scenario(), force=True) as writer:
        assert link.is_symlink()
        writer.on_records(5, [ASKED])

    assert (kept.read_text().startswith('{"kind":"Header"'), link.is_symlink()) == (True, True)
    assert records(link) == [(5, ASKED)]
