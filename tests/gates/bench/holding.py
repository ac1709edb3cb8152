"""How much memory a whole simulation holds, for each thing it holds.

memory-containers      10,000 nodes full of 200,000 containers
memory-tasks           a job of 400,000 maps that wait for 100 nodes
memory-applications    a month of 50,000 small jobs on 100 nodes, and what its second half adds
"""

from collections.abc import Callable
from typing import Any, Final

from engine.scenario import ClusterSpec, MapReduceSpec, NodeGroup, Repeat, Scenario, Size
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.gates.bench.clock import peak_memory_mb
from tests.gates.bench.day import full

MAPS: Final = 400_000
JOBS: Final = 50_000
MONTH_MS: Final = 30 * 86_400_000
SLICE_MS: Final = 60_000


def containers() -> dict[str, Any]:
    """Memory of a full cluster of 10,000 nodes."""
    before_mb = peak_memory_mb()
    simulation = _played(full(10_000))
    held = sum(len(node.running) for node in simulation.world.nodes)
    return _figures("memory-containers", before_mb, "container", held)


def tasks() -> dict[str, Any]:
    before_mb = peak_memory_mb()
    _played(_jobs("memory-tasks", maps=MAPS, times=1, duration_ms=3_600_000))
    return _figures("memory-tasks", before_mb, "waiting_task", MAPS)


def applications() -> dict[str, Any]:
    """Memory of applications that have ended: the second half of a month adds what is kept of each."""
    scenario = _jobs("memory-applications", maps=4, times=JOBS, duration_ms=MONTH_MS)
    simulation = build_simulation(scenario)
    _play_to(simulation, scenario.start_ms + MONTH_MS // 2)
    before_mb = peak_memory_mb()
    _play_to(simulation, scenario.start_ms + MONTH_MS)
    return _figures("memory-applications", before_mb, "finished_application", JOBS // 2)


def _jobs(name: str, *, maps: int, times: int, duration_ms: int) -> Scenario:
    job = MapReduceSpec(
        type="mapreduce",
        user="ann",
        at_ms=0,
        maps=maps,
        reduces=0,
        map=Size(memory_mb=2048, vcores=1),
        map_duration_ms=(20_000, 60_000),
        replication=1,
        repeat=Repeat(times=times, every_ms=max(1, duration_ms // times)),
    )
    cluster = ClusterSpec(groups=(NodeGroup(count=100, memory_mb=16384, vcores=16, racks=("/r1",)),))
    return Scenario(name=name, seed=1, duration_ms=duration_ms, cluster=cluster, workload=(job,))


def _played(scenario: Scenario) -> Simulation:
    simulation = build_simulation(scenario)
    _play_to(simulation, scenario.start_ms + scenario.duration_ms)
    return simulation


def _play_to(simulation: Simulation, end_ms: int) -> None:
    while simulation.now_ms < end_ms:
        simulation.run_until(min(simulation.now_ms + SLICE_MS, end_ms))


def _figures(name: str, before_mb: int, noun: str, count: int) -> dict[str, Any]:
    """The peak, and what it grew by for each of so many."""
    peak_mb = peak_memory_mb()
    return {
        "bench": name,
        f"{noun}s": count,
        f"bytes_per_{noun}": round((peak_mb - before_mb) * 2**20 / count),
        "peak_memory_mb": peak_mb,
    }


MEASURES: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "memory-containers": containers,
    "memory-tasks": tasks,
    "memory-applications": applications,
}
