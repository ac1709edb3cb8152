"""Standard Workload Format: one job of a batch system a line, 18 numbers, with a header of comments (`;`).

A job is rigid: its processors are wanted together and begin together, so that it is one container of the one node that
stands for the machine. YARN allocates the containers of an application one after another: jobs of several containers
would block each other, each holding a part of what it needs. Two longer forms are read, too, as Alea uses
them: 21 columns that end with nodes, a queue's name and a request; and tab-separated ones below a line of names.

Source: Parallel Workloads Archive, version 2.2.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.formats.traces.application import TraceApplication, TraceTasks, whole
from engine.formats.traces.busy import MORE_BUSY, UNKNOWN_SIZE, BusyProcessors
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource

COLUMNS: Final = 18
LONG: Final = 21
MAX_PROCESSORS: Final = 1_000_000
HEADER: Final = re.compile(r";\s*(UnixStartTime|MaxNodes|MaxProcs):\s*(\d+)")
WAIT, STATUS, PRECEDING = 2, 10, 16
"""Places of columns."""
PROCESSORS: Final = "MaxProcs"
"""The key of the header that says how many processors the machine has; its nodes may have several each."""
PARTS: Final = (2, 3, 4)
"""Status of a part: to be continued, the last one, the last one that failed."""
STATES: Final = {0: "FAILED", 1: "SUCCEEDED", 5: "KILLED"}

PROPORTIONAL: Final = "in proportion to its processors, since FIFO compares memory alone; that of the log is not taken"
QUEUE: Final = "the number of the queue or, without one, of the partition"


class SwfForm(NamedTuple):
    """The meaning of the memory fields in a file of one form."""

    is_memory_of_job: bool
    """Whether it is that of all processors together."""
    memory_unit: int
    """Bytes in one."""


STANDARD: Final = SwfForm(is_memory_of_job=False, memory_unit=1024)
WITH_NAMES: Final = SwfForm(is_memory_of_job=True, memory_unit=1024)
WITH_NODES: Final = SwfForm(is_memory_of_job=True, memory_unit=1)


def read_swf(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of a batch system's log."""
    busy = BusyProcessors()
    try:
        yield from _jobs(source, rules, busy)
    finally:  # also where only some of them are taken
        _prove(busy, source)


def _prove(busy: BusyProcessors, source: TraceSource) -> None:
    """Keep the machine that the jobs prove; a number of processors that the log names holds."""
    machine, most = source.report.machine, busy.most
    if busy.named and machine is not None and most > machine.processors:
        source.report.note(MORE_BUSY.format(most=most, name=busy.named))
    if most and busy.named != PROCESSORS:
        source.report.add_machine(most, is_named=bool(busy.named), is_timed=busy.is_timed)


def _jobs(source: TraceSource, rules: MappingRules, busy: BusyProcessors) -> Iterator[TraceApplication]:
    form, start_s, wholes = STANDARD, 0, set[int]()
    for number, line in source.lines():
        if line.startswith(";"):
            start_s = _header(line, source, start_s, busy)
            continue
        columns = line.split()
        if columns[0] == "id":
            form = WITH_NAMES
            continue
        numbers = [whole(column, -1) for column in columns[:COLUMNS]]
        if len(columns) < COLUMNS or numbers[0] is None or numbers[1] is None:
            source.fault(f"a job has {COLUMNS} numbers", number)
            continue
        if numbers[STATUS] in PARTS and numbers[0] in wholes:
            source.report.drop("parts of jobs that were interrupted, whose whole has a line of its own")
            continue
        wholes.add(numbers[0])
        if (numbers[PRECEDING] or -1) > 0:
            source.report.note("jobs that wait for another job are submitted when the log says")
        shape = WITH_NODES if len(columns) >= LONG and form is STANDARD else form
        queue = columns[LONG - 2] if shape is WITH_NODES else ""
        application = _application([-1 if each is None else each for each in numbers], queue, start_s, shape, rules)
        if application.tasks:
            wait_s = numbers[WAIT]
            is_known = wait_s is not None and wait_s >= 0
            started_ms = application.submitted_ms + (wait_s or 0) * 1000 if is_known else None
            processors = sum(tasks.count * (tasks.vcores or 1) for tasks in application.tasks)
            busy.add(processors, started_ms, application.finished_ms)
        yield application


def _header(line: str, source: TraceSource, start_s: int, busy: BusyProcessors) -> int:
    """The start of the log [epoch s] as known after one line of the header."""
    match = HEADER.match(line)
    if match is None:
        return start_s
    if match[1] == "UnixStartTime":
        return whole(match[2]) or start_s
    processors = whole(match[2], 1, MAX_PROCESSORS)
    if processors is not None:
        busy.named = PROCESSORS if PROCESSORS in (match[1], busy.named) else match[1]
        source.report.add_machine(processors, is_named=True)
        source.report.note(f"the log says {match[1]}: {match[2]}")
    return start_s


def _application(numbers: list[int], queue: str, start_s: int, form: SwfForm, rules: MappingRules) -> TraceApplication:
    job, submit_s, wait_s, run_s, used, _, used_memory, asked, _, asked_memory, status, user, *_ = numbers
    queue_number, partition = numbers[14], numbers[15]
    inferred = {"containers": rules.processor_rule}
    processors = min(used if used > 0 else asked, MAX_PROCESSORS)
    if used < 0 and asked < 0:
        processors, inferred["processors"] = 1, UNKNOWN_SIZE
    is_whole = rules.processors is None
    memory_mb = None if is_whole else _memory_mb(asked_memory if asked_memory > 0 else used_memory, processors, form)
    if memory_mb is None:
        inferred["memory"] = PROPORTIONAL if is_whole else f"{rules.container_mb} MB for each processor"
        memory_mb = rules.container_mb
    if not queue:
        inferred["queue"] = QUEUE
    runs = run_s > 0 and processors > 0
    submitted_ms = (submit_s + start_s) * 1000
    return TraceApplication(
        id=str(job),
        submitted_ms=max(0, submitted_ms),
        finished_ms=submitted_ms + (max(0, wait_s) + run_s) * 1000 if runs else None,
        tasks=tuple(tasks_of(processors, run_s * 1000, memory_mb, rules)) if runs else (),
        behaviour="containers" if is_whole else "gang",
        user=f"user{user}" if user >= 0 else None,
        queue=queue or (f"q{queue_number}" if queue_number >= 0 else f"p{partition}" if partition >= 0 else None),
        state=STATES.get(status, ""),
        has_master=False,
        inferred=inferred,
    )


def tasks_of(processors: int, duration_ms: int, memory_mb: int, rules: MappingRules) -> Iterator[TraceTasks]:
    """Containers of as many processors as the rule says, and one of what is left."""
    most = rules.processors or processors
    full, rest = divmod(processors, most)
    for count, size in ((full, most), (1 if rest else 0, rest)):
        if count:
            yield TraceTasks("container", count, (duration_ms,), memory_mb * size, size)


def _memory_mb(amount: int, processors: int, form: SwfForm) -> int | None:
    """Memory of each processor [MB]; None where it is unknown."""
    if amount <= 0 or processors <= 0:
        return None
    each = amount * form.memory_unit / (processors if form.is_memory_of_job else 1)
    return max(1, round(each / 1024 / 1024))
