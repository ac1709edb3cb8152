"""How much faster than a real cluster a whole simulation runs, and what copying and replaying one costs."""

import time
from typing import Any

from engine.formats.scenario_toml import load
from engine.observe.journal import Fingerprint
from engine.run import play
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
