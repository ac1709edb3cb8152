"""Events of histories one by one: MapReduce's, the timeline server's and answers of a ResourceManager."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.formats.traces import mr1_history as job_history
from engine.formats.traces import timeline_history
from engine.formats.traces.application import MappingRules, TraceApplication, TraceTasks
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.report import ImportReport
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


def entity(kind: str, identity: str, events: dict[str, int] | None = None, /, **info: Any) -> dict[str, Any]:
    listed = [{"eventtype": name, "timestamp": at_ms} for name, at_ms in (events or {}).items()]
    return {"entitytype": kind, "entity": identity, "events": listed, "otherinfo": info}


def entities(*each: dict[str, Any]) -> tuple[list[TraceApplication], ImportReport]:
    report = ImportReport()
    text = "\n".join(json.dumps(one) for one in each)
    return list(BY_NAME["ats"].read([source(text, report)], RULES)), report


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
