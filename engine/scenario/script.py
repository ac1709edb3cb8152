"""What happens from outside while a scenario runs: an operator's actions and the world's faults.

An application is named by its id, a unique end of it (`183354`) or its name; a node by its host or `host:port`.
"""

from typing import Annotated, Literal

from pydantic import Field

from engine.scenario.applications import ApplicationSpec
from engine.scenario.parts import InstantMs, JavaInt, MemoryMb, Part


class Timed(Part):
    """Something that happens at an instant; those of one instant happen in the order written."""

    at_ms: InstantMs


class Submit(Timed):
    """A user submits an application (its own `at` is not looked at)."""

    do: Literal["submit"]
    application: ApplicationSpec


class Kill(Timed):
    """The operator kills an application."""

    do: Literal["kill"]
    application: str


class KillContainer(Timed):
    """The operator kills one container, named by its id or a unique end of it."""

    do: Literal["kill-container"]
    container: str


class Move(Timed):
    """The operator moves an application to another queue."""

    do: Literal["move"]
    application: str
    queue: str


class Drain(Timed):
    """A node gets no further containers; it leaves when its last one has ended."""

    do: Literal["drain"]
    node: str


class Return(Timed):
    """A drained or lost node comes back, empty."""

    do: Literal["return"]
    node: str


class Lose(Timed):
    """A node falls silent; the control plane believes in it until it expires."""

    do: Literal["lose"]
    node: str


class Resize(Timed):
    """A node's total changes; what runs there runs on."""

    do: Literal["resize"]
    node: str
    memory_mb: MemoryMb
    vcores: JavaInt


class Health(Timed):
    """A node reports itself unhealthy, or healthy again."""

    do: Literal["health"]
    node: str
    healthy: bool


class Preemption(Timed):
    """The operator switches preemption on or off."""

    do: Literal["preemption"]
    on: bool


class Rule(Timed):
    """The operator changes the reservation rule."""

    do: Literal["reservation-rule"]
    rule: Literal["strict", "limited", "off"]


class QueueSetting(Timed):
    """The operator changes one setting of a queue, in the words of fair-scheduler.xml."""

    do: Literal["queue-setting"]
    queue: str
    key: str
    value: str


class Setting(Timed):
    """The operator changes one setting of the control plane itself, e.g. `spark.deploy.spreadOutApps`."""

    do: Literal["setting"]
    key: str
    value: str


class Reload(Timed):
    """A new allocation file is loaded."""

    do: Literal["reload"]
    allocations: str
    """Text of the fair-scheduler.xml; `allocations_file` in a file."""


NodeAction = Drain | Return | Lose | Resize | Health
ApplicationAction = Submit | Kill | KillContainer | Move
SettingAction = Preemption | Rule | QueueSetting | Setting | Reload

OperatorAction = Annotated[ApplicationAction | NodeAction | SettingAction, Field(discriminator="do")]
"""Any timed action of the operator, told apart by `do`."""

Fault = Annotated[Lose | Return | Resize | Health, Field(discriminator="do")]
"""What the world does to nodes, told apart by `do`."""
