"""Queues made on submission below a parent with weights.

Source: ParentQueue#addDynamicChildQueue, CapacitySchedulerQueueManager#createQueue, AutoCreatedQueueDeletionPolicy,
QueueManagementDynamicEditPolicy, CapacitySchedulerQueueManager,
CapacitySchedulerConfigValidator#validateQueueHierarchy, AbstractParentQueue#reinitialize,
ManagedParentQueue#reinitialize, CSQueueStore, Hadoop 3.4.1.
"""

from collections.abc import Iterator

from engine.errors import RefusedError
from engine.model.cluster import java_hash_order
from engine.schedulers.capacity.properties import ILLEGAL_STATE, INPUT_OUTPUT, Properties, Refusals
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.capacities import (
    WEIGHT,
    capacity_type,
    capacity_types,
    update_cluster,
    update_flexibly,
)
from engine.schedulers.capacity34.evaluation import ResourceLimits
from engine.schedulers.capacity34.made_queues import EDIT, ManagedParent, apply_template, may_create_below
from engine.schedulers.capacity34.queue import ROOT, CapacityQueue
from engine.schedulers.capacity34.queue_settings import configured_labels, legacy_mode, max_depth
from engine.schedulers.capacity34.queue_setup import check_children, new_queue, set_up
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.users import LeafTemplate
from engine.settings import capacity_queue
from engine.settings.capacity import CAPACITY_34
from engine.settings.capacity_scheduler import MAXIMUM_APPLICATIONS, QUEUE_EXPIRATION
from engine.state import Shared, State

# The tree of queues: built from properties, built again on reload.


class QueueNames(metaclass=State):
    by_path: dict[str, CapacityQueue] = {}
    by_short_name: dict[str, dict[str, None]] = {}  # Full names by last part; root's are not listed

    def __iter__(self) -> Iterator[CapacityQueue]:
        return iter(list(self.by_path.values()))

    def add(self, queue: CapacityQueue) -> None:
        """Put a queue in; it takes the place of another one of its full name."""
        self.by_path[queue.path] = queue
        if queue.name != ROOT:
            self.by_short_name.setdefault(queue.name, {})[queue.path] = None

    def remove(self, path: str) -> None:
        queue = self.by_path.pop(path)
        paths = self.by_short_name.get(queue.name, {})
        paths.pop(path, None)
        if not paths:
            self.by_short_name.pop(queue.name, None)

    def get(self, name: str | None) -> CapacityQueue | None:
        if name is None:
            return None
        queue = self.by_path.get(name)
        if queue is not None or name == ROOT:
            return queue
        paths = self.by_short_name.get(name, {})
        return self.by_path[next(iter(paths))] if len(paths) == 1 else None

    def is_ambiguous(self, name: str) -> bool:
        return len(self.by_short_name.get(name, ())) > 1


class CapacityTree(metaclass=State):
    """All queues, and the properties they were set up from."""

    settings: Shared[CapacitySettings]
    space: PartitionResources
    properties: Properties  # The properties, with what templates add for queues made on submission
    found: Shared[dict[str, set[str]]]  # Labels that have properties of their own, by queue
    names: QueueNames
    root: CapacityQueue

    def __init__(
        self, values: dict[str, str], settings: CapacitySettings, space: PartitionResources, refusals: Refusals
    ) -> None:
        self.settings = settings
        self.space = space
        self.properties = Properties(values, refusals, CAPACITY_34)
        self.found = configured_labels(self.properties)
        space.flexible = not legacy_mode(self.properties)
        self.names = QueueNames()
        self.root = self._parse(ROOT, None, self.names, QueueNames())
        self.properties.everywhere(MAXIMUM_APPLICATIONS)

    # ---------------------------------------------------------------- building

    def _parse(self, path: str, parent: CapacityQueue | None, names: QueueNames, former: QueueNames) -> CapacityQueue:
        """A queue and those below it. Source: #parseQueue."""
        properties = self.properties
        children = properties.names(capacity_queue.QUEUES.of(path)) or []
        is_managed = properties.of_queue(capacity_queue.CREATES, path)
        before = former.get(path)
        was_dynamic_parent = before is not None and before.leaf is None and before.is_dynamic
        creates = is_managed or was_dynamic_parent
        creates = creates or properties.of_queue(capacity_queue.CREATES_V2, path)
        is_leaf = not children and not creates
        if is_leaf and parent is None:
            properties.refusals.add(ILLEGAL_STATE, "there are no queues below root", capacity_queue.QUEUES.of(path))
        if not is_leaf and properties.of_queue(capacity_queue.RESERVABLE, path):
            properties.refusals.add(ILLEGAL_STATE, "only a leaf can be reservable", capacity_queue.RESERVABLE.of(path))
        queue = new_queue(path, parent, is_leaf=is_leaf and parent is not None)
        set_up(queue, properties, self.found, self.space)
        if is_managed and queue.leaf is None:
            queue.template = LeafTemplate()
            ManagedParent(queue).read(properties, self.found, self.space)
        if queue.leaf is None:
            below = [self._parse(f"{path}.{name}", queue, names, former) for name in children]
            if below:
                check_children(queue, below, properties, self.space)
                queue.children = below
        names.add(queue)
        return queue

    def cluster_changed(self) -> None:
        self.update_below(self.root)

    def update_below(self, queue: CapacityQueue) -> None:
        if self.space.flexible:
            update_flexibly(queue, self.space, self.settings)
        else:
            update_cluster(queue, ResourceLimits(self.space.cluster), self.space, self.settings)

    # ---------------------------------------------------------------- reload

    def reload(self, values: dict[str, str], settings: CapacitySettings) -> None:
        """Set all queues up from new properties; queues come, go and change their kind.

        Raises ConfigError if the new ones are refused. Queues may have been set up already; the caller goes back.
        """
        self.settings = settings
        self.properties = Properties(values, Refusals(), CAPACITY_34)
        self.found = configured_labels(self.properties)
        self.space.flexible = not legacy_mode(self.properties)
        names = QueueNames()
        root = self._parse(ROOT, None, names, self.names)
        self.properties.refusals.check()
        self._check_changes(names)
        self.properties.refusals.check()
        self._replace_names(names)
        self._set_up_again(self.root, root)
        self.cluster_changed()

    def _check_changes(self, names: QueueNames) -> None:
        """Check which queues may go or change their kind. Source: #validateQueueHierarchy."""
        refusals = self.properties.refusals
        for queue in self.names:
            if queue.leaf is not None and queue.leaf.is_auto_created:
                continue
            new = names.get(queue.path)
            key = capacity_queue.STATE.of(queue.path)
            if new is None:
                is_stopped = "STOPPED" in (queue.state, self.properties.text(key))
                if not is_stopped and not queue.is_dynamic:
                    refusals.add(INPUT_OUTPUT, f"it cannot be removed while {queue.state}", key)
            elif queue.leaf is None and (queue.template is None) != (new.template is None):
                if new.leaf is None or queue.template is not None:
                    key = capacity_queue.CREATES.of(queue.path)
                    refusals.add(INPUT_OUTPUT, "a parent cannot begin or cease to create queues", key)
            elif queue.leaf is not None and new.leaf is None and "STOPPED" not in (queue.state, new.state):
                refusals.add(INPUT_OUTPUT, f"a leaf cannot become a parent while {queue.state}", key)

    def _replace_names(self, names: QueueNames) -> None:
        """Source: #updateQueues."""
        for queue in names:
            if self.names.get(queue.path) is None:
                self.names.add(queue)
        for queue in self.names:
            if self._is_removable(queue, names):
                self.names.remove(queue.path)

    def _is_removable(self, queue: CapacityQueue, names: QueueNames) -> bool:
        parent = queue.parent
        if queue.is_dynamic:
            if parent is None or names.get(parent.path) is not None:
                return parent is None
            above = self.names.get(parent.path)
            return above is None or not above.is_dynamic
        if names.get(queue.path) is not None:
            return False
        is_auto_leaf = queue.leaf is not None and queue.leaf.is_auto_created
        return not (
            is_auto_leaf and parent is not None and self.properties.of_queue(capacity_queue.CREATES, parent.path)
        )

    def _set_up_again(self, queue: CapacityQueue, new: CapacityQueue) -> None:
        """Source: AbstractParentQueue#reinitialize, AbstractLeafQueue#reinitialize."""
        if queue is not new:
            queue.is_dynamic = False
        if queue.leaf is not None:
            self._set_up_leaf_again(queue, new)
            return
        if queue.template is not None:
            managed = ManagedParent(queue)
            managed.reload(self.properties, self.found, self.space)
            set_up(queue, self.properties, self.found, self.space)
            self.properties.refusals.check()
            for child in list(queue.children):
                managed.set_up_leaf(child, self.properties, self.found, self.space)
            managed.after_reload(self.properties, self.space)
            return
        if queue.is_dynamic:
            apply_template(queue, self.properties, self.found)
        set_up(queue, self.properties, self.found, self.space)
        self.properties.refusals.check()
        self._replace_children(queue, new)

    def _replace_children(self, queue: CapacityQueue, new: CapacityQueue) -> None:
        current = {child.path: child for child in queue.children}
        coming = {child.path: child for child in new.children} if queue is not new else dict(current)
        for path, child in current.items():
            if path not in coming and child.is_dynamic:
                self._set_up_again(child, child)
        most = dict(current)
        for path, child in coming.items():
            mine = current.get(path)
            if mine is None or (mine.leaf is None) != (child.leaf is None):
                child.parent = queue
                current[path] = child
                most[path] = child
                if mine is not None:
                    self.names.add(child)
            else:
                self._set_up_again(mine, child)
        order = java_hash_order(most)
        kept = [current[path] for path in order if path in coming or current[path].is_dynamic]
        check_children(queue, kept, self.properties, self.space)
        self.properties.refusals.check()
        queue.children = kept

    def _set_up_leaf_again(self, queue: CapacityQueue, new: CapacityQueue) -> None:
        before, after = queue.settings.maximum_allocation, new.settings.maximum_allocation
        if before[0] > after[0] or before[1] > after[1]:
            key = capacity_queue.QUEUE_MAXIMUM_MB.of(queue.path)
            self.properties.refusals.add(INPUT_OUTPUT, f"the maximum {before} cannot be decreased to {after}", key)
            self.properties.refusals.check()
        if queue.is_dynamic:
            apply_template(queue, self.properties, self.found)
        set_up(queue, self.properties, self.found, self.space)
        self.properties.refusals.check()


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
