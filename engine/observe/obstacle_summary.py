"""Words why an application waits, in one sentence with numbers: obstacles in its queues, else those on all nodes.

The words are ours, the reasons the schedulers'. What the cluster knows is certain; a sentence that sums up nodes names
how many stand in the way for which reason and the one that comes nearest.
"""

from collections import Counter
from typing import Final

from engine.incremental import Incremental, finish
from engine.model.ledger import Attempt
from engine.observe.snapshot import ObstacleSummary
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.obstacle_texts import (
    OBSTACLE_TEXTS,
    amount_of,
    binding_units,
    numbers_of,
    part_of,
    sentence_of,
    short_id,
    shortage_of,
)
from engine.schedulers.recovery import obstacle_before_nodes
from engine.schedulers.yarn_scheduler import YarnScheduler

LOOKS: Final = 500
"""Nodes looked at in one piece of work."""


def obstacle_summary(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> ObstacleSummary | None:
    """Summarise the obstacles of an attempt now; None when it asks for nothing."""
    return finish(summarising(scheduler, attempt, now_ms))


def summarising(scheduler: YarnScheduler, attempt: Attempt, now_ms: int) -> Incremental[ObstacleSummary | None]:
    """Make an `obstacle_summary` in pieces; when the cluster goes on meanwhile, nodes are of different instants."""
    obstacle = obstacle_before_nodes(scheduler, attempt)
    if obstacle is not None:
        if obstacle.reason is Reason.NOTHING_ASKED:
            return None
        return ObstacleSummary(obstacle.reason.name, sentence_of(obstacle))
    nodes = list(scheduler.cluster.nodes.values())
    if not nodes:
        return ObstacleSummary(Reason.NO_NODE.name, "there is no node")
    tally = NodeTally()
    for begin in range(0, len(nodes), LOOKS):
        if begin:
            yield
            if not attempt.pending:
                return None
        for node in nodes[begin : begin + LOOKS]:
            tally.add(node.host, scheduler.policy.obstacle_on(attempt, node, now_ms))
    return tally.sum_up()


class NodeTally:
    """Counts obstacles on nodes; it keeps none of them, as that would take longer."""

    def __init__(self) -> None:
        self._free = 0
        self._counts: Counter[Reason] = Counter()
        self._holders: Counter[str] = Counter()
        """Applications that hold reservations, by how many of the nodes."""
        self._nearest: tuple[float, str, Obstacle] | None = None
        """The node with the least shortage: how much is short there, its host, its obstacle."""

    def add(self, host: str, obstacle: Obstacle | None) -> None:
        """Count one node."""
        if obstacle is None:
            self._free += 1
            return
        reason = obstacle.reason
        self._counts[reason] += 1
        if reason is Reason.NODE_RESERVED:
            self._holders[obstacle.subject] += 1
        elif reason in (Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT) and obstacle.numbers:
            short = shortage_of(obstacle)
            if self._nearest is None or short < self._nearest[0]:
                self._nearest = (short, host, obstacle)

    def sum_up(self, certainty: str = "known") -> ObstacleSummary:
        """The sentence, which is so certain."""
        total = self._free + self._counts.total()
        if self._free:
            room = f"{part_of(self._free, total)} {'has' if total == 1 else 'have'} room"
            return ObstacleSummary(Reason.OTHER_FIRST.name, f"{room}: waits for its turn", certainty)
        names = [short_id(name) for name, _ in self._holders.most_common(2)]
        more = len(self._holders) - len(names)
        subjects = " and ".join(names) + (f" and {more} more" if more > 0 else "")
        parts = [
            f"{part_of(count, total)} {OBSTACLE_TEXTS[reason].on_nodes.format(subjects=subjects)}"
            for reason, count in self._counts.most_common()
        ]
        if self._nearest is not None:
            _, host, obstacle = self._nearest
            numbers, units = numbers_of(obstacle), binding_units(obstacle)
            free, wanted = (amount_of(numbers, stem, units) for stem in ("free", "wanted"))
            parts.append(f"best {host}: {free} free of {wanted} wanted")
        return ObstacleSummary(self._counts.most_common(1)[0][0].name, "; ".join(parts), certainty)
