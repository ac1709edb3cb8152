"""`/scheduler` of FifoScheduler.

Source: FifoSchedulerInfo, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Final

from engine.model.ledger import Node
from engine.serve.errors import null_pointer
from engine.serve.fields import TYPE, Document, Field, Table, constant, single, written
from engine.serve.served import ServedCluster


def _sum(read: Callable[[Node], int]) -> Callable[[ServedCluster], int]:
    return lambda served: sum(read(node) for node in served.cluster.nodes.values())


FIFO: Final[Table[ServedCluster]] = (
    Field(TYPE, constant("fifoScheduler")),
    Field("capacity", constant(1.0)),
    Field("usedCapacity", lambda served: single(served.cluster.used_memory_mb / (served.cluster.total_memory_mb or 1))),
    Field("qstate", constant("RUNNING")),
    Field("minQueueMemoryCapacity", lambda served: served.sizes[0].memory_mb),
    Field("maxQueueMemoryCapacity", lambda served: served.sizes[1].memory_mb),
    Field("numNodes", lambda served: len(served.cluster.nodes)),
    Field("usedNodeCapacity", _sum(attrgetter("used_memory_mb"))),
    Field("availNodeCapacity", _sum(attrgetter("free_memory_mb"))),
    Field("totalNodeCapacity", _sum(attrgetter("total_memory_mb"))),
    Field("numContainers", _sum(lambda node: len(node.containers))),
)


def fifo_scheduler(served: ServedCluster) -> Document:
    """Write `schedulerInfo`.

    Raises:
        RestError: A node is unhealthy: the real page asks the scheduler about it, which does not know it any more.
    """
    if any(node.state == "UNHEALTHY" for node in served.cluster.down.values()):
        raise null_pointer()
    return written(FIFO, served, served.release)
