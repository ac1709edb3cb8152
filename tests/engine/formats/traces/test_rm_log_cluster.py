"""The cluster of a ResourceManager's log: scheduler, release, settings, sizes of nodes, restarts."""

from datetime import timedelta

import pytest

from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.run import Run
from engine.scenario import Scenario
from tests.engine.formats.traces.samples import imported

RM = "INFO org.apache.hadoop.yarn.server.resourcemanager"
USING = "ResourceManager: Using Scheduler: org.apache.hadoop.yarn.server.resourcemanager.scheduler"
ACTIVE = "ResourceManager: Transitioning to active state"
FAIR = "scheduler.fair.FairScheduler"
RELEASE = "STARTUP_MSG:   version = "


def line(second: int, words: str) -> str:
    """A line of the log, so many seconds after nine."""
    return f"2017-11-11 09:{second // 60:02d}:{second % 60:02d},000 {RM}.{words}"


def submitted(second: int, queue: str = "root.etl") -> tuple[str, ...]:
    """The lines of an application that was submitted, and has a master and a worker."""
    container = "container_17_0003_01_00000"
    return (
        line(second, "rmapp.RMAppImpl: application_17_0003 State change from NEW to NEW_SAVING"),
        line(second, f"{FAIR}: Accepted application application_17_0003 from user: ann, in queue: {queue}, now"),
        *(
            line(
                second + number,
                f"scheduler.SchedulerNode: Assigned container {container}{number} of capacity <memory:{1024 * number},"
                f" vCores:1> on host n{number}:1, which has 1 containers, <memory:{1024 * number}, vCores:1> used and"
                f" <memory:{20_480 - 1024 * number}, vCores:7> available after allocation",
            )
            for number in (1, 2)
        ),
        line(
            second + 200, f"rmcontainer.RMContainerImpl: {container}2 Container Transitioned from RUNNING to COMPLETED"
        ),
    )


def scenario(*lines: str, policy: str = "") -> tuple[Scenario, ImportReport]:
    applications, report = imported("\n".join(lines))
    return imported_scenario(applications, report, ClusterChoice(policy=policy)), report


@pytest.mark.parametrize(
    ("release", "name", "policy"),
    [
        ("2.6.5", "capacity.CapacityScheduler", "capacity-2.7"),
        ("3.1.1", "capacity.CapacityScheduler", "capacity-3.4"),
        ("2.9.2", "fair.FairScheduler", "fair-2.7"),
        ("3.0.0", "fifo.FifoScheduler", "fifo-3.4"),
    ],
)
def test_the_scheduler_and_its_release_are_those_of_the_log(release: str, name: str, policy: str) -> None:
    """A release that is not simulated is played as the nearest of its major version."""
    found, report = scenario(RELEASE + release, line(0, f"{USING}.{name}"), *submitted(10))

    assert found.scheduler == policy
    assert any(policy in note and name.partition(".")[2] in note and release in note for note in report.notes)


def test_a_log_without_a_start_shows_its_scheduler_by_who_writes() -> None:
    assert scenario(*submitted(10))[0].scheduler == "fair-2.7"
    assert scenario(line(0, "scheduler.ResourceUtils: no"), *submitted(10))[0].scheduler == "fair-3.4"


@pytest.mark.parametrize(("said", "release"), [((), "3.1.1"), ((RELEASE + "2.6.5",), "2.6.5")])
def test_a_release_that_no_line_says_is_that_of_the_resource_managers_jar(said: tuple[str, ...], release: str) -> None:
    """In the class path that is printed at a start; what a line says comes first."""
    jars = "/opt/share/yarn/hadoop-yarn-api-2.0.jar:/opt/share/yarn/hadoop-yarn-server-resourcemanager-3.1.1.jar:/etc"
    started = (*said, f"STARTUP_MSG:   classpath = /etc/hadoop:{jars}", line(0, f"{USING}.fair.FairScheduler"))

    assert any(f"FairScheduler {release}" in note for note in scenario(*started, *submitted(10))[1].notes)


def test_a_scheduler_that_the_user_chooses_is_told_apart_from_the_logs() -> None:
    printed = line(
        1,
        "scheduler.capacity.CapacityScheduler: Initialized CapacityScheduler with calculator=class org.a.Dominant,"
        " minimumAllocation=<<memory:512, vCores:1>>, maximumAllocation=<<memory:4096, vCores:6>>, asynchronous",
    )
    lines = (line(0, f"{USING}.capacity.CapacityScheduler"), printed, *submitted(10))
    own, _ = scenario(*lines)
    other, report = scenario(*lines, policy="fair-2.7")

    assert own.scheduler == "capacity-2.7"
    assert own.settings["yarn.scheduler.capacity.resource-calculator"] == "org.a.Dominant"
    assert own.settings["yarn.scheduler.maximum-allocation-mb"] == "4096"
    assert other.settings == {key: value for key, value in own.settings.items() if ".capacity." not in key}
    assert "scheduler fair-2.7, as --policy says; the log names CapacityScheduler" in report.notes


def test_a_node_that_no_line_registers_has_what_is_used_and_what_is_left() -> None:
    silent = line(90, "rmnode.RMNodeImpl: n9:1 Node Transitioned from NEW to RUNNING")
    found, report = scenario(*submitted(10), silent)

    assert [(node.host, node.memory_mb, node.vcores) for node in found.cluster.nodes] == [
        ("n1", 20_480, 8),
        ("n2", 20_480, 8),
        ("n9", 20_480, 8),
    ]
    assert "nodes of unknown size have 20480 MB and 8 vcores, as 2 others" in report.notes


def test_restarts_of_the_resource_manager_are_those_of_the_log() -> None:
    found, report = scenario(
        line(0, ACTIVE),
        line(20, "ResourceManager: SHUTDOWN_MSG: "),
        line(25, ACTIVE),
        *submitted(60),
        line(100, "ResourceManager: Transitioning to standby state"),
        line(107, ACTIVE),
        line(107, "ResourceManager: Recovery started"),
        line(190, ACTIVE),
    )

    assert [(act.do, act.at_ms) for act in found.script] == [("rm_restart", 40_000), ("rm_restart", 125_000)]
    assert found.settings["yarn.resourcemanager.recovery.enabled"] == "true"
    assert found.settings["yarn.resourcemanager.work-preserving-recovery.enabled"] == "false"
    assert "the ResourceManager restarts 2 times, as in the log" in report.notes
    assert found.start + timedelta(seconds=40) == found.start.replace(minute=1, second=40)


def test_an_imported_log_plays_in_the_queue_it_ran_in() -> None:
    """The queue `default` is not that of the user, where the log's was not."""
    found, _ = scenario(*submitted(10, "root.default"))
    run = Run(found)
    run.advance(run.now_ms + 60_000)

    assert found.settings["yarn.scheduler.fair.user-as-default-queue"] == "false"
    assert [row.queue for row in run.snapshot().applications()] == ["root.default"]
