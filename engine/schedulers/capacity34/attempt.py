"""An attempt as the capacity scheduler sees it: what it uses, has reserved and wants, by partition.

Source: FiCaSchedulerApp, SchedulerApplicationAttempt, LocalityAppPlacementAllocator, Hadoop 3.4.1.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.model.identity import hash_map_order, node_id_hash, request_key_hash
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import ANY, AskGroup, ResourceRequest
from engine.schedulers.capacity.amounts import NOTHING, Amount, plus
from engine.schedulers.capacity34.queue import CapacityQueue

if TYPE_CHECKING:
    from engine.schedulers.capacity34.leaf import Leaf
    from engine.schedulers.capacity34.users import LeafUser


class CapacityAttempt(Attempt):
    """An attempt with its usage by partition and what it knows of each priority."""

    priority: int
    am_size: Amount
    """What its application master counts for; the smallest container for an unmanaged one."""
    am_label: str
    label: str = ""
    """The partition named at submission."""
    runnable: bool = True
    """Whether no limit on parallel applications holds it back."""
    used_in: dict[str, Amount]
    reserved_in: dict[str, Amount]
    pending_in: dict[str, Amount]
    labels: set[str] = set()
    """Partitions it ever asked for."""
    re_reservations: dict[int, int] = {}
    """By priority, how often a reservation was confirmed since the last one was made or dropped."""
    missed_unlabelled: dict[int, int] = {}
    """By priority, offers passed by with an ask without a label."""
    cached_used_mb: int = 0
    """What its leaf's fair order goes by."""
    cached_demand_mb: int = 0
    new_marks: dict[int, Container] = {}
    """Containers marked for preemption since its AM was last notified, by number."""
    headroom_leaf: "Leaf | None" = None
    """Whose limits its headroom is computed from; None before it was first looked at."""
    headroom_user: "LeafUser | None" = None

    queue: CapacityQueue

    def __init__(
        self, application: Application, number: int, queue: CapacityQueue, am_size: Amount, am_label: str, now_ms: int
    ) -> None:
        super().__init__(application, number, queue, now_ms, forgets_priorities=True)
        self.priority = application.priority
        self.am_size = am_size
        self.am_label = am_label
        self.used_in = {"": NOTHING}
        self.reserved_in = {"": NOTHING}
        self.pending_in = {"": NOTHING}

    # ---------------------------------------------------------------- asks

    def update_requests(self, requests: Iterable[ResourceRequest]) -> int:
        """Replace counts; the wish of a `*` counts in its partition.

        Returns:
            By how much the number of wanted containers changed.
        """
        newest = list({(each.priority, each.resource_name): each for each in requests}.values())
        before = {}
        for each in newest:
            group = self.groups.get(each.priority)
            before[each.priority] = group.anywhere if group is not None else None
        wished = {priority: _wish(anywhere) for priority, anywhere in before.items()}
        change = super().update_requests(newest)
        for request in newest:
            if request.resource_name == ANY:
                self.labels.add(request.partition)
                self._replace_wish(before[request.priority], wished[request.priority], request)
        return change

    def _replace_wish(self, last: ResourceRequest | None, wish: Amount, request: ResourceRequest) -> None:
        had, has = last is not None and last.count > 0, request.count > 0
        users = self.queue.leaf.users if self.queue.leaf is not None else None
        if not has:
            if not self.pending and users is not None:
                users.deactivate(self.user, self.application.number)
        elif not had and users is not None:
            users.activate(self.user, self.application.number)
        if last is not None:
            self.wish(last.partition, (-wish[0], -wish[1]))
        self.wish(request.partition, _wish(request))

    def wish(self, label: str, amount: Amount) -> None:
        """Add to (or, negative, take from) what it and its queues want of a partition."""
        self.pending_in[label] = plus(self.pending_in.get(label, NOTHING), amount)
        self.wish_in(self.queue, label, amount)

    def wishes(self) -> dict[str, Amount]:
        """What it wants, by partition."""
        wishes: dict[str, Amount] = {}
        for group in self.groups.values():
            if group.anywhere is not None and group.anywhere.count > 0:
                label = group.anywhere.partition
                wishes[label] = plus(wishes.get(label, NOTHING), _wish(group.anywhere))
        return wishes

    @staticmethod
    def wish_in(leaf: CapacityQueue, label: str, amount: Amount) -> None:
        """Add to (or, negative, take from) what a leaf and those above it want of a partition."""
        memory_mb, vcores = amount
        queue: CapacityQueue | None = leaf
        while queue is not None:
            share = queue.share(label)
            pending = share.pending
            share.pending = (pending[0] + memory_mb, pending[1] + vcores)
            queue = queue.parent

    def take(self, group: AskGroup, node: Node, locality: int) -> tuple[ResourceRequest, ...]:
        """Count one container of a group as given."""
        anywhere = group.anywhere
        assert anywhere is not None, "a group without `*` has nothing to give"
        taken = super().take(group, node, locality)
        if not self.pending and self.queue.leaf is not None:
            self.queue.leaf.users.deactivate(self.user, self.application.number)
        self.wish(anywhere.partition, (-anywhere.memory_mb, -anywhere.vcores))
        return taken

    def withdraw(self) -> None:
        """Want nothing more, as at its end."""
        for label, (memory_mb, vcores) in self.wishes().items():
            self.wish(label, (-memory_mb, -vcores))

    # ---------------------------------------------------------------- usage

    def use(self, label: str, amount: Amount) -> None:
        """Add to (or, negative, take from) what its containers use of a partition."""
        used = self.used_in.get(label, NOTHING)
        self.used_in[label] = (used[0] + amount[0], used[1] + amount[1])

    def take_over(self, containers: Iterable[Container]) -> None:
        """Have what outlived the attempt before, by partition."""
        for container in containers:
            super().take_over([container])
            self.use(container.node.partition, (container.memory_mb, container.vcores))

    def hold(self, label: str, amount: Amount) -> None:
        """Add to (or, negative, take from) what it has reserved of a partition."""
        self.reserved_in[label] = plus(self.reserved_in.get(label, NOTHING), amount)

    def reservations_in_order(self, priority: int) -> list[Container]:
        """Its reservations of a priority, in the order of the class's map."""
        held = [container for container in self.reserved.values() if container.priority == priority]
        if len(held) < 2:
            return held
        return hash_map_order(held, [node_id_hash(each.node.host, each.node.port) for each in held])

    def all_reservations_in_order(self) -> list[Container]:
        """Its reservations of all priorities, in the order of the class's maps."""
        priorities = list(dict.fromkeys(held.priority for held in self.reserved.values()))
        ordered = hash_map_order(priorities, [request_key_hash(each) for each in priorities])
        return [held for priority in ordered for held in self.reservations_in_order(priority)]

    def reserved_for(self, priority: int) -> int:
        """How many nodes it has reserved for a priority."""
        return sum(1 for held in self.reserved.values() if held.priority == priority) if self.reserved else 0


def _wish(request: ResourceRequest | None) -> Amount:
    return NOTHING if request is None else (request.memory_mb * request.count, request.vcores * request.count)
