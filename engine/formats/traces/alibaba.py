"""Alibaba's batch tables of 2018 (cluster-trace-v2018): `batch_task`, and the machines of `machine_meta`.

A job asks for the instances of each of its tasks when the task began, so that what depended on what follows from the
instants. All instances of a task run as long as the task did.

Source: schema.txt of cluster-trace-v2018.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.formats.traces.tables import Columns, Row, fraction, rows, seconds_ms

TASKS: Final = (
    rb"[^,\n]*,[\d.]*,j_\d+,[^,\n]*,[A-Z][a-z]+,[\d.]*,[\d.]*,[\d.]*,[\d.]*\r?\n"
    rb"|(?i:(?=[^\n]*job.?name)(?=[^\n]*instance.?num)(?=[^\n]*start.?time)[^\n]*task.?name)"
)
MACHINES: Final = rb"m_\d+,\d*,[^,\n]*,[^,\n]*,\d*,[\d.]*,[A-Z]+\r?\n|(?i:machine.?id,[^\n]*cpu.?num,\s*mem.?size)"
INSTANCES: Final = rb"[^,\n]*,[^,\n]*,j_\d+,[^,\n]*,[A-Z][a-z]+,\d*,\d*,(?:m_\d+)?,\d*,\d*,"
"""How the table of instances begins, which is not read."""

_TASK: Final = Columns(
    ("taskname", "instancenum", "jobname", "tasktype", "status", "starttime", "endtime", "plancpu", "planmem")
)
_MACHINE: Final = Columns(("machineid", "timestamp", "failuredomain1", "failuredomain2", "cpunum", "memsize", "status"))
AT: Final = "its first task began; what it depended on is not in the table"
EACH: Final = "every instance runs as long as its task did, at least a second"
TO_END: Final = "duration of what has not ended: to the last instant of the table"
NOT_STARTED: Final = "tasks that never started"
BACKWARDS: Final = "tasks that end before they start"
WHOLE: Final = 100.0
"""Memory is a percentage of the largest machine's, and so are processors of one."""


def read_alibaba_tasks(sources: Sequence[TraceSource], rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of the pieces of a table, in the order of their first tasks."""
    report = sources[0].report
    report.machine_size = rules.machine_mb, rules.machine_vcores
    jobs: dict[str, list[tuple[int, int | None, int, int, int, str]]] = {}
    last_ms = 0
    for source in sources:
        for number, row in rows(source, _TASK):
            count, job = whole(row.get("instancenum"), 1, 10_000_000), row.get("jobname")
            begin_ms, end_ms = seconds_ms(row.get("starttime")), seconds_ms(row.get("endtime")) or None
            last_ms = max(last_ms, begin_ms or 0, end_ms or 0)
            if not job:
                source.fault("a task has a job_name", number)
            elif not begin_ms or row.get("status") in ("Waiting", "Ready"):
                report.drop(NOT_STARTED)
            elif count is None:
                source.fault("a task that started has an instance_num", number)
            elif end_ms is not None and end_ms < begin_ms:
                report.drop(BACKWARDS)
            else:
                task = begin_ms, end_ms, count, *_size(row, rules), words(row.get("status"))
                jobs.setdefault(job, []).append(task)
    for job, tasks in sorted(jobs.items(), key=lambda each: min(task[0] for task in each[1])):
        first_ms = min(task[0] for task in tasks)
        inferred = {"arrival": AT, "duration": EACH, "memory and vcores": rules.machine_rule}
        if any(end_ms is None for _, end_ms, *_ in tasks):
            inferred["end"] = TO_END
        yield TraceApplication(
            id=words(job),
            name=words(job),
            submitted_ms=first_ms,
            finished_ms=max(last_ms if task[1] is None else task[1] for task in tasks),
            tasks=tuple(
                TraceTasks(
                    "container",
                    count,
                    (max(1000, (last_ms if end_ms is None else end_ms) - begin_ms),),
                    memory_mb,
                    vcores,
                    at_ms=begin_ms - first_ms,
                )
                for begin_ms, end_ms, count, memory_mb, vcores, _ in sorted(tasks, key=lambda task: task[0])
            ),
            state=next((state for *_, state in tasks if state != "Terminated"), "Terminated"),
            has_master=False,
            inferred=inferred,
        )


def _size(row: Row, rules: MappingRules) -> tuple[int, int]:
    """Memory [MB] and vcores of an instance."""
    part = fraction(row.get("planmem"), WHOLE)
    cores = fraction(row.get("plancpu"), WHOLE * 10_000)
    memory_mb = rules.container_mb if part is None else max(1, ceil(part / WHOLE * rules.machine_mb))
    return memory_mb, rules.container_vcores if cores is None else max(1, ceil(cores / WHOLE))


def read_alibaba_machines(sources: Sequence[TraceSource], rules: MappingRules) -> Iterator[TraceApplication]:
    """The machines of a table, which holds no applications."""
    for source in sources:
        source.report.note(rules.machine_rule)
        for number, row in rows(source, _MACHINE):
            host, cores = words(row.get("machineid")), whole(row.get("cpunum"), 1, 100_000)
            part = fraction(row.get("memsize"), WHOLE)
            if not host or cores is None or part is None:
                source.fault("a machine has a machine_id, a cpu_num and a mem_size", number)
            else:
                source.report.add_node(TraceNode(host, None, max(1, int(part / WHOLE * rules.machine_mb)), cores))
    yield from ()
