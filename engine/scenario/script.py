"""Steps from outside while a scenario runs: an operator's actions and faults of nodes.

An application is named by its id, a unique end of it (`183354`) or its name; a node by its host or `host:port`.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from engine.scenario.applications import ApplicationSpec
from engine.scenario.cluster import DEFAULT_PORT, DEFAULT_RACK
from engine.scenario.parts import FILE_CONFIG, DurationMs, InstantMs, JavaInt, MemoryMb, bare_numbers_as_seconds


class ScriptStep(BaseModel):
    """Something that happens at an instant; those of one instant happen in the order written."""

    model_config = FILE_CONFIG
    _in_seconds = model_validator(mode="before")(bare_numbers_as_seconds)

    at_ms: InstantMs = Field(ge=0)


class SubmitStep(ScriptStep):
    """A user submits an application (its own `at` is not looked at)."""

    do: Literal["submit"]
    application: ApplicationSpec


class KillStep(ScriptStep):
    """The operator kills an application."""

    do: Literal["kill"]
    application: str


class KillContainerStep(ScriptStep):
    """The operator kills one container, named by its id or a unique end of it."""

    do: Literal["kill-container"]
    container: str


class MoveStep(ScriptStep):
    """The operator moves an application to another queue."""

    do: Literal["move"]
    application: str
    queue: str


class PriorityStep(ScriptStep):
    """The operator changes an application's priority."""

    do: Literal["priority"]
    application: str
    priority: JavaInt = Field(ge=0)


class AddNodeStep(ScriptStep):
    """A node that was not there before registers, empty."""

    do: Literal["add-node"]
    host: str = Field(min_length=1)
    memory_mb: MemoryMb
    vcores: JavaInt
    rack: str = DEFAULT_RACK

    @property
    def id(self) -> str:
        """`host:port`."""
        return f"{self.host}:{DEFAULT_PORT}"


class LabelStep(ScriptStep):
    """The operator moves a node to another partition."""

    do: Literal["label"]
    node: str
    partition: str
    """The node label; empty for the default partition."""


class DrainStep(ScriptStep):
    """A node gets no further containers; it leaves when its last one has ended."""

    do: Literal["drain"]
    node: str


class ReturnStep(ScriptStep):
    """A drained or lost node comes back, empty."""

    do: Literal["return"]
    node: str


class LoseStep(ScriptStep):
    """A node sends no more heartbeats; the control plane keeps it until it expires."""

    do: Literal["lose"]
    node: str


class ResizeStep(ScriptStep):
    """A node's total changes; what runs there runs on."""

    do: Literal["resize"]
    node: str
    memory_mb: MemoryMb
    vcores: JavaInt


class HealthStep(ScriptStep):
    """A node reports itself unhealthy, or healthy again."""

    do: Literal["health"]
    node: str
    healthy: bool


class NodeManagerRestartStep(ScriptStep):
    """A node manager stops and starts again; its containers outlive it where it recovers them."""

    do: Literal["node_manager_restart"]
    node: str
    down_ms: DurationMs = 10_000


class RmRestartStep(ScriptStep):
    """The ResourceManager stops and starts again on its state store; one that is lost is started."""

    do: Literal["rm_restart"]
    down_ms: DurationMs = 5_000


class RmFailoverStep(ScriptStep):
    """The active ResourceManager of a pair goes, and the other one becomes active."""

    do: Literal["rm_failover"]
    orderly: bool = False
    """Whether it is stopped in order, and not by a crash that ZooKeeper has to notice first."""
    down_ms: DurationMs | None = None
    """How long nobody answers; None is as long as ZooKeeper takes."""


class RmLostStep(ScriptStep):
    """The ResourceManager goes and does not come back by itself."""

    do: Literal["rm_lost"]


class JobTrackerRestartStep(ScriptStep):
    """The JobTracker stops and starts again; jobs are lost, or run again from their beginning where it recovers them.

    Source: mapred.jobtracker.restart.recover.
    """

    do: Literal["job_tracker_restart"]
    down_ms: DurationMs = 5_000


class MasterLostStep(ScriptStep):
    """An application's master ends with a failure, or hangs."""

    do: Literal["master_lost"]
    application: str
    hangs: bool = False


class PreemptionStep(ScriptStep):
    """The operator switches preemption on or off."""

    do: Literal["preemption"]
    on: bool


class RuleStep(ScriptStep):
    """The operator changes the reservation rule."""

    do: Literal["reservation-rule"]
    rule: Literal["strict", "limited", "off"]


class QueueSettingStep(ScriptStep):
    """The operator changes one setting of a queue, in the words of fair-scheduler.xml."""

    do: Literal["queue-setting"]
    queue: str
    key: str
    value: str


class SettingStep(ScriptStep):
    """The operator changes one setting of the control plane itself, e.g. `spark.deploy.spreadOutApps`."""

    do: Literal["setting"]
    key: str
    value: str


class ReloadStep(ScriptStep):
    """A new allocation file is loaded."""

    do: Literal["reload"]
    allocations: str
    """Text of the fair-scheduler.xml; `allocations_file` in a file."""


NodeAction = (
    AddNodeStep | LabelStep | DrainStep | ReturnStep | LoseStep | ResizeStep | HealthStep | NodeManagerRestartStep
)
ApplicationAction = SubmitStep | KillStep | KillContainerStep | MoveStep | PriorityStep | MasterLostStep
ControlPlaneAction = RmRestartStep | RmFailoverStep | RmLostStep | JobTrackerRestartStep
SettingAction = PreemptionStep | RuleStep | QueueSettingStep | SettingStep | ReloadStep

OperatorAction = Annotated[
    ApplicationAction | NodeAction | ControlPlaneAction | SettingAction, Field(discriminator="do")
]
"""Any timed action of the operator; `do` says which."""

Fault = Annotated[
    LoseStep | ReturnStep | ResizeStep | HealthStep | NodeManagerRestartStep | MasterLostStep | ControlPlaneAction,
    Field(discriminator="do"),
]
"""What happens by itself to nodes, application masters and the control plane; `do` says what."""
