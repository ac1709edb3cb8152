"""Settings of a standalone Master. Keys under `schedlab.` are ours.

Source: org.apache.spark.internal.config.Deploy and Worker, Spark 4.0.1. Release 3.5 has no `spreadOutDrivers`,
`maxDrivers` and `workerSelectionPolicy`, and `spreadOut` is its only name of `spreadOutApps`; the defaults are equal.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.settings.table import Key, SettingTable, ValueKind, kind_of, rows

SPREAD_OUT_FORMER: Final = Key[bool]("spark.deploy.spreadOut")
SPREAD_OUT: Final = Key[bool]("spark.deploy.spreadOutApps")
SPREAD_OUT_DRIVERS: Final = Key[bool]("spark.deploy.spreadOutDrivers")
MAX_DRIVERS: Final = Key[int]("spark.deploy.maxDrivers")
DEFAULT_CORES: Final = Key[int]("spark.deploy.defaultCores")
SELECTION_POLICY: Final = Key[str]("spark.deploy.workerSelectionPolicy")
EXECUTOR_RETRIES: Final = Key[int]("spark.deploy.maxExecutorRetries")
WORKER_TIMEOUT: Final = Key[int]("spark.worker.timeout")
PERSISTENCE: Final = Key[int]("spark.dead.worker.persistence")
RETAINED_APPLICATIONS: Final = Key[int]("spark.deploy.retainedApplications")
RETAINED_DRIVERS: Final = Key[int]("spark.deploy.retainedDrivers")
TIES: Final = Key[str]("schedlab.spark.ties")
SEED: Final = Key[int]("schedlab.spark.seed")

SUPERVISE: Final = "spark.driver.supervise"  # of an application, as `spark-submit --supervise`
CORES_MAX: Final = "spark.cores.max"
EXECUTOR_INSTANCES: Final = "spark.executor.instances"
DYNAMIC: Final = "spark.dynamicAllocation."
STREAMING_DYNAMIC: Final = "spark.streaming.dynamicAllocation."
DYNAMIC_ENABLED: Final = f"{DYNAMIC}enabled"
MAX_EXECUTORS: Final = f"{DYNAMIC}maxExecutors"

OVERHEAD_FACTOR: Final = 0.10
LEAST_OVERHEAD_MB: Final = 384
LEAST_HEAP_MB: Final = 512
"""Spark ends a process that counts less than 450 MB of heap, and Java counts less than it is given.

Source: UnifiedMemoryManager#getMaxMemory, Spark 4.0.1.
"""

_KINDS_OF_APPLICATIONS: Final = """
text: spark.master spark.submit.deployMode spark.yarn.queue
count: spark.cores.max spark.executor.instances spark.executor.cores spark.driver.cores spark.yarn.am.cores
count: spark.dynamicAllocation.minExecutors spark.dynamicAllocation.initialExecutors SPARK_WORKER_CORES
count: spark.dynamicAllocation.maxExecutors spark.task.cpus
memory: spark.executor.memory spark.executor.memoryOverhead spark.driver.memory spark.driver.memoryOverhead
memory: spark.executor.pyspark.memory spark.memory.offHeap.size spark.yarn.am.memory SPARK_WORKER_MEMORY
factor: spark.executor.memoryOverheadFactor spark.driver.memoryOverheadFactor
factor: spark.dynamicAllocation.executorAllocationRatio
flag: spark.dynamicAllocation.enabled spark.dynamicAllocation.shuffleTracking.enabled spark.dynamicAllocation.testing
flag: spark.shuffle.service.enabled spark.memory.offHeap.enabled
time: spark.dynamicAllocation.executorIdleTimeout spark.dynamicAllocation.cachedExecutorIdleTimeout
time: spark.dynamicAllocation.schedulerBacklogTimeout spark.dynamicAllocation.sustainedSchedulerBacklogTimeout
time: spark.dynamicAllocation.shuffleTracking.timeout spark.streaming.dynamicAllocation.scalingInterval
count: spark.streaming.dynamicAllocation.minExecutors spark.streaming.dynamicAllocation.maxExecutors
flag: spark.streaming.dynamicAllocation.enabled spark.streaming.dynamicAllocation.testing
factor: spark.streaming.dynamicAllocation.scalingUpRatio spark.streaming.dynamicAllocation.scalingDownRatio
memory: spark.executor.minMemoryOverhead spark.driver.minMemoryOverhead spark.yarn.am.memoryOverhead
memory: spark.yarn.executor.memoryOverhead spark.yarn.driver.memoryOverhead
"""
OF_APPLICATIONS: Final[Mapping[str, str]] = {
    key: kind
    for kind, keys in (line.split(": ") for line in _KINDS_OF_APPLICATIONS.strip().splitlines())
    for key in keys.split()
}
"""The kind of value of each key of applications and variable of Workers that is looked at; Spark has many more.

Of dynamic allocation, also of streams, it has none but these; `spark.yarn.executor.memoryOverhead` and that of the
driver are the names until 2.2, which it still reads. Source: SparkConf.configsWithAlternatives, package
org.apache.spark.internal.config, Spark 4.0.1.
"""

TIME_UNITS_MS: Final[Mapping[str, float]] = {
    "us": 1e-3,
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "min": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
}
"""Source: JavaUtils#timeStringAs."""


def heap_within(container_mb: int) -> int:
    """Return the largest heap that a container of YARN holds with its overhead [MB].

    Source: ResourceProfile#calculateOverHeadMemory, Client, Spark 4.0.1.

    >>> heap_within(3072), heap_within(8192)
    (2688, 7448)
    """
    heap_mb = min(container_mb - LEAST_OVERHEAD_MB, int(container_mb / (1 + OVERHEAD_FACTOR)) + 1)
    return heap_mb if heap_mb + int(heap_mb * OVERHEAD_FACTOR) <= container_mb else heap_mb - 1


TIES_BY_WORKER_ID: Final = "worker-id"  # Spark 4.x: among equals the ids decide, descending where the policy descends
TIES_BY_REGISTRATION: Final = "registration"
"""Spark 3.x: among equals the last registered first.

Differs: Spark 3.x orders equal workers by the hashes of their objects, otherwise in each run; here the last registered
is first.
"""
SELECTION_POLICIES: Final = ("CORES_FREE_DESC", "CORES_FREE_ASC", "MEMORY_FREE_DESC", "MEMORY_FREE_ASC", "WORKER_ID")


def _flag(text: str) -> bool:
    return _one_of(text.strip().lower(), ("true", "false"), "true or false") == "true"


def _positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError("must be positive")
    return int(text)


def _one_of(text: str, allowed: Sequence[str], words: str = "") -> str:
    if text not in allowed:
        raise ValueError(f"expected {words or 'one of ' + ', '.join(allowed)}")
    return text


_KINDS: Final[Mapping[str, ValueKind[Any]]] = {
    "flag": kind_of("true or false", _flag),
    "whole": kind_of("a whole number", int),
    "positive": kind_of("a whole number above 0", _positive),
    "seconds": kind_of("a number of seconds", lambda text: _positive(text.strip().removesuffix("s")) * 1_000),
    "policy": kind_of("a policy", lambda text: _one_of(text.strip().upper(), SELECTION_POLICIES)),
    "ties": kind_of("an order", lambda text: _one_of(text.strip(), (TIES_BY_WORKER_ID, TIES_BY_REGISTRATION))),
}

SPARK: Final = SettingTable(
    "spark",
    rows(
        """
spark.deploy.spreadOut | flag | true | | Deploy.SPREAD_OUT_APPS
    Spreads an application over as many workers as possible; else over as few.
spark.deploy.spreadOutApps | flag | true | | Deploy.SPREAD_OUT_APPS
    Spreads an application over as many workers as possible; else over as few.
spark.deploy.spreadOutDrivers | flag | true | | Deploy.SPREAD_OUT_DRIVERS
    Spreads drivers over workers; else each takes the first worker in order.
spark.deploy.maxDrivers | positive | 2147483647 | | Deploy.MAX_DRIVERS | bounds=above 0
    The most drivers that run at the same time.
spark.deploy.defaultCores | positive | 2147483647 | cores | Deploy.DEFAULT_CORES, Master | bounds=above 0
    The most cores of an application that sets no `spark.cores.max`.
spark.deploy.workerSelectionPolicy | policy | CORES_FREE_DESC | | Deploy.WORKER_SELECTION_POLICY | bounds=$policies
    The order in which workers are offered.
spark.deploy.maxExecutorRetries | whole | 10 | | Deploy.MAX_EXECUTOR_RETRIES
    The abnormal ends of executors after which an application fails; negative: never.
spark.worker.timeout | seconds | 60 | s | Worker.WORKER_TIMEOUT | bounds=above 0
    The time without a heartbeat after which a worker is dead.
spark.dead.worker.persistence | whole | 15 | | Deploy.REAPER_ITERATIONS
    The worker timeouts for which a dead worker stays listed, less one.
spark.deploy.retainedApplications | positive | 200 | | Deploy.RETAINED_APPLICATIONS | bounds=above 0
    The most completed applications that are listed.
spark.deploy.retainedDrivers | positive | 200 | | Deploy.RETAINED_DRIVERS | bounds=above 0
    The most completed drivers that are listed.
schedlab.spark.ties | ties | worker-id | | Master#startExecutorsOnWorkers | bounds=worker-id or registration
    The order of equal workers: `worker-id` is 4.x's, `registration` 3.x's.
schedlab.spark.seed | whole | 0 | | Master#schedule
    Seeds the shuffle that spreads drivers out.
""",
        short={"$policies": ", ".join(SELECTION_POLICIES)},
        kinds=_KINDS,
    ),
    live=(
        SPREAD_OUT_FORMER,
        SPREAD_OUT,
        SPREAD_OUT_DRIVERS,
        MAX_DRIVERS,
        DEFAULT_CORES,
        SELECTION_POLICY,
        EXECUTOR_RETRIES,
        TIES,
    ),
)
"""Differs: a real Master reads its settings once, at its start; here most of them may change while it runs."""
