"""fair-scheduler.xml texts that the classes of Hadoop 2.7.2 and 3.4.1 were asked about.

Each line of a recorded file has a text, the exception it was refused with (or null) and, where it was accepted, the
queues that were there afterwards with their steady shares of one node of 102400 MB and 64 vcores, which follow from
weights, minimums, maximums and policies.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.control_plane.protocol import NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError
from engine.formats.fair_files import read_fair_scheduler
from engine.model.cluster import Cluster
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.queue_manager import QueueManager34
from engine.schedulers.fair34.settings import FairAllocation34, default_allocation_34

GOLDEN = Path(__file__).parents[2] / "cases" / "recorded"
RELEASES = {"2.7": "2.7.2", "3.4": "3.4.1"}


def recorded(era: str) -> list[dict[str, Any]]:
    text = (GOLDEN / f"fair-scheduler-files-{RELEASES[era]}.jsonl").read_text(encoding="utf-8")
    return [{"era": era, **json.loads(line)} for line in text.splitlines()]


def named(case: dict[str, Any]) -> str:
    return f"{case['era']}-{case['case']}"


CASES = [*recorded("2.7"), *recorded("3.4")]


@pytest.mark.parametrize("case", [case for case in CASES if case["refused"]], ids=named)
def test_refuses_what_hadoop_refuses(case: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        read_fair_scheduler(case["text"], file="f.xml", settings=case.get("settings", {}), era=case["era"])

    assert caught.value.kind == case["refused"]
    assert all(problem.file == "f.xml" and problem.line for problem in caught.value.problems)


@pytest.mark.parametrize("case", [case for case in recorded("2.7") if not case["refused"]], ids=named)
def test_accepts_what_hadoop_accepts_and_makes_its_queues(case: dict[str, Any]) -> None:
    """Queues and shares are those of the real scheduler after it had loaded the file."""
    settings = case.get("settings", {})
    loaded = read_fair_scheduler(case["text"], settings=settings)
    manager = ResourceManager(
        settings, loaded.allocation, scheduler="fair-2.7", groups={}, cluster_timestamp=1, now_ms=0
    )
    manager.handle(NodeJoined("n1:1", "/r1", 102400, 64), 0)
    assert isinstance(manager.scheduler.policy, FairScheduler27)

    queues = manager.scheduler.policy.tree.queues

    assert {path: [queue.steady_memory_mb, queue.steady_vcores] for path, queue in queues.items()} == case["queues"]


@pytest.mark.parametrize("case", [case for case in recorded("3.4") if not case["refused"]], ids=named)
def test_accepts_what_hadoop_3_accepts_and_makes_its_queues(case: dict[str, Any]) -> None:
    settings = case.get("settings", {})
    allocation = read_fair_scheduler(case["text"], settings=settings, era="3.4").allocation
    assert isinstance(allocation, FairAllocation34)
    cluster = Cluster(1)
    queues = QueueManager34(cluster, default_allocation_34(settings))
    queues.load(allocation, 0)

    cluster.add_node("n1", 1, "/r1", 102400, 64)
    queues.nodes_changed()

    shares = {path: [queue.steady_memory_mb, queue.steady_vcores] for path, queue in queues.tree.queues.items()}
    assert shares == case["queues"]
