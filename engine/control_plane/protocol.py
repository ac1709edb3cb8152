"""The front door: what the simulated world may say to a control plane, and what it answers.

An event and `now_ms` go in, an `Answer` comes out; the simulation knows nothing else of a ResourceManager, a Spark
Master or a JobTracker. Each control plane accepts the events it has a meaning for and refuses the rest with
`RefusedError("UnsupportedOperationException")`. Background work is named passes: the control plane says which it has
and how often the real one runs them; its driver (simulation, recorded case) decides when they run.

The events that only a JobTracker or a Spark Master knows come last; nodes are `host:port`, applications, drivers and
executors numbers. Source: JobSubmissionProtocol, InterTrackerProtocol, HeartbeatResponse, Hadoop 1.2.1;
DeployMessages, Spark 4.x.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from engine.control_plane.cluster_view import ClusterView
from engine.model.decision import ContainerId, Decision
from engine.model.mr1.cluster import MIN_HEARTBEAT_MS
from engine.model.mr1.task_in_progress import JobDescription
from engine.model.mr1.tracker import AttemptId, Launch, TrackerReport
from engine.model.request import Resource


class Event(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """Base of every event given to a control plane."""


class NodeJoined(Event, frozen=True, gc=False, tag=True):
    """A node manager (or Spark worker) registered."""

    node: str  # `host:port`
    rack: str
    memory_mb: int
    vcores: int
    partition: str = ""


class NodeContainer(msgspec.Struct, frozen=True, gc=False):
    """A container as a node manager names it when it registers again."""

    container: ContainerId
    priority: int
    memory_mb: int
    vcores: int
    created_ms: int  # When it was allocated [epoch ms], as its token says
    exit_status: int | None = None  # None while it runs


class NodeRegisteredAgain(Event, frozen=True, gc=False, tag=True):
    """A node manager that ran before registers, with the containers it knows of."""

    node: str
    rack: str
    memory_mb: int
    vcores: int
    partition: str = ""
    containers: tuple[NodeContainer, ...] = ()
    """Containers that run, in order of launching, then those that ended and have not been reported."""


class NodeLost(Event, frozen=True, gc=False, tag=True):
    """A node left: expired, unhealthy or decommissioned; its containers are lost."""

    node: str
    state: str = "LOST"  # `LOST`, `UNHEALTHY` or `DECOMMISSIONED`


class NodeResized(Event, frozen=True, gc=False, tag=True):
    node: str
    memory_mb: int
    vcores: int


class NodeHeartbeat(Event, frozen=True, gc=False, tag=True):
    """A node reports what started and what ended since its last heartbeat, and may be offered."""

    node: str
    started: tuple[ContainerId, ...] = ()
    completed: tuple[tuple[ContainerId, int], ...] = ()  # (container, exit status) pairs in the node's order


class Ask(msgspec.Struct, frozen=True, gc=False):
    """One resource request of an application master; it replaces the count for its (priority, resource name)."""

    priority: int
    resource_name: str  # Host, rack or `*`
    memory_mb: int
    vcores: int
    count: int
    relax_locality: bool = True
    partition: str = ""
    allocation_id: int = -1


class ApplicationSubmitted(Event, frozen=True, gc=False, tag=True):
    user: str
    queue: str | None = None  # None means the client named no queue
    am: Resource | None = None  # What its application master needs; None for an unmanaged one
    application: int | None = None  # Its number; None takes the next
    name: str = ""
    type: str = "YARN"
    priority: int | None = None  # None means the client named none
    partition: str = ""  # The node label its asks mean where they name none
    max_attempts: int | None = None  # None means the control plane's own maximum
    tags: tuple[str, ...] = ()
    keeps_containers: bool = False
    """Whether its running containers outlive a failed attempt. Source: keepContainersAcrossApplicationAttempts."""
    failures_validity_ms: int | None = None
    """How long a failed attempt counts; None for ever. Source: attemptFailuresValidityInterval."""


class ApplicationRecovered(Event, frozen=True, gc=False, tag=True):
    """An application that was there before is taken over as it stands, with its containers; no policy is asked."""

    submission: ApplicationSubmitted
    """As its client submitted it; it names its number and the whole path of the queue it is in."""
    submitted_ms: int
    attempt: int  # The number of the attempt that lives
    has_master: bool  # Whether its master is there; if not, a container for it is asked for
    waiting_since_ms: int | None
    containers: tuple[tuple[str, NodeContainer], ...] = ()
    """(node, container) in order of allocation; the first is its master's, unless that runs outside the cluster."""
    last_container: int = 0  # The last container number that it has used up


class ReservationRecovered(Event, frozen=True, gc=False, tag=True):
    """A reservation that was there before is taken over; its application asks at its priority."""

    application: int
    node: str  # `host:port`
    priority: int
    memory_mb: int
    vcores: int
    since_ms: int


class ApplicationMasterRegistered(Event, frozen=True, gc=False, tag=True):
    """An application master runs and reports for duty: ACCEPTED becomes RUNNING."""

    application: int


class ApplicationMasterHeartbeat(Event, frozen=True, gc=False, tag=True):
    """An AM's allocate call: asks, releases and blacklist changes; the answer holds what was granted."""

    application: int
    asks: tuple[Ask, ...] = ()
    releases: tuple[ContainerId, ...] = ()
    blacklist_add: tuple[str, ...] = ()
    blacklist_remove: tuple[str, ...] = ()


class ApplicationMasterLost(Event, frozen=True, gc=False, tag=True):
    """An application master has been silent for too long."""

    application: int
    attempt: int


class ResourceManagerStopped(Event, frozen=True, gc=False, tag=True):
    """The ResourceManager is gone: nobody answers, nothing is decided; nodes and application masters go on."""

    cause: str = "RESTART"  # `RESTART`, `FAILOVER` or `LOST`


class ResourceManagerStarted(Event, frozen=True, gc=False, tag=True):
    """A ResourceManager is there again and loads its store: the same one, or the other of a pair."""


class RecoveryTimer(Event, frozen=True, gc=False, tag=True):
    """An instant has come at which a ResourceManager that recovers goes on."""


class ApplicationFinished(Event, frozen=True, gc=False, tag=True):
    """An application ends: its AM unregistered (`FINISHED`), failed, or a user killed it."""

    application: int
    state: str = "FINISHED"  # `FINISHED`, `FAILED` or `KILLED`
    detail: str = ""


class ApplicationMasterUnregistered(Event, frozen=True, gc=False, tag=True):
    """An AM has done its work: its application ends as soon as its node reports that the AM's container has ended."""

    application: int
    state: str = "FINISHED"  # `FINISHED` or `FAILED`
    detail: str = ""


class ContainerKilled(Event, frozen=True, gc=False, tag=True):
    container: ContainerId


class ApplicationMovedToQueue(Event, frozen=True, gc=False, tag=True):
    application: int
    queue: str


class ApplicationPriorityChanged(Event, frozen=True, gc=False, tag=True):
    application: int
    priority: int


class NodeRelabelled(Event, frozen=True, gc=False, tag=True):
    node: str
    partition: str  # The new node label; empty for the default partition


class SettingsChanged(Event, frozen=True, gc=False, tag=True):
    """Settings change on the running control plane; each key is one the control plane lists in `settings`."""

    values: Mapping[str, str]
    """E.g. `preemption` → `true`, `reservation.rule` → `limited`, `queue.root.a.weight` → `2.0`."""


class AllocationsReloaded(Event, frozen=True, gc=False, tag=True):
    """A new allocation file was loaded; carries parsed values, never a path."""

    allocations: object  # The scheduler's own allocation type (`schedulers.fair.settings.FairAllocation`)


class Grant(msgspec.Struct, frozen=True, gc=False):
    container: ContainerId
    node: str
    priority: int
    memory_mb: int
    vcores: int
    created_ms: int = 0  # When it was allocated [epoch ms]; 0 for Spark, where no node names what it runs


class Cleanup(msgspec.Struct, frozen=True, gc=False):
    """An order to a node: stop this container."""

    node: str
    container: ContainerId


class Answer(msgspec.Struct, frozen=True):
    decisions: tuple[Decision, ...] = ()  # In the order decided
    granted: tuple[Grant, ...] = ()
    """AM heartbeat: containers handed over by this call; AM registration: those that outlived earlier attempts."""
    to_be_preempted: tuple[ContainerId, ...] = ()  # AM heartbeat: containers announced to the AM for preemption, sorted
    headroom: Resource | None = None  # AM heartbeat: what the application may still hope for
    masters: tuple[Grant, ...] = ()  # AM containers the control plane fetched itself; their nodes are to launch them
    cleanups: tuple[Cleanup, ...] = ()  # Containers that nodes have to stop
    application: int | None = None  # ApplicationSubmitted, ApplicationRecovered: its number, also when it was refused
    rejected: str = ""  # Empty, or why the event was refused: the real exception's simple class name or event
    detail: str = ""  # The refusal in words


NOTHING = Answer()  # The answer to an event without effect; shared, so that idle heartbeats cost nothing


class Pass(msgspec.Struct, frozen=True):
    """A background pass of a control plane and how often the real one runs it."""

    name: str
    interval_ms: int
    waits: bool = False  # Whether it has nothing to do until the version changes, although it has not run yet


class ControlPlane(Protocol):
    """The interface the simulation needs of a ResourceManager, Spark Master or JobTracker; `view` serves observers."""

    name: str  # The scenario's name of it: `fifo`, `fair-2.7`, `spark`

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of what its resources count: `("memory_mb", "vcores")`."""

    @property
    def version(self) -> int:
        """A number that changes whenever anything an offer's outcome depends on changes."""

    @property
    def answers(self) -> bool:
        """Tell whether anybody is there to answer; False while a ResourceManager is down."""

    def handle(self, event: Event, now_ms: int) -> Answer:
        """Apply one event; a refusal is in the answer, nothing is half-done."""

    def view(self) -> ClusterView:
        """Return the view of its cluster, which observers ask."""

    def passes(self) -> tuple[Pass, ...]:
        """The background passes in the order they run within one instant; may change after `SettingsChanged`."""

    def run_pass(self, name: str, now_ms: int) -> Answer:
        """Run one background pass."""

    def pass_is_idle(self, name: str) -> bool:
        """Tell whether this pass, just run, would decide nothing again while `version` stays; False when in doubt."""

    def resume_pass(self, name: str, last_ms: int) -> None:
        """A pass that rested goes on; without the rest it would have run last at an instant [epoch ms]."""

    def heartbeat_is_idle(self, node: str) -> bool:
        """Tell whether a heartbeat of this node with nothing to report would change no state and decide nothing."""

    def all_nodes_idle(self) -> bool:
        """Tell whether `heartbeat_is_idle` is known, at little cost, to hold for every node; False when in doubt."""

    def knows_label(self, label: str) -> bool:
        """Tell whether the cluster has a node label; a node that registers with another joins without one."""


class TrackerHeartbeat(Event, frozen=True, gc=False, tag=True):
    """A tracker reports its attempts and may ask for work."""

    report: TrackerReport
    is_first: bool = False  # Whether its process has just started
    asks_for_work: bool = True
    response: int = 0  # Number of the last answer it got


class JobSubmitted(Event, frozen=True, gc=False, tag=True):
    job: JobDescription
    number: int | None = None  # None takes the next


class JobTrackerStopped(Event, frozen=True, gc=False, tag=True):
    """The JobTracker is gone: nobody answers; trackers and what runs there go on."""


class JobTrackerStarted(Event, frozen=True, gc=False, tag=True):
    """A JobTracker is there again; it knows no tracker, and of jobs only what its system directory holds."""


class HeartbeatResponse(Answer, frozen=True):
    response: int = 0
    launches: tuple[Launch, ...] = ()  # Attempts to start, in order
    kills: tuple[AttemptId, ...] = ()  # Attempts to end
    ended_jobs: tuple[int, ...] = ()  # Jobs of which everything is to be dropped
    commits: tuple[AttemptId, ...] = ()  # Attempts that may commit
    restarts: bool = False  # Whether the tracker must drop everything and start over: the JobTracker does not know it
    interval_ms: int = MIN_HEARTBEAT_MS  # When it is to report next


class WorkerRegistered(Event, frozen=True, gc=False, tag=True):
    """A worker registers. `NodeJoined` does the same with an id made from time and address."""

    node: str
    worker: str  # Its id; ties between workers hang on it
    cores: int
    memory_mb: int
    rack: str = ""


class ExecutorProfile(msgspec.Struct, frozen=True, gc=False):
    """The shape of a resource profile's executors; None takes the default profile's."""

    id: int  # Greater than 0; smaller ids are served first
    cores: int | None = None
    memory_mb: int | None = None


class SparkApplicationRegistered(Event, frozen=True, gc=False, tag=True):
    executor_memory_mb: int  # `spark.executor.memory`
    name: str = ""
    user: str = ""
    max_cores: int | None = None  # `spark.cores.max`; None takes the Master's default cores
    executor_cores: int | None = None  # `spark.executor.cores`; None: one executor for each worker and pass
    executor_limit: int | None = None  # Executors wanted at first, 0 under dynamic allocation; None is no limit
    application: int | None = None  # Its number; None takes the next


class ExecutorsRequested(Event, frozen=True, gc=False, tag=True):
    """An application sets how many executors it wants altogether; kills none when that is fewer than it has."""

    application: int
    totals: tuple[tuple[int, int], ...]  # (profile id, executors)
    profiles: tuple[ExecutorProfile, ...] = ()  # Shapes of profiles named for the first time


class ExecutorsKilled(Event, frozen=True, gc=False, tag=True):
    """An application gives executors back; what they held is free at once."""

    application: int
    executors: tuple[int, ...]


class ExecutorStateChanged(Event, frozen=True, gc=False, tag=True):
    application: int
    executor: int
    state: str  # `RUNNING`, `EXITED`, `FAILED`, `KILLED` or `LOST`
    exit_status: int | None = None  # Anything but 0 counts as a failure, None too


class DriverSubmitted(Event, frozen=True, gc=False, tag=True):
    """A client submits a driver in cluster mode."""

    cores: int
    memory_mb: int
    supervise: bool = False  # Relaunch it when its worker is lost
    name: str = ""


class DriverStateChanged(Event, frozen=True, gc=False, tag=True):
    driver: int
    state: str  # `FINISHED`, `FAILED`, `KILLED` or `ERROR`
