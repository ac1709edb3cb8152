"""What an answer costs on 1,000 full nodes."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.obstacles import obstacle_rows, obstacles_found
from engine.explain.remedy_search import RemedySearch
from engine.explain.why_question import WhyQuestion
from engine.incremental import run_to_end
from engine.model.ledger import Attempt
from engine.scenario import MapReduceSpec, Scenario, Size, SparkSpec
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.gates.bench.day import cluster, services

HOLDERS = 100
INSTANCES = 290
MAPS = 40_000
SETTLED_MS = 400_000
TIMES = 7
BEST = 3  # Remedies that a person looks at first


def crowded() -> Scenario:
    """100 services hold 29,000 containers; a job has the rest and asks for more; another needs a whole node."""
    maps = MapReduceSpec(
        type="mapreduce",
        user="ann",
        number=900,
        at_ms=200_000,
        maps=MAPS,
        map=Size(memory_mb=2048, vcores=1),
        map_duration_ms=(60_000, 180_000),
    )
    large = SparkSpec(
        type="spark",
        user="bob",
        number=901,
        at_ms=300_000,
        executors=2,
        executor=Size(memory_mb=8192, vcores=1),
        duration_ms=(60_000, 60_000),
    )
    giant = SparkSpec(
        type="spark",
        user="eve",
        number=902,
        at_ms=350_000,
        executors=1,
        executor=Size(memory_mb=8192, vcores=32),
        am=Size(memory_mb=1024, vcores=1),
    )
    return Scenario(
        name="crowded-1000",
        duration_ms=3_600_000,
        settings={"yarn.scheduler.fair.assignmultiple": "true", "schedlab.reservation.rule": "off"},
        cluster=cluster(),
        workload=(*services(HOLDERS, INSTANCES), maps, large, giant),
    )


def cost_ms(work: Callable[[], object]) -> float:
    """The median CPU time of something [ms]."""
    costs = []
    for _ in range(TIMES):
        begin = time.process_time()
        work()
        costs.append(time.process_time() - begin)
    return 1000 * median(costs)


def heartbeat_ms(simulation: Simulation) -> float:
    """What one heartbeat costs here, of those that come in ten seconds."""
    other = simulation.fork()
    before, begin = other.world.heartbeats, time.process_time()
    other.run_until(other.now_ms + 10_000)
    return 1000 * (time.process_time() - begin) / max(1, other.world.heartbeats - before)


def frozen() -> Scenario:
    """100 services that fill every node for ever, and two that came later and wait."""
    return Scenario(
        name="frozen-1000",
        duration_ms=3_600_000,
        settings={"yarn.scheduler.fair.assignmultiple": "true"},
        cluster=cluster(),
        workload=services(HOLDERS, 340),
    )


def remedies(name: str, scenario: Scenario, after_ms: int = SETTLED_MS) -> dict[str, Any]:
    """What it costs one process to look for all that helps those who wait so long after the start."""
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + after_ms)
    begin, search, costs = time.process_time(), RemedySearch(simulation), dict[str, float]()
    while not search.advance():
        found, spent_s = search.found(), time.process_time() - begin
        if found is not None and len(found.ranked) >= BEST:
            costs.setdefault("three_s", spent_s)
        if search.of and search.tried == search.of:
            costs.setdefault("decided_s", spent_s)
    costs["whole_s"] = time.process_time() - begin
    figures = {key: round(spent_s, 2) for key, spent_s in costs.items()}
    return {"bench": f"fix-{name}", "candidates": search.of, "decided": search.tried, **figures}


def answers(scenario: Scenario, numbers: Sequence[int] = ()) -> dict[str, Any]:
    """Costs of the parts of an answer about some applications that wait, the first and the last when none are named."""
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + SETTLED_MS)
    control_plane, now_ms = simulation.control_plane, simulation.now_ms
    assert isinstance(control_plane, ResourceManager), "the scenarios are YARN's"
    scheduler = control_plane.scheduler
    beat_ms, standing = heartbeat_ms(simulation), run_to_end(simulation.fork_in_steps(closed=True, stands=True))
    figures: dict[str, Any] = {
        "bench": f"why-{scenario.name}",
        "containers": control_plane.cluster.live,
        "fork_ms": round(cost_ms(simulation.fork), 1),
        "fork_standing_ms": round(cost_ms(lambda: run_to_end(standing.fork_in_steps()).discard()), 1),
        "heartbeat_ms": round(beat_ms, 4),
    }
    attempts = [each.attempt for each in control_plane.cluster.applications.values()]
    waiting = [each.application.number for each in attempts if each is not None and each.pending]
    for number in numbers or (waiting[0], waiting[-1]):
        attempt = control_plane.cluster.applications[number].attempt
        assert attempt is not None, "it waits"
        why_ms = cost_ms(partial(_ask, scheduler, attempt, now_ms))
        begin = time.process_time()
        question, pieces = WhyQuestion(simulation, number), [time.process_time()]
        known_at: float | None = None
        while not question.advance():
            pieces.append(time.process_time())
            if known_at is None and question.so_far().verdict:
                known_at = pieces[-1]
        pieces.append(time.process_time())
        figures[str(number)] = {
            "why_ms": round(why_ms, 2),
            "why_heartbeats": round(why_ms / beat_ms),
            "verdict": question.answer().verdict,
            "reasons_ms": round(1000 * (pieces[0] - begin), 1),
            "verdict_s": round((known_at or pieces[-1]) - begin, 2),
            "whole_s": round(pieces[-1] - begin, 2),
            "longest_piece_ms": round(1000 * max(later - earlier for earlier, later in pairwise(pieces)), 1),
        }
    return figures


def _ask(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> object:
    return obstacle_rows(scheduler, attempt, run_to_end(obstacles_found(scheduler, attempt, now_ms)))
