"""A TaskTracker as its last heartbeat described it, and the racks of hosts.

Source: TaskTracker and TaskTrackerStatus (org.apache.hadoop.mapreduce.server.jobtracker), NetworkTopology,
Hadoop 1.2.1.

Source: TaskAttemptID, TaskStatus, Hadoop 1.2.1. Differs: attempts have no counters
and no diagnostics; a real tracker reports both.
"""

from collections.abc import Mapping
from typing import Final, Protocol

import msgspec

from engine.model.request import DEFAULT_RACK
from engine.state import State

# Attempts of tasks: their names, states, what a tracker reports of one, and what the JobTracker keeps of it.

AttemptId = tuple[int, int, int, int]
"""(job number, `MAP` or `REDUCE`, task number, attempt number); sorts as TaskAttemptID does."""

MAP: Final = 0  # Maps and their slots; the first place of every pair of figures
REDUCE: Final = 1  # Reduces and their slots; the second place of every pair of figures

CHORE: Final = 2
"""Beside `MAP` and `REDUCE`, what a job may ask for: a setup or cleanup task, which takes a slot of either kind."""

RUNNING: Final = "RUNNING"
SUCCEEDED: Final = "SUCCEEDED"
FAILED: Final = "FAILED"
KILLED: Final = "KILLED"
COMMIT_PENDING: Final = "COMMIT_PENDING"  # The work is done; the attempt waits for the word to commit
FAILED_UNCLEAN: Final = "FAILED_UNCLEAN"  # Failed, and what it wrote is still there: a cleanup attempt must run
KILLED_UNCLEAN: Final = "KILLED_UNCLEAN"

UNCLEAN: Final = (FAILED_UNCLEAN, KILLED_UNCLEAN)


class TaskReport(msgspec.Struct, frozen=True):
    attempt: AttemptId
    state: str
    progress: float  # 0 to 1, a float32
    slots: int
    start_ms: int
    finish_ms: int = 0  # 0 while it runs
    in_cleanup: bool = False  # Whether this is a cleanup attempt; it has the id of the attempt it cleans
    output_bytes: int = -1  # What a map wrote; -1 when unknown
    failed_fetches: tuple[AttemptId, ...] = ()  # Maps whose output a reduce could not fetch

    @property
    def occupies_slots(self) -> bool:
        """Whether its slots count as occupied; not those of COMMIT_PENDING. Source: TaskTrackerStatus#isTaskRunning."""
        return self.state == RUNNING or (self.in_cleanup and self.state in UNCLEAN)


class Launch(msgspec.Struct, frozen=True):
    """An attempt that a tracker is to start. Source: LaunchTaskAction."""

    attempt: AttemptId
    slots: int
    is_cleanup: bool = False  # Whether it cleans up after the attempt of this id
    level: int | None = None  # The place of a map: 0 its data is on this host, 1 in this rack, 2 elsewhere


class AttemptStatus(metaclass=State):
    attempt: AttemptId
    tracker: str
    state: str
    progress: float
    in_cleanup: bool
    start_ms: int
    finish_ms: int
    output_bytes: int

    def __init__(self, report: TaskReport, tracker: str) -> None:
        self.attempt = report.attempt
        self.tracker = tracker
        self.state = report.state
        self.progress = report.progress
        self.in_cleanup = report.in_cleanup
        self.start_ms = report.start_ms
        self.finish_ms = report.finish_ms
        self.output_bytes = report.output_bytes

    def update(self, later: "AttemptStatus") -> None:
        """Take over what a cleanup attempt reports; start and tracker stay those of the attempt itself."""
        self.state = later.state
        self.progress = later.progress
        self.in_cleanup = later.in_cleanup
        if later.finish_ms > 0:
            self.finish_ms = later.finish_ms

    @property
    def is_cleaning(self) -> bool:
        """Tell whether its cleanup attempt runs. Source: TaskStatus#inTaskCleanupPhase."""
        return self.in_cleanup and self.state in UNCLEAN


UNLIMITED: Final = 2**63 - 1


class JobTrackerSettings(msgspec.Struct, frozen=True):
    """The JobTracker's settings for its trackers, read from its properties (see `engine.settings.mapreduce1`)."""

    heartbeats_per_second: int
    heartbeat_scaling: float
    expiry_ms: int  # How long a tracker may be silent, and an attempt unreported
    blacklists: int
    average_blacklists: float
    fault_window_minutes: int
    fault_bucket_minutes: int


class TrackerReport(msgspec.Struct, frozen=True):
    tracker: str
    host: str
    slots: tuple[int, int]  # Map slots, reduce slots
    attempts: tuple[TaskReport, ...] = ()
    is_healthy: bool = True  # What its health script says
    available_bytes: int = UNLIMITED  # Free disk


class SlotsOwner(Protocol):
    """A job as trackers see it that keep slots free for it."""

    number: int

    def reserve(self, tracker: str, kind: int, slots: int) -> None:
        """Note that a tracker keeps slots free for it."""

    def unreserve(self, tracker: str, kind: int) -> None:
        """Note that a tracker keeps no slots free for it."""


class TaskTracker(metaclass=State):
    name: str
    reserved_for: list[SlotsOwner | None] = [None, None]
    """The job that its free map slots, and its free reduce slots, are reserved for."""
    last_seen_ms: int = 0
    available_bytes: int
    host: str
    occupied: tuple[int, int]
    running: tuple[int, int]
    slots: tuple[int, int]

    def __init__(self, report: TrackerReport) -> None:
        self.name = report.tracker
        self.take(report)

    def take(self, report: TrackerReport) -> None:
        self.host = report.host
        self.slots = report.slots
        self.available_bytes = report.available_bytes
        running, occupied = [0, 0], [0, 0]
        for each in report.attempts:
            if each.occupies_slots:
                running[each.attempt[1]] += 1
                occupied[each.attempt[1]] += each.slots
        self.running = (running[0], running[1])  # attempts that count as running: maps, reduces
        self.occupied = (occupied[0], occupied[1])  # slots they occupy

    def free(self, kind: int) -> int:
        """Slots of a kind that no reported attempt occupies; can be negative."""
        return self.slots[kind] - self.occupied[kind]

    def reserve(self, kind: int, job: SlotsOwner, slots: int) -> None:
        self.reserved_for[kind] = job
        job.reserve(self.name, kind, slots)

    def unreserve(self, kind: int) -> None:
        job = self.reserved_for[kind]
        if job is not None:
            self.reserved_for[kind] = None
            job.unreserve(self.name, kind)

    def unreserve_all(self) -> None:
        self.unreserve(0)
        self.unreserve(1)


class Racks(metaclass=State):
    """Which rack each host is in, and the racks in the order in which they joined."""

    racks: Mapping[str, str]  # Host → rack, as the site's script resolves it; other hosts are in `DEFAULT_RACK`
    known: dict[str, tuple[str, str]] = {}
    joined: dict[str, None] = {}

    def __init__(self, racks: Mapping[str, str]) -> None:
        self.racks = racks

    def join(self, host: str) -> None:
        if host not in self.known:
            rack = self.racks.get(host, DEFAULT_RACK)
            self.known[host] = (f"{rack}/{host}", rack)
            self.joined.setdefault(rack)

    def places(self, host: str) -> tuple[str, str]:
        return self.known[host]

    def rack_of(self, host: str) -> str:
        return self.known[host][1]

    def distance(self, host: str, other: str) -> int:
        """0 for the same host, 1 for the same rack, 2 else. Source: JobInProgress#getMatchingLevelForNodes."""
        if host == other:
            return 0
        mine, theirs = self.known.get(host), self.known.get(other)
        return 1 if mine is not None and theirs is not None and mine[1] == theirs[1] else 2


class TrackerHosts(Protocol):
    """The cluster as the search for tasks sees it."""

    now_ms: int
    racks: Racks
    hosts: dict[str, int]  # Host that counts → its trackers

    @property
    def active_trackers(self) -> int:
        """Trackers that are not blacklisted."""


def host_of(tracker: str) -> str:
    """The host of a tracker, by its name. Source: JobInProgress#convertTrackerNameToHostName."""
    return tracker.removeprefix("tracker_").partition(":")[0]
