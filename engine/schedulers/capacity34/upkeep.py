"""Background passes over queues that come and go by themselves.

Source: QueueManagementDynamicEditPolicy, AutoCreatedQueueDeletionPolicy, Hadoop 3.4.1.
"""

from engine.schedulers.capacity34.dynamic_queues import delete_if_idle, may_be_deleted
from engine.schedulers.capacity34.managed_parent import ManagedParent
from engine.schedulers.capacity34.space import Space
from engine.schedulers.capacity34.tree import CapacityTree
from engine.state import State


class QueueUpkeep(metaclass=State):
    """Hands out the templates' capacities to leaves made on submission, and deletes queues that stayed idle."""

    tree: CapacityTree
    space: Space
    marked: set[str] = set()
    """Paths of queues that go at the next pass, if they are idle still."""

    def __init__(self, tree: CapacityTree, space: Space, *, deletes: bool) -> None:
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
