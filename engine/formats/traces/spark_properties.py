"""Reads from a Spark application's properties how it asked for executors: all at once, or as tasks waited.

Source: ExecutorAllocationManager, Utils#getDynamicAllocationInitialExecutors, package org.apache.spark.internal.config,
Spark 3.5; ResourceProfile, YarnAllocator, Client and package org.apache.spark.internal.config, Spark 3.5; 4.0 adds
spark.executor.minMemoryOverhead; 2.2 and earlier call the overhead spark.yarn.executor.memoryOverhead.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.formats.traces.application import ratio, whole, words
from engine.scenario import DynamicAllocation, ExecutorTotal
from engine.settings.spark import (
    DYNAMIC,
    EXECUTOR_INSTANCES,
    LEAST_OVERHEAD_MB,
    MAX_EXECUTORS,
    OVERHEAD_FACTOR,
    TIME_UNITS_MS,
)

MOST: Final = 2**31 - 1
TRACKS_SINCE: Final = (3, 4)  # The version from which on shuffle data is tracked by default
_VERSION: Final = re.compile(r"(\d{1,4})\.(\d{1,4})")
_MEMORY: Final = re.compile(r"(\d{1,18})\s*(?:([bkmgtp])b?)?", re.IGNORECASE)
_POWERS: Final = "bkmgtp"  # Units, each 1024 times the one before it
_TIME: Final = re.compile(r"(\d{1,15})\s*([a-z]*)", re.IGNORECASE)


def in_mb(text: str, plain: str = "m") -> int | None:
    """Whole MB of memory, a number without a unit in `plain`; None where it is none. Source: JavaUtils#byteStringAs."""
    found = _MEMORY.fullmatch(text.strip())
    return None if found is None else int(found[1]) << 10 * _POWERS.index((found[2] or plain).lower()) >> 20


def in_ms(text: str, plain: str = "s") -> int | None:
    """A time [ms], likewise. Source: JavaUtils#timeStringAs."""
    found = _TIME.fullmatch(text.strip())
    unit_ms = None if found is None else TIME_UNITS_MS.get((found[2] or plain).lower())
    return None if found is None or unit_ms is None else round(int(found[1]) * unit_ms)


def dynamic_allocation(properties: Mapping[str, Any], version: str = "") -> DynamicAllocation | None:
    """Return what `spark.dynamicAllocation.*` says; None where it is off. `version` is Spark's, empty if unknown."""

    def text(key: str) -> str:
        return words(properties.get(key)).strip().lower()

    def number(key: str) -> int | None:
        return whole(text(key), 0, MOST)

    def time_ms(key: str, unit: str = "s") -> int | None:
        return in_ms(text(f"{DYNAMIC}{key}"), unit)

    if text(f"{DYNAMIC}enabled") != "true":
        return None
    least = number(f"{DYNAMIC}minExecutors") or 0
    initial = max(least, number(f"{DYNAMIC}initialExecutors") or 0, number(EXECUTOR_INSTANCES) or 0)
    most = number(MAX_EXECUTORS) or None
    defaults = DynamicAllocation()
    backlog_ms, idle_ms = time_ms("schedulerBacklogTimeout"), time_ms("executorIdleTimeout")
    known = _VERSION.match(version)
    usual = "true" if known and (int(known[1]), int(known[2])) >= TRACKS_SINCE else "false"
    tracks = (text(f"{DYNAMIC}shuffleTracking.enabled") or usual) == "true"
    tracks = tracks and text("spark.shuffle.service.enabled") != "true"
    return DynamicAllocation(
        initial=initial,
        least=least,
        most=None if most is None or most == MOST else max(most, initial),
        backlog_ms=defaults.backlog_ms if backlog_ms is None else backlog_ms,
        sustained_ms=time_ms("sustainedSchedulerBacklogTimeout"),
        idle_ms=defaults.idle_ms if idle_ms is None else idle_ms,
        cached_idle_ms=time_ms("cachedExecutorIdleTimeout"),
        ratio=ratio(text(f"{DYNAMIC}executorAllocationRatio"), 1) or 1.0,
        shuffle="tracking" if tracks else "service",
        shuffle_timeout_ms=time_ms("shuffleTracking.timeout", "ms") if tracks else None,
    )


def recorded_totals(changes: Sequence[tuple[int, int]], begin_ms: int, end_ms: int) -> tuple[ExecutorTotal, ...]:
    """How many executors there were from each instant on [epoch ms]; empty where the log has no such change.

    `changes` say when, and how many there were then, in the log's order; the last is the instant at which the log ends.
    """
    found: dict[int, int] = {}
    latest_ms = 0
    for time_ms, count in (*changes, *((end_ms, count) for _, count in changes[-1:])):
        latest_ms = max(latest_ms, time_ms - begin_ms)
        found[latest_ms] = count
    return tuple(ExecutorTotal(at_ms=at_ms, executors=count) for at_ms, count in found.items())


# Memory of the containers of a Spark application on YARN, from its properties.

RULE: Final = (
    "heap, overhead (a tenth of the heap and at least 384 MB where the log does not say), off-heap and PySpark"
)
HEAP_MB: Final = 1024
MASTER_HEAP_MB: Final = 512
"""The heap of an application master whose driver runs elsewhere. Source: spark.yarn.am.memory."""
Properties = Mapping[str, Any]

STANDALONE: Final = "spark://"  # How the address of a Spark Master begins
HEAP_ALONE: Final = "the heap alone, as a Spark Master counts it"


def is_standalone(properties: Properties) -> bool:
    """Tell whether a Spark Master gave the executors."""
    return words(properties.get("spark.master")).startswith(STANDALONE)


def executor_mb(properties: Properties) -> int:
    """The container of an executor [MB]; its heap alone under a Spark Master."""
    if is_standalone(properties):
        return _memory_mb(properties, "spark.executor.memory") or HEAP_MB
    size_mb = _process_mb(properties, "spark.executor", "spark.executor.memory", HEAP_MB)
    if _is_true(properties, "spark.memory.offHeap.enabled"):
        size_mb += _memory_mb(properties, "spark.memory.offHeap.size", "b") or 0
    if _is_true(properties, "spark.yarn.isPython"):
        size_mb += _memory_mb(properties, "spark.executor.pyspark.memory") or 0
    return size_mb


def master_mb(properties: Properties) -> int:
    """The container of the application master [MB]; it holds the driver in cluster mode."""
    if is_cluster_mode(properties):
        return _process_mb(properties, "spark.driver", "spark.driver.memory", HEAP_MB)
    return _process_mb(properties, "spark.yarn.am", "spark.yarn.am.memory", MASTER_HEAP_MB)


def is_cluster_mode(properties: Properties) -> bool:
    """Tell whether the driver runs on the cluster."""
    mode = words(properties.get("spark.submit.deployMode"))
    return mode == "cluster" or words(properties.get("spark.master")) == "yarn-cluster"  # Spark 1.x


def _process_mb(properties: Properties, prefix: str, key: str, default_mb: int) -> int:
    """Heap and overhead of a process [MB]."""
    heap_mb = _memory_mb(properties, key) or default_mb
    former = prefix.replace("spark.", "spark.yarn.", 1) if not prefix.startswith("spark.yarn.") else prefix
    for name in (prefix, former):
        overhead_mb = _memory_mb(properties, f"{name}.memoryOverhead")
        if overhead_mb is not None:
            return heap_mb + overhead_mb
    least_mb = _memory_mb(properties, f"{prefix}.minMemoryOverhead")
    factor = ratio(words(properties.get(f"{prefix}.memoryOverheadFactor")), 1000) or OVERHEAD_FACTOR
    return heap_mb + max(LEAST_OVERHEAD_MB if least_mb is None else least_mb, int(heap_mb * factor))


def _memory_mb(properties: Properties, key: str, plain: str = "m") -> int | None:
    return in_mb(words(properties.get(key)), plain)


def _is_true(properties: Properties, key: str) -> bool:
    return words(properties.get(key)).lower() == "true"
