"""Answers observers of the FIFO scheduler, both releases: one queue and no settings."""

from collections.abc import Mapping

from engine.model.cluster import Cluster
from engine.model.ledger import Attempt
from engine.model.queue import Queue
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.scheduler_view import UNKNOWN, Amounts, QueueRow, Setting, Unknown


class FifoView:
    """Implements `SchedulerView`."""

    queue_row = QueueRow
    counts_vcores = False

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

    def used_memory_mb(self, path: str) -> None:
        """Queues are not distinguished."""

    def reserved(self) -> Amounts:
        """Always 0: it reserves nothing."""
        return (0, 0)

    def preemption(self) -> Unknown:
        """It has none."""
        return UNKNOWN

    def reservation_rule(self) -> str:
        """It has none."""
        return ""

    def settings(self) -> tuple[str, ...]:
        """None may change."""
        return ()

    def queue_name(self, path: str) -> str:
        """The whole path."""
        return path

    def allocation(self) -> None:
        """No file defines its queue."""

    def properties(self) -> Mapping[str, str]:
        """None may change."""
        return {}

    def setting_behind(self, attempt: Attempt, obstacle: Obstacle) -> None:
        """No setting decides anything."""

    def other_settings(self, attempt: Attempt, reason: Reason, first: Setting) -> tuple[Setting, ...]:
        """None."""
        return ()

    def delay_offers(self) -> int:
        """It never waits for a better place."""
        return 0

    def is_first_come(self, attempt: Attempt) -> bool:
        """Always."""
        return True
