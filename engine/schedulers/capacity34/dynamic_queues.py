"""Queues made on submission below a parent with weights.

Source: ParentQueue#addDynamicChildQueue, CapacitySchedulerQueueManager#createQueue, AutoCreatedQueueDeletionPolicy,
QueueManagementDynamicEditPolicy, Hadoop 3.4.1.
"""

from engine.errors import RefusedError
from engine.schedulers.capacity.properties import Properties
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.capacities import (
    WEIGHT,
    capacity_type,
    capacity_types,
)
from engine.schedulers.capacity34.made_queues import EDIT, ManagedParent, apply_template, may_create_below
from engine.schedulers.capacity34.queue import CapacityQueue
from engine.schedulers.capacity34.queue_settings import legacy_mode, max_depth
from engine.schedulers.capacity34.queue_setup import new_queue, set_up
from engine.schedulers.capacity34.tree import CapacityTree
from engine.settings import capacity_queue
from engine.settings.capacity_scheduler import QUEUE_EXPIRATION
from engine.state import State


def missing_parents(tree: CapacityTree, path: str) -> list[str]:
    """The parents to be made before a queue can be, highest first. Source: #determineMissingParents.

    Raises RefusedError if it cannot be made, ConfigError if the settings of a new queue are refused; its parents made
    by then stay.
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
        raise RefusedError(EDIT, f"{existing.path} is not a parent")
    if not may_create_below(existing, tree.properties):
        raise RefusedError(EDIT, f"queues are not created below {existing.path}")
    return to_create


def create_queue(tree: CapacityTree, path: str, now_ms: int) -> CapacityQueue:
    """Make a leaf, and its parents where they are missing. Raises RefusedError if it cannot be made."""
    parents = missing_parents(tree, path)
    below = tree.names.get((parents[0] if parents else path).rpartition(".")[0])
    assert below is not None, "missing_parents has found it"
    for each in parents:
        below = _add(tree, below, each, now_ms, is_leaf=False)
    return _add(tree, below, path, now_ms, is_leaf=True)


def _add(tree: CapacityTree, parent: CapacityQueue, path: str, now_ms: int, *, is_leaf: bool) -> CapacityQueue:
    """Source: ParentQueue#addDynamicChildQueue."""
    known = tree.names.by_path.get(path)
    if known is not None:
        return known
    most = tree.properties.of_queue(capacity_queue.CREATED_QUEUES_V2, parent.path)
    if len(parent.children) >= most:
        raise RefusedError(EDIT, f"{parent.path} has {len(parent.children)} queues, the most is {most}")
    types = capacity_types(parent.children, list(parent.shares))
    if capacity_type(types, parent.children) != WEIGHT and legacy_mode(tree.properties):
        key = capacity_queue.CAPACITY.of(parent.children[0].path)
        raise RefusedError(EDIT, f"the queues below {parent.path} have no weights, so that none is made there ({key})")
    # Its path follows from its parent, which may be named in short; one that is there under it gets a namesake.
    queue = new_queue(f"{parent.path}.{path.rpartition('.')[2]}", parent, is_leaf=is_leaf)
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
    """Tell whether a queue was made on submission and is empty. Source: #isEligibleForAutoDeletion."""
    if not queue.is_dynamic:
        return False
    is_empty = queue.number_of_applications() == 0 if queue.leaf is not None else not queue.children
    return is_empty and properties.of_queue(capacity_queue.REMOVES_V2, queue.path)


def delete_if_idle(tree: CapacityTree, path: str, now_ms: int) -> bool:
    """Remove a queue that has been idle for long enough; whether it went. Source: #removeAutoCreatedQueue."""
    queue = tree.names.get(path)
    if queue is None or queue.parent is None or not may_be_deleted(queue, tree.properties):
        return False
    if (now_ms - queue.last_submitted_ms) // 1000 <= tree.properties.everywhere(QUEUE_EXPIRATION):
        return False
    parent = queue.parent
    parent.children = [child for child in parent.children if child is not queue]
    tree.names.remove(queue.path)
    tree.update_below(parent)
    return True


class QueueUpkeep(metaclass=State):
    """Hands out the templates' capacities to leaves made on submission, and deletes queues that stayed idle."""

    tree: CapacityTree
    space: PartitionResources
    marked: set[str] = set()  # Paths of queues that go at the next pass, if they are idle still

    def __init__(self, tree: CapacityTree, space: PartitionResources, *, deletes: bool) -> None:
        self.tree = tree
        self.space = space
        if deletes:
            self.mark()

    def manage(self, cluster_timestamp: int) -> bool:
        """Give capacity to leaves that work and take it from those that do not; whether anything changed."""
        changed = False
        for queue in self.tree.names:
            if queue.template is not None and not queue.template.fails_on_excess:
                managed = ManagedParent(queue)
                changes = managed.changes(cluster_timestamp, self.space)
                if changes:
                    managed.apply(changes, self.tree.properties, self.space)
                    changed = True
        return changed

    def mark(self) -> list[str]:
        """Mark queues that may go; those that were marked before are to go, and are returned."""
        properties = self.tree.properties
        idle = {queue.path for queue in self.tree.names if may_be_deleted(queue, properties)}
        going = [path for path in idle if path in self.marked]
        self.marked = idle - set(going)
        return sorted(going)

    def delete(self, now_ms: int) -> bool:
        """Delete queues that were marked and are idle still, and mark others; whether any was deleted."""
        deleted = sum(delete_if_idle(self.tree, path, now_ms) for path in self.mark())
        return deleted > 0
