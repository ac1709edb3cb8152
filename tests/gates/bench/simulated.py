"""How much faster than a real cluster a whole simulation runs, and what copying and replaying one costs."""

import gc
import time
from collections.abc import Callable
from statistics import mean, median
from typing import Any

from engine.explain.alerts import Alerts
from engine.formats.scenario_toml import load, packaged
from engine.observe.journal import Fingerprint
from engine.run import play
from engine.scenario import Scenario
from engine.simulation.build import build_simulation, replay
from tests.gates.bench.clock import journal, peak_memory_mb
from tests.gates.bench.day import day, full
from tests.gates.bench.explaining import cost_ms

PACKAGED = {"incident": "reservation-deadlock", "mr1-slots": "mr1-slots-of-the-wrong-kind"}


def played(name: str) -> dict[str, Any]:
    """Simulated : real time of a whole scenario, with expectations judged and the journal written."""
    scenario = load(PACKAGED[name]) if name in PACKAGED else day()
    counted = Fingerprint()
    with journal(scenario) as (writer, path):
        begin, begin_cpu = time.perf_counter(), time.process_time()
        outcome = play(scenario, listeners=(writer, counted))
        real_s, cpu_s = time.perf_counter() - begin, time.process_time() - begin_cpu
        size = path.stat().st_size
    return {
        "bench": name,
        "nodes": len(scenario.cluster.all_nodes()),
        "simulated_s": outcome.ended_ms // 1000,
        "real_s": round(real_s, 2),
        "cpu_s": round(cpu_s, 2),
        "simulated_to_real": round(outcome.ended_ms / 1000 / real_s),
        "records": counted.lines,
        "journal_mb": round(size / 2**20, 1),
        "expectations_failed": len(outcome.failed),
        "peak_memory_mb": peak_memory_mb(),
    }


def watched() -> dict[str, Any]:
    """CPU of each packaged scenario with its alerts, in multiples of what it takes without; the least of three."""
    found = [
        [min(_cpu_s(way, each) for _ in range(3)) for way in (play, _play_watched)] for each in map(load, packaged())
    ]
    ratios = [watched / bare for bare, watched in found]
    bare_s, watched_s = map(sum, zip(*found, strict=True))
    figures = {"sum": watched_s / bare_s, "mean": mean(ratios), "median": median(ratios), "greatest": max(ratios)}
    return {
        "bench": "alerts",
        "scenarios": len(ratios),
        "bare_s": round(bare_s, 2),
        **{name: round(figure, 2) for name, figure in figures.items()},
        "at_most_1.3": sum(ratio <= 1.3 for ratio in ratios),
    }


def _play_watched(scenario: Scenario) -> None:
    alerts = Alerts()
    _ = play(scenario, listeners=[alerts], watched=alerts.watch)


def _cpu_s(way: Callable[[Scenario], object], scenario: Scenario) -> float:
    gc.collect()
    begin = time.process_time()
    _ = way(scenario)
    return time.process_time() - begin


def copied() -> dict[str, Any]:
    """What a fork of a full cluster costs, and building the same moment again by replay."""
    scenario = full()
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + scenario.duration_ms)
    fork_ms = cost_ms(simulation.fork)
    begin = time.process_time()
    replay(scenario, simulation.acts, simulation.now_ms)
    replay_s = time.process_time() - begin
    return {
        "bench": "fork",
        "nodes": len(scenario.cluster.all_nodes()),
        "containers": sum(len(node.running) for node in simulation.world.nodes),
        "fork_ms": round(fork_ms, 1),
        "replay_simulated_s": scenario.duration_ms // 1000,
        "replay_ms": round(1000 * replay_s),
        "peak_memory_mb": peak_memory_mb(),
    }
