"""Priorities by the workflow that an application's tags name."""

import pytest

from engine.control_plane.protocol import ApplicationSubmitted
from engine.schedulers.capacity34.queue import CapacityAttempt
from tests.build import START_MS, resource_manager

CAPACITY = "yarn.scheduler.capacity."
SETTINGS = {
    f"{CAPACITY}root.queues": "a",
    f"{CAPACITY}root.a.capacity": "100",
    f"{CAPACITY}root.a.queues": "b,c",
    f"{CAPACITY}root.a.b.capacity": "50",
    f"{CAPACITY}root.a.c.capacity": "50",
    f"{CAPACITY}workflow-priority-mappings-override.enable": "true",
    f"{CAPACITY}workflow-priority-mappings": "Nightly:root.a:3, nightly:root.a.b:7, huge:root.a:99, top:root:5",
    "yarn.cluster.max-application-priority": "9",
}


def _priority(queue: str, *tags: str, given: int | None = 1) -> int:
    rm = resource_manager("capacity-3.4", nodes=1, settings=SETTINGS)
    answer = rm.handle(ApplicationSubmitted("ann", queue, priority=given, tags=tags), START_MS)
    assert answer.application is not None, "it was taken"
    attempt = rm.cluster.applications[answer.application].attempt
    assert isinstance(attempt, CapacityAttempt), "of this scheduler"
    return attempt.priority


@pytest.mark.parametrize(
    ("queue", "tags", "priority"),
    [
        ("b", ("workflowid:nightly",), 7),
        ("c", ("workflowid:NIGHTLY",), 3),
        ("c", ("workflowid:huge",), 9),
        ("c", ("workflowid:top",), 1),
        ("c", ("nightly",), 1),
        ("c", ("workflowid:huge", "workflowid:other"), 1),
    ],
)
def test_the_nearest_queue_with_a_mapping_says_the_priority(queue: str, tags: tuple[str, ...], priority: int) -> None:
    """The root's mappings do not count, the cluster's maximum does, and of several tags the last one in order."""
    assert _priority(queue, *tags) == priority
