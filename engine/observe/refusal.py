"""Why an application waits, in one sentence with the numbers: obstacles in its queues, else those on all nodes.

The words are ours, the reasons the schedulers'. What the cluster knows is certain; a sentence that sums up nodes names
how many stand in the way for which reason and the one that comes nearest.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from engine.incremental import Incremental, finish
from engine.model.application import Attempt
from engine.model.node import Node
from engine.observe.snapshot import Refusal
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.interface import YarnScheduler

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


LOOKS: Final = 500
"""Nodes looked at in one piece of work."""


def refusal(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> Refusal | None:
    """Why the attempt waits now; None when it asks for nothing."""
    return finish(refusing(scheduler, attempt, now_ms))


def refusing(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> Incremental[Refusal | None]:
    """As `refusal`, made in pieces; when the cluster goes on meanwhile, it sums up nodes at different instants."""
    obstacle = scheduler.obstacle(attempt)
    if obstacle is not None:
        if obstacle.reason is Reason.NOTHING_ASKED:
            return None
        return Refusal(obstacle.reason.name, _IN_QUEUE[obstacle.reason](obstacle))
    nodes = list(scheduler.cluster.nodes.values())
    if not nodes:
        return Refusal(Reason.DOES_NOT_FIT.name, "there is no node")
    tally = _Tally()
    for begin in range(0, len(nodes), LOOKS):
        if begin:
            yield
            if not attempt.pending:
                return None
        for node in nodes[begin : begin + LOOKS]:
            tally.add(node, scheduler.obstacle_on(attempt, node, now_ms))
    return tally.sum_up()


class _Tally:
    """What stands in the way on the nodes looked at; it keeps nothing of each, as collecting that would take longer."""

    def __init__(self) -> None:
        self._free = 0
        self._counts: Counter[Reason] = Counter()
        self._holders: Counter[str] = Counter()
        """Who has reserved nodes."""
        self._nearest: tuple[Node, int, int] | None = None
        """The node that comes nearest, its free memory and what is wanted [MB]."""

    def add(self, node: Node, obstacle: Obstacle | None) -> None:
        """Count one node."""
        if obstacle is None:
            self._free += 1
            return
        reason = obstacle.reason
        self._counts[reason] += 1
        if reason is Reason.NODE_RESERVED:
            self._holders[obstacle.subject] += 1
        elif reason in (Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT) and obstacle.numbers:
            wanted_mb, free_mb = obstacle.numbers[:2]
            if self._nearest is None or free_mb > self._nearest[1]:
                self._nearest = (node, free_mb, wanted_mb)

    def sum_up(self) -> Refusal:
        """The sentence."""
        total = self._free + self._counts.total()
        if self._free:
            return Refusal(Reason.OTHER_FIRST.name, f"{self._free} of {total} nodes have room: waits for its turn")
        parts = [
            f"{count} of {total} nodes {_ON_NODES[reason].format(subjects=_subjects(self._holders))}"
            for reason, count in self._counts.most_common()
        ]
        if self._nearest is not None:
            node, free_mb, wanted_mb = self._nearest
            parts.append(f"best {node.host}: {free_mb} MB free of {wanted_mb} wanted")
        return Refusal(self._counts.most_common(1)[0][0].name, "; ".join(parts))


def _subjects(holders: Counter[str]) -> str:
    names = [name.rpartition("_")[2] for name, _ in holders.most_common(2)]
    more = len(holders) - len(names)
    return " and ".join(names) + (f" and {more} more" if more > 0 else "")
