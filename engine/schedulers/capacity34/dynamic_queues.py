"""Queues made on submission below a parent with weights, and what their templates say.

Source: AutoCreatedQueueTemplate, ParentQueue#addDynamicChildQueue, CapacitySchedulerQueueManager#createQueue,
AutoCreatedQueueDeletionPolicy, Hadoop 3.4.1.
"""

from typing import TYPE_CHECKING, Final

from engine.errors import RefusedError
from engine.schedulers.capacity.properties import Properties
from engine.schedulers.capacity34.capacities import WEIGHT, capacity_type, capacity_types
from engine.schedulers.capacity34.queue import ROOT, CapacityQueue
from engine.schedulers.capacity34.queue_settings import legacy_mode, max_depth
from engine.schedulers.capacity34.queue_setup import new_queue, set_up
from engine.settings.capacity_queue import CREATED_QUEUES_V2, CREATES_V2, REMOVES_V2
from engine.settings.capacity_scheduler import MAXIMUM_AM_PERCENT, PREFIX, QUEUE_EXPIRATION, USER_LIMIT_FACTOR

if TYPE_CHECKING:
    from engine.schedulers.capacity34.tree import CapacityTree

V2: Final = "auto-queue-creation-v2."
EDIT: Final = "SchedulerDynamicEditException"


class Templates:
    """What a parent's properties say of queues made below it; the nearest place a property is found counts."""

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
    """Whether queues may be made below a parent that is no managed one."""
    return queue.is_dynamic or properties.of_queue(CREATES_V2, queue.path)


def missing_parents(tree: "CapacityTree", path: str) -> list[str]:
    """The parents to be made before a queue can be, highest first. Source: #determineMissingParents.

    Raises:
        RefusedError: It cannot be made.
    """
    names = tree.names
    parent_path = path.rpartition(".")[0]
    if names.is_ambiguous(parent_path):
        raise RefusedError(EDIT, f"the parent {parent_path} is ambiguous")
    distance, candidate = 1, parent_path
    to_create: list[str] = []
    existing = fixed = names.get(candidate)
    while (fixed is None or fixed.is_dynamic) and candidate:
        distance += 1
        if existing is None:
            to_create.insert(0, candidate)
        candidate = candidate.rpartition(".")[0]
        if existing is None:
            existing = names.get(candidate)
        fixed = names.get(candidate)
    if existing is None or fixed is None:
        raise RefusedError(EDIT, f"no parent of {path} exists")
    if distance > max_depth(tree.properties, fixed.path):
        raise RefusedError(EDIT, f"{path} is {distance} levels below {fixed.path}")
    if existing.leaf is not None:
        raise RefusedError(EDIT, f"{existing.path} is no parent")
    if not may_create_below(existing, tree.properties):
        raise RefusedError(EDIT, f"queues are not created below {existing.path}")
    return to_create


def create_queue(tree: "CapacityTree", path: str, now_ms: int) -> CapacityQueue:
    """Make a leaf, and its parents where they are missing.

    Raises:
        RefusedError: It cannot be made.
    """
    parents = missing_parents(tree, path)
    below = tree.names.get((parents[0] if parents else path).rpartition(".")[0])
    assert below is not None, "missing_parents has found it"
    for each in parents:
        below = _add(tree, below, each, now_ms, is_leaf=False)
    return _add(tree, below, path, now_ms, is_leaf=True)


def _add(tree: "CapacityTree", parent: CapacityQueue, path: str, now_ms: int, *, is_leaf: bool) -> CapacityQueue:
    """Source: ParentQueue#addDynamicChildQueue."""
    known = tree.names.by_path.get(path)
    if known is not None:
        return known
    most = tree.properties.of_queue(CREATED_QUEUES_V2, parent.path)
    if len(parent.children) >= most:
        raise RefusedError(EDIT, f"{parent.path} has {len(parent.children)} queues, the most is {most}")
    types = capacity_types(parent.children, list(parent.shares))
    if capacity_type(types, parent.children) != WEIGHT and legacy_mode(tree.properties):
        raise RefusedError(EDIT, f"not all queues below {parent.path} have weights")
    queue = new_queue(path, parent, is_leaf=is_leaf)
    queue.is_dynamic = True
    apply_template(queue, tree.properties, tree.found)
    set_up(queue, tree.properties, tree.found, tree.space)
    tree.properties.refusals.check()
    parent.children = [*parent.children, queue]
    parent.last_submitted_ms = now_ms
    tree.update_below(parent)
    tree.names.add(queue)
    return queue


def may_be_deleted(queue: CapacityQueue, properties: Properties) -> bool:
    """Whether a queue was made on submission and is empty. Source: #isEligibleForAutoDeletion."""
    if not queue.is_dynamic:
        return False
    is_empty = queue.number_of_applications() == 0 if queue.leaf is not None else not queue.children
    return is_empty and properties.of_queue(REMOVES_V2, queue.path)


def expiration_s(properties: Properties) -> int:
    """How long a queue made on submission stays empty [s]."""
    return properties.everywhere(QUEUE_EXPIRATION)


def delete_if_idle(tree: "CapacityTree", path: str, now_ms: int) -> bool:
    """Remove a queue that has been idle for long enough; whether it went. Source: #removeAutoCreatedQueue."""
    queue = tree.names.get(path)
    if queue is None or queue.parent is None or not may_be_deleted(queue, tree.properties):
        return False
    if (now_ms - queue.last_submitted_ms) // 1000 <= expiration_s(tree.properties):
        return False
    parent = queue.parent
    parent.children = [child for child in parent.children if child is not queue]
    tree.names.remove(queue.path)
    tree.update_below(parent)
    return True
