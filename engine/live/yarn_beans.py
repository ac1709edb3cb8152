"""Reads a ResourceManager's `/jmx` page, which alone says what is reserved in each queue of 2.7.

Source: QueueMetrics, FSQueueMetrics, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.live.json_answers import Large, read
from engine.observe.snapshot import Amounts

QUEUE_BEANS: Final = "/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,*"

_PREFIX: Final = "Hadoop:service=ResourceManager,name=QueueMetrics,"


class _Bean(msgspec.Struct, frozen=True):
    name: str
    reserved_mb: Large = msgspec.field(name="ReservedMB", default=0)
    reserved_vcores: Large = msgspec.field(name="ReservedVCores", default=0)


class _Beans(msgspec.Struct, frozen=True):
    beans: tuple[_Bean, ...]


def read_queue_reservations(body: bytes) -> Mapping[str, Amounts]:
    """Path of a queue → memory [MB] and vcores reserved in it and below.

    Raises:
        AnswerError: It is something else.
    """
    found = {}
    for bean in read(body, _Beans).beans:
        parts = bean.name.removeprefix(_PREFIX).split(",")
        if bean.name.startswith(_PREFIX) and all(part.startswith("q") for part in parts):  # others are of users
            path = ".".join(part.partition("=")[2] for part in parts)
            found[path] = bean.reserved_mb, bean.reserved_vcores
    return found
