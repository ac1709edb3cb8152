"""fair-scheduler.xml texts that Hadoop 2.7.2's own classes were asked about.

Each line of the recorded file has a text, the exception it was refused with (or null) and, where it was accepted, the
queues that were there afterwards with their steady shares of one node of 102400 MB and 64 vcores, which follow from
weights, minimums, maximums and policies.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.formats.fair_scheduler_elements import AllocationFileError
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.schedulers.fair.scheduler import FairScheduler

RECORDED = Path(__file__).parents[2] / "golden" / "fair-scheduler-files-2.7.2.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", [case for case in CASES if case["refused"]], ids=lambda case: case["case"])
def test_refuses_what_hadoop_refuses(case: dict[str, Any]) -> None:
    """The exception is the one Hadoop stopped with."""
    with pytest.raises(AllocationFileError) as caught:
        read_fair_scheduler(case["text"], file="f.xml", settings=case.get("settings", {}))

    assert caught.value.kind == case["refused"]
    assert all(problem.file == "f.xml" and problem.line for problem in caught.value.problems)


@pytest.mark.parametrize("case", [case for case in CASES if not case["refused"]], ids=lambda case: case["case"])
def test_accepts_what_hadoop_accepts_and_makes_its_queues(case: dict[str, Any]) -> None:
    """Queues and shares are those of the real scheduler after it had loaded the file."""
    settings = case.get("settings", {})
    loaded = read_fair_scheduler(case["text"], settings=settings)
    manager = ResourceManager(
        settings, loaded.allocation, scheduler="fair-2.7", groups={}, cluster_timestamp=1, now_ms=0
    )
    manager.handle(NodeJoined("n1:1", "/r1", 102400, 64), 0)
    assert isinstance(manager.scheduler, FairScheduler)

    queues = manager.scheduler.tree.queues

    assert {path: [queue.steady_memory_mb, queue.steady_vcores] for path, queue in queues.items()} == case["queues"]
