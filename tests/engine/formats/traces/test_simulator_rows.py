"""Traces of simulators field by field: SLS, Rumen, SYNTH; and what is written for others."""

import json
from typing import Any

import pytest

from engine.formats.traces import sls, synth
from engine.formats.traces.application import StageTasks, TraceApplication, TraceTasks
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MappingRules
from tests.engine.formats.traces.samples import imported, one

RULES = MappingRules(container_mb=77)


def job(*tasks: dict[str, Any], **more: Any) -> str:
    return json.dumps({"job.start.ms": 5, "job.tasks": list(tasks), **more})


def task(**more: Any) -> dict[str, Any]:
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    return {"duration.ms": 1_000, **named}


def test_a_job_of_sls_is_its_tasks_by_kind_and_size() -> None:
    more = {"job.id": "j", "job.user": "ann", "job.queue.name": "q", "job.end.ms": 9, "am.memory-mb": 5, "am.vcores": 2}
    tasks = [
        task(container__type="reduce", count=2),
        task(container__host="/r/n1", **{"container.memory-mb": 8, "container.vcores": 2}),
        task(container__host="/r/n2", count=2, **{"container.memory-mb": 8, "container.vcores": 2, "duration.ms": 3}),
    ]

    assert one(job(*tasks, **more), RULES) == TraceApplication(
        id="j",
        name="j",
        submitted_ms=5,
        finished_ms=9,
        tasks=(
            TraceTasks("map", 3, (1_000, 3, 3), 8, 2, ("n1", "n2", "n2")),
            TraceTasks("reduce", 2, (1_000,)),
        ),
        behaviour="mapreduce",
        user="ann",
        queue="q",
        master=(5, 2),
        inferred={"memory and vcores": RULES.size_rule, "slow start": sls.SLOW_START},
    )


@pytest.mark.parametrize(
    ("fields", "duration_ms"),
    [
        ({"container.duration.ms": 4, "duration.ms": 7}, 4),
        ({"container.duration.ms": 0, "duration.ms": 7}, 7),
        ({"container.start.ms": 5, "container.end.ms": 6}, 1),
        ({"container.start.ms": 5, "container.end.ms": 5}, None),
        ({"container.start.ms": 5}, None),
        ({"container.end.ms": 5}, None),
        ({"duration.ms": 0, "container.start.ms": 0, "container.end.ms": 9}, 9),
    ],
)
def test_a_task_of_sls_has_a_duration_or_a_start_and_an_end(fields: dict[str, int], duration_ms: int | None) -> None:
    (found,), report = imported(job(fields), "sls")

    assert [tasks.durations_ms for tasks in found.tasks] == ([(duration_ms,)] if duration_ms else [])
    dropped = {"tasks that do not run for any time": 1}
    assert (report.faults, dict(report.dropped)) == ((0, {}) if duration_ms else (1, dropped))


@pytest.mark.parametrize(
    ("text", "racks", "faults"),
    [
        ('{"num.nodes": 5, "num.racks": 2}', ["/rack1", "/rack2", "/rack1", "/rack2", "/rack1"], 0),
        ('{"num.nodes": 2}', ["/rack1", "/rack1"], 0),
        ('{"num.nodes": 1, "num.racks": 0}', ["/rack1"], 0),
        ('{"num.nodes": 0}', [], 1),
        ('{"num.nodes": 100001}', [], 1),
        ("{}", [], 1),
    ],
)
def test_nodes_may_be_counted(text: str, racks: list[str], faults: int) -> None:
    _, report = imported(text, "sls")

    assert [node.rack for node in report.nodes.values()] == racks
    assert [node.host for node in report.nodes.values()] == [f"node{number}" for number in range(1, len(racks) + 1)]
    assert report.faults == faults


def attempt(start: int, finish: int, host: str = "/r/n1") -> dict[str, Any]:
    return {"attempts": [{"hostName": host, "startTime": start, "finishTime": finish}]}


def test_a_job_of_rumen_is_its_tasks_with_their_last_attempts() -> None:
    text = {
        "jobID": "job_1",
        "jobName": "sort",
        "user": "ann",
        "queue": "q",
        "outcome": "SUCCESS",
        "submitTime": 5,
        "finishTime": 9,
        "mapTasks": [attempt(1, 4), attempt(1, 1, "n2"), attempt(4, 1), {"attempts": []}, 5, attempt(1, 3, "")],
        "reduceTasks": [attempt(2, 9, "x/n3")],
    }
    (found,), report = imported(json.dumps(text), "rumen", RULES)

    assert found == TraceApplication(
        id="job_1",
        name="sort",
        submitted_ms=5,
        finished_ms=9,
        tasks=(
            TraceTasks("map", 3, (3, 1, 2), hosts=("n1", "n2", "")),
            TraceTasks("reduce", 1, (7,), hosts=("n3",)),
        ),
        behaviour="mapreduce",
        user="ann",
        queue="q",
        state="SUCCESS",
        inferred={"memory and vcores": RULES.size_rule, "slow start": sls.SLOW_START},
    )
    assert dict(report.dropped) == {
        "tasks without an attempt": 2,
        "tasks whose last attempt has no start or no end": 1,
    }
    assert [(node.host, node.rack) for node in report.nodes.values()] == [("n1", "/r"), ("n2", None), ("n3", "/x")]


def drawn(*tasks: dict[str, Any], **more: Any) -> tuple[list[TraceApplication], ImportReport]:
    classes = [{"class_name": "c", "user_name": "u", "tasks": list(tasks)}]
    workload = {"queue_name": "q", "job_classes": classes, "time_distribution": [{"time": 7, "weight": 1}]}
    return imported(json.dumps({"num_jobs": 1, "workloads": [workload], **more}), "synth")


@pytest.mark.parametrize(
    ("kind", "found"), [("map", "map"), ("reduce", "reduce"), ("stream", "container"), ("", "container")]
)
def test_a_job_of_synth_is_drawn_of_its_class(kind: str, found: str) -> None:
    tasks = {"type": kind, "count": {"val": 2.5}, "time": {"val": 1.5}, "priority": 3}
    (each,), _ = drawn({**tasks, "max_memory": {"val": 1023.4}, "max_vcores": {"val": 0.4}})

    assert each == TraceApplication(
        id="job_1",
        name="c",
        submitted_ms=7_000,
        tasks=(TraceTasks(found, 3, (2_000,) * 3, 1024, 1, priority=3),),  # type: ignore[arg-type]  # one of the kinds
        behaviour="mapreduce",
        user="u",
        queue="q",
        inferred={"arrival, tasks and durations": synth.DRAWN, "unit of durations": synth.SECONDS},
    )


@pytest.mark.parametrize(
    ("durations", "span"), [([5], (5, 5)), ([2, 4, 9], (2, 8)), ([1, 9, 9, 9], (5, 9)), ([0, 0], (1, 1))]
)
def test_durations_of_a_stage_are_around_their_mean(durations: list[int], span: tuple[int, int]) -> None:
    stage = StageTasks()
    for each in durations:
        stage.add(each)

    assert (stage.span(), stage.count, stage.total) == (span, len(durations), sum(durations))


@pytest.mark.parametrize(
    ("sums", "found"),
    [
        ((40_960, 20, 10_000), (2, 2048, 1)),
        ((1, 1, 10_000), (1, 1, 1)),
        ((0, 25, 10_000), (2, 1, 1)),
        ((99, 0, 10_000), None),
        ((99, 5, 0), None),
        ((99, 35, 10_000), (4, 3, 1)),
    ],
)
def test_mean_containers_follow_from_sums(sums: tuple[int, int, int], found: tuple[int, int, int] | None) -> None:
    assert mean_containers(*sums) == found
