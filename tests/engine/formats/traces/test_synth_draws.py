"""What SYNTH draws, in which turn: distributions, weights, and the form before Hadoop 3.1."""

import json
from math import exp, floor, log, log1p, sqrt
from typing import Any

import pytest

from engine.formats.traces import synth
from engine.formats.traces.application import TraceApplication, TraceTasks
from engine.model.java_random import JavaRandom, Well19937c
from tests.engine.formats.traces.samples import imported

SURE = 1e-9
"""A deviation of which nothing is seen in whole numbers."""


def drawn(*classes: dict[str, Any], jobs: object = 1, seed: object = 3, **more: Any) -> list[TraceApplication]:
    """Jobs of one workload of classes."""
    workload = {"job_classes": classes, **more}
    found, report = imported(json.dumps({"num_jobs": jobs, "rand_seed": seed, "workloads": [workload]}), "synth")
    assert report.faults == 0
    return found


def durations(time: Any, seed: object = 3, count: int = 4, **more: Any) -> tuple[int, ...]:
    """How long the tasks of a job run [ms]."""
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


def test_distributions_get_their_seeds_in_the_order_of_the_class() -> None:
    """Deadline, duration, reservation, then count, time, memory and vcores of each kind of tasks."""
    normal = {"val": 50, "std": 9, "dist": "NORM"}
    before = {"deadline_factor": normal, "duration": normal, "reservation": normal}

    for count in range(4):
        some: dict[str, Any] = dict(list(before.items())[:count])
        assert durations(normal, **some) == expected(50, 9, 3, count, is_logarithm=False)
    sized = {"type": "map", "count": {**normal, "std": SURE}, "time": normal, "max_memory": {"val": 5000, "std": SURE}}
    after = {"type": "reduce", "count": 4, "time": normal, "max_vcores": {"val": 3, "std": SURE}}
    (job,) = drawn({"tasks": [sized, after]})

    assert (job.tasks[0].count, job.tasks[0].memory_mb, job.tasks[1].vcores) == (50, 5000, 3)
    assert job.tasks[0].durations_ms[:4] == expected(50, 9, 3, 1, is_logarithm=False)
    assert job.tasks[1].durations_ms == expected(50, 9, 3, 3, is_logarithm=False)


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1, "x", None])
def test_a_seed_that_is_none_is_zero(seed: object) -> None:
    """One of 64 bits is a seed."""
    time = {"val": 1000, "std": 400}

    assert durations(time, seed) == durations(time, 0) != durations(time, 1)


def test_numbers_drawn_are_no_larger_than_what_is_simulated() -> None:
    """Of a normal distribution and of its exponential."""
    for dist in ("NORM", "LOGNORM"):
        found = durations({"val": 1e12, "std": 1e12, "dist": dist}, count=40)
        assert max(found) == 10**15
        assert len(set(found)) > 2
    assert durations({"val": 10**13}) == (10**15,) * 4
    assert durations({"val": 1e-200, "std": 1e12}) == (1,) * 4


def test_tasks_jobs_and_nodes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here by 2: tasks are cut off, other numbers are none."""
    for name in ("MAX_TASKS", "MAX_JOBS", "MAX_NODES"):
        monkeypatch.setattr(synth, name, 2)
    for count, found in ((1, 1), (2, 2), (3, 2)):
        assert len(durations(1, count=count)) == found
    assert [len(drawn({"tasks": []}, jobs=jobs)) for jobs in (1, 2, 3, -1, "x")] == [1, 2, 0, 0, 0]
    for nodes, found in ((2, 2), (3, 0)):
        assert len(imported(json.dumps({"num_nodes": nodes, "workloads": [{}]}), "synth")[1].nodes) == found


@pytest.mark.parametrize(("weights", "chosen"), [((0, 1, 0), 1), ((1, 0, 0), 0), ((0, 0, 0), 2), ((-1, 2, "x"), 1)])
def test_classes_workloads_and_stretches_are_chosen_by_weight(weights: tuple[object, ...], chosen: int) -> None:
    """The last where all weigh nothing."""
    classes = [{"class_name": str(place), "class_weight": each, "tasks": []} for place, each in enumerate(weights)]
    stretches = [{"time": 2**20 + place, "weight": each} for place, each in enumerate(weights)]
    (job,) = drawn(*classes, time_distribution=stretches)
    workloads = [{"queue_name": str(place), "workload_weight": each} for place, each in enumerate(weights)]
    ((other,), _) = imported(json.dumps({"num_jobs": 1, "workloads": workloads}), "synth")

    assert (job.name, job.submitted_ms, other.queue) == (str(chosen), 1000 * (2**20 + chosen), str(chosen))


def test_values_are_drawn_by_their_weights() -> None:
    """Each as often as the others where weights are missing or too few."""
    for weights in ({}, {"weights": [1]}, {"weights": [2, 2]}, {"weights": "x"}):
        found = durations({"discrete": [3, "4"], **weights}, count=400)
        assert 150 < found.count(3000) < 250
        assert set(found) == {3000, 4000}
    found = durations({"discrete": [3, 4], "weights": [3, 1]}, count=400)
    assert 260 < found.count(3000) < 340


@pytest.mark.parametrize(("time", "at_s"), [(2**31 - 1, 2**31 - 1), (2**31, 0), (-1, 0), ("x", 0)])
def test_a_stretch_begins_within_a_java_number(time: object, at_s: int) -> None:
    """Else at once."""
    (job,) = drawn({"tasks": []}, time_distribution=[{"time": time, "weight": 1}])

    assert job.submitted_ms == 1000 * at_s


@pytest.mark.parametrize(
    ("fields", "behaviour"),
    [
        ({"tasks": [], "type": "mapreduce"}, "mapreduce"),
        ({"tasks": [], "type": "x"}, "containers"),
        ({"tasks": [], "type": ""}, "mapreduce"),
        ({"type": "x"}, "mapreduce"),
    ],
)
def test_a_class_is_of_mapreduce_unless_it_says_another_type(fields: dict[str, Any], behaviour: str) -> None:
    """In the older form always."""
    assert [each.behaviour for each in drawn(fields)] == [behaviour]


def test_the_older_form_has_maps_and_reduces() -> None:
    """Log-normal, with the priorities of MapReduce; a size without a mean is unknown."""
    means = {"mtasks": 2, "mtime": 30, "rtasks": 3, "rtime": 40, "map_max_memory": 5000, "reduce_max_vcores": 6}
    fields = {f"{name}_avg": mean for name, mean in means.items()} | {f"{name}_stddev": SURE for name in means}
    (job,) = drawn({**fields, "dur_avg": 9, "deadline_factor_avg": 2, "chance_of_reservation": 0.5})

    assert job.tasks == (
        TraceTasks("map", 2, (30_000,) * 2, 5000, None, priority=20),
        TraceTasks("reduce", 3, (40_000,) * 3, None, 6, priority=10),
    )
    assert drawn({})[0].tasks == ()


def test_the_older_form_draws_a_sixth_of_the_mean_around_it() -> None:
    """Behind the deadline, the duration and the number of maps."""
    sure = {"mtasks_avg": 4, "mtasks_stddev": SURE, "deadline_factor_avg": 2, "dur_avg": 9}
    (job,) = drawn({**sure, "mtime_avg": 1000})

    assert job.tasks[0].durations_ms == expected(1000, 1000 / 6, 3, 3, is_logarithm=True)


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
