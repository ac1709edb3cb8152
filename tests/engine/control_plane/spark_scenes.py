"""Masters and events in few words, for tests of the Spark Master."""

from engine.control_plane.protocol import (
    Answer,
    Event,
    SparkApplicationRegistered,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.model.decision import Allocated


def master_with(*workers: tuple[str, int, int], **settings: str) -> SparkMaster:
    """A Master with workers (id, cores, MB) at `id:1`; drivers are not spread out unless told."""
    master = SparkMaster({"spark.deploy.spreadOutDrivers": "false"} | settings)
    for id, cores, memory_mb in workers:
        master.handle(WorkerRegistered(f"{id}:1", id, cores, memory_mb), 0)
    return master


def application(cores: int | None = None, each: int | None = None, memory_mb: int = 512) -> Event:
    return SparkApplicationRegistered(memory_mb, max_cores=cores, executor_cores=each)


def launches(answer: Answer) -> list[tuple[tuple[int, int, int], str, int]]:
    return [(each.container, each.node, each.vcores) for each in answer.decisions if isinstance(each, Allocated)]
