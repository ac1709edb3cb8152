"""Memory of the containers of a Spark application on YARN, from its properties.

Source: ResourceProfile, YarnAllocator, Client and package org.apache.spark.internal.config, Spark 3.5; 4.0 adds
spark.executor.minMemoryOverhead; 2.2 and earlier call the overhead spark.yarn.executor.memoryOverhead.
"""

from collections.abc import Mapping
from typing import Any, Final

from engine.formats.traces.application import words
from engine.units import UnitError, parse_memory

RULE: Final = (
    "heap, overhead (a tenth of the heap and at least 384 MB where the log does not say), off-heap and PySpark"
)
HEAP_MB: Final = 1024
MASTER_HEAP_MB: Final = 512
"""The heap of an application master whose driver runs elsewhere. Source: spark.yarn.am.memory."""
OVERHEAD_FACTOR: Final = 0.10
LEAST_OVERHEAD_MB: Final = 384
MIB: Final = 1024 * 1024

Properties = Mapping[str, Any]


def executor_mb(properties: Properties) -> int:
    """The container of an executor [MB]."""
    size_mb = _process_mb(properties, "spark.executor", "spark.executor.memory", HEAP_MB)
    if _is_true(properties, "spark.memory.offHeap.enabled"):
        size_mb += _off_heap_mb(properties)
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
    return words(properties.get("spark.submit.deployMode")) == "cluster"


def _process_mb(properties: Properties, prefix: str, key: str, default_mb: int) -> int:
    """Heap and overhead of a process [MB]."""
    heap_mb = _memory_mb(properties, key) or default_mb
    former = prefix.replace("spark.", "spark.yarn.", 1) if not prefix.startswith("spark.yarn.") else prefix
    for name in (prefix, former):
        overhead_mb = _memory_mb(properties, f"{name}.memoryOverhead")
        if overhead_mb is not None:
            return heap_mb + overhead_mb
    least_mb = _memory_mb(properties, f"{prefix}.minMemoryOverhead")
    factor = _factor(properties, f"{prefix}.memoryOverheadFactor")
    return heap_mb + max(LEAST_OVERHEAD_MB if least_mb is None else least_mb, int(heap_mb * factor))


def _memory_mb(properties: Properties, key: str) -> int | None:
    """An amount of memory [MB]; a number without a unit is in MB. None where there is none."""
    text = words(properties.get(key))
    try:
        return parse_memory(text) if text else None
    except UnitError:
        return None


def _off_heap_mb(properties: Properties) -> int:
    """Memory outside the heap [MB]; a number without a unit is in bytes."""
    text = words(properties.get("spark.memory.offHeap.size"))
    if text.isascii() and text.isdigit():
        return int(text) // MIB
    return _memory_mb(properties, "spark.memory.offHeap.size") or 0


def _factor(properties: Properties, key: str) -> float:
    try:
        factor = float(words(properties.get(key)) or OVERHEAD_FACTOR)
    except ValueError:
        return OVERHEAD_FACTOR
    return factor if 0 < factor < 1000 else OVERHEAD_FACTOR


def _is_true(properties: Properties, key: str) -> bool:
    return words(properties.get(key)).lower() == "true"
