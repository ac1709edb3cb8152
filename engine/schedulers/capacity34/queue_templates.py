"""Reads a parent's templates for queues made below it on submission.

Source: AutoCreatedQueueTemplate, Hadoop 3.4.1.
"""

from typing import Final

from engine.schedulers.capacity.properties import Properties
from engine.schedulers.capacity34.queue import ROOT, CapacityQueue
from engine.schedulers.capacity34.queue_settings import max_depth
from engine.settings.capacity_queue import CREATES_V2
from engine.settings.capacity_scheduler import MAXIMUM_AM_PERCENT, PREFIX, USER_LIMIT_FACTOR

V2: Final = "auto-queue-creation-v2."


class Templates:
    """A parent's templates for queues made below it; the nearest place a property is found counts."""

    __slots__ = ("of_all", "of_leaves", "of_parents")

    def __init__(self, properties: Properties, path: str) -> None:
        self.of_all: dict[str, str] = {}
        self.of_leaves: dict[str, str] = {}
        self.of_parents: dict[str, str] = {}
        parts = path.split(".")
        if len(parts) <= 1 and path != ROOT:
            return
        depth = 0 if path == ROOT else min(len(parts) - 1, max_depth(properties, path))
        for level in range(depth + 1):
            self._collect(properties, ".".join(parts))
            parts[len(parts) - 1 - level] = "*"

    def _collect(self, properties: Properties, path: str) -> None:
        for name, into in (("template.", self.of_all), ("leaf-template.", self.of_leaves)):
            for key, text in properties.starting_with(f"{PREFIX}{path}.{V2}{name}").items():
                into.setdefault(key, text)
        for key, text in properties.starting_with(f"{PREFIX}{path}.{V2}parent-template.").items():
            self.of_parents.setdefault(key, text)

    def settings_of(self, *, is_leaf: bool) -> dict[str, str]:
        """The properties of a new queue, by the rest of their keys."""
        return {**self.of_all, **(self.of_leaves if is_leaf else self.of_parents)}


def apply_template(queue: CapacityQueue, properties: Properties, found: dict[str, set[str]]) -> None:
    """Write what templates say of a queue into the properties, where they say nothing of it themselves."""
    parent = queue.parent
    assert parent is not None, "root is not made on submission"
    values = properties.values
    if queue.leaf is not None:
        values[USER_LIMIT_FACTOR.of(queue.path)] = "-1"
        values[MAXIMUM_AM_PERCENT.of(queue.path)] = "1.0"
    already = set(properties.starting_with(f"{PREFIX}{queue.path}."))
    for key, text in Templates(properties, parent.path).settings_of(is_leaf=queue.leaf is not None).items():
        if key not in already:
            values[f"{PREFIX}{queue.path}.{key}"] = text
    labels = found.get(f"{parent.path}.{V2}template")
    if labels is not None and len(labels) > 1:
        found[queue.path] = set(labels)


def may_create_below(queue: CapacityQueue, properties: Properties) -> bool:
    """Tell whether queues may be made below a parent that is no managed one."""
    return queue.is_dynamic or properties.of_queue(CREATES_V2, queue.path)
