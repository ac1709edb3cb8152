"""Applications of a scenario as the rows of other simulators and of a ResourceManager."""

import json
from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.formats.traces.application import TraceApplication, TraceTasks
from engine.formats.traces.exports import ENDLESS, WITHOUT_WAITS, apps_json, sls_nodes, sls_trace
from engine.formats.traces.from_scenario import EACH_NODE, FOREVER, MIDDLE, RACKS, REUSE, applications_of
from engine.formats.traces.report import ImportReport
from tests.engine.formats.traces.test_to_scenario import application, scenario


def written(*applications: TraceApplication) -> tuple[list[Any], ImportReport]:
    """What is written for SLS of these."""
    report = ImportReport()
    return [json.loads(each) for each in sls_trace(scenario(*applications), report)], report


def test_tasks_that_are_alike_are_written_once() -> None:
    """Those that follow one another; hosts with their racks."""
    maps = TraceTasks("map", 4, (5, 5, 6, 5), 512, 1, ("n1", "n1", "n1", "n1"))
    ((found,), report) = written(application(maps, TraceTasks("reduce", 2, (7,), 512, 1), master=(1024, 1)))
    size = {"container.memory-mb": 512, "container.vcores": 1}
    host = {"container.host": "/r1/n1"}

    assert found["job.tasks"] == [
        {"container.duration.ms": 5, "container.type": "map", "count": 2, **host, **size},
        {"container.duration.ms": 6, "container.type": "map", **host, **size},
        {"container.duration.ms": 5, "container.type": "map", **host, **size},
        {"container.duration.ms": 7, "container.type": "reduce", "count": 2, **size},
    ]
    assert {key: found[key] for key in found if key != "job.tasks"} == {
        "am.type": "mapreduce",
        "job.start.ms": 5_000,
        "job.id": "a1",
        "job.user": "ann",
        "job.queue.name": "x.y",
        "am.memory-mb": 1024,
        "am.vcores": 1,
    }
    assert report.applications == 1


def test_nodes_are_written_by_racks_that_follow_one_another() -> None:
    """With their sizes and labels."""
    text = """
duration = "1m"
scheduler = "fair-2.7"
[cluster]
nodes = [
  {host = "a", rack = "/r1", memory = "1g", vcores = 2}, {host = "b", rack = "/r1", memory = "2g", vcores = 3},
  {host = "c", rack = "/r2", memory = "1g", vcores = 2}, {host = "d", rack = "/r1", memory = "1g", vcores = 2},
]
"""
    assert [json.loads(each) for each in sls_nodes(loads(text))] == [
        {
            "rack": "/r1",
            "nodes": [{"node": "a", "memory-mb": 1024, "vcores": 2}, {"node": "b", "memory-mb": 2048, "vcores": 3}],
        },
        {"rack": "/r2", "nodes": [{"node": "c", "memory-mb": 1024, "vcores": 2}]},
        {"rack": "/r1", "nodes": [{"node": "d", "memory-mb": 1024, "vcores": 2}]},
    ]


def test_an_application_of_a_resource_manager_is_written_with_its_sums() -> None:
    """As if nothing had waited."""
    report = ImportReport()
    tasks = TraceTasks("container", 3, (10_000,), 2048, 2), TraceTasks("container", 1, (4_000,), 512, 1)
    one_of = application(*tasks, behaviour="containers", master=(1024, 1), name="n")
    whole_of = scenario(one_of)
    (row,) = json.loads("".join(apps_json(whole_of, report)))["apps"]["app"]

    assert row == {
        "id": f"application_{whole_of.timestamp}_0001",
        "user": "ann",
        "name": "n",
        "queue": "x.y",
        "state": "FINISHED",
        "finalStatus": "SUCCEEDED",
        "applicationType": "YARN",
        "startedTime": whole_of.start_ms + 5_000,
        "finishedTime": whole_of.start_ms + 15_000,
        "elapsedTime": 10_000,
        "memorySeconds": 3 * 2048 * 10 + 512 * 4 + 1024 * 10,
        "vcoreSeconds": 3 * 2 * 10 + 4 + 10,
    }
    assert (list(report.notes), ENDLESS in report.dropped) == ([WITHOUT_WAITS], False)


def test_stages_take_their_work_on_all_cores_one_after_the_other() -> None:
    """A stage no less than one of its tasks."""
    stages = TraceTasks("stage", 8, (10, 20)), TraceTasks("stage", 1, (100, 100))
    spark = application(TraceTasks("container", 2, (), 1024, 2), *stages, behaviour="spark")
    (row,) = json.loads("".join(apps_json(scenario(spark), ImportReport())))["apps"]["app"]

    assert row["elapsedTime"] == 30 + 100


WORKLOAD = """
duration = "10m"
scheduler = "fair-2.7"
[cluster]
nodes = [{host = "a", memory = "8g", vcores = 8}, {host = "b", memory = "8g", vcores = 8}]
"""


def described(text: str) -> tuple[list[TraceApplication], list[str]]:
    """The applications of a scenario, and what is noted."""
    report = ImportReport()
    return list(applications_of(loads(WORKLOAD + text), report)), list(report.notes)


def test_a_service_on_each_node_is_counted_for_all() -> None:
    """It has no end."""
    text = '[[workload]]\ntype = "service"\nname = "s"\nuser = "u"\ninstances = 2\neach_node = true\n'
    (found,), notes = described(text + 'instance = {memory = "1g", vcores = 2}\n')

    assert found.tasks == (TraceTasks("container", 4, (), 1024, 2),)
    assert (found.behaviour, notes) == ("containers", [FOREVER])


def test_asks_of_a_script_are_its_containers() -> None:
    """Racks, strictness and nodes are said."""
    text = '[[workload]]\ntype = "scripted"\nname = "s"\nuser = "u"\nat = 7\nasks = [\n'
    text += '{memory = "1g", count = 2, duration = ["1s", "4s"], priority = 3, at = 5, hosts = ["a", "b"]},\n'
    text += '{memory = "2g", vcores = 2, duration = "1s", each_node = true, count = 3},\n'
    text += '{memory = "1g", duration = "1s", racks = ["/default-rack"], relax = false}]\n'
    (found,), notes = described(text)

    assert found.tasks == (
        TraceTasks("container", 2, (2_500,), 1024, 1, ("a",), 5_000, 3),
        TraceTasks("container", 6, (1_000,), 2048, 2, priority=found.tasks[1].priority),
        TraceTasks("container", 1, (1_000,), 1024, 1, priority=found.tasks[2].priority),
    )
    assert sorted(notes) == sorted([MIDDLE, EACH_NODE, RACKS])
    assert (found.submitted_ms, found.user, found.name, found.behaviour) == (7_000, "u", "s", "containers")
    assert REUSE not in notes


@pytest.mark.parametrize(("limit", "count"), [("", 1), ("executor_limit = 3\n", 3)])
def test_an_application_of_spark_standalone_has_its_executors(limit: str, count: int) -> None:
    """One where it has no limit."""
    text = 'duration = "1m"\nscheduler = "spark"\n[cluster]\ngroups = [{count = 1, memory = "8g", vcores = 8}]\n'
    text += f'[[workload]]\ntype = "spark-standalone"\nuser = "u"\n{limit}'
    text += 'executor_cores = 2\nexecutor_memory = "1g"\nstages = [{tasks = 4, duration = 1}]\n'
    (found,) = applications_of(loads(text), ImportReport())

    assert (found.behaviour, found.tasks[0].count, found.tasks[0].memory_mb) == ("spark", count, 1024)
