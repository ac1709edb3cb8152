"""The fixed workload on which a scheduler's speed is measured, and the loop that plays it.

Nodes of 65536 MB and 64 vcores, 40 per rack; unmanaged applications spread over queues in turn, each of which asks for
1000 more containers in every round; a container ends 5 to 15 rounds after it was fetched. A round: the clock moves
1 s, every application makes one call, the background passes run once, every node reports in order.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.control_plane.protocol import (
    ApplicationMasterHeartbeat,
    ApplicationSubmitted,
    Ask,
    ControlPlane,
    Grant,
    NodeHeartbeat,
    NodeJoined,
)
from engine.model.decision import ContainerId, Decision

Sink = Callable[[int, Sequence[Decision]], None]
"""What takes the decisions of an instant [ms]: the journal."""


class Case(NamedTuple):
    """One size of the workload, with what the real scheduler made of it."""

    name: str
    scheduler: str
    """The scenario's name of the policy."""
    nodes: int
    applications: int
    queues: int
    warm_rounds: int
    rounds: int
    runs: int
    """How often it is measured; the best counts, since whatever else the machine does only slows it down."""
    check: int
    """What the real class printed for exactly these numbers."""

    @property
    def hadoop(self) -> str:
        return "3.4.1" if self.scheduler.endswith("-3.4") else "2.7.2"


CASES = (
    Case("fair-100", "fair-2.7", 100, 100, 10, 40, 200, 3, 2978448856),
    Case("fair-1000", "fair-2.7", 1000, 100, 10, 40, 40, 3, 4195498933),
    Case("fair-10000", "fair-2.7", 10000, 100, 10, 20, 10, 1, 4098870899),
    Case("fair-1000-50q", "fair-2.7", 1000, 2000, 50, 10, 10, 1, 1472219999),
    Case("fair-1000-2q", "fair-2.7", 1000, 2000, 2, 10, 10, 1, 752734740),
    Case("fair34-1000", "fair-3.4", 1000, 100, 10, 40, 40, 3, 1368857050),
    Case("fair34-10000", "fair-3.4", 10000, 100, 10, 20, 10, 1, 1111622368),
    Case("fifo-100", "fifo", 100, 100, 10, 40, 200, 3, 2267591070),
    Case("fifo-1000", "fifo", 1000, 100, 10, 40, 40, 3, 4283951598),
    Case("fifo-10000", "fifo", 10000, 100, 10, 20, 10, 1, 1442598550),
)


RING = 16
"""More rounds than any container lives."""


class Draws:
    """The workload's own random numbers: x = (1103515245 x + 12345) mod 2^31, of which the lowest byte is dropped."""

    __slots__ = ("state",)

    def __init__(self, seed: int = 1) -> None:
        self.state = seed

    def below(self, bound: int) -> int:
        """The next number, at least 0 and less than `bound`."""
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % bound


class Played(NamedTuple):
    """What was measured, over the rounds after the warm ones."""

    heartbeats: int
    containers: int
    """Fetched by the applications."""
    check: int
    """Over every container fetched since the start, in order."""
    heartbeat_cpu_s: float
    """CPU time of the node heartbeats alone, which is what the real class is measured by."""
    loop_cpu_s: float
    """CPU time of everything: application calls, passes, heartbeats, journal and this loop itself."""


class Player:
    """Plays the rounds of one case against a control plane."""

    def __init__(self, case: Case, control_plane: ControlPlane, sink: Sink, *, node_mb: int = 65_536) -> None:
        self.case = case
        self.control_plane = control_plane
        self.sink = sink
        self.draws = Draws()
        self.now_ms = 0
        self.check = 17
        self.containers = 0
        self.heartbeat_cpu_s = 0.0
        self.names = [f"n{index}:1" for index in range(case.nodes)]
        self.index = {name: index for index, name in enumerate(self.names)}
        self.started: list[list[ContainerId]] = [[] for _ in self.names]
        self.ends: list[list[list[tuple[ContainerId, int]]]] = [[[] for _ in range(RING)] for _ in self.names]
        """Per node what ends in which round, modulo `RING`."""
        for index, name in enumerate(self.names):
            control_plane.handle(NodeJoined(name, f"/r{index // 40}", node_mb, 64), 0)
        self.calls = [self._submit(index) for index in range(case.applications)]

    def _submit(self, index: int) -> ApplicationMasterHeartbeat:
        parent = "" if self.case.scheduler == "capacity-2.7" else "root."  # which names a queue by its last part
        answer = self.control_plane.handle(ApplicationSubmitted("u", f"{parent}q{index % self.case.queues}"), 0)
        if answer.application is None or answer.rejected:
            raise ValueError(f"application {index + 1} was refused: {answer.rejected} {answer.detail}")
        ask = Ask(1, "*", 1024 * (1 + self.draws.below(4)), 1, 1000)
        return ApplicationMasterHeartbeat(answer.application, asks=(ask,))

    def play(self) -> Played:
        """Play all rounds; the figures are of those after the warm ones."""
        for number in range(self.case.warm_rounds):
            self.round(number)
        self.containers = 0
        self.heartbeat_cpu_s = 0.0
        begin = time.process_time()
        for number in range(self.case.warm_rounds, self.case.warm_rounds + self.case.rounds):
            self.round(number)
        loop_cpu_s = time.process_time() - begin
        beats = self.case.nodes * self.case.rounds
        return Played(beats, self.containers, self.check, self.heartbeat_cpu_s, loop_cpu_s)

    def round(self, number: int) -> None:
        """One second: applications call, the passes run, every node reports."""
        self.now_ms += 1000
        self._call_applications(number)
        for each in self.control_plane.passes():
            if each.name in {"update", "preempt"}:
                self.control_plane.run_pass(each.name, self.now_ms)
        begin = time.process_time()
        self._heartbeats(number)
        self.heartbeat_cpu_s += time.process_time() - begin

    def _call_applications(self, number: int) -> None:
        handle, now_ms = self.control_plane.handle, self.now_ms
        for call in self.calls:
            answer = handle(call, now_ms)
            if answer.granted:
                self._fetched(number, call.application, answer.granted)

    def _fetched(self, number: int, application: int, granted: tuple[Grant, ...]) -> None:
        check, below = self.check, self.draws.below
        for grant in granted:
            node = self.index[grant.node]
            self.started[node].append(grant.container)
            self.ends[node][(number + 5 + below(11)) % RING].append((grant.container, 0))
            check = (check * 31 + application * 1000003 + node) & 0xFFFFFFFF
        self.check = check
        self.containers += len(granted)

    def _heartbeats(self, number: int) -> None:
        handle, now_ms = self.control_plane.handle, self.now_ms
        decided: list[Decision] = []
        for name, started, ends in zip(self.names, self.started, self.ends, strict=True):
            completed = ends[number % RING]
            answer = handle(NodeHeartbeat(name, tuple(started), tuple(completed)), now_ms)
            started.clear()
            completed.clear()
            decided += answer.decisions
        if decided:
            self.sink(now_ms, decided)
