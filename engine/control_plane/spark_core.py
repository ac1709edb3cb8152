"""The state, settings and decisions of the running event that the handlers of a Spark Master share.

A handler changes the cluster through its mutators, notes decisions here and runs passes; `SparkMaster` turns the
notes into the answer.

Source: Master#removeDriver, #relaunchDriver, Spark 4.x.
"""

from typing import Any

from engine.control_plane.protocol import Cleanup
from engine.control_plane.spark_cluster_view import has_obstacle
from engine.control_plane.spark_events import DriverKilled, DriverStateChanged, DriverSubmitted
from engine.errors import RefusedError
from engine.model.decision import Completed, Decision, Killed
from engine.model.spark.cluster import SparkCluster
from engine.model.spark.lifecycle import DRIVER_ENDS
from engine.model.spark.worker import Driver, Executor
from engine.schedulers.spark.pass_record import PassRecorder
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT, EXECUTOR_ATTEMPT, SchedulingPass, ShuffleStream
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


def submit_driver(core: MasterCore, event: DriverSubmitted, now_ms: int) -> int:
    """A driver joins the end of the waiting ones; its number."""
    driver = core.cluster.add_driver(event.name, event.cores, event.memory_mb, event.supervise, now_ms)
    core.schedule(now_ms, "driver submitted")
    return driver.number


def driver_killed(core: MasterCore, event: DriverKilled, now_ms: int) -> None:
    """End a waiting driver, or order its worker to. Source: Master#receiveAndReply, RequestKillDriver."""
    driver = core.cluster.drivers.get(event.driver)
    if driver is None:
        raise RefusedError("UnknownDriver", f"driver {event.driver} has ended or does not exist")
    if driver.worker is None:
        core.cluster.waiting_drivers.remove(driver)
        end_driver(core, driver, "KILLED", now_ms)
    else:
        core.cleanups.append(Cleanup(driver.worker.node, (driver.number, DRIVER_ATTEMPT, 0)))


def driver_state(core: MasterCore, event: DriverStateChanged, now_ms: int) -> None:
    """A worker reports a driver's end; one that runs nowhere is ignored."""
    if event.state not in DRIVER_ENDS:
        raise RefusedError("Exception", f"a worker does not report {event.state} of a driver")
    driver = core.cluster.drivers.get(event.driver)
    if driver is None or driver.worker is None:
        return
    status = 0 if event.state == "FINISHED" else 1
    core.decisions.append(Completed((driver.number, DRIVER_ATTEMPT, 0), driver.worker.node, status))
    end_driver(core, driver, event.state, now_ms)


def end_driver(core: MasterCore, driver: Driver, state: str, now_ms: int) -> None:
    """A driver leaves, and a pass runs. Source: Master#removeDriver."""
    core.cluster.end_driver(driver, state)
    forget(core.cluster.completed_drivers, core.options.retained_drivers)
    core.schedule(now_ms, "driver ended")


def relaunch(core: MasterCore, driver: Driver, now_ms: int) -> None:
    """A new driver at the end of the queue, since the old one may live on. Source: Master#relaunchDriver."""
    end_driver(core, driver, "RELAUNCHING", now_ms)
    core.cluster.add_driver(driver.name, driver.cores, driver.memory_mb, True, now_ms, origin=driver.origin)
    core.schedule(now_ms, "driver relaunched")
