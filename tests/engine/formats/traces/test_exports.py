"""A scenario is written for other simulators, and what they keep is read back."""

import json
from math import exp, floor, log, log1p, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.scenario_toml import load
from engine.formats.traces.application import BANDS, EXACT, TraceApplication, TraceTasks
from engine.formats.traces.exports import BUCKETS, UNKEPT, applications_of, described, sls_nodes, sls_trace, swim_trace
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import BY_TIMES, ClusterChoice
from engine.model.java_values import JavaRandom, Well19937c
from engine.run import Run
from engine.scenario import Scenario
from engine.serve.attempts import AppsWriter
from tests.engine.formats.traces.samples import SLS_NODES, imported
from tests.engine.formats.traces.test_to_scenario import MAPS, application, scenario


def played(text: str, nodes: str = SLS_NODES) -> Scenario:
    found, report = imported(text, "sls")
    report.nodes = imported(nodes, "sls-nodes")[1].nodes
    return imported_scenario(found, report)


def again(first: Scenario) -> Scenario:
    return played("".join(sls_trace(first, ImportReport())), "".join(sls_nodes(first)))


STATED = {
    "container.memory-mb": st.integers(1, 10**5),
    "container.vcores": st.integers(1, 99),
    "container.priority": st.integers(0, 99),
}


def tasks_with(stated: dict[str, st.SearchStrategy[int]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Tasks of a job, all of which state this or none; alike tasks of one kind beside each other are written as one."""
    optional = {
        "count": st.integers(1, 5),
        "container.host": st.sampled_from(["/r1/n1", "/r1/n2", ""]),
        "container.type": st.sampled_from(["map", "reduce"]),
        "container.request.delay.ms": st.integers(0, 10**6),
    }
    task = st.fixed_dictionaries({"duration.ms": st.integers(1, 10**7), **stated}, optional=optional)
    return st.lists(task, min_size=1, max_size=6)


def by_arrival(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(jobs, key=lambda job: int(job["job.start.ms"]))


JOB = st.fixed_dictionaries(
    {"job.start.ms": st.integers(0, 10**9), "job.tasks": tasks_with({}) | tasks_with(STATED)},
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


SPARK_TASKS = (TraceTasks("container", 2, (), 1024, 2), TraceTasks("stage", 8, (10, 20)))


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


# What SYNTH draws, in which turn: distributions, weights, and the form before Hadoop 3.1.


def drawn(*classes: dict[str, Any], jobs: object = 1, seed: object = 3, **more: Any) -> list[TraceApplication]:
    workload = {"job_classes": classes, **more}
    found, report = imported(json.dumps({"num_jobs": jobs, "rand_seed": seed, "workloads": [workload]}), "synth")
    assert report.faults == 0
    return found


def durations(time: Any, seed: object = 3, count: int = 4, **more: Any) -> tuple[int, ...]:
    tasks = {"type": "map", "count": count, "time": time}
    return tuple(each for job in drawn({"tasks": [tasks], **more}, seed=seed) for each in job.tasks[0].durations_ms)


def expected(mean: float, deviation: float, seed: int, before: int = 0, *, is_logarithm: bool) -> tuple[int, ...]:
    """The same by the rule, of a distribution that is given its seed behind so many others."""
    seeds = JavaRandom(seed)
    for _ in range(before):
        seeds.next_long()
    generator = Well19937c(seeds.next_long())
    if is_logarithm:
        spread = log1p((deviation / mean) ** 2)
        mean, deviation = log(mean) - spread / 2, sqrt(spread)
    numbers = [generator.next_gaussian() * deviation + mean for _ in range(4)]
    return tuple(max(1, 1000 * floor((exp(each) if is_logarithm else each) + 0.5)) for each in numbers)


@pytest.mark.parametrize("seed", [0, 1, -5, 2**63 - 1, -(2**63) + 1])
@pytest.mark.parametrize(
    ("time", "is_logarithm", "deviation"),
    [
        ({"val": 1000, "std": 400}, True, 400),
        ({"val": 1000, "std": 400, "dist": "LOGNORM"}, True, 400),
        ({"val": 1000, "std": 400, "dist": "NORM"}, False, 400),
        ({"val": 1000, "std": 0, "dist": "NORM"}, False, 1000 / 6),
        ({"val": 1000, "std": 2000, "dist": "NORM"}, False, 2000),
        ({"val": 1000, "std": 0}, True, 1000 / 6),
    ],
)
def test_a_distribution_has_a_generator_of_its_own(
    time: Any, deviation: float, seed: int, *, is_logarithm: bool
) -> None:
    """Seeded by that of the file; without a deviation it is a sixth of the mean."""
    assert durations(time, seed) == expected(1000, deviation, seed, is_logarithm=is_logarithm)


@pytest.mark.parametrize("seed", range(5))
def test_a_job_draws_its_workload_its_instant_and_its_class(seed: int) -> None:
    """In this turn; within a stretch without a length nothing is drawn. Equal instants keep Java's order."""
    classes = [{"class_name": name, "class_weight": weight, "tasks": []} for name, weight in (("a", 1), ("b", 2))]
    workloads = [
        {"queue_name": name, "workload_weight": weight, "job_classes": classes, "time_distribution": stretches}
        for name, weight, stretches in (
            ("p", 3, [{"time": 0, "weight": 1}, {"time": 10**6, "weight": 0}]),
            ("q", 2, [{"time": 10**6, "weight": 1}, {"time": 10**7, "weight": 1}]),
        )
    ]
    text = json.dumps({"num_jobs": 12, "rand_seed": seed, "workloads": workloads})
    found, _ = imported(text, "synth")

    random, expected = JavaRandom(seed), []
    for _ in range(12):
        queue = "p" if random.next_double() * 5 < 3 else "q"
        is_first = random.next_double() * (1 if queue == "p" else 2) < 1
        if queue == "p":
            second = random.next_int(10**6)
        else:
            second = 10**6 + random.next_int(9 * 10**6) if is_first else 10**7
        expected.append((1000 * second, queue, "a" if random.next_double() * 3 < 1 else "b"))
    assert [job.submitted_ms for job in found] == sorted(each[0] for each in expected)
    assert sorted((job.submitted_ms, job.queue, job.name) for job in found) == sorted(expected)


def test_where_no_class_weighs_anything_the_last_is_drawn() -> None:
    classes = [{"class_name": name, "class_weight": 0, "tasks": []} for name in "abc"]
    assert {job.name for job in drawn(*classes, jobs=4)} == {"c"}


# What a workload is like.


def test_a_workload_is_described_by_queue_and_user() -> None:
    """The largest groups first; arrivals in equal stretches, the last instant in the last one."""
    tasks = TraceTasks("container", 4, (2000,), 512, 1)
    picture = described(
        [
            application(tasks, submitted_ms=1000, queue="a", user="x"),
            application(tasks, submitted_ms=2000, queue="b", user="x"),
            application(tasks, TraceTasks("container", 1, (), 1024, 1), submitted_ms=121_000, queue="b", user="y"),
        ]
    )

    assert (picture.first_ms, picture.last_ms, picture.behaviours) == (1000, 121_000, {"mapreduce": 3})
    assert [(group.name, group.applications) for group in picture.queues] == [("b", 2), ("a", 1)]
    assert [(group.name, group.work_ms) for group in picture.users] == [("x", 16_000), ("y", 8000)]
    assert (picture.total.containers.most, picture.total.memory_mb.most) == (5, 1024)
    assert picture.total.duration_ms.median == 2000
    assert (len(picture.arrivals), picture.arrivals[0], picture.arrivals[-1]) == (BUCKETS, 2, 1)


def test_every_kind_of_application_of_a_scenario_is_described() -> None:
    report = ImportReport()
    found = list(applications_of(load("reservation-deadlock"), report))

    assert len(found) == len({each.id for each in found}) == 212
    assert {each.behaviour for each in found} == {"containers", "gang", "mapreduce", "spark"}
    assert [each.submitted_ms for each in found] == sorted(each.submitted_ms for each in found)
    assert any("drawn" in note for note in report.notes)


# Laws of what is imported: what is played has what is stated, or the report says how far it is from it.


START = "2026-01-01T00:00:00Z"


def apps_of(scenario: Scenario) -> list[dict[str, Any]]:
    """What a ResourceManager would say of each application at the end, in the order of their submission."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "apps.json"
        with AppsWriter.to_file(path, scenario) as writer:
            run = Run(scenario, [writer], is_judged=False)
            writer.follow(run.simulation)
            run.advance(run.until_ms)
            writer.finish()
        return sorted(json.loads(path.read_text())["apps"]["app"], key=lambda row: row["id"])


def sums_of(scenario: Scenario) -> list[tuple[str, int, int]]:
    """Name, MB · s and vcore · s of each application, played."""
    return [(row["name"], row["memorySeconds"], row["vcoreSeconds"]) for row in apps_of(scenario)]


def answer(rows: list[dict[str, Any]]) -> str:
    """The answer of a ResourceManager about applications that have ended, in the order of their submission."""
    named = {"user": "u", "queue": "default", "state": "FINISHED", "finalStatus": "SUCCEEDED", "applicationType": "X"}
    return json.dumps({"apps": {"app": [{**named, "id": f"application_1_{row['name']}", **row} for row in rows]}})


@st.composite
def stated(draw: st.DrawFn) -> dict[str, Any]:
    """An application that has ended, with sums of any size within reason."""
    started_ms = 1_476_913_457_000 + draw(st.integers(0, 3_600_000))
    life_s = draw(st.integers(1, 7200))
    vcore_s = round(life_s * draw(st.floats(0.01, 40)))
    each_mb = draw(st.one_of(st.sampled_from([256, 512, 1024, 1536, 2048, 8192]), st.floats(60, 9000)))
    return {
        "startedTime": started_ms,
        "finishedTime": started_ms + life_s * 1000,
        "elapsedTime": life_s * 1000,
        "memorySeconds": int(max(1, vcore_s) * each_mb),
        "vcoreSeconds": vcore_s,
    }


def bound_of(application: TraceApplication) -> float:
    """How far the report lets the sums of an application be from what is stated."""
    off = application.inferred.get("sums", "")
    return next((band for band in BANDS if f" {band:.0%} off" in off), 1e9) if off else EXACT


@given(st.lists(stated(), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_sums_are_played_as_stated_or_the_report_says_how_far_off(rows: list[dict[str, Any]]) -> None:
    """Where nothing waits: within 5 %, or what the report says of it, but for a second of what it holds."""
    named = {f"{number:04d}": row for number, row in enumerate(sorted(rows, key=lambda row: row["startedTime"]), 1)}
    applications, report = imported(answer([{**row, "name": name} for name, row in named.items()]))
    bounds = {each.name: bound_of(each) for each in applications}
    containers = {each.name: 1 + each.containers for each in applications}
    roomy = ClusterChoice(nodes=10 + sum(containers.values()))
    found = sums_of(imported_scenario(applications, report, roomy))

    assert [name for name, _, _ in found] == list(named)
    for name, memory_mb_s, vcore_s in found:
        row = named[name]
        second_mb_s = row["memorySeconds"] / (row["elapsedTime"] / 1000)
        assert abs(memory_mb_s - row["memorySeconds"]) <= bounds[name] * row["memorySeconds"] + second_mb_s
        if any(value == "vcores" for value, _ in report.inferred):
            continue  # the scheduler counts memory alone
        assert abs(vcore_s - row["vcoreSeconds"]) <= bounds[name] * max(1, row["vcoreSeconds"]) + containers[name]


JOBS = st.lists(
    st.fixed_dictionaries(
        {
            "at": st.integers(0, 3600),
            "memory": st.sampled_from(["1g", "2g", "3g", "8g"]),
            "count": st.integers(1, 6),
            "duration": st.integers(60, 1800),
        }
    ),
    min_size=1,
    max_size=4,
)


@given(JOBS)
@settings(max_examples=10, deadline=None)
def test_what_was_played_plays_alike_when_its_answer_is_imported(jobs: list[dict[str, Any]]) -> None:
    """Within 10 % of its own sums."""
    workload = [
        {
            "type": "scripted",
            "name": str(number),
            "user": "u",
            "at": job["at"],
            "am": {"memory": "1g", "vcores": 1},
            "asks": [{**{key: job[key] for key in ("memory", "count", "duration")}, "vcores": 1}],
        }
        for number, job in enumerate(jobs)
    ]
    nodes = {"groups": [{"count": 8, "memory": "16g", "vcores": 16}]}
    first = apps_of(
        Scenario.model_validate({"name": "x", "cluster": nodes, "workload": workload, "duration": "3h", "start": START})
    )
    applications, report = imported(answer(first))
    again = {name: (memory, vcores) for name, memory, vcores in sums_of(imported_scenario(applications, report))}

    for row in first:
        memory_mb_s, vcore_s = again[row["name"]]
        assert abs(memory_mb_s / row["memorySeconds"] - 1) < 0.1
        assert abs(vcore_s / row["vcoreSeconds"] - 1) < 0.1


@st.composite
def batch_logs(draw: st.DrawFn) -> tuple[str, int]:
    """A log in SWF that states when jobs ran on a machine where a job waits or not, and how many it had at most."""
    rows, changes, submit_s = [], [], 0
    for number in range(1, draw(st.integers(1, 12)) + 1):
        submit_s += draw(st.integers(0, 600))
        wait_s, run_s, size = draw(st.integers(0, 300)), draw(st.integers(1, 900)), draw(st.integers(1, 64))
        rows.append(f"{number} {submit_s} {wait_s} {run_s} {size} -1 -1 {size} -1 -1 1 1 1 -1 1 1 -1 -1\n")
        changes += [(submit_s + wait_s, size), (submit_s + wait_s + run_s, -size)]
    busy = [sum(size for when, size in changes if when <= instant) for instant, _ in changes]
    return "".join(rows), max(busy)


@given(batch_logs())
def test_the_machine_of_a_batch_log_is_the_least_that_its_times_prove(log: tuple[str, int]) -> None:
    """Whatever is submitted when: what ran at once fits, and one processor less would not hold it."""
    text, most = log
    applications, report = imported(text)
    (node,) = imported_scenario(applications, report).cluster.all_nodes()

    assert node.vcores == most
    assert ("processors of the machine", BY_TIMES.format(most=most)) in report.inferred
