"""What an application master's call does in a scheduler: asks are checked and sized, nodes are blacklisted.

Source: FairScheduler#allocate, FifoScheduler#allocate, AppSchedulingInfo, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Iterable, Sequence

from engine.model.cluster import Cluster
from engine.model.ledger import Attempt
from engine.model.request import ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.calculator import validate


def check_asks(asks: Iterable[ResourceRequest], maximum: Resource) -> None:
    """Refuse asks above a maximum; raises `RefusedError`."""
    for ask in asks:
        validate(Resource(ask.memory_mb, ask.vcores), maximum)


def resize(asks: Iterable[ResourceRequest], size_of: Callable[[Resource], Resource]) -> None:
    """Give asks their normalised sizes, in place; each size is normalised once."""
    sizes: dict[tuple[int, int], Resource] = {}
    for ask in asks:
        asked = (ask.memory_mb, ask.vcores)
        size = sizes.get(asked)
        if size is None:
            size = sizes[asked] = size_of(Resource(*asked))
        ask.memory_mb, ask.vcores = size.memory_mb, size.vcores


def change_blacklist(cluster: Cluster, attempt: Attempt, add: Sequence[str], remove: Sequence[str]) -> bool:
    """Change the blacklist that holds for the attempt now; whether adding or removing changed it."""
    if not add and not remove:
        return False
    before = set(attempt.blacklist)
    attempt.blacklist.update(add)
    changed = attempt.blacklist != before
    before = set(attempt.blacklist)
    attempt.blacklist.difference_update(remove)
    cluster.version += 1
    return changed or attempt.blacklist != before
