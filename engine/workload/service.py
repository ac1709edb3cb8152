"""A long-running service: it holds a fixed number of instances and asks again for lost ones.

Where users have it do jobs, their tasks run inside its instances, as queries do in LLAP daemons.
"""

from collections import Counter
from collections.abc import Collection

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.model.ledger import LEDGER_BITS
from engine.scenario import ServiceSpec
from engine.workload.lifespan import SERVICE, Lifespan
from engine.workload.master import HELD, ApplicationMaster, Topology
from engine.workload.successive_jobs import SuccessiveJobs

PRIORITY = 1


def _place(container: ContainerId) -> int:
    """Its number among the instances of all attempts."""
    return container[1] << LEDGER_BITS | container[2]


class ServiceMaster(ApplicationMaster):
    """Holds its instances; never ends by itself."""

    jobs: SuccessiveJobs
    instances: dict[ContainerId, str] = {}
    """The host each instance was wanted on; any host where that does not matter."""

    spec: ServiceSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: ServiceSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        self.jobs = SuccessiveJobs(spec.all_jobs, number, seed)

    def registered(self, now_ms: int) -> None:
        """Ask for all instances."""
        self.jobs.begin(now_ms)
        self.wake_ms = self.jobs.next_ms()
        there = Counter(self.instances.values())
        if not self.spec.each_node:
            self.want(PRIORITY, "*", self.spec.instances - there.total())
            return
        for host in self.topology.rack_of:
            self._want_on(host, self.spec.instances - there[host])

    def restart(self) -> None:
        """Instances do not outlive their master, unless they are kept: then they go on with what they do."""
        if not self.spec.keep_containers_across_application_attempts:
            self.instances = {}
            self.jobs.restart()

    def take_over(self, containers: Collection[ContainerId], now_ms: int) -> None:
        """Take over instances; those that are not among them are gone."""
        for container in [each for each in self.instances if each not in containers]:
            del self.instances[container]
            self.jobs.leave(_place(container), now_ms)

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        """An instance, as long as one is missing; a scheduler that ignores strict asks decides where."""
        if self.wanted.get((PRIORITY, "*"), 0) <= 0:
            return None
        place = host
        if self.spec.each_node:
            if self.wanted.get((PRIORITY, host), 0) <= 0:
                place = next(name for name in self.topology.rack_of if self.wanted.get((PRIORITY, name), 0) > 0)
            self._want_on(place, -1)
        else:
            self.want(PRIORITY, "*", -1)
        self.instances[grant.container] = place
        self.jobs.join(_place(grant.container), host, self.spec.tasks_each, now_ms)
        self.wake_ms = self.jobs.next_ms()
        return HELD

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        """Ask for a lost instance again."""
        host = self.instances.pop(container, None)
        if host is None:
            return
        self.jobs.leave(_place(container), now_ms)
        if self.spec.each_node:
            self._want_on(host, 1)
        else:
            self.want(PRIORITY, "*", 1)

    def act(self, now_ms: int) -> None:
        """Tasks inside its instances end and begin."""
        self.jobs.advance(now_ms)
        self.wake_ms = self.jobs.next_ms()

    def form(self, priority: int, name: str, count: int) -> Ask:
        """One size; strict asks forbid their rack and `*`."""
        instance = self.spec.instance
        relax = not self.spec.each_node or name in self.topology.rack_of
        return Ask(priority, name, instance.memory_mb, instance.vcores, count, relax)

    def lifespan(self) -> Lifespan:
        """A service, with what it does for its users."""
        return self.jobs.lifespan(SERVICE)

    def _want_on(self, host: str, more: int) -> None:
        self.want(PRIORITY, host, more)
        self.want(PRIORITY, self.topology.rack_of[host], more)
        self.want(PRIORITY, "*", more)
