"""Jobs of batch systems field by field: SWF in its forms, Slurm's accounting."""

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.formats.traces.application import MappingRules, StageTasks, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import OTHERS, BatchMachine, ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import GANGS, ClusterChoice
from engine.scenario import ScriptedSpec
from tests.engine.formats.traces.samples import (
    APP_LIST,
    APPS,
    JHIST,
    MR1,
    NODES,
    PODS,
    RUMEN,
    SACCT,
    SLS,
    SLS_JOB,
    SPARK,
    SWF,
    SWIM,
    SYNTH,
    imported,
    one,
)
from tests.gates.traces.batch import compared

FIELDS = {
    "job": 1,
    "submit": 10,
    "wait": 5,
    "run": 60,
    "used": 4,
    "cpu": -1,
    "used_memory": -1,
    "asked": 8,
    "asked_s": 100,
    "asked_memory": -1,
    "status": 1,
    "user": 7,
    "group": 1,
    "executable": -1,
    "queue": 2,
    "partition": 3,
    "preceding": -1,
    "think": -1,
}


def line(**changes: object) -> str:
    return " ".join(str(each) for each in {**FIELDS, **changes}.values())


@pytest.mark.parametrize(
    ("changes", "memory_mb"),
    [
        ({"asked_memory": 2048}, 2),
        ({"asked_memory": 1536}, 2),
        ({"asked_memory": 1535}, 1),
        ({"asked_memory": 1}, 1),
        ({"used_memory": 3072}, 3),
        ({"asked_memory": 0, "used_memory": 3072}, 3),
        ({"asked_memory": 1024, "used_memory": 3072}, 1),
        ({}, 100),
    ],
)
def test_memory_is_of_each_processor_where_they_are_containers(changes: dict[str, object], memory_mb: int) -> None:
    job = one(line(**changes), MappingRules(container_mb=100, processors=1))

    assert job.tasks == (TraceTasks("container", 4, (60_000,), memory_mb, 1),)
    assert job.inferred.get("memory") == (None if changes else "100 MB for each processor")


# A batch log is played on one node, as large as its machine, with one container for each job.


def line_batch_machine(number: int, submit_s: int, run_s: int, processors: int) -> str:
    return f"{number} {submit_s} -1 {run_s} {processors} -1 -1 {processors} -1 -1 1 1 1 -1 1 1 -1 -1\n"


def crowded(jobs: int, processors: int, seed: int) -> str:
    """A log whose jobs together want more than the machine has, most of the time."""
    rng, submit_s, text = random.Random(seed), 0, f"; UnixStartTime: 900000000\n; MaxProcs: {processors}\n"
    for number in range(1, jobs + 1):
        submit_s += rng.randrange(0, 60)
        text += line_batch_machine(
            number, submit_s, rng.randrange(1, 900), rng.choice((1, 1, 2, 3, 8, processors // 2, processors))
        )
    return text


@pytest.mark.parametrize("seed", range(3))
def test_every_job_starts_when_an_independent_first_fit_starts_it(tmp_path: Path, seed: int) -> None:
    log = tmp_path / "crowded.swf"
    log.write_text(crowded(400, 16, seed))

    found = compared(log)

    assert (found.jobs, found.finished, found.equal) == (400, 400, 400)


def test_the_machine_is_what_the_header_says_whatever_jobs_are_taken() -> None:
    """Processors before nodes, of which a node may hold several; jobs count only where no header does."""
    texts = ("; MaxNodes: 8\n; MaxProcs: 1,032\n", "; MaxNodes: 8\n", "")

    found = [
        imported(head + line_batch_machine(1, 0, 9, 4) + line_batch_machine(2, 0, 9, 6))[1].machine for head in texts
    ]

    assert found == [BatchMachine(1032, is_named=True), BatchMachine(8, is_named=True), BatchMachine(6, is_named=False)]


@pytest.mark.parametrize(
    ("policy", "processors", "taken"), [("", None, "fifo"), ("", 1, "fair-2.7"), ("capacity-2.7", None, "capacity-2.7")]
)
def test_a_batch_log_is_first_come_first_served(policy: str, processors: int | None, taken: str) -> None:
    rules = MappingRules(processors=processors)
    applications, report = imported("; MaxProcs: 32\n" + line_batch_machine(1, 0, 9, 4), rules=rules)

    assert imported_scenario(applications, report, ClusterChoice(policy=policy), rules).scheduler == taken
    assert ("queues of the trace are not kept: this scheduler has one" in report.notes) == (taken == "fifo")


def test_queues_that_a_scheduler_cannot_have_are_told() -> None:
    """A parent takes no applications: those of `a` go below it where the trace has an `a.b`."""
    lines = line(queue=1), line(queue=2)
    applications, report = imported("\n".join(lines))
    named = [msgspec.structs.replace(each, queue=name) for each, name in zip(applications, ("a", "a.b"), strict=True)]
    imported_scenario(named, report, ClusterChoice(policy="fair-2.7"))

    told = [each for each in report.notes if each.startswith("applications of queue")]
    assert told == ["applications of queue a are in a.a_own: no queue of that name can take them"]


def test_many_nodes_are_built_where_asked_for_with_a_warning() -> None:
    """A job is a gang of containers, and the report says what can happen."""
    report = ImportReport()
    rules = MappingRules(processors=1)
    applications, report = imported("; MaxProcs: 32\n" + line_batch_machine(1, 0, 9, 4), rules=rules)
    scenario = imported_scenario(applications, report, ClusterChoice(nodes=3), rules)
    spec = scenario.workload[0]

    assert isinstance(spec, ScriptedSpec)
    assert (spec.waits, spec.asks[0].count, len(scenario.cluster.all_nodes())) == (True, 4, 3)
    assert GANGS in report.notes


# Events of histories one by one: MapReduce's, the timeline server's and answers of a ResourceManager.

HISTORY_ROWS_RULES = MappingRules(container_mb=77)


def event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, "event": {f"org.apache.hadoop.{kind}": fields}})


def history(folder: Path, *lines: str) -> tuple[list[TraceApplication], ImportReport]:
    report, path = ImportReport(), folder / "job.jhist"
    path.write_text("\n".join(["Avro-Json", '{"type":"record","name":"Event"}', *lines]))
    return list(read_traces([path], report, HISTORY_ROWS_RULES)), report


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
CONFIGURED = "as the job's configuration beside its history states"
CONFIGURATIONS = [
    ({"map.memory.mb": "2048", "map.cpu.vcores": "2"}, (2048, 2), None, CONFIGURED),
    ({"map.memory.mb": "2048"}, (2048, 1), None, CONFIGURED),
    ({"map.cpu.vcores": "2"}, (None, None), None, HISTORY_ROWS_RULES.size_rule),
    ({"am.mb": "1536", "am.cpu-vcores": "3"}, (None, None), (1536, 3), HISTORY_ROWS_RULES.size_rule),
    ({"am.mb": "1536"}, (None, None), (1536, 1), HISTORY_ROWS_RULES.size_rule),
    ({"am.mb": "0"}, (None, None), None, HISTORY_ROWS_RULES.size_rule),
    ({"am.mb": str(2**31)}, (None, None), None, HISTORY_ROWS_RULES.size_rule),
    ({"am.mb": str(2**31 - 1)}, (None, None), (2**31 - 1, 1), HISTORY_ROWS_RULES.size_rule),
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
    (found,), report = history(tmp_path, SUBMITTED, *ran("m1", 1, 2))

    assert found.tasks == (TraceTasks("map", 1, (1,), *size),)
    assert (found.master, found.inferred, report.faults) == (master, {"memory and vcores": rule}, 0)


# Traces of simulators field by field: SLS, Rumen, SYNTH; and what is written for others.


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
        inferred={
            "arrival, tasks and durations": "drawn from the distributions of the file, with its rand_seed",
            "unit of durations": "task times are seconds",
        },
    )


@pytest.mark.parametrize(
    ("durations", "span"), [([5], (5, 5)), ([2, 4, 9], (2, 8)), ([1, 9, 9, 9], (5, 9)), ([0, 0], (1, 1))]
)
def test_durations_of_a_stage_are_around_their_mean(durations: list[int], span: tuple[int, int]) -> None:
    stage = StageTasks()
    for each in durations:
        stage.add(each)

    assert (stage.span(), stage.count, stage.total) == (span, len(durations), sum(durations))


# Rows of tables of machines and jobs, field by field: Alibaba's, Google's, openb's.

TABLE_ROWS_RULES = MappingRules(machine_mb=1000, machine_vcores=10, container_mb=77, container_vcores=3)


def events(*lines: str) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported("\n".join(lines) + "\n", "google", TABLE_ROWS_RULES)
    assert (report.machine_size, list(report.notes)) == (
        (1000, 10),
        ["priorities, scheduling classes and constraints between tasks are not kept"],
    )
    return found, dict(report.dropped), report.faults


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("x,,1,0,,0,ann,2,9,,,,", 1),
        ("1,,,0,,0,ann,2,9,,,,", 1),
        ("1,,1,,,0,ann,2,9,,,,", 1),
        ("1,,1,0,,9,ann,2,9,,,,", 1),
        (f"{2**62},,1,0,,0,ann,2,9,,,,", 0),
    ],
)
def test_events_of_google_that_cannot_be_are_faults(line: str, faults: int) -> None:
    found, _, found_faults = events("5000000,,7,0,,0,ann,2,9,0.25,0.1,0.1,0", line)

    assert ([each.id for each in found], found_faults) == (["7"], faults)


# Jobs of Slurm, as `sacct -P` lists them.


@pytest.mark.parametrize("column", ["AllocTRES", "ReqTRES"])
def test_processors_and_times_of_sacct_may_be_written_otherwise(column: str) -> None:
    """All resources of a job in one column, instants in seconds since the epoch."""
    job = one(f"State|{column}|Submit|Elapsed|JobID\nCOMPLETED|billing=8,cpu=4,node=1|1700000000|00:00:09|7\n")

    assert (job.submitted_ms, job.tasks[0].vcores, job.tasks[0].durations_ms) == (1_700_000_000_000, 4, (9000,))


def test_a_job_of_sacct_is_one_of_a_batch_log() -> None:
    """By the names of columns; a step is no job, and what never ran has no tasks."""
    (ran, waits), report = imported(SACCT)

    assert (ran.id, ran.user, ran.queue, ran.state) == ("7", "ann", "long", "COMPLETED")
    assert ran.tasks == (TraceTasks("container", 1, (3_600_000,), 16 * 1024, 16),)
    assert (ran.submitted_ms, "arrival" in ran.inferred) == (1_704_164_645_000, False)
    assert (waits.id, waits.tasks) == ("8", ())
    assert report.dropped["steps of jobs, whose processors are those of the job"] == 1
    assert report.machine is not None
    assert report.machine.processors == 16


@pytest.mark.parametrize(("start_s", "most"), [(1_700_000_008, 12), (1_700_000_009, 8)])
def test_a_job_that_still_runs_was_busy_as_long_as_it_had_run(start_s: int, most: int) -> None:
    """With those that began meanwhile; `sacct` writes no end of it."""
    text = "JobID|Start|End|Elapsed|AllocCPUS|State\n7|1700000000|Unknown|00:00:09|8|RUNNING\n"
    jobs, report = imported(f"{text}8|{start_s}|{start_s + 5}|00:00:05|4|COMPLETED\n")

    assert report.machine is not None
    assert report.machine.processors == most
    assert all("arrival" in job.inferred for job in jobs)


# What each reader makes of a small trace.


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
    assert (second.tasks, second.finished_ms) == ((TraceTasks("container", 1, (60_000,)),), None)


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

    assert job.tasks == (TraceTasks("map", 1, (10_000,), hosts=("n2",)), TraceTasks("reduce", 1, (2000,)))
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
    assert dict(imported(NODES)[1].dropped) == {"GPUs of nodes, which are not simulated": 1}


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
    assert dict(report.dropped) == {
        "removals of executors, as the most at once are asked for together and kept to the end": 1,
        "stages of which no task ended": 1,
    }


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


@pytest.mark.parametrize(
    ("held", "master", "sizes"),
    [((3072, 2, 1), (3072, 2), []), ((5120, 4, 3), (1024, 2), [(2048, 1)])],
)
def test_an_application_that_runs_has_the_sizes_it_holds(
    held: tuple[int, int, int], master: tuple[int, int], sizes: list[tuple[int, int]]
) -> None:
    """After a minute with all of it: MB, vcores and containers together."""
    names = ("allocatedMB", "allocatedVCores", "runningContainers")
    sums = {"memorySeconds": 60 * held[0], "vcoreSeconds": 60 * held[1], "elapsedTime": 60_000}
    row = {
        "id": "application_1_0001",
        "startedTime": 1000,
        "state": "RUNNING",
        **sums,
        **dict(zip(names, held, strict=True)),
    }
    ((found,), _) = imported(json.dumps({"apps": {"app": [row]}}))

    assert (found.master, [(each.memory_mb, each.vcores) for each in found.tasks]) == (master, sizes)


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
