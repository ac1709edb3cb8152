"""MapReduce job history (.jhist): a line with Avro's schema, then the events; one job a file.

Hadoop 2 writes an event a line (Avro-Json), Hadoop 3 Avro's binary encoding (Avro-Binary). Of a task the last attempt
that succeeded counts; where none did, the last that ended.

Source: EventWriter, EventReader, JobHistoryParser, Hadoop 0.23 to 3.4 (mapreduce.jobhistory.jhist.format).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.errors import ConfigError
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import is_there
from engine.formats.traces.application import Kind, TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.avro_binary import LONGEST, AvroError, AvroReader
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource

FORMAT_LINE: Final = "Avro-Json"
BINARY: Final = b"Avro-Binary\n"
ENDS: Final = {"JOB_FINISHED": "SUCCEEDED", "JOB_FAILED": "FAILED", "JOB_KILLED": "KILLED", "JOB_ERROR": "ERROR"}
STARTS: Final = {
    "TASK_STARTED": "taskid",
    "MAP_ATTEMPT_STARTED": "attemptId",
    "REDUCE_ATTEMPT_STARTED": "attemptId",
}
"""Event → the field that names what started."""
TASK_ENDS: Final = ("TASK_FINISHED", "TASK_FAILED")
KINDS: Final[tuple[Kind, ...]] = ("map", "reduce")
MASTER_VCORES: Final = "yarn.app.mapreduce.am.resource.cpu-vcores"
CONFIGURED: Final = "as the job's configuration beside its history states"
NOT_ENDED: Final = "tasks and attempts that had not ended"


def read_job_history(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The job of a history file."""
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
    if history.submitted_ms is None:
        source.fault("the history has no JOB_SUBMITTED", 0)
    else:
        yield history.application(history.submitted_ms)


def _read_binary(source: TraceSource, history: "_History") -> None:
    """Take the events of a binary history, up to a place that cannot be read."""
    stream = source.stream
    _, schema = stream.readline(LONGEST), stream.readline(LONGEST)
    try:
        reader = AvroReader(schema, stream)
        while stream.peek(1):
            history.take_event(reader.record(), 0)
    except AvroError as error:
        source.fault(f"the history cannot be read further: {error}", 0)


class _History:
    """Facts of the job from the events read so far."""

    def __init__(self, source: TraceSource, rules: MappingRules) -> None:
        self._source, self._rules = source, rules
        self._job: dict[str, Any] = {}
        self.submitted_ms: int | None = None
        self._ended_ms: int | None = None
        self._state = ""
        self._started: dict[str, int] = {}
        """Task or attempt → when it started."""
        self._ran: dict[str, tuple[Kind, int, str]] = {}
        """Task → kind, duration [ms] and host of the attempt that counts."""
        self._succeeded: set[str] = set()

    def read(self, line: str, number: int) -> None:
        """Take the event of a line."""
        try:
            event = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            event = None
        self.take_event(event, number)

    def take_event(self, event: Any, number: int) -> None:
        """Take one event; 0 is no line."""
        try:
            kind, fields = event["type"], next(iter(event["event"].values()))
        except (KeyError, TypeError, AttributeError, StopIteration):
            self._source.fault("this is no event of a job's history", number)
            return
        if isinstance(fields, dict) and isinstance(kind, str):
            self._take(kind, fields)

    def _take(self, kind: str, fields: dict[str, Any]) -> None:
        if kind == "JOB_SUBMITTED":
            self._job = fields
            self.submitted_ms = whole(fields.get("submitTime"))
        elif kind == "JOB_QUEUE_CHANGED":
            self._job["jobQueueName"] = fields.get("jobQueueName")
        elif kind in ENDS:
            self._state = ENDS[kind]
            self._ended_ms = whole(fields.get("finishTime"), 1)
        elif kind in STARTS:
            started_ms = whole(fields.get("startTime"))
            if started_ms is not None:
                self._started[words(fields.get(STARTS[kind]))] = started_ms
        elif kind in TASK_ENDS:
            self._started.pop(words(fields.get("taskid")), None)
        elif "_ATTEMPT_" in kind:
            self._end_attempt(kind, fields)

    def _end_attempt(self, kind: str, fields: dict[str, Any]) -> None:
        started_ms = self._started.pop(words(fields.get("attemptId")), None)
        if started_ms is None:  # the line of its start could not be read
            started_ms = self._started.get(words(fields.get("taskid")))
        ended_ms = whole(fields.get("finishTime"))
        if started_ms is None or ended_ms is None or ended_ms < started_ms:
            return
        host = words(fields.get("hostname"))
        rack = words(fields.get("rackname"))
        if host:
            self._source.report.add_node(TraceNode(host, rack or None))
        task, is_success = words(fields.get("taskid")), kind.endswith("_FINISHED")
        if not is_success and task in self._succeeded:
            return  # a speculative attempt that came too late
        if is_success:
            self._succeeded.add(task)
        self._ran[task] = ("reduce" if kind.startswith("REDUCE") else "map", max(1, ended_ms - started_ms), host)

    def application(self, submitted_ms: int) -> TraceApplication:
        """The job; its containers have the sizes that the configuration beside the history states."""
        values = self._configured()
        sizes = {kind: _size(values, f"mapreduce.{kind}.memory.mb", f"mapreduce.{kind}.cpu.vcores") for kind in KINDS}
        if self._started:
            self._source.report.drop(NOT_ENDED, len(self._started))
        tasks = tuple(tasks for kind in KINDS if (tasks := self._tasks(kind, *sizes[kind])).count)
        has_sizes = all(each.memory_mb is not None for each in tasks)
        master_mb, master_vcores = _size(values, "yarn.app.mapreduce.am.resource.mb", MASTER_VCORES)
        return TraceApplication(
            id=words(self._job.get("jobid")),
            name=words(self._job.get("jobName")),
            submitted_ms=submitted_ms,
            finished_ms=self._ended_ms,
            tasks=tasks,
            behaviour="mapreduce",
            user=words(self._job.get("userName")) or None,
            queue=words(_union(self._job.get("jobQueueName"))) or None,
            state=self._state,
            master=None if master_mb is None else (master_mb, master_vcores or 1),
            inferred={"memory and vcores": CONFIGURED if has_sizes else self._rules.size_rule},
        )

    def _configured(self) -> Mapping[str, str]:
        """The properties of the job, from the file that the history server keeps beside the history."""
        path = Path(self._source.name).parent / f"{words(self._job.get('jobid'))}_conf.xml"
        if not is_there(path):
            return {}
        try:
            return read_configurations([path]).values
        except ConfigError as error:
            self._source.fault(f"{path.name} cannot be read: {error.first_line}", 0)
            return {}

    def _tasks(self, kind: Kind, memory_mb: int | None, vcores: int | None) -> TraceTasks:
        ran = [(duration_ms, host) for each, duration_ms, host in self._ran.values() if each == kind]
        hosts = tuple(host for _, host in ran)
        durations = tuple(duration_ms for duration_ms, _ in ran)
        places = hosts if any(hosts) and kind == "map" else ()
        return TraceTasks(kind, len(ran), durations, memory_mb, vcores, places)


def _size(values: Mapping[str, str], memory: str, vcores: str) -> tuple[int | None, int | None]:
    """Memory [MB] and vcores that two properties state, 1 vcore where only the memory is; None where nothing is."""
    memory_mb = whole(values.get(memory), 1, 2**31 - 1)
    return memory_mb, None if memory_mb is None else whole(values.get(vcores), most=2**31 - 1) or 1


def _union(value: object) -> object:
    """The value of one of Avro's unions, which is written `{"string": "default"}`."""
    return next(iter(value.values()), None) if isinstance(value, dict) else value
