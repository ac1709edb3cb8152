"""Tasks of a MapReduce job by their attempts: of a task the attempt counts that succeeded.

Where none did, the last that ended does. Of a reduce that began before the last map had ended, only what came after
that map is its own duration: until then it waits for maps, which it does again when it is played.

Source: JobHistoryParser and MapTaskAttemptImpl (Hadoop 0.23 to 3.4), ZombieJob of Rumen.
"""

from typing import Final, NamedTuple

from engine.formats.traces.application import Kind, TraceTasks
from engine.formats.traces.report import ImportReport

OTHERS: Final = "attempts that were killed or failed, or came too late: of a task the one that succeeded counts"
SLOW_START: Final = "mapreduce.job.reduce.slowstart.completedmaps"
OLD_SLOW_START: Final = "mapred.reduce.slowstart.completed.maps"
LAST: Final = "1.0, reduces after the last map, since no configuration of the job says otherwise"


class TaskAttempt(NamedTuple):
    """An attempt that ended."""

    kind: Kind
    started_ms: int
    ended_ms: int
    host: str
    is_success: bool


class TaskAttempts:
    """The attempts of a job's tasks as they are read."""

    def __init__(self, report: ImportReport) -> None:
        self._report = report
        self._counts: dict[str, TaskAttempt] = {}
        """Task → the attempt that counts."""

    def add(self, task: str, attempt: TaskAttempt) -> None:
        """Take an attempt; they come in the order in which they ended."""
        before = self._counts.get(task)
        if before is not None:
            self._report.drop(OTHERS)
            if before.is_success and not attempt.is_success:
                return
        self._counts[task] = attempt

    def tasks(self, kind: Kind, memory_mb: int | None, vcores: int | None, *, waits: bool) -> TraceTasks:
        """The tasks of a kind together; `waits` is whether reduces begin before the last map has ended."""
        ran = [each for each in self._counts.values() if each.kind == kind]
        maps_ms = max((each.ended_ms for each in self._counts.values() if each.kind == "map"), default=0)
        after_ms = maps_ms if waits and kind == "reduce" else 0
        durations = tuple(max(1, each.ended_ms - max(each.started_ms, after_ms)) for each in ran)
        places = self.hosts(kind) if kind == "map" else ()
        return TraceTasks(kind, len(ran), durations, memory_mb, vcores, places)

    def hosts(self, kind: Kind) -> tuple[str, ...]:
        """Where each task of a kind ran; nothing where none is known."""
        hosts = tuple(each.host for each in self._counts.values() if each.kind == kind)
        return hosts if any(hosts) else ()
