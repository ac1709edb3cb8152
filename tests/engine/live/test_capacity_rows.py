"""Queues of CapacityScheduler's answer as rows, field by field."""

import json
from typing import Any

import msgspec
import pytest

from engine.live.yarn_answers import ApplicationInfo, SchedulerAnswer
from engine.live.yarn_queues import ClusterFacts, leaf_paths, queue_rows, queue_type
from engine.observe.snapshot import UNKNOWN, CapacityQueueRow, PartitionUse, QueueRow

TOTAL = (1000, 201)


def app(queue: str, state: str = "RUNNING", containers: int = 2, number: int = 1) -> ApplicationInfo:
    """An application in a queue."""
    return ApplicationInfo(
        id=f"application_1_{number}",
        user="ann",
        name="report",
        queue=queue,
        state=state,
        application_type="TEZ",
        started_time=0,
        finished_time=0,
        running_containers=containers,
    )


def rows_of(root: dict[str, Any], *applications: ApplicationInfo) -> list[CapacityQueueRow]:
    """The rows of an answer, by the capacity scheduler's type."""
    body = json.dumps({"type": "capacityScheduler", "queueName": "root", **root}).encode()
    answer = SchedulerAnswer("capacityScheduler", msgspec.Raw(body))
    found = queue_rows(answer, ClusterFacts(TOTAL, applications, {}))
    return [row for row in found if isinstance(row, CapacityQueueRow)]


def amount(memory: int, vcores: int) -> dict[str, int]:
    """As answers have an amount."""
    return {"memory": memory, "vCores": vcores}


def test_a_queue_of_2_7_has_its_part_of_the_cluster() -> None:
    """In percent, cut down to whole units; what that release does not say is unknown or none."""
    leaf = {
        "queueName": "a",
        "absoluteCapacity": 30.0,
        "absoluteMaxCapacity": 50.0,
        "usedCapacity": 150.0,
        "state": "STOPPED",
        "resourcesUsed": amount(400, 7),
    }
    found = rows_of({"queues": {"queue": leaf}}, app("a"), app("a", "ACCEPTED", -1, 2), app("a", "KILLED", 5, 3))

    assert found[1] == CapacityQueueRow(
        path="root.a",
        depth=1,
        is_leaf=True,
        policy="",
        used=(400, 7),
        max_share=(500, 100),
        reserved=UNKNOWN,
        applications_running=1,
        applications_pending=1,
        containers=2,
        guaranteed=(300, 60),
        used_capacity=1.5,
        state="STOPPED",
        user_limit=None,
        am_used=None,
        am_limit=None,
        partitions=(),
    )


def test_a_queue_of_3_x_has_what_it_says_of_the_default_partition() -> None:
    """Amounts as they are said, parts of one; of several users the largest limit; reservations of all partitions."""
    leaf = {
        "queueName": "a",
        "absoluteCapacity": 1.0,
        "absoluteMaxCapacity": 2.0,
        "orderingPolicyInfo": "fifo",
        "resourcesUsed": amount(40, 4),
        "usedAMResource": amount(10, 1),
        "AMResourceLimit": amount(20, 2),
        "capacities": {
            "queueCapacitiesByPartition": [
                {"partitionName": "gpu", "absoluteCapacity": 10.0, "absoluteMaxCapacity": 100.0},
                {
                    "absoluteCapacity": 25.0,
                    "absoluteMaxCapacity": 75.0,
                    "effectiveMinResource": amount(251, 51),
                    "effectiveMaxResource": amount(752, 152),
                },
            ]
        },
        "resources": {
            "resourceUsagesByPartition": [
                {"partitionName": "", "used": amount(30, 3), "reserved": amount(5, 1)},
                {"partitionName": "gpu", "used": amount(10, 1), "reserved": amount(6, 2)},
                {"partitionName": "fpga"},
            ]
        },
        "users": {
            "user": [{"userResourceLimit": amount(70, 7)}, {"userResourceLimit": amount(90, 1)}, {"username": "x"}]
        },
    }

    assert rows_of({"queues": {"queue": [leaf]}})[1] == CapacityQueueRow(
        path="root.a",
        depth=1,
        is_leaf=True,
        policy="fifo",
        used=(40, 4),
        max_share=(752, 152),
        reserved=(11, 3),
        applications_running=0,
        applications_pending=0,
        containers=0,
        guaranteed=(251, 51),
        used_capacity=0.0,
        state="RUNNING",
        user_limit=(90, 1),
        am_used=(10, 1),
        am_limit=(20, 2),
        partitions=(
            PartitionUse(label="", capacity=0.25, maximum=0.75, guaranteed=(251, 51), limit=(752, 152), used=(30, 3)),
            PartitionUse(label="gpu", capacity=0.1, maximum=1.0, guaranteed=(100, 20), limit=TOTAL, used=(10, 1)),
        ),
    )


def test_a_partition_that_nobody_uses_has_nothing_in_use() -> None:
    """Of a queue that has it."""
    capacities = {"queueCapacitiesByPartition": {"partitionName": "gpu"}}

    assert [each.used for each in rows_of({"capacities": capacities})[0].partitions] == [(0, 0)]


def test_a_parent_that_says_nothing_uses_what_its_children_use() -> None:
    """Not what theirs use once more; siblings come by name, and who is below counts for all above."""
    below = {"queue": [{"queueName": "x", "resourcesUsed": amount(4, 2)}, {"queueName": "w"}]}
    parts = [
        {"queueName": "b", "queues": below, "resourcesUsed": amount(5, 3)},
        {"queueName": "a", "resourcesUsed": amount(10, 1)},
    ]
    found = rows_of({"queues": {"queue": parts}}, app("x"), app("root.a", "ACCEPTED", 1))

    assert [(row.path, row.depth, row.is_leaf, row.used, row.containers) for row in found] == [
        ("root", 0, False, (15, 4), 3),
        ("root.a", 1, True, (10, 1), 1),
        ("root.b", 1, False, (5, 3), 2),
        ("root.b.w", 2, True, (0, 0), 0),
        ("root.b.x", 2, True, (4, 2), 2),
    ]
    assert [(row.applications_running, row.applications_pending) for row in found] == [
        (1, 1),
        (0, 1),
        (1, 0),
        (0, 0),
        (1, 0),
    ]
    assert leaf_paths(found) == {"a": "root.a", "w": "root.b.w", "x": "root.b.x"}


def test_a_queue_that_says_no_capacity_has_all() -> None:
    """As the root of 2.7."""
    found = rows_of({})[0]

    assert (found.guaranteed, found.max_share, found.is_leaf) == (TOTAL, TOTAL, True)


@pytest.mark.parametrize(
    ("kind", "row", "name"),
    [
        ("capacityScheduler", CapacityQueueRow, "CapacityScheduler"),
        ("fairScheduler", QueueRow, "FairScheduler"),
        ("", QueueRow, ""),
    ],
)
def test_each_scheduler_has_its_rows_and_its_name(kind: str, row: type[QueueRow], name: str) -> None:
    """The name is of Hadoop's class."""
    answer = SchedulerAnswer(kind, msgspec.Raw(b"{}"))

    assert (queue_type(answer), answer.name) == (row, name)


def test_a_scheduler_that_is_not_known_has_no_queues() -> None:
    """As one of a vendor."""
    answer = SchedulerAnswer("ownScheduler", msgspec.Raw(b"{}"))

    assert queue_rows(answer, ClusterFacts(TOTAL, [app("root.a")], {})) == []


def test_the_one_queue_of_fifo_has_all_that_lives() -> None:
    """The server says of it nothing that is in use; an amount of -1 is none."""
    running = msgspec.structs.replace(app("default"), allocated_mb=100, allocated_vcores=3)
    applications = [running, app("default", "ACCEPTED", -1, 2), app("default", "FINISHED", 9, 3)]
    answer = SchedulerAnswer("fifoScheduler", msgspec.Raw(b"{}"))

    assert queue_rows(answer, ClusterFacts(TOTAL, applications, {})) == [
        QueueRow(
            path="default",
            depth=0,
            is_leaf=True,
            policy="fifo",
            used=(100, 3),
            max_share=None,
            reserved=(0, 0),
            applications_running=1,
            applications_pending=1,
            containers=2,
        )
    ]
