"""What the frozen cluster was before, made up: it filled, twelve nodes were reserved, and nothing moved any more."""

from engine.observe.history import YARN, History, Reading, Steps
from tui.protocol.picture import Graphs

MINUTE_MS = 60_000


def reading(**changes: int) -> Reading:
    frozen = {
        "total_memory_mb": 1228800,
        "total_vcores": 384,
        "used_memory_mb": 737280,
        "used_vcores": 180,
        "pending_containers": 27,
        "reserved_memory_mb": 751616,
        "reservations": 12,
        "preempted_containers": 3,
        "allocated_containers": 240,
        "containers": 180,
        "applications_running": 12,
        "applications_pending": 3,
        "waiting_first": 3,
        "waiting": 3,
        "nodes": 12,
    }
    return tuple({**frozen, **changes}[name] for name in YARN)


def frozen_graphs(now_ms: int) -> Graphs:
    """Half an hour that ends now [epoch ms]."""
    history, start_ms = History(), now_ms - 30 * MINUTE_MS
    for minute in range(31):
        reserved = min(12, max(0, minute - 20) * 2)
        history.cluster.note(
            start_ms + minute * MINUTE_MS,
            reading(
                used_memory_mb=min(737280, minute * 40960),
                used_vcores=min(180, minute * 10),
                pending_containers=max(0, minute - 3),
                reserved_memory_mb=reserved * 751616 // 12,
                reservations=reserved,
                preempted_containers=0 if minute < 22 else 2 if minute < 23 else 3,
                allocated_containers=min(240, minute * 12),
                containers=min(180, minute * 10),
                applications_running=min(12, minute),
                applications_pending=max(0, min(3, minute - 20)),
                waiting_first=max(0, min(3, minute - 20)),
                waiting=max(0, min(3, minute - 20)),
            ),
        )
    for path, most_mb in (("root.etl", 491520), ("root.adhoc", 245760)):
        history.queues[path] = Steps()
        for minute in range(19):
            history.queues[path].note(start_ms + minute * MINUTE_MS, most_mb * minute // 18)
    return Graphs(history, reading(), start_ms)
