"""The interface that the front of all YARN policies, `YarnScheduler`, needs of one policy.

`Policy`, `ApplicationRules` and `AskRules` every policy has. The other protocols are for policies that have such a
thing: a policy without background passes gives the front no `BackgroundPasses`, and so on.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from engine.model.cluster import Cluster
from engine.model.decision import Decision
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import Queue, Resource, ResourceRequest
from engine.schedulers.containers import MaximumAllocation, ReleaseRules
from engine.schedulers.obstacle_texts import Obstacle, Reason, Recorder

AnyAttempt_contra = TypeVar("AnyAttempt_contra", bound=Attempt[Any], contravariant=True)
"""The attempts of one policy, which its own `begin` made; no other ones are handed to it."""

# Defines what an observer may read of a policy: its queues as rows, its settings, its order.
#
# Every policy answers with a `PolicyView` of its own package, which YARN's return from `Policy.view`; what a view
# leaves out it does not have. Nothing here changes anything. What a policy does not have is `UNKNOWN` or None, never
# 0.


class Unknown(Enum):
    """The type of `UNKNOWN`: the source of a figure cannot tell it."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN

Amounts = tuple[int, ...]  # One int per dimension of the control plane, in its order


class QueueRow(msgspec.Struct, frozen=True, kw_only=True):
    """One queue; rows come in tree order, parents before children.

    A field that a policy does not have stays `UNKNOWN`. A policy whose queues have more to show extends the row and
    names the extension in `PolicyView.queue_row`.
    """

    path: str
    depth: int  # 0 for the root
    is_leaf: bool
    policy: str
    weight: float | Unknown = UNKNOWN
    used: Amounts
    demand: Amounts | Unknown = UNKNOWN
    fair_share: Amounts | Unknown = UNKNOWN
    steady_share: Amounts | Unknown = UNKNOWN
    min_share: Amounts | Unknown = UNKNOWN
    max_share: Amounts | None | Unknown = UNKNOWN  # None is no limit
    reserved: Amounts | Unknown = UNKNOWN
    applications_running: int
    applications_pending: int
    containers: int | Unknown = UNKNOWN
    starved_since_ms: int | None | Unknown = UNKNOWN
    """Since when it is below its min share or fair-share threshold; None when it is not starved."""

    @property
    def granted(self) -> Mapping[str, Amounts | Unknown | None]:
        """Return the amounts that settings grant it now, by name."""
        return {"fair share": self.fair_share}


class Setting(NamedTuple):
    """A setting as an operator writes it."""

    key: str
    value: str  # Its value now; empty where the policy does not tell it


class Shortfall(NamedTuple):
    """A queue that has not all it is due, or may not have more."""

    sentence: str  # What it has and is due, and why nothing is preempted for it
    settings: tuple[Setting, ...]  # Those that keep preemption from it, all of them together; none where none does


class PolicyView:
    """Reads the queues and settings of one policy; every answer is of the moment it is asked for.

    Reservations, preemption and what decides an obstacle are asked of YARN's policies alone.
    """

    queue_row: type[QueueRow]  # The type of `queues`, whose fields are the columns there are
    counts_vcores: bool = False  # Whether vcores limit what fits on a node
    counts_priorities: bool = False  # Whether priorities of applications come before who came first

    def queues(self) -> Sequence[QueueRow]:
        """All queues, parents before their children, siblings by name."""
        raise NotImplementedError

    def used_memory_mb(self, path: str) -> int | None:
        """Memory used in a queue [MB]; 0 in a queue that is not there, None where queues are not distinguished."""

    def starved_queues(self) -> Mapping[str, int]:
        """Path of each leaf queue that is starved → since when [epoch ms]; none where a policy knows no such state."""
        return {}

    def settings(self) -> tuple[str, ...]:
        """Keys that may change while it runs; `queue.<path>.<element>` stands for one of each queue."""
        return ()

    def queue_name(self, path: str) -> str:
        """Return the name by which commands know the queue of a path."""
        return path

    def allocation(self) -> object:
        """The settings of its queues in force, as its file's reader makes them; None where no file defines queues."""

    def reserved(self) -> Amounts:
        """Return the total reserved on all nodes."""
        return (0, 0)

    def preemption(self) -> bool | Unknown:
        """Tell whether containers may be preempted."""
        return UNKNOWN

    def reservation_rule(self) -> str:
        """The rule by which nodes are reserved; empty where the policy has none."""
        return ""

    def properties(self) -> Mapping[str, str]:
        """Properties in force that may change while it runs, also those of queues; none where a file defines them."""
        return {}

    def setting_behind(self, attempt: Attempt, obstacle: Obstacle) -> Setting | None:
        """The policy's setting that decides an obstacle of an attempt; None when none does."""

    def settings_needed(self, attempt: Attempt, obstacle: Obstacle) -> Sequence[Setting]:
        """Settings that must all change before an obstacle goes, as its figures prove; none where one decides it."""
        return ()

    def shortfall(self, attempt: Attempt, now_ms: int) -> Shortfall | None:
        """What the queue of an attempt is due and has not; None where it has what it is due."""

    def other_settings(self, attempt: Attempt, reason: Reason, first: Setting) -> Sequence[Setting]:
        """Further settings from which the limit of an obstacle follows, beside the one that decides it most likely."""
        return ()

    def delay_offers(self) -> int:
        """Return how many offers an attempt lets pass at most before any place will do; 0 where it lets none pass."""
        return 0

    def is_first_come(self, attempt: Attempt) -> bool:
        """Tell whether in the attempt's queue whoever was submitted first is served first."""
        return True


class FifoView(PolicyView):
    """The FIFO scheduler of both releases: one queue and no settings."""

    queue_row = QueueRow

    def __init__(self, cluster: Cluster, queue: Queue) -> None:
        self._cluster = cluster
        self._path = queue.path

    def queues(self) -> list[QueueRow]:
        """The one queue, with everything there is."""
        cluster = self._cluster
        running = sum(application.state == "RUNNING" for application in cluster.applications.values())
        row = QueueRow(
            path=self._path,
            depth=0,
            is_leaf=True,
            policy="fifo",
            used=(cluster.used_memory_mb, cluster.used_vcores),
            max_share=None,
            reserved=(0, 0),
            applications_running=running,
            applications_pending=len(cluster.applications) - running,
            containers=cluster.live,
        )
        return [row]


def subject_of(obstacle: Obstacle, attempt: Attempt) -> tuple[str, bool]:
    """The queue or user an obstacle in the queues is about, and whether it is the attempt's user."""
    kind, _, name = obstacle.subject.rpartition(" ")
    is_user = obstacle.reason is Reason.QUEUE_NOT_RUNNING_IT and name == attempt.user and kind != "queue"
    return name, is_user


class SchedulerStart(NamedTuple):
    """The values a scheduler is started with."""

    cluster: Cluster
    values: Mapping[str, str]  # Hadoop settings
    allocation: object  # The loaded allocation file, as its reader makes it; None for none
    groups: Mapping[str, Sequence[str]]  # User → groups, the primary one first
    now_ms: int


class Policy(Protocol[AnyAttempt_contra]):
    """Decides who is given a node."""

    @property
    def name(self) -> str:
        """The name that scenarios use."""

    @property
    def kind(self) -> str:
        """The real scheduler in whose form a server answers: `fair`, `capacity` or `fifo`."""

    @property
    def probes_by_size(self) -> bool:
        """Tell whether `obstacle_on` looks only at the sizes of an unreserved node, for an attempt of no place."""

    @property
    def release(self) -> ReleaseRules:
        """The differences by release that hold for every policy."""

    cluster: Cluster
    minimum: Resource
    maximum: MaximumAllocation
    recorder: Recorder | None  # Hears of obstacles; None costs nothing

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Offer a node; decide and apply."""

    def is_idle(self, node: Node) -> bool:
        """Tell whether an offer of this node would change nothing."""

    def all_nodes_idle(self) -> bool:
        """Tell whether `is_idle` is known to hold for every node."""

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container or reservation ends, by a move of the container table; no decision for one that ended itself."""

    def headroom(self, attempt: AnyAttempt_contra) -> Resource:
        """The resources that the application may still be given."""

    def obstacle(self, attempt: AnyAttempt_contra) -> Obstacle | None:
        """Return the attempt's obstacle that holds on every node; None when there is none. Changes nothing."""

    def obstacle_on(self, attempt: AnyAttempt_contra, node: Node, now_ms: int) -> Obstacle | None:
        """Return the attempt's obstacle on a node, where `obstacle` found nothing. Changes nothing."""

    def view(self) -> PolicyView:
        """Return its view, which observers ask."""


class ApplicationRules(Protocol[AnyAttempt_contra]):
    """Lets applications in and keeps them in queues."""

    def admit(self, application: Application, now_ms: int) -> None:
        """Check an application before it exists, and normalise its AM; raises `RefusedError`."""

    def place(self, application: Application, requested: str) -> None:
        """Find the application's queue and set it; raises `RefusedError` when there is none for it."""

    def start_attempt(self, application: Application, number: int, now_ms: int, kept: Sequence[Container]) -> Attempt:
        """Begin an attempt of an application that was placed; `kept` outlived the attempt before."""

    def finish_attempt(self, attempt: AnyAttempt_contra) -> None:
        """An attempt has ended, and all it held."""

    def drop_application(self, application: Application) -> None:
        """An application has ended, or was refused after its admission."""


class AskRules(Protocol[AnyAttempt_contra]):
    """Checks and sizes what application masters ask for."""

    def check(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        """Refuse asks above the maximum; raises `RefusedError`, and then nothing has changed.

        `queue` is that of the attempt; only 3.x has maximums of queues.
        """

    def normalize_requests(self, attempt: AnyAttempt_contra, asks: Sequence[ResourceRequest], now_ms: int) -> None:
        """Give the asks of a call their normalised sizes, before anything of it takes effect."""

    def after_allocate(
        self, attempt: AnyAttempt_contra, asks: Sequence[ResourceRequest], *, blacklist_changed: bool
    ) -> None:
        """A call has taken effect, and its containers are about to be fetched."""


class LiveQueues(Protocol):
    """A tree of queues that can change while it runs."""

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move an application; raises `RefusedError` where it may not."""

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Change settings, all or, with a `RefusedError` for an unknown one, none."""

    def reload(self, allocation: object, now_ms: int) -> None:
        """Take over a newly loaded allocation file; raises `RefusedError` where the policy has none of this kind."""


class NodeRules(Protocol):
    """Figures that follow the nodes of the cluster."""

    def on_node_added(self, node: Node) -> None:
        """A node has joined."""

    def before_node_removed(self, node: Node) -> list[Decision]:
        """The cluster's total is without the node; its containers still run."""

    def after_node_removed(self, node: Node) -> None:
        """A node is gone, and what ran there has ended."""

    def before_node_resized(self, node: Node) -> None:
        """A node's total is about to change."""

    def after_node_resized(self, node: Node) -> list[Decision]:
        """A node's total has changed; its reservation may be dropped."""


class BackgroundPasses(Protocol):
    """Passes beside the heartbeats."""

    def passes(self) -> tuple[tuple[str, int], ...]:
        """Names and intervals [ms], in the order they run within an instant."""

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """Run a pass."""

    def pass_is_idle(self, name: str) -> bool:
        """Tell whether a pass, just run, is known to change nothing again while the version stays."""

    def longest_timer_ms(self) -> int:
        """Return the longest wait of its passes for something that changes by time alone [ms], all waits in a row."""


class RestingClocks(Protocol):
    """Clocks that a pass moves on even when it changes nothing else."""

    def resume_pass(self, name: str, last_ms: int) -> None:
        """A pass that rested goes on: move them on as if it had run until then [epoch ms]."""


class Updates(Protocol):
    """An update that comes before the next event, whatever that is."""

    def catch_up(self, now_ms: int) -> None:
        """Make the update if it is due."""


class Overcommitment(Protocol):
    """Timeouts after which a node that has shrunk loses containers."""

    @property
    def until_ms(self) -> Collection[str]:
        """Ids of the nodes with a timeout."""

    def to_kill(self, node: Node, now_ms: int) -> list[Container]:
        """The containers to end on a node whose timeout is over."""


class RecoveryRules(Protocol[AnyAttempt_contra]):
    """Lets a policy's own figures follow what an earlier life left; the cluster's ledgers have it already.

    Source: Queue#recoverContainer and what implements it, SchedulerApplicationAttempt#recoverContainer.
    """

    def charge(self, container: Container) -> None:
        """A container that its node brought back is paid for."""

    def count_master(self, container: Container) -> None:
        """Count a container as a master, as where the policy had given it itself.

        The real classes do so for what they give only; a Capacity Scheduler counts a master when its attempt begins.
        """

    def charge_reservation(self, held: Container) -> None:
        """A reservation is paid for."""

    def order_anew(self, attempt: AnyAttempt_contra) -> None:
        """Put an attempt and its queues where their use belongs among the others."""


class LabelRules(Protocol):
    """Partitions of nodes."""

    def label_node(self, node: Node, partition: str, now_ms: int) -> list[Decision]:
        """A node moves to another partition; raises `RefusedError` for one that the cluster does not have."""


class PriorityRules(Protocol):
    """Priorities of applications."""

    def change_priority(self, application: Application, priority: int) -> None:
        """An application's priority changes; raises `RefusedError` where its user may not have it."""
