"""Jobs of batch systems field by field: SWF in its forms, Slurm's accounting."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from engine.formats.traces import cluster_tables as google
from engine.formats.traces import mr1_history as job_history
from engine.formats.traces import sls
from engine.formats.traces.application import MappingRules, StageTasks, TraceApplication, TraceTasks
from engine.formats.traces.batch_logs import NO_TIMES
from engine.formats.traces.parsing import Columns, rows
from engine.formats.traces.report import BatchMachine, ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import GANGS, ClusterChoice
from engine.scenario import ScriptedSpec
from tests.engine.formats.traces.samples import SACCT, imported, one, source
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
    texts = ("; MaxNodes: 8\n; MaxProcs: 32\n", "; MaxNodes: 8\n", "")

    found = [
        imported(head + line_batch_machine(1, 0, 9, 4) + line_batch_machine(2, 0, 9, 6))[1].machine for head in texts
    ]

    assert found == [BatchMachine(32, is_named=True), BatchMachine(8, is_named=True), BatchMachine(6, is_named=False)]


@pytest.mark.parametrize(
    ("policy", "processors", "taken"), [("", None, "fifo"), ("", 1, "fair-2.7"), ("capacity-2.7", None, "capacity-2.7")]
)
def test_a_batch_log_is_first_come_first_served(policy: str, processors: int | None, taken: str) -> None:
    rules = MappingRules(processors=processors)
    applications, report = imported("; MaxProcs: 32\n" + line_batch_machine(1, 0, 9, 4), rules=rules)

    assert imported_scenario(applications, report, ClusterChoice(policy=policy), rules).scheduler == taken
    assert ("queues of the trace are not kept: this scheduler has one" in report.notes) == (taken == "fifo")


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


def history(*lines: str, name: str = "job.jhist") -> tuple[list[TraceApplication], ImportReport]:
    report = ImportReport()
    text = "\n".join([job_history.FORMAT_LINE, '{"type":"record","name":"Event"}', *lines])
    return list(job_history.read_job_history(source(text, report, name), HISTORY_ROWS_RULES)), report


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
    (found,), report = history(SUBMITTED, *ran("m1", 1, 2), name=str(tmp_path / "job.jhist"))

    assert found.tasks == (TraceTasks("map", 1, (1,), *size),)
    assert (found.master, found.inferred, report.faults) == (master, {"memory and vcores": rule}, 0)


# ---------------------------------------------------------------- the timeline server


# ---------------------------------------------------------------- sums of a ResourceManager


# Traces of simulators field by field: SLS, Rumen, SYNTH; and what is written for others.


def job(*tasks: dict[str, Any], **more: Any) -> str:
    return json.dumps({"job.start.ms": 5, "job.tasks": list(tasks), **more})


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
        inferred={"arrival, tasks and durations": sls.DRAWN, "unit of durations": sls.SECONDS},
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


@pytest.mark.parametrize(
    ("text", "order", "found"),
    [
        ("a,b\n1, 2\n", (), [(2, {"a": "1", "b": "2"})]),
        ("A_a,b-B\n1,2,3\n", (), [(2, {"aa": "1", "bb": "2"})]),
        ("1,2\n3\n", ("a", "b"), [(1, {"a": "1", "b": "2"}), (2, {"a": "3"})]),
        ("b,a\n1,2\n", ("a", "b"), [(2, {"b": "1", "a": "2"})]),
        ("b,x\n1,2\n", ("a", "b"), [(1, {"a": "b", "b": "x"}), (2, {"a": "1", "b": "2"})]),
        ("b,a,x\n1,2\n", ("a", "b"), [(2, {"b": "1", "a": "2"})]),
        ('a,b\n"1,5",2\n', (), [(2, {"a": "1,5", "b": "2"})]),
        ('a,b\n"1"\n', (), [(2, {"a": "1"})]),
    ],
)
def test_columns_are_found_by_the_first_line_or_stand_in_order(
    text: str, order: tuple[str, ...], found: list[tuple[int, dict[str, str]]]
) -> None:
    assert list(rows(source(text), Columns(order))) == found


def event_table_rows(at_us: int, kind: int, task: int = 0, job: int = 1, size: str = "0.25,0.1") -> str:
    return f"{at_us},,{job},{task},,{kind},ann,2,9,{size},0.1,0"


def events(*lines: str) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported("\n".join(lines) + "\n", "google", TABLE_ROWS_RULES)
    assert (report.machine_size, list(report.notes)) == ((1000, 10), [google.NO_CLASSES])
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
    found, _, found_faults = events(event_table_rows(5_000_000, 0, 0, 7), line)

    assert ([each.id for each in found], found_faults) == (["7"], faults)


# Jobs of Slurm, as `sacct -P` lists them.


def test_a_table_of_sacct_without_times_is_refused_once() -> None:
    found, report = imported("JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode\n7|a|p|x|1|RUNNING|0:0\n" * 2)

    assert (found, report.faults, report.problems[0].message[:60]) == ([], 1, NO_TIMES[:60])


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
    assert ran.submitted_ms == 1_704_164_645_000
    assert (waits.id, waits.tasks) == ("8", ())
    assert report.dropped["steps of jobs, whose processors are those of the job"] == 1
    assert report.machine is not None
    assert report.machine.processors == 16
