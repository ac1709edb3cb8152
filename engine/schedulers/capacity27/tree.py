"""The tree of queues: built from a configuration, reloaded, searched by leaf name, updated to a new cluster size.

A reload changes the queues one after another; what is refused on the way leaves those before it changed, as in the
real class.

Source: CapacityScheduler#initializeQueues, #reinitializeQueues, #validateExistingQueues, ParentQueue#reinitialize,
LeafQueue#reinitialize, #updateClusterResource, Hadoop 2.7.2.
"""

from collections.abc import Iterator

from engine.errors import RefusedError
from engine.model.identity import java_hash_order
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity27.activation import activate
from engine.schedulers.capacity27.calculators import smaller
from engine.schedulers.capacity27.configuration import NO_LABEL, QueueConfiguration27
from engine.schedulers.capacity27.limits import limit_of_child, maximum_in
from engine.schedulers.capacity27.queue_walk import update_shares
from engine.schedulers.capacity27.queues import CapacityQueue27, compare_siblings
from engine.schedulers.capacity27.space import Space27
from engine.state import State


class QueueTree27(metaclass=State):
    """All queues, and the way to them by the short names that 2.7.2 knows them by."""

    space: Space27
    by_name: dict[str, CapacityQueue27] = {}
    root: CapacityQueue27

    def __init__(self, space: Space27, configuration: QueueConfiguration27) -> None:
        self.space = space
        self.root = self._build(configuration, None)

    def queues(self) -> Iterator[CapacityQueue27]:
        """All queues, a parent before its children."""
        yield from _below(self.root)

    def leaf(self, name: str) -> CapacityQueue27:
        """A leaf by its short name; raises `RefusedError` when there is none."""
        queue = self.by_name.get(name)
        if queue is None:
            short = name.rpartition(".")[2]
            hint = f"; 2.7.2 knows it as {short}" if short in self.by_name else ""
            raise RefusedError("YarnException", f"there is no queue {name}{hint}")
        if queue.leaf is None:
            raise RefusedError("YarnException", f"{name} is not a leaf queue")
        return queue

    def _build(self, configuration: QueueConfiguration27, parent: CapacityQueue27 | None) -> CapacityQueue27:
        queue = CapacityQueue27(configuration, parent)
        update_shares(self.space, queue)
        for child in configuration.children:
            assert queue.children is not None, "it has children"
            queue.children.add(self._build(child, queue), compare_siblings)
        self.by_name[configuration.name] = queue  # a parent hides a leaf of the same name below it
        return queue

    # ---------------------------------------------------------------- reload

    def reload(self, configuration: QueueConfiguration27) -> None:
        """Take over queues that were read without a refusal; `cluster_changed` follows. Raises `RefusedError`."""
        self._check_kept(configuration)
        self._reload(self.root, configuration)

    def _check_kept(self, configuration: QueueConfiguration27) -> None:
        """No queue may vanish or move."""
        paths = {one.name: one.path for one in _configurations(configuration)}
        for name, queue in self.by_name.items():
            if name not in paths:
                raise RefusedError("IOException", f"the queue {queue.path} is missing; a reload cannot remove queues")
            if paths[name] != queue.path:
                raise RefusedError("IOException", f"a reload cannot move the queue {queue.path} to {paths[name]}")

    def _reload(self, queue: CapacityQueue27, configuration: QueueConfiguration27) -> None:
        if (queue.leaf is None) != (configuration.leaf is None):
            raise RefusedError("IOException", f"the queue {queue.path} cannot become another kind of queue")
        if queue.leaf is not None:
            self._reload_leaf(queue, configuration)
            return
        queue.configuration = configuration
        update_shares(self.space, queue)
        children = {child.name: child for child in queue.children or ()}
        configurations = {child.name: child for child in configuration.children}
        for name in java_hash_order(configurations):
            child = children.get(name)
            if child is None:
                children[name] = self._build(configurations[name], queue)
            else:
                self._reload(child, configurations[name])
        queue.reorder(children[name] for name in java_hash_order(children))

    def _reload_leaf(self, queue: CapacityQueue27, configuration: QueueConfiguration27) -> None:
        leaf, maximum = queue.leaf, configuration.maximum
        assert leaf is not None, "this is a leaf"
        assert configuration.leaf is not None, "it stays one"
        if maximum[0] < queue.configuration.maximum[0] or maximum[1] < queue.configuration.maximum[1]:
            raise RefusedError("IOException", f"the maximum allocation of {queue.path} cannot become smaller")
        queue.configuration, leaf.configuration = configuration, configuration.leaf
        update_shares(self.space, queue)
        leaf.current_limit = None
        activate(self.space, queue, leaf)

    # ---------------------------------------------------------------- the cluster's size

    def cluster_changed(self) -> None:
        """The cluster's total has changed: limits, shares and active applications follow."""
        self.space.refresh()
        self._update(self.root, self.space.cluster)

    def _update(self, queue: CapacityQueue27, limit: Amount) -> None:
        space = self.space
        if queue.leaf is None:
            for child in queue.children or ():
                self._update(child, limit_of_child(space, queue, child, limit))
            update_shares(space, queue)
            return
        leaf = queue.leaf
        leaf.current_limit = smaller(space.calculator, space.cluster, maximum_in(space, queue, NO_LABEL), limit)
        update_shares(space, queue)
        activate(space, queue, leaf)
        for number in leaf.active:
            attempt = leaf.attempts[number]
            attempt.visited_in, attempt.visited_by = queue, leaf.user(attempt.user)
            attempt.visited_ask = NOTHING


def _below(queue: CapacityQueue27) -> Iterator[CapacityQueue27]:
    yield queue
    for child in queue.children or ():
        yield from _below(child)


def _configurations(configuration: QueueConfiguration27) -> Iterator[QueueConfiguration27]:
    yield configuration
    for child in configuration.children:
        yield from _configurations(child)
