"""What follows an act, as a document of plain values.

- `happenings` [{`at`, `words`, `is_target`}]; `refused`: why the act is not taken, or empty
- `bucket_s`, `allocated` [containers in each bucket after the act], `before` [the same before it]
- `begun`, the soonest first: [{`application`, `at`, `ran`}]: who is given something of those that waited
- `killed`, `dropped`: containers and reservations gone at once; `preempted` containers, later
- `stays` [{`application`, `node`, `until`}]: reservations that the act does not end, until null where nothing ends them
- `memory` {`before`, `most`}, each {`at`, `used_mb`, `total_mb`, `percent`}; null where nothing was played
- `nodes` {`now`, `then`}, each [{`node`, `total_mb`, `free_mb`, `is_reserved`, `blocks` [[queue, application, MB]]}]
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from engine.control_plane.cluster_view import ClusterView
from engine.explain.aftermath import BUCKET_MS, Aftermath, MemoryUse
from engine.explain.node_use import NodeUse

BEFORE: Final = 30
"""How many buckets before the act the document holds."""

Clock = Callable[[int | None], str | None]


def aftermath_document(after: Aftermath, allocated: Sequence[int], view: ClusterView, clock: Clock) -> dict[str, Any]:
    """What is known of what follows.

    Args:
        after: What was found.
        allocated: When containers were allocated before the act [epoch ms].
        view: Knows the ids.
        clock: Writes an instant; None stays None.
    """
    return {
        "happenings": [
            {"at": clock(each.time_ms), "words": each.words, "is_target": each.is_target} for each in after.happenings
        ],
        "refused": after.refused,
        "bucket_s": BUCKET_MS // 1000,
        "allocated": list(after.allocated),
        "before": _before(after, allocated),
        "begun": [
            {"application": view.application_id(each.application), "at": clock(each.time_ms), "ran": each.ran}
            for each in after.begun
        ],
        "killed": after.killed,
        "dropped": after.dropped,
        "preempted": after.preempted,
        "stays": [
            {"application": view.application_id(each.application), "node": each.node, "until": clock(each.until_ms)}
            for each in after.stays
        ],
        "memory": {"before": _memory(after.before, clock), "most": _memory(after.most, clock)},
        "nodes": {
            name: [_node(each) for each in some] for name, some in zip(("now", "then"), after.nodes, strict=True)
        },
    }


def _before(after: Aftermath, allocated: Sequence[int]) -> list[int]:
    """Containers allocated in each bucket before the act, the earliest first."""
    counts = [0] * BEFORE
    if after.before is None:
        return counts
    for time_ms in allocated:
        ago = (after.before.time_ms - 1 - time_ms) // BUCKET_MS
        if 0 <= ago < BEFORE:
            counts[BEFORE - 1 - ago] += 1
    return counts


def _memory(use: MemoryUse | None, clock: Clock) -> dict[str, Any] | None:
    if use is None:
        return None
    return {"at": clock(use.time_ms), "used_mb": use.used_mb, "total_mb": use.total_mb, "percent": use.percent}


def _node(each: NodeUse) -> dict[str, Any]:
    return {
        "node": each.node,
        "total_mb": each.total_mb,
        "free_mb": each.free_mb,
        "is_reserved": each.is_reserved,
        "blocks": [[block.queue, block.application, block.memory_mb] for block in each.blocks],
    }
