"""Traces of simulators field by field: SLS, Rumen, SYNTH; and what is written for others."""

import json
from typing import Any

import pytest

from engine.formats.traces import sls, synth
from engine.formats.traces.application import StageTasks, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rules import MIB, MappingRules
from tests.engine.formats.traces.samples import imported, one

RULES = MappingRules(container_mb=77)


def job(*tasks: dict[str, Any], **more: Any) -> str:
    """An SLS job."""
    return json.dumps({"job.start.ms": 5, "job.tasks": list(tasks), **more})


def task(**more: Any) -> dict[str, Any]:
    """A task of a second; dots are written as __."""
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in more.items()}
    return {"duration.ms": 1_000, **named}


def test_a_job_of_sls_is_its_tasks_by_kind_and_size() -> None:
    """Field by field."""
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


def test_a_job_of_sls_that_says_little_has_the_rest_by_rule() -> None:
    """As SLS has it."""
    found = one(job(task(), **{"am.memory-mb": 5}))

    assert (found.id, found.name, found.user, found.queue) == ("job_1", "", "default", None)
    assert (found.master, found.finished_ms, found.submitted_ms) == ((5, 1), None, 5)
    assert found.inferred == {"memory and vcores": MappingRules().size_rule}


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
    """One that has none is a fault, and left out."""
    (found,), report = imported(job(fields), "sls")

    assert [tasks.durations_ms for tasks in found.tasks] == ([(duration_ms,)] if duration_ms else [])
    dropped = {"tasks that do not run for any time": 1}
    assert (report.faults, dict(report.dropped)) == ((0, {}) if duration_ms else (1, dropped))


def test_containers_of_another_kind_keep_their_priorities_and_delays() -> None:
    """Those alike that follow one another are one ask."""
    first = task(**{"container.priority": 4, "container.request.delay.ms": 9})
    other = task(**{"container.priority": 4, "container.request.delay": 8})
    found = one(job(first, first, other, first, **{"am.type": "dag"}))

    assert found.behaviour == "containers"
    assert found.tasks == (
        TraceTasks("container", 2, (1_000,), at_ms=9, priority=4),
        TraceTasks("container", 1, (1_000,), at_ms=8, priority=4),
        TraceTasks("container", 1, (1_000,), at_ms=9, priority=4),
    )
    assert one(job(first)).tasks == (TraceTasks("map", 1, (1_000,)),)


@pytest.mark.parametrize(
    ("start_ms", "found"), [(0, (0, False)), (-1, (0, True)), (-(2**53), (0, True)), (-(2**53) - 1, None), ("x", None)]
)
def test_a_job_before_the_beginning_comes_at_it(start_ms: object, found: tuple[int, bool] | None) -> None:
    """One that has no start is a fault."""
    jobs, report = imported(job(task(), **{"job.start.ms": start_ms}), "sls")

    assert [(each.submitted_ms, "arrival" in each.inferred) for each in jobs] == ([found] if found else [])
    assert report.faults == (not found)


def test_so_many_hosts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that tasks name first; an end before 1 is none."""
    monkeypatch.setattr(sls, "MAX_NODES", 2)
    text = job(*(task(**{"container.host": f"/r/n{number}"}) for number in range(3)), **{"job.end.ms": 1})
    (found,), report = imported(text)

    assert (list(report.nodes), found.finished_ms) == (["n0", "n1"], 1)
    assert one(job(task(), **{"job.end.ms": 0})).finished_ms is None


@pytest.mark.parametrize(("count", "ids"), [(0, ["j"]), (1, ["j"]), (2, ["job_1", "job_2"]), ("x", ["j"])])
def test_copies_of_a_job_have_ids_of_their_own(count: object, ids: list[str]) -> None:
    """As many as it says."""
    jobs, _ = imported(job(task(), **{"job.count": count, "job.id": "j"}), "sls")

    assert [each.id for each in jobs] == ids
    assert {each.name for each in jobs} == ({"j"} if ids == ["j"] else {""})


def test_what_sls_has_and_is_not_kept_is_counted() -> None:
    """Labels of jobs, kinds of execution of tasks."""
    tasks = [task(**{"container.execution.type": kind}) for kind in ("OPPORTUNISTIC", "GUARANTEED", "")]
    _, report = imported(job(*tasks, **{"job.label.expr": "gpu"}), "sls")

    assert dict(report.dropped) == {sls.UNKEPT["job.label.expr"]: 1, sls.UNKEPT["container.execution.type"]: 2}


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
    """In turn on racks."""
    _, report = imported(text, "sls")

    assert [node.rack for node in report.nodes.values()] == racks
    assert [node.host for node in report.nodes.values()] == [f"node{number}" for number in range(1, len(racks) + 1)]
    assert report.faults == faults


def test_a_file_of_nodes_has_racks_of_nodes() -> None:
    """With sizes and the first label; what has no name is a fault."""
    nodes = [
        {"node": "/x/n1", "memory-mb": 5, "vcores": 2, "labels": "a(x),b"},
        {"node": "n2", "memory-mb": 0, "vcores": 0},
        {"node": ""},
        5,
    ]
    racks = [{"rack": "r/", "nodes": nodes}, {"nodes": [{"node": "n3"}]}, {"rack": "x"}]
    _, report = imported("\n".join(map(json.dumps, racks)), "sls-nodes")

    assert list(report.nodes.values()) == [
        TraceNode("n1", "/r", 5, 2, "a"),
        TraceNode("n2", "/r"),
        TraceNode("n3", "/default-rack"),
    ]
    assert report.faults == 3


def attempt(start: int, finish: int, host: str = "/r/n1") -> dict[str, Any]:
    """An attempt of Rumen."""
    return {"attempts": [{"hostName": host, "startTime": start, "finishTime": finish}]}


def test_a_job_of_rumen_is_its_tasks_with_their_last_attempts() -> None:
    """Field by field."""
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
        "tasks of which no attempt has a start and an end": 1,
    }
    assert [(node.host, node.rack) for node in report.nodes.values()] == [("n1", "/r"), ("n2", None), ("n3", "/x")]


def test_a_job_of_rumen_without_a_submission_is_a_fault() -> None:
    """By its line."""
    _, report = imported('{"jobID": "a", "submitTime": "x", "mapTasks": []}', "rumen")

    assert [problem.message for problem in report.problems] == ["a job has a submitTime"]


def drawn(*tasks: dict[str, Any], **more: Any) -> tuple[list[TraceApplication], ImportReport]:
    """Jobs of a description with one class."""
    classes = [{"class_name": "c", "user_name": "u", "tasks": list(tasks)}]
    workload = {"queue_name": "q", "job_classes": classes, "time_distribution": [{"time": 7, "weight": 1}]}
    return imported(json.dumps({"num_jobs": 1, "workloads": [workload], **more}), "synth")


@pytest.mark.parametrize(
    ("kind", "found"), [("map", "map"), ("reduce", "reduce"), ("stream", "container"), ("", "container")]
)
def test_a_job_of_synth_is_drawn_of_its_class(kind: str, found: str) -> None:
    """Constants are what they are, rounded with halves upwards; sizes have a least."""
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
    ("task_of", "found"),
    [
        ({"count": 2, "time": 0}, (2, (1, 1))),
        ({"count": {"val": 0.4}, "time": 5}, None),
        ({"count": {"val": -1}, "time": 5}, None),
        ({"count": {"discrete": ["3"], "weights": [1]}, "time": 5}, (3, (5_000,) * 3)),
        ({"count": {"discrete": [1, 2], "weights": [0, 1]}, "time": 5}, (2, (5_000,) * 2)),
        ({"count": {"discrete": [1, 2], "weights": [1, 0]}, "time": 5}, (1, (5_000,))),
        ({"count": {"discrete": []}, "time": 5}, None),
        ({"count": 1, "time": True}, (1, (1,))),
        ({"count": 1, "time": {"val": 0, "std": 5}}, (1, (1,))),
    ],
)
def test_samples_of_nothing_draw_nothing(task_of: dict[str, Any], found: tuple[int, tuple[int, ...]] | None) -> None:
    """A task lasts a millisecond at least; a kind without tasks is left out."""
    (each,), _ = drawn({"type": "map", **task_of})

    assert [(tasks.count, tasks.durations_ms) for tasks in each.tasks] == ([found] if found else [])


@pytest.mark.parametrize(
    ("more", "racks"),
    [
        ({"num_nodes": 3, "nodes_per_rack": 2}, ["/rack1", "/rack1", "/rack2"]),
        ({"num_nodes": 2, "nodes_per_rack": 1}, ["/rack1", "/rack2"]),
        ({"num_nodes": 2}, ["/rack1", "/rack1"]),
        ({"num_nodes": 2, "nodes_per_rack": 0}, ["/rack1", "/rack1"]),
        ({"num_nodes": 0}, []),
        ({}, []),
    ],
)
def test_nodes_of_synth_fill_one_rack_after_the_other(more: dict[str, int], racks: list[str]) -> None:
    """So many on each."""
    _, report = drawn({"type": "map", "count": 1, "time": 1}, **more)

    assert [(node.host, node.rack) for node in report.nodes.values()] == [
        (f"node{number}", rack) for number, rack in enumerate(racks, 1)
    ]


def test_jobs_come_between_the_beginnings_of_stretches() -> None:
    """The last one has no length; jobs are as many as it says."""
    workload = {
        "job_classes": [{"tasks": []}],
        "time_distribution": [{"time": 5, "weight": 1}, {"time": 9, "weight": 0}],
    }
    found, _ = imported(json.dumps({"num_jobs": 50, "rand_seed": 7, "workloads": [workload]}), "synth")

    assert {each.submitted_ms for each in found} == {5_000, 6_000, 7_000, 8_000}
    assert [each.submitted_ms for each in found] == sorted(each.submitted_ms for each in found)
    assert (len(found), found[0].user, found[0].queue, found[0].name) == (50, "default", None, "")


def test_a_description_without_workloads_is_a_fault() -> None:
    """Of no use."""
    _, report = imported('{"num_jobs": 1, "workloads": []}', "synth")

    assert [problem.message for problem in report.problems] == ["a description has workloads"]


@pytest.mark.parametrize(
    ("durations", "span"), [([5], (5, 5)), ([2, 4, 9], (2, 8)), ([1, 9, 9, 9], (5, 9)), ([0, 0], (1, 1))]
)
def test_durations_of_a_stage_are_around_their_mean(durations: list[int], span: tuple[int, int]) -> None:
    """As far as the nearer end reaches; a millisecond at least."""
    stage = StageTasks()
    for each in durations:
        stage.add(each)

    assert (stage.span(), stage.count, stage.total) == (span, len(durations), sum(durations))


def test_rules_of_bytes_have_their_numbers() -> None:
    """Splits begin anew at their size, and bytes take their time at a rate."""
    rules = MappingRules(split_mb=2, reduce_mb=3, map_mb_per_s=4.0, reduce_mb_per_s=5.0, start_up_ms=6)

    assert [rules.maps(size) for size in (0, 1, 2 * MIB, 2 * MIB + 1)] == [1, 1, 1, 2]
    assert [rules.reduces(size) for size in (0, 1, 3 * MIB, 3 * MIB + 1)] == [0, 1, 1, 2]
    assert (rules.map_ms(8 * MIB), rules.reduce_ms(10 * MIB), rules.map_ms(0)) == (2_006, 2_006, 6)
    assert (rules.split_rule, rules.reduce_rule) == (
        "one map for each 2 MB of input",
        "one reduce for each 3 MB of shuffle",
    )
    assert rules.rate_rule == "0.006 s to start, then 4 MB/s for each map and 5 MB/s for each reduce"
    assert MappingRules(duration_ms=1_500).duration_rule == "a task runs 1.5 s"
    assert MappingRules(container_mb=7, container_vcores=2).size_rule == "a container has 7 MB and 2 vcore(s)"
    machine = "parts of a machine of 8 MB and 9 vcores (--node-size), rounded up"
    assert MappingRules(machine_mb=8, machine_vcores=9).machine_rule == machine


@pytest.mark.parametrize(
    ("processors", "words"),
    [
        (None, "a job is one container with a vcore and 1024 MB for each processor"),
        (1, "one container for each processor, a vcore for each processor, all of them together"),
        (2, "one container for up to 2 processors, a vcore for each processor, all of them together"),
    ],
)
def test_the_rule_of_processors_is_a_sentence(processors: int | None, words: str) -> None:
    """Of one, of several, of all."""
    assert MappingRules(processors=processors).processor_rule == words
