"""How fast the CapacityScheduler of either release decides, on the workload its real class was measured by.

Ten queues under the root; nodes of 98304 MB and 96 vcores on one rack; 100 unmanaged applications spread over queues
and users in turn, each of which always wants containers of one drawn size. A round: the clock moves 1 s, every node
reports, and where it holds 10 containers or more its oldest one ends; then every application makes one call.

What limits the speed: each heartbeat ends a container and gives another, so nothing can be passed over; what is left
is the price of a few hundred Python calls, spread evenly over ending, ordering the queues, limits, the evaluation and
the charges. No function has more than a twentieth of it.
"""

import time
from collections import deque
from typing import Any, NamedTuple

from engine.control_plane.protocol import (
    ApplicationMasterHeartbeat,
    ApplicationSubmitted,
    Ask,
    NodeHeartbeat,
    NodeJoined,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import ContainerId
from tests.gates.bench import hadoop

PREFIX = "yarn.scheduler.capacity."
APPLICATIONS, QUEUES, WARM_ROUNDS, FULL = 100, 10, 15, 10
SECONDS = 6


class CapacityCase(NamedTuple):
    """One size of the workload."""

    scheduler: str
    hadoop: str
    nodes: int
    recorded: int
    """Containers per CPU second of the real class, in its heartbeats alone, on the machine of its recording."""

    @property
    def name(self) -> str:
        return f"{self.scheduler.replace('-', '').replace('.', '')}-{self.nodes}"


CASES = (
    CapacityCase("capacity-2.7", "2.7.2", 100, 39_281),
    CapacityCase("capacity-2.7", "2.7.2", 1_000, 38_449),
    CapacityCase("capacity-2.7", "2.7.2", 10_000, 36_508),
    CapacityCase("capacity-3.4", "3.4.1", 100, 49_709),
    CapacityCase("capacity-3.4", "3.4.1", 1_000, 46_472),
    CapacityCase("capacity-3.4", "3.4.1", 10_000, 29_658),
)


class CapacityLoad:
    """The workload, played round by round."""

    def __init__(self, nodes: int, scheduler: str = "capacity-3.4") -> None:
        """All nodes, all applications, and the first asks."""
        settings = {f"{PREFIX}root.queues": ",".join(f"q{number}" for number in range(QUEUES))}
        for number in range(QUEUES):
            settings[f"{PREFIX}root.q{number}.capacity"] = "10"
            settings[f"{PREFIX}root.q{number}.user-limit-factor"] = "100"
        settings[f"{PREFIX}maximum-am-resource-percent"] = "1.0"
        self.rm = ResourceManager(
            settings, None, scheduler=scheduler, groups={}, cluster_timestamp=1, now_ms=0, follow_attempts=False
        )
        self.nodes = [f"n{number}:1" for number in range(nodes)]
        for node in self.nodes:
            self.rm.handle(NodeJoined(node, "/r1", 98_304, 96), 0)
        self.state, self.count, self.now_ms = 42, max(20, nodes // 10), 0
        self.fresh: dict[str, list[ContainerId]] = {node: [] for node in self.nodes}
        self.running: dict[str, deque[ContainerId]] = {node: deque() for node in self.nodes}
        self.outstanding: dict[int, int] = {}
        self.heartbeats_s = 0.0
        self.containers = 0
        for number in range(APPLICATIONS):
            answer = self.rm.handle(ApplicationSubmitted(f"u{number % 10}", f"q{number % QUEUES}"), 0)
            assert answer.application is not None, answer.detail
            self.outstanding[answer.application] = 0
        self._call()

    def _ask(self) -> Ask:
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return Ask(1, "*", 1024 * (1 + (self.state >> 16) % 4), 1, self.count)

    def round(self) -> None:
        self.now_ms += 1000
        begin = time.process_time()
        for node in self.nodes:
            running, fresh = self.running[node], self.fresh[node]
            done: tuple[tuple[ContainerId, int], ...] = ()
            if running and len(running) + len(fresh) >= FULL:
                done = ((running.popleft(), 0),)
            started = tuple(fresh)
            running.extend(fresh)
            fresh.clear()
            self.rm.handle(NodeHeartbeat(node, started, done), self.now_ms)
        self.heartbeats_s += time.process_time() - begin
        self._call()

    def _call(self) -> None:
        for number in self.outstanding:
            answer = self.rm.handle(ApplicationMasterHeartbeat(number), self.now_ms)
            for grant in answer.granted:
                self.fresh[grant.node].append(grant.container)
            self.containers += len(answer.granted)
            self.outstanding[number] -= len(answer.granted)
            if self.outstanding[number] <= 0:
                self.outstanding[number] = self.count
                self.rm.handle(ApplicationMasterHeartbeat(number, (self._ask(),)), self.now_ms)


def figures(name: str, *, beside_hadoop: bool = False) -> dict[str, Any]:
    """Containers per CPU second, in heartbeats alone and with the applications' calls.

    `ratio_heartbeats` sets the heartbeats beside those of the real class: as recorded or, where it is run in the same
    session, as measured there.
    """
    case = next(case for case in CASES if case.name == name)
    load = CapacityLoad(case.nodes, case.scheduler)
    for _ in range(WARM_ROUNDS):
        load.round()
    load.heartbeats_s, load.containers, rounds = 0.0, 0, 0
    begin = time.process_time()
    while time.process_time() - begin < SECONDS or not rounds:
        load.round()
        rounds += 1
    spent_s = time.process_time() - begin
    in_heartbeats = round(load.containers / load.heartbeats_s)
    found = {
        "bench": name,
        "scheduler": case.scheduler,
        "nodes": case.nodes,
        "applications": APPLICATIONS,
        "queues": QUEUES,
        "heartbeats": rounds * case.nodes,
        "containers": load.containers,
        "containers_per_cpu_s": round(load.containers / spent_s),
        "containers_per_cpu_s_heartbeats": in_heartbeats,
        "hadoop_recorded_containers_per_cpu_s": case.recorded,
        "ratio_heartbeats": round(in_heartbeats / case.recorded, 2),
    }
    if not beside_hadoop:
        return found
    reason = hadoop.capacity_missing(case.hadoop)
    if reason:
        return found | {"hadoop": f"skipped: {reason}"}
    real = hadoop.measure_capacity(case.hadoop, case.nodes)
    return found | {
        "hadoop": case.hadoop,
        "hadoop_containers_per_cpu_s": real,
        "ratio_heartbeats": round(in_heartbeats / real, 2),
    }
