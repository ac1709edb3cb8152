"""An import's report: what was read, inferred by which rule, and dropped for which reason."""

from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine.errors import Problem, shortened
from engine.formats.traces.application import Kind, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.rm_timeline import LoggedCluster
from engine.model.java_values import INT_MAX

MAX_PROBLEMS: Final = 100  # Most faulty places that are kept; the others are counted
MAX_NODES: Final = 100_000


class ImportedFile(msgspec.Struct, frozen=True):
    file: str
    format: str
    applications: int
    tasks: int


class BatchMachine(msgspec.Struct, frozen=True):
    processors: int
    is_named: bool  # False: the log does not say; it is the least that the jobs read prove
    is_timed: bool = False  # Whether they prove it by when they ran, not only by the largest of them


class ImportReport:
    """Collects while files are read; applications are counted as they pass, not kept."""

    def __init__(self) -> None:
        self.files: list[ImportedFile] = []
        self.applications = 0  # read, whether or not they became part of anything
        self.tasks = 0
        self.inferred: Counter[tuple[str, str]] = Counter()  # (value, rule) → of how many applications
        self.dropped: Counter[str] = Counter()  # why → how many
        self.notes: dict[str, None] = {}  # what else is to be known, each once
        self.problems: list[Problem] = []  # the first faulty places
        self.faults = 0  # all faulty places
        self.skipped: list[Problem] = []  # files in folders that are no traces
        self.nodes: dict[str, TraceNode] = {}  # machines the files name, by host
        self.machine: BatchMachine | None = None  # the largest machine of the batch logs; None where none was read
        self.machine_size: tuple[int, int] | None = None
        """Memory [MB] and vcores of a whole machine where sizes are parts of one; None where they are not."""
        self.can_all_start = False  # whether each application was seen to start when it is alone
        self.configurations: list[Path] = []  # configurations of jobs that were named beside their histories
        self.logged = LoggedCluster()  # the cluster of a ResourceManager's log

    def count(self, application: TraceApplication) -> None:
        self.applications += 1
        self.tasks += application.task_count
        self.inferred.update(application.inferred.items())

    def drop(self, reason: str, count: int = 1) -> None:
        self.dropped[reason] += count

    def note(self, sentence: str) -> None:
        self.notes[sentence] = None

    def fault(self, message: str, file: str, line: int = 0) -> None:
        """Count a place that cannot be read; reading goes on behind it."""
        self.faults += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(shortened(message), file, line))

    def add_node(self, node: TraceNode) -> None:
        """Keep a machine with a name; one that is known keeps what it has, the larger of two least sizes is kept."""
        if not node.host or (len(self.nodes) >= MAX_NODES and node.host not in self.nodes):
            return
        if max(node.memory_mb or 0, node.vcores or 0) > INT_MAX:
            self.drop(f"sizes of nodes above {INT_MAX} MB or vcores")
            node = msgspec.structs.replace(node, memory_mb=None, vcores=None)
        known = self.nodes.setdefault(node.host, node)
        if known.rack is None and node.rack is not None:
            known = self.nodes[node.host] = msgspec.structs.replace(known, rack=node.rack)
        if known.is_least and node.is_least:
            memory_mb = max(known.memory_mb or 0, node.memory_mb or 0)
            vcores = max(known.vcores or 0, node.vcores or 0)
            self.nodes[node.host] = msgspec.structs.replace(known, memory_mb=memory_mb, vcores=vcores)

    def add_machine(self, processors: int, *, is_named: bool, is_timed: bool = False) -> None:
        """Keep a batch machine; one that a log names is kept before one that is known by its jobs."""
        known = self.machine
        if known is None or (is_named, processors) > (known.is_named, known.processors):
            self.machine = BatchMachine(processors, is_named, is_timed)

    def dropped_words(self) -> list[str]:
        """Why something was dropped, and how much, the most first; a count behind its words needs no plural."""
        return [f"{reason}: {count:,}" for reason, count in self.dropped.most_common()]

    def sentences(self) -> list[str]:
        return [
            *(f"Inferred: {value}: {rule}." for value, rule in self.inferred),
            *(f"Dropped {words}." for words in self.dropped_words()),
        ]

    def document(self) -> dict[str, object]:
        return {
            "files": [msgspec.to_builtins(each) for each in self.files],
            "skipped": [msgspec.to_builtins(each) for each in self.skipped],
            "applications": self.applications,
            "tasks": self.tasks,
            "nodes": len(self.nodes),
            "inferred": [
                {"value": value, "rule": rule, "applications": count}
                for (value, rule), count in self.inferred.most_common()
            ],
            "dropped": [{"reason": reason, "count": count} for reason, count in self.dropped.most_common()],
            "notes": list(self.notes),
            "can_all_start": self.can_all_start,
            "faults": self.faults,
            "problems": [msgspec.to_builtins(each) for each in self.problems],
        }


# Tasks of a MapReduce job by their attempts: of a task the attempt counts that succeeded.
#
# Where none did, the last that ended does. Of a reduce that began before the last map had ended, only what came after
# that map is its own duration: until then it waits for maps, which it does again when it is played.
#
# Source: JobHistoryParser and MapTaskAttemptImpl (Hadoop 0.23 to 3.4), ZombieJob of Rumen.

OTHERS: Final = "attempts that were killed or failed, or came too late, as of a task the one that succeeded counts"
LAST: Final = "1.0, reduces after the last map, since no configuration of the job says otherwise"
OBSERVED: Final = "the part of the maps that had ended when the first reduce began"


class TaskAttempt(NamedTuple):
    kind: Kind
    started_ms: int
    ended_ms: int
    host: str
    is_success: bool


class TaskAttempts:
    def __init__(self, report: ImportReport) -> None:
        self._report = report
        self._counts: dict[str, TaskAttempt] = {}  # task → the attempt that counts

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
        hosts = tuple(each.host for each in ran if kind == "map")
        return TraceTasks(kind, len(ran), durations, memory_mb, vcores, hosts if any(hosts) else ())

    def slow_start(self) -> float | None:
        """The part of the maps that had ended when the first reduce began; None where all had.

        Also where a reduce ended before the last map did: by clocks that differ, or as its job was given up.
        """
        maps_ms = [each.ended_ms for each in self._counts.values() if each.kind == "map"]
        reduces = [each for each in self._counts.values() if each.kind == "reduce"]
        if not maps_ms or not reduces or min(each.ended_ms for each in reduces) < max(maps_ms):
            return None
        first_ms = min(each.started_ms for each in reduces)
        ended = sum(each <= first_ms for each in maps_ms)
        return ended / len(maps_ms) if ended < len(maps_ms) else None
