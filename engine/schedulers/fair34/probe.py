"""What stands in an application's way on a node under 3.x, asked without changing anything.

The questions are those an offer asks, in its order; see `fair.probe` for what both eras say alike.
"""

from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.node import Node
from engine.model.request import OFF_SWITCH, AskGroup, ResourceRequest
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.fair.assignment import match, next_locality, reservation_allowed
from engine.schedulers.fair.probe import holder_of, obstacle_of_running_limit
from engine.schedulers.fair.running_limit import RunningLimit
from engine.schedulers.fair.schedulable import FairQueue
from engine.schedulers.fair34.assignment import am_share_exhausted, group_fits_node_34, may_hold
from engine.schedulers.fair34.node_promises import TakenSpaces
from engine.schedulers.fair34.schedulable import FairAttempt34
from engine.schedulers.fair34.settings import FairSettings34


def obstacle_in_queue_34(attempt: FairAttempt34, limit: RunningLimit) -> Obstacle | None:
    """What stands in the way whatever the node.

    Differs: an offer that makes good what was taken back for the application does not ask whether its demand was
    counted; this does.
    """
    if not attempt.pending:
        return Obstacle(Reason.NOTHING_ASKED)
    leaf = attempt.queue
    if not attempt.runnable:
        return obstacle_of_running_limit(attempt, leaf, limit)
    if not attempt.wants_more:
        return Obstacle(Reason.NOT_COUNTED)
    exceeded = [_exceeded(leaf, anywhere) for anywhere in _asked(attempt)]
    if exceeded and all(queue is not None for queue in exceeded):
        queue = exceeded[0]
        assert queue is not None, "all are exceeded"
        return Obstacle(Reason.QUEUE_OVER_MAXIMUM, (queue.used_memory_mb, queue.max_memory_mb), queue.path)
    if am_share_exhausted(attempt):
        share_mb = int(leaf.fair_memory_mb * leaf.max_am_share)
        wanted = attempt.next_ask() or (0, 0)
        return Obstacle(Reason.AM_SHARE_EXHAUSTED, (leaf.am_memory_mb, share_mb, wanted[0]), leaf.path)
    return None


def _asked(attempt: FairAttempt34) -> list[ResourceRequest]:
    """What is asked anywhere, by priority."""
    groups = (attempt.groups[priority].anywhere for priority in attempt.priorities)
    return [anywhere for anywhere in groups if anywhere is not None and anywhere.count > 0]


def _exceeded(leaf: FairQueue, anywhere: ResourceRequest) -> FairQueue | None:
    """The lowest queue that one more container of this size would take over its maximum."""
    queue: FairQueue | None = leaf
    while queue is not None and queue.within_maximum(anywhere.memory_mb, anywhere.vcores):
        queue = queue.parent
    return queue


def obstacle_on_node_34(
    attempt: FairAttempt34, node: Node, settings: FairSettings34, cluster: Cluster, spaces: TakenSpaces, now_ms: int
) -> Obstacle | None:
    """What stands in the way on one node, where nothing does in the queue; None where an offer would allocate."""
    total = (cluster.total_memory_mb, cluster.total_vcores)
    if spaces.taken_for(node, attempt) and attempt.is_starved(total) and attempt.starvation() != (0, 0):
        obstacle = _obstacle(attempt, node, settings, cluster, now_ms, promised=True)
        if obstacle is None:
            return None
    held = node.reserved
    if held is not None and settings.reservation_rule != "off" and _holds(held):
        if held.attempt is not attempt:
            return Obstacle(Reason.NODE_RESERVED, (held.memory_mb, node.free_memory_mb), holder_of(held))
        return _obstacle_to_holder(attempt, held, settings, cluster, now_ms)
    if attempt.blacklist and not attempt.blacklist.isdisjoint((node.name, node.rack)):
        return Obstacle(Reason.BLACKLISTED)
    return _obstacle(attempt, node, settings, cluster, now_ms, promised=spaces.taken_for(node, attempt))


def _holds(held: Container) -> bool:
    """Whether a reservation would be kept by an offer."""
    attempt = held.attempt
    assert isinstance(attempt, FairAttempt34), "attempts of 3.x"
    group = attempt.groups.get(held.priority)
    if group is None or group.anywhere is None or not group_fits_node_34(group, held.node):
        return False
    return _exceeded(attempt.queue, group.anywhere) is None and not am_share_exhausted(attempt)


def _obstacle_to_holder(
    attempt: FairAttempt34, held: Container, settings: FairSettings34, cluster: Cluster, now_ms: int
) -> Obstacle | None:
    node = held.node
    numbers = (held.memory_mb, node.free_memory_mb, held.vcores, node.free_vcores)
    if held.memory_mb > node.free_memory_mb or held.vcores > node.free_vcores:
        return Obstacle(Reason.DOES_NOT_FIT, numbers)
    group = attempt.groups[held.priority]
    allowed = _allowed(attempt, group, settings, cluster, now_ms)
    found = match(group, node, allowed)
    if found is None:
        return Obstacle(Reason.DELAY_SCHEDULING, (group.missed_opportunities, allowed))
    request, _ = found
    if request.memory_mb > node.free_memory_mb or request.vcores > node.free_vcores:
        return Obstacle(Reason.DOES_NOT_FIT, numbers)
    return None


def _allowed(attempt: FairAttempt34, group: AskGroup, settings: FairSettings34, cluster: Cluster, now_ms: int) -> int:
    if settings.ignores_locality:
        return OFF_SWITCH
    missed = group.missed_opportunities + 1  # an offer counts itself before it asks
    return next_locality(group, missed, settings, len(cluster.nodes), now_ms, attempt.started_ms)


def _obstacle(
    attempt: FairAttempt34, node: Node, settings: FairSettings34, cluster: Cluster, now_ms: int, *, promised: bool
) -> Obstacle | None:
    """What stands in the way of the application's priorities in turn; the first that finds a place decides."""
    first: Obstacle | None = None
    for anywhere in _asked(attempt):
        group = attempt.groups[anywhere.priority]
        refused = _unfit(attempt, group, anywhere, node)
        if refused is None:
            allowed = _allowed(attempt, group, settings, cluster, now_ms)
            found = match(group, node, allowed)
            if found is not None:
                request, locality = found
                return _no_room(attempt, request, locality, node, settings, cluster, promised=promised)
            refused = Obstacle(Reason.DELAY_SCHEDULING, (group.missed_opportunities, allowed))
        first = first or refused
    return first or Obstacle(Reason.NOTHING_ASKED)


def _unfit(attempt: FairAttempt34, group: AskGroup, anywhere: ResourceRequest, node: Node) -> Obstacle | None:
    if anywhere.memory_mb > node.total_memory_mb or anywhere.vcores > node.total_vcores:
        return Obstacle(Reason.NODE_TOO_SMALL, (anywhere.memory_mb, node.total_memory_mb))
    if not group_fits_node_34(group, node):
        return Obstacle(Reason.LOCALITY_NOT_RELAXED)
    queue = _exceeded(attempt.queue, anywhere)
    if queue is None:
        return None
    numbers = (anywhere.memory_mb, node.free_memory_mb, anywhere.vcores, node.free_vcores)
    return Obstacle(Reason.QUEUE_WOULD_EXCEED_MAXIMUM, numbers, queue.path)


def _no_room(
    attempt: FairAttempt34,
    request: ResourceRequest,
    locality: int,
    node: Node,
    settings: FairSettings34,
    cluster: Cluster,
    *,
    promised: bool,
) -> Obstacle | None:
    if request.memory_mb <= node.free_memory_mb and request.vcores <= node.free_vcores:
        return None
    numbers = (request.memory_mb, node.free_memory_mb, request.vcores, node.free_vcores)
    total = (cluster.total_memory_mb, cluster.total_vcores)
    if not promised and may_hold(attempt, request, total, settings.reservation_threshold[:2]):
        allowed = reservation_allowed(attempt, node, locality, settings, cluster.nodes.values())
        return Obstacle(Reason.DOES_NOT_FIT if allowed else Reason.RESERVATION_LIMIT, numbers)
    return Obstacle(Reason.DOES_NOT_FIT, numbers)
