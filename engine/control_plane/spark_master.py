"""Spark's standalone Master: the front door of a Spark cluster, and what it does with each event.

It runs a scheduling pass on the events the real one runs it on, never on heartbeats: a worker registered or lost, an
application registered or ended, any report of a known executor, executors requested or killed, a driver submitted,
ended or relaunched. A decommissioned worker causes none: cores it frees wait for the next event.

Source: org.apache.spark.deploy.master.Master, Spark 4.x. Differs: no standby and no recovery, no custom resources
(GPU, FPGA); a worker whose heartbeats cease is reported by `NodeLost`, the Master does not count them itself.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from engine.control_plane import protocol
from engine.control_plane.protocol import NOTHING, Answer, Cleanup, Event, Grant, Pass
from engine.control_plane.spark_cluster_view import SparkClusterView, has_obstacle
from engine.errors import ConfigError, RefusedError
from engine.fork import fork
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Decision, Killed
from engine.model.request import SPARK_DIMENSIONS
from engine.model.spark.application import (
    APPLICATION_MOVES,
    DRIVER_ENDS,
    EXECUTOR_ENDS,
    Driver,
    Executor,
    ExecutorShape,
    SparkApplication,
)
from engine.model.spark.cluster import SparkCluster, worker_id
from engine.schedulers.spark.scheduling_pass import (
    DRIVER_ATTEMPT,
    EXECUTOR_ATTEMPT,
    PassRecord,
    PassRecorder,
    SchedulingPass,
    ShuffleStream,
    SparkSettings,
    changed,
    parse_settings,
)
from engine.settings.spark import SPARK
from engine.state import Owned, State

CULL = "cull"  # The pass that forgets workers DEAD for long. Source: Master#timeOutDeadWorkers.
SCHEDULE = "schedule"  # A scheduling pass asked for by hand; the real Master has no such request


class SparkMaster(metaclass=State):
    """A standalone Master with FIFO applications; implements `ControlPlane`.

    What handles an event changes the cluster through its mutators, notes decisions here and runs passes; the notes
    become the answer.
    """

    options: SparkSettings  # Settings as the next pass will use them
    cluster: SparkCluster  # To be read only by others
    stream: Owned[ShuffleStream]
    recorder: PassRecorder | None = None  # Keeps what passes looked at, for a step mode; None costs nothing
    decisions: list[Decision] = []
    cleanups: list[Cleanup] = []

    name = "spark"
    dimensions: tuple[str, ...] = SPARK_DIMENSIONS
    answers = True
    settings = SPARK.live  # Keys that `SettingsChanged` may carry; they hold from the next pass on

    def __init__(self, settings: Mapping[str, str]) -> None:
        """A Master with Spark properties. Raises ConfigError with every unknown key and unreadable value."""
        self.options = parse_settings(settings)
        self.cluster = SparkCluster()
        self.stream = ShuffleStream(self.options.seed)

    @property
    def version(self) -> int:
        """Always 0: no heartbeat ever decides anything. Changes of state count in `cluster.version`."""
        return 0

    def handle(self, event: Event, now_ms: int) -> Answer:
        handler = HANDLERS.get(type(event))
        self._begin()
        if handler is None:
            return Answer(
                rejected="UnsupportedOperationException", detail=f"a Spark Master knows no {type(event).__name__}"
            )
        try:
            number = handler(self, event, now_ms)
        except RefusedError as error:
            return Answer(rejected=error.kind, detail=str(error))
        return self._answer(number)

    def _answer(self, number: int | None = None) -> Answer:
        """The notes of the event; launched executors and drivers are the containers their nodes are to launch."""
        if not self.decisions and not self.cleanups and number is None:
            return NOTHING
        launches = tuple(
            Grant(decision.container, decision.node, decision.priority, decision.memory_mb, decision.vcores)
            for decision in self.decisions
            if isinstance(decision, Allocated)
        )
        return Answer(
            decisions=tuple(self.decisions), masters=launches, cleanups=tuple(self.cleanups), application=number
        )

    def view(self) -> SparkClusterView:
        return SparkClusterView(self.cluster, self.options)

    def passes(self) -> tuple[Pass, ...]:
        return (Pass(CULL, self.options.worker_timeout_ms),)

    def run_pass(self, name: str, now_ms: int) -> Answer:
        """Run a background pass, or `schedule`: a scheduling pass out of turn."""
        self._begin()
        if name == CULL:
            kept_ms = (self.options.dead_worker_persistence + 1) * self.options.worker_timeout_ms
            self.cluster.drop_dead(now_ms - kept_ms)
        elif name == SCHEDULE:
            self.schedule(now_ms, "by hand")
        return self._answer()

    def preview(self, now_ms: int) -> PassRecord:
        """Return what a pass at this instant would look at and decide; nothing changes here."""
        ahead, recorder = fork(self), PassRecorder()
        ahead.recorder = recorder
        ahead.schedule(now_ms, "by hand")
        return recorder.records[-1]

    def pass_is_idle(self, name: str) -> bool:
        return True

    def resume_pass(self, name: str, last_ms: int) -> None:
        pass

    def heartbeat_is_idle(self, node: str) -> bool:
        return True

    def all_nodes_idle(self) -> bool:
        return True

    def knows_label(self, label: str) -> bool:
        return not label

    # What handlers of events do.

    def _begin(self) -> None:
        self.decisions = []
        self.cleanups = []

    def schedule(self, now_ms: int, cause: str) -> None:
        running = SchedulingPass(self.cluster, self.options, self.stream, now_ms, self.recorder, cause)
        self.decisions += running.run()
        self.note_unmet(now_ms)

    def note_unmet(self, now_ms: int) -> None:
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
        for executor in executors:
            container = (executor.application, EXECUTOR_ATTEMPT, executor.id)
            self.decisions.append(Killed(container, executor.worker.node, cause))
            self.cleanups.append(Cleanup(executor.worker.node, container))


def forget(ended: list[Any], retained: int) -> None:
    """Drop the oldest tenth once more than `retained` have ended. Source: Master#removeApplication, #removeDriver."""
    if len(ended) > retained:
        del ended[: max(retained // 10, 1)]


def submit_driver(master: SparkMaster, event: protocol.DriverSubmitted, now_ms: int) -> int:
    """A driver joins the end of the waiting ones; its number."""
    driver = master.cluster.add_driver(event.name, event.cores, event.memory_mb, event.supervise, now_ms)
    master.schedule(now_ms, "driver submitted")
    return driver.number


def driver_state(master: SparkMaster, event: protocol.DriverStateChanged, now_ms: int) -> None:
    """A worker reports a driver's end; one that runs nowhere is ignored."""
    if event.state not in DRIVER_ENDS:
        raise RefusedError("Exception", f"a worker does not report {event.state} of a driver")
    driver = master.cluster.drivers.get(event.driver)
    if driver is None or driver.worker is None:
        return
    status = 0 if event.state == "FINISHED" else 1
    master.decisions.append(Completed((driver.number, DRIVER_ATTEMPT, 0), driver.worker.node, status))
    end_driver(master, driver, event.state, now_ms)


def end_driver(master: SparkMaster, driver: Driver, state: str, now_ms: int) -> None:
    """A driver leaves, and a pass runs. Source: Master#removeDriver."""
    master.cluster.end_driver(driver, state)
    forget(master.cluster.completed_drivers, master.options.retained_drivers)
    master.schedule(now_ms, "driver ended")


def relaunch(master: SparkMaster, driver: Driver, now_ms: int) -> None:
    """A new driver at the end of the queue, since the old one may live on. Source: Master#relaunchDriver."""
    end_driver(master, driver, "RELAUNCHING", now_ms)
    master.cluster.add_driver(driver.name, driver.cores, driver.memory_mb, True, now_ms, origin=driver.origin)
    master.schedule(now_ms, "driver relaunched")


def register_application(master: SparkMaster, event: protocol.SparkApplicationRegistered, now_ms: int) -> int:
    """An application joins the end of the queue; its number. Source: Master#registerApplication."""
    if event.application is not None and event.application in master.cluster.applications:
        raise RefusedError("InvalidApplication", f"application {event.application} is already registered")
    cores = master.options.default_cores if event.max_cores is None else event.max_cores
    shape = ExecutorShape(event.executor_cores, event.executor_memory_mb)
    application = master.cluster.add_application(
        event.application, event.name, event.user, cores, shape, event.executor_limit, now_ms
    )
    master.decisions.append(ApplicationTransitioned(application.number, "WAITING"))
    master.schedule(now_ms, "application registered")
    return application.number


def application_finished(master: SparkMaster, event: protocol.ApplicationFinished, now_ms: int) -> None:
    """Its driver unregistered or went away (`FINISHED`), or a user killed it; an unknown one is ignored."""
    application = master.cluster.applications.get(event.application)
    if application is None:
        return
    if event.state not in APPLICATION_MOVES["RUNNING"] or event.state == "RUNNING":
        raise RefusedError("InvalidState", f"an application cannot end as {event.state}")
    remove_application(master, application, event.state, event.detail, now_ms)


def remove_application(
    master: SparkMaster, application: SparkApplication, state: str, detail: str, now_ms: int
) -> None:
    """Its executors are killed and their resources are free at once. Source: Master#removeApplication."""
    killed = master.cluster.end_application(application, state, now_ms)
    master.kill(killed, "APPLICATION_ENDED")
    master.decisions.append(ApplicationTransitioned(application.number, state, detail=detail))
    forget(master.cluster.completed_applications, master.options.retained_applications)
    master.schedule(now_ms, "application ended")


def executors_requested(master: SparkMaster, event: protocol.ExecutorsRequested, now_ms: int) -> None:
    """Set the totals of some profiles; fewer than it has kills none. Source: ApplicationInfo#requestExecutors."""
    application = known_application(master, event.application)
    for profile in event.profiles:
        application.add_profile(profile.id, profile.cores, profile.memory_mb)
    for profile_id, total in event.totals:
        if profile_id not in application.shapes:
            raise RefusedError("InvalidResourceProfile", f"resource profile {profile_id} is not known")
        application.targets[profile_id] = total
    master.cluster.version += 1
    master.schedule(now_ms, "executors requested")


def executors_killed(master: SparkMaster, event: protocol.ExecutorsKilled, now_ms: int) -> None:
    kill_executors(master, known_application(master, event.application), event.executors, "RELEASED", now_ms)


def kill_executors(
    master: SparkMaster, application: SparkApplication, ids: tuple[int, ...], cause: str, now_ms: int
) -> None:
    """Kill executors; unknown ids are skipped and the pass runs all the same. Source: Master#handleKillExecutors."""
    known = tuple(application.executors[id] for id in dict.fromkeys(ids) if id in application.executors)
    for executor in known:
        master.cluster.end_executor(executor, "KILLED")
    master.kill(known, cause)
    master.schedule(now_ms, "executors killed")


def known_application(master: SparkMaster, number: int) -> SparkApplication:
    """The registered application of that number. Raises RefusedError when there is none."""
    application = master.cluster.applications.get(number)
    if application is None:
        raise RefusedError("UnknownApplication", f"no application {number} is registered")
    return application


def executor_state(master: SparkMaster, event: protocol.ExecutorStateChanged, now_ms: int) -> None:
    """A worker reports an executor; unknown ones are ignored. Source: Master#receiveAndReply, Spark 4.x."""
    application = master.cluster.applications.get(event.application)
    executor = application.executors.get(event.executor) if application else None
    if application is None or executor is None:
        return
    if event.state == "RUNNING":
        if executor.state != "LAUNCHING":
            raise RefusedError("AssertionError", f"executor {executor.id} is {executor.state} already")
        master.cluster.mark_running(executor)
    elif event.state in EXECUTOR_ENDS:
        _executor_ended(master, application, executor, event, now_ms)
    else:
        raise RefusedError("InvalidState", f"a worker does not report {event.state}")
    master.schedule(now_ms, "executor reported")


def _executor_ended(
    master: SparkMaster,
    application: SparkApplication,
    executor: Executor,
    event: protocol.ExecutorStateChanged,
    now_ms: int,
) -> None:
    master.cluster.end_executor(executor, event.state)
    container = (application.number, EXECUTOR_ATTEMPT, executor.id)
    status = -1 if event.exit_status is None else event.exit_status
    master.decisions.append(Completed(container, executor.worker.node, status))
    if event.exit_status == 0:
        return
    application.failures += 1
    application.all_failures += 1
    retries = master.options.max_executor_retries
    if not 0 <= retries <= application.failures:
        return
    if not any(other.state == "RUNNING" for other in application.executors.values()):
        detail = f"{application.failures} executors ended abnormally, none is running"
        remove_application(master, application, "FAILED", detail, now_ms)


# Handles the events of a Spark Master's workers: they register, report and leave.


def register_worker(master: SparkMaster, event: protocol.WorkerRegistered, now_ms: int) -> None:
    """A worker registers; a known id changes nothing. Source: Master#handleRegisterWorker."""
    if event.worker in master.cluster.by_id:
        return
    if event.node in master.cluster.by_node:
        raise RefusedError("RegisterWorkerFailed", f"a worker is already registered at {event.node}")
    master.cluster.add_worker(event.worker, event.node, event.rack, event.cores, event.memory_mb, now_ms)
    master.schedule(now_ms, "worker registered")


def node_joined(master: SparkMaster, event: protocol.NodeJoined, now_ms: int) -> None:
    id = worker_id(now_ms, event.node)
    register_worker(
        master, protocol.WorkerRegistered(event.node, id, event.vcores, event.memory_mb, event.rack), now_ms
    )


def node_lost(master: SparkMaster, event: protocol.NodeLost, now_ms: int) -> None:
    """A worker is gone, or takes no more work, which causes no pass. Source: Master#removeWorker, #decommissionWorker.

    Ending or relaunching each driver runs passes of its own.
    """
    worker = master.cluster.by_node.get(event.node)
    if worker is None:
        return
    if event.state == "DECOMMISSIONED":
        if worker.state == "ALIVE":
            master.lost(master.cluster.decommission(worker))
            master.note_unmet(now_ms)
        return
    # Idle heartbeats may have been left out; what forgets dead workers counts from here.
    worker.last_heartbeat_ms = now_ms
    master.lost(master.cluster.mark_dead(worker))
    for driver in master.cluster.drivers_in_spark_order(worker):
        master.decisions.append(Killed((driver.number, DRIVER_ATTEMPT, 0), worker.node, "LOST"))
        if driver.supervise:
            relaunch(master, driver, now_ms)
        else:
            end_driver(master, driver, "ERROR", now_ms)
    master.schedule(now_ms, "worker lost")


def node_heartbeat(master: SparkMaster, event: protocol.NodeHeartbeat, now_ms: int) -> None:
    """A worker lives; what started and ended there it says in messages of its own."""
    worker = master.cluster.by_node.get(event.node)
    if worker is not None:
        worker.last_heartbeat_ms = now_ms


def _container_killed(master: SparkMaster, event: protocol.ContainerKilled, now_ms: int) -> None:
    """Kill an executor, end a waiting driver, or order its worker to. Source: Master#receiveAndReply."""
    number, attempt, id = event.container
    if attempt != DRIVER_ATTEMPT:
        kill_executors(master, known_application(master, number), (id,), "KILLED_BY_USER", now_ms)
        return
    driver = master.cluster.drivers.get(number)
    if driver is None:
        raise RefusedError("UnknownDriver", f"driver {number} has ended or does not exist")
    if driver.worker is None:
        master.cluster.waiting_drivers.remove(driver)
        end_driver(master, driver, "KILLED", now_ms)
    else:
        master.cleanups.append(Cleanup(driver.worker.node, event.container))


def _settings_changed(master: SparkMaster, event: protocol.SettingsChanged, now_ms: int) -> None:
    """They hold from the next pass on; none is run now."""
    try:
        master.options = changed(master.options, event.values, SPARK.live)
    except ConfigError as error:
        raise RefusedError("ConfigError", str(error)) from error
    master.cluster.version += 1


HANDLERS: Mapping[type[Event], Callable[[SparkMaster, Any, int], int | None]] = MappingProxyType(
    {
        protocol.NodeJoined: node_joined,
        protocol.WorkerRegistered: register_worker,
        protocol.NodeLost: node_lost,
        protocol.NodeHeartbeat: node_heartbeat,
        protocol.SparkApplicationRegistered: register_application,
        protocol.ApplicationFinished: application_finished,
        protocol.ExecutorsRequested: executors_requested,
        protocol.ExecutorsKilled: executors_killed,
        protocol.ContainerKilled: _container_killed,
        protocol.ExecutorStateChanged: executor_state,
        protocol.DriverSubmitted: submit_driver,
        protocol.DriverStateChanged: driver_state,
        protocol.SettingsChanged: _settings_changed,
    }
)
"""What the Master understands; everything else is refused."""
