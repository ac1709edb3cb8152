"""Acts: what comes from outside a running simulation, as values that can be kept and replayed.

They carry parsed values and texts, never paths; nodes are `host:port`, applications numbers.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec
from pydantic import TypeAdapter

from engine.model.decision import ContainerId
from engine.scenario import ApplicationSpec
from engine.scenario.cluster import DEFAULT_RACK
from engine.simulation.faults import Fault

_SPEC: TypeAdapter[ApplicationSpec] = TypeAdapter(ApplicationSpec)


class SubmitApplication(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A user submits an application now; its `at_ms` and `repeat` are not looked at."""

    application: Mapping[str, Any]
    """The fields of an `ApplicationSpec` that differ from its defaults, and `type`."""

    @classmethod
    def of(cls, spec: ApplicationSpec) -> "SubmitApplication":
        """The action that submits `spec`."""
        return cls({"type": spec.type, **spec.model_dump(mode="json", exclude_defaults=True)})

    def spec(self) -> ApplicationSpec:
        """The application as a checked model.

        Raises:
            pydantic.ValidationError: The fields are not those of an application.
        """
        return _SPEC.validate_python(self.application)


class KillApplication(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator kills an application."""

    application: int


class KillContainer(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator kills one container."""

    container: ContainerId


class MoveApplication(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator moves an application to another queue."""

    application: int
    queue: str


class SetPriority(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator changes an application's priority."""

    application: int
    priority: int


class AddNode(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node that was not there before registers, empty."""

    node: str
    """`host:port`."""
    memory_mb: int
    vcores: int
    rack: str = DEFAULT_RACK


class LabelNode(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator moves a node to another partition."""

    node: str
    partition: str
    """The node label; empty for the default partition."""


class DrainNode(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node gets no further containers and leaves when its last one has ended."""

    node: str


class SetPreemption(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator switches preemption on or off."""

    on: bool


class SetReservationRule(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator changes the reservation rule."""

    rule: str
    """`strict`, `limited` or `off`."""


class SetQueueSetting(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator changes one setting of a queue."""

    queue: str
    key: str
    value: str


class SetSetting(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The operator changes one setting of the control plane itself."""

    key: str
    """E.g. `spark.deploy.spreadOutApps`."""
    value: str


class Reload(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A new allocation file is loaded."""

    allocations: str
    """Text of the fair-scheduler.xml."""


Action: TypeAlias = (
    SubmitApplication
    | KillApplication
    | KillContainer
    | MoveApplication
    | SetPriority
    | AddNode
    | LabelNode
    | DrainNode
    | Fault
    | SetPreemption
    | SetReservationRule
    | SetQueueSetting
    | SetSetting
    | Reload
)
