"""Jobs of batch systems field by field: SWF in its forms, Slurm's accounting."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces import batch_logs as sacct
from engine.formats.traces import cluster_tables as google
from engine.formats.traces import mr1_history as job_history
from engine.formats.traces import synth, timeline_history
from engine.formats.traces.application import MappingRules, StageTasks, TraceApplication, TraceTasks, whole, words
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.parsing import Columns, rows
from engine.formats.traces.report import BatchMachine, ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import GANGS, TOO_LARGE, ClusterChoice
from engine.scenario import ScriptedSpec
from tests.engine.formats.traces.samples import imported, one, source
from tests.gates.traces.batch import compared

RULES = MappingRules(container_mb=100)
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


@pytest.mark.parametrize(("status", "state"), [(0, "FAILED"), (1, "SUCCEEDED"), (5, "KILLED"), (-1, ""), (4, "")])
def test_each_status_has_its_state(status: int, state: str) -> None:
    assert one(line(status=status)).state == state


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


@pytest.mark.parametrize("text", ["1 2 3", f"x {line()}", line(submit="x"), line(job="-2")])
def test_a_line_that_is_no_job_is_a_fault(text: str) -> None:
    found, report = imported(f"{line()}\n{text}", "swf")

    assert [problem.line for problem in report.problems] == [2]
    assert report.problems[0].message == "a job has 18 numbers"
    assert len(found) == 1


SLURM = "JobID|JobName|User|Partition|Submit|Start|End|Elapsed|AllocCPUS|State"


def slurm(*cells: str, names: str = SLURM) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported("\n".join([names, *cells]) + "\n", "sacct", RULES)
    assert list(report.notes) == [sacct.LOCAL]
    return found, dict(report.dropped), report.faults


@pytest.mark.parametrize(
    ("elapsed", "start", "end", "run_ms"),
    [
        ("00:00:01", "x", "x", 1_000),
        ("1-02:03:04", "x", "x", ((26 * 60 + 3) * 60 + 4) * 1_000),
        ("x", "2024-01-02T00:00:00", "2024-01-02T00:00:07", 7_000),
        ("", "1700000000", "1700000009", 9_000),
        ("x", "2024-01-02T00:00:00", "Unknown", None),
        ("x", "Unknown", "2024-01-02T00:00:00", None),
        ("00:00:00", "x", "x", None),
    ],
)
def test_how_long_a_job_ran_is_said_or_between_its_start_and_its_end(
    elapsed: str, start: str, end: str, run_ms: int | None
) -> None:
    (job,), _, _ = slurm(f"7|1700000000|{start}|{end}|{elapsed}|1", names="JobID|Submit|Start|End|Elapsed|NCPUS")

    assert [tasks.durations_ms for tasks in job.tasks] == ([(run_ms,)] if run_ms else [])


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


def test_the_node_has_a_vcore_and_memory_for_each_processor() -> None:
    applications, report = imported(
        "; MaxProcs: 32\n" + line_batch_machine(1, 0, 9, 4), rules=MappingRules(container_mb=100)
    )
    cluster = imported_scenario(applications, report, rules=MappingRules(container_mb=100)).cluster

    assert applications[0].tasks == (TraceTasks("container", 1, (9000,), 400, 4),)
    assert [(node.memory_mb, node.vcores) for node in cluster.all_nodes()] == [(3200, 32)]


def test_a_job_larger_than_the_machine_is_dropped() -> None:
    applications, report = imported("; MaxProcs: 8\n" + line_batch_machine(1, 0, 9, 8) + line_batch_machine(2, 0, 9, 9))
    scenario = imported_scenario(applications, report)

    assert [spec.name for spec in scenario.workload] == ["1"]
    assert report.dropped == {TOO_LARGE: 1}


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


def entity(kind: str, identity: str, events: dict[str, int] | None = None, /, **info: Any) -> dict[str, Any]:
    listed = [{"eventtype": name, "timestamp": at_ms} for name, at_ms in (events or {}).items()]
    return {"entitytype": kind, "entity": identity, "events": listed, "otherinfo": info}


def entities(*each: dict[str, Any]) -> tuple[list[TraceApplication], ImportReport]:
    report = ImportReport()
    text = "\n".join(json.dumps(one) for one in each)
    return list(BY_NAME["ats"].read([source(text, report)], HISTORY_ROWS_RULES)), report


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


# Traces of simulators field by field: SLS, Rumen, SYNTH; and what is written for others.


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


# Rows of tables of machines and jobs, field by field: Alibaba's, Google's, openb's.

TABLE_ROWS_RULES = MappingRules(machine_mb=1000, machine_vcores=10, container_mb=77, container_vcores=3)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", 12),
        (" 7 ", 7),
        (3.9, 3),
        ("3.9", 3),
        (-1, None),
        ("", None),
        ("x", None),
        (None, None),
        (True, None),
        ([], None),
        ("1" * 19, None),
        (2**53, 2**53),
        (2**53 + 1, None),
        (float("inf"), None),
        ("1e3", 1000),
        ("nan", None),
        ("-0.5", None),
    ],
)
def test_a_number_of_a_trace_is_a_whole_one(text: object, found: int | None) -> None:
    assert whole(text) == found


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50))
def test_a_number_lies_within_its_bounds(value: int, least: int, most: int) -> None:
    assert whole(str(value), least, most) == whole(value, least, most) == (value if least <= value <= most else None)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (" a\n\tb ", "a b"),
        (7, "7"),
        (2**63 - 1, "9223372036854775807"),
        (2**63, ""),
        (True, ""),
        (None, ""),
        (1.5, ""),
        ("x" * 201, "x" * 200),
    ],
)
def test_a_text_of_a_trace_is_one_line_of_bounded_length(value: object, found: str) -> None:
    assert words(value) == found


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
