"""What applications want of a partition, kept for every queue on the way up.

Source: ResourceUsage#incPending, AppSchedulingInfo, LocalityAppPlacementAllocator, Hadoop 3.4.1.
"""

from collections.abc import Iterable

from engine.model.request import AskGroup, ResourceRequest
from engine.schedulers.capacity.amounts import NOTHING, Amount, plus
from engine.schedulers.capacity34.share import HasShares


def size_of(request: ResourceRequest | None) -> Amount:
    """The size of all containers of an ask; nothing for None."""
    return NOTHING if request is None else (request.memory_mb * request.count, request.vcores * request.count)


def wishes_of(groups: Iterable[AskGroup]) -> dict[str, Amount]:
    """What some asks want, by partition."""
    wishes: dict[str, Amount] = {}
    for group in groups:
        if group.anywhere is not None and group.anywhere.count > 0:
            label = group.anywhere.partition
            wishes[label] = plus(wishes.get(label, NOTHING), size_of(group.anywhere))
    return wishes


def wish_in(leaf: HasShares, label: str, amount: Amount) -> None:
    """Add to (or, negative, take from) what a leaf and those above it want of a partition."""
    memory_mb, vcores = amount
    queue: HasShares | None = leaf
    while queue is not None:
        share = queue.share(label)
        pending = share.pending
        share.pending = (pending[0] + memory_mb, pending[1] + vcores)
        queue = queue.parent
