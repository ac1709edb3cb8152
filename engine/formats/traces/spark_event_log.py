"""Spark event logs: one application, a JSON event a line, as the history server reads them.

What runs: executors of one size, and on them the stages in the order they were begun. Per stage a count and the
shortest, mean and longest task are kept, so that a log of any length takes little memory.

Source: JsonProtocol, EventLoggingListener, Spark 1.3 to 3.x.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import TraceSource
from engine.units import UnitError, parse_memory

PREFIX: Final = "SparkListener"
DRIVERS: Final = frozenset({"driver", "<driver>"})
"""What the driver is called among executors."""
OVERHEAD: Final = 0.10
LEAST_OVERHEAD_MB: Final = 384
"""Source: YarnSparkHadoopUtil, MEMORY_OVERHEAD_FACTOR and MEMORY_OVERHEAD_MIN."""
DEFAULT_MB: Final = 1024

SPREAD: Final = "durations of a stage are drawn evenly around its mean, no further than its shortest and longest task"
EXECUTORS: Final = "the most executors there were at once"
LOCAL: Final = "a local run is one executor with the driver's cores"
SIZE: Final = "spark.executor.memory and a tenth of it, at least 384 MB, above it"
GAPS: Final = "idle time between jobs of a shell is not kept"
NO_START: Final = "the log does not begin with its application: submitted with its first job"
NO_TASKS: Final = "stages of which no task ended"
FAILED: Final = "tasks that failed or were killed"

Table = Mapping[str, Any]


def read_spark_event_log(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The application of an event log."""
    log = _Log(source)
    for number, line in source.lines():
        try:
            event = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            source.fault("this is no event of Spark", number)
            continue
        kind = event.get("Event") if isinstance(event, dict) else None
        if not isinstance(kind, str):
            source.fault("this is no event of Spark", number)
        else:
            log.take(kind.rpartition(".")[2].removeprefix(PREFIX), event)
    application = log.application(rules)
    if application is None:
        source.fault("the log has no application: no ApplicationStart, no job, no task", 0)
    else:
        yield application


class _Stage:
    """What is known of a stage's tasks."""

    __slots__ = ("count", "longest", "shortest", "total")

    def __init__(self) -> None:
        self.count = self.total = self.longest = 0
        self.shortest = 2**53

    def add(self, duration_ms: int) -> None:
        self.count += 1
        self.total += duration_ms
        self.shortest = min(self.shortest, duration_ms)
        self.longest = max(self.longest, duration_ms)

    def span(self) -> tuple[int, int]:
        """As wide around the mean as the nearer of shortest and longest allows."""
        mean = self.total // self.count
        reach = min(mean - self.shortest, self.longest - mean)
        return max(1, mean - reach), max(1, mean + reach)


class _Log:
    """What the events read so far say."""

    def __init__(self, source: TraceSource) -> None:
        self._source = source
        self._start: Table = {}
        self._properties: Table = {}
        self._ended_ms: int | None = None
        self._first_ms = 0
        """When the first task or job of the log began; 0 before there is one."""
        self._alive: dict[str, int] = {}
        """Executor → cores."""
        self._most = 0
        self._cores = 0
        self._driver_cores = 0
        self._stages: dict[tuple[int, int], _Stage] = {}
        """(stage, attempt), in the order begun."""

    def take(self, kind: str, event: Table) -> None:
        """Take one event."""
        reader = _READERS.get(kind)
        if reader is not None:
            reader(self, event)

    def begin(self, event: Table) -> None:
        self._start = event

    def set_environment(self, event: Table) -> None:
        properties = event.get("Spark Properties")
        if isinstance(properties, list):  # pairs, before Spark 1.4
            properties = {pair[0]: pair[1] for pair in properties if isinstance(pair, list) and len(pair) == 2}
        self._properties = properties if isinstance(properties, dict) else {}

    def add_executor(self, event: Table) -> None:
        info = event.get("Executor Info")
        info = info if isinstance(info, dict) else {}
        self._join(words(event.get("Executor ID")), whole(info.get("Total Cores"), 1) or 0, words(info.get("Host")))

    def add_block_manager(self, event: Table) -> None:
        """The old local logs know executors by their block managers alone."""
        manager = event.get("Block Manager ID")
        if isinstance(manager, dict):
            self._join(words(manager.get("Executor ID")), 0, words(manager.get("Host")))

    def _join(self, executor: str, cores: int, host: str) -> None:
        if executor in DRIVERS:
            self._driver_cores = max(self._driver_cores, cores)
            return
        self._alive[executor] = max(cores, self._alive.get(executor, 0))
        self._cores = max(self._cores, cores)
        self._most = max(self._most, len(self._alive))
        if host:
            self._source.report.add_node(TraceNode(host))

    def remove_executor(self, event: Table) -> None:
        self._alive.pop(words(event.get("Executor ID")), None)

    def begin_stage(self, event: Table) -> None:
        info = event.get("Stage Info")
        if isinstance(info, dict):
            key = whole(info.get("Stage ID")) or 0, whole(info.get("Stage Attempt ID")) or 0
            self._stages.setdefault(key, _Stage())

    def end_task(self, event: Table) -> None:
        info, reason = event.get("Task Info"), event.get("Task End Reason")
        if not isinstance(info, dict):
            return
        begin, end = whole(info.get("Launch Time"), 1), whole(info.get("Finish Time"), 1)
        if begin is None or end is None or end < begin:
            return
        self._first_ms = self._first_ms or begin
        if isinstance(reason, dict) and reason.get("Reason") != "Success":
            self._source.report.drop(FAILED)
            return
        key = whole(event.get("Stage ID")) or 0, whole(event.get("Stage Attempt ID")) or 0
        self._stages.setdefault(key, _Stage()).add(end - begin)

    def begin_job(self, event: Table) -> None:
        self._first_ms = self._first_ms or whole(event.get("Submission Time"), 1) or 0

    def end(self, event: Table) -> None:
        self._ended_ms = whole(event.get("Timestamp"), 1)

    def application(self, rules: MappingRules) -> TraceApplication | None:
        """The application; None where the log does not begin."""
        submitted_ms = whole(self._start.get("Timestamp")) or self._first_ms
        if not submitted_ms:
            return None
        inferred = {"durations of tasks": SPREAD, "executors": EXECUTORS, "memory": SIZE}
        if not self._start:
            inferred["arrival"] = NO_START
        count, cores = self._most, self._cores
        if not count:
            inferred["executors"] = LOCAL
            count, cores = 1, self._driver_cores or self._local_cores()
        stages = [stage for stage in self._stages.values() if stage.count]
        if len(stages) < len(self._stages):
            self._source.report.drop(NO_TASKS, len(self._stages) - len(stages))
        self._source.report.note(GAPS)
        size = self._memory_mb("spark.executor.memory"), cores or whole(self._property("spark.executor.cores"), 1) or 1
        is_cluster = self._property("spark.submit.deployMode") == "cluster"
        return TraceApplication(
            id=words(self._start.get("App ID")) or words(self._start.get("App Name")) or "application",
            name=words(self._start.get("App Name")),
            submitted_ms=submitted_ms,
            finished_ms=self._ended_ms,
            tasks=(
                TraceTasks("container", count, (), *size),
                *(TraceTasks("stage", stage.count, stage.span()) for stage in stages),
            ),
            behaviour="spark",
            user=words(self._start.get("User")) or None,
            queue=self._property("spark.yarn.queue") or None,
            state="" if self._ended_ms else "NOT ENDED",
            master=(self._memory_mb("spark.driver.memory"), 1) if is_cluster else None,
            inferred=inferred,
        )

    def _property(self, key: str) -> str:
        return words(self._properties.get(key))

    def _local_cores(self) -> int:
        match = re.match(r"local\[(\d{1,4})", self._property("spark.master"))
        return int(match[1]) if match else 1

    def _memory_mb(self, key: str) -> int:
        """What the container of a process takes whose heap a property names."""
        try:
            heap_mb = parse_memory(self._property(key) or DEFAULT_MB)
        except UnitError:
            heap_mb = DEFAULT_MB
        return heap_mb + max(LEAST_OVERHEAD_MB, int(heap_mb * OVERHEAD))


_READERS: Final = {
    "ApplicationStart": _Log.begin,
    "ApplicationEnd": _Log.end,
    "EnvironmentUpdate": _Log.set_environment,
    "ExecutorAdded": _Log.add_executor,
    "ExecutorRemoved": _Log.remove_executor,
    "BlockManagerAdded": _Log.add_block_manager,
    "BlockManagerRemoved": _Log.remove_executor,
    "JobStart": _Log.begin_job,
    "StageSubmitted": _Log.begin_stage,
    "TaskEnd": _Log.end_task,
}
