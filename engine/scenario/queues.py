"""Queues of a Fair Scheduler written as tables, and the fair-scheduler.xml they stand for."""

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from pydantic import Field

from engine.scenario.parts import Part

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
    min_resources: str | None = None
    """`"1024 mb, 1 vcores"`."""
    max_resources: str | None = None
    max_running_apps: int | None = Field(default=None, ge=0)
    max_am_share: float | None = None
    policy: str | None = None
    """`fair`, `fifo` or `drf`."""
    min_share_preemption_timeout: int | None = Field(default=None, ge=0)
    """Seconds, as in the allocation file."""
    fair_share_preemption_timeout: int | None = Field(default=None, ge=0)
    """Seconds, as in the allocation file."""
    fair_share_preemption_threshold: float | None = Field(default=None, ge=0, le=1)
    acl_submit_apps: str | None = None
    acl_administer_apps: str | None = None

    @property
    def path(self) -> str:
        """The path below root, without `root.`."""
        return self.name.removeprefix("root.")


def allocations_xml(queues: Sequence[QueueSpec], defaults: dict[str, str]) -> str:
    """The allocation file these tables stand for; queues keep their order, children sit inside their parent."""
    lines = ['<?xml version="1.0"?>', "<allocations>"]
    specs = {queue.path: queue for queue in queues}
    root = specs.pop("root", None)
    if root is not None:
        lines += _queue_lines("root", specs, root, "  ", prefix="")
    else:
        for name in _children("", specs):
            lines += _queue_lines(name, specs, specs.get(name), "  ", prefix=name + ".")
    lines += [f"  <{key}>{escape(value)}</{key}>" for key, value in defaults.items()]
    return "\n".join([*lines, "</allocations>", ""])


def _children(prefix: str, specs: dict[str, QueueSpec]) -> list[str]:
    """Names directly below a prefix, each once, in order of appearance."""
    return list(dict.fromkeys(path[len(prefix) :].split(".")[0] for path in specs if path.startswith(prefix)))


def _queue_lines(name: str, specs: dict[str, QueueSpec], spec: QueueSpec | None, indent: str, prefix: str) -> list[str]:
    """The element of one queue with its children's inside."""
    lines = [f"{indent}<queue name={quoteattr(name)}>"]
    for field, element in ELEMENTS.items():
        value = getattr(spec, field, None)
        if value is not None:
            lines.append(f"{indent}  <{element}>{escape(str(value))}</{element}>")
    for child in _children(prefix, specs):
        lines += _queue_lines(child, specs, specs.get(prefix + child), indent + "  ", f"{prefix}{child}.")
    return [*lines, f"{indent}</queue>"]
