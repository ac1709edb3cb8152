"""What the handlers of a Spark Master share: its state, its settings, and what the running event has decided.

A handler changes the cluster through its mutators, notes decisions here and runs passes; `SparkMaster` turns the
notes into the answer.
"""

from typing import Any

from engine.control_plane.protocol import Cleanup
from engine.control_plane.spark_cluster_view import has_obstacle
from engine.model.decision import Decision, Killed
from engine.model.spark.cluster import SparkCluster
from engine.model.spark.worker import Executor
from engine.schedulers.spark.pass_record import PassRecorder
from engine.schedulers.spark.scheduling_pass import EXECUTOR_ATTEMPT, SchedulingPass, ShuffleStream
from engine.schedulers.spark.settings import SparkSettings
from engine.state import Owned, State


class MasterCore(metaclass=State):
    """State of one Master and the notes of the event it handles."""

    options: SparkSettings
    cluster: SparkCluster
    stream: Owned[ShuffleStream]
    recorder: PassRecorder | None = None
    """Keeps what passes looked at; None costs nothing."""
    decisions: list[Decision] = []
    cleanups: list[Cleanup] = []

    def __init__(self, options: SparkSettings) -> None:
        self.options = options
        self.cluster = SparkCluster()
        self.stream = ShuffleStream(options.seed)

    def begin(self) -> None:
        """Forget the notes of the last event."""
        self.decisions = []
        self.cleanups = []

    def schedule(self, now_ms: int, cause: str) -> None:
        """Run one scheduling pass."""
        running = SchedulingPass(self.cluster, self.options, self.stream, now_ms, self.recorder, cause)
        self.decisions += running.run()
        for application in self.cluster.applications.values():
            if not has_obstacle(application):
                application.unmet_since_ms = None
            elif application.unmet_since_ms is None:
                application.unmet_since_ms = now_ms

    def lost(self, executors: tuple[Executor, ...]) -> None:
        """Note executors that went with their worker."""
        for executor in executors:
            container = (executor.application, EXECUTOR_ATTEMPT, executor.id)
            self.decisions.append(Killed(container, executor.worker.node, "LOST"))

    def kill(self, executors: tuple[Executor, ...], cause: str) -> None:
        """Note executors that their workers are ordered to stop."""
        for executor in executors:
            container = (executor.application, EXECUTOR_ATTEMPT, executor.id)
            self.decisions.append(Killed(container, executor.worker.node, cause))
            self.cleanups.append(Cleanup(executor.worker.node, container))


def forget(ended: list[Any], retained: int) -> None:
    """Drop the oldest tenth once more than `retained` have ended. Source: Master#removeApplication, #removeDriver."""
    if len(ended) > retained:
        del ended[: max(retained // 10, 1)]
