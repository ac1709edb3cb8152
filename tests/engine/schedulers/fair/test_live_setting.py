"""Settings that change while the scheduler runs."""

import pytest

from engine.control_plane.protocol import SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.schedulers.fair.schedulable import FairQueue
from engine.schedulers.fair27.scheduler import FairScheduler27
from tests.build import START_MS, resource_manager

QUEUES = '<queue name="a"/><queue name="b"/>'


def _queue(rm: ResourceManager, path: str) -> FairQueue:
    assert isinstance(rm.scheduler.policy, FairScheduler27)
    return rm.scheduler.policy.tree.queues[path]


@pytest.mark.parametrize(
    ("element", "text", "slot", "value"),
    [
        ("weight", "2.5", "weight", 2.5),
        ("minResources", "4096 mb, 4 vcores", "min_memory_mb", 4096),
        ("maxResources", "2048 MB,1 vcores", "max_vcores", 1),
        ("maxRunningApps", "3", "max_apps", 3),
        ("maxAMShare", "0.25", "max_am_share", 0.25),
        ("minSharePreemptionTimeout", "7", "min_share_timeout_ms", 7000),
        ("fairSharePreemptionTimeout", "9", "fair_share_timeout_ms", 9000),
        ("fairSharePreemptionThreshold", "0.75", "threshold", 0.75),
    ],
)
def test_a_queue_takes_a_new_value(element: str, text: str, slot: str, value: float) -> None:
    rm = resource_manager(queues=QUEUES)
    before = getattr(_queue(rm, "root.b"), slot)

    answer = rm.handle(SettingsChanged({f"queue.root.a.{element}": text}), START_MS)

    assert not answer.rejected
    assert getattr(_queue(rm, "root.a"), slot) == value
    assert getattr(_queue(rm, "root.b"), slot) == before


@pytest.mark.parametrize(
    "values",
    [
        {"preemption": "maybe"},
        {"reservation.rule": "now and then"},
        {"reservation.ratio": "half"},
        {"speed": "11"},
        {"queue.root.nowhere.weight": "1"},
        {"queue.root.a.colour": "red"},
        {"queue.root.a.weight": "heavy"},
        {"queue.root.a.maxResources": "lots"},
    ],
)
def test_what_cannot_be_set_is_refused_and_nothing_changes(values: dict[str, str]) -> None:
    rm = resource_manager(queues=QUEUES)

    answer = rm.handle(SettingsChanged({"preemption": "true", "queue.root.b.weight": "9", **values}), START_MS)

    assert answer.rejected == "IllegalArgumentException"
    assert isinstance(rm.scheduler.policy, FairScheduler27)
    assert not rm.scheduler.policy.settings.preemption
    assert _queue(rm, "root.b").weight == 1.0


def test_a_copy_keeps_its_own_settings() -> None:
    rm = resource_manager(queues=QUEUES)
    fork = forked(rm)

    fork.handle(SettingsChanged({"preemption": "true", "queue.root.a.weight": "4"}), START_MS)

    assert isinstance(rm.scheduler.policy, FairScheduler27)
    assert not rm.scheduler.policy.settings.preemption
    assert (_queue(rm, "root.a").weight, _queue(fork, "root.a").weight) == (1.0, 4.0)
