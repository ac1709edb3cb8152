"""The JSON page of Spark's standalone Master, and those of its workers, as values.

Source: org.apache.spark.deploy.JsonProtocol, Spark 3.5.7 and 4.0.1.
"""

from typing import Annotated

import msgspec

from engine.live.json_answers import AnswerError, Instant, Whole, read

ALIVE = "ALIVE"

Numbered = Annotated[str, msgspec.Meta(pattern="-[0-9]{1,18}$")]
"""An id that ends in a number."""


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One worker; a DEAD one keeps what it used last."""

    id: str
    host: str
    port: Whole
    webuiaddress: str = ""
    cores: Whole
    coresused: Whole
    memory: Whole
    memoryused: Whole
    state: str
    lastheartbeat: Instant = 0


class SparkApplicationInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One application; `cores` is what it was granted, not its maximum."""

    id: Numbered
    name: str
    user: str
    state: str
    starttime: Instant
    duration: Instant
    cores: Whole
    memoryperexecutor: Whole


class DriverInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A driver that the Master started, or is to start."""

    id: Numbered
    state: str
    starttime: Annotated[str, msgspec.Meta(pattern="^[0-9]{1,13}$")] | Instant = 0
    cores: Whole
    memory: Whole


class MasterInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`/json/`."""

    url: str
    status: str
    workers: tuple[WorkerInfo, ...]
    activeapps: tuple[SparkApplicationInfo, ...]
    completedapps: tuple[SparkApplicationInfo, ...]
    activedrivers: tuple[DriverInfo, ...] = ()

    @property
    def alive(self) -> list[WorkerInfo]:
        """Workers that take part."""
        return [worker for worker in self.workers if worker.state == ALIVE]


class _Executor(msgspec.Struct, frozen=True):
    appid: str


class _Worker(msgspec.Struct, frozen=True):
    executors: tuple[_Executor, ...]


def read_master(body: bytes) -> MasterInfo:
    """The Master's page.

    Raises:
        AnswerError: It is something else.
    """
    found = read(body, MasterInfo)
    if not found.url.startswith("spark://"):
        raise AnswerError("as something else than a Spark Master")
    return found


def read_executors(body: bytes) -> tuple[str, ...]:
    """A worker's page: the application of each of its executors; commands, which may hold secrets, are not read.

    Raises:
        AnswerError: It is something else.
    """
    return tuple(each.appid for each in read(body, _Worker).executors)
