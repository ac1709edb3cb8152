"""What a ResourceManager, the simulation and those who watch them need of a YARN scheduler, whatever its policy.

A scheduler is one concrete class. It holds the parts it is made of (`containers`, `am_calls`, `calculator`,
those of its policy) and extends nothing of another scheduler.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from engine.model.cluster import Cluster
from engine.model.decision import ContainerId, Decision, Unreserved
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import ResourceRequest
from engine.model.resource import Resource
from engine.schedulers.activity import Obstacle, Recorder
from engine.schedulers.calculator import MaximumAllocation
from engine.schedulers.scheduler_view import SchedulerView


class YarnScheduler(Protocol):
    """A policy over a cluster."""

    @property
    def name(self) -> str:
        """How scenarios call it."""

    @property
    def has_queues(self) -> bool:
        """Whether applications are placed in a tree of queues."""

    @property
    def probes_by_size(self) -> bool:
        """Whether `obstacle_on` of an attempt that names no place sees of a node without reservation only its sizes."""

    @property
    def one_attempt_is_all(self) -> bool:
        """Whether an application with one attempt fails with it even where that would not count, as of a preempted AM.

        Source: RMAppImpl.AttemptFailedTransition, Hadoop 3.4.1; 2.7.2 tries again.
        """

    cluster: Cluster
    minimum: Resource
    maximum: MaximumAllocation
    recorder: Recorder | None
    """Who wants to know of obstacles; None costs nothing."""
    posted: list[Container]
    """Containers whose requests are to be put back before the next event, see `containers.put_back`."""

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        """Names and intervals [ms] of its background passes, in the order they run within an instant."""

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """Run a background pass."""

    def pass_rests(self, name: str) -> bool:
        """Whether a pass, just run, is known to change nothing again while the version stays."""

    def longest_timer_ms(self) -> int:
        """How long at most its passes wait for something that changes by time alone [ms], all waits in a row."""

    def view(self) -> SchedulerView:
        """What observers may ask of it."""

    # ---------------------------------------------------------------- nodes

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        """A node joins."""

    def remove_node(self, node: Node, happening: str, now_ms: int) -> list[Decision]:
        """A node leaves by a move of the node table: its containers are lost, its reservation is dropped."""

    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> list[Decision]:
        """A node's total changes; what runs there goes on, a reservation may be dropped."""

    def heartbeat(
        self, node: Node, started: Sequence[ContainerId], completed: Sequence[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Settle what a node reports, then offer it."""

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Offer a node; decide and apply."""

    def offers_on_heartbeat(self, completed: bool) -> bool:
        """Whether a heartbeat that did (or did not) report completed containers is followed by an offer."""

    def is_idle(self, node: Node) -> bool:
        """Whether an offer of this node would change nothing."""

    def is_quiet(self) -> bool:
        """Whether `is_idle` is known to hold for every node."""

    # ---------------------------------------------------------------- applications

    def admit(self, application: Application, now_ms: int) -> None:
        """Check an application before it exists, and normalise its AM; raises `RefusedError`."""

    def place(self, application: Application, requested: str) -> None:
        """Find the application's queue and set it; raises `RefusedError` when there is none for it."""

    def add_attempt(self, application: Application, now_ms: int, kept: Sequence[Container] = ()) -> Attempt:
        """Begin an attempt of an application that was placed."""

    def remove_attempt(self, attempt: Attempt, now_ms: int) -> list[Decision]:
        """An attempt ends: its containers and reservations end with it."""

    def remove_application(self, application: Application) -> None:
        """An application has ended, or was refused after its admission."""

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move an application; raises `RefusedError` where it may not."""

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container or reservation ends, by a move of the container table; no decision for one that ended itself."""

    def unreserve(self, node: Node) -> Unreserved:
        """Drop a node's reservation."""

    # ---------------------------------------------------------------- application masters

    def check_asks(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        """Refuse asks above the maximum; raises `RefusedError`, and then nothing has changed.

        `queue` is that of the attempt; only 3.x has maximums of queues.
        """

    def allocate(
        self,
        attempt: Attempt,
        asks: Sequence[ResourceRequest],
        releases: Iterable[ContainerId],
        blacklist_add: Sequence[str],
        blacklist_remove: Sequence[str],
        now_ms: int,
    ) -> tuple[list[Container], list[Decision]]:
        """One AM call, after its checks: the containers handed over, and what its releases ended."""

    def headroom(self, attempt: Attempt) -> Resource:
        """What the application may still hope for."""

    # ---------------------------------------------------------------- questions

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        """What stands in the attempt's way whatever the node; None when nothing does. Changes nothing."""

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
        """What stands in the attempt's way on a node where `obstacle` found nothing. Changes nothing."""

    # ---------------------------------------------------------------- configuration, copying

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Change settings while it runs, all or, with a `RefusedError` for an unknown one, none."""

    def reload(self, allocation: object, now_ms: int) -> None:
        """Take over a newly loaded allocation file; raises `RefusedError` where the policy has none of this kind."""
