"""Events that all control planes share, as a JobTracker understands them: nodes, requests of users, new pools."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from engine.control_plane.attempt_containers import attempt_of
from engine.control_plane.job_tracker_events import AttemptKilled, JobKilled, JobPriorityChanged, TrackerLost
from engine.control_plane.protocol import (
    NOTHING,
    AllocationsReloaded,
    Answer,
    ApplicationFinished,
    ApplicationPriorityChanged,
    ContainerKilled,
    Event,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeRegisteredAgain,
    SettingsChanged,
)
from engine.errors import RefusedError
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job_description import PRIORITIES
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.mr1.interface import TaskScheduler


def node_of(tracker: str) -> str:
    """The node (`host:port`) of a tracker."""
    return tracker.removeprefix("tracker_")


def tracker_of(node: str) -> str:
    """The tracker of a node (`host:port`)."""
    return f"tracker_{node}"


def priority_named(priority: int) -> str:
    """The job priority of a number, the higher the sooner.

    >>> priority_named(0), priority_named(2), priority_named(9)
    ('VERY_LOW', 'NORMAL', 'VERY_HIGH')
    """
    return PRIORITIES[max(0, len(PRIORITIES) - 1 - priority)]


class AskedTracker(Protocol):
    """The JobTracker as requests see it."""

    cluster: MapReduceCluster
    scheduler: TaskScheduler

    def tracker_lost(self, event: TrackerLost) -> Answer:
        """Lose what ran on a tracker."""

    def kill_job(self, event: JobKilled) -> Answer:
        """End a job."""

    def kill_attempt(self, event: AttemptKilled) -> Answer:
        """End an attempt."""

    def change_priority(self, event: JobPriorityChanged) -> Answer:
        """Give a job another priority."""


def nothing(jt: AskedTracker, event: Event) -> Answer:
    """An event that means nothing to a JobTracker."""
    return NOTHING


def node_joined(jt: AskedTracker, event: NodeJoined | NodeRegisteredAgain) -> Answer:
    """A host is there; its tracker makes itself known with its first heartbeat."""
    racks = jt.cluster.racks
    racks.racks = {**racks.racks, event.node.partition(":")[0]: event.rack}
    return NOTHING


def node_lost(jt: AskedTracker, event: NodeLost) -> Answer:
    """A tracker expired or was excluded."""
    return jt.tracker_lost(TrackerLost(tracker_of(event.node)))


def application_finished(jt: AskedTracker, event: ApplicationFinished) -> Answer:
    """A user kills a job.

    Raises:
        RefusedError: There is none of that number, or it has ended.
    """
    if event.application not in jt.cluster.live:
        raise RefusedError("JobNotFound", f"there is no live job {event.application}")
    return jt.kill_job(JobKilled(event.application))


def container_killed(jt: AskedTracker, event: ContainerKilled) -> Answer:
    """A user kills an attempt."""
    return jt.kill_attempt(AttemptKilled(attempt_of(event.container)))


def priority_changed(jt: AskedTracker, event: ApplicationPriorityChanged) -> Answer:
    """A number as YARN has it, the higher the sooner: 0 is VERY_LOW, 4 and more VERY_HIGH."""
    return jt.change_priority(JobPriorityChanged(event.application, priority_named(event.priority)))


def pools_reloaded(jt: AskedTracker, event: AllocationsReloaded) -> Answer:
    """The file of pools was changed; the fair scheduler reads it when it looks next.

    Raises:
        RefusedError: Another scheduler has no such file.
    """
    assert isinstance(event.allocations, PoolAllocations), "the simulation reads files of pools for a JobTracker"
    jt.scheduler.file_changed(event.allocations)
    return NOTHING


def settings_changed(jt: AskedTracker, event: SettingsChanged) -> Answer:
    """Pools or queues have other settings."""
    jt.scheduler.change_settings(event.values)
    return NOTHING


REQUESTS: Mapping[type[Event], Callable[[AskedTracker, Any], Answer]] = MappingProxyType(
    {
        NodeJoined: node_joined,
        NodeRegisteredAgain: node_joined,
        NodeLost: node_lost,
        NodeHeartbeat: nothing,
        ApplicationFinished: application_finished,
        ContainerKilled: container_killed,
        ApplicationPriorityChanged: priority_changed,
        AllocationsReloaded: pools_reloaded,
        SettingsChanged: settings_changed,
    }
)
"""Event → what it does; Any: each function takes the event it stands beside."""
