"""Defines what an observer may read of a policy: its queues as rows, its settings, its order.

Every policy answers with a `PolicyView` of its own package, which YARN's return from `Policy.view`; what a view leaves
out it does not have. Nothing here changes anything. What a policy does not have is `UNKNOWN` or None, never 0.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from engine.model.cluster import Cluster
from engine.model.ledger import Attempt
from engine.model.request import Queue
from engine.schedulers.obstacle_texts import Obstacle, Reason


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
        return {"fair share": self.fair_share}


class Setting(NamedTuple):
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
    counts_priorities: bool = False  # Whether priorities of applications come before their order of arrival

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
        return path

    def allocation(self) -> object:
        """The settings of its queues in force, as its file's reader makes them; None where no file defines queues."""

    def reserved(self) -> Amounts:
        return (0, 0)

    def preemption(self) -> bool | Unknown:
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
        return True

    def parked(self) -> Collection[int]:
        """Applications that wait for others to end, and whose own end changes what their users may have."""
        return ()


class FifoView(PolicyView):
    """The FIFO scheduler of both releases: one queue and no settings."""

    queue_row = QueueRow

    def __init__(self, cluster: Cluster, queue: Queue) -> None:
        self._cluster = cluster
        self._path = queue.path

    def queues(self) -> list[QueueRow]:
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
    cluster: Cluster
    values: Mapping[str, str]  # Hadoop settings
    allocation: object  # The loaded allocation file, as its reader makes it; None for none
    groups: Mapping[str, Sequence[str]]  # User → groups, the primary one first
    now_ms: int
