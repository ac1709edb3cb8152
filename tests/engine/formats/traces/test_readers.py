"""What each reader makes of a small trace."""

import json
from pathlib import Path

import pytest

from engine.formats.traces.application import MappingRules, TraceNode, TraceTasks
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import OTHERS, ImportReport
from engine.formats.traces.spark_event_log import REMOVED
from tests.engine.formats.traces.samples import (
    APP_LIST,
    APPS,
    JHIST,
    MR1,
    PODS,
    RUMEN,
    SLS,
    SLS_JOB,
    SPARK,
    SWF,
    SWIM,
    SYNTH,
    imported,
    one,
)

GOLDEN = Path(__file__).parents[3] / "cases" / "recorded"


def test_an_sls_job_has_its_tasks_by_kind() -> None:
    job = one(SLS)

    assert (job.id, job.submitted_ms, job.queue, job.user, job.behaviour) == ("j1", 5000, "etl", "ann", "mapreduce")
    assert job.tasks == (TraceTasks("map", 1, (30_000,), hosts=("n1",)), TraceTasks("reduce", 2, (7000,)))
    assert job.inferred["memory and vcores"] == MappingRules().size_rule
    assert imported(SLS)[1].nodes == {"n1": TraceNode("n1", "/r1")}


def test_an_sls_job_is_cloned_by_its_count_and_nodes_are_counted() -> None:
    text = '{"num.nodes": 3, "num.racks": 2}\n' + json.dumps({**SLS_JOB, "job.count": 2})
    found, report = imported(text)

    assert [each.id for each in found] == ["job_1", "job_2"]
    assert [node.rack for node in report.nodes.values()] == ["/rack1", "/rack2", "/rack1", "/r1"]


def test_synth_jobs_are_drawn_as_a_description_says() -> None:
    found, report = imported(SYNTH)

    assert len(found) == 3
    assert {job.tasks[0] for job in found} == {TraceTasks("map", 2, (10_000, 10_000), 2048)}
    assert all((job.tasks[1].kind, job.tasks[1].count, job.tasks[1].memory_mb) == ("reduce", 1, None) for job in found)
    assert all(1000 <= job.submitted_ms < 60_000 for job in found)
    assert [node.rack for node in report.nodes.values()] == ["/rack1", "/rack1", "/rack2", "/rack2"]


def test_synth_jobs_are_those_of_hadoop() -> None:
    recorded = json.loads((GOLDEN / "synth-3.4.2.json").read_text())

    found, _ = imported(json.dumps(recorded["description"]))

    assert [
        [
            job.name,
            job.submitted_ms,
            job.queue,
            job.user,
            [
                [tasks.kind, duration_ms // 1000, tasks.memory_mb, tasks.vcores]
                for tasks in job.tasks
                for duration_ms in tasks.durations_ms
            ],
        ]
        for job in found
    ] == [
        [*job, [["container" if kind == "stream" else kind, *rest] for kind, *rest in tasks]]
        for *job, tasks in recorded["jobs"]
    ]


def test_of_a_rumen_task_without_success_the_last_attempt_counts() -> None:
    (job,), report = imported(RUMEN)

    assert job.tasks == (TraceTasks("map", 2, (3000, 5000), hosts=("n1", "n2")),)
    assert (job.name, job.finished_ms) == ("sort", 1_371_222_153_874)
    assert dict(report.dropped) == {"tasks without an attempt": 1, OTHERS: 1}
    assert report.nodes["n2"].rack == "/r1"


def test_swim_bytes_become_tasks() -> None:
    first, second = imported(SWIM)[0]

    assert first.submitted_ms == 49_000
    assert first.tasks == (
        TraceTasks("map", 2, (2000 + round((128 + 1 / 2**20 + 1) / 2 / 20 * 1000),)),
        TraceTasks("reduce", 1, (2000 + 100,)),
    )
    assert second.tasks == (TraceTasks("map", 1, (2000,)),)


def test_processors_of_a_job_may_share_containers() -> None:
    (first, _), report = imported(SWF, rules=MappingRules(processors=3))

    assert first.behaviour == "gang"
    assert first.tasks == (TraceTasks("container", 1, (60_000,), 6, 3), TraceTasks("container", 1, (60_000,), 2, 1))
    assert ("containers", MappingRules(processors=3).processor_rule) in report.inferred


def test_the_longer_forms_of_swf_are_read() -> None:
    each = MappingRules(processors=1)
    long = one("0 1356996147 0 60 2 1 1024 2 86400 2097152 1 62 1 1 -1 1 1 1 {1,1} q_1d 1:ppn=2", each)
    named = one(
        "id\tsubmit\twait\tx\n" + "1\t20\t0\t60\t2\t-1\t1\t2\t60\t4096\t1\t1\t1\t1\t1\t1\t-1\t0\tDAG-1\t1\n", each
    )

    assert (long.queue, long.tasks[0].memory_mb) == ("q_1d", 1)
    assert (named.queue, named.tasks[0].memory_mb) == ("q1", 2)


def test_an_application_of_a_resource_manager_has_containers_of_its_sums() -> None:
    first, second = imported(APPS)[0]

    assert first.tasks == (TraceTasks("container", 4, (3800,), 2048, 1, at_ms=1600),)
    assert (first.master, first.state, first.queue) == ((2048, 1), "SUCCEEDED", "root.etl")
    assert (second.tasks, second.finished_ms) == ((), None)


def test_a_spark_log_has_executors_and_stages() -> None:
    (application,), report = imported(SPARK)

    assert application.tasks == (TraceTasks("container", 2, (), 4096 + 409, 2), TraceTasks("stage", 2, (1000, 4000)))
    assert (application.queue, application.user, application.finished_ms) == ("ml", "u", 9000)
    assert dict(report.dropped) == {"tasks that failed or were killed": 1}


def test_a_job_history_has_the_last_attempt_of_each_task() -> None:
    job = one(JHIST)

    assert job.tasks == (TraceTasks("map", 1, (3000,), hosts=("n2",)), TraceTasks("reduce", 1, (1000,)))
    assert (job.queue, job.state, job.submitted_ms, job.finished_ms) == ("q", "SUCCEEDED", 100, 5000)


def test_a_job_history_of_a_job_tracker_has_what_became_of_each_task() -> None:
    """Of a task that succeeded its last attempt, of one killed with its job what ran; values may have quotes."""
    (job,), report = imported(MR1)

    assert job.tasks == (TraceTasks("map", 1, (10_000,), hosts=("n2",)), TraceTasks("reduce", 1, (10_000,)))
    assert (job.id, job.name, job.user, job.queue) == ("job_201003040900_0001", 'a "scan"', "ann", "etl")
    assert (job.state, job.submitted_ms, job.finished_ms) == ("KILLED", 1000, 20_000)
    assert {node.host: node.rack for node in report.nodes.values()} == {"n1": "/r1", "n2": None}
    assert sorted(report.dropped.values()) == [1, 1, 1]
    assert report.logged.policy == "mr1-fifo"


def test_a_pod_is_an_application_of_one_container() -> None:
    (first, second), report = imported(PODS)

    assert first.tasks == (TraceTasks("container", 1, (90_000,), 16_384, 13),)
    assert second.tasks == (TraceTasks("container", 1, (10_000,), 1024, 1),)
    assert (second.queue, second.submitted_ms, second.has_master) == ("BE", 50_000, False)
    assert list(report.dropped.values()) == [1]


def test_executors_that_come_and_go_are_counted_at_their_most() -> None:
    events = [
        {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": [["spark.executor.memory", "2g"]]},
        {"Event": "SparkListenerApplicationStart", "App Name": "a", "Timestamp": 1000},
        {"Event": "SparkListenerBlockManagerAdded", "Block Manager ID": {"Executor ID": "<driver>", "Host": "n0"}},
        {"Event": "SparkListenerBlockManagerAdded", "Block Manager ID": {"Executor ID": "1", "Host": "n1"}},
        {"Event": "SparkListenerExecutorRemoved", "Executor ID": "1"},
        {"Event": "SparkListenerBlockManagerAdded", "Block Manager ID": {"Executor ID": "2", "Host": "n2"}},
        {"Event": "SparkListenerStageSubmitted", "Stage Info": {"Stage ID": 0}},
    ]
    (application,), report = imported("\n".join(json.dumps(event) for event in events))

    assert application.tasks == (TraceTasks("container", 1, (), 2048 + 384, 1),)
    assert list(report.nodes) == ["n1", "n2"]
    assert dict(report.dropped) == {REMOVED: 1, "stages of which no task ended": 1}


@pytest.mark.parametrize("text", ["job0\t1\t1\t1\t1\n", "job0\t1\t1\tx\t1\t1\n", "job0\t-1\t1\t1\t1\t1\n"])
def test_a_bad_line_is_reported_and_the_rest_is_read(text: str) -> None:
    found, report = imported(SWIM + text + SWIM)

    assert len(found) == 4
    assert [problem.line for problem in report.problems] == [3]


def test_the_text_of_the_application_list_is_read_by_numbers() -> None:
    found, report = imported(APP_LIST)

    assert [(each.name, each.user, each.queue, each.submitted_ms) for each in found] == [
        ("shell", "bob", "root.adhoc", 0),
        ("sort", "ann", "root.etl", 1000),
    ]
    assert {each.containers for each in found} == {1}
    assert {value for value, _ in report.inferred} == {"arrival", "containers", "duration", "memory and vcores"}


@pytest.mark.parametrize(("more", "count"), [("", 1), (',"vcoreSeconds":0,"memorySeconds":0', 0)])
def test_an_application_without_sums_is_one_container_for_its_time(more: str, count: int) -> None:
    text = '{"apps":{"app":[{"id":"application_1_0001","startedTime":1000,"finishedTime":6000' + more + "}]}}"
    (found,), report = imported(text)

    assert found.containers == count
    assert [tasks.durations_ms for tasks in found.tasks] == [(5000,)] * count
    assert any("elapsed time" in rule for _, rule in report.inferred) is bool(count)


def test_the_configuration_beside_a_history_states_the_sizes(tmp_path: Path) -> None:
    (tmp_path / "a.jhist").write_text(JHIST)
    (before,) = read_traces([tmp_path / "a.jhist"], ImportReport())
    value = "<property><name>{}</name><value>{}</value></property>"
    lines = [
        value.format("mapreduce.map.memory.mb", "1536"),
        value.format("mapreduce.reduce.memory.mb", "3072"),
        value.format("mapreduce.reduce.cpu.vcores", "2"),
        value.format("yarn.app.mapreduce.am.resource.mb", "2048"),
    ]
    (tmp_path / f"{before.id}_conf.xml").write_text("\n".join(["<configuration>", *lines, "</configuration>"]))
    report = ImportReport()
    (found,) = read_traces([tmp_path], report)
    expected = {"map": (1536, 1), "reduce": (3072, 2)}

    assert [(each.memory_mb, each.vcores) for each in found.tasks] == [expected[each.kind] for each in found.tasks]
    assert found.tasks
    assert (before.master, found.master) == (None, (2048, 1))
    assert report.inferred["memory and vcores", "as the job's configuration beside its history states"] == 1


def test_parts_of_an_interrupted_job_are_not_counted_beside_the_whole() -> None:
    lines = [
        f"{job} 0 0 10 2 -1 -1 2 10 -1 {status} 1 1 1 0 1 -1 -1" for job, status in ((1, 1), (1, 2), (1, 3), (2, 3))
    ]
    found, report = imported("\n".join(lines))

    assert [each.id for each in found] == ["1", "2"]
    assert sum(report.dropped.values()) == 2
