"""Services: a fixed number of instances, asked for again when lost; and Tez: DAGs one after another in a session.

Where users have a service do jobs, their tasks run inside its instances, as queries do in LLAP daemons. In Tez a
container takes the next task that waits, and is given back when it was idle. A session keeps its application master,
and some containers, between DAGs, until no DAG came for its time-out.
Source: DAGAppMaster, YarnTaskSchedulerService (DelayedContainerManager), Tez 0.8.4 to 0.10.4. Differs: a task does not
wait for a container nearer to its data (container.reuse.locality.delay-allocation-millis 0), no DAG preempts another,
and a DAG begins anew with another attempt.
"""

from collections import Counter
from collections.abc import Collection

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.model.ledger import LEDGER_BITS
from engine.scenario import (
    ServiceSpec,
    TezSpec,
)
from engine.workload.master import (
    HELD,
    JOB,
    SERVICE,
    SESSION,
    ApplicationMaster,
    Lifespan,
    Topology,
    drawn,
    stream,
)
from engine.workload.stages import NEVER, SuccessiveJobs

PRIORITY = 1


def _place(container: ContainerId) -> int:
    return container[1] << LEDGER_BITS | container[2]


class ServiceMaster(ApplicationMaster):
    """Holds its instances; never ends by itself."""

    jobs: SuccessiveJobs
    instances: dict[ContainerId, str] = {}  # The host each instance was wanted on; any host where that does not matter

    spec: ServiceSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: ServiceSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        self.jobs = SuccessiveJobs(spec.all_jobs, number, seed)

    def registered(self, now_ms: int) -> None:
        self.jobs.begin(now_ms)
        self.wake_ms = self.jobs.next_ms()
        there = Counter(self.instances.values())
        if not self.spec.each_node:
            self.want(PRIORITY, "*", self.spec.instances - there.total())
            return
        for host in self.topology.rack_of:
            self._want_on(host, self.spec.instances - there[host])

    def restart(self) -> None:
        if not self.spec.keep_containers_across_application_attempts:
            self.instances = {}
            self.jobs.restart()

    def take_over(self, containers: Collection[ContainerId], now_ms: int) -> None:
        for container in [each for each in self.instances if each not in containers]:
            del self.instances[container]
            self.jobs.leave(_place(container), now_ms)

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        if self.wanted.get((PRIORITY, "*"), 0) <= 0:
            return None
        place = host
        if self.spec.each_node and self.wanted.get((PRIORITY, host), 0) <= 0:
            place = next(name for name in self.topology.rack_of if self.wanted.get((PRIORITY, name), 0) > 0)
        self._want_on(place, -1)
        self.instances[grant.container] = place
        self.jobs.join(_place(grant.container), host, self.spec.tasks_each, now_ms)
        self.wake_ms = self.jobs.next_ms()
        return HELD

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        host = self.instances.pop(container, None)
        if host is None:
            return
        self.jobs.leave(_place(container), now_ms)
        self._want_on(host, 1)

    def act(self, now_ms: int) -> None:
        self.jobs.advance(now_ms)
        self.wake_ms = self.jobs.next_ms()

    def form(self, priority: int, name: str, count: int) -> Ask:
        instance = self.spec.instance
        relax = not self.spec.each_node or name in self.topology.rack_of
        return Ask(priority, name, instance.memory_mb, instance.vcores, count, relax)

    def lifespan(self) -> Lifespan:
        return self.jobs.lifespan(SERVICE)

    def _want_on(self, host: str, more: int) -> None:
        if self.spec.each_node:
            self.want(PRIORITY, host, more)
            self.want(PRIORITY, self.topology.rack_of[host], more)
        self.want(PRIORITY, "*", more)


TEZ_PRIORITY = 1


class TezMaster(ApplicationMaster):
    """Asks for a container for each task that waits, and uses those it has first."""

    seed: int
    jobs: SuccessiveJobs
    containers: dict[int, ContainerId] = {}  # Number of a container → its id
    release_ms: dict[int, tuple[int, int]] = {}  # Idle container → since when, and when it is given back [epoch ms]

    spec: TezSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: TezSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        self.seed = seed
        self.jobs = SuccessiveJobs(spec.all_jobs, number, seed, reuses=spec.reuse)

    def registered(self, now_ms: int) -> None:
        self.jobs.begin(now_ms)
        self._follow()

    def restart(self) -> None:
        self.containers = {}
        self.release_ms = {}
        self.jobs.restart()

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        if self.wanted.get((TEZ_PRIORITY, "*"), 0) <= 0:
            return None
        number = grant.container[2]
        self.containers[number] = grant.container
        self.jobs.join(number, host, 1, now_ms)
        self._follow()
        return HELD

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        if self.containers.pop(container[2], None) is not None:
            self.jobs.leave(container[2], now_ms)

    def act(self, now_ms: int) -> None:
        self.jobs.advance(now_ms)
        expired = [number for number, time_ms in self._release_times().items() if time_ms <= now_ms]
        for number in (*self.jobs.take_spent(), *expired):
            self.releases.append(self.containers.pop(number))
            self.jobs.leave(number, now_ms)
        end_ms = self._end_ms()
        if end_ms is not None and end_ms <= now_ms:
            self.outcome = "FINISHED"
        self._follow()

    def _follow(self) -> None:
        self.want_exactly(TEZ_PRIORITY, "*", self.jobs.pending)
        due = [self.jobs.next_ms(), self._end_ms() or NEVER, *self._release_times().values()]
        self.wake_ms = min((time_ms for time_ms in due if time_ms != NEVER), default=0)

    def _end_ms(self) -> int | None:
        """Return when it ends if nothing else happens [epoch ms]; None when it does not."""
        rested_ms = self.jobs.rested_ms
        if rested_ms == NEVER:
            return None
        if not self.spec.session:
            return rested_ms if self.jobs.are_done else None
        return None if self.spec.session_timeout_ms is None else rested_ms + self.spec.session_timeout_ms

    def _release_times(self) -> dict[int, int]:
        """Return when each idle container is given back [epoch ms]; those that are kept are left out."""
        span, idle = self.spec.idle_release_ms, self.jobs.idle
        spare = len(self.containers) - self.spec.held
        if span is None or spare <= 0:
            return {}
        for number, since_ms in idle.items():
            if self.release_ms.get(number, (NEVER, NEVER))[0] != since_ms:
                patience_ms = drawn(stream(self.seed, "idle", self.number, number, since_ms), span)
                self.release_ms[number] = (since_ms, since_ms + patience_ms)
        self.release_ms = {number: self.release_ms[number] for number in idle}
        first = sorted(idle, key=lambda number: (self.release_ms[number][1], number))[:spare]
        return {number: self.release_ms[number][1] for number in first}

    def form(self, priority: int, name: str, count: int) -> Ask:
        size = self.spec.container
        return Ask(priority, name, size.memory_mb, size.vcores, count)

    def lifespan(self) -> Lifespan:
        return self.jobs.lifespan(SESSION if self.spec.session else JOB)
