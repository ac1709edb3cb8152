"""Traces of simulators field by field: SLS, Rumen, SYNTH; and what is written for others."""

import json
from typing import Any

import pytest

from engine.formats.traces import synth
from engine.formats.traces.application import MappingRules, StageTasks, TraceApplication, TraceTasks
from engine.formats.traces.report import ImportReport
from tests.engine.formats.traces.samples import imported

RULES = MappingRules(container_mb=77)


def job(*tasks: dict[str, Any], **more: Any) -> str:
    return json.dumps({"job.start.ms": 5, "job.tasks": list(tasks), **more})


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
