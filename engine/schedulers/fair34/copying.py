"""Copying a fair scheduler of 3.x: what belongs to whom in the copy."""

from typing import TYPE_CHECKING

from engine.pieces import Work
from engine.schedulers.fair34.assignment import Assignment34
from engine.schedulers.fair34.preemption import Kill, PreemptionThread
from engine.schedulers.fair34.running_limit import RunningLimit34
from engine.schedulers.fair34.schedulable import FairAttempt34

if TYPE_CHECKING:
    from engine.schedulers.fair34.scheduler import FairScheduler34


def copy_scheduler(original: "FairScheduler34", other: "FairScheduler34") -> Work[None]:
    """Fill a new scheduler with an independent copy of another, its cluster included, in pieces."""
    other.__dict__.update(original.__dict__)
    other.settings = original.settings.copy()
    other.tree = original.tree.copy()
    other.cluster, containers = yield from original.cluster.forking(other.tree.queues)
    other.tree.cluster = other.cluster
    attempts = {
        number: application.attempt
        for number, application in other.cluster.applications.items()
        if isinstance(application.attempt, FairAttempt34)
    }
    other.tree.seat(original.tree, attempts)
    other.limit = RunningLimit34(other.tree)
    other.limit.take_over(original.limit, attempts)
    other.access = original.access.copy()
    other.nodes = original.nodes.copy(other.cluster)
    other.spaces = original.spaces.copy(other.cluster.applications, containers)
    other.thread = PreemptionThread(other.cluster, other.settings, other.nodes, other.spaces)
    for kill in original.thread.kills:
        # One that is neither live nor on a node has ended; what its kill would still do is lost with its attempt.
        theirs = tuple(containers[one.id] for one in kill.containers if one.id in containers)
        other.thread.kills.append(Kill(kill.at_ms, theirs))
    copies = {
        member: attempts[member.application.number]
        for member in original.thread.starved.waiting()
        if member.application.number in attempts
    }
    other.thread.starved = original.thread.starved.copy(copies)
    other.assignment = Assignment34(other.cluster, other.settings, other.spaces)
    other.maximum = original.maximum.copy()
    other.recorder = None
    other.posted = []
