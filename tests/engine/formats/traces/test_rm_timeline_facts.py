"""What the timeline of a ResourceManager says of its cluster: its policy, its restarts, what stands at an instant."""

import pytest

from engine.formats.traces.application import TraceTasks
from engine.formats.traces.resource_manager_log import (
    AT_ONCE,
    FIRST_NAMED,
    UNTIL_END,
    read_rm_logs,
)
from engine.formats.traces.rm_log_lines import container_id, number_of
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LoggedCluster,
    LoggedRestart,
    LogReservation,
    ResourceManagerTimeline,
    logged_cluster,
)
from engine.formats.traces.rules import MappingRules
from tests.engine.formats.traces.samples import source
from tests.engine.formats.traces.test_rm_timeline import APP, MASTER, WORKER, second, text


def timeline(**more: object) -> ResourceManagerTimeline:
    """A timeline of this alone."""
    return ResourceManagerTimeline(**more)  # type: ignore[arg-type]  # a test names what it says


@pytest.mark.parametrize(
    ("scheduler", "version", "policy", "named"),
    [
        ("FairScheduler", "2.7.2", "fair-2.7", "FairScheduler 2.7.2"),
        ("FairScheduler", "3.x", "fair-3.4", "FairScheduler 3.x"),
        ("CapacityScheduler", "", "capacity-2.7", "CapacityScheduler"),
        ("FifoScheduler", "10.1", "fifo-3.4", "FifoScheduler 10.1"),
        ("Own", "3.1", "", "Own 3.1"),
        ("", "", "", ""),
    ],
)
def test_a_logged_cluster_has_the_policy_of_its_release(scheduler: str, version: str, policy: str, named: str) -> None:
    """From 3 on that of 3.4."""
    assert logged_cluster(timeline(scheduler=scheduler, version=version)) == LoggedCluster(policy=policy, named=named)


@pytest.mark.parametrize(
    ("starts", "stops", "restarts"),
    [
        ([10_000], [], []),
        ([10_000, 50_000], [40_000], [(40_000, 10_000)]),
        ([10_000, 50_000], [30_000, 40_000], [(40_000, 10_000)]),
        ([10_000, 50_000], [], [(45_000, 5_000)]),
        ([47_000, 50_000], [], [(47_000, 3_000)]),
        ([10_000, 50_000], [10_000, 50_000], [(45_000, 5_000)]),
        ([1_000, 5_000, 9_000], [4_000, 8_000], [(8_000, 1_000)]),
        ([1_000, 5_001], [4_001], [(4_001, 1_000)]),
        ([1_000, 5_001], [4_000], []),
    ],
)
def test_restarts_are_those_that_an_application_saw(
    starts: list[int], stops: list[int], restarts: list[tuple[int, int]]
) -> None:
    """It was submitted at 4 s; where no stop is said, five seconds before the start."""
    one = LogApplication(APP, 9_999, submitted_ms=4_000)
    found = logged_cluster(timeline(starts_ms=starts, stops_ms=stops, applications={APP: one}, recovers=True))

    assert found.restarts == tuple(LoggedRestart(*each) for each in restarts)
    assert found.settings == (
        {
            "yarn.resourcemanager.recovery.enabled": "true",
            "yarn.resourcemanager.work-preserving-recovery.enabled": "false",
        }
        if restarts
        else {}
    )


def test_a_fair_scheduler_with_a_default_queue_has_no_queues_of_users() -> None:
    """As its applications show."""
    one = LogApplication(APP, 0, queue="root.default")

    for scheduler, settings in (("FairScheduler", {"yarn.scheduler.fair.user-as-default-queue": "false"}), ("Own", {})):
        assert logged_cluster(timeline(scheduler=scheduler, applications={APP: one})).settings == settings


def test_what_stands_at_an_instant_began_and_has_not_ended() -> None:
    """Containers and reservations."""
    containers = {str(at): LogContainer(str(at), APP, at, ended_ms=end) for at, end in ((10, 20), (20, None))}
    held = [LogReservation(APP, "n", at, end) for at, end in ((10, 20), (20, None))]
    found = timeline(containers=containers, reservations=held)

    assert {ms: [each.id for each in found.running_at(ms)] for ms in (9, 10, 19, 20)} == {
        9: [],
        10: ["10"],
        19: ["10"],
        20: ["20"],
    }
    assert {ms: [each.since_ms for each in found.reserved_at(ms)] for ms in (9, 19, 20)} == {9: [], 19: [10], 20: [20]}


def test_an_application_of_a_log_runs_the_containers_it_names() -> None:
    """By their sizes; what has not ended runs to the end of the log."""
    messages = [
        f"scheduler.SchedulerNode: Assigned container {MASTER} of capacity <memory:5, vCores:1> on host n1:1,",
        f"scheduler.SchedulerNode: Assigned container {WORKER} of capacity <memory:8, vCores:2> on host n1:1,",
        f"RMAuditLogger: USER=x\tOPERATION=AM Allocated Container\tCONTAINERID={WORKER[:-1]}3",
        f"scheduler.SchedulerNode: Released container {WORKER} of capacity <memory:8, vCores:2> on host n1:1",
        "ResourceManager: x",
    ]
    rules = MappingRules()
    (found,) = read_rm_logs([source(text(*messages))], rules)

    assert found.tasks == (
        TraceTasks("container", 1, (2_000,), 8, 2),
        TraceTasks("container", 1, (2_000,)),
    )
    assert (found.master, found.submitted_ms, found.name, found.finished_ms) == ((5, 1), second(0), APP, None)
    assert found.inferred == {
        "arrival": FIRST_NAMED,
        "containers": AT_ONCE,
        "duration": UNTIL_END,
        "memory and vcores": rules.size_rule,
    }


@pytest.mark.parametrize(
    ("container", "numbers"),
    [
        ("container_17_0003_01_000002", (3, 1, 2)),
        ("container_e08_17_0003_02_000002", (3, 2, 2)),
        ("container_17_0003_01", (0, 0, 0)),
        ("", (0, 0, 0)),
    ],
)
def test_a_container_has_its_numbers(container: str, numbers: tuple[int, int, int]) -> None:
    """Of its application, its attempt and its own."""
    assert (container_id(container), number_of(container)) == (numbers, numbers[2])
