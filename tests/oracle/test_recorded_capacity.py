"""What a running ResourceManager 3.4.1 with CapacityScheduler did, event by event.

The recordings hold what reached the scheduler (heartbeats, calls of application masters, ticks of the preemption
monitor) in the order of its debug log, and what came of each; `poll` is an answer of /ws/v1/cluster/metrics.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.oracle.capacity_files import difference, made, verdict
from tests.oracle.capacity_replay import CapacityReplay
from tests.oracle.cases import read_cases
from tests.oracle.yarn_replay import Replay

Json = dict[str, Any]
RECORDED = Path(__file__).parents[1] / "cases" / "recorded" / "yarn-capacity-recorded-3.4.1.jsonl.gz"
CASES = {case["case"]: case for case in read_cases(RECORDED)}


class RecordedReplay(CapacityReplay):
    """One recording; what is marked or killed is told in the order of the class."""

    port = 45454

    def __init__(self, case: Json) -> None:
        self.cluster_timestamp = case["cluster_timestamp"]
        super().__init__(case)

    def step(self, op: Json, *, last: bool) -> Json:
        """Do one op; what it did, in the recording's keys."""
        if op["op"] == "poll":
            return self._metrics()
        told = Replay.step(self, op, last=last)
        found = {key: told[key] for key in ("warned", "killed", "pulled") if told.get(key)}
        for key, name in (("allocated", "container"), ("reserved", "app")):
            if told.get(key):
                found[key] = [[each[name], each["node"]] for each in told[key]]
        return found

    def _metrics(self) -> Json:
        """Of the default partition, as the root's metrics count them."""
        root = self.scheduler.tree.root
        share, reserved = root.share(""), root.metrics_reserved
        return {
            "used_mb": share.used[0] - reserved[0],
            "used_vcores": share.used[1] - reserved[1],
            "reserved_mb": reserved[0],
            "pending_mb": share.pending[0],
        }


@pytest.mark.parametrize("name", CASES)
def test_every_event_comes_to_what_it_came_to_in_the_real_one(name: str) -> None:
    """The same containers on the same nodes, the same reservations, marks and kills in the same order."""
    case = CASES[name]
    replay = RecordedReplay(case)

    ours = [replay.step(op, last=False) for op in case["ops"]]

    different = [index for index, told in enumerate(ours) if told != case["expect"][index]]
    assert different == []
    assert sum("allocated" in told for told in ours) > 50


def test_preemption_is_in_the_recordings() -> None:
    for case in CASES.values():
        assert {key for told in case["expect"] for key in told} >= {"warned", "killed", "reserved"}


# capacity-scheduler.xml files that the classes of Hadoop 2.7.2 and 3.4.1 were asked about.

ROOT = {"refused": None, "queues": {"root": {"parts": {"": ["1.0", "1.0"]}}}}
CAPACITY_FILES_RECORDED = Path(__file__).parents[1] / "cases" / "recorded" / "capacity-scheduler-files.jsonl.gz"


@pytest.mark.parametrize("era", ["2.7", "3.4"])
def test_files_are_accepted_and_refused_as_by_the_class(era: str) -> None:
    """With the class of the first exception, or with the queues and their absolute capacities."""
    cases = list(read_cases(CAPACITY_FILES_RECORDED))
    wrong = {case["case"]: difference(case[era], verdict(case["text"], era)) for case in cases}
    assert len(cases) > 300
    assert {name: each for name, each in wrong.items() if each} == {}


def test_the_same_seed_makes_the_same_files() -> None:
    assert list(made(20, 1)) == list(made(20, 1)) != list(made(20, 2))


@pytest.mark.parametrize(
    ("recorded", "ours", "expected"),
    [
        ({"refused": "IOException"}, {"refused": "IOException"}, ""),
        ({"refused": "IOException"}, {"refused": "Error"}, "refused with Error, not IOException"),
        ({"refused": "IOException"}, {"refused": None, "queues": {}}, "accepted, not IOException"),
        ({"refused": None, "queues": {}}, {"refused": "IOException"}, "refused with IOException"),
        (ROOT, {"refused": None, "queues": {}}, "queues ['root']"),
        (ROOT, {"refused": None, "queues": {"root": {"": (1.0, 0.9)}}}, "root : (1.0, 0.9), not [1.0, 1.0]"),
    ],
)  # fmt: skip
def test_a_difference_is_found(recorded: dict[str, object], ours: dict[str, object], expected: str) -> None:
    found = difference(recorded, ours)
    assert found.startswith(expected)
    assert bool(found) is bool(expected)
