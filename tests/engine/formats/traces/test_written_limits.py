"""Instants and sums of what is written for others, and sizes of a trace's nodes, at their limits."""

import json
from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.exports import ENDLESS, GANG, NO_MASTER, SLOW_START, STAGES, apps_json, sls_trace
from engine.formats.traces.report import ImportReport
from engine.formats.traces.trace_cluster import ClusterChoice, cluster_of, roomy
from engine.scenario import Scenario
from tests.engine.formats.traces.test_to_scenario import application, scenario

SERVICE = """
duration = "1h"
scheduler = "fair-2.7"
[cluster]
groups = [{count = 1, memory = "8g", vcores = 8}]
[[workload]]
type = "service"
user = "ann"
instances = 3
instance = {memory = "1g", vcores = 1}
"""


def answered(played: Scenario) -> tuple[list[dict[str, Any]], ImportReport]:
    """The rows of a ResourceManager's answer."""
    report = ImportReport()
    found = json.loads("".join(apps_json(played, report)))["apps"]
    return found["app"] if found else [], report


@pytest.mark.parametrize(
    ("tasks", "behaviour", "elapsed_ms"),
    [
        ((TraceTasks("map", 2, (5, 9), 1, 1), TraceTasks("reduce", 1, (7,), 1, 1)), "mapreduce", 16),
        ((TraceTasks("container", 2, (5,), 1, 1), TraceTasks("container", 1, (7,), 1, 1)), "containers", 7),
        ((TraceTasks("container", 1, (5,), 1, 1, at_ms=3), TraceTasks("container", 1, (7,), 1, 1)), "containers", 8),
        ((TraceTasks("container", 2, (), 1, 3), TraceTasks("stage", 6, (10, 10))), "spark", 10),
        ((TraceTasks("container", 2, (), 1, 3), TraceTasks("stage", 12, (10, 10))), "spark", 20),
        ((TraceTasks("container", 1, (), 1, 1), TraceTasks("stage", 5, (4, 6))), "spark", 25),
    ],
)
def test_an_application_lasts_as_long_as_its_parts(
    tasks: tuple[TraceTasks, ...], behaviour: Any, elapsed_ms: int
) -> None:
    """Maps before reduces, containers beside one another, stages on all cores one after the other."""
    each = application(*tasks, behaviour=behaviour)
    (row,), report = answered(scenario(each))

    assert (row["elapsedTime"], row["finishedTime"] - row["startedTime"]) == (elapsed_ms, elapsed_ms)
    assert report.applications == 1


def test_an_answer_without_an_application_is_null() -> None:
    """What never ends is dropped."""
    endless = loads(SERVICE)
    rows, report = answered(endless)

    assert (rows, dict(report.dropped)) == ([], {ENDLESS: 1})
    assert "".join(apps_json(endless, ImportReport())) == '{"apps": null}\n'


def test_rows_of_an_answer_follow_one_another() -> None:
    """Between the same brackets."""
    one = application(TraceTasks("map", 1, (5,), 1, 1))
    text = list(apps_json(scenario(one, one), ImportReport()))

    assert [piece[:1] for piece in text] == ["{", ",", "\n"]
    assert len(json.loads("".join(text))["apps"]["app"]) == 2


def written(*applications: TraceApplication) -> tuple[list[Any], ImportReport]:
    """What is written for SLS of these."""
    report = ImportReport()
    return [json.loads(each) for each in sls_trace(scenario(*applications), report)], report


@pytest.mark.parametrize(
    ("stage", "ms"), [((4, (10, 10)), 10), ((8, (10, 10)), 20), ((1, (1, 1)), 1), ((2, (3, 3)), 2)]
)
def test_executors_last_as_long_as_stages_take_on_their_cores(stage: tuple[int, tuple[int, int]], ms: int) -> None:
    """At least a millisecond; this is said."""
    spark = application(TraceTasks("container", 2, (), 64, 2), TraceTasks("stage", *stage), behaviour="spark")
    (job,), report = written(spark)
    (task,) = job["job.tasks"]

    assert (task["container.duration.ms"], task["count"], job["am.type"]) == (ms, 2, "dag")
    assert (task["container.memory-mb"], task["container.vcores"]) == (64, 2)
    assert STAGES in report.notes


def test_containers_keep_their_priorities_and_delays() -> None:
    """A gang is said to be none, and what runs for ever is left out."""
    tasks = TraceTasks("container", 1, (5,), 64, 1, (), 9, 4), TraceTasks("container", 3, (6,), 64, 1)
    (job,), report = written(application(*tasks, behaviour="gang", has_master=False))

    assert [(each["container.request.delay.ms"], each.get("count", 1)) for each in job["job.tasks"]] == [(9, 1), (0, 3)]
    assert job["job.tasks"][0]["container.priority"] == 4
    assert {GANG} <= set(report.notes)
    assert (NO_MASTER in report.notes) == ("am.memory-mb" not in job)
    report = ImportReport()
    assert list(sls_trace(loads(SERVICE), report)) == []
    assert dict(report.dropped) == {"tasks that run for ever": 3, "applications without a task that ends": 1}


def nodes(*known: TraceNode) -> ImportReport:
    """A report of these nodes."""
    report = ImportReport()
    for node in known:
        report.add_node(node)
    return report


@pytest.mark.parametrize(
    ("choice", "sizes"),
    [
        (ClusterChoice(node_mb=50, node_vcores=5), [(10, 1), (50, 5), (50, 5), (60, 6)]),
        (ClusterChoice(node_mb=50, node_vcores=5, is_size_given=True), [(50, 5)] * 4),
        (ClusterChoice(node_mb=50, node_vcores=5, nodes=2), [(50, 5)] * 2),
    ],
)
def test_nodes_have_the_sizes_of_the_trace_unless_the_user_gives_one(
    choice: ClusterChoice, sizes: list[tuple[int, int]]
) -> None:
    """A least size may be exceeded, and is never fallen short of."""
    report = nodes(
        TraceNode("a", "/r", 10, 1),
        TraceNode("b"),
        TraceNode("c", None, 10, 1, is_least=True),
        TraceNode("d", None, 60, 6, is_least=True),
    )
    cluster = cluster_of((), choice, report)

    assert [(node.memory_mb, node.vcores) for node in cluster.all_nodes()] == sizes
    if choice.nodes is None:
        assert [(node.host, node.rack) for node in cluster.all_nodes()][:2] == [("a", "/r"), ("b", "/default-rack")]


def test_nodes_of_unknown_size_are_as_most_others() -> None:
    """Least sizes do not count; a size that the user gives holds."""
    known = (TraceNode("a", None, 10, 1), TraceNode("b", None, 10, 1), TraceNode("c", None, 99, 9), TraceNode("d"),
             *(TraceNode(f"e{n}", None, 7, 7, is_least=True) for n in range(3)))  # fmt: skip
    report = nodes(*known)
    found = roomy(ClusterChoice(), (), report)

    assert (found.node_mb, found.node_vcores) == (10, 1)
    assert list(report.notes) == ["nodes of unknown size have 10 MB and 1 vcores, as 2 others"]
    given = ClusterChoice(node_mb=3, node_vcores=2, is_size_given=True)
    assert roomy(given, (), nodes(*known)) == given
    assert roomy(ClusterChoice(nodes=2), (), nodes(*known)) == ClusterChoice(nodes=2)
    silent = nodes(*known[:3])
    assert (roomy(ClusterChoice(), (), silent).node_mb, list(silent.notes)) == (10, [])


@pytest.mark.parametrize(("more", "is_said"), [("slow_start = 1.0", False), ("slow_start = 0.99", True), ("", True)])
def test_reduces_that_are_asked_for_early_are_said_not_to_be_kept(more: str, *, is_said: bool) -> None:
    """SLS asks for them after the last map."""
    head = SERVICE.partition("[[workload]]")[0]
    text = f'{head}[[workload]]\ntype = "mapreduce"\nuser = "ann"\nmaps = 1\nmap_duration = 1\n{more}\n'
    report = ImportReport()
    assert len(list(sls_trace(loads(text), report))) == 1

    assert (SLOW_START in report.notes) == is_said
