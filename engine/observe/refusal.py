"""Why an application waits, in one sentence with the numbers: obstacles in its queues, else those on all nodes.

The words are ours, the reasons the schedulers'. What the cluster knows is certain; a sentence that sums up nodes names
how many stand in the way for which reason and the one that comes nearest.
"""

from collections import Counter
from collections.abc import Callable

from engine.model.application import Attempt
from engine.model.node import Node
from engine.observe.snapshot import Refusal
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.yarn_scheduler import YarnScheduler

_IN_QUEUE: dict[Reason, Callable[[Obstacle], str]] = {
    Reason.NOT_COUNTED: lambda o: "the next update pass has to count what it asks for",
    Reason.QUEUE_OVER_MAXIMUM: lambda o: f"queue {o.subject} uses {o.numbers[0]} MB of its maximum {o.numbers[1]} MB",
    Reason.QUEUE_NOT_RUNNING_IT: lambda o: f"{o.subject} already runs {o.numbers[0]} of {o.numbers[1]} applications",
    Reason.AM_SHARE_EXHAUSTED: lambda o: (
        f"application masters use {o.numbers[0]} of {o.numbers[1]} MB in {o.subject}, this one needs {o.numbers[2]} MB"
    ),
}

_ON_NODES: dict[Reason, str] = {
    Reason.NODE_RESERVED: "reserved by {subjects}",
    Reason.DOES_NOT_FIT: "too full",
    Reason.NODE_TOO_SMALL: "too small",
    Reason.RESERVATION_LIMIT: "too full, and no more may be reserved",
    Reason.QUEUE_WOULD_EXCEED_MAXIMUM: "too full, and the queue's maximum forbids to reserve",
    Reason.DELAY_SCHEDULING: "not near enough yet",
    Reason.LOCALITY_NOT_RELAXED: "not where it insists to run",
    Reason.BLACKLISTED: "blacklisted by it",
}


def refusal(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> Refusal | None:
    """Why the attempt waits now; None when it asks for nothing."""
    obstacle = scheduler.obstacle(attempt)
    if obstacle is not None:
        if obstacle.reason is Reason.NOTHING_ASKED:
            return None
        return Refusal(obstacle.reason.name, _IN_QUEUE[obstacle.reason](obstacle))
    nodes = scheduler.cluster.nodes.values()
    if not nodes:
        return Refusal(Reason.DOES_NOT_FIT.name, "there is no node")
    found = [(node, scheduler.obstacle_on(attempt, node, now_ms)) for node in nodes]
    free = sum(obstacle is None for _, obstacle in found)
    if free:
        return Refusal(Reason.OTHER_FIRST.name, f"{free} of {len(found)} nodes have room: waits for its turn")
    return _on_nodes([(node, obstacle) for node, obstacle in found if obstacle is not None])


def _on_nodes(found: list[tuple[Node, Obstacle]]) -> Refusal:
    counts = Counter(obstacle.reason for _, obstacle in found)
    parts = [
        f"{count} of {len(found)} nodes {_ON_NODES[reason].format(subjects=_subjects(found))}"
        for reason, count in counts.most_common()
    ]
    nearest = [
        (node, obstacle)
        for node, obstacle in found
        if obstacle.reason in (Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT) and obstacle.numbers
    ]
    if nearest:
        node, obstacle = max(nearest, key=lambda pair: pair[1].numbers[1])
        parts.append(f"best {node.host}: {obstacle.numbers[1]} MB free of {obstacle.numbers[0]} wanted")
    return Refusal(counts.most_common(1)[0][0].name, "; ".join(parts))


def _subjects(found: list[tuple[Node, Obstacle]]) -> str:
    holders = Counter(obstacle.subject for _, obstacle in found if obstacle.reason is Reason.NODE_RESERVED)
    names = [name.rpartition("_")[2] for name, _ in holders.most_common(2)]
    more = len(holders) - len(names)
    return " and ".join(names) + (f" and {more} more" if more > 0 else "")
