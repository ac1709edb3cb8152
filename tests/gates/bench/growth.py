"""How a heartbeat's price grows with the cluster, and how fast the machine itself is.

    python -m tests.gates.bench.growth >> tests/gates/bench/growth.jsonl        of the build that runs
    python -m tests.gates.bench.growth fair-2.7 capacity-3.4 --nodes 100 1000

YARN: nodes of 16 GB; 100 applications in 10 queues that always want more (see `workload`), so that every node is full
and each heartbeat ends and gives containers. MapReduce 1: 40 jobs that always want more on trackers of two slots of a
kind; the trackers are simulated and counted in. Spark: an event at a Master whose workers are full (see `spark`), for
a heartbeat decides nothing there. The reference loop needs nothing of ours: figures of two machines can be compared by
it.
"""

import argparse
import gc
import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Final

import msgspec

from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import Allocated
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.state import build_name
from tests.engine.simulation.scenes import Log
from tests.gates.bench.clock import peak_memory_mb
from tests.gates.bench.schedulers import SETTINGS
from tests.gates.bench.spark import Load
from tests.gates.bench.workload import Case, Player
from tests.test_architecture import ROOT
from tui.cli.cli import GARBAGE_THRESHOLD

FIGURES: Final = ROOT / "tests" / "gates" / "bench" / "growth.jsonl"
"""What was measured for the picture of the manual, a line for each case."""

YARN: Final = ("fair-2.7", "fair-3.4", "fifo", "capacity-2.7", "capacity-3.4")
SCHEDULERS: Final = (*YARN, "mr1-fifo", "mr1-fair", "mr1-capacity", "spark")
NODES: Final = (100, 1_000, 10_000, 50_000)
QUEUES: Final = 10
NODE_MB: Final = 16_384
JOBS: Final = 40
"""Of MapReduce 1, each with a quarter as many maps as there are nodes, and with 1,000 at least."""
WARM_ROUNDS: Final = 8
"""Every node is full, and containers have begun to end."""
BEATS: Final = 20_000
"""Heartbeats measured in each case, at least."""
CAPACITY: Final = {
    "root.queues": ",".join(f"q{number}" for number in range(QUEUES)),
    "maximum-am-resource-percent": "1.0",
    **{f"root.q{number}.capacity": "10" for number in range(QUEUES)},
    **{f"root.q{number}.user-limit-factor": "100" for number in range(QUEUES)},
}


class Growth(msgspec.Struct, frozen=True):
    """The figures of one case."""

    scheduler: str
    build: str
    nodes: int
    live: int
    """Containers at the end."""
    heartbeat_us: float
    """CPU time of a heartbeat, its report and its offer; of Spark that of an event."""
    container_us: float
    """The same for each container given."""
    reference_us: float
    """CPU time of the reference loop's step in the same process."""
    peak_memory_mb: int


def reference_us() -> float:
    """What a step of plain Python costs here: an entry of a dict of 1,000 is replaced by a tuple; the best of 5."""
    found = []
    for _ in range(5):
        entries = {number: (number, 0) for number in range(1_000)}
        begin = time.process_time()
        for step in range(200_000):
            entries[step % 1_000] = (step, entries[(step * 7) % 1_000][0])
        found.append((time.process_time() - begin) / 0.2)
    return round(min(found), 4)


def grown(scheduler: str, nodes: int) -> Growth:
    """Measure a scheduler on so many nodes."""
    gc.set_threshold(*GARBAGE_THRESHOLD)
    measured = _yarn if scheduler in YARN else _spark if scheduler == "spark" else _mr1
    live, beats, containers, cpu_s = measured(scheduler, nodes)
    return Growth(
        scheduler=scheduler,
        build=build_name(),
        nodes=nodes,
        live=live,
        heartbeat_us=round(1e6 * cpu_s / beats, 1),
        container_us=round(1e6 * cpu_s / max(1, containers), 1),
        reference_us=reference_us(),
        peak_memory_mb=peak_memory_mb(),
    )


def _yarn(scheduler: str, nodes: int) -> tuple[int, int, int, float]:
    """Live containers, heartbeats, containers given and CPU time [s] of a ResourceManager."""
    rounds = max(2, BEATS // nodes)
    case = Case("growth", scheduler, nodes, 100, QUEUES, WARM_ROUNDS, rounds, 1, 0)
    settings = {f"yarn.scheduler.capacity.{key}": text for key, text in CAPACITY.items()}
    if not scheduler.startswith("capacity"):
        settings = SETTINGS
    control_plane = ResourceManager(
        settings, None, scheduler=scheduler, cluster_timestamp=1, now_ms=0, follow_attempts=False
    )
    player = Player(case, control_plane, lambda _time_ms, _decisions: None, node_mb=NODE_MB)
    played = player.play()
    return control_plane.cluster.live, played.heartbeats, played.containers, played.heartbeat_cpu_s


def _mr1(scheduler: str, nodes: int) -> tuple[int, int, int, float]:
    """The same of a JobTracker with its trackers."""
    beat_ms = max(300, 10 * nodes)
    job = {
        "type": "mapreduce",
        "user": "ann",
        "maps": max(1_000, nodes // 4),
        "reduces": 0,
        "map_duration_ms": (beat_ms, 3 * beat_ms),
    }
    scenario = Scenario.model_validate(
        {
            "scheduler": scheduler,
            "settings": {"mapred.capacity-scheduler.queue.default.capacity": 100} if "capacity" in scheduler else {},
            "cluster": {"groups": [{"count": nodes, "memory_mb": NODE_MB, "vcores": 16}]},
            "workload": [{**job, "name": f"job{number}"} for number in range(JOBS)],
        }
    )
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + WARM_ROUNDS * beat_ms)
    simulation.listeners.append(log := Log())
    world, begin = simulation.world, time.process_time()
    beats = world.heartbeats
    simulation.run_until(simulation.now_ms + max(1, BEATS // nodes) * beat_ms)
    spent_s = time.process_time() - begin
    live = sum(len(node.running) for node in world.nodes)
    return live, world.heartbeats - beats, len(log.of(Allocated)), spent_s


def _spark(scheduler: str, workers: int) -> tuple[int, int, int, float]:
    """The same of a Master, by event."""
    load = Load(workers, spread_out=True)
    load.launched, events = 0, max(100, BEATS // workers)
    begin = time.process_time()
    for now_ms in range(1, events + 1):
        load.event(now_ms)
    spent_s = time.process_time() - begin
    live = sum(len(each.executors) for each in load.master.cluster.applications.values())
    return live, events, load.launched, spent_s


def main() -> None:
    """Measure what is asked for, each case in a process of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.gates.bench.growth", description=__doc__.partition("\n")[0])
    parser.add_argument("schedulers", nargs="*", default=SCHEDULERS)
    parser.add_argument("--nodes", nargs="+", type=int, default=NODES)
    chosen = parser.parse_args()
    for scheduler in chosen.schedulers:
        for nodes in chosen.nodes:
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
                found = process.submit(grown, scheduler, nodes).result()
            sys.stdout.write(json.dumps(msgspec.to_builtins(found)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
