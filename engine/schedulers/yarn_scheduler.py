"""What every YARN scheduler does alike: nodes, containers that start and end, AM calls.

Where policies differ a method raises `NotImplementedError` or a hook does nothing. What parts of a ResourceManager post
to each other while an event is handled waits in `posted` until `deliver`, before the next event.

Source: AbstractYarnScheduler, SchedulerApplicationAttempt, Hadoop 2.7.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from engine.errors import RefusedError
from engine.incremental import Incremental
from engine.model.application import Application, Attempt
from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.decision import Completed, ContainerId, Decision, Killed, Unreserved
from engine.model.node import Node
from engine.model.request import ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.activity import Obstacle, Reason, Recorder
from engine.schedulers.am_calls import resize
from engine.schedulers.calculator import validate
from engine.schedulers.containers import CAUSE_OF_END, LIVE
from engine.schedulers.scheduler_view import SchedulerView
from engine.schedulers.settings import maximum_at_start


class FairBase:
    """A policy over a cluster; `name` is how scenarios call it."""

    name = ""
    has_queues = False
    """Whether applications are placed in a tree of queues."""
    probes_by_size = False
    """Whether `obstacle_on` of an attempt that names no place sees of a node without reservation only its sizes."""
    one_attempt_is_all = False
    """Whether an application with one attempt fails with it even where that would not count, as of a preempted AM.

    Source: RMAppImpl.AttemptFailedTransition, Hadoop 3.4.1; 2.7.2 tries again.
    """

    def __init__(
        self, cluster: Cluster, values: Mapping[str, str], minimum: Resource, maximum: Resource, now_ms: int
    ) -> None:
        self.cluster = cluster
        self.minimum = minimum
        self.maximum = maximum_at_start(values, maximum, now_ms, lags=not self.one_attempt_is_all)
        self.recorder: Recorder | None = None
        self.posted: list[Container] = []
        """Containers killed before their AM fetched them: their requests are to be put back."""

    # ---------------------------------------------------------------- what each policy says for itself

    def passes(self) -> tuple[tuple[str, int], ...]:
        """Names and intervals [ms] of its background passes, in the order they run within an instant."""
        return ()

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """Run a background pass."""
        raise NotImplementedError(name)

    def normalise_am(self, ask: Resource, now_ms: int) -> Resource:
        """An AM's size as the ResourceManager records it."""
        raise NotImplementedError

    def normalise(self, ask: Resource, now_ms: int) -> Resource:
        """A container's size as the scheduler records it."""
        raise NotImplementedError

    def admit(self, application: Application, now_ms: int) -> None:
        """Check an application before it exists, and normalise its AM; raises `RefusedError`."""
        if application.am is not None:
            validate(application.am, self.maximum.ask(now_ms))
            application.am = self.normalise_am(application.am, now_ms)

    def place(self, application: Application, requested: str) -> None:
        """Find the application's queue and set it; raises `RefusedError` when there is none for it."""
        raise NotImplementedError

    def add_attempt(self, application: Application, now_ms: int) -> Attempt:
        """Begin an attempt of an application that was placed."""
        raise NotImplementedError

    def attempt_removed(self, attempt: Attempt, now_ms: int) -> None:
        """An attempt has ended and holds nothing any more."""

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Offer a node; decide and apply."""
        raise NotImplementedError

    def offers_on_heartbeat(self, completed: bool) -> bool:
        """Whether a heartbeat that did (or did not) report completed containers is followed by an offer."""
        return True

    def is_idle(self, node: Node) -> bool:
        """Whether an offer of this node would change nothing."""
        raise NotImplementedError

    def pass_rests(self, name: str) -> bool:
        """Whether a pass, just run, is known to change nothing again while the version stays."""
        return False

    def is_quiet(self) -> bool:
        """Whether `is_idle` is known to hold for every node."""
        return False

    def longest_timer_ms(self) -> int:
        """How long at most its passes wait for something that changes by time alone [ms], all waits in a row."""
        return 0

    def headroom(self, attempt: Attempt) -> Resource:
        """What the application may still hope for."""
        raise NotImplementedError

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        """What stands in the attempt's way whatever the node; None when nothing does. Changes nothing."""
        return None if attempt.pending else Obstacle(Reason.NOTHING_ASKED)

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
        """What stands in the attempt's way on a node where `obstacle` found nothing. Changes nothing."""
        raise NotImplementedError

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move an application; raises `RefusedError` where it may not."""
        raise RefusedError("YarnException", f"{self.name} does not support moving applications between queues")

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Change settings while it runs, all or, with a `RefusedError` for an unknown one, none."""
        names = ", ".join(values)
        raise RefusedError(
            "IllegalArgumentException", f"{self.name} has no setting that can change while it runs: {names}"
        )

    def overheard_ask(self, attempt: Attempt, asks: Sequence[ResourceRequest]) -> None:
        """An AM call with these asks is about to be recorded."""

    def reload(self, allocation: object, now_ms: int) -> None:
        """Take over a newly loaded allocation file."""
        raise NotImplementedError

    def nodes_changed(self) -> None:
        """The set of nodes or a total has changed."""

    def view(self) -> SchedulerView:
        """What observers may ask of it."""
        raise NotImplementedError

    def forking(self) -> Incremental[Self]:
        """An independent copy, with its cluster, made in pieces."""
        raise NotImplementedError

    # ---------------------------------------------------------------- nodes

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        """A node joins."""
        node = self.cluster.add_node(host, port, rack, memory_mb, vcores, partition)
        self.maximum.node_joined(node)
        self.nodes_changed()
        return node

    def remove_node(self, node: Node, happening: str, now_ms: int) -> list[Decision]:
        """A node leaves: its containers are lost, its reservation is dropped."""
        self.cluster.change_total(-node.total_memory_mb, -node.total_vcores)
        decisions: list[Decision] = []
        for container in list(node.containers.values()):
            decisions += self.complete(container, "KILL", now_ms, "LOST")
            self.cluster.vacate(container)
        if node.reserved is not None:
            decisions.append(self.unreserve(node))
        self.cluster.remove_node(node, happening)
        self.maximum.nodes_changed(self.cluster.nodes.values())
        self.nodes_changed()
        return decisions

    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> None:
        """A node's total changes; what runs there goes on."""
        self.cluster.change_total(memory_mb - node.total_memory_mb, vcores - node.total_vcores)
        node.resize(memory_mb, vcores)
        self.maximum.nodes_changed(self.cluster.nodes.values())
        self.nodes_changed()

    # ---------------------------------------------------------------- containers

    def heartbeat(
        self, node: Node, started: Sequence[ContainerId], completed: Sequence[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Settle what a node reports, then offer it. Source: FairScheduler#nodeUpdate, Hadoop 2.7.2."""
        decisions: list[Decision] = []
        placed = node.containers
        for container_id in started:
            container = placed.get(container_id)
            if container is not None and container.state == "ACQUIRED":
                container.happen("LAUNCH")
                self.cluster.version += 1
        for container_id, exit_status in completed:
            container = placed.get(container_id)
            if container is None or container.state not in LIVE:
                container = self.cluster.container(container_id)
            if container is not None:
                self.complete(container, "FINISH", now_ms)
                decisions.append(Completed(container_id, node.id, exit_status))
            elif (ended := node.containers.get(container_id)) is not None:
                self.cluster.vacate(ended)
        if self.offers_on_heartbeat(bool(completed)):
            decisions += self.offer(node, now_ms)
        return decisions

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container or reservation ends, by a move of the container table.

        Returns:
            The decision, none for a container that ended by itself.
        """
        if container.state == "RESERVED":
            return [self.unreserve(container.node)]
        if self.cluster.end(container, happening, now_ms):
            self.posted.append(container)
        if self.node_lets_go(container, happening):
            self.cluster.vacate(container)
        if happening == "FINISH":
            return []
        return [Killed(container.id, container.node.id, cause or CAUSE_OF_END[happening])]

    def node_lets_go(self, container: Container, happening: str) -> bool:
        """Whether a node's space is free as soon as the container has ended here. Hadoop 2.7.2: always."""
        return True

    def unreserve(self, node: Node) -> Unreserved:
        """Drop a node's reservation."""
        container = self.cluster.unreserve(node)
        return Unreserved(container.id, node.id, container.priority, container.memory_mb, container.vcores)

    # ---------------------------------------------------------------- application masters

    def maximum_of(self, queue: str, now_ms: int) -> Resource:
        """The largest container in a queue."""
        return self.maximum.ask(now_ms)

    def check_asks(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        """Refuse asks above the maximum; raises `RefusedError`, and then nothing has changed.

        `queue` is that of the attempt; only 3.x has maximums of queues.
        """
        maximum = self.maximum_of(queue, now_ms)
        for ask in asks:
            validate(Resource(ask.memory_mb, ask.vcores), maximum)

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
            resize(asks, lambda asked: self.normalise(asked, now_ms))
            self.overheard_ask(attempt, asks)
        decisions = self.release(releases, now_ms)
        if asks:
            self.cluster.update_requests(attempt, asks)
        if blacklist_add or blacklist_remove:
            attempt.blacklist.update(blacklist_add)
            attempt.blacklist.difference_update(blacklist_remove)
            self.cluster.version += 1
        return self.cluster.fetch(attempt), decisions

    def release(self, releases: Iterable[ContainerId], now_ms: int) -> list[Decision]:
        """End the live ones of the containers an AM gives back."""
        decisions: list[Decision] = []
        for container_id in releases:
            container = self.cluster.container(container_id)
            if container is not None:
                decisions += self.complete(container, "RELEASE", now_ms)
        return decisions

    def remove_attempt(self, attempt: Attempt, now_ms: int) -> list[Decision]:
        """An attempt ends: its containers and reservations end with it."""
        decisions: list[Decision] = []
        for container in [*attempt.live.values(), *attempt.reserved.values()]:
            decisions += self.complete(container, "KILL", now_ms, "APPLICATION_ENDED")
        self.cluster.stop(attempt)
        self.attempt_removed(attempt, now_ms)
        return decisions
