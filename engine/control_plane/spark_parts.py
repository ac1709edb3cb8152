"""Handles the events of a Spark Master's applications: register, change their wishes, end; executors report.

Source: Master#registerApplication, #removeApplication, #handleRequestExecutors, #handleKillExecutors, Spark 4.x;
Master#removeDriver, #relaunchDriver, Spark 4.x; Master#handleRegisterWorker, #removeWorker, #decommissionWorker, Spark
4.x.
"""

from typing import Any

from engine.control_plane.protocol import (
    ApplicationFinished,
    Cleanup,
    DriverKilled,
    DriverStateChanged,
    DriverSubmitted,
    ExecutorsKilled,
    ExecutorsRequested,
    ExecutorStateChanged,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    SparkApplicationRegistered,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.control_plane.spark_cluster_view import has_obstacle
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned, Completed, Decision, Killed
from engine.model.spark.application import (
    APPLICATION_MOVES,
    DRIVER_ENDS,
    EXECUTOR_ENDS,
    Driver,
    Executor,
    ExecutorShape,
    SparkApplication,
    Worker,
)
from engine.model.spark.cluster import SparkCluster, worker_id
from engine.schedulers.spark.scheduling_pass import (
    DRIVER_ATTEMPT,
    EXECUTOR_ATTEMPT,
    PassRecorder,
    SchedulingPass,
    ShuffleStream,
    SparkSettings,
)
from engine.state import Owned, State

# The state, settings and decisions of the running event that the handlers of a Spark Master share.
#
# A handler changes the cluster through its mutators, notes decisions here and runs passes; `SparkMaster` turns the
# notes into the answer.


class MasterCore(metaclass=State):
    """State of one Master and the notes of the event it handles."""

    options: SparkSettings
    cluster: SparkCluster
    stream: Owned[ShuffleStream]
    recorder: PassRecorder | None = None  # Keeps what passes looked at; None costs nothing
    decisions: list[Decision] = []
    cleanups: list[Cleanup] = []

    def __init__(self, options: SparkSettings) -> None:
        self.options = options
        self.cluster = SparkCluster()
        self.stream = ShuffleStream(options.seed)

    def begin(self) -> None:
        self.decisions = []
        self.cleanups = []

    def schedule(self, now_ms: int, cause: str) -> None:
        running = SchedulingPass(self.cluster, self.options, self.stream, now_ms, self.recorder, cause)
        self.decisions += running.run()
        for application in self.cluster.applications.values():
            if not has_obstacle(application):
                application.unmet_since_ms = None
            elif application.unmet_since_ms is None:
                application.unmet_since_ms = now_ms

    def lost(self, executors: tuple[Executor, ...]) -> None:
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


def register_application(core: MasterCore, event: SparkApplicationRegistered, now_ms: int) -> int:
    """An application joins the end of the queue; its number. Source: Master#registerApplication."""
    if event.application is not None and event.application in core.cluster.applications:
        raise RefusedError("InvalidApplication", f"application {event.application} is already registered")
    cores = core.options.default_cores if event.max_cores is None else event.max_cores
    shape = ExecutorShape(event.executor_cores, event.executor_memory_mb)
    application = core.cluster.add_application(
        event.application, event.name, event.user, cores, shape, event.executor_limit, now_ms
    )
    core.decisions.append(ApplicationTransitioned(application.number, "WAITING"))
    core.schedule(now_ms, "application registered")
    return application.number


def application_finished(core: MasterCore, event: ApplicationFinished, now_ms: int) -> None:
    """Its driver unregistered or went away (`FINISHED`), or a user killed it; an unknown one is ignored."""
    application = core.cluster.applications.get(event.application)
    if application is None:
        return
    if event.state not in APPLICATION_MOVES["RUNNING"] or event.state == "RUNNING":
        raise RefusedError("InvalidState", f"an application cannot end as {event.state}")
    remove_application(core, application, event.state, event.detail, now_ms)


def remove_application(core: MasterCore, application: SparkApplication, state: str, detail: str, now_ms: int) -> None:
    """Its executors are killed and their resources are free at once. Source: Master#removeApplication."""
    killed = core.cluster.end_application(application, state, now_ms)
    core.kill(killed, "APPLICATION_ENDED")
    core.decisions.append(ApplicationTransitioned(application.number, state, detail=detail))
    forget(core.cluster.completed_applications, core.options.retained_applications)
    core.schedule(now_ms, "application ended")


def executors_requested(core: MasterCore, event: ExecutorsRequested, now_ms: int) -> None:
    """Set the totals of some profiles; fewer than it has kills none. Source: ApplicationInfo#requestExecutors."""
    application = known_application(core, event.application)
    for profile in event.profiles:
        application.add_profile(profile.id, profile.cores, profile.memory_mb)
    for profile_id, total in event.totals:
        if profile_id not in application.shapes:
            raise RefusedError("InvalidResourceProfile", f"resource profile {profile_id} is not known")
        application.targets[profile_id] = total
    core.cluster.version += 1
    core.schedule(now_ms, "executors requested")


def executors_killed(core: MasterCore, event: ExecutorsKilled, now_ms: int) -> None:
    """An application gives executors back."""
    kill_executors(core, known_application(core, event.application), event.executors, "RELEASED", now_ms)


def kill_executors(
    core: MasterCore, application: SparkApplication, ids: tuple[int, ...], cause: str, now_ms: int
) -> None:
    """Kill executors; unknown ids are skipped and the pass runs all the same. Source: Master#handleKillExecutors."""
    known = tuple(application.executors[id] for id in dict.fromkeys(ids) if id in application.executors)
    for executor in known:
        core.cluster.end_executor(executor, "KILLED")
    core.kill(known, cause)
    core.schedule(now_ms, "executors killed")


def known_application(core: MasterCore, number: int) -> SparkApplication:
    """The registered application of that number. Raises RefusedError when there is none."""
    application = core.cluster.applications.get(number)
    if application is None:
        raise RefusedError("UnknownApplication", f"no application {number} is registered")
    return application


def executor_state(core: MasterCore, event: ExecutorStateChanged, now_ms: int) -> None:
    """A worker reports an executor; unknown ones are ignored. Source: Master#receiveAndReply, Spark 4.x."""
    application = core.cluster.applications.get(event.application)
    executor = application.executors.get(event.executor) if application else None
    if application is None or executor is None:
        return
    if event.state == "RUNNING":
        if executor.state != "LAUNCHING":
            raise RefusedError("AssertionError", f"executor {executor.id} is {executor.state} already")
        core.cluster.mark_running(executor)
    elif event.state in EXECUTOR_ENDS:
        _executor_ended(core, application, executor, event, now_ms)
    else:
        raise RefusedError("InvalidState", f"a worker does not report {event.state}")
    core.schedule(now_ms, "executor reported")


def _executor_ended(
    core: MasterCore, application: SparkApplication, executor: Executor, event: ExecutorStateChanged, now_ms: int
) -> None:
    core.cluster.end_executor(executor, event.state)
    container = (application.number, EXECUTOR_ATTEMPT, executor.id)
    status = -1 if event.exit_status is None else event.exit_status
    core.decisions.append(Completed(container, executor.worker.node, status))
    if event.exit_status == 0:
        return
    application.failures += 1
    retries = core.options.max_executor_retries
    if not 0 <= retries <= application.failures:
        return
    if not any(other.state == "RUNNING" for other in application.executors.values()):
        detail = f"{application.failures} executors ended abnormally, none is running"
        remove_application(core, application, "FAILED", detail, now_ms)


# Handles the events of a Spark Master's workers: they register, report and leave.


def register_worker(core: MasterCore, event: WorkerRegistered, now_ms: int) -> None:
    """A worker registers; a known id changes nothing. Source: Master#handleRegisterWorker."""
    if event.worker in core.cluster.by_id:
        return
    if event.node in core.cluster.by_node:
        raise RefusedError("RegisterWorkerFailed", f"a worker is already registered at {event.node}")
    core.cluster.add_worker(event.worker, event.node, event.rack, event.cores, event.memory_mb, now_ms)
    core.schedule(now_ms, "worker registered")


def node_joined(core: MasterCore, event: NodeJoined, now_ms: int) -> None:
    """A worker registers with an id made from time and address."""
    id = worker_id(now_ms, event.node)
    register_worker(core, WorkerRegistered(event.node, id, event.vcores, event.memory_mb, event.rack), now_ms)


def node_lost(core: MasterCore, event: NodeLost, now_ms: int) -> None:
    """A worker is gone, or decommissioned; an unknown one is ignored."""
    worker = core.cluster.by_node.get(event.node)
    if worker is None:
        return
    if event.state == "DECOMMISSIONED":
        _decommission(core, worker)
    else:
        _remove_worker(core, worker, now_ms)


def worker_decommissioned(core: MasterCore, event: WorkerDecommissioned, now_ms: int) -> None:
    """A worker takes no more work. Source: Master#decommissionWorker."""
    worker = core.cluster.by_node.get(event.node)
    if worker is not None:
        _decommission(core, worker)


def _decommission(core: MasterCore, worker: Worker) -> None:
    if worker.state == "ALIVE":
        core.lost(core.cluster.decommission(worker))


def _remove_worker(core: MasterCore, worker: Worker, now_ms: int) -> None:
    """Source: Master#removeWorker; ending or relaunching each driver runs passes of its own."""
    # Idle heartbeats may have been left out; what forgets dead workers counts from here.
    worker.last_heartbeat_ms = now_ms
    core.lost(core.cluster.mark_dead(worker))
    for driver in core.cluster.drivers_in_spark_order(worker):
        core.decisions.append(Killed((driver.number, DRIVER_ATTEMPT, 0), worker.node, "LOST"))
        if driver.supervise:
            relaunch(core, driver, now_ms)
        else:
            end_driver(core, driver, "ERROR", now_ms)
    core.schedule(now_ms, "worker lost")


def node_heartbeat(core: MasterCore, event: NodeHeartbeat, now_ms: int) -> None:
    """Reports that came with a heartbeat, each handled as the worker's own message."""
    worker = core.cluster.by_node.get(event.node)
    if worker is None:
        return
    worker.last_heartbeat_ms = now_ms
    for number, attempt, id in event.started:
        application = core.cluster.applications.get(number)
        executor = application.executors.get(id) if application else None
        if attempt == EXECUTOR_ATTEMPT and executor is not None and executor.state == "LAUNCHING":
            executor_state(core, ExecutorStateChanged(number, id, "RUNNING"), now_ms)
    for (number, attempt, id), status in event.completed:
        if attempt == EXECUTOR_ATTEMPT:
            executor_state(core, ExecutorStateChanged(number, id, "EXITED", status), now_ms)
        else:
            state = "FINISHED" if status == 0 else "FAILED"
            driver_state(core, DriverStateChanged(number, state), now_ms)
