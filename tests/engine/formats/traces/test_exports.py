"""A scenario is written for other simulators, and what they keep is read back."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces.application import TraceTasks
from engine.formats.traces.exports import UNKEPT, sls_nodes, sls_trace, swim_trace
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.scenario import Scenario
from tests.engine.formats.traces.samples import SLS_NODES, imported
from tests.engine.formats.traces.test_to_scenario import MAPS, application, scenario


def played(text: str, nodes: str = SLS_NODES) -> Scenario:
    found, report = imported(text, "sls")
    report.nodes = imported(nodes, "sls-nodes")[1].nodes
    return imported_scenario(found, report)


def again(first: Scenario) -> Scenario:
    return played("".join(sls_trace(first, ImportReport())), "".join(sls_nodes(first)))


TASK = st.fixed_dictionaries(
    {"duration.ms": st.integers(1, 10**7)},
    optional={
        "count": st.integers(1, 5),
        "container.host": st.sampled_from(["/r1/n1", "/r1/n2", ""]),
        "container.type": st.sampled_from(["map", "reduce"]),
        "container.memory-mb": st.integers(1, 10**5),
        "container.vcores": st.integers(1, 99),
        "container.priority": st.integers(0, 99),
        "container.request.delay.ms": st.integers(0, 10**6),
    },
)


def by_arrival(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(jobs, key=lambda job: int(job["job.start.ms"]))


JOB = st.fixed_dictionaries(
    {"job.start.ms": st.integers(0, 10**9), "job.tasks": st.lists(TASK, min_size=1, max_size=6)},
    optional={
        "am.type": st.sampled_from(["mapreduce", "dag"]),
        "job.queue.name": st.sampled_from(["a", "b.c"]),
        "job.user": st.sampled_from(["ann", "bob"]),
        "job.id": st.sampled_from(["j1", "j2"]),
        "am.memory-mb": st.integers(1, 10**5),
        "am.vcores": st.integers(1, 99),
    },
)


@given(st.lists(JOB, min_size=1, max_size=4).map(by_arrival))
def test_a_scenario_of_an_sls_trace_is_written_as_one(jobs: list[dict[str, object]]) -> None:
    first = played("\n".join(json.dumps(each) for each in jobs))

    assert again(first) == first


def test_what_sls_cannot_say_is_named() -> None:
    report = ImportReport()
    gang = application(behaviour="gang", has_master=False)
    spark = application(*SPARK_TASKS, behaviour="spark")
    plain = scenario(gang, spark, application())
    early = plain.workload[2].model_copy(update={"slow_start": 0.5})
    list(sls_trace(plain.model_copy(update={"workload": (*plain.workload[:2], early)}), report))

    assert [note.split(" ")[0] for note in report.notes] == ["slow", "that", "applications", "stages"]


def test_executors_run_as_long_as_their_stages_take() -> None:
    job = json.loads("".join(sls_trace(scenario(application(*SPARK_TASKS, behaviour="spark")), ImportReport())))

    assert job["job.tasks"] == [
        {
            "container.duration.ms": 30,
            "container.type": "map",
            "count": 2,
            "container.memory-mb": 1024,
            "container.vcores": 2,
            "container.priority": 0,
            "container.request.delay.ms": 0,
        }
    ]


SPARK_TASKS = (
    TraceTasks("container", 2, (), 1024, 2),
    TraceTasks("stage", 8, (10, 20)),
)


def test_a_swim_trace_is_read_back_with_as_many_tasks() -> None:
    reduces = TraceTasks("reduce", 3, (60_000,), 1024, 1)
    first = scenario(application(MAPS, reduces), application(MAPS, id="m"))
    report = ImportReport()
    found, _ = imported("".join(swim_trace(first, report)), "swim")

    assert [(each.submitted_ms // 1000, [(tasks.kind, tasks.count) for tasks in each.tasks]) for each in found] == [
        (5, [("map", MAPS.count), ("reduce", 3)]),
        (5, [("map", MAPS.count)]),
    ]
    assert UNKEPT in report.notes
    assert any(note.startswith("durations of maps") for note in report.notes)
