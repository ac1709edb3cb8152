"""A parent whose leaves are made on submission from a template, with capacity as long as there is some to give.

Leaves get the template's capacity in order of their applications' submission while the parent has room; a leaf without
applications gives its capacity back when the policy looks.

Source: ManagedParentQueue, AutoCreatedLeafQueue, GuaranteedOrZeroCapacityOverTimePolicy, AutoCreatedQueueTemplate,
Hadoop 3.4.1.
"""

from math import floor
from typing import Final

from engine.errors import RefusedError
from engine.model.identity import attempt_id_hash, hash_map_order, java_hash_order
from engine.model.java_values import divide, float32
from engine.schedulers.capacity.properties import CLASS_NOT_FOUND, INPUT_OUTPUT, RUNTIME, Properties
from engine.schedulers.capacity.space import NOTHING, times
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.capacities import absolute_of, capacity_of, update_absolute, update_used
from engine.schedulers.capacity34.capacity_text import parse_vector, read_label, read_resources, read_vectors, uniform
from engine.schedulers.capacity34.queue import ROOT, CapacityAttempt, CapacityQueue
from engine.schedulers.capacity34.queue_settings import OTHER_CLASSES, labels_of, max_depth, queue_key
from engine.schedulers.capacity34.queue_setup import new_queue, set_up
from engine.schedulers.capacity34.users import Share
from engine.schedulers.placement import AccessControlList
from engine.settings import capacity_queue
from engine.settings.capacity_scheduler import CREATION_V2, MAXIMUM_AM_PERCENT, PREFIX, USER_LIMIT_FACTOR

EDIT: Final = "SchedulerDynamicEditException"
POLICIES: Final = (
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.queuemanagement."
    "GuaranteedOrZeroCapacityOverTimePolicy",
)
"""Classes that give such leaves their capacity."""


class ManagedParent:
    """A look at a queue that has a template; it keeps nothing of its own."""

    __slots__ = ("queue", "template")

    def __init__(self, queue: CapacityQueue) -> None:
        assert queue.template is not None, "a parent whose leaves are made from a template"
        self.queue = queue
        self.template = queue.template

    def read(self, properties: Properties, found: dict[str, set[str]], space: PartitionResources) -> None:
        """Read the template. Source: ManagedParentQueue#initializeLeafQueueConfigs."""
        path = f"{self.queue.path}.{capacity_queue.TEMPLATE}"
        self.template.fails_on_excess = properties.of_queue(capacity_queue.CREATION_FAILS, self.queue.path)
        self.template.shares = {}
        for label in sorted(labels_of(found, path)):
            settings, share = read_label(properties, path, label), Share()
            read_resources(settings, properties, label, None, path)
            read_vectors(settings, properties, path, label)
            share.capacity, share.maximum = settings.capacity, settings.maximum
            share.am_percent, share.weight = settings.am_percent, settings.weight
            share.minimum_resource = settings.minimum_resource
            share.maximum_resource = settings.maximum_resource
            self.template.shares[label] = share
            if not self.queue.absolute_mode and settings.minimum_resource != NOTHING:
                key = capacity_queue.CAPACITY.of(path)
                properties.refusals.add(INPUT_OUTPUT, "only the template has absolute resources", key)
            if label not in self.queue.labels:
                message = f"its queue may not use the label {label!r}"
                properties.refusals.add(INPUT_OUTPUT, message, capacity_queue.ACCESSIBLE_LABELS.of(path))
        if self.queue.absolute_mode:
            self._derive(space)
        key = capacity_queue.CREATION_POLICY.of(self.queue.path)
        text = properties.text(key)
        if text is not None and text not in POLICIES:
            kind = RUNTIME if text in OTHER_CLASSES else CLASS_NOT_FOUND
            properties.refusals.add(kind, f"there is no class {text!r} that manages queues", key, POLICIES[0])

    def _derive(self, space: PartitionResources) -> None:
        """Ratios from absolute resources. Source: #updateQueueCapacities."""
        for label, share in self.template.shares.items():
            own, calculator = self.queue.share(label), space.calculator
            share.capacity = calculator.divide(space.cluster, share.minimum_resource, own.minimum_resource)
            most = share.maximum_resource if share.maximum_resource != NOTHING else own.maximum_resource
            if calculator.compare(space.cluster, most, own.maximum_resource) > 0:
                most = own.maximum_resource
            share.maximum = calculator.divide(space.cluster, most, own.maximum_resource)
            share.absolute = float32(share.capacity * absolute_of(self.queue, label))
            share.absolute_maximum = float32(share.maximum * own.absolute_maximum)

    def _update_absolute(self, space: PartitionResources) -> None:
        child = new_queue(f"{self.queue.path}.{capacity_queue.TEMPLATE}", self.queue, is_leaf=False)
        child.shares = self.template.shares
        update_absolute(child, space)

    # ---------------------------------------------------------------- making leaves

    def create(
        self, path: str, properties: Properties, found: dict[str, set[str]], space: PartitionResources
    ) -> CapacityQueue:
        """Make a leaf; the caller adds its name and lets the tree follow.

        Raises RefusedError if there are too many, or no capacity is left for it, ConfigError if the template's settings
        are refused.
        """
        queue = new_queue(path, self.queue, is_leaf=True)
        assert queue.leaf is not None, "a leaf"
        queue.leaf.is_auto_created = True
        self.set_up_leaf(queue, properties, found, space)
        properties.refusals.check()
        if len(self.queue.children) >= properties.of_queue(capacity_queue.CREATED_QUEUES, self.queue.path):
            raise RefusedError(EDIT, f"{self.queue.path} has {len(self.queue.children)} queues already")
        if self.template.fails_on_excess:
            used = 0.0
            for child in self.queue.children:
                used = float32(used + absolute_of(child, ""))
            if float32(self.template.share("").absolute + used) > absolute_of(self.queue, ""):
                raise RefusedError(EDIT, f"{self.queue.path} has no capacity left")
        self._update_absolute(space)
        if capacity_of(queue, "") > 0:
            raise RefusedError(EDIT, f"{path} has capacity before it is there")
        self.queue.children = [*self.queue.children, queue]
        if self.queue.absolute_mode:
            self._derive(space)
        self._set_vectors(queue, properties)
        self._merge(queue, self._first_shares(queue, space), space)
        return queue

    def set_up_leaf(
        self, queue: CapacityQueue, properties: Properties, found: dict[str, set[str]], space: PartitionResources
    ) -> None:
        """Set a leaf up, also after a reload; it starts without capacity. Source: AutoCreatedLeafQueue#reinitialize."""
        prefix = queue_key(f"{self.queue.path}.{capacity_queue.TEMPLATE}", "")
        for rest, text in properties.starting_with(prefix).items():
            properties.values[queue_key(queue.path, rest)] = text
        labels = found.get(f"{self.queue.path}.{capacity_queue.TEMPLATE}")
        if labels is not None and len(labels) > 1:
            found[queue.path] = set(labels)
        set_up(queue, properties, found, space)
        submit = properties.text(f"{prefix}acl_submit_applications")
        administer = properties.text(f"{prefix}acl_administer_queue")
        queue.settings.acl_submit = AccessControlList(" " if submit is None else submit)
        queue.settings.acl_administer = AccessControlList(" " if administer is None else administer)
        for label in list(self.queue.shares):
            share = queue.share(label)
            share.capacity, share.vector = 0.0, uniform(0.0)
            share.absolute = float32(absolute_of(self.queue, label) * share.capacity)
            default = queue.share("")
            default.maximum = self.template.share(label).maximum
            default.maximum_vector = uniform(float32(default.maximum * 100))
            default.absolute_maximum = float32(self.queue.share("").absolute_maximum * default.maximum)
            update_used(queue, label, space)

    def reload(self, properties: Properties, found: dict[str, set[str]], space: PartitionResources) -> None:
        """Read the template again.

        Raises ConfigError if the leaves have more capacity than the queue, which must not be from now on. Nothing else
        has changed then. Source: ManagedParentQueue#reinitialize.
        """
        self.template.fails_on_excess = properties.of_queue(capacity_queue.CREATION_FAILS, self.queue.path)
        if self.template.fails_on_excess:
            used = 0.0
            for child in self.queue.children:
                used = float32(used + capacity_of(child, ""))
            if capacity_of(self.queue, "") < used:
                key = capacity_queue.CREATION_FAILS.of(self.queue.path)
                properties.refusals.add(INPUT_OUTPUT, "its queues have more capacity than it", key)
                properties.refusals.check()
        self.read(properties, found, space)

    def after_reload(self, properties: Properties, space: PartitionResources) -> None:
        self.template.active, self.template.activated = {}, {}
        self.apply(self.changes(0, space), properties, space)

    # ---------------------------------------------------------------- the policy

    def _first_shares(self, queue: CapacityQueue, space: PartitionResources) -> dict[str, Share]:
        """Return the shares that a new leaf begins with. Source: #getInitialLeafQueueConfiguration."""
        shares: dict[str, Share] = {}
        for label, template in self.template.shares.items():
            if self.template.available(label, absolute_of(self.queue, label)) >= template.absolute:
                shares[label] = self.template.full(label)
                self.template.activate(queue.path, label)
            else:
                shares[label] = self._empty(queue, label, space)
        return shares

    def _empty(self, queue: CapacityQueue, label: str, space: PartitionResources) -> Share:
        share = Share()
        share.maximum = self.template.shares[label].maximum
        queue.share(label).minimum_resource = NOTHING
        queue.capacity_changed(label, space)
        return share

    def changes(self, cluster_timestamp: int, space: PartitionResources) -> dict[str, dict[str, Share]]:
        """Return the gains and losses of capacity, by leaf and partition. Source: #computeQueueManagementChanges."""
        self._update_absolute(space)
        changes: dict[str, dict[str, Share]] = {}
        for label, template in self.template.shares.items():
            here = {child.path for child in self.queue.children}
            active = self.template.active[label] = {
                path: None for path in self.template.active.get(label, {}) if path in here
            }
            idle = [
                child for child in self.queue.children if child.path in active and child.number_of_applications() <= 0
            ]
            given_back = 0.0
            for child in idle:
                changes.setdefault(child.path, {})[label] = self._empty(child, label, space)
                given_back = float32(given_back + template.absolute)
            available = self.template.available(label, absolute_of(self.queue, label), given_back)
            if available < template.absolute:
                continue
            waiting = self._applications(cluster_timestamp)
            most = floor(float32(divide(available, template.absolute))) if template.absolute > 0 else 0
            gaining: list[str] = []
            gone = {child.path for child in idle}
            for attempt in waiting:
                path = attempt.queue.path
                if len(gaining) >= min(most, len(waiting)):
                    break
                if path not in active and path not in gone and path not in gaining:
                    gaining.append(path)
            for path in gaining:
                changes.setdefault(path, {})[label] = self.template.full(label)
        return {path: changes[path] for path in java_hash_order(changes)}

    def _applications(self, cluster_timestamp: int) -> list[CapacityAttempt]:
        found: list[CapacityAttempt] = []
        for child in self.queue.children:
            assert child.leaf is not None, "only leaves are made here"
            members = [*child.leaf.waiting, *child.leaf.order]
            hashes = [attempt_id_hash(cluster_timestamp, one.application.number, one.number) for one in members]
            found += hash_map_order(members, hashes)
        return sorted(found, key=lambda attempt: attempt.application.submitted_ms)

    def apply(self, changes: dict[str, dict[str, Share]], properties: Properties, space: PartitionResources) -> None:
        """Give and take capacity. Source: #applyQueueManagementChanges, #commitQueueManagementChanges."""
        leaves = {child.path: child for child in self.queue.children}
        for path, shares in changes.items():
            self._set_vectors(leaves[path], properties)
            self._merge(leaves[path], shares, space)
        for path, shares in changes.items():
            for label, share in shares.items():
                is_active = path in self.template.active.get(label, {})
                if share.capacity > 0 and not is_active:
                    self.template.activate(path, label)
                elif share.capacity <= 0 and is_active:
                    leaves[path].share("").minimum_resource = times(space.cluster, share.capacity)
                    leaves[path].capacity_changed("", space)
                    self.template.deactivate(path, label)

    def _set_vectors(self, queue: CapacityQueue, properties: Properties) -> None:
        """A leaf with capacity has the template's, resource by resource. Source: #setLeafQueuesCapacityVector."""
        path = f"{self.queue.path}.{capacity_queue.TEMPLATE}"
        for label in self.queue.settings.by_label:
            share = queue.share(label)
            for which, default in ((capacity_queue.CAPACITY, "0"), (capacity_queue.MAXIMUM_CAPACITY, "100")):
                key = which.of(path, label)
                vector = parse_vector(properties.text(key) or default, properties, key)
                if which is capacity_queue.CAPACITY:
                    share.vector = vector
                elif vector is not None:
                    share.maximum_vector = vector

    def _merge(self, queue: CapacityQueue, shares: dict[str, Share], space: PartitionResources) -> None:
        """Source: AutoCreatedLeafQueue#mergeCapacities."""
        for label, new in shares.items():
            share, total = queue.share(label), space.total(label)
            share.capacity, share.absolute = new.capacity, new.absolute
            share.maximum, share.absolute_maximum = new.maximum, new.absolute_maximum
            if queue.absolute_mode and share.absolute > 0:
                share.effective_minimum = self.template.shares[label].minimum_resource
            else:
                share.effective_minimum = times(total, share.absolute)
            share.effective_maximum = times(total, share.absolute_maximum)
            queue.capacity_changed(label, space)


# Reads a parent's templates for queues made below it on submission.


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
            for key, text in properties.starting_with(f"{PREFIX}{path}.{CREATION_V2}{name}").items():
                into.setdefault(key, text)
        for key, text in properties.starting_with(f"{PREFIX}{path}.{CREATION_V2}parent-template.").items():
            self.of_parents.setdefault(key, text)

    def settings_of(self, *, is_leaf: bool) -> dict[str, str]:
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
    labels = found.get(f"{parent.path}.{CREATION_V2}template")
    if labels is not None and len(labels) > 1:
        found[queue.path] = set(labels)


def may_create_below(queue: CapacityQueue, properties: Properties) -> bool:
    """Tell whether queues may be made below a parent that is no managed one."""
    return queue.is_dynamic or properties.of_queue(capacity_queue.CREATES_V2, queue.path)
