"""Answers observers of the FIFO scheduler, both releases: one queue and no settings."""

from engine.model.cluster import Cluster
from engine.model.queue import Queue
from engine.schedulers.scheduler_view import QueueRow, SchedulerView


class FifoView(SchedulerView):
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
