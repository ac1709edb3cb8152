"""Shared behaviour of application masters: keep a table of asks, send heartbeats, take grants, note ended containers.

An application master lives by its heartbeats: `call` says what it wants changed, `take` receives each container
granted, `note_end` collects what the control plane reported about its containers. It asks once per change: `wanted` is
what it still wants per (priority, resource name), `counted` what the control plane counts as far as the master can
know, and a call carries only the keys where they differ.

A call for which `is_quiet` holds would say nothing, so it may be left out.

Source: RMContainerRequestor (Hadoop 2.7.2) and AMRMClientImpl for the meaning of the counts. Differs: a
master asks again only when the ResourceManager counts otherwise; a real one sends its count again for every container
it gets, so a ResourceManager that allocates between two calls allocates more than was asked for.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from random import Random
from typing import Final, NamedTuple

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.scenario import ApplicationSpec
from engine.state import State

# The life of an application: one job, a session of jobs, or a service for everybody.

JOB: Final = "job"  # It is submitted for one job and ends with it
SESSION: Final = "session"  # It keeps what it has between the jobs of one user, for a while
SERVICE: Final = "service"  # It stays until it is ended


class Lifespan(NamedTuple):
    kind: str = JOB
    jobs: int = 0  # Jobs that it is given in all; 0 where they are not simulated
    jobs_done: int = 0
    idle_since_ms: int | None = None
    """Since when it has no job to do [epoch ms]; None while it has one, or has not begun."""
    idle_containers: int = 0  # Containers it holds that do nothing


# Random streams drawn from the scenario's seed: one for each source, so that no source disturbs another.


def stream(seed: int, *source: str | int) -> Random:
    """The random stream of one source (`"application", 7, "durations"`), alike on every machine."""
    return Random(":".join(str(part) for part in (seed, *source)))


def drawn(random: Random, span: tuple[int, int]) -> int:
    """A whole number between the two ends, both included; nothing is drawn when they are equal.

    >>> drawn(stream(0), (7, 7))
    7
    """
    shortest, longest = span
    return shortest if shortest == longest else shortest + int(random.random() * (longest - shortest + 1))


HELD: Final = -1  # A container that runs until it is stopped
CRASHED: Final = "CRASHED"  # Outcome of a master whose process ends with an error, without ending its application

# Stages of a master's process.
WAITING: Final = "WAITING"  # Its container is not there yet
LAUNCHED: Final = "LAUNCHED"  # Its container is starting, or runs but has not been reported
STARTED: Final = "STARTED"  # It runs and registers at its next heartbeat
REGISTERED: Final = "REGISTERED"  # It has registered and sends heartbeats
ADRIFT: Final = "ADRIFT"  # It had registered, its calls get no answer any more, and it tries again
HUNG: Final = "HUNG"  # Its process runs and says nothing
LEAVING: Final = "LEAVING"  # Its work is done; it ends its application when its process has ended
GONE: Final = "GONE"  # Its process died and the control plane has not noticed yet

STAGES: Final[Mapping[str, tuple[str, ...]]] = {
    WAITING: (LAUNCHED, STARTED, GONE),
    LAUNCHED: (STARTED, WAITING, GONE),
    STARTED: (REGISTERED, HUNG, WAITING, GONE),
    REGISTERED: (LEAVING, ADRIFT, HUNG, WAITING, GONE),
    ADRIFT: (REGISTERED, HUNG, WAITING, GONE),
    HUNG: (WAITING, GONE),
    LEAVING: (WAITING, GONE),
    GONE: (WAITING,),
}
"""From each stage to those that may follow; an unmanaged master goes from WAITING to STARTED."""


class CoreShortage(NamedTuple):
    """Tasks of an application that wait while each of its cores runs one; zeros where none waits or a core is free."""

    endless: int = 0  # Tasks that never end and have every core, such as receivers; 0 where others have some
    waiting: int = 0
    executors: int = 0
    cores: int = 0


class Topology(NamedTuple):
    """The hosts and racks of the cluster; shared by all masters."""

    rack_of: Mapping[str, str]  # Rack of each host, in order of joining


class End(NamedTuple):
    """A container that its master lets run out."""

    container: ContainerId
    node: str  # `host:port`
    at_ms: int  # Epoch ms
    exit_status: int = 0


class AmHeartbeat(NamedTuple):
    asks: tuple[Ask, ...] = ()
    releases: tuple[ContainerId, ...] = ()
    ends: tuple[End, ...] = ()
    outcome: str = ""  # Empty, or the state it ends in: `FINISHED`, `FAILED` or `CRASHED`
    detail: str = ""


NOTHING_TO_SAY: Final = AmHeartbeat()

AskKey = tuple[int, str]  # (priority, resource name)


class ApplicationMaster(metaclass=State):
    """One application's master, through all its attempts.

    Subclasses say what they want (`registered`), what a grant is for (`use`), what a lost container means (`lost`)
    and when they are done (`act`). State is flat: ints, strings, tuples, and dicts and lists of those.
    """

    number: int  # The application's number
    phase_ms: int  # One instant of the rhythm it calls in [epoch ms]
    topology: Topology
    stage: str = WAITING
    silent_ms: int = -1  # Time of its last call where it hangs [epoch ms]
    attempt: int = 0
    container: ContainerId | None = None
    """The container it runs in; None while it has none, and for an unmanaged master."""
    node: int = -1  # Index of the node it runs on; -1 for none
    beat_ms: int = 0  # When its next call is due [epoch ms]; 0 when none is
    wake_ms: int = 0  # When it wants to call even if nothing happens [epoch ms]; 0 for never
    changed: dict[AskKey, None]
    detail: str
    ends: list[End]
    inbox: list[tuple[ContainerId, str]]
    outcome: str
    releases: list[ContainerId]
    sent: tuple[AskKey, ...]
    counted: dict[AskKey, int]
    wanted: dict[AskKey, int]

    spec: ApplicationSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology) -> None:
        self.number = number
        self.phase_ms = phase_ms
        self.topology = topology
        self._forget()

    def _forget(self) -> None:
        self.wanted = {}
        self.counted = {}
        self.changed = {}
        self.sent = ()
        self.inbox = []
        self.releases = []
        self.ends = []
        self.outcome = ""
        self.detail = ""
        self.wake_ms = 0

    def move(self, stage: str) -> None:
        """Go to another stage. Raises ValueError if the table of stages has no such move."""
        if stage not in STAGES[self.stage]:
            raise ValueError(f"an application master cannot go from {self.stage} to {stage}")
        self.stage = stage

    def begin_attempt(self, attempt: int) -> None:
        """A new attempt gets its container; of its work only `restart` decides what is kept."""
        self.attempt = attempt
        self._forget()
        self.restart()

    def resync(self) -> None:
        """The control plane knows none of its asks any more: all are sent again at its next call."""
        self.counted = {}
        self.changed = dict.fromkeys(self.wanted)
        self.sent = ()

    def is_quiet(self, now_ms: int) -> bool:
        """Tell whether a call now would say nothing."""
        return not (self.changed or self.inbox or self.releases or 0 < self.wake_ms <= now_ms)

    def note_end(self, container: ContainerId, cause: str) -> None:
        """One of its containers ended: `COMPLETED`, `FAILED` (bad exit status), or as a `Killed` decision says."""
        self.inbox.append((container, cause))

    def call(self, now_ms: int) -> AmHeartbeat:
        """Apply the ends noted since the last heartbeat; what is to change, `NOTHING_TO_SAY` when nothing is."""
        self.sent = ()
        if self.is_quiet(now_ms):
            return NOTHING_TO_SAY
        if self.inbox:
            ended, self.inbox = self.inbox, []
            for container, cause in ended:
                self.lost(container, cause, now_ms)
        self.act(now_ms)
        releases, self.releases = tuple(self.releases), []
        ends, self.ends = tuple(self.ends), []
        return AmHeartbeat(self._changed_asks(), releases, ends, self.outcome, self.detail)

    def take(self, grant: Grant, host: str, now_ms: int) -> int | None:
        """Receive a container: how long it runs [ms], `HELD`, or None when it is not wanted."""
        self._count(grant.priority, host)
        duration_ms = self.use(grant, host, now_ms)
        if duration_ms is None:
            self.releases.append(grant.container)
        return duration_ms

    def want(self, priority: int, name: str, more: int) -> None:
        key = (priority, name)
        self.wanted[key] = self.wanted.get(key, 0) + more
        self.changed[key] = None

    def want_exactly(self, priority: int, name: str, count: int) -> None:
        more = count - self.wanted.get((priority, name), 0)
        if more:
            self.want(priority, name, more)

    def _count(self, priority: int, host: str) -> None:
        rack = self.topology.rack_of.get(host, "")
        names: tuple[str, ...] = ("*",)
        if self.counted.get((priority, host), 0) > 0:
            names = (host, rack, "*")
        elif self.counted.get((priority, rack), 0) > 0:
            names = (rack, "*")
        for name in names:
            key = (priority, name)
            # What this very call carried was counted after the container had been allocated.
            if key not in self.sent and self.counted.get(key, 0) > 0:
                self.counted[key] -= 1
            self.changed[key] = None

    def _changed_asks(self) -> tuple[Ask, ...]:
        """Asks whose count is not what the control plane counts, and the table brought up to date."""
        if not self.changed:
            return ()
        asks = []
        for key in self.changed:
            count = self.wanted.get(key, 0)
            if count != self.counted.get(key, 0):
                asks.append(self.form(key[0], key[1], count))
                self.counted[key] = count
            if not count:
                self.wanted.pop(key, None)
                self.counted.pop(key, None)
        self.changed = {}
        self.sent = tuple((ask.priority, ask.resource_name) for ask in asks)
        return tuple(asks)

    def take_over(self, containers: Collection[ContainerId], now_ms: int) -> None:
        """Have what outlived an earlier attempt, before `registered`; a kind that uses none of it gives it back."""
        self.releases += containers

    # What each kind of application says for itself.

    @abstractmethod
    def registered(self, now_ms: int) -> None:
        """The master begins to work: say what is wanted."""

    @abstractmethod
    def restart(self) -> None:
        """Another attempt begins: forget the work that does not survive the master."""

    @abstractmethod
    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        """Decide what a granted container is for; as `take` returns."""

    @abstractmethod
    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        """A container ended; an id that was never granted is none of the master's."""

    @abstractmethod
    def act(self, now_ms: int) -> None:
        """After all ends are applied: set `outcome`, `wake_ms`, `ends`, `releases`."""

    @abstractmethod
    def form(self, priority: int, name: str, count: int) -> Ask:
        """The ask of a key with its size."""

    def lifespan(self) -> Lifespan:
        return Lifespan()

    @property
    def core_shortage(self) -> CoreShortage:
        return CoreShortage()

    def exit_status(self, container: ContainerId) -> int:
        """With which exit status a container will end by itself; 0 is success."""
        return 0
