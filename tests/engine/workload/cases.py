"""A master's other side, played by hand: a control plane that counts asks and gives what a test says."""

from engine.control_plane.protocol import Grant
from engine.model.decision import ContainerId
from engine.scenario import ApplicationSpec
from engine.workload.arrivals import master_of
from engine.workload.master import LAUNCHED, REGISTERED, STARTED, AmHeartbeat, ApplicationMaster, Topology

TOPOLOGY = Topology({"h1": "/r1", "h2": "/r1", "h3": "/r2"})


class Counter:
    """Counts a master's asks as a ResourceManager does, and hands out containers."""

    def __init__(self, spec: ApplicationSpec, seed: int = 0) -> None:
        self.master: ApplicationMaster = master_of(spec, 1, 0, TOPOLOGY, seed)
        self.master.begin_attempt(1)
        for stage in (LAUNCHED, STARTED, REGISTERED):
            self.master.move(stage)
        self.counts: dict[tuple[int, str], int] = {}
        self.relax: dict[tuple[int, str], bool] = {}
        self.last = 1
        self.allocated: list[tuple[Grant, str]] = []
        """Allocated, and not fetched yet; with the host."""
        self.now_ms = 1000
        self.runs: dict[ContainerId, int] = {}
        """Duration of each container the master uses [ms]."""
        self.master.registered(self.now_ms)

    def call(self, after_ms: int = 1000) -> AmHeartbeat:
        """The master's next call: its asks replace counts, then it fetches what was allocated before."""
        self.now_ms += after_ms
        call = self.master.call(self.now_ms)
        for ask in call.asks:
            self.counts[ask.priority, ask.resource_name] = ask.count
            self.relax[ask.priority, ask.resource_name] = ask.relax_locality
        fetched, self.allocated = self.allocated, []
        for grant, host in fetched:
            duration_ms = self.master.take(grant, host, self.now_ms)
            if duration_ms is not None:
                self.runs[grant.container] = duration_ms
        return call

    def allocate(self, priority: int, host: str = "h1", count: int = 1) -> list[ContainerId]:
        """Allocate containers, counting each off, for the master to fetch at its next call."""
        grants = []
        for _ in range(count):
            self.last += 1
            self._count_off(priority, host)
            grants.append(Grant((1, 1, self.last), f"{host}:8041", priority, 1024, 1))
        self.allocated += [(grant, host) for grant in grants]
        return [grant.container for grant in grants]

    def give(self, priority: int, host: str = "h1", count: int = 1) -> list[ContainerId]:
        """Allocate containers and let the master fetch them."""
        given = self.allocate(priority, host, count)
        self.call()
        return given

    def end(self, container: ContainerId, cause: str = "COMPLETED") -> None:
        self.runs.pop(container, None)
        self.master.note_end(container, cause)

    def wanted(self) -> dict[tuple[int, str], int]:
        return {key: count for key, count in self.counts.items() if count}

    def _count_off(self, priority: int, host: str) -> None:
        names = ["*"]
        if self.counts.get((priority, host), 0) > 0:
            names = [host, TOPOLOGY.rack_of[host], "*"]
        elif self.counts.get((priority, TOPOLOGY.rack_of[host]), 0) > 0:
            names = [TOPOLOGY.rack_of[host], "*"]
        for name in names:
            if self.counts.get((priority, name), 0) > 0:
                self.counts[priority, name] -= 1
