"""Alibaba's openb tables (cluster-trace-gpu-v2023): pods and nodes as CSV with a line of names.

A pod becomes an application of one container without a master. GPUs are not simulated.
"""

from collections.abc import Iterator
from math import ceil
from typing import Final

from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.formats.traces.tables import Columns, Row, rows

PODS: Final = b"name,cpu_milli,memory_mib"
NODES: Final = b"sn,cpu_milli,memory_mib"
MAX_NODES: Final = 100_000
ONE: Final = "one container without an application master, vcores rounded up"
QUEUE: Final = "the pod's quality of service"
USER: Final = "one user for all pods"
LIFE: Final = "duration of what was not scheduled: from its creation to its deletion"
AT_ONCE: Final = "the table has no times: all arrive at once"
GPU_POD: Final = "GPUs of pods, which are not simulated"
GPU_NODE: Final = "GPUs of nodes, which are not simulated"


def read_openb_pods(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The pods of a table."""
    for number, row in rows(source, Columns()):
        cpu, memory_mb = whole(row.get("cpumilli")), whole(row.get("memorymib"))
        if cpu is None or memory_mb is None or not row.get("name"):
            source.fault("a pod has a name, a cpu_milli and a memory_mib", number)
            continue
        if whole(row.get("numgpu"), 1):
            source.report.drop(GPU_POD)
        yield _pod(row, max(1, ceil(cpu / 1000)), max(1, memory_mb), rules)


def _pod(row: Row, vcores: int, memory_mb: int, rules: MappingRules) -> TraceApplication:
    created, deleted = whole(row.get("creationtime")), whole(row.get("deletiontime"))
    scheduled = whole(row.get("scheduledtime"))
    inferred = {"containers": ONE, "user": USER}
    if row.get("qos"):
        inferred["queue"] = QUEUE
    duration_ms = rules.duration_ms
    if created is None:
        inferred["arrival"] = AT_ONCE
    if deleted is None or created is None:
        inferred["duration"] = rules.duration_rule
    elif scheduled is None:
        inferred["duration"] = LIFE
        duration_ms = (deleted - created) * 1000
    else:
        duration_ms = (deleted - scheduled) * 1000
    return TraceApplication(
        id=words(row.get("name")),
        name=words(row.get("name")),
        submitted_ms=(created or 0) * 1000,
        finished_ms=None if deleted is None else deleted * 1000,
        tasks=(TraceTasks("container", 1, (duration_ms,), memory_mb, vcores),) if duration_ms > 0 else (),
        user="pods",
        queue=words(row.get("qos")) or None,
        state=words(row.get("podphase")),
        has_master=False,
        inferred=inferred,
    )


def read_openb_nodes(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The machines of a table, which holds no applications."""
    for number, row in rows(source, Columns()):
        host, cpu, memory_mb = words(row.get("sn")), whole(row.get("cpumilli")), whole(row.get("memorymib"), 1)
        if not host or cpu is None or memory_mb is None:
            source.fault("a node has an sn, a cpu_milli and a memory_mib", number)
            continue
        if whole(row.get("gpu"), 1):
            source.report.drop(GPU_NODE)
        if len(source.report.nodes) < MAX_NODES:
            source.report.add_node(TraceNode(host, None, memory_mb, max(1, cpu // 1000)))
    yield from ()
