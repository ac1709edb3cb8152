"""Job history of MapReduce 1: records such as `Task TASKID="…" TASK_TYPE="MAP" START_TIME="…" .`; one job a file.

A record ends with a dot behind a blank, and may hold lines of its own, as an error's do; quotes, dots and equal signs
within a value are escaped. Trackers write the times of attempts by their own clocks, the JobTracker those of tasks: an
attempt's duration is its tracker's, and the end of its task says when that was.

Source: JobHistory, JobHistoryParser, JobInProgress#initTasks, Hadoop 0.20 to 1.2; EventWriter, EventReader,
JobHistoryParser, TaskAttemptImpl#updateMillisCounters, Hadoop 0.23 to 3.4 (mapreduce.jobhistory.jhist.format).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.errors import ConfigError
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import STANDARD_INPUT, is_there
from engine.formats.traces.application import Kind, MappingRules, TraceApplication, TraceNode, whole, words
from engine.formats.traces.json_objects import JsonObject
from engine.formats.traces.parsing import LONGEST, AvroError, AvroReader
from engine.formats.traces.report import LAST, OBSERVED, ImportReport, TaskAttempt, TaskAttempts
from engine.formats.traces.rm_timeline import LoggedCluster
from engine.formats.traces.source import TraceSource
from engine.formats.xml import decode_xml, parse_document
from engine.model.mr1.tracker import host_of
from engine.settings.mapreduce1 import MAP_SLOTS, REDUCE_SLOTS
from engine.settings.mapreduce1 import SLOW_START as OLD_SLOW_START
from engine.settings.site import SLOW_START

# The configuration of a MapReduce job, which the history server keeps beside its history as `JOB_conf.xml`.

LARGEST: Final = 64 * 1024 * 1024  # The largest configuration that is read [bytes]
SUFFIXES: Final = ("", ".gz")


def is_job_configuration(path: Path) -> bool:
    """Tell whether a file is a Hadoop configuration, packed or not; the standard input, read once only, is none."""
    if path == STANDARD_INPUT:
        return False
    try:
        with TraceSource.of_file(path, ImportReport()) as source:
            head = source.head.lstrip()
            return head.startswith(b"<") and b"<configuration" in head
    except ConfigError:
        return False


def configured(source: TraceSource, job: str) -> Mapping[str, str]:
    """The properties of a job: of a file that was named with its history, else of the one beside it; none without."""
    for path in _places(source, job):
        try:
            with TraceSource.of_file(path, ImportReport()) as opened:
                text = decode_xml(opened.stream.read(LARGEST), str(path))
            return read_configurations([path], parsed={path: parse_document(text, str(path)).root}).values
        except ConfigError as error:
            source.fault(f"{path.name} cannot be read: {error.first_line}", 0)
    return {}


def _places(source: TraceSource, job: str) -> Iterator[Path]:
    """Where the configuration of a job may be; one that names no job is that of any."""
    named = source.report.configurations
    yield from (path for path in named if job and job in path.name)
    yield from (path for path in named if "job_" not in path.name)
    beside = Path(source.name).parent
    if job:
        yield from (path for suffix in SUFFIXES if is_there(path := beside / f"{job}_conf.xml{suffix}"))


def _slow_start_of(values: Mapping[str, str]) -> float | None:  # None where nothing says it
    for key in (SLOW_START, OLD_SLOW_START.name):
        try:
            part = float(values.get(key, "-1"))
        except ValueError:
            continue
        if 0 <= part <= 1:
            return part
    return None


def size_of(values: Mapping[str, str], memory: str, vcores: str) -> tuple[int | None, int | None]:
    """Memory [MB] and vcores that two properties state, 1 vcore where only the memory is; None where nothing is."""
    memory_mb = whole(values.get(memory), 1, 2**31 - 1)
    return memory_mb, None if memory_mb is None else whole(values.get(vcores), most=2**31 - 1) or 1


# MapReduce job history (.jhist): a line with Avro's schema, then the events; one job a file.
#
# Hadoop 2 writes an event a line (Avro-Json), Hadoop 3 Avro's binary encoding (Avro-Binary). Of a task the last
# attempt that succeeded counts; where none did, the last that ended.

FORMAT_LINE: Final = "Avro-Json"
BINARY: Final = b"Avro-Binary\n"
ENDS: Final = {"JOB_FINISHED": "SUCCEEDED", "JOB_FAILED": "FAILED", "JOB_KILLED": "KILLED", "JOB_ERROR": "ERROR"}
STARTS: Final = {"TASK_STARTED": "taskid", "MAP_ATTEMPT_STARTED": "attemptId", "REDUCE_ATTEMPT_STARTED": "attemptId"}
"""Event → the field that names what started."""
TASK_ENDS: Final = ("TASK_FINISHED", "TASK_FAILED")
KINDS: Final[tuple[Kind, ...]] = ("map", "reduce")
MASTER_VCORES: Final = "yarn.app.mapreduce.am.resource.cpu-vcores"
CONFIGURED: Final = "as the job's configuration beside its history states"
COUNTED: Final = "as the job's counters state (MB_MILLIS, VCORES_MILLIS and MILLIS of its tasks)"
COUNTED_KINDS: Final[Mapping[Kind, str]] = {"map": "MAPS", "reduce": "REDUCES"}
_Sizes = dict[Kind, tuple[int, int]]
IN_MASTER: Final = "its master alone, in which all tasks ran one after another (uberized)"


class _JobHistory(ABC):  # What histories of both kinds know of their job
    def __init__(self, source: TraceSource, rules: MappingRules) -> None:
        self._source, self._rules = source, rules
        self._job: JsonObject = {}
        self.submitted_ms: int | None = None
        self._started: dict[str, int] = {}  # task or attempt → when it started
        self._attempts = TaskAttempts(source.report)

    def told(self, submission: str) -> Iterator[TraceApplication]:
        if self.submitted_ms is None:
            self._source.fault(f"the history has no {submission}", 0)
            return
        if self._started:
            self._source.report.drop("tasks and attempts that had not ended", len(self._started))
        yield self.application(self.submitted_ms)

    @abstractmethod
    def application(self, submitted_ms: int) -> TraceApplication:
        """The job, once all of its history was taken."""

    def _with_tasks(
        self, job: TraceApplication, values: Mapping[str, str], memory: str, vcores: str, counted: _Sizes
    ) -> TraceApplication:
        stated, observed = _slow_start_of(values), self._attempts.slow_start()
        slow_start = observed if stated is None else stated
        waits = slow_start is not None and slow_start < 1
        sizes = {kind: size_of(values, memory.format(kind), vcores.format(kind)) for kind in KINDS}
        by_counters = {kind: size for kind, size in counted.items() if sizes[kind][0] is None}
        ran = (self._attempts.tasks(kind, *by_counters.get(kind, size), waits=waits) for kind, size in sizes.items())
        tasks = tuple(tasks for tasks in ran if tasks.count)
        has_sizes = all(each.memory_mb is not None for each in tasks)
        rule = (COUNTED if by_counters else CONFIGURED) if has_sizes else self._rules.size_rule
        inferred = {"memory and vcores": rule}
        if any(each.kind == "reduce" for each in tasks):
            inferred["slow start"] = CONFIGURED if stated is not None else LAST if observed is None else OBSERVED
        return msgspec.structs.replace(job, tasks=tasks, slow_start=slow_start, inferred=inferred)


def read_job_history(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    history = _History(source, rules)
    has_begun = False
    if source.head.startswith(BINARY):
        _read_binary(source, history)
    for number, line in source.lines():
        if line.strip() == FORMAT_LINE:
            has_begun = True
        elif has_begun and line.startswith('{"type":"record"'):
            continue
        elif has_begun:
            history.read(line, number)
    yield from history.told("JOB_SUBMITTED")


def _read_binary(source: TraceSource, history: "_History") -> None:
    stream = source.stream
    _, schema = stream.readline(LONGEST), stream.readline(LONGEST)
    try:
        reader = AvroReader(schema, stream)
        while stream.peek(1):
            history.take_event(reader.record(), 0)
    except AvroError as error:
        source.fault(f"the history cannot be read further: {error}", 0)


class _History(_JobHistory):
    def __init__(self, source: TraceSource, rules: MappingRules) -> None:
        super().__init__(source, rules)
        self._ended_ms: int | None = None
        self._state = ""
        self._is_uber = False
        self._counters: Any = None

    def read(self, line: str, number: int) -> None:
        try:
            event = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            event = None
        self.take_event(event, number)

    def take_event(self, event: Any, number: int) -> None:
        try:
            kind, fields = event["type"], next(iter(event["event"].values()))
        except (KeyError, TypeError, AttributeError, StopIteration):
            self._source.fault("this is not an event of a job's history", number)
            return
        if isinstance(fields, dict) and isinstance(kind, str):
            self._take(kind, fields)

    def _take(self, kind: str, fields: JsonObject) -> None:
        if kind == "JOB_SUBMITTED":
            self._job = fields
            self.submitted_ms = whole(fields.get("submitTime"))
        elif kind == "JOB_INITED":
            self._is_uber = fields.get("uberized") is True
        elif kind == "JOB_QUEUE_CHANGED":
            self._job["jobQueueName"] = fields.get("jobQueueName")
        elif kind in ENDS:
            self._state = ENDS[kind]
            self._ended_ms = whole(fields.get("finishTime"), 1)
            self._counters = fields.get("totalCounters")
        elif kind in STARTS:
            started_ms = whole(fields.get("startTime"))
            if started_ms is not None:
                self._started[words(fields.get(STARTS[kind]))] = started_ms
        elif kind in TASK_ENDS:
            self._started.pop(words(fields.get("taskid")), None)
        elif "_ATTEMPT_" in kind:
            self._end_attempt(kind, fields)

    def _end_attempt(self, event: str, fields: JsonObject) -> None:
        started_ms = self._started.pop(words(fields.get("attemptId")), None)
        if started_ms is None:  # the line of its start could not be read
            started_ms = self._started.get(words(fields.get("taskid")))
        ended_ms = whole(fields.get("finishTime"))
        if started_ms is None or ended_ms is None or ended_ms < started_ms:
            return
        host = words(fields.get("hostname"))
        self._source.report.add_node(TraceNode(host, words(fields.get("rackname")) or None))
        kind: Kind = "reduce" if event.startswith("REDUCE") else "map"
        is_success = event.endswith("_FINISHED")
        self._attempts.add(words(fields.get("taskid")), TaskAttempt(kind, started_ms, ended_ms, host, is_success))

    def application(self, submitted_ms: int) -> TraceApplication:
        values = configured(self._source, words(self._job.get("jobid")))
        master_mb, master_vcores = size_of(values, "yarn.app.mapreduce.am.resource.mb", MASTER_VCORES)
        queue = self._job.get("jobQueueName")
        if isinstance(queue, dict):  # a union, with the type of what it holds
            queue = next(iter(queue.values()), None)
        job = TraceApplication(
            id=words(self._job.get("jobid")),
            name=words(self._job.get("jobName")),
            submitted_ms=submitted_ms,
            finished_ms=self._ended_ms,
            behaviour="mapreduce",
            user=words(self._job.get("userName")) or None,
            queue=words(queue) or None,
            state=self._state,
            master=None if master_mb is None else (master_mb, master_vcores or 1),
        )
        ran = [self._attempts.tasks(kind, None, None, waits=False) for kind in KINDS]
        ran_ms = round(sum(tasks.mean_ms * tasks.count for tasks in ran))
        if self._is_uber and ran_ms:
            inferred = {"containers": IN_MASTER} | ({} if job.master else {"memory and vcores": self._rules.size_rule})
            return msgspec.structs.replace(job, behaviour="containers", master_ms=ran_ms, inferred=inferred)
        counted = _counted(self._counters)
        return self._with_tasks(job, values, "mapreduce.{}.memory.mb", "mapreduce.{}.cpu.vcores", counted)


def _counted(counters: Any) -> _Sizes:
    """Memory [MB] and vcores of the containers of each kind, as the counters of a job that ended well state them."""
    try:
        rows = [row for group in counters["groups"] for row in group["counts"]]
        named = {words(row["name"]): whole(row["value"]) or 0 for row in rows}
    except (TypeError, KeyError):
        return {}
    found: _Sizes = {}
    for kind, word in COUNTED_KINDS.items():
        ran_ms = named.get(f"MILLIS_{word}", 0)
        memory_mb, vcores = (
            round(named.get(f"{unit}_MILLIS_{word}", 0) / ran_ms) if ran_ms else 0 for unit in ("MB", "VCORES")
        )
        if memory_mb > 0:
            found[kind] = memory_mb, max(1, vcores)
    return found


BEGINNING: Final = rb'(?:Meta VERSION="\d+" \.|Job JOBID="job_[^"\n]+" [A-Z_]+=")'
MOST_LINES: Final = 10_000  # Most lines of one record
_FIELD: Final = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
OLD_KINDS: Final[Mapping[str, Kind]] = {"MAP": "map", "REDUCE": "reduce"}
SCHEDULERS: Final = {"FairScheduler": "mr1-fair", "CapacityTaskScheduler": "mr1-capacity"}
"""Class that the JobTracker schedules with → policy; JobQueueTaskScheduler is the default."""
NAMED: Final = "MapReduce 1"

Record = Mapping[str, str]


def read_mr1_history(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    history = _OldHistory(source, rules)
    for kind, fields in _records(source):
        history.take(kind, fields)
    yield from history.told("SUBMIT_TIME")


def _records(source: TraceSource) -> Iterator[tuple[str, Record]]:
    first, pieces = 0, list[str]()
    for number, line in source.lines():
        first = first if pieces else number
        pieces.append(line)
        if not line.rstrip().endswith(" .") and len(pieces) < MOST_LINES:
            continue
        text, pieces = "\n".join(pieces), []
        fields = {key: _ESCAPED.sub(r"\1", value) for key, value in _FIELD.findall(text)}
        if not fields:
            source.fault("this is not a record of a job's history", first)
        else:
            yield text.partition(" ")[0], fields
    if pieces:
        source.fault("this record has no end", first)


class _OldHistory(_JobHistory):  # Attempts start by the clocks of their trackers
    def __init__(self, source: TraceSource, rules: MappingRules) -> None:
        super().__init__(source, rules)
        self._ended: dict[str, list[TaskAttempt]] = {}  # task that has not ended → its attempts that have

    def take(self, kind: str, fields: Record) -> None:
        if kind == "Job":
            self._job |= fields
            self.submitted_ms = whole(self._job.get("SUBMIT_TIME"))
        elif kind == "Task" and fields.get("TASK_TYPE") in OLD_KINDS:
            ended_ms = whole(fields.get("FINISH_TIME"), 1)
            if ended_ms is not None:
                self._end(fields.get("TASKID", ""), ended_ms)
        elif kind in ("MapAttempt", "ReduceAttempt") and fields.get("TASK_TYPE") in OLD_KINDS:
            self._take_attempt(fields)
        elif kind == "Task" and "START_TIME" in fields:
            self._source.report.drop("tasks that set a job up or clean up behind it")

    def _take_attempt(self, fields: Record) -> None:
        identity = fields.get("TASK_ATTEMPT_ID", "")
        started_ms = whole(fields.get("START_TIME"), 1)
        if started_ms is not None:
            self._started[identity] = started_ms
        ended_ms = whole(fields.get("FINISH_TIME"), 1)
        if ended_ms is None:
            return
        begun_ms = self._started.pop(identity, None)
        rack, _, host = words(fields.get("HOSTNAME")).rpartition("/")
        host = host or words(host_of(fields.get("TRACKER_NAME", "")))
        self._source.report.add_node(TraceNode(host, rack or None))
        if begun_ms is not None and ended_ms >= begun_ms:
            is_success = fields.get("TASK_STATUS") == "SUCCESS"
            attempt = TaskAttempt(OLD_KINDS[fields["TASK_TYPE"]], begun_ms, ended_ms, host, is_success)
            self._ended.setdefault(fields.get("TASKID", ""), []).append(attempt)

    def _end(self, task: str, ended_ms: int) -> None:
        for each in self._ended.pop(task, ()):
            self._attempts.add(
                task, each._replace(started_ms=ended_ms - (each.ended_ms - each.started_ms), ended_ms=ended_ms)
            )

    def application(self, submitted_ms: int) -> TraceApplication:
        for task, attempts in list(self._ended.items()):  # killed with the job: no line ends these tasks
            self._end(task, max(each.ended_ms for each in attempts))
        values = configured(self._source, self._job.get("JOBID", ""))
        self._tell_cluster(values)
        job = TraceApplication(
            id=words(self._job.get("JOBID")),
            name=words(self._job.get("JOBNAME")),
            submitted_ms=submitted_ms,
            finished_ms=whole(self._job.get("FINISH_TIME"), 1),
            behaviour="mapreduce",
            user=words(self._job.get("USER")) or None,
            queue=words(self._job.get("JOB_QUEUE")) or words(values.get("mapred.job.queue.name")) or None,
            state=words(self._job.get("JOB_STATUS")),
        )
        return self._with_tasks(job, values, "mapred.job.{}.memory.mb", "", {})

    def _tell_cluster(self, values: Mapping[str, str]) -> None:
        if self._source.report.logged.policy:
            return
        scheduler = values.get("mapred.jobtracker.taskScheduler", "").rpartition(".")[2]
        slots = {key.name: values[key.name] for key in (MAP_SLOTS, REDUCE_SLOTS) if whole(values.get(key.name), 1)}
        self._source.report.logged = LoggedCluster(SCHEDULERS.get(scheduler, "mr1-fifo"), NAMED, slots)
