"""Faults: what happens to nodes, application masters and control planes; operators do the same from outside."""

from collections.abc import Mapping
from typing import Final, TypeAlias

import msgspec

from engine.scenario import Fault as FaultSpec
from engine.scenario import script


class LoseNode(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node falls silent and everything on it dies; the control plane believes in it until it expires."""

    node: str
    """`host:port`."""


class ReturnNode(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A lost, drained or sick node registers again, empty and healthy."""

    node: str


class ResizeNode(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node's total changes; what runs on it runs on."""

    node: str
    memory_mb: int
    vcores: int


class SetHealth(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node becomes unhealthy, or healthy again; it says so at its next heartbeat."""

    node: str
    healthy: bool


class RestartNodeManager(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """A node manager stops and starts again, with its containers where it recovers them."""

    node: str
    down_ms: int


class RestartResourceManager(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The ResourceManager stops and starts again; one that is gone starts."""

    down_ms: int


class FailOverResourceManager(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The active ResourceManager of a pair goes, and the other one becomes active."""

    orderly: bool = False
    down_ms: int | None = None
    """How long nobody answers; None is as long as ZooKeeper takes."""


class LoseResourceManager(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The ResourceManager goes and does not come back by itself."""


class RestartJobTracker(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """The JobTracker stops and starts again, and with it all jobs that it does not recover."""

    down_ms: int


class LoseMaster(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="kind"):
    """An application's master ends with a failure, or hangs."""

    application: str
    """Its number, or its name."""
    hangs: bool = False


Fault: TypeAlias = (
    LoseNode
    | ReturnNode
    | ResizeNode
    | SetHealth
    | RestartNodeManager
    | RestartResourceManager
    | FailOverResourceManager
    | LoseResourceManager
    | LoseMaster
    | RestartJobTracker
)

ONLY_YARN: Final = (
    RestartNodeManager,
    RestartResourceManager,
    FailOverResourceManager,
    LoseResourceManager,
    LoseMaster,
)
"""Faults that only a ResourceManager's cluster knows."""


def fault_of(spec: FaultSpec, node_ids: Mapping[str, str]) -> Fault:
    """The fault a scenario describes.

    Args:
        spec: The scenario's words.
        node_ids: Host or `host:port` → `host:port`; a name that is missing stands for itself.
    """
    if isinstance(spec, script.RmRestartStep):
        return RestartResourceManager(spec.down_ms)
    if isinstance(spec, script.RmFailoverStep):
        return FailOverResourceManager(spec.orderly, spec.down_ms)
    if isinstance(spec, script.RmLostStep):
        return LoseResourceManager()
    if isinstance(spec, script.JobTrackerRestartStep):
        return RestartJobTracker(spec.down_ms)
    if isinstance(spec, script.MasterLostStep):
        return LoseMaster(spec.application, spec.hangs)
    node = node_ids.get(spec.node, spec.node)
    if isinstance(spec, script.LoseStep):
        return LoseNode(node)
    if isinstance(spec, script.ReturnStep):
        return ReturnNode(node)
    if isinstance(spec, script.ResizeStep):
        return ResizeNode(node, spec.memory_mb, spec.vcores)
    if isinstance(spec, script.NodeManagerRestartStep):
        return RestartNodeManager(node, spec.down_ms)
    return SetHealth(node, spec.healthy)
