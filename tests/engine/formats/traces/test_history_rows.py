"""Events of histories one by one: MapReduce's, the timeline server's and answers of a ResourceManager."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.formats.traces import job_history, rm_apps_json, timeline_history
from engine.formats.traces import sums as sums_of
from engine.formats.traces.application import SPREAD, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.read import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.task_attempts import LAST, OTHERS
from engine.formats.traces.to_scenario import imported_scenario
from tests.engine.formats.traces.samples import imported, source

RULES = MappingRules(container_mb=77)


def event(kind: str, **fields: Any) -> str:
    """A line of a job's history."""
    return json.dumps({"type": kind, "event": {f"org.apache.hadoop.{kind}": fields}})


def history(*lines: str, name: str = "job.jhist") -> tuple[list[TraceApplication], ImportReport]:
    """The job of a history of these events, and what was noted."""
    report = ImportReport()
    text = "\n".join([job_history.FORMAT_LINE, '{"type":"record","name":"Event"}', *lines])
    return list(job_history.read_job_history(source(text, report, name), RULES)), report


SUBMITTED = event(
    "JOB_SUBMITTED", jobid="job_1_1", jobName="sort", userName="ann", jobQueueName={"string": "q"}, submitTime=1000
)


def ran(task: str, begin: int, end: int, kind: str = "MAP", how: str = "FINISHED", **more: Any) -> list[str]:
    """The lines of an attempt."""
    names = {"taskid": task, "attemptId": f"{task}_{begin}"}
    return [
        event(f"{kind}_ATTEMPT_STARTED", startTime=begin, **names),
        event(f"{kind}_ATTEMPT_{how}", finishTime=end, **names, **more),
    ]


def test_a_job_has_its_attempts_that_count() -> None:
    """The last that succeeded of each task, else the last that ended; what has not ended is counted."""
    found, report = history(
        SUBMITTED,
        event("JOB_QUEUE_CHANGED", jobQueueName="moved"),
        event("TASK_STARTED", taskid="m1", startTime=2000),
        *ran("m1", 2000, 2500, hostname="n1", rackname="/r"),
        *ran("m1", 2100, 2900, how="KILLED", hostname="n2"),
        *ran("m2", 3000, 3300, how="FAILED", hostname="n1"),
        *ran("m2", 3300, 3400, how="FAILED", hostname="n3"),
        *ran("m3", 3000, 3000),
        *ran("r1", 4000, 4700, "REDUCE", hostname="n1"),
        *ran("r1", 4100, 4900, "REDUCE", hostname="n1"),
        *ran("m4", 5000, 4999),
        event("TASK_FINISHED", taskid="m1"),
        event("TASK_STARTED", taskid="m9", startTime=2000),
        event("MAP_ATTEMPT_STARTED", taskid="m9", attemptId="a9", startTime=2000),
        event("JOB_FINISHED", finishTime=9000),
        name="/nowhere/job.jhist",
    )

    assert found == [
        TraceApplication(
            id="job_1_1",
            name="sort",
            submitted_ms=1000,
            finished_ms=9000,
            tasks=(
                TraceTasks("map", 3, (500, 100, 1), hosts=("n1", "n3", "")),
                TraceTasks("reduce", 1, (800,)),
            ),
            behaviour="mapreduce",
            user="ann",
            queue="moved",
            state="SUCCEEDED",
            inferred={"memory and vcores": RULES.size_rule, "slow start": LAST},
        )
    ]
    assert dict(report.dropped) == {job_history.NOT_ENDED: 2, OTHERS: 3}
    assert report.nodes == {
        "n1": TraceNode("n1", "/r"),
        "n2": TraceNode("n2"),
        "n3": TraceNode("n3"),
    }
    assert report.faults == 0


@pytest.mark.parametrize("end", list(job_history.ENDS))
def test_a_job_ends_in_its_state(end: str) -> None:
    """Whatever the event is called."""
    (found,), _ = history(SUBMITTED, event(end, finishTime=9000))
    assert (found.state, found.finished_ms, found.queue) == (job_history.ENDS[end], 9000, "q")


@pytest.mark.parametrize(("finish", "ended_ms"), [(0, None), (1, 1)])
def test_a_job_that_ended_at_no_time_has_not_ended(finish: int, ended_ms: int | None) -> None:
    """0 is none."""
    (found,), _ = history(SUBMITTED, event("JOB_FINISHED", finishTime=finish))
    assert found.finished_ms == ended_ms


def test_an_attempt_whose_start_is_lost_began_with_its_task() -> None:
    """One whose task is not known either is left out."""
    lost = [ran("m1", 2000, 2500)[1], ran("m2", 2000, 2600)[1]]
    (found,), _ = history(SUBMITTED, event("TASK_STARTED", taskid="m1", startTime=1700), *lost)

    assert found.tasks == (TraceTasks("map", 1, (800,)),)
    assert (found.state, found.finished_ms) == ("", None)


def test_lines_that_are_no_events_are_faults() -> None:
    """At their line; a history without a submission is one at no line."""
    lines = [
        "{",
        "[]",
        "{}",
        '{"type": "X", "event": {}}',
        '{"type": "X", "event": 3}',
        '{"type": 3, "event": {"a": 1}}',
    ]
    found, report = history(*lines)

    assert found == []
    assert [(one.message, one.line) for one in report.problems] == [
        *(("this is no event of a job's history", line) for line in range(3, 8)),
        ("the history has no JOB_SUBMITTED", 0),
    ]


CONF = "<configuration>{}</configuration>"
CONFIGURATIONS = [
    ({"map.memory.mb": "2048", "map.cpu.vcores": "2"}, (2048, 2), None, job_history.CONFIGURED),
    ({"map.memory.mb": "2048"}, (2048, 1), None, job_history.CONFIGURED),
    ({"map.cpu.vcores": "2"}, (None, None), None, RULES.size_rule),
    ({"am.mb": "1536", "am.cpu-vcores": "3"}, (None, None), (1536, 3), RULES.size_rule),
    ({"am.mb": "1536"}, (None, None), (1536, 1), RULES.size_rule),
    ({"am.mb": "0"}, (None, None), None, RULES.size_rule),
    ({"am.mb": str(2**31)}, (None, None), None, RULES.size_rule),
    ({"am.mb": str(2**31 - 1)}, (None, None), (2**31 - 1, 1), RULES.size_rule),
]


@pytest.mark.parametrize(("properties", "size", "master", "rule"), CONFIGURATIONS)
def test_sizes_are_those_of_the_configuration_beside_the_history(
    tmp_path: Path,
    properties: dict[str, str],
    size: tuple[int | None, int | None],
    master: tuple[int, int] | None,
    rule: str,
) -> None:
    """One vcore where only the memory is said."""
    names = {"am.mb": "yarn.app.mapreduce.am.resource.mb", "am.cpu-vcores": "yarn.app.mapreduce.am.resource.cpu-vcores"}
    said = "".join(
        f"<property><name>{names.get(key, f'mapreduce.{key}')}</name><value>{value}</value></property>"
        for key, value in properties.items()
    )
    (tmp_path / "job_1_1_conf.xml").write_text(CONF.format(said))
    (found,), report = history(SUBMITTED, *ran("m1", 1, 2), name=str(tmp_path / "job.jhist"))

    assert found.tasks == (TraceTasks("map", 1, (1,), *size),)
    assert (found.master, found.inferred, report.faults) == (master, {"memory and vcores": rule}, 0)


def test_a_configuration_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    """The job is read all the same."""
    (tmp_path / "job_1_1_conf.xml").write_text("<configuration>")
    (found,), report = history(SUBMITTED, name=str(tmp_path / "job.jhist"))

    assert found.id == "job_1_1"
    (problem,) = report.problems
    assert problem.message.startswith("job_1_1_conf.xml cannot be read: ")


# ---------------------------------------------------------------- the timeline server

CONFIG = {"tez.task.resource.memory.mb": "10", "tez.am.resource.memory.mb": 20, "x": 1}


def entity(kind: str, identity: str, events: dict[str, int] | None = None, /, **info: Any) -> dict[str, Any]:
    """One entity."""
    listed = [{"eventtype": name, "timestamp": at_ms} for name, at_ms in (events or {}).items()]
    return {"entitytype": kind, "entity": identity, "events": listed, "otherinfo": info}


def entities(*each: dict[str, Any]) -> tuple[list[TraceApplication], ImportReport]:
    """The applications of some entities, and what was noted."""
    report = ImportReport()
    text = "\n".join(json.dumps(one) for one in each)
    return list(BY_NAME["ats"].read([source(text, report)], RULES)), report


DAGS = [
    entity("TEZ_APPLICATION", "tez_application_9_1", config=CONFIG),
    entity("TEZ_APPLICATION_ATTEMPT", "tez_appattempt_9_1_000001", appSubmitTime=900),
    entity("TEZ_DAG_ID", "dag_9_1_2", {"DAG_SUBMITTED": 5000, "DAG_FINISHED": 9000}, status="KILLED"),
    entity("TEZ_DAG_ID", "dag_9_1_1", startTime=2000, dagName="d", user="u", queueName="q", endTime=4000),
    entity("TEZ_VERTEX_ID", "vertex_9_1_1_01", {"VERTEX_STARTED": 2100}, numTasks=2),
    entity("TEZ_VERTEX_ID", "vertex_9_1_1_00", {"VERTEX_INITIALIZED": 2200, "VERTEX_FINISHED": 2900}, numTasks=4),
    entity("TEZ_VERTEX_ID", "vertex_9_1_1_02", startTime=2300, endTime=2300, numTasks=1, numSucceededTasks=3),
    entity("TEZ_VERTEX_ID", "vertex_9_1_1_03", startTime=2400, endTime=2399, numTasks=1),
    entity("TEZ_VERTEX_ID", "vertex_9_1_1_04", startTime=2400, endTime=2500),
    entity("TEZ_VERTEX_ID", "vertex_9_1_2_00", numTasks=2, stats={"minTaskDuration": 0, "maxTaskDuration": 7}),
    entity(
        "TEZ_VERTEX_ID",
        "vertex_9_1_2_01",
        startTime=5600,
        endTime=5900,
        numTasks=2,
        stats={"minTaskDuration": 8, "maxTaskDuration": 7},
    ),
    entity("TEZ_VERTEX_ID", "vertex_9_1_3_00", startTime=1, endTime=2, numTasks=1),
    entity("TEZ_TASK_ATTEMPT_ID", "attempt_9_1_1_01_0_0", startTime=2000, endTime=2040, status="SUCCEEDED"),
    entity("TEZ_TASK_ATTEMPT_ID", "attempt_9_1_1_01_1_0", startTime=2000, endTime=2000, status="SUCCEEDED"),
    entity("TEZ_TASK_ATTEMPT_ID", "attempt_9_1_1_01_1_1", startTime=2001, endTime=2000, status="SUCCEEDED"),
    entity("TEZ_TASK_ATTEMPT_ID", "attempt_9_1_1_01_1_2", startTime=2000, endTime=2000, status="FAILED"),
    entity("TEZ_TASK_ATTEMPT_ID", "attempt_9_1_1_01_1_3", startTime=2000, status="SUCCEEDED"),
    entity("TEZ_TASK_ID", "task_9_1_1_01_5", startTime=2000, endTime=2900, status="SUCCEEDED"),
]


def test_a_dag_is_put_together() -> None:
    """Vertices in the order they began, each of its tasks and else of what it says; sizes of the configuration."""
    found, report = entities(*DAGS)

    assert found == [
        TraceApplication(
            id="application_9_1",
            name="d",
            submitted_ms=900,
            finished_ms=9000,
            tasks=(
                TraceTasks("container", 3, (), 10, None),
                TraceTasks("stage", 2, (1, 40), at_ms=1100),
                TraceTasks("stage", 3, (1, 1), at_ms=1100),
                TraceTasks("stage", 2, (300, 300), at_ms=4100),
                TraceTasks("stage", 2, (1, 7), at_ms=4100),
            ),
            behaviour="tez",
            user="u",
            queue="q",
            type="TEZ",
            state="KILLED",
            master=(20, 1),
            inferred={
                "durations of tasks": SPREAD,
                "containers": timeline_history.MOST,
                "memory and vcores": timeline_history.CONFIGURED,
                "tasks": timeline_history.BY_VERTEX,
            },
        )
    ]
    assert dict(report.dropped) == {
        timeline_history.FAILED: 3,
        timeline_history.NO_DAG: 1,
        timeline_history.NO_TASKS: 3,
    }
    assert list(report.notes) == [timeline_history.VERTICES]


def test_an_application_of_the_server_is_known_by_its_sums() -> None:
    """Under either name of a sum; events say when."""
    word = "YARN_APPLICATION_"
    sums = [{f"{word}MEMORY": 20_480, f"{word}CPU": 10}, {f"{word}MEM_METRIC": 20_480, f"{word}CPU_METRIC": 10}]
    for some in sums:
        facts = {f"{word}{name}": name.lower() for name in ("NAME", "USER", "QUEUE", "TYPE", "FINAL_STATUS")}
        when = {f"{word}CREATED": 1000, f"{word}FINISHED": 11_000}
        (found,), _ = entities(entity("YARN_APPLICATION", "application_9_7", when, **some, **facts))
        assert found == TraceApplication(
            id="application_9_7",
            name="name",
            user="user",
            queue="queue",
            type="type",
            state="final_status",
            submitted_ms=1000,
            finished_ms=11_000,
            master=(2048, 1),
            master_ms=8000,
            is_granted=True,
            inferred={"containers": sums_of.RULE, "sums": sums_of.OFF.format(most="20%")},
        )


@pytest.mark.parametrize(("memory_mb", "known"), [(0, None), (1, 1), (2**31 - 1, 2**31 - 1), (2**31, None)])
def test_a_size_of_the_configuration_is_one_of_java(memory_mb: int, known: int | None) -> None:
    """Else it is not known."""
    (found,), _ = entities(
        entity("TEZ_APPLICATION", "tez_application_9_1", config={"tez.am.resource.memory.mb": memory_mb}),
        entity("TEZ_DAG_ID", "dag_9_1_1", {"DAG_STARTED": 2000}),
    )
    assert found.master == (None if known is None else (known, 1))


def test_what_the_server_says_goes_before_what_tez_does() -> None:
    """Of name, user, queue and submission; the tasks are those of the DAG, as long as it has none nothing."""
    word = "YARN_APPLICATION_"
    facts: dict[str, Any] = {f"{word}{name}": name.lower() for name in ("NAME", "USER", "QUEUE")}
    found, report = entities(
        entity("YARN_APPLICATION", "application_9_1", **facts, **{f"{word}SUBMITTED_TIME": 500}),
        entity("TEZ_DAG_ID", "dag_9_1_1", {"DAG_STARTED": 2000}, dagName="d", user="u", queueName="q"),
    )

    (each,) = found
    assert (each.name, each.user, each.queue, each.submitted_ms, each.finished_ms, each.tasks) == (
        *("name", "user", "queue"),
        *(500, None, ()),
    )
    assert each.inferred["memory and vcores"] == RULES.size_rule
    assert (each.master, report.faults) == (None, 0)


def test_entities_without_what_they_need_are_faults() -> None:
    """No name, no time, tasks of no DAG."""
    _, report = entities(
        {"entitytype": "TEZ_DAG_ID"},
        {"entity": "dag_9_1_1"},
        entity("TEZ_DAG_ID", "dag_9_1_1"),
        entity("TEZ_TASK_ID", "task_9_1_1_01_5", {"TASK_STARTED": 1, "TASK_FINISHED": 4}, status="SUCCEEDED"),
        entity("OTHER", "x"),
    )

    assert [(one.message, one.line) for one in report.problems] == [
        ("an entity has an entity and an entitytype", 1),
        ("an entity has an entity and an entitytype", 2),
        ("dag_9_1_1 has no time", 0),
        ("there are tasks and no DAG: entities of type TEZ_DAG_ID belong to it", 0),
    ]
    assert dict(report.dropped) == {timeline_history.OTHERS.format(kind="OTHER"): 1}


# ---------------------------------------------------------------- sums of a ResourceManager

APPS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"finishedTime": 101_000, "memorySeconds": 614_400, "vcoreSeconds": 300, "finalStatus": "FAILED", "state": "F"},
        {
            "finished_ms": 101_000,
            "state": "FAILED",
            "tasks": (TraceTasks("container", 3, (65_467,), 2048, 1, at_ms=29_933),),
            "master": (2048, 1),
            "is_granted": True,
            "inferred": {"containers": sums_of.RULE},
        },
    ),
    (
        {"finishedTime": 301_000, "launchTime": 201_000, "memorySeconds": 204_800, "vcoreSeconds": 50},
        {
            "finished_ms": 301_000,
            "master": (4096, 1),
            "master_ms": 48_000,
            "is_granted": True,
            "inferred": {"containers": sums_of.RULE},
        },
    ),
    (
        {"finishedTime": 0, "elapsedTime": 4000, "launchTime": 2000, "state": "RUNNING", "finalStatus": "UNDEFINED"},
        {
            "state": "RUNNING",
            "tasks": (TraceTasks("container", 1, (3000,)),),
            "inferred": {
                "duration": rm_apps_json.STILL_RUNNING,
                "containers": rm_apps_json.BY_TIME,
                "memory and vcores": RULES.size_rule,
            },
        },
    ),
    ({"finishedTime": 1000}, {"finished_ms": 1000}),
    ({"finishedTime": 2000, "memorySeconds": 0}, {"finished_ms": 2000}),
    ({"finishedTime": 2000, "vcoreSeconds": 0}, {"finished_ms": 2000}),
]


@pytest.mark.parametrize(("fields", "found"), APPS)
def test_an_application_of_an_answer_is_its_sums(fields: dict[str, Any], found: dict[str, Any]) -> None:
    """Containers that have its sums, the master one of them; without sums one beside it, for as long as it ran."""
    named = {"id": "application_1_1", "name": "n", "user": "u", "queue": "q", "applicationType": "SPARK"}
    text = json.dumps({"apps": {"app": [{**named, "startedTime": 1000, **fields}]}})
    same = {"id": "application_1_1", "name": "n", "user": "u", "queue": "q", "type": "SPARK", "submitted_ms": 1000}

    report = ImportReport()
    assert list(rm_apps_json.read_apps_json(source(text, report), RULES)) == [TraceApplication(**{**same, **found})]
    single = json.dumps({"app": {**named, "startedTime": 1000, **fields}})
    assert list(rm_apps_json.read_apps_json(source(single, report), RULES)) == [TraceApplication(**{**same, **found})]


def test_an_application_without_a_beginning_is_a_fault() -> None:
    """What is no application is passed over; a timeline server calls the fields otherwise."""
    text = '{"app": [\n{"x": 1},\n{"id": "a"},\n{"appId": "b", "type": "T", "submittedTime": 7, "appState": "S"}]}'
    found, report = imported(text)

    assert [(one.message, one.line) for one in report.problems] == [("an application has a startedTime", 3)]
    assert [(each.id, each.type, each.submitted_ms, each.state) for each in found] == [("b", "T", 7, "S")]


# ---------------------------------------------------------------- MapReduce 1

MR1 = r"""Meta VERSION="1" .
Job JOBID="job_2012_0003" JOBNAME="count \"a\.b\"" USER="ann" SUBMIT_TIME="1000" JOBCONF="hdfs://n/job\.xml" .
Task TASKID="task_s" TASK_TYPE="SETUP" START_TIME="1100" SPLITS="" .
MapAttempt TASK_TYPE="MAP" TASKID="task_m" TASK_ATTEMPT_ID="a0" START_TIME="2000" TRACKER_NAME="tracker_n1:l/1" .
MapAttempt TASK_TYPE="MAP" TASKID="task_m" TASK_ATTEMPT_ID="a0" TASK_STATUS="FAILED" FINISH_TIME="2500"
 ERROR="java\.X
	at a\.b(C\.java:1)
" .
MapAttempt TASK_TYPE="MAP" TASKID="task_m" TASK_ATTEMPT_ID="a1" START_TIME="902600" TRACKER_NAME="tracker_n2:l/1" .
MapAttempt TASK_TYPE="MAP" TASKID="task_m" TASK_ATTEMPT_ID="a1" TASK_STATUS="SUCCESS" FINISH_TIME="905600"
 HOSTNAME="/r/n2" .
Task TASKID="task_m" TASK_TYPE="MAP" TASK_STATUS="SUCCESS" FINISH_TIME="6000" COUNTERS="{(c)(d)[(e)(f)(0)]}" .
ReduceAttempt TASK_TYPE="REDUCE" TASKID="task_r" TASK_ATTEMPT_ID="r0" START_TIME="3000" TRACKER_NAME="tracker_n2:l/1" .
ReduceAttempt TASK_TYPE="REDUCE" TASKID="task_r" TASK_ATTEMPT_ID="r0" TASK_STATUS="SUCCESS" FINISH_TIME="8000"
 HOSTNAME="n2" .
Task TASKID="task_r" TASK_TYPE="REDUCE" TASK_STATUS="SUCCESS" FINISH_TIME="8000" .
Job JOBID="job_2012_0003" FINISH_TIME="9000" JOB_STATUS="SUCCESS" COUNTERS="{}" .
"""
MR1_VALUES = {
    "mapred.tasktracker.map.tasks.maximum": "4",
    "mapred.reduce.slowstart.completed.maps": "0.05",
    "mapred.jobtracker.taskScheduler": "org.apache.hadoop.mapred.FairScheduler",
}


def test_a_history_of_mapreduce_1_is_played_on_its_slots(tmp_path: Path) -> None:
    """The attempt counts that succeeded, by its tracker's clock; a reduce works once the last map has ended."""
    rows = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in MR1_VALUES.items())
    (tmp_path / "job_2012_0003_conf.xml").write_text(f"<configuration>{rows}</configuration>")
    (tmp_path / "job_2012_0003_1000_ann").write_text(MR1)
    report = ImportReport()
    (job,) = read_traces([tmp_path], report)
    scenario = imported_scenario([job], report)

    assert (job.id, job.name, job.state, job.finished_ms) == ("job_2012_0003", 'count "a.b"', "SUCCESS", 9000)
    assert [(each.kind, each.durations_ms, each.hosts) for each in job.tasks] == [
        ("map", (3000,), ("n2",)),
        ("reduce", (2000,), ()),
    ]
    assert (job.slow_start, scenario.scheduler) == (0.05, "mr1-fair")
    assert scenario.settings["mapred.tasktracker.map.tasks.maximum"] == "4"
    assert (report.faults, report.nodes["n2"].rack) == (0, "/r")
