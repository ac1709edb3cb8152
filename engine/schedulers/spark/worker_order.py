"""The order in which usable workers are offered to an application.

Source: Master#startExecutorsOnWorkers and Deploy.WorkerSelectionPolicy, Spark 4.x.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from engine.model.spark.worker import Worker

TIES_BY_WORKER_ID = "worker-id"
"""Spark 4.x: among equals the ids decide, descending where the policy descends."""

TIES_BY_REGISTRATION = "registration"
"""Spark 3.x: among equals the last registered first.

Differs: 3.x takes the order of an identity-hash set, arbitrary in each run; with all hashes equal it is this one.
"""

TIES = (TIES_BY_WORKER_ID, TIES_BY_REGISTRATION)

_FREE_CORES = attrgetter("cores_free")
_FREE_MEMORY = attrgetter("memory_free_mb")
_ID = attrgetter("id")
_SEQUENCE = attrgetter("sequence")

_POLICIES: Mapping[str, tuple[Callable[[Worker], Any], bool]] = MappingProxyType(
    {
        "CORES_FREE_DESC": (_FREE_CORES, True),
        "CORES_FREE_ASC": (_FREE_CORES, False),
        "MEMORY_FREE_DESC": (_FREE_MEMORY, True),
        "MEMORY_FREE_ASC": (_FREE_MEMORY, False),
        "WORKER_ID": (_ID, False),
    }
)

POLICIES = tuple(_POLICIES)
"""Values of `spark.deploy.workerSelectionPolicy`; the first is the default."""


def in_order(workers: Iterable[Worker], policy: str, ties: str = TIES_BY_WORKER_ID) -> list[Worker]:
    """Usable workers in the order they are offered, however they are given."""
    key, descending = _POLICIES[policy]
    # Two stable sorts: a key of (amount, id) would build a tuple for every worker.
    ordered = sorted(workers, key=_ID if ties == TIES_BY_WORKER_ID else _SEQUENCE)
    ordered.sort(key=key)
    if descending:
        ordered.reverse()
    return ordered
