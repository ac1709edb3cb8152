"""What SYNTH draws, in which turn: distributions, weights, and the form before Hadoop 3.1."""

import json
from math import exp, floor, log, log1p, sqrt
from typing import Any

import pytest

from engine.formats.traces.application import TraceApplication
from engine.model.java_values import JavaRandom, Well19937c
from tests.engine.formats.traces.samples import imported


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
