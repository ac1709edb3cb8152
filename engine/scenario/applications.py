"""What users submit: applications by the way their application master behaves."""

import operator
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from engine.scenario.parts import (
    FILE_CONFIG,
    Count,
    DurationMs,
    InstantMs,
    JavaInt,
    MemoryMb,
    Part,
    Size,
    SpanMs,
    bare_numbers_as_seconds,
)


def _master(value: object) -> object:
    return None if value == "unmanaged" else value


MasterSize = Annotated[Size | None, BeforeValidator(_master)]
"""Container of an application master; None (`"unmanaged"` in a file) for one that runs outside the cluster."""


class Repeat(Part):
    """An application submitted several times."""

    times: Count = Field(ge=1)
    """How often in all, the first included."""
    every_ms: DurationMs
    """Between two submissions; numbers, where given, count up by one."""


class ApplicationBase(BaseModel):
    """What every application has."""

    model_config = FILE_CONFIG
    _in_seconds = model_validator(mode="before")(bare_numbers_as_seconds)

    name: str = ""
    user: str = Field(min_length=1)
    queue: str | None = None
    """The queue the client names; None leaves it to the placement rules."""
    at_ms: InstantMs = 0
    """When it is submitted."""
    number: JavaInt | None = Field(default=None, ge=1)
    """Its application number; None takes the next free one."""
    phase_ms: DurationMs | None = None
    """When in each heartbeat interval its master calls; None draws it from the scenario's seed."""
    am: MasterSize = Size(memory_mb=1024, vcores=1)
    """Container of the application master (Spark in cluster mode: the driver)."""
    application_type: str = ""
    """The type shown, e.g. `SPARK`; empty takes the usual one of this kind."""
    priority: JavaInt | None = Field(default=None, ge=0)
    """None leaves it to the queue."""
    tags: tuple[str, ...] = ()
    """Words the client gives it, such as `workflowid:nightly`; capacity-3.4 can map those to a priority."""
    max_attempts: JavaInt | None = Field(default=None, ge=1)
    """None leaves it to yarn.resourcemanager.am.max-attempts."""
    repeat: Repeat | None = None


class MapReduceSpec(ApplicationBase):
    """A MapReduce job: maps are asked for up front, reduces after slow-start, failed tasks again.

    Source: RMContainerAllocator, Hadoop 2.7.2 (priorities 20 map, 10 reduce, 5 failed map).
    """

    type: Literal["mapreduce"]
    maps: Count = Field(ge=0)
    reduces: Count = Field(default=0, ge=0)
    map: Size = Size(memory_mb=1024, vcores=1)
    reduce: Size = Size(memory_mb=1024, vcores=1)
    map_duration_ms: SpanMs = (30_000, 30_000)
    reduce_duration_ms: SpanMs = (30_000, 30_000)
    map_durations_ms: tuple[DurationMs, ...] = Field(default=(), exclude_if=operator.not_)
    """How long each map runs, dealt out in turn; empty: as `map_duration_ms` draws it."""
    reduce_durations_ms: tuple[DurationMs, ...] = Field(default=(), exclude_if=operator.not_)
    """How long each reduce runs, dealt out in turn; empty: as `reduce_duration_ms` draws it."""
    slow_start: float = Field(default=0.05, ge=0, le=1)
    """Share of maps completed before reduces are asked for. Source: mapreduce.job.reduce.slowstart.completedmaps."""
    blocks: tuple[tuple[str, ...], ...] = ()
    """Hosts holding each map's input, dealt out in turn; empty means `replication` decides."""
    replication: Count = Field(default=0, ge=0)
    """Without `blocks`: each map's input lies on so many hosts drawn from the seed; 0 is no preference at all."""
    failures: float = Field(default=0.0, ge=0, lt=1)
    """Share of task attempts that fail half-way and are tried again, at most four times."""


class StageSpec(Part):
    """One stage of a Spark application: equal tasks, each on one core; the next stage begins when all have ended."""

    tasks: Count = Field(ge=1)
    duration_ms: SpanMs = (10_000, 10_000)
    """How long a task runs; `"forever"` keeps its core busy to the end."""
    hosts: tuple[tuple[str, ...], ...] = ()
    """Hosts holding each task's input, dealt out in turn; empty: its input is as near everywhere."""
    away: float = Field(default=1.0, ge=1, le=1000)
    """How many times longer a task takes on a host that does not hold its input."""


class SparkSpec(ApplicationBase):
    """Spark on YARN without dynamic allocation: executors are asked for at once and kept to the end."""

    type: Literal["spark"]
    executors: Count = Field(ge=1)
    executor: Size
    duration_ms: SpanMs = None
    """How long it computes once it has begun; for ever by default."""
    stages: tuple[StageSpec, ...] = ()
    """Tasks on its executors' cores instead of a duration: it ends with the last task of the last stage."""
    waits: bool = False
    """True: it begins only with its last executor, and keeps what it has until then; False: with its first."""

    @model_validator(mode="after")
    def _works_one_way(self) -> Self:
        if self.stages and self.duration_ms is not None:
            raise ValueError("it has both a duration and stages; its work is one or the other")
        return self


class ServiceSpec(ApplicationBase):
    """A long-running service: so many instances, held for ever and asked for again when lost."""

    type: Literal["service"]
    instances: Count = Field(ge=1)
    instance: Size
    each_node: bool = False
    """True: `instances` on every node of the cluster, and nowhere else."""


class AskSpec(Part):
    """Containers a scripted application asks for."""

    at_ms: DurationMs = 0
    """When, counted from the registration of its application master."""
    priority: JavaInt = Field(default=1, ge=0)
    memory_mb: MemoryMb
    vcores: JavaInt = Field(default=1, ge=0)
    count: Count = Field(default=1, ge=1)
    hosts: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()
    relax: bool = True
    """False: only on the hosts (or, without hosts, the racks) named."""
    each_node: bool = False
    """True: `count` on every node of the cluster, strictly there."""
    duration_ms: SpanMs = None
    """How long each container runs; for ever by default."""


class ScriptedSpec(ApplicationBase):
    """An application that asks for exactly what is written, and ends when everything it asked for has ended."""

    type: Literal["scripted"]
    asks: tuple[AskSpec, ...] = ()
    waits: bool = False
    """True: containers begin to run out only when all asks are met; until then it keeps every one."""


class DynamicAllocation(Part):
    """Executors asked for as tasks wait and given back when idle. Source: spark.dynamicAllocation.*, Spark 4.x."""

    initial: JavaInt = Field(default=0, ge=0)
    least: JavaInt = Field(default=0, ge=0)
    """Source: spark.dynamicAllocation.minExecutors."""
    most: JavaInt | None = Field(default=None, ge=1)
    """None is no limit. Source: spark.dynamicAllocation.maxExecutors."""
    backlog_ms: DurationMs = 1_000
    """How long tasks wait before more is asked for. Source: spark.dynamicAllocation.schedulerBacklogTimeout."""
    idle_ms: DurationMs = 60_000
    """How long an executor is idle before it is given back. Source: spark.dynamicAllocation.executorIdleTimeout."""


class StandaloneSpec(ApplicationBase):
    """A Spark application on the standalone Master (scheduler `spark`); `queue`, `am` and `priority` have no meaning.

    Without stages it does nothing and keeps what it is given to the end, as an idle shell does.
    """

    type: Literal["spark-standalone"]
    cores_max: JavaInt | None = Field(default=None, ge=1)
    """`spark.cores.max`; None takes the Master's `spark.deploy.defaultCores`."""
    executor_cores: JavaInt | None = Field(default=None, ge=1)
    """`spark.executor.cores`; None: one executor for each worker, with all the cores it is given there."""
    executor_memory_mb: MemoryMb = 1024
    """`spark.executor.memory`."""
    executor_limit: JavaInt | None = Field(default=None, ge=0)
    """Executors wanted at most; None is no limit."""
    driver: Size | None = None
    """Cluster mode: what the driver takes on the worker the Master chooses; None: it runs outside the cluster."""
    supervise: bool = False
    """Cluster mode: the Master starts the driver anew when its worker is lost."""
    stages: tuple[StageSpec, ...] = ()
    exits_after_ms: SpanMs = None
    """How long an executor's process lives before it exits with an error; 0: it does not even start."""
    dynamic: DynamicAllocation | None = None


ApplicationSpec = Annotated[
    MapReduceSpec | SparkSpec | ServiceSpec | ScriptedSpec | StandaloneSpec, Field(discriminator="type")
]
"""Any application; `type` says which kind."""


class PlacedContainers(Part):
    """Containers that run on a node when the scenario starts."""

    node: str = Field(min_length=1)
    """Host, or `host:port`."""
    memory_mb: MemoryMb
    vcores: JavaInt = Field(default=1, ge=0)
    count: Count = Field(default=1, ge=1)
    priority: int | None = None
    """The ask they answer; None takes the application's first ask of this size."""
    master: bool = False
    """True for the application master's own container."""


class ReservedNode(Part):
    """A node that is reserved when the scenario starts."""

    node: str = Field(min_length=1)
    memory_mb: MemoryMb
    vcores: JavaInt = Field(default=1, ge=0)
    priority: int | None = None


class RunningSpec(Part):
    """An application that runs when the scenario starts, and what it holds.

    Containers placed are subtracted from what the application asks for; durations count from the start.
    """

    application: ApplicationSpec
    placed: tuple[PlacedContainers, ...] = ()
    reserved: tuple[ReservedNode, ...] = ()
