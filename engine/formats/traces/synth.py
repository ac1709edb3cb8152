"""SYNTH descriptions: classes of jobs with their weights and distributions, from which jobs are drawn.

Source: SynthTraceJobProducer, SynthJob, Hadoop 3.1 and later, and its older form (`mtasks_avg` …).
Differs: numbers are drawn with Python's generator from the file's `rand_seed`, not with Java's.
"""

from collections.abc import Iterator, Mapping
from math import exp, log, sqrt
from random import Random
from typing import Any, Final

from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.workload.random_streams import stream

MAX_JOBS: Final = 1_000_000
MAX_NODES: Final = 100_000
DRAWN: Final = "drawn from the distributions of the file, with its rand_seed"
SECONDS: Final = "task times are seconds"

Table = Mapping[str, Any]

OLDER_KINDS: Final = (("map", "m"), ("reduce", "r"))
"""Kind of task → the letter its keys begin with in the older form."""


def read_synth(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """Jobs drawn as a description says."""
    for line, description in source.objects():
        workloads = _tables(description.get("workloads"))
        if not workloads:
            source.fault("a description has workloads", line)
            continue
        _add_nodes(description, source)
        random = stream(whole(description.get("rand_seed")) or 0, "synth")
        for number in range(1, (whole(description.get("num_jobs"), 0, MAX_JOBS) or 0) + 1):
            yield _job(number, _weighted(random, workloads, "workload_weight"), random)


def _job(number: int, workload: Table, random: Random) -> TraceApplication:
    classes = _tables(workload.get("job_classes")) or [{}]
    chosen = _weighted(random, classes, "class_weight")
    submitted_ms = _submitted_ms(workload, random)
    tasks = tuple(_tasks(chosen, random)) or tuple(_older_tasks(chosen, random))
    is_mapreduce = words(chosen.get("type") or "mapreduce") == "mapreduce"
    return TraceApplication(
        id=f"job_{number}",
        name=words(chosen.get("class_name")),
        submitted_ms=submitted_ms,
        tasks=tuple(each for each in tasks if each.count),
        behaviour="mapreduce" if is_mapreduce else "containers",
        user=words(chosen.get("user_name")) or "default",
        queue=words(workload.get("queue_name")) or None,
        inferred={"arrival, tasks and durations": DRAWN, "unit of durations": SECONDS},
    )


def _tables(value: object) -> list[Table]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _add_nodes(description: Table, source: TraceSource) -> None:
    per_rack = whole(description.get("nodes_per_rack"), 1) or MAX_NODES
    for number in range(whole(description.get("num_nodes"), 0, MAX_NODES) or 0):
        source.report.add_node(TraceNode(f"node{number + 1}", f"/rack{number // per_rack + 1}"))


def _number(value: object) -> float:
    """A weight or a moment of a distribution; 0 where it is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return max(0.0, min(float(value), 1e12)) if is_number and isinstance(value, int | float) else 0.0


def _weighted(random: Random, tables: list[Table], key: str) -> Table:
    """One of the tables, by their weights; any where they have none."""
    weights = [_number(table.get(key)) for table in tables]
    return random.choices(tables, weights if sum(weights) > 0 else None)[0]


def _submitted_ms(workload: Table, random: Random) -> int:
    """An instant within a stretch of the distribution, the stretch chosen by its weight."""
    stretches = _tables(workload.get("time_distribution"))
    if not stretches:
        return 0
    chosen = _weighted(random, stretches, "weight")
    place = next(place for place, each in enumerate(stretches) if each is chosen)
    begin = _number(chosen.get("time"))
    end = _number(stretches[place + 1].get("time")) if place + 1 < len(stretches) else begin
    return round(1000 * (begin + random.random() * max(0.0, end - begin)))


def _tasks(chosen: Table, random: Random) -> Iterator[TraceTasks]:
    for task in _tables(chosen.get("tasks")):
        kind = words(task.get("type"))
        count = min(1_000_000, round(_sample(task.get("count"), random)))
        yield TraceTasks(
            "reduce" if kind == "reduce" else "map" if kind == "map" else "container",
            count,
            tuple(max(1, round(1000 * _sample(task.get("time"), random))) for _ in range(count)),
            max(1, round(_sample(task.get("max_memory"), random))) if "max_memory" in task else None,
            max(1, round(_sample(task.get("max_vcores"), random))) if "max_vcores" in task else None,
            priority=whole(task.get("priority")),
        )


def _older_tasks(chosen: Table, random: Random) -> Iterator[TraceTasks]:
    """Tasks of a class in the form before 3.1: all distributions are log-normal."""

    def drawn(name: str) -> float:
        return _lognormal(_number(chosen.get(f"{name}_avg")), _number(chosen.get(f"{name}_stddev")), random)

    for kind, letter in OLDER_KINDS:
        count = min(1_000_000, round(drawn(f"{letter}tasks")))
        durations = tuple(max(1, round(1000 * drawn(f"{letter}time"))) for _ in range(count))
        memory_mb = round(drawn(f"{kind}_max_memory")) or None
        vcores = round(drawn(f"{kind}_max_vcores")) or None
        yield TraceTasks("map" if kind == "map" else "reduce", count, durations, memory_mb, vcores)


def _sample(value: object, random: Random) -> float:
    """One draw: a constant, a mean with its deviation, or one of some values by their weights."""
    if not isinstance(value, dict):
        return _number(value)
    choices = value.get("discrete")
    if isinstance(choices, list) and choices:
        weights = value.get("weights")
        usable = [_number(each) for each in weights] if isinstance(weights, list) else []
        is_whole = len(usable) == len(choices) and sum(usable) > 0
        return _number(random.choices(choices, usable if is_whole else None)[0])
    mean, deviation = _number(value.get("val")), _number(value.get("std"))
    if value.get("dist") == "NORM":
        return max(0.0, random.gauss(mean, deviation))
    return _lognormal(mean, deviation, random)


def _lognormal(mean: float, deviation: float, random: Random) -> float:
    """A draw of the log-normal distribution of this mean and this deviation."""
    if mean <= 0 or deviation <= 0:
        return mean
    spread = log(1 + (deviation / mean) ** 2)
    return min(1e12, exp(random.gauss(log(mean) - spread / 2, sqrt(spread))))
