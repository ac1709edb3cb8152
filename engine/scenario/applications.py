"""Applications that users submit, by the kind of their application master."""

import operator
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, model_validator

from engine.scenario.cluster import (
    FILE_CONFIG,
    Count,
    DurationMs,
    InstantMs,
    JavaInt,
    MemoryMb,
    PositiveCount,
    PositiveInt,
    ScenarioModel,
    Size,
    SpanMs,
    TimeoutMs,
    bare_numbers_as_seconds,
)

MasterSize = Annotated[
    Size | Annotated[None, WithJsonSchema({"const": "unmanaged"})],
    BeforeValidator(lambda value: None if value == "unmanaged" else value),
]
"""Container of an application master; None (`"unmanaged"` in a file) for one that runs outside the cluster."""


class Repeat(ScenarioModel):
    """An application submitted several times."""

    times: PositiveCount
    """How often in all, the first included."""
    every_ms: DurationMs
    """Between two submissions; numbers, where given, count up by one."""


class ApplicationBase(BaseModel):
    """The fields of every application."""

    model_config = FILE_CONFIG
    _in_seconds = model_validator(mode="before")(bare_numbers_as_seconds)

    name: str = ""
    """The name that screens and expectations call it by."""
    user: str = Field(min_length=1)
    """The user who submits it."""
    queue: str | None = None
    """The queue the client names; without it the placement rules decide."""
    at_ms: InstantMs = 0
    """When it is submitted."""
    number: PositiveInt | None = None
    """Its application number; without it the next free one."""
    phase_ms: DurationMs | None = None
    """When in each heartbeat interval its master calls; without it the scenario's seed decides."""
    am: MasterSize = Size(memory_mb=1024, vcores=1)
    """Container of the application master (Spark in cluster mode: the driver)."""
    register_delay_ms: DurationMs | None = Field(default=None, exclude_if=lambda value: value is None)
    """With `am_own_rhythm`: from the start of its master's container until it registers; else as the cluster says."""
    application_type: str = ""
    """The type shown, e.g. `SPARK`; empty takes the usual one of this kind."""
    priority: JavaInt | None = None
    """The higher, the sooner, in capacity-3.4; without it the queue decides."""
    tags: tuple[str, ...] = ()
    """Words the client gives it, such as `workflowid:nightly`; capacity-3.4 can map those to a priority."""
    max_attempts: PositiveInt | None = None
    """Most attempts; without it `yarn.resourcemanager.am.max-attempts`."""
    attempt_failures_validity_interval_ms: DurationMs | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    """How long a failed attempt counts; without it for ever. Source: attemptFailuresValidityInterval."""
    repeat: Repeat | None = None
    """Given for one that is submitted several times."""


class MapReduceSpec(ApplicationBase):
    """A MapReduce job: maps are asked for up front, reduces after slow-start, failed tasks again.

    Source: RMContainerAllocator, Hadoop 2.7.2 (priorities 20 map, 10 reduce, 5 failed map).
    """

    type: Literal["mapreduce"]
    maps: Count
    reduces: Count = 0
    map: Size = Size(memory_mb=1024, vcores=1)
    """Container of a map."""
    reduce: Size = Size(memory_mb=1024, vcores=1)
    """Container of a reduce."""
    map_duration_ms: SpanMs = (30_000, 30_000)
    """How long a map runs, drawn evenly between two durations."""
    reduce_duration_ms: SpanMs = (30_000, 30_000)
    """How long a reduce runs, likewise."""
    map_durations_ms: tuple[DurationMs, ...] = Field(default=(), exclude_if=operator.not_)
    """How long each map runs, dealt out in turn; empty: as `map_duration` draws it."""
    reduce_durations_ms: tuple[DurationMs, ...] = Field(default=(), exclude_if=operator.not_)
    """How long each reduce runs, dealt out in turn; empty: as `reduce_duration` draws it."""
    slow_start: float = Field(default=0.05, ge=0, le=1)
    """Share of maps completed before reduces are asked for. Source: mapreduce.job.reduce.slowstart.completedmaps."""
    blocks: tuple[tuple[str, ...], ...] = ()
    """Hosts holding each map's input, dealt out in turn; empty means `replication` decides."""
    replication: Count = 0
    """Without `blocks`: each map's input lies on so many hosts drawn from the seed; 0 is no preference at all."""
    failures: float = Field(default=0.0, ge=0, lt=1)
    """Share of task attempts that fail half-way and are tried again, at most four times."""
    hangs: float = Field(default=0.0, ge=0, lt=1, exclude_if=operator.not_)
    """Share of task attempts that hang half-way: they say nothing more, until the time-out makes them failures."""
    task_timeout_ms: DurationMs = Field(default=600_000, exclude_if=lambda value: value == 600_000)
    """After so long without a word an attempt fails; 0: never. Source: mapred.task.timeout, mapreduce.task.timeout."""


class StageSpec(ScenarioModel):
    """One stage of a Spark application: equal tasks, each on one core; the next stage begins when all have ended."""

    tasks: PositiveCount
    duration_ms: SpanMs = (10_000, 10_000)
    """How long a task runs; `"forever"` keeps its core busy to the end."""
    hosts: tuple[tuple[str, ...], ...] = ()
    """Hosts holding each task's input, dealt out in turn; empty: its input is as near everywhere."""
    away: float = Field(default=1.0, ge=1, le=1000)
    """How many times longer a task takes on a host that does not hold its input."""
    caches: bool = False
    """True: executors that run its tasks keep cached blocks to their end."""


class ExecutorTotal(ScenarioModel):
    """The number of executors of an application from an instant on."""

    at_ms: DurationMs
    """Counted from the registration of the application master."""
    executors: Count


class DynamicAllocation(ScenarioModel):
    """Executors asked for as tasks wait and given back when idle. Source: spark.dynamicAllocation.*, Spark 4.x."""

    initial: JavaInt = 0
    least: JavaInt = 0
    """Source: spark.dynamicAllocation.minExecutors."""
    most: PositiveInt | None = None
    """Most executors; without it there is no limit. Source: spark.dynamicAllocation.maxExecutors."""
    backlog_ms: DurationMs = 1_000
    """How long tasks wait before more is asked for. Source: spark.dynamicAllocation.schedulerBacklogTimeout."""
    sustained_ms: DurationMs | None = None
    """The same from the second time on; without it as the first. Source: sustainedSchedulerBacklogTimeout."""
    idle_ms: DurationMs = 60_000
    """How long an executor is idle before it is given back. Source: spark.dynamicAllocation.executorIdleTimeout."""
    cached_idle_ms: DurationMs | None = None
    """On YARN: the same of one with cached blocks; without it for ever. Source: cachedExecutorIdleTimeout."""
    ratio: float = Field(default=1.0, gt=0, le=1)
    """Part of the executors that waiting tasks could use. Source: executorAllocationRatio."""
    shuffle: Literal["service", "tracking"] = "service"
    """On YARN: where shuffle data is: `service` lets an executor go, `tracking` keeps one that holds some."""
    shuffle_timeout_ms: DurationMs | None = Field(default=None, exclude_if=lambda value: value is None)
    """With `tracking`: idle time of one with data of ended jobs. Default: for ever. Source: shuffleTracking.timeout."""
    totals: tuple[ExecutorTotal, ...] = Field(default=(), exclude_if=operator.not_)
    """What a log shows: until the last of these instants executors come and go as here, then as tasks wait."""

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        instants = [total.at_ms for total in self.totals]
        if instants != sorted(set(instants)):
            raise ValueError("totals: each instant is later than the one before")
        return self


class JobSpec(ScenarioModel):
    """A job given to an application that outlives it: a DAG of Tez, a query, a job of a Spark shell."""

    at_ms: DurationMs = 0
    """When it is submitted, counted from the registration of the application master."""
    stages: tuple[StageSpec, ...] = Field(min_length=1)
    overlaps: bool = Field(default=False, exclude_if=operator.not_)
    """True: it begins when it is submitted, though those before it may run."""
    repeat: Repeat | None = None


def _unrolled(jobs: tuple[JobSpec, ...]) -> tuple[JobSpec, ...]:
    each = [
        job.model_copy(update={"at_ms": job.at_ms + turn * every_ms, "repeat": None})
        for job in jobs
        for times, every_ms in [(job.repeat.times, job.repeat.every_ms) if job.repeat else (1, 0)]
        for turn in range(times)
    ]
    return tuple(sorted(each, key=lambda job: job.at_ms))


class SparkSpec(ApplicationBase):
    """Spark on YARN: executors are asked for at once and kept to the end, or as tasks wait (`dynamic`).

    With `jobs` it is a session, or (`stays`) a server that never ends, such as the thrift server.
    """

    type: Literal["spark"]
    executors: Count = 0
    """How many; with `dynamic` how many at first."""
    executor: Size
    duration_ms: SpanMs = None
    """How long it computes once it has begun; for ever by default."""
    stages: tuple[StageSpec, ...] = ()
    """Tasks on its executors' cores instead of a duration: it ends with the last task of the last stage."""
    jobs: tuple[JobSpec, ...] = ()
    """Jobs given to it one after another."""
    stays: bool = False
    """With `jobs`: True keeps it when the last one has ended."""
    dynamic: DynamicAllocation | None = None
    waits: bool = False
    """True: it begins only with its last executor, and keeps what it has until then; False: with its first."""

    @property
    def all_jobs(self) -> tuple[JobSpec, ...]:
        return _unrolled(self.jobs or (JobSpec(stages=self.stages),) if self.jobs or self.stages else ())

    @model_validator(mode="after")
    def _works_one_way(self) -> Self:
        given = {"a duration": self.duration_ms is not None, "stages": self.stages, "jobs": self.jobs}
        named = [name for name, value in given.items() if value]
        if len(named) > 1:
            raise ValueError(f"it has both {' and '.join(named)}; its work is one or the other")
        if self.dynamic is not None and not (self.stages or self.jobs):
            raise ValueError("dynamic follows tasks that wait; it needs stages or jobs")
        if self.waits and (self.dynamic is not None or self.jobs):
            raise ValueError("waits goes with neither dynamic nor jobs")
        if self.stays and not self.jobs:
            raise ValueError("stays goes with jobs only")
        return self

    @model_validator(mode="after")
    def _has_executors(self) -> Self:
        if self.dynamic is None and not self.executors:
            raise ValueError("executors is missing or 0")
        return self


class TezSpec(ApplicationBase):
    """Tez: DAGs one after another in containers that are used again, in a session or one application for all.

    Source: TezConfiguration 0.8.4 to 0.10.4; the property of each key is named there.
    """

    type: Literal["tez"]
    dags: tuple[JobSpec, ...] = Field(min_length=1)
    container: Size = Size(memory_mb=1024, vcores=1)
    """The size of one task. Source: tez.task.resource.memory.mb, tez.task.resource.cpu.vcores."""
    session: bool = True
    """False: it ends with its last DAG. Source: tez.am.mode.session."""
    reuse: bool = True
    """False: a container ends with its task. Source: tez.am.container.reuse.enabled."""
    idle_release_ms: SpanMs = (5_000, 10_000)
    """How long a container is idle before it is given back; `"forever"` keeps it.

    Source: tez.am.container.idle.release-timeout-min.millis, -max.millis.
    """
    held: Count = 0
    """A session keeps so many containers however long they are idle. Source: tez.am.session.min.held-containers."""
    session_timeout_ms: TimeoutMs = 300_000
    """After so long without a DAG a session ends; `"forever"`: never.

    Source: tez.session.am.dag.submit.timeout.secs.
    """

    @property
    def all_jobs(self) -> tuple[JobSpec, ...]:
        return _unrolled(self.dags)

    @model_validator(mode="after")
    def _holds_in_sessions_only(self) -> Self:
        if self.held and not (self.session and self.reuse):
            raise ValueError("held goes with a session that uses containers again")
        return self


class ServiceSpec(ApplicationBase):
    """A long-running service: so many instances, held for ever and asked for again when lost."""

    type: Literal["service"]
    instances: Count
    instance: Size
    each_node: bool = False
    """True: `instances` on every node of the cluster, and nowhere else."""
    keep_containers_across_application_attempts: bool = Field(default=False, exclude_if=operator.not_)
    """True: instances outlive a failed master, and the next one has them. Source: ApplicationSubmissionContext."""
    jobs: tuple[JobSpec, ...] = ()
    """What users have it do inside its instances, one after another, such as the queries of LLAP daemons."""
    tasks_each: PositiveInt = 1
    """Tasks an instance runs at a time. Source: hive.llap.daemon.num.executors."""

    @property
    def all_jobs(self) -> tuple[JobSpec, ...]:
        return _unrolled(self.jobs)


class AskSpec(ScenarioModel):
    """Containers a scripted application asks for."""

    at_ms: DurationMs = 0
    """When, counted from the registration of its application master."""
    priority: JavaInt = 1
    memory_mb: MemoryMb
    vcores: JavaInt = 1
    count: PositiveCount = 1
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
    ends_after_ms: DurationMs | None = Field(default=None, exclude_if=lambda value: value is None)
    """How long after its registration it ends, whatever it has; without it when everything has ended."""
    outcome: Literal["FINISHED", "FAILED", "CRASHED"] = Field(
        default="FINISHED", exclude_if=lambda value: value == "FINISHED"
    )
    """How it ends; `CRASHED`: the process of its application master ends with an error."""


class StandaloneSpec(ApplicationBase):
    """A Spark application on the standalone Master (scheduler `spark`); `queue`, `am` and `priority` have no meaning.

    Without stages it does nothing and keeps what it is given to the end, as an idle shell does.
    """

    type: Literal["spark-standalone"]
    cores_max: PositiveInt | None = None
    """`spark.cores.max`; without it the Master's `spark.deploy.defaultCores`."""
    executor_cores: PositiveInt | None = None
    """`spark.executor.cores`; without it one executor for each worker, with all the cores it is given there."""
    executor_memory_mb: MemoryMb = 1024
    """`spark.executor.memory`."""
    executor_limit: JavaInt | None = None
    """Executors wanted at most; without it there is no limit."""
    driver: Size | None = None
    """Cluster mode: what the driver takes on the worker the Master chooses; else it runs outside the cluster."""
    supervise: bool = False
    """Cluster mode: the Master starts the driver anew when its worker is lost."""
    stages: tuple[StageSpec, ...] = ()
    exits_after_ms: SpanMs = None
    """How long an executor's process lives before it exits with an error; 0: it does not even start."""
    dynamic: DynamicAllocation | None = None

    @model_validator(mode="after")
    def _keeps_nothing(self) -> Self:
        if self.dynamic is not None and (self.dynamic.cached_idle_ms is not None or self.dynamic.shuffle != "service"):
            raise ValueError("cached_idle and shuffle of dynamic go with type spark, on YARN")
        return self


ApplicationSpec = Annotated[
    MapReduceSpec | SparkSpec | TezSpec | ServiceSpec | ScriptedSpec | StandaloneSpec, Field(discriminator="type")
]
"""Any application; `type` says which kind."""
