"""An application that asks for exactly what is written.

With `waits` containers begin to run out only when all asks are met; until then it keeps every one. Applications that
keep what they have while they wait for more are what reservation deadlocks are made of.

A session keeps its application master, and some containers, between DAGs, until no DAG came for its time-out.
Source: DAGAppMaster, YarnTaskSchedulerService (DelayedContainerManager), Tez 0.8.4 to 0.10.4. Differs: a task does not
wait for a container nearer to its data (container.reuse.locality.delay-allocation-millis 0), no DAG preempts another,
and a DAG begins anew with another attempt.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from engine.control_plane.protocol import ApplicationSubmitted, Ask, Grant
from engine.model.decision import ContainerId
from engine.model.ledger import LEDGER_BITS
from engine.model.request import Resource
from engine.scenario import (
    ApplicationSpec,
    AskSpec,
    MapReduceSpec,
    ScriptedSpec,
    ServiceSpec,
    SparkSpec,
    StandaloneSpec,
    TezSpec,
)
from engine.workload.mapreduce import MapReduceMaster
from engine.workload.master import (
    HELD,
    JOB,
    SERVICE,
    SESSION,
    ApplicationMaster,
    End,
    Lifespan,
    Topology,
    drawn,
    stream,
)
from engine.workload.spark import SparkJobsMaster, SparkOnYarnMaster
from engine.workload.stages import NEVER, SuccessiveJobs

SUCCEEDED: Final = "COMPLETED"


class Use(NamedTuple):
    ask: int  # Place of the ask among the asks
    duration_ms: int  # How long it runs, or `HELD`
    node: str  # `host:port`
    place: str  # The host it counts for


class ScriptedMaster(ApplicationMaster):
    """Asks at the instants written, counted from its registration; ends with its last container, or when due."""

    drawn_ms: tuple[tuple[int, ...], ...]  # Duration of each container of each ask [ms]
    due: list[int]
    granted: list[int]
    missing: list[int]
    registered_ms: int
    running: dict[ContainerId, Use]
    stays_until_ms: int

    spec: ScriptedSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: ScriptedSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        random = stream(seed, "application", number)
        self.drawn_ms = tuple(
            tuple(HELD if ask.duration_ms is None else drawn(random, ask.duration_ms) for _ in range(self.total(ask)))
            for ask in spec.asks
        )
        self.restart()

    def total(self, ask: AskSpec) -> int:
        return ask.count * (len(self.topology.rack_of) if ask.each_node else 1)

    def restart(self) -> None:
        self.registered_ms = 0
        self.stays_until_ms = 0  # until when it does not end even with nothing to do [epoch ms]; `HELD` is for ever
        self.due = sorted(range(len(self.spec.asks)), key=lambda index: self.spec.asks[index].at_ms)
        """Asks still to be made, earliest first."""
        self.missing = [0] * len(self.spec.asks)  # containers each ask still wants
        self.granted = [0] * len(self.spec.asks)  # containers each ask has been given, lost ones included
        self.running = {}

    def registered(self, now_ms: int) -> None:
        self.registered_ms = now_ms
        self.wake_ms = max(1, now_ms)
        self._ask(now_ms)

    def _ask(self, now_ms: int) -> None:
        while self.due and self.registered_ms + self.spec.asks[self.due[0]].at_ms <= now_ms:
            index = self.due.pop(0)
            self.missing[index] = self.total(self.spec.asks[index])
            self._want(index, 1, "")

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        index = self._ask_for(grant.priority, host)
        if index is None:
            return None
        durations = self.drawn_ms[index]
        duration_ms = durations[self.granted[index] % len(durations)]
        self.begin(grant.container, index, grant.node, host, duration_ms)
        if not self.spec.waits:
            return duration_ms
        if self._is_met():
            ends = [(container, use) for container, use in self.running.items() if use.duration_ms != HELD]
            self.ends += [End(container, use.node, now_ms + use.duration_ms) for container, use in ends]
        return HELD

    def begin(self, container: ContainerId, index: int, node: str, host: str, duration_ms: int) -> None:
        """A container answers the ask at this place; it runs on a node (`host:port`) for so long."""
        place = self._place(index, host)
        self.missing[index] -= 1
        self._want(index, -1, place)
        self.granted[index] += 1
        self.running[container] = Use(index, duration_ms, node, place)

    def _ask_for(self, priority: int, host: str) -> int | None:
        """The ask a container answers: one that names its place before one that does not.

        A scheduler that ignores strict asks (FIFO) decides where they run; sent back, their containers would come
        again and again.
        """
        open_asks = [
            index for index, ask in enumerate(self.spec.asks) if ask.priority == priority and self.missing[index] > 0
        ]
        here = [index for index in open_asks if self._names(index, host)]
        loose = [index for index in open_asks if self.spec.asks[index].relax and not self.spec.asks[index].each_node]
        return next(iter(here or loose or open_asks), None)

    def _names(self, index: int, host: str) -> bool:
        ask = self.spec.asks[index]
        if ask.each_node:
            return self.wanted.get((ask.priority, host), 0) > 0
        return host in ask.hosts or (not ask.hosts and self.topology.rack_of.get(host) in ask.racks)

    def _place(self, index: int, host: str) -> str:
        ask = self.spec.asks[index]
        if not ask.each_node or self._names(index, host):
            return host
        return next(name for name in self.topology.rack_of if self.wanted.get((ask.priority, name), 0) > 0)

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        use = self.running.pop(container, None)
        if use is None or cause == SUCCEEDED:
            return
        self.missing[use.ask] += 1
        self._want(use.ask, 1, use.place)

    def act(self, now_ms: int) -> None:
        self._ask(now_ms)
        self.wake_ms = self.registered_ms + self.spec.asks[self.due[0]].at_ms if self.due else 0
        if self.spec.ends_after_ms is not None:
            ends_ms = self.registered_ms + self.spec.ends_after_ms
            self.wake_ms = min(self.wake_ms or ends_ms, ends_ms)
            if ends_ms <= now_ms:
                self.outcome = self.spec.outcome
            return
        if not self._is_met() or self.running or self.stays_until_ms == HELD:
            return
        if now_ms < self.stays_until_ms:
            self.wake_ms = self.stays_until_ms
        else:
            self.outcome = self.spec.outcome

    def _is_met(self) -> bool:
        return not self.due and not any(self.missing)

    def _want(self, index: int, sign: int, host: str) -> None:
        """Want an ask's containers: all of them (no host), or one more or less, on a host where it matters."""
        ask = self.spec.asks[index]
        count = self.missing[index] if not host else 1
        rack_of = self.topology.rack_of
        if ask.each_node:
            for each in (host,) if host else tuple(rack_of):
                self.want(ask.priority, each, sign * (1 if host else ask.count))
                self.want(ask.priority, rack_of[each], sign * (1 if host else ask.count))
        else:
            racks = ask.racks + tuple(rack_of[name] for name in ask.hosts if name in rack_of)
            for name in dict.fromkeys(ask.hosts + racks):
                self.want(ask.priority, name, sign * count)
        self.want(ask.priority, "*", sign * count)

    def form(self, priority: int, name: str, count: int) -> Ask:
        asks = [(ask, self.missing[index]) for index, ask in enumerate(self.spec.asks) if ask.priority == priority]
        ask = next((ask for ask, missing in asks if missing), asks[0][0])
        strict = ask.each_node or not ask.relax
        narrow = (
            name in ask.hosts
            or (not ask.hosts and name in ask.racks)
            or (ask.each_node and name in self.topology.rack_of)
        )
        return Ask(priority, name, ask.memory_mb, ask.vcores, count, narrow or not strict)


# A long-running service: it holds a fixed number of instances and asks again for lost ones.
#
# Where users have it do jobs, their tasks run inside its instances, as queries do in LLAP daemons.

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


# Tez: DAGs one after another; a container takes the next task that waits, and is given back when it was idle.

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


# Arrivals: which user submits what and when, and the application master of each submission.

TYPE_NAMES = {
    "mapreduce": "MAPREDUCE",
    "spark": "SPARK",
    "tez": "TEZ",
    "service": "YARN",
    "scripted": "YARN",
    "spark-standalone": "SPARK",
}
"""The application type shown, per kind, where the specification names none."""


class Arrival(NamedTuple):
    at_ms: int  # Ms after the scenario's start
    number: int | None  # Application number; None takes the next free one
    spec: ApplicationSpec


def arrivals(workload: Iterable[ApplicationSpec]) -> tuple[Arrival, ...]:
    """All submissions in order of time; those of one instant in the order written."""
    unrolled = [
        Arrival(spec.at_ms + turn * every_ms, None if spec.number is None else spec.number + turn, spec)
        for spec in workload
        for times, every_ms in [(spec.repeat.times, spec.repeat.every_ms) if spec.repeat else (1, 0)]
        for turn in range(times)
    ]
    return tuple(sorted(unrolled, key=lambda arrival: arrival.at_ms))


def application_type(spec: ApplicationSpec) -> str:
    """The type shown: as written, else the usual one of its kind."""
    return spec.application_type or TYPE_NAMES[spec.type]


def submission_of(spec: ApplicationSpec, number: int) -> ApplicationSubmitted:
    """Return the submission that an application's client sends to a ResourceManager, with its number."""
    return ApplicationSubmitted(
        spec.user,
        spec.queue,
        None if spec.am is None else Resource(spec.am.memory_mb, spec.am.vcores),
        number,
        spec.name,
        application_type(spec),
        spec.priority,
        max_attempts=spec.max_attempts,
        tags=spec.tags,
        keeps_containers=isinstance(spec, ServiceSpec) and spec.keep_containers_across_application_attempts,
        failures_validity_ms=spec.attempt_failures_validity_interval_ms,
    )


def master_of(spec: ApplicationSpec, number: int, phase_ms: int, topology: Topology, seed: int) -> ApplicationMaster:
    """The master of an application; chance hangs on `number` and seed, `phase_ms` is one instant of its rhythm."""
    match spec:
        case MapReduceSpec():
            return MapReduceMaster(number, phase_ms, topology, spec, seed)
        case SparkSpec() if spec.jobs or spec.stages:
            return SparkJobsMaster(number, phase_ms, topology, spec, seed)
        case SparkSpec():
            return SparkOnYarnMaster(number, phase_ms, topology, spec, seed)
        case TezSpec():
            return TezMaster(number, phase_ms, topology, spec, seed)
        case ServiceSpec():
            return ServiceMaster(number, phase_ms, topology, spec, seed)
        case ScriptedSpec():
            return ScriptedMaster(number, phase_ms, topology, spec, seed)
        case StandaloneSpec():
            raise ValueError("an application of a Spark Master has a driver, no application master")
