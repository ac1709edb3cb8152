"""The order in which usable workers are offered to an application.

Source: Master#startExecutorsOnWorkers and Deploy.WorkerSelectionPolicy, Spark 4.x.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from engine.model.spark.worker import Worker
from engine.settings.spark import SELECTION_POLICIES, TIES_BY_WORKER_ID

_FREE_CORES = attrgetter("cores_free")
_FREE_MEMORY = attrgetter("memory_free_mb")
_ID = attrgetter("id")
_SEQUENCE = attrgetter("sequence")

_ORDERS: tuple[tuple[Callable[[Worker], Any], bool], ...] = (
    (_FREE_CORES, True),
    (_FREE_CORES, False),
    (_FREE_MEMORY, True),
    (_FREE_MEMORY, False),
    (_ID, False),
)
"""(key, whether descending) of each selection policy."""

_POLICIES: Mapping[str, tuple[Callable[[Worker], Any], bool]] = MappingProxyType(
    dict(zip(SELECTION_POLICIES, _ORDERS, strict=True))
)


def in_order(workers: Iterable[Worker], policy: str, ties: str = TIES_BY_WORKER_ID) -> list[Worker]:
    """Usable workers in the order they are offered, however they are given."""
    key, descending = _POLICIES[policy]
    # Two stable sorts: a key of (amount, id) would build a tuple for every worker.
    ordered = sorted(workers, key=_ID if ties == TIES_BY_WORKER_ID else _SEQUENCE)
    ordered.sort(key=key)
    if descending:
        ordered.reverse()
    return ordered
