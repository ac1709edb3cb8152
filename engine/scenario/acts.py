"""Acts: everything that changes a cluster from outside. One struct serves file, journal and message.

An operator does an act; a fault is an act that happens by itself. To add one: its struct here and in `Act` (and in
`Fault` where a scenario may list it under `faults`), its function in `engine.simulation.act_handlers`, and a key, a
command or a question of the terminal where it is to have one.
"""

from typing import ClassVar, TypeAlias, get_args

import msgspec

from engine.scenario.act_fields import (
    APPLICATION,
    Application,
    ApplicationRef,
    ContainerRef,
    MasterRef,
    NewNode,
    NodeRef,
    QueueRef,
    Rule,
    fields_of,
)
from engine.scenario.applications import ApplicationSpec
from engine.scenario.cluster import DEFAULT_RACK
from engine.scenario.parts import DurationMs, JavaInt, MemoryMb


class _Act(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """The journal names an act by its class, a file by `do`."""

    do: ClassVar[str]


# Applications


class SubmitApplication(_Act, frozen=True):
    """A user submits an application now; its own instant and `repeat` do not count."""

    do: ClassVar[str] = "submit"
    application: Application

    @classmethod
    def of(cls, spec: ApplicationSpec) -> "SubmitApplication":
        """The act that submits `spec`."""
        return cls(fields_of(spec))

    def spec(self) -> ApplicationSpec:
        """The application as a checked model.

        Raises:
            pydantic.ValidationError: The fields are not those of an application.
        """
        return APPLICATION.validate_python(self.application)


class KillApplication(_Act, frozen=True):
    """The operator kills an application."""

    do: ClassVar[str] = "kill"
    application: ApplicationRef


class KillContainer(_Act, frozen=True):
    """The operator kills one container."""

    do: ClassVar[str] = "kill-container"
    container: ContainerRef


class MoveApplication(_Act, frozen=True):
    """The operator moves an application to another queue."""

    do: ClassVar[str] = "move"
    application: ApplicationRef
    queue: QueueRef


class SetPriority(_Act, frozen=True):
    """The operator changes an application's priority."""

    do: ClassVar[str] = "priority"
    application: ApplicationRef
    priority: JavaInt


class LoseMaster(_Act, frozen=True):
    """An application's master ends with a failure, or hangs."""

    do: ClassVar[str] = "master_lost"
    application: MasterRef
    hangs: bool = False


# Nodes


class AddNode(_Act, frozen=True):
    """A node that was not there before registers, empty."""

    do: ClassVar[str] = "add-node"
    node: NewNode
    memory_mb: MemoryMb
    vcores: JavaInt
    rack: str = DEFAULT_RACK


class LabelNode(_Act, frozen=True):
    """The operator moves a node to another partition."""

    do: ClassVar[str] = "label"
    node: NodeRef
    partition: str
    """The node label; empty for the default partition."""


class DrainNode(_Act, frozen=True):
    """A node gets no further containers, and leaves when its last one has ended."""

    do: ClassVar[str] = "drain"
    node: NodeRef


class ReturnNode(_Act, frozen=True):
    """A drained, lost or unhealthy node registers again, empty and healthy."""

    do: ClassVar[str] = "return"
    node: NodeRef


class LoseNode(_Act, frozen=True):
    """A node sends no more heartbeats and everything on it dies; it counts as alive until it expires."""

    do: ClassVar[str] = "lose"
    node: NodeRef


class ResizeNode(_Act, frozen=True):
    """A node's total changes; what runs on it runs on."""

    do: ClassVar[str] = "resize"
    node: NodeRef
    memory_mb: MemoryMb
    vcores: JavaInt


class SetHealth(_Act, frozen=True):
    """A node reports at its next heartbeat that it is unhealthy, or healthy again."""

    do: ClassVar[str] = "health"
    node: NodeRef
    healthy: bool


class RestartNodeManager(_Act, frozen=True):
    """A node manager stops and starts again, with its containers where it recovers them."""

    do: ClassVar[str] = "node_manager_restart"
    node: NodeRef
    down_ms: DurationMs = 10_000


# Control planes


class RestartResourceManager(_Act, frozen=True):
    """The ResourceManager stops and starts again on its state store; one that is lost is started."""

    do: ClassVar[str] = "rm_restart"
    down_ms: DurationMs = 5_000


class FailOverResourceManager(_Act, frozen=True):
    """The active ResourceManager of a pair goes, and the other one becomes active."""

    do: ClassVar[str] = "rm_failover"
    orderly: bool = False
    """True where it is stopped in order, False for a crash that ZooKeeper has to notice first."""
    down_ms: DurationMs | None = None
    """How long nobody answers; without it as long as ZooKeeper takes."""


class LoseResourceManager(_Act, frozen=True):
    """The ResourceManager goes, and comes back only when it is restarted."""

    do: ClassVar[str] = "rm_lost"


class RestartJobTracker(_Act, frozen=True):
    """The JobTracker stops and starts again; it runs jobs again from their beginning, or loses them.

    Source: mapred.jobtracker.restart.recover.
    """

    do: ClassVar[str] = "job_tracker_restart"
    down_ms: DurationMs = 5_000


# Settings


class SetPreemption(_Act, frozen=True):
    """The operator switches preemption on or off."""

    do: ClassVar[str] = "preemption"
    on: bool


class SetReservationRule(_Act, frozen=True):
    """The operator changes the reservation rule."""

    do: ClassVar[str] = "reservation-rule"
    rule: Rule


class SetQueueSetting(_Act, frozen=True):
    """The operator changes one setting of a queue."""

    do: ClassVar[str] = "queue-setting"
    queue: str
    key: str
    """In the words of fair-scheduler.xml, or the end of a property of capacity-scheduler.xml."""
    value: str


class SetSetting(_Act, frozen=True):
    """The operator changes one setting of the control plane itself."""

    do: ClassVar[str] = "setting"
    key: str
    """E.g. `spark.deploy.spreadOutApps`."""
    value: str


class Reload(_Act, frozen=True):
    """The operator has a new allocation file loaded."""

    do: ClassVar[str] = "reload"
    allocations: str
    """Text of the fair-scheduler.xml; `allocations_file` in a scenario names a file."""


Act: TypeAlias = (
    SubmitApplication
    | KillApplication
    | KillContainer
    | MoveApplication
    | SetPriority
    | LoseMaster
    | AddNode
    | LabelNode
    | DrainNode
    | ReturnNode
    | LoseNode
    | ResizeNode
    | SetHealth
    | RestartNodeManager
    | RestartResourceManager
    | FailOverResourceManager
    | LoseResourceManager
    | RestartJobTracker
    | SetPreemption
    | SetReservationRule
    | SetQueueSetting
    | SetSetting
    | Reload
)
"""Any act; its struct's name tells which in a journal, its `do` in a file."""

Fault: TypeAlias = (
    LoseNode
    | ReturnNode
    | ResizeNode
    | SetHealth
    | RestartNodeManager
    | LoseMaster
    | RestartResourceManager
    | FailOverResourceManager
    | LoseResourceManager
    | RestartJobTracker
)
"""An act that happens by itself: to a node, an application master or a control plane."""

ONLY_YARN: tuple[type[Fault], ...] = (
    RestartNodeManager,
    RestartResourceManager,
    FailOverResourceManager,
    LoseResourceManager,
    LoseMaster,
)
"""Faults that only a ResourceManager's cluster knows."""

ACTS: tuple[type[Act], ...] = get_args(Act)
FAULTS: tuple[type[Fault], ...] = get_args(Fault)
