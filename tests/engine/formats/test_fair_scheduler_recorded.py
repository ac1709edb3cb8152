"""fair-scheduler.xml texts that Hadoop 2.7.2's own classes were asked about.

Each line of the recorded file has a text, the exception it was refused with (or null) and, where it was accepted, the
queues that were there afterwards.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.formats.fair_scheduler_elements import AllocationFileError
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.model.cluster import Cluster
from engine.schedulers.fair.allocation import default_allocation
from engine.schedulers.fair.tree import QueueTree

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
    """The queues are those that were there after the real scheduler had loaded the file."""
    settings = case.get("settings", {})
    tree = QueueTree(Cluster(1), default_allocation(settings), 0)

    tree.load(read_fair_scheduler(case["text"], settings=settings).allocation, 0)

    assert sorted(tree.queues) == case["queues"]
