"""Finds the obstacles of an application in its queues and on every node, without changing anything."""

from typing import Final, NamedTuple

from engine.incremental import Incremental
from engine.model.identity import application_name
from engine.model.ledger import Attempt, Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.recovery import obstacle_before_nodes
from engine.schedulers.yarn_scheduler import YarnScheduler

ROOM: Reason = Reason.OTHER_FIRST
"""Obstacle of a node that has room: it waits for the next heartbeat, or another comes first."""


class AttemptObstacles(NamedTuple):
    """The obstacles of one application attempt."""

    in_queue: Obstacle | None
    """Obstacle in its queues, which holds on every node."""
    on_nodes: tuple[tuple[Node, Obstacle], ...]
    """Every node, in order of joining, with what stands in the way there; `OTHER_FIRST` where nothing does."""
    on_others: Obstacle | None = None
    """Why there are not more nodes; None when those are all."""


FREE: Final = Obstacle(ROOM)

Sizes = tuple[int, int, int, int, str]
"""Properties of a node that a probe sees: total and free memory and vcores, partition."""


LOOKS: Final = 1_000
"""Nodes looked at in one piece of work."""


def obstacles_found(
    scheduler: YarnScheduler, attempt: Attempt, now_ms: int, priority: int | None = None
) -> Incremental[AttemptObstacles]:
    """Ask about every node, in pieces; the cluster must stand still until it is done.

    An attempt that asks for nothing has nothing in its way on nodes.

    With a priority only of what is asked for there; a node that the attempt itself has reserved for another priority is
    reserved for it.
    """
    work = _obstacles_found(scheduler, attempt, now_ms)
    if priority is None:
        return (yield from work)
    found = yield from _asking_only_at(attempt, priority, work)
    name = application_name(scheduler.cluster.cluster_timestamp, attempt.application.number)
    on_nodes = ((node, _reserved_for_another(attempt, priority, node, name) or each) for node, each in found.on_nodes)
    return AttemptObstacles(found.in_queue, tuple(on_nodes))


def _reserved_for_another(attempt: Attempt, priority: int, node: Node, name: str) -> Obstacle | None:
    """The attempt's own reservation for another priority, as only that one is tried there."""
    held = node.reserved
    if held is None or held.attempt is not attempt or held.priority == priority:
        return None
    return Obstacle(Reason.NODE_RESERVED, (held.memory_mb, node.free_memory_mb), name)


def _asking_only_at(
    attempt: Attempt, priority: int, work: Incremental[AttemptObstacles]
) -> Incremental[AttemptObstacles]:
    """Do the work with the attempt asking at one priority only; between two pieces it asks at all of them again."""
    priorities = attempt.priorities
    while True:
        attempt.priorities = [priority] if priority in attempt.groups else []
        try:
            next(work)
        except StopIteration as done:
            found: AttemptObstacles = done.value
            return found
        finally:
            attempt.priorities = priorities
        yield


def _obstacles_found(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> Incremental[AttemptObstacles]:
    in_queue = obstacle_before_nodes(scheduler, attempt)
    if not attempt.pending:
        return AttemptObstacles(in_queue, ())
    is_placeless = not attempt.blacklist and all(len(group.by_name) <= 1 for group in attempt.groups.values())
    by_size = scheduler.policy.probes_by_size and is_placeless
    known: dict[Sizes, Obstacle] = {}
    found: list[tuple[Node, Obstacle]] = []
    for number, node in enumerate(scheduler.cluster.nodes.values()):
        if number and number % LOOKS == 0:
            yield
        if not by_size or node.reserved is not None:
            found.append((node, scheduler.policy.obstacle_on(attempt, node, now_ms) or FREE))
            continue
        sizes = (node.total_memory_mb, node.total_vcores, node.free_memory_mb, node.free_vcores, node.partition)
        obstacle = known.get(sizes)
        if obstacle is None:
            obstacle = known[sizes] = scheduler.policy.obstacle_on(attempt, node, now_ms) or FREE
        found.append((node, obstacle))
    return AttemptObstacles(in_queue, tuple(found))
