"""Containers of Spark have the memory that its properties give them."""

import pytest

from engine.formats.traces.spark_event_log import FAILED, LOCALITY, REMOVED
from engine.formats.traces.spark_properties import executor_mb, master_mb
from tests.engine.formats.traces.samples import SPARK, imported


@pytest.mark.parametrize(
    ("properties", "size_mb"),
    [
        ({}, 1024 + 384),
        ({"spark.executor.memory": "3840m"}, 3840 + 384),
        ({"spark.executor.memory": "3850m"}, 3850 + 385),
        ({"spark.executor.memory": "7g", "spark.executor.memoryOverhead": "1024"}, 7168 + 1024),
        ({"spark.executor.memory": "7g", "spark.yarn.executor.memoryOverhead": "2048"}, 7168 + 2048),
        ({"spark.executor.memory": "10g", "spark.executor.memoryOverheadFactor": "0.4"}, 10240 + 4096),
        ({"spark.executor.minMemoryOverhead": "512m"}, 1024 + 512),
        ({"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1073741824"}, 1408 + 1024),
        ({"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "2g"}, 1408 + 2048),
        ({"spark.memory.offHeap.enabled": "false", "spark.memory.offHeap.size": "2g"}, 1408),
        ({"spark.yarn.isPython": "true", "spark.executor.pyspark.memory": "1g"}, 1408 + 1024),
        ({"spark.executor.pyspark.memory": "1g"}, 1408),
        ({"spark.executor.memory": "much", "spark.executor.memoryOverheadFactor": "x"}, 1408),
    ],
)
def test_an_executor_has_heap_overhead_off_heap_and_python(properties: dict[str, str], size_mb: int) -> None:
    """The overhead is what is given, else a part of the heap and at least the least."""
    assert executor_mb(properties) == size_mb


@pytest.mark.parametrize(
    ("properties", "size_mb"),
    [
        ({}, 512 + 384),
        ({"spark.yarn.am.memory": "1g", "spark.yarn.am.memoryOverhead": "100"}, 1124),
        ({"spark.submit.deployMode": "cluster", "spark.driver.memory": "8g"}, 8192 + 819),
        ({"spark.submit.deployMode": "cluster", "spark.yarn.driver.memoryOverhead": "1000"}, 2024),
    ],
)
def test_the_master_holds_the_driver_in_cluster_mode_alone(properties: dict[str, str], size_mb: int) -> None:
    assert master_mb(properties) == size_mb


def test_a_spark_log_counts_what_is_not_kept() -> None:
    removed = '{"Event": "SparkListenerExecutorRemoved", "Timestamp": 8000, "Executor ID": "1"}'
    text = SPARK.replace('"Launch Time"', '"Locality": "RACK_LOCAL", "Launch Time"')
    _, report = imported("\n".join((text, removed, removed)))

    assert dict(report.dropped) == {FAILED: 1, REMOVED: 1, LOCALITY.format(level="RACK_LOCAL"): 2}
