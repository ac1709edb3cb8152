"""Containers of MapReduce that are larger than any that a cluster gives.

Source: SchedulerUtils#validateResourceRequest, MRJobConfig, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterator
from typing import Final

from engine.formats.finding import Finding, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.settings.site import MAXIMUM_MB

_MASTER: Final = "yarn.app.mapreduce.am.resource.mb"
_TASKS: Final = ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
_MASTER_MB: Final = 1536
"""Source: MRJobConfig.DEFAULT_MR_AM_VMEM_MB."""


def container_findings(settings: HadoopConfiguration, most_mb: int, node_mb: int) -> Iterator[Finding]:
    """Sizes above the largest container, or above the largest node; 0 where nobody knows the nodes."""
    values = settings.values
    for key in (*_TASKS, _MASTER):
        text = values.get(key, "").strip()
        if text.isdecimal():
            yield from _too_large(settings, key, int(text), (most_mb, node_mb), key)
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
