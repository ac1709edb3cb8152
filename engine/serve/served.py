"""A simulation as it is asked: its ResourceManager at this instant, and what is known of before.

Source: RMAppAttemptImpl, RMAppMetrics, QueueMetrics, Hadoop 2.7.2 and 3.4.1.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

from engine.control_plane.protocol import Answer
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.model.cluster import FINISHED_REMEMBERED, Cluster
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed
from engine.model.identity import ConcurrentHashOrder, application_id_hash, application_name
from engine.model.ledger import Application, Node
from engine.model.request import Resource
from engine.observe.snapshots import RunningContainer
from engine.run.player import Run
from engine.scenario.acts import Act
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.serve.wire import HadoopRelease
from engine.simulation.build import KeptAct
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import Record, Submitted
from engine.simulation.simulation import Simulation
from engine.simulation.world import NODE_HEARTBEAT

# Lets the time of a served run pass: at a speed, by steps, or not at all.
#
# Work is done in slices of a few ms, so that questions on the same event loop are answered in between. The clock and
# the sleep are given from outside, so tests step them.

SLICE_S: Final = 0.005  # Longest time of one slice of work [s]
REST_S: Final = 0.02  # The longest wait between two slices [s]
SLOWEST: Final = 0.001
FASTEST: Final = 1_000_000.0  # Bounds of a speed [simulated seconds per second]
CHUNK_MS: Final = 250  # Simulated time between two looks at the wall clock


class ServedPace:
    """Moves one run through its script, or through the acts that were kept of it."""

    def __init__(
        self,
        run: Run,
        kept: Sequence[KeptAct] = (),
        *,
        speed: float = 1.0,
        paused: bool = False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """What came from outside in a `kept` run comes again at its time; `speed` is in simulated seconds a second."""
        self.played = run
        self._kept = list(kept)
        self.speed, self.paused = speed, paused
        self._clock, self._sleep = clock, sleep
        self._walking = asyncio.Lock()
        self._anchor()

    def set(self, *, speed: float | None = None, paused: bool | None = None) -> None:
        """Go on in another way from here; None leaves a part as it is."""
        self.speed = self.speed if speed is None else speed
        self.paused = self.paused if paused is None else paused
        self._anchor()

    def advance(self, to_ms: int) -> None:
        """Play up to and including an instant [ms after the start], but not beyond the end."""
        self._play(to_ms)
        self._anchor()

    async def walk(self, to_ms: int) -> None:
        """Like `advance`, slice by slice: questions are answered in between. Of several walks one goes at a time."""
        async with self._walking:
            while self._is_before(to_ms):
                deadline_s = self._clock() + SLICE_S
                while self._is_before(to_ms) and self._clock() < deadline_s:
                    self._play(min(to_ms, self.played.now_ms + CHUNK_MS))
                await self._sleep(0)
            self._anchor()

    def act(self, act: Act) -> Answer:
        """Do something from outside, now; what was kept of later does not come any more, as it was another future."""
        self._kept.clear()
        return self.played.simulation.act(act)

    async def run(self) -> None:
        while True:
            await self._sleep(self.slice())

    def slice(self) -> float:
        """Do one slice of work, and say how long to wait before the next [s]."""
        if self.paused or self.played.ended:
            return REST_S
        due_ms = self._begin_ms + int((self._clock() - self._begin_s) * 1000 * self.speed)
        deadline_s = self._clock() + SLICE_S
        while self._is_before(due_ms):
            self._play(min(due_ms, self.played.now_ms + CHUNK_MS))
            if self._clock() >= deadline_s:
                self._anchor()  # it is behind; simulated time does not catch up
                return 0.0
        return REST_S

    def _is_before(self, to_ms: int) -> bool:
        return self.played.now_ms < to_ms and not self.played.ended

    def _play(self, to_ms: int) -> None:
        last_ms = self.played.scenario.start_ms + to_ms
        while self._kept and self._kept[0][0][0] <= last_ms:
            position, act = self._kept.pop(0)
            self.played.repeat(position, act)
        self.played.advance(to_ms)

    def _anchor(self) -> None:
        self._begin_s, self._begin_ms = self._clock(), self.played.now_ms


# Keeps, from records, what a ResourceManager remembers of applications and the model of its cluster does not.

_ENDS: Final = {"FINISHED": "AppsCompleted", "FAILED": "AppsFailed", "KILLED": "AppsKilled"}


class PastAttempt:
    def __init__(self, number: int, started_ms: int) -> None:
        self.number = number
        self.started_ms = started_ms
        self.finished_ms = 0  # 0 while it lives
        self.state = "SCHEDULED"  # RMAppAttemptState, as far as it can be seen
        self.first: ContainerId | None = None
        """The first container it was given: its master's, unless that is unmanaged."""
        self.node = ""  # `host:port` of it
        self.launched_ms = 0


class PreemptedContainer(NamedTuple):
    id: ContainerId
    memory_mb: int
    vcores: int
    held_ms: int


class PastApplication:
    def __init__(self, user: str) -> None:
        self.user = user
        self.queue = ""
        self.attempts: list[PastAttempt] = []
        self.preempted: list[PreemptedContainer] = []


class ApplicationPast:
    """A listener that remembers applications, and counts events by queue and user."""

    def __init__(self) -> None:
        self.applications: dict[int, PastApplication] = {}  # by number; of those that ended the latest only
        self.counts: Counter[tuple[str, str, str]] = Counter()
        """(what, queue, user) → how often, under the names of QueueMetrics."""
        self._held: dict[ContainerId, RunningContainer] = {}
        self._ended: list[int] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self._allocated(record, time_ms)
            elif isinstance(record, Killed | Completed):
                self._container_ended(record, time_ms)
            elif isinstance(record, ApplicationTransitioned):
                self._moved_on(record, time_ms)
            elif isinstance(record, Submitted) and record.application:
                known = self.applications.setdefault(record.application, PastApplication(record.user))
                known.user = record.user

    def of(self, number: int) -> PastApplication:
        return self.applications.get(number) or PastApplication("")

    def _allocated(self, record: Allocated, time_ms: int) -> None:
        number, attempt, _ = record.container
        self._held[record.container] = RunningContainer(time_ms, record.memory_mb, record.vcores)
        known = self._known(number)
        self._count("AggregateContainersAllocated", known)
        self._count(f"Aggregate{_PLACES[record.locality]}ContainersAllocated", known)
        mine = next((each for each in known.attempts if each.number == attempt), None)
        if mine is not None and mine.first is None:
            mine.first, mine.node, mine.launched_ms, mine.state = record.container, record.node, time_ms, "LAUNCHED"

    def _container_ended(self, record: Killed | Completed, time_ms: int) -> None:
        held = self._held.pop(record.container, None)
        if held is None:
            return
        known = self._known(record.container[0])
        self._count("AggregateContainersReleased", known)
        if isinstance(record, Killed) and record.cause == "PREEMPTED":
            held_ms = time_ms - held.since_ms
            known.preempted.append(PreemptedContainer(record.container, held.memory_mb, held.vcores, held_ms))
            self._count("AggregateContainersPreempted", known)
            self._count("AggregateMemoryMBPreempted", known, by=held.memory_mb)
            self._count("AggregateVcoresPreempted", known, by=held.vcores)
            self._count("AggregateMemoryMBSecondsPreempted", known, by=held.memory_mb * held_ms // 1000)
            self._count("AggregateVcoreSecondsPreempted", known, by=held.vcores * held_ms // 1000)

    def _moved_on(self, record: ApplicationTransitioned, time_ms: int) -> None:
        known = self._known(record.application)
        known.queue = record.queue or known.queue
        living = known.attempts[-1] if known.attempts and not known.attempts[-1].finished_ms else None
        if record.state == "RUNNING" and living is not None:
            living.state = "RUNNING"
        elif record.state == "ACCEPTED" and record.detail != "recovered":
            self._end(living, "FAILED", time_ms)
            known.attempts.append(PastAttempt(len(known.attempts) + 1, time_ms))
            self._count("AppsSubmitted", known, only_if=living is None)
        elif record.state in _ENDS:
            self._end(living, record.state, time_ms)
            self._count(_ENDS[record.state], known, only_if=bool(known.attempts))
            self._ended.append(record.application)
            if len(self._ended) > FINISHED_REMEMBERED:
                self.applications.pop(self._ended.pop(0), None)

    def _end(self, attempt: PastAttempt | None, state: str, time_ms: int) -> None:
        if attempt is not None:
            attempt.state, attempt.finished_ms = state, time_ms

    def _known(self, number: int) -> PastApplication:
        return self.applications.setdefault(number, PastApplication(""))

    def _count(self, what: str, known: PastApplication, *, by: int = 1, only_if: bool = True) -> None:
        if only_if:
            self.counts[what, known.queue, known.user] += by


_PLACES: Final = {"NODE_LOCAL": "NodeLocal", "RACK_LOCAL": "RackLocal", "OFF_SWITCH": "OffSwitch"}

NODE_HTTP_PORT: Final = 8042  # Port of a node's web pages. Source: yarn.nodemanager.webapp.address.
MASTER_PORT: Final = 40000
"""Port of an application master. Differs: all masters have port 40000; a real one takes any that is free."""


class ServedCluster:
    """A simulation as a ResourceManager that is asked: the source of every answer."""

    def __init__(
        self,
        simulation: Callable[[], Simulation],
        act: Callable[[Act], Answer],
        past: ApplicationPast,
        release: HadoopRelease,
        address: str,
        reported: Callable[[Node], Node] = lambda node: node,
    ) -> None:
        """Look at a simulation, which stands between two instants whenever it is looked at.

        `act` does something to it from outside, `past` listens to it since its beginning, `address` is `host:port` for
        links in answers, `reported` tells what is said of a node.
        """
        self._simulation = simulation
        self.act = act
        self.past = past
        self.release = release
        self.address = address
        self.reported = reported
        self._promised = 0  # the last number of an application that was given to a client

    @property
    def simulation(self) -> Simulation:
        return self._simulation()

    @property
    def rm(self) -> ResourceManager:
        control_plane = self.simulation.control_plane
        assert isinstance(control_plane, ResourceManager), "only a ResourceManager is served"
        return control_plane

    @property
    def view(self) -> YarnClusterView:
        return self.rm.view()

    @property
    def cluster(self) -> Cluster:
        return self.rm.cluster

    @property
    def now_ms(self) -> int:
        return self.simulation.now_ms

    @property
    def scheduler_kind(self) -> str:
        return self.rm.scheduler.policy.kind

    @property
    def fair(self) -> FairScheduler27 | FairScheduler34 | None:
        policy = self.rm.scheduler.policy
        return policy if isinstance(policy, FairScheduler27 | FairScheduler34) else None

    @property
    def sizes(self) -> tuple[Resource, Resource]:
        policy = self.rm.scheduler.policy
        return policy.minimum, policy.maximum.effective

    def next_id(self) -> str:
        """An id that no application has and that is given once."""
        self._promised = max(self._promised + 1, self.simulation.world.next_application)
        return application_name(self.cluster.cluster_timestamp, self._promised)

    def applications(self) -> list[Application]:
        """Live ones and those remembered, in the order of the ResourceManager's own map."""
        cluster, order = self.cluster, ConcurrentHashOrder()
        everyone = {str(each.number): each for each in (*cluster.finished, *cluster.applications.values())}
        for number in sorted(map(int, everyone)):
            order.add(str(number), application_id_hash(cluster.cluster_timestamp, number))
        return [everyone[key] for key in order.keys()]  # noqa: SIM118 -- no dict

    def application(self, number: int) -> Application | None:
        cluster = self.cluster
        live = cluster.applications.get(number)
        return live or next((each for each in cluster.finished if each.number == number), None)

    def nodes(self) -> list[Node]:
        cluster = self.cluster
        up = [cluster.nodes[node_id] for node_id in cluster.node_order.keys()]  # noqa: SIM118 -- no dict
        down = list(cluster.down.values())
        unhealthy = [node for node in down if node.state == "UNHEALTHY"]
        return [*up, *unhealthy, *(node for node in down if node.state != "UNHEALTHY")]

    def heartbeats(self) -> Mapping[str, int]:
        """Id of a node → when it last reported [epoch ms]; 0 before the first time."""
        return {each.id: self._heartbeat_ms(each) for each in self.simulation.world.nodes}

    def _heartbeat_ms(self, node: NodeManager) -> int:
        world = self.simulation.world
        if not (node.up and node.member):
            return max(node.last_beat_ms, 0)
        interval_ms = world.ground.heartbeat_ms
        return world.clock.last_beat_ms(node.phase_ms, interval_ms, NODE_HEARTBEAT, node.index)
