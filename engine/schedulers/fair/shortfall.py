"""What a queue of the FairScheduler is due, since when it is below, and why nothing is preempted for it.

Source: FairScheduler#resToPreempt, #shouldAttemptPreemption, FSLeafQueue#isStarvedForFairShare, Hadoop 2.7.2;
FSAppAttempt#fairShareStarvation, FSLeafQueue#minShareStarvation, 3.4.1.
"""

from typing import Any, Final, NamedTuple

from engine.schedulers.fair.schedulable import NEVER_MS, FairAttempt, FairLeaf
from engine.schedulers.fair.settings import FairSettings
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.interface import Setting, Shortfall
from engine.settings.fair import (
    FAIR_SHARE_THRESHOLD,
    FAIR_SHARE_TIMEOUT,
    MIN_SHARE_TIMEOUT,
    PREEMPTION,
    UTILIZATION_THRESHOLD,
    WEIGHT,
)
from engine.settings.table import Key
from engine.units import format_duration

_SAID: Final = 2  # Reasons that a sentence has at most; the settings are those of all


class _Due(NamedTuple):
    """A share that a leaf is below."""

    name: str
    memory_mb: int
    below_ms: int  # For how long
    timeout: Key[int]
    timeout_ms: int
    is_starved: bool  # False where it is above the threshold below which anything is preempted


def fair_shortfall(
    tree: QueueTree[Any],  # Any: of either release's allocation
    settings: FairSettings,
    attempt: FairAttempt,
    now_ms: int,
) -> Shortfall | None:
    """What the leaf of an attempt is below; None where it has its shares, or nobody else has more than a fair one."""
    leaf = attempt.queue
    if not leaf.weight > 0:
        setting = Setting(f"{leaf.path}.{WEIGHT}", f"{leaf.weight:g}")
        return Shortfall(f"queue {leaf.path} has no fair share: its weight is {leaf.weight:g}", (setting,))
    due = _due(leaf, attempt, now_ms)
    if due is None or not any(one.used_memory_mb > one.fair_memory_mb for one in tree.leaves if one is not leaf):
        return None
    head = f"queue {leaf.path} uses {leaf.used_memory_mb} MB, below its {due.name} of {due.memory_mb} MB"
    head += f" for {format_duration(due.below_ms)}" if due.below_ms > 0 and due.is_starved else ""
    words, keys = [], []
    if not settings.preemption:
        words.append("preemption is off")
        keys.append(Setting(PREEMPTION.name, "false"))
    if due.timeout_ms >= NEVER_MS:
        words.append("no timeout starts preemption for it")
        keys.append(Setting(f"{leaf.path}.{due.timeout}", "not set"))
    if not due.is_starved:
        words.append(f"containers are preempted for it below {100 * _threshold(leaf):g} % of that only")
        keys.append(Setting(f"{leaf.path}.{FAIR_SHARE_THRESHOLD}", f"{_threshold(leaf):g}"))
    if not _is_busy(tree, settings):
        words.append(f"nothing is preempted while {100 * settings.utilization_threshold:g} % or less is used")
        keys.append(Setting(UTILIZATION_THRESHOLD.name, f"{settings.utilization_threshold:g}"))
    if not keys and due.below_ms < due.timeout_ms:
        words.append(f"containers are preempted for it after {format_duration(due.timeout_ms)}")
        keys.append(Setting(f"{leaf.path}.{due.timeout}", f"{due.timeout_ms // 1000}"))
    return Shortfall(f"{head}: {' and '.join(words[:_SAID])}" if words else head, tuple(keys))


def _threshold(leaf: FairLeaf) -> float:
    """The threshold in force; a leaf that no update pass has seen yet has the default."""
    return leaf.threshold if leaf.threshold > 0 else 0.5


def _due(leaf: FairLeaf, attempt: FairAttempt, now_ms: int) -> _Due | None:
    least, fair = min(leaf.min_memory_mb, leaf.demand_memory_mb), min(leaf.fair_memory_mb, leaf.demand_memory_mb)
    if leaf.used_memory_mb < least:
        below_ms = now_ms - leaf.last_min_share_ms
        return _Due("minimum share", leaf.min_memory_mb, below_ms, MIN_SHARE_TIMEOUT, leaf.min_share_timeout_ms, True)
    if leaf.used_memory_mb >= fair:
        return None
    since_ms = max(leaf.last_fair_share_ms, attempt.last_fair_share_ms)
    timeout_ms, is_starved = (
        leaf.fair_share_timeout_ms,
        leaf.used_memory_mb < int(leaf.fair_memory_mb * _threshold(leaf)),
    )
    return _Due("fair share", leaf.fair_memory_mb, now_ms - since_ms, FAIR_SHARE_TIMEOUT, timeout_ms, is_starved)


def _is_busy(tree: QueueTree[Any], settings: FairSettings) -> bool:
    cluster = tree.cluster
    total = ((cluster.used_memory_mb, cluster.total_memory_mb), (cluster.used_vcores, cluster.total_vcores))
    return settings.utilization_threshold < max((used / most for used, most in total if most), default=0.0)
