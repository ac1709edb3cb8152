"""Spark event logs: one application, a JSON event a line, as the history server reads them.

What runs: executors of one size, and on them jobs when they were submitted, with their stages in the order they were
begun. Per stage a count, the shortest, mean and longest task and the hosts of its input are kept, so that a log of any
length takes little memory. A further attempt of the application runs its jobs after those of the attempt before it.

Source: JsonProtocol, EventLoggingListener, Spark 1.3 to 4.0; RollingEventLogFilesWriter, EventLogFileWriter#getLogPath,
EventLogFileCompactor, Spark 3.5.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError
from engine.formats.regular_files import STANDARD_INPUT
from engine.formats.traces.application import (
    SPREAD,
    MappingRules,
    StageTasks,
    TraceApplication,
    TraceNode,
    TraceTasks,
    whole,
    words,
)
from engine.formats.traces.source import TraceSource
from engine.formats.traces.spark_properties import (
    HEAP_ALONE,
    RULE,
    dynamic_allocation,
    executor_mb,
    is_cluster_mode,
    is_standalone,
    master_mb,
    recorded_totals,
)
from engine.grouping import grouped

DRIVERS: Final = frozenset({"driver", "<driver>"})  # What the driver is called among executors
LOCAL_EXECUTORS: Final = frozenset({"", "localhost"})  # What the one of a local run is called, of old also this
ALLOCATION_MB: Final = 1024  # Containers are rounded up to it. Source: yarn.scheduler.minimum-allocation-mb.
KIND: Final = re.compile(rb'\s*\{\s*"Event"\s*:\s*"(?:[\w.]*\.)?(?:SparkListener)?(\w+)"')

BEGINNING: Final = "LogStart"  # The first event of a file
ON_THE_WAY: Final = frozenset({"ResourceProfileAdded", "BlockManagerAdded", "EnvironmentUpdate"})
"""Events that stand between it and that of the application's start."""

PLACES: Final = 1000  # Most places of a stage that are kept
NEAR: Final = "NODE_LOCAL"
"""The one locality that says where a task's input was: PROCESS_LOCAL is also that of tasks whose input is anywhere."""
EXECUTORS: Final = "the most executors there were at once"
BY_NAMES: Final = "as many as tasks ran on, since the log does not say when they came and went"
TOGETHER: Final = "at least what ran on them together, each container in whole GB, and the application master"
JOBS: Final = (
    "a job begins when the log says, after those before it where none ran then; its stages run one after another"
)
NO_END: Final = "with its last task that ended, since the log has no ApplicationEnd: it still ran, or was killed"
FAILED: Final = "tasks that failed or were killed"
REMOVED: Final = "removals of executors, as the most at once are asked for together and kept to the end"
BY_TASKS: Final = "as many as tasks that wait ask for, by the log's spark.dynamicAllocation properties"
AS_ADDED: Final = (
    "added and removed when the log says, to its end; later, or without `totals` in the scenario, as tasks wait"
)
LOCALITY: Final = "localities of tasks ({level}), which do not say where their input was"

Table = Mapping[str, Any]


class _TaskInfo(msgspec.Struct, gc=False):
    begin_ms: int = msgspec.field(name="Launch Time", default=0)
    end_ms: int = msgspec.field(name="Finish Time", default=0)
    host: str = msgspec.field(name="Host", default="")
    executor: str = msgspec.field(name="Executor ID", default="")
    locality: str = msgspec.field(name="Locality", default="")


class _Reason(msgspec.Struct, gc=False):
    reason: str = msgspec.field(name="Reason", default="")


class _TaskEnd(msgspec.Struct, gc=False):  # Of all that the event says, only this is read
    stage: int = msgspec.field(name="Stage ID", default=0)
    stage_attempt: int = msgspec.field(name="Stage Attempt ID", default=0)
    task: _TaskInfo | None = msgspec.field(name="Task Info", default=None)
    end: _Reason | None = msgspec.field(name="Task End Reason", default=None)


_TASK_END: Final = msgspec.json.Decoder(_TaskEnd)


def read_spark_event_log(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The application of a log, or those of several that were put one behind the other."""
    log = _Log(source)
    for number, kind, line in _events(source):
        try:
            if kind == "TaskEnd":
                log.end_task(_TASK_END.decode(line))
                continue
            event: Table = msgspec.json.decode(line) if kind in _READERS else {}
        except (msgspec.MsgspecError, RecursionError, ValueError):
            source.fault("this event cannot be read", number)
            continue
        if kind == "ApplicationStart" and log.is_of_another(event):
            yield from log.applications()
            log = _Log(source)
        if kind in _READERS:
            _READERS[kind](log, event)
    yield from log.applications()


def _events(source: TraceSource) -> Iterator[tuple[int, str, bytes]]:
    """Line, kind and text of each event; the start of an application before what was written on the way to it."""
    held: list[tuple[int, str, bytes]] = []
    for number, line in source.byte_lines():
        match = KIND.match(line)
        if match is None:
            source.fault("this is not an event of Spark", number)
            continue
        event = number, match[1].decode(), line
        if event[1] == BEGINNING or (held and event[1] in ON_THE_WAY):
            held.append(event)
        elif event[1] == "ApplicationStart":
            yield from (event, *held)
            held.clear()
        else:
            yield from (*held, event)
            held.clear()
    yield from held


class _Stage(StageTasks):
    __slots__ = ("at_ms", "hosts", "overlaps")

    def __init__(self, at_ms: int, overlaps: bool) -> None:
        super().__init__()
        self.at_ms = at_ms  # when its job was submitted [epoch ms]
        self.overlaps = overlaps  # whether another ran then
        self.hosts: Counter[str] = Counter()  # where tasks ran that had their input on that host

    def places(self) -> tuple[str, ...]:
        """The host of each task's input, dealt out in turn, at most `PLACES` of them; empty for anywhere."""
        if not self.hosts:
            return ()
        shown = min(self.count, PLACES)
        near = [host for host, count in sorted(self.hosts.items()) for _ in range(round(count * shown / self.count))]
        return (*near, *[""] * (shown - len(near)))


class _Log:
    def __init__(self, source: TraceSource) -> None:
        self._source = source
        self._start: Table = {}
        self._latest: Table = {}  # the properties of the first attempt and of the latest
        self._properties: Table = {}
        self._version = ""
        self._ended_ms: int | None = None
        self._first_ms = self._last_ms = 0
        """When the first task or job of the log began, and the last task ended; 0 before there is one."""
        self._attempt = 0  # how many attempts have begun before this one
        self._alive: dict[str, str] = {}  # executor → host; empty where unknown
        self._removed = 0
        self._worked = set[str]()  # executors that tasks name
        self._changes: list[tuple[int, int]] = []
        """When an executor was added or removed [epoch ms], and how many there were then."""
        self._jobs: dict[int, tuple[int, bool]] = {}
        """Stage → when the latest job that lists it was submitted [epoch ms], and whether another ran then."""
        self._running: set[int] = set()  # jobs that were submitted and have not ended
        self._localities: Counter[str] = Counter()
        self._most = 0
        self._most_on: dict[str, int] = {}  # host → most executors on it at once
        self._cores = 0
        self._driver_cores = 0
        self._stages: dict[tuple[int, int, int], _Stage] = {}
        """(attempt of the application, stage, attempt of the stage), in the order begun."""

    def begin(self, event: Table) -> None:
        """Begin an attempt; the pieces of a rolling log may each repeat the event."""
        if not self._start:
            self._start = self._latest = event
        elif event.get("Timestamp") != self._latest.get("Timestamp"):
            self._latest = event
            self._attempt += 1
            self._alive.clear()
            self._jobs.clear()
            self._running.clear()
            self._note_executors(event)

    def note_version(self, event: Table) -> None:
        self._version = words(event.get("Spark Version"))

    def set_environment(self, event: Table) -> None:
        properties = event.get("Spark Properties")
        if isinstance(properties, list):  # pairs, before Spark 1.4
            properties = {pair[0]: pair[1] for pair in properties if isinstance(pair, list) and len(pair) == 2}
        self._properties = properties if isinstance(properties, dict) else {}

    def add_executor(self, event: Table) -> None:
        info = event.get("Executor Info")
        info = info if isinstance(info, dict) else {}
        if whole(info.get("Resource Profile Id"), 1):
            self._source.report.note("executors of other resource profiles are taken as those of the default one")
        self._join(words(event.get("Executor ID")), whole(info.get("Total Cores")) or 0, words(info.get("Host")))
        self._note_executors(event)

    def add_block_manager(self, event: Table) -> None:
        """The old local logs know executors by their block managers alone."""
        manager = event.get("Block Manager ID")
        if isinstance(manager, dict):
            self._join(words(manager.get("Executor ID")), 0, words(manager.get("Host")))
            self._note_executors(event)

    def _join(self, executor: str, cores: int, host: str) -> None:
        if executor in DRIVERS:
            self._driver_cores = max(self._driver_cores, cores)
            return
        self._alive[executor] = host or self._alive.get(executor, "")
        self._cores = max(self._cores, cores)
        self._most = max(self._most, len(self._alive))
        if host:
            together = sum(each == host for each in self._alive.values())
            self._most_on[host] = max(together, self._most_on.get(host, 0))

    def remove_executor(self, event: Table) -> None:
        self._removed += self._alive.pop(words(event.get("Executor ID")), None) is not None
        self._note_executors(event)

    def _note_executors(self, event: Table) -> None:
        time_ms = whole(event.get("Timestamp"), 1)
        if time_ms is not None and len(self._alive) != (self._changes[-1][1] if self._changes else 0):
            self._changes.append((time_ms, len(self._alive)))

    def begin_stage(self, event: Table) -> None:
        info = event.get("Stage Info")
        if isinstance(info, dict):
            self._stage(whole(info.get("Stage ID")) or 0, whole(info.get("Stage Attempt ID")) or 0)

    def end_task(self, event: _TaskEnd) -> None:
        task = event.task
        if task is None or not 0 < task.begin_ms <= task.end_ms < 2**53:
            return
        self._first_ms = self._first_ms or task.begin_ms
        self._last_ms = max(self._last_ms, task.end_ms)
        if not self._most and task.executor not in DRIVERS:
            self._worked.add(task.executor)
        if event.end is not None and event.end.reason != "Success":
            self._source.report.drop(FAILED)
        else:
            stage = self._stage(event.stage, event.stage_attempt)
            stage.add(task.end_ms - task.begin_ms)
            if task.locality == NEAR and task.host:
                stage.hosts[task.host] += 1
            elif task.locality:
                self._localities[task.locality] += 1

    def _stage(self, stage: int, attempt: int) -> _Stage:
        key = self._attempt, stage, attempt
        found = self._stages.get(key)
        if found is None:
            found = self._stages[key] = _Stage(*self._jobs.get(stage, (0, False)))
        return found

    def begin_job(self, event: Table) -> None:
        submitted_ms = whole(event.get("Submission Time")) or 0
        self._first_ms = self._first_ms or submitted_ms
        overlaps = bool(self._running)
        self._running.add(whole(event.get("Job ID")) or 0)
        stages = event.get("Stage IDs")
        for stage in stages if isinstance(stages, list) else ():
            self._jobs[whole(stage) or 0] = submitted_ms, overlaps

    def end_job(self, event: Table) -> None:
        self._running.discard(whole(event.get("Job ID")) or 0)

    def end(self, event: Table) -> None:
        self._ended_ms = whole(event.get("Timestamp"), 1)

    def is_of_another(self, event: Table) -> bool:
        """Whether the application that starts is not the one of this log."""
        return bool(self._start) and self._start.get("App ID") != event.get("App ID")

    def applications(self) -> Iterator[TraceApplication]:
        application = self._application()
        if application is None:
            self._source.fault("the log has no application: no ApplicationStart, no job, no task", 0)
        else:
            yield application

    def _application(self) -> TraceApplication | None:
        """The application; None where the log does not begin."""
        submitted_ms = whole(self._start.get("Timestamp")) or self._first_ms
        if not submitted_ms:
            return None
        memory_rule = HEAP_ALONE if is_standalone(self._properties) else RULE
        inferred = {"durations of tasks": SPREAD, "executors": EXECUTORS, "memory": memory_rule}
        if not self._start:
            inferred["arrival"] = "the log does not begin with its application: submitted with its first job"
        if self._ended_ms is None:
            inferred["end"] = NO_END
        count, cores = self._most, self._cores
        if not count and self._worked - LOCAL_EXECUTORS:
            inferred["executors"], count = BY_NAMES, len(self._worked - LOCAL_EXECUTORS)
        elif not count:
            inferred["executors"] = "a local run is one executor with the driver's cores"
            local = re.match(r"local\[(\d{1,4})", self._property("spark.master"))
            count, cores = 1, self._driver_cores or (int(local[1]) if local else 1)
        stages = [stage for stage in self._stages.values() if stage.count]
        if len(stages) < len(self._stages):
            self._source.report.drop("stages of which no task ended", len(self._stages) - len(stages))
        dynamic = dynamic_allocation(self._properties, self._version) if stages else None
        if dynamic is not None:
            totals = recorded_totals(self._changes, submitted_ms, self._ended_ms or self._last_ms)
            inferred["executors"] = AS_ADDED if totals else BY_TASKS
            dynamic = dynamic.model_copy(update={"totals": totals})
        self._tell_what_is_not_kept(0 if dynamic else self._removed)
        size = executor_mb(self._properties), cores or whole(self._property("spark.executor.cores")) or 1
        if self._most_on:
            inferred["sizes of nodes"] = TOGETHER
            self._add_nodes(size)
        return TraceApplication(
            id=words(self._start.get("App ID")) or words(self._start.get("App Name")) or "application",
            name=words(self._start.get("App Name")),
            submitted_ms=submitted_ms,
            finished_ms=self._ended_ms,
            tasks=(TraceTasks("container", count, (), *size), *_in_jobs(stages, submitted_ms)),
            behaviour="spark",
            dynamic=dynamic,
            user=words(self._start.get("User")) or None,
            queue=self._property("spark.yarn.queue") or None,
            state="" if self._ended_ms else "NOT ENDED",
            master=(master_mb(self._properties), self._driver_vcores()),
            inferred=inferred,
        )

    def _tell_what_is_not_kept(self, removed: int) -> None:
        report = self._source.report
        report.note(JOBS)
        if is_standalone(self._properties):
            report.note("the log is of Spark standalone: --set scheduler=spark plays it under a Spark Master")
        if removed:
            report.drop(REMOVED, removed)
        for level, tasks in self._localities.items():
            report.drop(LOCALITY.format(level=level), tasks)

    def _property(self, key: str) -> str:
        return words(self._properties.get(key))

    def _driver_vcores(self) -> int:
        """Vcores of the application master's container. Source: spark.driver.cores, spark.yarn.am.cores."""
        key = "spark.driver.cores" if is_cluster_mode(self._properties) else "spark.yarn.am.cores"
        return whole(self._property(key)) or 1

    def _add_nodes(self, size: tuple[int, int]) -> None:
        master_mb_, vcores = _in_steps(master_mb(self._properties)), self._driver_vcores()
        for host, count in self._most_on.items():
            memory_mb = master_mb_ + count * _in_steps(size[0])
            self._source.report.add_node(TraceNode(host, None, memory_mb, vcores + count * size[1], is_least=True))


def _in_jobs(stages: Iterable[_Stage], submitted_ms: int) -> Iterator[TraceTasks]:
    # One of no known job follows the one before; those of a later attempt are as late as they were in the log
    placed: list[tuple[int, bool, _Stage]] = []
    for stage in stages:
        at_ms, overlaps = (stage.at_ms - submitted_ms, stage.overlaps) if stage.at_ms else (0, False)
        if not stage.at_ms and placed:
            at_ms, overlaps, _ = placed[-1]
        placed.append((max(0, at_ms), overlaps, stage))
    for at_ms, overlaps, stage in sorted(placed, key=lambda each: each[:2]):
        yield TraceTasks("stage", stage.count, stage.span(), hosts=stage.places(), at_ms=at_ms, overlaps=overlaps)


def _in_steps(memory_mb: int) -> int:
    return -(-memory_mb // ALLOCATION_MB) * ALLOCATION_MB


_READERS: Final[dict[str, Callable[[_Log, Any], None]]] = {
    "LogStart": _Log.note_version,
    "ApplicationStart": _Log.begin,
    "ApplicationEnd": _Log.end,
    "EnvironmentUpdate": _Log.set_environment,
    "ExecutorAdded": _Log.add_executor,
    "ExecutorRemoved": _Log.remove_executor,
    "BlockManagerAdded": _Log.add_block_manager,
    "BlockManagerRemoved": _Log.remove_executor,
    "JobStart": _Log.begin_job,
    "JobEnd": _Log.end_job,
    "StageSubmitted": _Log.begin_stage,
}

# Puts the files of one Spark application together: rolling logs, attempts, and the pieces of Databricks.
#
# A folder `eventlog_v2_<application>[_<attempt>]` holds `events_<number>_<application>…`; a file that ends in
# `.compact` stands for itself and all before it. Databricks writes `eventlog-<time>` for what is rolled and `eventlog`
# for the end. Attempts of an application on YARN are files or folders that differ in the last number.

ROLLING: Final = "eventlog_v2_"
_EVENTS: Final = re.compile(r"events_(\d{1,18})_([^.]*)")
_COMPACT: Final = ".compact"
_PIECE: Final = re.compile(r"eventlog(?:-(.+?))?(?:\.gz|\.zstd|\.lz4|\.snappy)?")
_ATTEMPT: Final = re.compile(r"(?:eventlog_v2_)?(application_\d{1,20}_\d{1,20})_(\d{1,9})(?:\.\w+)*")
"""A log of one attempt; names of files and folders."""
_IGNORED: Final = re.compile(r"\..*|_SUCCESS|appstatus_.*|.*\.crc|job_.*_conf\.xml")
"""What lies beside logs and is none."""


class TracePieces(NamedTuple):
    """The files of one trace, in their order."""

    name: str
    paths: tuple[Path, ...]
    is_found: bool = False  # True: it lies in a folder that was named, and may be something else


def put_together(paths: Sequence[Path]) -> list[TracePieces]:
    """The traces of files and folders. Raises ConfigError if a folder cannot be read or holds no file."""
    found = [pieces for path in paths for pieces in _of(path)]
    # Pieces of one rolling log may be named one by one.
    by_log = grouped(((Path(each.name).parent, match[2]), each.paths[0]) for each in found if (match := _rolls(each)))
    found = [each for each in found if _rolls(each) is None]
    found += [TracePieces(str((ordered := _rolled(named))[0]), tuple(ordered)) for named in by_log.values()]
    placed = [(each, _ATTEMPT.fullmatch(Path(each.name).name)) for each in found]
    attempts = grouped(((Path(each.name).parent, match[1]), (int(match[2]), each)) for each, match in placed if match)
    return [*(each for each, match in placed if match is None), *map(_one, attempts.values())]


def _rolls(each: TracePieces) -> "re.Match[str] | None":
    return None if len(each.paths) > 1 else _EVENTS.match(each.paths[0].name)


def _one(numbered: list[tuple[int, TracePieces]]) -> TracePieces:
    ordered = [each for _, each in sorted(numbered, key=lambda pair: pair[0])]
    return TracePieces(ordered[0].name, tuple(path for each in ordered for path in each.paths), ordered[0].is_found)


def _of(path: Path) -> list[TracePieces]:
    try:
        if path == STANDARD_INPUT or not path.is_dir():
            return [TracePieces(str(path), (path,))]
        inside = sorted(each for each in path.iterdir() if not _IGNORED.fullmatch(each.name))
        found = _inside(path, [each for each in inside if each.is_file()])
        folders = [each for each in inside if each.name.startswith(ROLLING) and each.is_dir()]
    except OSError as error:
        raise ConfigError.of(f"cannot be read: {error.strerror or error}", str(path)) from None
    except ValueError:
        raise ConfigError.of("not a file name", str(path)) from None
    found += [pieces for folder in folders for pieces in _of(folder)]
    if not found:
        raise ConfigError.of("this folder holds no file", str(path))
    return found


def _inside(folder: Path, files: list[Path]) -> list[TracePieces]:
    rolled = [each for each in files if _EVENTS.match(each.name)]
    if rolled and folder.name.startswith(ROLLING):
        return [TracePieces(str(folder), tuple(_rolled(rolled)))]
    together = _rolled(rolled) or sorted((each for each in files if _PIECE.fullmatch(each.name)), key=_time_of)
    others = [TracePieces(str(each), (each,), is_found=True) for each in files if each not in {*rolled, *together}]
    return [TracePieces(str(folder), tuple(together), is_found=True), *others] if together else others


def _rolled(paths: Sequence[Path]) -> list[Path]:
    def number(path: Path) -> tuple[int, bool]:
        match = _EVENTS.match(path.name)
        return (int(match[1]) if match else 0), path.name.endswith(_COMPACT)

    ordered = sorted(paths, key=number)
    compact = max((place for place, path in enumerate(ordered) if path.name.endswith(_COMPACT)), default=0)
    return ordered[compact:]


def _time_of(path: Path) -> tuple[bool, str]:
    """Return the sort key of the pieces of Databricks: the one without a time is the end."""
    match = _PIECE.fullmatch(path.name)
    time = match[1] if match and match[1] else ""
    return not time, time
