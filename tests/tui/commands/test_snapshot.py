"""`schedlab get` of a state: transcripts, and what holds for every one."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.explain.alert import Alert
from engine.observe.snapshot import UNKNOWN
from tests import PATIENCE_S
from tests.invoke import said
from tests.stored import golden
from tests.tui import fakes
from tests.tui.screen_text import transcript
from tests.tui.test_cli import SMALL
from tui.report.snapshot_text import SnapshotText, text_lines

LINES = """
schedlab get small.toml --at 09:00:10
schedlab get small.toml apps --at 09:00:29.999 -o csv
schedlab get small.toml apps --at 09:00:30 -o csv
schedlab get small.toml state -o json
schedlab get small.toml nodes --at +10s -o json --set 'script=[{do="drain", at="09:00:05", node="n1"}]'
schedlab get small.toml apps state:KILLED user:u
schedlab get small.toml apps sate:KILLED
schedlab get small.toml apps u --at +10s
schedlab get small.toml nodes n1 --at +10s -o csv
schedlab get small.toml executors u --at +10s
schedlab get mr1-slots-of-the-wrong-kind users ann --at +30s
schedlab get mr1-slots-of-the-wrong-kind queues --at +1m10s --set workload.index.at=+1s
schedlab get mr1-slots-of-the-wrong-kind apps --at 80 --set workload.0.maps=48 --set workload.0.hangs=0.3 \
--set workload.0.task_timeout=30s --set workload.index.reduces=48 --set workload.index.at=2 --set workload.report.at=5
schedlab why mr1-slots-of-the-wrong-kind search --at 40 --set workload.index.at=1 --set workload.crawl.at=60
schedlab why mr1-slots-of-the-wrong-kind default --at 40 --set workload.index.at=1
schedlab why mr1-job-tracker-restart 1 --at 09:00:29 --set faults.0.at=10 --set workload.0.maps=48
schedlab get pattern-user-limit queues --at +13s
schedlab get reservation-deadlock containers state:RESERVED --at 09:10
schedlab get spark-packing nodes --at +10s
schedlab get three-schedulers-fifo queues --at +1m30s
schedlab play spark-packing -q
schedlab get spark-no-worker-large-enough nodes --at +5m
schedlab get spark-locality executors --at +3s -o csv
schedlab get reservation-deadlock queues --at 09:10
schedlab get node-labels-capacity --at +1m30s
schedlab get reservation-deadlock users --at 09:10 -o json
schedlab get reservation-deadlock alerts frozen --at 09:10
schedlab get reservation-deadlock alerts outage --at 09:10
""".strip().splitlines()


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL, encoding="utf-8")


def test_each_line_says_what_is_stored() -> None:
    told, stored = transcript("get", LINES)

    assert told == stored
    assert all(text.isascii() for line, text in told.items() if "json" not in line)


@pytest.mark.parametrize("more", [{}, {"nodes_down": 1}, {"containers_pending": UNKNOWN}, {"nodes_reserved": UNKNOWN}])
def test_what_a_cluster_does_not_tell_is_left_out_and_nothing_obeys_a_terminal(more: dict[str, Any]) -> None:
    """Counts, alerts and notes above the tables; a section without rows is its name."""
    alert = Alert("stuck", 5, 9, "blocked:\x07 2 waits", "blocked", "queue limit", (2, 3))
    picture = fakes.frozen_cluster(**more).having(users=())
    said = "\n".join(text_lines(SnapshotText("scene", 0, picture, ["users"], [alert], ["made\x07 up"])))

    assert said == golden(f"commands/snapshot-head-{'-'.join([*more, 'is'])}", said)


def test_a_kept_run_is_shown_as_its_scenario() -> None:
    assert said("", ["play", "-q", "small.toml", "--keep", "monday", "-c", "runs_folder=runs"]).exit_code == 0
    for at in ((), ("--at", "09:00:10")):
        shown = [
            said("", ["get", words[0], "state", *words[1:], *at, "-o", "json"]).stdout
            for words in (("monday", "-c", "runs_folder=runs"), ("small.toml",))
        ]
        assert json.loads(shown[0])["nodes"] == json.loads(shown[1])["nodes"]


def test_a_signal_ends_it_without_half_a_document() -> None:
    """The exit code says which; nothing is on stdout, and in a pipe nothing on stderr. A livelock never rests."""
    words = ["get", "preemption-livelock-capacity", "state", "-o", "json", "--set", "duration=4000h"]
    command = [sys.executable, "-m", "tui.cli.cli", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not _takes_signals(process.pid):
        os.sched_yield()
    process.send_signal(signal.SIGTERM)
    output, complaints = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, output, complaints) == (143, "", "")


def _takes_signals(pid: int) -> bool:
    """Whether the process has taken SIGTERM into its own hands, as Linux tells."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)
