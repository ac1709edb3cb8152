r"""Job history of MapReduce 1: records such as `Task TASKID="…" TASK_TYPE="MAP" START_TIME="…" .`; one job a file.

A record ends with a dot behind a blank, and may hold lines of its own, as an error's do; quotes, dots and equal signs
within a value are escaped. Trackers write the times of attempts by their own clocks, the JobTracker those of tasks: an
attempt's duration is its tracker's, and the end of its task says when that was.

Source: JobHistory, JobHistoryParser, JobInProgress#initTasks, Hadoop 0.20 to 1.2.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from engine.formats.traces.application import Kind, TraceApplication, TraceNode, whole, words
from engine.formats.traces.job_configuration import configured, size_of, slow_start_of
from engine.formats.traces.job_history import CONFIGURED, NOT_ENDED
from engine.formats.traces.rm_timeline import LoggedCluster
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.formats.traces.task_attempts import LAST, TaskAttempt, TaskAttempts
from engine.settings.mapreduce1 import MAP_SLOTS, REDUCE_SLOTS

BEGINNING: Final = rb'(?:Meta VERSION="\d+" \.|Job JOBID="job_[^"\n]+" [A-Z_]+=")'
MOST_LINES: Final = 10_000
"""Most lines of one record."""
_FIELD: Final = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
KINDS: Final[Mapping[str, Kind]] = {"MAP": "map", "REDUCE": "reduce"}
SCHEDULERS: Final = {"FairScheduler": "mr1-fair", "CapacityTaskScheduler": "mr1-capacity"}
"""Class that the JobTracker schedules with → policy; JobQueueTaskScheduler is the default."""
OTHER_TASKS: Final = "tasks that set a job up or clean up behind it"
NAMED: Final = "MapReduce 1"

Record = Mapping[str, str]


def read_mr1_history(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The job of a history file."""
    history = _History(source, rules)
    for kind, fields in _records(source):
        history.take(kind, fields)
    if history.submitted_ms is None:
        source.fault("the history has no SUBMIT_TIME", 0)
    else:
        yield history.application(history.submitted_ms)


def _records(source: TraceSource) -> Iterator[tuple[str, Record]]:
    """(kind, fields) of each record."""
    first, pieces = 0, list[str]()
    for number, line in source.lines():
        first = first if pieces else number
        pieces.append(line)
        if not line.rstrip().endswith(" .") and len(pieces) < MOST_LINES:
            continue
        text, pieces = "\n".join(pieces), []
        fields = {key: _ESCAPED.sub(r"\1", value) for key, value in _FIELD.findall(text)}
        if not fields:
            source.fault("this is no record of a job's history", first)
        else:
            yield text.partition(" ")[0], fields
    if pieces:
        source.fault("this record has no end", first)


class _History:
    """Facts of the job from the records read so far."""

    def __init__(self, source: TraceSource, rules: MappingRules) -> None:
        self._source, self._rules = source, rules
        self._job: dict[str, str] = {}
        self.submitted_ms: int | None = None
        self._started: dict[str, int] = {}
        """Attempt → when it started, by its tracker's clock."""
        self._ended: dict[str, list[TaskAttempt]] = {}
        """Task that has not ended → its attempts that have."""
        self._attempts = TaskAttempts(source.report)

    def take(self, kind: str, fields: Record) -> None:
        """Take one record."""
        if kind == "Job":
            self._job |= fields
            self.submitted_ms = whole(self._job.get("SUBMIT_TIME"))
        elif kind == "Task" and fields.get("TASK_TYPE") in KINDS:
            ended_ms = whole(fields.get("FINISH_TIME"), 1)
            if ended_ms is not None:
                self._end(fields.get("TASKID", ""), ended_ms)
        elif kind in ("MapAttempt", "ReduceAttempt") and fields.get("TASK_TYPE") in KINDS:
            self._take_attempt(fields)
        elif kind == "Task" and "START_TIME" in fields:
            self._source.report.drop(OTHER_TASKS)

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
        host = host or _host_of(fields.get("TRACKER_NAME", ""))
        if host:
            self._source.report.add_node(TraceNode(host, rack or None))
        if begun_ms is not None and ended_ms >= begun_ms:
            is_success = fields.get("TASK_STATUS") == "SUCCESS"
            attempt = TaskAttempt(KINDS[fields["TASK_TYPE"]], begun_ms, ended_ms, host, is_success)
            self._ended.setdefault(fields.get("TASKID", ""), []).append(attempt)

    def _end(self, task: str, ended_ms: int) -> None:
        """A task has ended, by the JobTracker's clock; its attempts are moved to that."""
        for each in self._ended.pop(task, ()):
            self._attempts.add(
                task, each._replace(started_ms=ended_ms - (each.ended_ms - each.started_ms), ended_ms=ended_ms)
            )

    def application(self, submitted_ms: int) -> TraceApplication:
        """The job; the report takes the cluster that its configuration tells of."""
        for task, attempts in list(self._ended.items()):  # killed with the job: no line ends these tasks
            self._end(task, max(each.ended_ms for each in attempts))
        if self._started:
            self._source.report.drop(NOT_ENDED, len(self._started))
        values = configured(self._source, self._job.get("JOBID", ""))
        self._tell_cluster(values)
        slow_start = slow_start_of(values)
        waits = slow_start is not None and slow_start < 1
        sizes = {kind: size_of(values, f"mapred.job.{kind}.memory.mb", "") for kind in KINDS.values()}
        ran = (self._attempts.tasks(kind, *sizes[kind], waits=waits) for kind in KINDS.values())
        tasks = tuple(tasks for tasks in ran if tasks.count)
        has_sizes = all(each.memory_mb is not None for each in tasks)
        inferred = {"memory and vcores": CONFIGURED if has_sizes else self._rules.size_rule}
        if any(each.kind == "reduce" for each in tasks):
            inferred["slow start"] = CONFIGURED if slow_start is not None else LAST
        return TraceApplication(
            id=words(self._job.get("JOBID")),
            name=words(self._job.get("JOBNAME")),
            submitted_ms=submitted_ms,
            finished_ms=whole(self._job.get("FINISH_TIME"), 1),
            tasks=tasks,
            behaviour="mapreduce",
            user=words(self._job.get("USER")) or None,
            queue=words(self._job.get("JOB_QUEUE")) or words(values.get("mapred.job.queue.name")) or None,
            state=words(self._job.get("JOB_STATUS")),
            slow_start=slow_start,
            inferred=inferred,
        )

    def _tell_cluster(self, values: Mapping[str, str]) -> None:
        """The scheduler and the slots; the first job that names them counts."""
        if self._source.report.logged.policy:
            return
        scheduler = values.get("mapred.jobtracker.taskScheduler", "").rpartition(".")[2]
        slots = {key.name: values[key.name] for key in (MAP_SLOTS, REDUCE_SLOTS) if whole(values.get(key.name), 1)}
        self._source.report.logged = LoggedCluster(SCHEDULERS.get(scheduler, "mr1-fifo"), NAMED, slots)


def _host_of(tracker: str) -> str:
    """The host of a tracker, `tracker_HOST:localhost/127.0.0.1:PORT`.

    >>> _host_of("tracker_n1.example:localhost/127.0.0.1:38958"), _host_of("")
    ('n1.example', '')
    """
    return words(tracker.removeprefix("tracker_").partition(":")[0])
