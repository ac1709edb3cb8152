"""The queues of a cluster as configuration, as far as their rows say how they are configured."""

from collections.abc import Iterator, Sequence

from engine.observe.snapshot import Amounts, CapacityQueueRow, QueueRow, Unknown
from engine.scenario import QueueSpec
from engine.settings.capacity_queue import CAPACITY, MAXIMUM_CAPACITY, QUEUES, STATE, STOPPED

POLICIES = {"fair": "fair", "fifo": "fifo", "drf": "drf", "dominantresourcefairness": "drf"}
"""What a server calls a policy of FairScheduler, in small letters → what the allocation file calls it."""


def fair_queues(rows: Sequence[QueueRow]) -> Iterator[QueueSpec]:
    """Queues of FairScheduler with their limits and policies; weights are not said."""
    for row in rows:
        if row.path == "root":
            continue
        policy = row.policy.lower()
        yield QueueSpec(
            name=row.path.removeprefix("root."),
            min_resources=_words(row.min_share) if isinstance(row.min_share, tuple) and any(row.min_share) else None,
            max_resources=None
            if row.max_share is None or isinstance(row.max_share, Unknown)
            else _words(row.max_share),
            policy=POLICIES.get(policy),
        )


def _words(amounts: Amounts) -> str:
    return f"{amounts[0]} mb, {amounts[1]} vcores"


def capacity_settings(rows: Sequence[CapacityQueueRow], *, by_path: bool) -> Iterator[tuple[str, str]]:
    """(key, value) of capacity-scheduler.xml: queues, their capacities and largest capacities, in percent.

    The rows are in order, parents before their children. States are given with `by_path` alone.
    """
    by_name = {row.path: row for row in rows}
    for row in rows:
        children = [each for each in rows if each.path.rpartition(".")[0] == row.path]
        if children:
            yield QUEUES.of(row.path), ",".join(each.path.rpartition(".")[2] for each in children)
            yield from _shares(children)
        if row.state == STOPPED and by_path:
            yield STATE.of(row.path), row.state
        parent = by_name.get(row.path.rpartition(".")[0])
        if parent is not None:
            most, whole = _largest(row), _largest(parent)
            yield MAXIMUM_CAPACITY.of(row.path), f"{min(100.0, 100 * most / max(whole, 1e-9)):.3f}"


def _shares(children: Sequence[CapacityQueueRow]) -> Iterator[tuple[str, str]]:
    """What part of their parent each has; together all of it."""
    whole, left = sum(each.guaranteed[0] for each in children) or 1, 100.0
    for each in children[:-1]:
        share = round(100 * each.guaranteed[0] / whole, 3)
        left -= share
        yield CAPACITY.of(each.path), f"{share:.3f}"
    yield CAPACITY.of(children[-1].path), f"{left:.3f}"


def _largest(row: CapacityQueueRow) -> float:
    """The largest part of the cluster that a queue may use."""
    return next((each.maximum for each in row.partitions if not each.label), 0.0) or (
        1.0 if not isinstance(row.max_share, tuple) else float(row.max_share[0])
    )
