"""MapReduce job history (.jhist): a line with Avro's schema, then the events; one job a file.

Hadoop 2 writes an event a line (Avro-Json), Hadoop 3 Avro's binary encoding (Avro-Binary). Of a task the last attempt
that succeeded counts; where none did, the last that ended.

Source: EventWriter, EventReader, JobHistoryParser, Hadoop 0.23 to 3.4 (mapreduce.jobhistory.jhist.format).
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.formats.traces.application import Kind, TraceApplication, TraceNode, whole, words
from engine.formats.traces.avro_binary import LONGEST, AvroError, AvroReader
from engine.formats.traces.job_configuration import configured, size_of, slow_start_of
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.formats.traces.task_attempts import LAST, TaskAttempt, TaskAttempts

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
        self._attempts = TaskAttempts(source.report)

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

    def _end_attempt(self, event: str, fields: dict[str, Any]) -> None:
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
        kind: Kind = "reduce" if event.startswith("REDUCE") else "map"
        is_success = event.endswith("_FINISHED")
        self._attempts.add(words(fields.get("taskid")), TaskAttempt(kind, started_ms, ended_ms, host, is_success))

    def application(self, submitted_ms: int) -> TraceApplication:
        """The job; its containers have the sizes that the configuration beside the history states."""
        values = configured(self._source, words(self._job.get("jobid")))
        sizes = {kind: size_of(values, f"mapreduce.{kind}.memory.mb", f"mapreduce.{kind}.cpu.vcores") for kind in KINDS}
        if self._started:
            self._source.report.drop(NOT_ENDED, len(self._started))
        slow_start = slow_start_of(values)
        waits = slow_start is not None and slow_start < 1
        ran = (self._attempts.tasks(kind, *sizes[kind], waits=waits) for kind in KINDS)
        tasks = tuple(tasks for tasks in ran if tasks.count)
        has_sizes = all(each.memory_mb is not None for each in tasks)
        master_mb, master_vcores = size_of(values, "yarn.app.mapreduce.am.resource.mb", MASTER_VCORES)
        inferred = {"memory and vcores": CONFIGURED if has_sizes else self._rules.size_rule}
        if any(each.kind == "reduce" for each in tasks):
            inferred["slow start"] = CONFIGURED if slow_start is not None else LAST
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
            slow_start=slow_start,
            inferred=inferred,
        )


def _union(value: object) -> object:
    """The value of one of Avro's unions, which is written `{"string": "default"}`."""
    return next(iter(value.values()), None) if isinstance(value, dict) else value
