"""What stands in an application's way on a node, asked without changing anything.

The questions are those an offer asks, in its order, and the same functions answer them: `probe` says None exactly
where an offer that only this application could take would allocate.
"""

from collections.abc import Collection

from engine.model.container import Container
from engine.model.node import Node
from engine.model.request import OFF_SWITCH, AskGroup
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.fair.assignment import group_fits_node, match, next_locality, reservation_allowed
from engine.schedulers.fair.running_limit import RunningLimit
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairQueue
from engine.schedulers.fair.settings import FairSettings


def obstacle_in_queue(attempt: FairAttempt, limit: RunningLimit) -> Obstacle | None:
    """What stands in the way whatever the node: nothing asked, a limit on running applications, a maximum."""
    if not attempt.pending:
        return Obstacle(Reason.NOTHING_ASKED)
    leaf = attempt.queue
    if not attempt.runnable:
        return obstacle_of_running_limit(attempt, leaf, limit)
    queue: FairQueue | None = leaf
    while queue is not None:
        if not queue.within_maximum():
            return Obstacle(Reason.QUEUE_OVER_MAXIMUM, (queue.used_memory_mb, queue.max_memory_mb), queue.path)
        queue = queue.parent
    needs_am = not attempt.live and not attempt.unmanaged
    if needs_am and not leaf.am_share_allows(attempt.am_memory_mb, attempt.am_vcores):
        share_mb = int(leaf.fair_memory_mb * leaf.max_am_share)
        return Obstacle(Reason.AM_SHARE_EXHAUSTED, (leaf.am_memory_mb, share_mb, attempt.am_memory_mb), leaf.path)
    return None


def obstacle_of_running_limit(attempt: FairAttempt, leaf: FairLeaf, limit: RunningLimit) -> Obstacle:
    """The limit on running applications that parks an attempt."""
    queue: FairQueue | None = leaf
    while queue is not None:
        if queue.runnable_count >= queue.max_apps:
            return Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (queue.runnable_count, queue.max_apps), f"queue {queue.path}")
        queue = queue.parent
    of_user = (limit.running_by_user.get(attempt.user, 0), limit.tree.allocation.user_max_apps(attempt.user))
    return Obstacle(Reason.QUEUE_NOT_RUNNING_IT, of_user, f"user {attempt.user}")


def obstacle_on_node(
    attempt: FairAttempt,
    node: Node,
    held: Container | None,
    settings: FairSettings,
    nodes: Collection[Node],
    now_ms: int,
) -> Obstacle | None:
    """What stands in the way on one node, where nothing does in the queue; None where an offer would allocate.

    Of several priorities the first that gets as far as a place decides, as in an offer. `held` is the node's
    reservation, None also when the next offer would drop it.
    """
    if held is not None and held.attempt is not attempt:
        return Obstacle(Reason.NODE_RESERVED, (held.memory_mb, node.free_memory_mb), holder_of(held))
    if held is None and attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
        return Obstacle(Reason.BLACKLISTED)
    if held is not None and (held.memory_mb > node.free_memory_mb or held.vcores > node.free_vcores):
        return Obstacle(Reason.DOES_NOT_FIT, (held.memory_mb, node.free_memory_mb, held.vcores, node.free_vcores))
    first: Obstacle | None = None
    for priority in attempt.priorities if held is None else (held.priority,):
        group = attempt.groups[priority]
        anywhere = group.anywhere
        if anywhere is None or anywhere.count <= 0:
            continue
        outcome = _obstacle_of_group(attempt, group, node, settings, nodes, now_ms)
        if outcome is None or outcome.reason in _FINAL:
            return outcome
        first = first or outcome
    return first or Obstacle(Reason.NOTHING_ASKED)


_FINAL = (Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT, Reason.QUEUE_WOULD_EXCEED_MAXIMUM)
"""Reasons after which an offer does not try the next priority."""


def _obstacle_of_group(
    attempt: FairAttempt, group: AskGroup, node: Node, settings: FairSettings, nodes: Collection[Node], now_ms: int
) -> Obstacle | None:
    anywhere = group.anywhere
    assert anywhere is not None, "only a group with something left is looked at"
    if anywhere.memory_mb > node.total_memory_mb:
        return Obstacle(Reason.NODE_TOO_SMALL, (anywhere.memory_mb, node.total_memory_mb))
    if not group_fits_node(group, node):
        return Obstacle(Reason.LOCALITY_NOT_RELAXED)
    allowed = OFF_SWITCH
    if not settings.ignores_locality:
        missed = group.missed_opportunities + 1  # an offer counts itself before it asks
        allowed = next_locality(group, missed, settings, len(nodes), now_ms, attempt.started_ms)
    found = match(group, node, allowed)
    if found is None:
        return Obstacle(Reason.DELAY_SCHEDULING, (group.missed_opportunities, allowed))
    request, locality = found
    if request.memory_mb <= node.free_memory_mb and request.vcores <= node.free_vcores:
        return None
    numbers = (request.memory_mb, node.free_memory_mb, request.vcores, node.free_vcores)
    if node.reserved is None:
        if not reservation_allowed(attempt, node, locality, settings, nodes):
            return Obstacle(Reason.RESERVATION_LIMIT, numbers)
        if not attempt.queue.within_maximum_up(request.memory_mb, request.vcores):
            return Obstacle(Reason.QUEUE_WOULD_EXCEED_MAXIMUM, numbers, attempt.queue.path)
    return Obstacle(Reason.DOES_NOT_FIT, numbers)


def holder_of(held: Container) -> str:
    """The name of the application a node is reserved for."""
    return held.attempt.name if isinstance(held.attempt, FairAttempt) else ""
