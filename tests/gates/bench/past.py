"""What it costs to keep the past of a day, and how long it takes to be anywhere in it.

past-day-600     a day of 5,894 MapReduce jobs on 600 nodes
past-day-1000    a busy day on 1,000 nodes
past-saturated-1000    hours of 1,000 nodes that are asked for more than they have
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from engine.run.run_writer import RunWriter
from engine.scenario import ClusterSpec, MapReduceSpec, NodeGroup, Scenario, Size
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from tests.gates.bench.clock import peak_memory_mb
from tests.gates.bench.day import DAY_MS, day, saturated

JOBS = 5_894
NODES = 600
SEEKS = 100
STEPS = 20
SLICE_MS = 60_000
TURN_MS = 900_000
SIZES = ((0.60, 1, 3), (0.85, 3, 40), (0.97, 40, 300), (1.0, 300, 2_500))
"""(share of jobs up to here, fewest maps, most maps): most jobs are small, most tasks are in large ones."""


def facebook_like() -> Scenario:
    """A day with as many jobs as a sample of Facebook's of 2009 has, on its 600 nodes; sizes and times are made up."""
    random = Random(1)
    arrivals = sorted(int(random.random() * DAY_MS) for _ in range(JOBS))
    racks = tuple(f"/rack{number:02d}" for number in range(15))
    return Scenario(
        name="day-600",
        seed=1,
        duration_ms=DAY_MS,
        cluster=ClusterSpec(groups=(NodeGroup(count=NODES, memory_mb=16384, vcores=16, racks=racks),)),
        workload=tuple(_job(random, at_ms) for at_ms in arrivals),
    )


def _job(random: Random, at_ms: int) -> MapReduceSpec:
    drawn = random.random()
    least, most = next((least, most) for share, least, most in SIZES if drawn < share)
    maps = least + int(random.random() * (most - least))
    return MapReduceSpec(
        type="mapreduce",
        user=f"user{int(random.random() * 10)}",
        at_ms=at_ms,
        maps=maps,
        reduces=0 if random.random() < 0.6 else max(1, maps // 10),
        map=Size(memory_mb=2048, vcores=1),
        reduce=Size(memory_mb=4096, vcores=1),
        map_duration_ms=(10_000, 60_000),
        reduce_duration_ms=(20_000, 200_000),
        replication=3,
    )


SCENARIOS = {
    "past-day-600": (facebook_like, 24.0, 6.0),
    "past-day-1000": (day, 24.0, 6.0),
    "past-saturated-1000": (saturated, 1.5, 0.75),
}
"""What is played, how many hours of it, and of how many overheads are measured."""


def past(name: str) -> dict[str, Any]:
    """Recording overhead, memory, and times of seeks and steps over a whole day, or some hours of a dear one."""
    scenario_of, hours, compared_hours = SCENARIOS[name]
    scenario = scenario_of()
    end_ms = scenario.start_ms + int(hours * 3_600_000)
    overheads = _overheads(scenario, scenario.start_ms + int(compared_hours * 3_600_000))
    plain_s = _cpu_s(lambda: _plain(build_simulation(scenario), end_ms))
    timeline = Timeline(build_simulation(scenario))
    before_mb = peak_memory_mb()
    timeline.play(end_ms)
    random = Random(2)
    span_ms = end_ms - timeline.first_ms
    seeks = [_cost(lambda: timeline.at(timeline.first_ms + int(random.random() * span_ms))) for _ in range(SEEKS)]
    back, place = [], timeline.first_ms + span_ms // 2
    for _ in range(STEPS):
        begin = time.perf_counter(), time.thread_time()
        place = timeline.previous_record(place) or place
        _ = timeline.at(place)
        back.append((time.perf_counter() - begin[0], time.thread_time() - begin[1]))
    return {
        "bench": name,
        "nodes": len(scenario.cluster.all_nodes()),
        "hours": hours,
        "plain_cpu_s": round(plain_s, 1),
        "copies": len(timeline),
        "copies_mb": round(timeline.bytes / 2**20, 1),
        "peak_grew_mb": peak_memory_mb() - before_mb,
        "seek_ms": _spread(seeks, 0),
        "seek_cpu_ms": _spread(seeks, 1),
        "step_back_ms": _spread(back, 0),
        **overheads,
    }


def _overheads(scenario: Scenario, end_ms: int) -> dict[str, float]:
    """What a past and a kept run cost beside a plain one: a quarter of an hour of each in turn, to be fair."""
    plain, timeline = build_simulation(scenario), Timeline(build_simulation(scenario))
    with tempfile.TemporaryDirectory() as root, RunWriter(Path(root), "day", scenario, created="") as keeper:
        kept = build_simulation(scenario, [keeper])
        costs_s = [0.0, 0.0, 0.0]
        for until_ms in range(scenario.start_ms + TURN_MS, end_ms + 1, TURN_MS):
            costs_s[0] += _cpu_s(partial(_plain, plain, until_ms))
            costs_s[1] += _cpu_s(partial(timeline.play, until_ms))
            costs_s[2] += _cpu_s(partial(_plain, kept, until_ms))
        keeper.finish(end_ms)
        kept_mb = sum(path.stat().st_size for path in (Path(root) / "day").iterdir()) / 2**20
    return {
        "compared_h": (end_ms - scenario.start_ms) / 3_600_000,
        "past_overhead": round(costs_s[1] / costs_s[0] - 1, 2),
        "keep_overhead": round(costs_s[2] / costs_s[0] - 1, 2),
        "kept_mb": round(kept_mb, 1),
    }


def _plain(simulation: Simulation, end_ms: int) -> None:
    while simulation.now_ms < end_ms:
        simulation.run_until(min(simulation.now_ms + SLICE_MS, end_ms))


def _cpu_s(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _cost(work: Callable[[], object]) -> tuple[float, float]:
    """(wall time, CPU time) of it [s]."""
    begin = time.perf_counter(), time.thread_time()
    work()
    return time.perf_counter() - begin[0], time.thread_time() - begin[1]


def _spread(costs: Sequence[tuple[float, float]], kind: int) -> dict[str, float]:
    times = sorted(1000 * cost[kind] for cost in costs)
    last = len(times) - 1
    return {
        "median": round(times[last // 2], 1),
        "p90": round(times[last * 9 // 10], 1),
        "p99": round(times[last * 99 // 100], 1),
        "worst": round(times[last], 1),
    }
