"""How a heartbeat's price grows with the cluster, and how fast the machine itself is.

    python -m tests.bench.growth >> tests/bench/growth.jsonl        of the build that runs
    python -m tests.bench.growth fair-2.7 capacity-3.4 --nodes 100 1000

Nodes of 16 GB; 100 applications in 10 queues that always want more (see `workload`), so that every node is full and
each heartbeat ends and gives containers. The reference loop needs nothing of ours: figures of two machines can be
compared by it.
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
from engine.state import build_name
from tests.bench.memory import peak_memory_mb
from tests.bench.schedulers import SETTINGS
from tests.bench.workload import Case, Player
from tests.test_architecture import ROOT
from tui.cli import GARBAGE_THRESHOLD

FIGURES: Final = ROOT / "tests" / "bench" / "growth.jsonl"
"""What was measured for the picture of the manual, a line for each case."""

SCHEDULERS: Final = ("fair-2.7", "fair-3.4", "fifo", "capacity-3.4")
NODES: Final = (100, 1_000, 10_000, 50_000)
QUEUES: Final = 10
NODE_MB: Final = 16_384
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
    """CPU time of a heartbeat, its report and its offer."""
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
    return Growth(
        scheduler=scheduler,
        build=build_name(),
        nodes=nodes,
        live=control_plane.cluster.live,
        heartbeat_us=round(1e6 * played.heartbeat_cpu_s / played.heartbeats, 1),
        container_us=round(1e6 * played.heartbeat_cpu_s / max(1, played.containers), 1),
        reference_us=reference_us(),
        peak_memory_mb=peak_memory_mb(),
    )


def main() -> None:
    """Measure what is asked for, each case in a process of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__.partition("\n")[0])
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
