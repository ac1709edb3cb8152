"""A Spark log keeps when its jobs were submitted, where their input was, and how executors were asked for."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.traces.application import TraceApplication, TraceTasks
from engine.formats.traces.formats import read_timeline, read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
    ResourceManagerTimeline,
)
from engine.formats.traces.to_scenario import imported_scenario
from engine.run import Run
from engine.scenario import DynamicAllocation, SparkSpec, TezSpec
from tests.engine.formats.traces.samples import ATS, SPARK, imported, one, source


def log(*events: dict[str, Any]) -> str:
    beginning = SPARK.splitlines()[:5]
    return "\n".join([*beginning, *(json.dumps({**each, "Event": f"SparkListener{each['Event']}"}) for each in events)])


def with_properties(properties: dict[str, str]) -> TraceApplication:
    """The application of a log that names these properties."""
    first, _, *rest = log(job(0, 3000, 0), task(0)).splitlines()
    told = json.dumps({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": properties})
    return one("\n".join([first, told, *rest]))


def job(number: int, at_ms: int, *stages: int) -> dict[str, Any]:
    return {"Event": "JobStart", "Job ID": number, "Submission Time": at_ms, "Stage IDs": stages}


def task(stage: int, locality: str = "ANY", host: str = "n1") -> dict[str, Any]:
    info = {"Launch Time": 5000, "Finish Time": 7000, "Locality": locality, "Host": host}
    reason = {"Reason": "Success"}
    return {"Event": "TaskEnd", "Stage ID": stage, "Stage Attempt ID": 0, "Task End Reason": reason, "Task Info": info}


def test_stages_belong_to_the_job_that_ran_them() -> None:
    """A stage that an earlier job has run is not run again by a later one that lists it."""
    tasks = one(log(job(0, 3000, 0, 1), task(0), task(1), job(1, 61_000, 0, 2), task(2))).tasks[1:]

    assert [each.at_ms for each in tasks] == [2000, 2000, 60_000]


def test_jobs_are_those_of_a_session() -> None:
    found, report = imported(log(job(0, 3000, 0), task(0), job(1, 61_000, 1), task(1)))
    (spec,) = imported_scenario(found, report).workload

    assert isinstance(spec, SparkSpec)
    assert [(each.at_ms, len(each.stages)) for each in spec.jobs] == [(2000, 1), (60_000, 1)]


def test_jobs_that_overlapped_do_so_here() -> None:
    ended = {"Event": "JobEnd", "Job ID": 0}
    jobs = job(0, 3000, 0), task(0), job(1, 4000, 1), task(1)
    last = job(2, 61_000, 2), task(2)

    for events, overlaps in (((*jobs, ended, *last), [False, True, True]), ((*jobs[:2], ended, *last), [False, False])):
        found, report = imported(log(*events))
        (spec,) = imported_scenario(found, report).workload
        assert isinstance(spec, SparkSpec)
        assert [each.overlaps for each in spec.jobs] == overlaps


def test_input_lies_where_tasks_ran_that_found_it_on_their_host() -> None:
    text = log(job(0, 3000, 0), task(0, "NODE_LOCAL", "n2"), task(0), task(0, "NODE_LOCAL"), task(0, "NODE_LOCAL"))
    found, report = imported(text)

    assert found[0].tasks[1] == TraceTasks("stage", 4, (2000, 2000), hosts=("n1", "n1", "n2", ""), at_ms=2000)
    (spec,) = imported_scenario(found, report).workload
    assert isinstance(spec, SparkSpec)
    assert spec.jobs[0].stages[0].hosts == (("n1",), ("n1",), ("n2",), ())


@pytest.mark.parametrize(
    ("properties", "found"),
    [
        ({}, None),
        ({"enabled": "true"}, DynamicAllocation()),
        (
            {"enabled": "true", "minExecutors": "2", "maxExecutors": "9", "initialExecutors": "1"},
            DynamicAllocation(initial=2, least=2, most=9),
        ),
        ({"enabled": "true", "maxExecutors": "2147483647"}, DynamicAllocation()),
        (
            {
                "enabled": "TRUE",
                "executorIdleTimeout": "2min",
                "schedulerBacklogTimeout": "5",
                "executorAllocationRatio": "0.5",
            },
            DynamicAllocation(idle_ms=120_000, backlog_ms=5000, ratio=0.5),
        ),
        ({"enabled": "true", "shuffleTracking.enabled": "true"}, DynamicAllocation(shuffle="tracking")),
        ({"enabled": "true", "executorIdleTimeout": "soon", "executorAllocationRatio": "7"}, DynamicAllocation()),
    ],
)
def test_dynamic_allocation_is_as_the_properties_say(
    properties: dict[str, str], found: DynamicAllocation | None
) -> None:
    named = with_properties({f"spark.dynamicAllocation.{key}": value for key, value in properties.items()}).dynamic
    assert (named if named is None else named.model_copy(update={"totals": ()})) == found


DYNAMIC = ('"spark.yarn.queue"', '"spark.dynamicAllocation.enabled": "true", "spark.yarn.queue"')


def executor(kind: str, number: int, at_ms: int) -> dict[str, Any]:
    return {"Event": f"Executor{kind}", "Executor ID": str(number), "Timestamp": at_ms, "Executor Info": {}}


def test_executors_come_and_go_as_in_the_log() -> None:
    """From the beginning of the application on, up to the end of the log; the later one of an instant counts."""
    events = (executor("Added", 7, 2500), executor("Added", 8, 2500), job(0, 3000, 0), task(0))
    found, _ = imported(log(*events, executor("Removed", 7, 9000), executor("Removed", 7, 9500)).replace(*DYNAMIC))

    assert found[0].dynamic is not None
    assert [(each.at_ms, each.executors) for each in found[0].dynamic.totals] == [(1500, 4), (8000, 3)]
    assert "when the log says" in found[0].inferred["executors"]


# Containers of Spark have the memory that its properties give them.


@pytest.mark.parametrize(
    ("properties", "size_mb"),
    [
        ({}, 1024 + 384),
        ({"spark.executor.memory": "3840m"}, 3840 + 384),
        ({"spark.executor.memory": "3850m"}, 3850 + 385),
        ({"spark.executor.memory": "7g", "spark.executor.memoryOverhead": "1024"}, 7168 + 1024),
        ({"spark.executor.memory": "7g", "spark.yarn.executor.memoryOverhead": "2048"}, 7168 + 2048),
        ({"spark.executor.memory": "10g", "spark.executor.memoryOverheadFactor": "0.4"}, 10240 + 4096),
        ({"spark.executor.minMemoryOverhead": "512m"}, 1024 + 512),
        ({"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1073741824"}, 1408 + 1024),
        ({"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "2g"}, 1408 + 2048),
        ({"spark.memory.offHeap.enabled": "false", "spark.memory.offHeap.size": "2g"}, 1408),
        ({"spark.yarn.isPython": "true", "spark.executor.pyspark.memory": "1g"}, 1408 + 1024),
        ({"spark.executor.pyspark.memory": "1g"}, 1408),
        ({"spark.executor.memory": "7340032k", "spark.executor.memoryOverhead": "1048576KB"}, 7168 + 1024),
        ({"spark.executor.memory": "7516192768b", "spark.executor.memoryOverhead": "1024"}, 7168 + 1024),
        ({"spark.executor.memory": "much", "spark.executor.memoryOverheadFactor": "x"}, 1408),
    ],
)
def test_an_executor_has_heap_overhead_off_heap_and_python(properties: dict[str, str], size_mb: int) -> None:
    """The overhead is what is given, else a part of the heap and at least the least."""
    assert with_properties(properties).tasks[0].memory_mb == size_mb


@pytest.mark.parametrize(
    ("properties", "size_mb"),
    [
        ({}, 512 + 384),
        ({"spark.yarn.am.memory": "1g", "spark.yarn.am.memoryOverhead": "100"}, 1124),
        ({"spark.submit.deployMode": "cluster", "spark.driver.memory": "8g"}, 8192 + 819),
        ({"spark.submit.deployMode": "cluster", "spark.yarn.driver.memoryOverhead": "1000"}, 2024),
        ({"spark.master": "yarn-cluster", "spark.yarn.driver.memoryOverhead": "1000"}, 2024),
    ],
)
def test_the_master_holds_the_driver_in_cluster_mode_alone(properties: dict[str, str], size_mb: int) -> None:
    assert with_properties(properties).master == (size_mb, 1)


# The files of one Spark application are one trace.


def traces(*paths: Path) -> list[TraceApplication]:
    return list(read_traces(paths, ImportReport()))


def test_a_rolling_log_is_one_trace_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    folder, lines = tmp_path / "eventlog_v2_app-1", SPARK.splitlines(keepends=True)
    folder.mkdir()
    (folder / "appstatus_app-1").touch()
    for number, some in ((10, lines[7:]), (2, lines[4:7]), (1, lines[:4])):
        (folder / f"events_{number}_app-1").write_text("".join(some))

    assert traces(folder) == [one(SPARK)]


def test_attempts_of_an_application_are_one_trace(tmp_path: Path) -> None:
    """In the order of their numbers: the first says when it was submitted, the last when it ended."""
    for number, submitted_ms, ended_ms in ((2, 9500, 9600), (10, 9700, 9900), (1, 1000, 9000)):
        text = SPARK.replace('"Timestamp": 1000', f'"Timestamp": {submitted_ms}')
        text = text.replace('"Timestamp": 9000', f'"Timestamp": {ended_ms}')
        (tmp_path / f"application_1_0001_{number}").write_text(text)
    (tmp_path / "application_1_0002_1").write_text(SPARK)
    found = traces(tmp_path)

    assert [(each.submitted_ms, each.finished_ms, [tasks.count for tasks in each.tasks]) for each in found] == [
        (1000, 9900, [2, 2, 2, 2]),
        (1000, 9000, [2, 2]),
    ]


def test_a_folder_of_logs_holds_files_and_rolling_logs(tmp_path: Path) -> None:
    for name in ("app-1", ".app-1.crc", "_SUCCESS", "eventlog_v2_app-2/events_1_app-2", "other/events_1_app-3"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SPARK.replace("app-1", name[-5:]))

    assert [each.id for each in traces(tmp_path)] == ["app-1", "app-2"]


def test_what_is_no_trace_in_a_folder_is_skipped_and_told_of(tmp_path: Path) -> None:
    """A file that was named is refused, and so is a folder without any trace."""
    (tmp_path / "README.md").write_text("# Logs of ours\n")
    with pytest.raises(ConfigError, match="README"):
        list(read_traces([tmp_path], ImportReport()))
    (tmp_path / "app-1").write_text(SPARK)
    report = ImportReport()

    assert len(list(read_traces([tmp_path], report))) == 1
    assert [Path(each.file).name for each in report.skipped] == ["README.md"]
    with pytest.raises(ConfigError, match="README"):
        list(read_traces([tmp_path / "README.md", tmp_path / "app-1"], ImportReport()))


def test_the_second_attempt_runs_its_stages_behind_those_of_the_first(tmp_path: Path) -> None:
    """It was submitted with the first; a piece that repeats its beginning is no attempt."""
    (tmp_path / "application_1_0001_1").write_text(SPARK)
    (tmp_path / "application_1_0001_2").write_text(SPARK.replace('"Timestamp": 1000', '"Timestamp": 9500'))
    repeated = tmp_path / "rolled"
    repeated.mkdir()
    for number in (1, 2):
        (repeated / f"events_{number}_app-1").write_text(SPARK)

    (attempts,) = read_traces([tmp_path / "application_1_0001_1", tmp_path / "application_1_0001_2"], ImportReport())
    (rolled,) = read_traces([repeated], ImportReport())

    assert (attempts.submitted_ms, [tasks.count for tasks in attempts.tasks]) == (1000, [2, 2, 2])
    assert [tasks.count for tasks in rolled.tasks] == [2, 4]


# History of the timeline server becomes Tez applications, and others by their sums.


def test_a_dag_has_its_vertices_as_stages_in_the_order_they_began() -> None:
    """Tasks as long as their attempts; of a vertex without attempts as long as it; other entities are counted."""
    (application,), report = imported(ATS)

    assert (application.id, application.name, application.user, application.queue) == (
        "application_9_0001",
        "sales",
        "ann",
        "etl",
    )
    assert (application.submitted_ms, application.finished_ms, application.master) == (5000, 60_000, (1536, 1))
    assert application.tasks == (
        TraceTasks("container", 2, (), 2048, None),
        TraceTasks("stage", 2, (4000, 6000)),
        TraceTasks("stage", 1, (20_000, 20_000)),
    )
    assert application.inferred["tasks"] == "as long as their vertex states, else as long as it ran"
    assert dict(report.dropped) == {"entities of type TEZ_CONTAINER_ID": 1}


def test_a_tez_application_is_played_as_one() -> None:
    found, report = imported(ATS)
    scenario = imported_scenario(found, report)

    (spec,) = scenario.workload
    assert isinstance(spec, TezSpec)
    assert [(stage.tasks, stage.duration_ms) for stage in spec.dags[0].stages] == [
        (2, (4000, 6000)),
        (1, (20_000, 20_000)),
    ]
    run = Run(scenario)
    run.advance(scenario.duration_ms)
    assert run.snapshot().applications(why=False)[0].state == "FINISHED"


# The timeline of a ResourceManager's log, struct by struct: what each line changes.

CLASS = "org.apache.hadoop.yarn.server.resourcemanager"
AT_MS = 1_510_390_800_000
"""09:00 of the lines, as if it were UTC."""
APP, MASTER, WORKER = "application_17_0001", "container_17_0001_01_000001", "container_17_0001_01_000002"


def text(*messages: str) -> str:
    return "\n".join(f"2017-11-11 09:00:{n:02d},000 INFO {CLASS}.{words}" for n, words in enumerate(messages))


def read(*messages: str) -> ResourceManagerTimeline:
    return timeline_of([source(text(*messages))])


def second(number: int) -> int:
    return AT_MS + number * 1_000


SUMMARY = (
    f"RMAppManager$ApplicationSummary: appId={APP},name=a\\,b,user=ann,queue=q,state=FINISHED,startTime={{}},"
    "finishTime={},finalStatus=SUCCEEDED,memorySeconds=5,vcoreSeconds=6,applicationType=TEZ"
)


@pytest.mark.parametrize("east_h", [0, 8, -5])
def test_a_summary_tells_the_time_zone(east_h: int) -> None:
    zone_ms = east_h * 3_600_000
    started, finished = second(0) - zone_ms + 5, second(3) - zone_ms - 20
    found = read(
        f"rmapp.RMAppImpl: {APP} State change from NEW to NEW_SAVING",
        f"scheduler.SchedulerNode: Assigned container {MASTER} of capacity <memory:1, vCores:1> on host n1:1,",
        "rmnode.RMNodeImpl: n1:1 Node Transitioned from NEW to RUNNING",
        SUMMARY.format(started, finished),
    )

    assert found.offset_ms == zone_ms
    assert found.applications[APP] == LogApplication(
        APP,
        second(0) - zone_ms,
        submitted_ms=started,
        user="ann",
        queue="q",
        name="a,b",
        type="TEZ",
        states=[(second(0) - zone_ms, "NEW_SAVING")],
        finished_ms=finished,
        final="SUCCEEDED",
        memory_seconds=5,
        vcore_seconds=6,
    )
    assert found.containers[MASTER].allocated_ms == second(1) - zone_ms
    assert found.nodes["n1:1"].states == [(second(2) - zone_ms, "RUNNING")]
    assert (found.begin_ms, found.end_ms) == (second(0) - zone_ms, second(3) - zone_ms)


# Rotated files of one log read from disk, and which files are one.

STATE = f"rmapp.RMAppImpl: {APP} State change from"


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def test_every_instant_of_a_log_is_moved_to_that_of_greenwich(tmp_path: Path) -> None:
    hour = 3_600_000
    messages = [
        "ResourceManager: Transitioning to active state",
        "rmnode.RMNodeImpl: n:1 Node Transitioned from NEW to RUNNING",
        f"{STATE} NEW to ACCEPTED",
        f"scheduler.fair.FairScheduler: Accepted application {APP} from user: ann, in queue: root.q, x",
        f"scheduler.SchedulerNode: Assigned container {MASTER} of capacity <memory:5, vCores:1> on host n:1,",
        f"scheduler.fair.FSAppAttempt: Making reservation: node=n:1 app_id={APP}",
        f"scheduler.fair.FSPreemptionThread: Preempting container {MASTER}",
        f"rmcontainer.RMContainerImpl: {MASTER} Container Transitioned from ACQUIRED to RUNNING",
        f"scheduler.SchedulerNode: Released container {MASTER} of capacity <memory:5, vCores:1> on host n:1",
        f"{STATE} ACCEPTED to RUNNING",
        f"{STATE} RUNNING to FINISHED",
        f"resourcemanager.RMAppManager$ApplicationSummary: appId={APP},name=n,user=ann,queue=root.q,state=FINISHED,"
        f"startTime={second(2) - hour + 7},finishTime={second(10) - hour + 9},finalStatus=FAILED,memorySeconds=3",
        "ResourceManager: SHUTDOWN_MSG",
    ]
    found = read_timeline([written(tmp_path, "a", text(*messages))], ImportReport())

    def at(number: int) -> int:
        return second(number) - hour

    assert found.applications == {
        APP: LogApplication(
            APP,
            at(2),
            at(2) + 7,
            "ann",
            "root.q",
            [(at(3), "root.q")],
            "n",
            "",
            [(at(2), "ACCEPTED"), (at(9), "RUNNING"), (at(10), "FINISHED")],
            at(9),
            at(10) + 9,
            "FAILED",
            3,
            None,
        )
    }
    assert found.containers == {
        MASTER: LogContainer(MASTER, APP, at(4), "n:1", 5, 1, True, at(7), at(8), "COMPLETED", at(6))
    }
    assert found.reservations == [LogReservation(APP, "n:1", at(5), at(10), end="ENDED")]
    assert found.nodes == {"n:1": LogNode("n:1", states=[(at(1), "RUNNING")])}
    assert (found.starts_ms, found.stops_ms, found.preemptions) == ([at(0)], [at(12)], [(at(6), MASTER, "container")])
    assert (found.begin_ms, found.end_ms, found.offset_ms) == (at(0), at(12), hour)


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        (
            [f"RMAuditLogger: USER=x OPERATION=AM Allocated Container RESULT=SUCCESS CONTAINERID={WORKER}"
             " RESOURCE=<memory:5, vCores:2>"],
            LogContainer(WORKER, APP, second(0), None, 5, 2),
        ),
        (
            [f"scheduler.fair.FairScheduler: Recovering container [{WORKER}, CreateTime: 1, State: RUNNING, Capability:"
             " <memory:6, vCores:3>, x"],
            LogContainer(WORKER, APP, second(0), None, 6, 3),
        ),
        (
            ["scheduler.AbstractYarnScheduler: Recovering container container_id { app_attempt_id { application_id {"
             " id: 1 cluster_timestamp: 17 } attemptId: 1 } id: 2 } container_state: C_RUNNING"
             " resource { memory: 7 virtual_cores: 4 }"],
            LogContainer(WORKER, APP, second(0), None, 7, 4),
        ),
        (
            [f"rmapp.attempt.RMAppAttemptImpl: Storing attempt: AppId: x MasterContainer: Container: [ContainerId:"
             f" {WORKER}, NodeId: n:1, NodeHttpAddress: n:2, Resource: <memory:8, vCores:5>, x"],
            LogContainer(WORKER, APP, second(0), "n:1", 8, 5, True),
        ),
        (
            [f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from NEW to ALLOCATED",
             f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from RUNNING to KILLED",
             f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from RUNNING to COMPLETED"],
            LogContainer(WORKER, APP, second(0), ended_ms=second(1), end="KILLED"),
        ),
        (
            [f"rmcontainer.RMContainerImpl: {WORKER} Container Transitioned from NEW to ALLOCATED",
             f"scheduler.fair.FairScheduler: Killing container {WORKER}",
             f"rmapp.attempt.RMAppAttemptMetrics: Non-AM container preempted, x, containerId={WORKER}, y"],
            LogContainer(WORKER, APP, second(0), preempted_ms=second(1)),
        ),
    ],
)  # fmt: skip
def test_a_line_about_a_container_changes_this_alone(tmp_path: Path, messages: list[str], found: LogContainer) -> None:
    timeline = read_timeline([written(tmp_path, "a", text(*messages))], ImportReport())

    assert timeline.containers == {WORKER: found}
