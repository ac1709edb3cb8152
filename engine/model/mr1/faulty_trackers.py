"""Hosts whose health script failed (blacklisted) or on which many jobs had failures (graylisted).

A blacklisted host gets no tasks and its slots do not count; a graylisted one is only shown as such. Source:
JobTracker.FaultyTrackersInfo and FaultInfo, Hadoop 1.2.1.
"""

from typing import Final, Protocol

from engine.model.mr1.task_tracker import JobTrackerSettings
from engine.state import State

MINUTE_MS: Final = 60_000
MAX_GRAY_SHARE: Final = 0.5
"""No more of the cluster is graylisted. Source: JobTracker.MAX_BLACKLIST_FRACTION."""


class FaultyCluster(Protocol):
    """The cluster as its black and gray lists see it."""

    now_ms: int

    @property
    def active_trackers(self) -> int:
        """Trackers that are not blacklisted."""

    def trackers_on(self, host: str) -> int:
        """Return how many trackers a host has."""

    def add_capacity(self, host: str) -> None:
        """Count the slots of a host's trackers."""

    def remove_capacity(self, host: str) -> None:
        """Count the slots of a host's trackers no longer."""


class HostFaults(metaclass=State):
    """Faults of a host in the last hours, in buckets of time."""

    faults: list[int]
    bucket_ms: int
    rotated_ms: int
    is_black: bool = False
    is_gray: bool = False

    def __init__(self, now_ms: int, buckets: int, bucket_ms: int) -> None:
        self.faults = [0] * buckets
        self.bucket_ms = bucket_ms
        self.rotated_ms = now_ms // bucket_ms * bucket_ms

    def add(self, now_ms: int) -> None:
        """A job that succeeded found the host flaky."""
        self._rotate(now_ms)
        self.faults[now_ms // self.bucket_ms % len(self.faults)] += 1

    def count(self, now_ms: int) -> int:
        """Faults within the window."""
        self._rotate(now_ms)
        return sum(self.faults)

    def _rotate(self, now_ms: int) -> None:
        while now_ms - self.rotated_ms > self.bucket_ms:
            self.rotated_ms += self.bucket_ms
            self.faults[self.rotated_ms // self.bucket_ms % len(self.faults)] = 0


class FaultyTrackers(metaclass=State):
    """The black and the gray list."""

    cluster: FaultyCluster
    threshold: int
    average_threshold: float
    bucket_ms: int
    buckets: int
    hosts: dict[str, HostFaults] = {}
    blacklisted: int = 0
    """Trackers that are."""
    graylisted: int = 0

    def __init__(self, cluster: FaultyCluster, limits: JobTrackerSettings) -> None:
        self.cluster = cluster
        self.threshold = limits.blacklists
        self.average_threshold = limits.average_blacklists
        minutes = max(1, limits.fault_bucket_minutes)
        self.bucket_ms = minutes * MINUTE_MS
        self.buckets = max(1, -(-limits.fault_window_minutes // minutes))

    def is_blacklisted(self, host: str) -> bool:
        """Tell whether a host gets no tasks."""
        faults = self.hosts.get(host)
        return faults is not None and faults.is_black

    def is_graylisted(self, host: str) -> bool:
        """Tell whether a host is shown as one with many failures."""
        faults = self.hosts.get(host)
        return faults is not None and faults.is_gray

    @property
    def has_listed(self) -> bool:
        """Tell whether any host is on a list."""
        return any(each.is_black or each.is_gray for each in self.hosts.values())

    def _faults(self, host: str) -> HostFaults:
        if host not in self.hosts:
            self.hosts[host] = HostFaults(self.cluster.now_ms, self.buckets, self.bucket_ms)
        return self.hosts[host]

    def add_fault(self, host: str) -> None:
        """A job succeeded for which the host was flaky. Source: #incrementFaults."""
        faults = self._faults(host)
        faults.add(self.cluster.now_ms)
        if self._exceeds(faults) and not faults.is_gray:
            self.graylisted += self.cluster.trackers_on(host)
            faults.is_gray = True

    def _exceeds(self, faults: HostFaults) -> bool:
        now_ms = self.cluster.now_ms
        count = faults.count(now_ms)
        trackers = self.cluster.active_trackers
        if count < self.threshold:
            return False
        total = sum(each.count(now_ms) for each in self.hosts.values())
        average = total / trackers if trackers else float("inf")
        return (
            count - average > self.average_threshold * average
            and self.graylisted < (trackers + self.blacklisted) * MAX_GRAY_SHARE
        )

    def check_timeout(self, host: str) -> None:
        """A host leaves the gray list when its faults are old. Source: #checkTrackerFaultTimeout."""
        faults = self.hosts.get(host)
        if faults is None or not faults.is_gray or faults.count(self.cluster.now_ms) >= self.threshold:
            return
        self.graylisted -= self.cluster.trackers_on(host)
        faults.is_gray = False
        self._drop_faultless(host, faults)

    def _drop_faultless(self, host: str, faults: HostFaults) -> None:
        if faults.count(self.cluster.now_ms) == 0:
            del self.hosts[host]

    def set_health(self, host: str, *, is_healthy: bool) -> None:
        """Set what the host's health script says. Source: #setNodeHealthStatus."""
        if is_healthy:
            faults = self.hosts.get(host)
            if faults is not None and faults.is_black:
                self._give_back(host)
                faults.is_black = False
                self._drop_faultless(host, faults)
            return
        faults = self._faults(host)
        if not faults.is_black:
            self.cluster.remove_capacity(host)
            self.blacklisted += self.cluster.trackers_on(host)
            faults.is_black = True

    def forget(self, host: str) -> None:
        """A tracker on the host was started anew. Source: #markTrackerHealthy."""
        faults = self.hosts.pop(host, None)
        if faults is None:
            return
        if faults.is_gray:
            self.graylisted -= self.cluster.trackers_on(host)
        if faults.is_black:
            self._give_back(host)

    def _give_back(self, host: str) -> None:
        self.cluster.add_capacity(host)
        self.blacklisted -= self.cluster.trackers_on(host)
