"""Containers of MapReduce that are larger than any that a cluster gives, or smaller than what runs in them.

Source: SchedulerUtils#validateResourceRequest, MRJobConfig, ContainersMonitorImpl, Hadoop 2.7.2 and 3.4.1.
"""

import re
from collections.abc import Iterator
from math import ceil
from typing import Final

from engine.formats.finding import Finding, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.settings.site import MAXIMUM_MB

_MASTER: Final = "yarn.app.mapreduce.am.resource.mb"
_TASKS: Final = ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
_MASTER_MB: Final = 1536  # Source: MRJobConfig.DEFAULT_MR_AM_VMEM_MB

_HEAPS: Final = {
    "mapreduce.map.java.opts": (_TASKS[0], 1024),
    "mapreduce.reduce.java.opts": (_TASKS[1], 1024),
    "yarn.app.mapreduce.am.command-opts": (_MASTER, _MASTER_MB),
}
"""Options of a process → the key of its container's memory, and the default of that [MB]."""

_HEAP: Final = re.compile(r"-Xmx(\d+)([kKmMgG])")
_UNITS_KB: Final = {"k": 1, "m": 1024, "g": 1024 * 1024}


def container_findings(settings: HadoopConfiguration, most_mb: int, node_mb: int) -> Iterator[Finding]:
    """Sizes above the largest container, or above the largest node; 0 where nobody knows the nodes."""
    values = settings.values
    for key in (*_TASKS, _MASTER):
        text = values.get(key, "").strip()
        if text.isdecimal():
            yield from _too_large(settings, key, int(text), (most_mb, node_mb), key)
    for key, (size_key, default_mb) in _HEAPS.items():
        heap, size = _HEAP.search(values.get(key, "")), values.get(size_key, str(default_mb)).strip()
        heap_mb = int(heap[1]) * _UNITS_KB[heap[2].lower()] // 1024 if heap else 0
        if size.isdecimal() and heap_mb > int(size):
            message = f"a heap of {heap_mb} MB in a container of {size} MB: it is killed once it uses what it may"
            fix = f"{size_key} of {ceil(heap_mb * 1.25)} or more"
            yield found_at(settings, "heap-above-container", key, message, fix)
    runs_jobs = any(key.startswith("mapreduce.") for key in values)
    if runs_jobs and _MASTER not in values and MAXIMUM_MB.name in values:
        yield from _too_large(settings, MAXIMUM_MB.name, _MASTER_MB, (most_mb, node_mb), f"{_MASTER} by default")


def _too_large(
    settings: HadoopConfiguration, place: str, asked_mb: int, limits: tuple[int, int], name: str
) -> Iterator[Finding]:
    most_mb, node_mb = limits
    if asked_mb > most_mb:
        message = f"{name} is {asked_mb} MB, and the largest container {most_mb} MB: every such job is refused"
        yield found_at(settings, "container-above-maximum", place, message, f"{MAXIMUM_MB} of {asked_mb} or more")
    elif 0 < node_mb < asked_mb:
        message = f"{name} is {asked_mb} MB, and no node has more than {node_mb} MB: no such container starts"
        yield found_at(settings, "container-above-maximum", place, message, f"at most {node_mb}")
