"""Batch tables of Alibaba and Google become jobs; sizes are parts of a machine."""

from engine.formats.traces import cluster_tables as google
from engine.formats.traces import formats as alibaba
from engine.formats.traces.application import MappingRules, TraceNode, TraceTasks
from engine.formats.traces.to_scenario import imported_scenario
from tests.engine.formats.traces.samples import (
    ALIBABA,
    ALIBABA_MACHINES,
    GOOGLE,
    GOOGLE_MACHINES,
    imported,
)

RULES = MappingRules(machine_mb=102_400, machine_vcores=32)


def test_a_job_of_alibaba_asks_for_the_instances_of_each_task_when_it_began() -> None:
    """Jobs by their first tasks; what runs on runs to the end of the table, what waits is dropped."""
    (first, second), report = imported(ALIBABA, rules=RULES)

    assert (first.id, first.submitted_ms, first.state) == ("j_3", 90_000, "Running")
    assert first.tasks == (TraceTasks("container", 1, (100_000,), 256, 3, at_ms=0),)
    assert first.inferred["end"] == alibaba.TO_END
    assert (second.id, second.submitted_ms, second.finished_ms) == ("j_7", 100_000, 190_000)
    assert second.tasks == (
        TraceTasks("container", 2, (60_000,), 512, 1, at_ms=0),
        TraceTasks("container", 1, (30_000,), 1024, 1, at_ms=60_000),
    )
    assert dict(report.dropped) == {alibaba.NOT_STARTED: 1}


def test_columns_are_found_by_their_names() -> None:
    """In any order, however the names are spelt; without them in the order of the schema."""
    names = "job_name,Task Name,instanceNum,status,start_time,end_time,plan_cpu,plan_mem\n"
    (job,), report = imported(names + "x,M1,2,Terminated,100,160,100,0.5\n", rules=RULES)

    assert (job.id, job.tasks, report.faults) == ("x", (TraceTasks("container", 2, (60_000,), 512, 1),), 0)


def test_machines_have_parts_of_the_whole_one() -> None:
    assert list(imported(ALIBABA_MACHINES, rules=RULES)[1].nodes.values()) == [
        TraceNode("m_1", None, 102_400, 96),
        TraceNode("m_2", None, 51_200, 32),
    ]
    assert list(imported(GOOGLE_MACHINES, rules=RULES)[1].nodes.values()) == [TraceNode("5", None, 25_600, 16)]


def test_a_task_of_google_runs_as_long_as_the_run_that_finished() -> None:
    """One that was evicted before is counted; what has not ended runs to the end of the table."""
    (job,), report = imported(GOOGLE, rules=RULES)

    assert (job.id, job.user, job.submitted_ms, job.has_master) == ("1", "ann", 600_000, False)
    assert job.tasks == (TraceTasks("container", 2, (3000, 7000), 3200, 2),)
    assert job.inferred["end"] == google.TO_END
    assert dict(report.dropped) == {google.OTHER_RUNS: 1}


def test_nodes_are_as_large_as_the_machine_that_sizes_are_parts_of() -> None:
    found, report = imported(ALIBABA)
    cluster = imported_scenario(found, report).cluster

    assert {(node.memory_mb, node.vcores) for node in cluster.all_nodes()} == {(393_216, 96)}
