"""Standard Workload Format: one job of a batch system a line, 18 numbers, with a header of comments (`;`).

A job is rigid: its processors are wanted together and begin together, so that it is one container of the one node that
stands for the machine. YARN allocates the containers of an application one after another: jobs of several containers
would block each other, each holding a part of what it needs. Two longer forms are read, too, as Alea uses
them: 21 columns that end with nodes, a queue's name and a request; and tab-separated ones below a line of names.

Source: Parallel Workloads Archive, version 2.2; sacct(1) of Slurm.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import accumulate
from typing import Final, NamedTuple

from engine.formats.traces.application import MappingRules, TraceApplication, TraceTasks, whole, words
from engine.formats.traces.source import TraceSource

COLUMNS: Final = 18
LONG: Final = 21
MAX_PROCESSORS: Final = 1_000_000
HEADER: Final = re.compile(r";\s*(UnixStartTime|MaxNodes|MaxProcs):\s*([\d,]+)")
WAIT, STATUS, PRECEDING = 2, 10, 16  # Places of columns
SWF_PROCESSORS: Final = "MaxProcs"
"""The key of the header that says how many processors the machine has; its nodes may have several each."""
PARTS: Final = (2, 3, 4)  # Status of a part: to be continued, the last one, the last one that failed
STATES: Final = {0: "FAILED", 1: "SUCCEEDED", 5: "KILLED"}

PROPORTIONAL: Final = "in proportion to its processors, since FIFO compares memory alone; that of the log is not taken"
QUEUE: Final = "the number of the queue or, without one, of the partition"
UNKNOWN_SIZE: Final = "1 processor, since the log states none"
MORE_BUSY: Final = "jobs of {most} processors ran at once, more than {name} has: some wait here that did not"
ON_NODES: Final = "jobs of {most} processors ran at once, more than {name}: the machine has as many, several on a node"


class _BusyProcessors:  # When jobs ran, and on how many processors
    def __init__(self) -> None:
        self._changes: list[tuple[int, int]] = []
        self._largest = 0
        self.is_timed = False  # whether any job has a start and an end
        self.named = ""  # the word by which the log names how large its machine is; empty where it does not

    def add(self, job: TraceApplication, started_ms: int | None, ended_ms: int | None) -> None:
        # By itself where the log does not say when it ran
        processors = sum(tasks.count * (tasks.vcores or 1) for tasks in job.tasks)
        self._largest = max(self._largest, processors)
        if processors and started_ms is not None and ended_ms is not None and started_ms < ended_ms:
            self.is_timed = True
            self._changes += ((started_ms, processors), (ended_ms, -processors))

    @property
    def most(self) -> int:  # A job that begins when another ends may have its processors
        return max(self._largest, max(accumulate(change for _, change in sorted(self._changes)), default=0))


class _SwfForm(NamedTuple):  # The meaning of the memory fields
    is_memory_of_job: bool  # Whether it is that of all processors together
    memory_unit: int  # Bytes in one


STANDARD: Final = _SwfForm(is_memory_of_job=False, memory_unit=1024)
WITH_NAMES: Final = _SwfForm(is_memory_of_job=True, memory_unit=1024)
WITH_NODES: Final = _SwfForm(is_memory_of_job=True, memory_unit=1)


def read_swf(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    busy = _BusyProcessors()
    try:
        yield from _swf_jobs(source, rules, busy)
    finally:  # also where only some of them are taken
        _prove(busy, source)


def _prove(busy: _BusyProcessors, source: TraceSource) -> None:
    """Keep the machine that the jobs prove; a number of processors that the log names holds."""
    machine, most = source.report.machine, busy.most
    if busy.named and machine is not None and most > machine.processors:
        sentence = MORE_BUSY if busy.named == SWF_PROCESSORS else ON_NODES
        source.report.note(sentence.format(most=most, name=busy.named))
    if most and busy.named != SWF_PROCESSORS:
        source.report.add_machine(most, is_named=bool(busy.named), is_timed=busy.is_timed)


def _swf_jobs(source: TraceSource, rules: MappingRules, busy: _BusyProcessors) -> Iterator[TraceApplication]:
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
        wait_s = numbers[WAIT]
        is_known = wait_s is not None and wait_s >= 0
        started_ms = application.submitted_ms + (wait_s or 0) * 1000 if is_known else None
        busy.add(application, started_ms, application.finished_ms)
        yield application


def _header(line: str, source: TraceSource, start_s: int, busy: _BusyProcessors) -> int:
    match = HEADER.match(line)
    if match is None:
        return start_s
    number = match[2].replace(",", "")
    if match[1] == "UnixStartTime":
        return whole(number) or start_s
    processors = whole(number, 1, MAX_PROCESSORS)
    if processors is not None:
        busy.named = SWF_PROCESSORS if SWF_PROCESSORS in (match[1], busy.named) else match[1]
        source.report.add_machine(processors, is_named=True)
        source.report.note(f"the log says {match[1]}: {number}")
    return start_s


def _application(numbers: list[int], queue: str, start_s: int, form: _SwfForm, rules: MappingRules) -> TraceApplication:
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


def _memory_mb(amount: int, processors: int, form: _SwfForm) -> int | None:
    if amount <= 0 or processors <= 0:
        return None
    each = amount * form.memory_unit / (processors if form.is_memory_of_job else 1)
    return max(1, round(each / 1024 / 1024))


# SWIM traces: for each job its arrival and how many bytes it reads, shuffles and writes; tab-separated, no header.
#
# Columns: job, submit second, gap to the job before, bytes of input, shuffle and output, then paths, which are not
# looked at. What runs is inferred: a map for each split of the input, a reduce for each so many bytes of the shuffle,
# each for the time its bytes take at a rate.

SWIM_COLUMNS: Final = 6


def read_swim(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    inferred = rules.byte_rules  # one for all of them
    for number, line in source.lines():
        application = _swim_application(line.split("\t"), rules, inferred)
        if application is None:
            source.fault("a line has a job, its second, the gap before it and three numbers of bytes", number)
        else:
            yield application


def _swim_application(columns: list[str], rules: MappingRules, inferred: Mapping[str, str]) -> TraceApplication | None:
    numbers = [whole(column) for column in columns[1:SWIM_COLUMNS]]
    if len(columns) < SWIM_COLUMNS or any(number is None for number in numbers):
        return None
    second, _, read, shuffled, written = (number or 0 for number in numbers)
    maps, reduces = rules.maps(read), rules.reduces(shuffled)
    # A job without reduces writes its output from its maps; one with reduces writes there what is shuffled.
    map_ms = rules.map_ms((read + (shuffled if reduces else written)) / maps)
    tasks = [TraceTasks("map", maps, (map_ms,))]
    if reduces:
        tasks.append(TraceTasks("reduce", reduces, (rules.reduce_ms((shuffled + written) / reduces),)))
    return TraceApplication(
        id=words(columns[0]),
        name=words(columns[0]),
        submitted_ms=second * 1000,
        tasks=tuple(tasks),
        behaviour="mapreduce",
        inferred=inferred,
    )


# Slurm's accounting as `sacct -P` writes it: a line of names between bars, then a job or a step of one a line.
#
# Columns are found by their names, in any order. Tabs and commas separate them, too; without -P they stand below one
# another, as wide as the dashes in the second line. A job is taken as one of a batch log is; its steps are left out.

NAMES: Final = rb"(?:\w+[|\t,;])*JobID(?:Raw)?[|\t,;\r\n]|\s*(?:\w+ +)*JobID(?:Raw)? [^\n]*\n[- ]+\r?\n"
PROCESSORS: Final = ("AllocCPUS", "NCPUS", "ReqCPUS")
"""Columns of the processors of a job; the first that is above 0 counts."""
RESOURCES: Final = ("AllocTRES", "ReqTRES")
"""Columns of all its resources, as `billing=4,cpu=4,mem=8G,node=1`; looked at where no other one says."""
STEP: Final = "steps of jobs, whose processors are those of the job"
OTHER_COLUMNS: Final = "this line has {found} columns, and that of the names {wanted}"
NO_TIMES: Final = "it has no times; ask sacct -P -o JobID,User,Partition,Submit,Start,End,Elapsed,AllocCPUS,State"
_ELAPSED: Final = re.compile(r"(?:(?:(\d{1,6})-)?(\d{1,3}):)?(\d{1,3}):(\d\d)(?:\.\d{1,6})?")
_ZONE: Final = re.compile(r"[+-]\d\d:?\d\d$|Z$|^\d+$")

_CPU: Final = re.compile(r"(?:^|,)cpu=(\d+)")

Row = Mapping[str, str]


def read_sacct(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The jobs of the table, in its order; sacct never writes how large the machine is."""
    busy = _BusyProcessors()
    try:
        yield from _jobs(source, rules, busy)
    finally:  # also where only some of them are taken
        _prove(busy, source)


def _jobs(source: TraceSource, rules: MappingRules, busy: _BusyProcessors) -> Iterator[TraceApplication]:
    names: list[str] = []
    for number, columns in _cells(source):
        if not names:
            names = columns
            if not {"Submit", "Start"} & set(names):
                source.fault(NO_TIMES, number)
                return
            continue
        if columns == names:  # of another call behind the first
            continue
        if len(columns) != len(names):
            source.fault(OTHER_COLUMNS.format(found=len(columns), wanted=len(names)), number)
            continue
        row = dict(zip(names, columns, strict=True))
        identity = row.get("JobID") or row.get("JobIDRaw", "")
        submitted_ms = _instant_ms(row.get("Submit") or row.get("Start", ""))
        if "." in identity:
            source.report.drop(STEP)
        elif not identity or submitted_ms is None:
            source.fault("a job has a JobID, and a Submit or a Start", number)
        else:
            if not _ZONE.search(row.get("Submit") or row.get("Start", "")):
                source.report.note("sacct writes no time zone: its times are taken as UTC")
            job = _job(identity, row, submitted_ms, rules)
            started_ms = _instant_ms(row.get("Start", ""))
            so_far_ms = (started_ms or 0) + (_elapsed_ms(row) or 0)  # of one that still runs
            busy.add(job, started_ms, so_far_ms if job.finished_ms is None else job.finished_ms)
            yield job


def _cells(source: TraceSource) -> Iterator[tuple[int, list[str]]]:
    lines = source.lines()
    first, names = next(lines, (0, ""))
    sign = next((each for each in "|\t;," if each in names), None)
    _, dashes = (0, "") if sign is not None else next(lines, (0, ""))
    places = [slice(*match.span()) for match in re.finditer("-+", dashes)]
    yield first, [each.strip() for each in names.split(sign)]
    for number, line in lines:
        cells = [line[place] for place in places] if sign is None else line.split(sign)
        yield number, [each.strip() for each in cells]


def _job(identity: str, row: Row, submitted_ms: int, rules: MappingRules) -> TraceApplication:
    texts = [row.get(each) for each in PROCESSORS]
    texts += [match[1] for each in RESOURCES if (match := _CPU.search(row.get(each) or ""))]
    inferred = {"containers": rules.processor_rule, "memory": PROPORTIONAL}
    processors = next((found for text in texts if (found := whole(text, 1, MAX_PROCESSORS))), 0)
    if not any(texts):
        processors, inferred["processors"] = 1, UNKNOWN_SIZE
    if _instant_ms(row.get("Submit", "")) is None:
        inferred["arrival"] = "its start, since the log states no submission: nothing waited"
    started_ms, ended_ms = _instant_ms(row.get("Start", "")), _instant_ms(row.get("End", ""))
    run_ms = _elapsed_ms(row)
    if run_ms is None and started_ms is not None and ended_ms is not None:
        run_ms = ended_ms - started_ms
    runs = processors > 0 and run_ms is not None and run_ms > 0
    return TraceApplication(
        id=words(identity),
        name=words(row.get("JobName")),
        submitted_ms=submitted_ms,
        finished_ms=ended_ms,
        tasks=tuple(tasks_of(processors, run_ms or 0, rules.container_mb, rules)) if runs else (),
        behaviour="containers" if rules.processors is None else "gang",
        user=words(row.get("User")) or None,
        queue=words(row.get("Partition")) or None,
        state=words(row.get("State")).partition(" ")[0].rstrip("+"),
        has_master=False,
        inferred=inferred,
    )


def _instant_ms(text: str) -> int | None:
    """Epoch ms, also of epoch seconds (SLURM_TIME_FORMAT=%s); None of `Unknown`, `None` and the like."""
    if text.isascii() and text.isdigit() and 9 <= len(text) <= 11:
        return int(text) * 1000
    try:
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()) * 1000
    except (ValueError, OverflowError):
        return None


def _elapsed_ms(row: Row) -> int | None:
    """Return how long a job ran.

    >>> _elapsed_ms({"Elapsed": "1-00:00:01"}), _elapsed_ms({"ElapsedRaw": "7"}), _elapsed_ms({})
    (86401000, 7000, None)
    """
    raw_s = whole(row.get("ElapsedRaw"))
    if raw_s is not None:
        return raw_s * 1000
    match = _ELAPSED.fullmatch(row.get("Elapsed", ""))
    if match is None:
        return None
    days, hours, minutes, seconds = (int(each or 0) for each in match.groups())
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
