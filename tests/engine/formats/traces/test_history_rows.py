"""Events of histories one by one: MapReduce's, the timeline server's and answers of a ResourceManager."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.formats.traces import job_history, timeline_history
from engine.formats.traces.application import SPREAD, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from tests.engine.formats.traces.samples import source

RULES = MappingRules(container_mb=77)


def event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, "event": {f"org.apache.hadoop.{kind}": fields}})


def history(*lines: str, name: str = "job.jhist") -> tuple[list[TraceApplication], ImportReport]:
    report = ImportReport()
    text = "\n".join([job_history.FORMAT_LINE, '{"type":"record","name":"Event"}', *lines])
    return list(job_history.read_job_history(source(text, report, name), RULES)), report


SUBMITTED = event(
    "JOB_SUBMITTED", jobid="job_1_1", jobName="sort", userName="ann", jobQueueName={"string": "q"}, submitTime=1000
)


def ran(task: str, begin: int, end: int, kind: str = "MAP", how: str = "FINISHED", **more: Any) -> list[str]:
    names = {"taskid": task, "attemptId": f"{task}_{begin}"}
    return [
        event(f"{kind}_ATTEMPT_STARTED", startTime=begin, **names),
        event(f"{kind}_ATTEMPT_{how}", finishTime=end, **names, **more),
    ]


def test_a_job_has_its_attempts_that_count() -> None:
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
            inferred={"memory and vcores": RULES.size_rule},
        )
    ]
    assert dict(report.dropped) == {job_history.NOT_ENDED: 2}
    assert report.nodes == {
        "n1": TraceNode("n1", "/r"),
        "n2": TraceNode("n2"),
        "n3": TraceNode("n3"),
    }
    assert report.faults == 0


def test_lines_that_are_no_events_are_faults() -> None:
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
    names = {"am.mb": "yarn.app.mapreduce.am.resource.mb", "am.cpu-vcores": "yarn.app.mapreduce.am.resource.cpu-vcores"}
    said = "".join(
        f"<property><name>{names.get(key, f'mapreduce.{key}')}</name><value>{value}</value></property>"
        for key, value in properties.items()
    )
    (tmp_path / "job_1_1_conf.xml").write_text(CONF.format(said))
    (found,), report = history(SUBMITTED, *ran("m1", 1, 2), name=str(tmp_path / "job.jhist"))

    assert found.tasks == (TraceTasks("map", 1, (1,), *size),)
    assert (found.master, found.inferred, report.faults) == (master, {"memory and vcores": rule}, 0)


# ---------------------------------------------------------------- the timeline server

CONFIG = {"tez.task.resource.memory.mb": "10", "tez.am.resource.memory.mb": 20, "x": 1}


def entity(kind: str, identity: str, events: dict[str, int] | None = None, /, **info: Any) -> dict[str, Any]:
    listed = [{"eventtype": name, "timestamp": at_ms} for name, at_ms in (events or {}).items()]
    return {"entitytype": kind, "entity": identity, "events": listed, "otherinfo": info}


def entities(*each: dict[str, Any]) -> tuple[list[TraceApplication], ImportReport]:
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


def test_entities_without_what_they_need_are_faults() -> None:
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
