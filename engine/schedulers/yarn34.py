"""What every YARN scheduler of Hadoop 3.4.1 does otherwise than in 2.7.2: how containers end, how asks are kept.

A container that its node reported as running keeps the node's space until the node reports its end. What a container
answered before its AM fetched it is put back at once. Before its AM exists, an application's blacklist is the system's.

Source: AbstractYarnScheduler, SchedulerNode, SchedulerApplicationAttempt, AppSchedulingInfo,
LocalityAppPlacementAllocator, ClusterNodeTracker, Hadoop 3.4.1.
"""

from collections.abc import Iterable, Sequence

from engine.model.application import Application, Attempt
from engine.model.container import Container
from engine.model.decision import ContainerId, Decision, Killed
from engine.model.request import ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.am_calls import resize
from engine.schedulers.calculator import validate
from engine.schedulers.containers import CAUSE_OF_END
from engine.schedulers.yarn_scheduler import FairBase


class Yarn34(FairBase):
    """The part of a scheduler that all of 3.4.1 share; to be mixed in before the policy's own class."""

    one_attempt_is_all = True

    # ---------------------------------------------------------------- containers

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container or reservation ends; one that has ended before only puts back what it had answered, again.

        Returns:
            The decision, none for a container that ended by itself or before.

        Source: AbstractYarnScheduler#completedContainer, SchedulerNode#releaseContainer, Hadoop 3.4.1.
        """
        if container.state == "RESERVED":
            return [self.unreserve(container.node)]
        decisions: list[Decision] = []
        if container.attempt.live.get(container.id[2]) is container:
            runs_on_node = container.state == "RUNNING"
            self.cluster.end(container, happening, now_ms)
            if happening == "FINISH" or not runs_on_node:
                self.cluster.vacate(container)
            if happening != "FINISH":
                decisions.append(Killed(container.id, container.node.id, cause or CAUSE_OF_END[happening]))
        if container.recoverable:
            self.cluster.recover_requests(container.attempt, container.recoverable)
        return decisions

    # ---------------------------------------------------------------- application masters

    def admit(self, application: Application, now_ms: int) -> None:
        """Check and normalise the AM's ask like any other. Source: RMAppManager#createAndPopulateNewRMApp, 3.4.1."""
        if application.am is not None:
            maximum = self.maximum_of(application.queue, now_ms)
            validate(application.am, maximum)
            application.am = self.normalise_to(application.am, maximum)

    def normalise_to(self, ask: Resource, maximum: Resource) -> Resource:
        """A size as the scheduler records it, under a maximum."""
        raise NotImplementedError

    def check_against_queue(self, attempt: Attempt, asks: Sequence[ResourceRequest]) -> None:
        """Refuse asks that the attempt's queue can never give; raises `RefusedError`, and then nothing has changed."""

    def allocate(
        self,
        attempt: Attempt,
        asks: Sequence[ResourceRequest],
        releases: Iterable[ContainerId],
        blacklist_add: Sequence[str],
        blacklist_remove: Sequence[str],
        now_ms: int,
    ) -> tuple[list[Container], list[Decision]]:
        """One AM call, after its checks.

        Returns:
            The containers handed over, and what its releases ended.
        """
        if asks:
            self.check_against_queue(attempt, asks)
            maximum = self.maximum_of(attempt.queue.path, now_ms)
            resize(asks, lambda asked: self.normalise_to(asked, maximum))
        decisions = self.release(releases, now_ms)
        if asks:
            self.cluster.update_requests(attempt, asks)
        if blacklist_add or blacklist_remove:
            self.change_blacklist(attempt, blacklist_add, blacklist_remove)
        containers = self.cluster.fetch(attempt)
        if containers and attempt.blacklist and not attempt.unmanaged and attempt.master is None:
            attempt.blacklist = set()  # that was the system's; the AM it waited for is among these
        return containers, decisions

    def change_blacklist(self, attempt: Attempt, add: Sequence[str], remove: Sequence[str]) -> bool:
        """Change the blacklist that holds for the attempt now; whether it changed."""
        before = set(attempt.blacklist)
        attempt.blacklist.update(add)
        changed = attempt.blacklist != before
        before = set(attempt.blacklist)
        attempt.blacklist.difference_update(remove)
        self.cluster.version += 1
        return changed or attempt.blacklist != before
