"""A TaskTracker as its last heartbeat described it, and the racks of hosts.

Source: TaskTracker and TaskTrackerStatus (org.apache.hadoop.mapreduce.server.jobtracker), NetworkTopology,
Hadoop 1.2.1.
"""

from collections.abc import Mapping
from typing import Final, Protocol

import msgspec

from engine.model.mr1.attempt import TaskReport
from engine.state import State

DEFAULT_RACK: Final = "/default-rack"
UNLIMITED: Final = 2**63 - 1


class JobTrackerSettings(msgspec.Struct, frozen=True):
    """The JobTracker's settings for its trackers, read from its properties (see `engine.settings.mapreduce1`)."""

    heartbeats_per_second: int
    heartbeat_scaling: float
    expiry_ms: int
    blacklists: int
    average_blacklists: float
    fault_window_minutes: int
    fault_bucket_minutes: int


class TrackerReport(msgspec.Struct, frozen=True):
    """A tracker's report in a heartbeat."""

    tracker: str
    host: str
    slots: tuple[int, int]
    """Map slots, reduce slots."""
    attempts: tuple[TaskReport, ...] = ()
    is_healthy: bool = True
    """What its health script says."""
    available_bytes: int = UNLIMITED
    """Free disk."""


class SlotsOwner(Protocol):
    """A job as trackers see it that keep slots free for it."""

    number: int

    def reserve(self, tracker: str, kind: int, slots: int) -> None:
        """Note that a tracker keeps slots free for it."""

    def unreserve(self, tracker: str, kind: int) -> None:
        """Note that a tracker keeps no slots free for it."""


class TaskTracker(metaclass=State):
    """A tracker that the JobTracker knows."""

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
        """Replace what the last heartbeat said by what this one says."""
        self.host = report.host
        self.slots = report.slots
        self.available_bytes = report.available_bytes
        running, occupied = [0, 0], [0, 0]
        for each in report.attempts:
            if each.occupies_slots:
                running[each.attempt[1]] += 1
                occupied[each.attempt[1]] += each.slots
        self.running = (running[0], running[1])
        """Attempts that count as running: maps, reduces."""
        self.occupied = (occupied[0], occupied[1])
        """Slots they occupy."""

    def free(self, kind: int) -> int:
        """Slots of a kind that no reported attempt occupies; can be negative."""
        return self.slots[kind] - self.occupied[kind]

    def reserve(self, kind: int, job: SlotsOwner, slots: int) -> None:
        """Keep slots of a kind free for a job's task that needs more than are free."""
        self.reserved_for[kind] = job
        job.reserve(self.name, kind, slots)

    def unreserve(self, kind: int) -> None:
        """Give up a reservation, if there is one."""
        job = self.reserved_for[kind]
        if job is not None:
            self.reserved_for[kind] = None
            job.unreserve(self.name, kind)

    def unreserve_all(self) -> None:
        """Give up both reservations."""
        self.unreserve(0)
        self.unreserve(1)


class Racks(metaclass=State):
    """Which rack each host is in, and the racks in the order in which they joined."""

    racks: Mapping[str, str]
    """Host → rack, as the site's script resolves it; other hosts are in `DEFAULT_RACK`."""
    known: dict[str, tuple[str, str]] = {}
    joined: dict[str, None] = {}

    def __init__(self, racks: Mapping[str, str]) -> None:
        self.racks = racks

    def join(self, host: str) -> None:
        """A host with a tracker or with data is seen for the first time."""
        if host not in self.known:
            rack = self.racks.get(host, DEFAULT_RACK)
            self.known[host] = (f"{rack}/{host}", rack)
            self.joined.setdefault(rack)

    def places(self, host: str) -> tuple[str, str]:
        """The host's path and its rack."""
        return self.known[host]

    def rack_of(self, host: str) -> str:
        """The rack of a host that has joined."""
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
    hosts: dict[str, int]
    """Host that counts → its trackers."""

    @property
    def active_trackers(self) -> int:
        """Trackers that are not blacklisted."""


def host_of(tracker: str) -> str:
    """The host of a tracker, by its name. Source: JobInProgress#convertTrackerNameToHostName."""
    return tracker.removeprefix("tracker_").partition(":")[0]
