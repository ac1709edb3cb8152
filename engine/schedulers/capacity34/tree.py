"""The tree of queues: built from properties, built again on reload.

Source: CapacitySchedulerQueueManager, CapacitySchedulerConfigValidator#validateQueueHierarchy,
AbstractParentQueue#reinitialize, ManagedParentQueue#reinitialize, CSQueueStore, Hadoop 3.4.1.
"""

from collections.abc import Iterator

from engine.model.identity import java_hash_order
from engine.schedulers.capacity.properties import ILLEGAL_STATE, INPUT_OUTPUT, Properties, Refusals
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.capacities import update_cluster, update_flexibly
from engine.schedulers.capacity34.evaluation import ResourceLimits
from engine.schedulers.capacity34.made_queues import ManagedParent, apply_template
from engine.schedulers.capacity34.queue import ROOT, CapacityQueue
from engine.schedulers.capacity34.queue_settings import configured_labels, legacy_mode
from engine.schedulers.capacity34.queue_setup import check_children, new_queue, set_up
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.users import LeafTemplate
from engine.settings import capacity_queue
from engine.settings.capacity import CAPACITY_34
from engine.settings.capacity_scheduler import MAXIMUM_APPLICATIONS
from engine.state import Shared, State


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
