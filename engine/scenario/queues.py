"""Queues of a Fair Scheduler written as tables, and the fair-scheduler.xml they stand for."""

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from pydantic import Field, field_validator

from engine.scenario.parts import Part

MAX_QUEUE_DEPTH: Final = 100
"""Deepest queue below root."""

ELEMENTS: Final = {
    "min_resources": "minResources",
    "max_resources": "maxResources",
    "max_running_apps": "maxRunningApps",
    "max_am_share": "maxAMShare",
    "weight": "weight",
    "policy": "schedulingPolicy",
    "min_share_preemption_timeout": "minSharePreemptionTimeout",
    "fair_share_preemption_timeout": "fairSharePreemptionTimeout",
    "fair_share_preemption_threshold": "fairSharePreemptionThreshold",
    "acl_submit_apps": "aclSubmitApps",
    "acl_administer_apps": "aclAdministerApps",
}
"""Field → element of the allocation file."""


class QueueSpec(Part):
    """One queue, in the words of fair-scheduler.xml; what is not given is inherited as there.

    Source: AllocationFileLoaderService, Hadoop 2.7.2.
    """

    name: str = Field(min_length=1)
    """Path, with or without `root.`; parents that are not listed are made."""
    weight: float | None = Field(default=None, ge=0)
    """Its part among its siblings; 1 where not given."""
    min_resources: str | None = None
    """`"1024 mb, 1 vcores"`."""
    max_resources: str | None = None
    """The most it may use; written as `min_resources`."""
    max_running_apps: int | None = Field(default=None, ge=0)
    """The most applications that run at once."""
    max_am_share: float | None = None
    """The part of its fair share that application masters may use; -1 for no limit."""
    policy: str | None = None
    """`fair`, `fifo` or `drf`."""
    min_share_preemption_timeout: int | None = Field(default=None, ge=0)
    """Seconds, as in the allocation file."""
    fair_share_preemption_timeout: int | None = Field(default=None, ge=0)
    """Seconds, as in the allocation file."""
    fair_share_preemption_threshold: float | None = Field(default=None, ge=0, le=1)
    acl_submit_apps: str | None = None
    acl_administer_apps: str | None = None

    @field_validator("name")
    @classmethod
    def _is_not_too_deep(cls, value: str) -> str:
        if value.count(".") > MAX_QUEUE_DEPTH:
            raise ValueError(f"has more than {MAX_QUEUE_DEPTH} levels")
        return value

    @property
    def path(self) -> str:
        """The path below root, without `root.`."""
        return self.name.removeprefix("root.")


class _Branch:
    """A queue of the tree, which may have no table of its own."""

    __slots__ = ("children", "spec")

    def __init__(self) -> None:
        self.spec: QueueSpec | None = None
        self.children: dict[str, _Branch] = {}


def allocations_xml(queues: Sequence[QueueSpec], defaults: dict[str, str]) -> str:
    """The allocation file these tables stand for; queues keep their order, children sit inside their parent."""
    top = _Branch()
    root: QueueSpec | None = None
    for queue in queues:
        if queue.path == "root":
            root = queue
            continue
        branch = top
        for name in queue.path.split("."):
            branch = branch.children.setdefault(name, _Branch())
        branch.spec = queue
    top.spec = root
    lines = ['<?xml version="1.0"?>', "<allocations>"]
    if root is not None:
        lines += _queue_lines("root", top, "  ")
    else:
        for name, branch in top.children.items():
            lines += _queue_lines(name, branch, "  ")
    lines += [f"  <{key}>{escape(value)}</{key}>" for key, value in defaults.items()]
    return "\n".join([*lines, "</allocations>", ""])


def _queue_lines(name: str, branch: _Branch, indent: str) -> list[str]:
    """The element of one queue with its children's inside."""
    lines = [f"{indent}<queue name={quoteattr(name)}>"]
    for field, element in ELEMENTS.items():
        value = getattr(branch.spec, field, None)
        if value is not None:
            lines.append(f"{indent}  <{element}>{escape(str(value))}</{element}>")
    for child, below in branch.children.items():
        lines += _queue_lines(child, below, indent + "  ")
    return [*lines, f"{indent}</queue>"]
