"""Handles the events of a Spark Master's applications: register, change their wishes, end; executors report.

Source: Master#registerApplication, #removeApplication, #handleRequestExecutors, #handleKillExecutors, Spark 4.x.
"""

from engine.control_plane.protocol import ApplicationFinished
from engine.control_plane.spark_core import MasterCore, forget
from engine.control_plane.spark_events import (
    ExecutorsKilled,
    ExecutorsRequested,
    ExecutorStateChanged,
    SparkApplicationRegistered,
)
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned, Completed
from engine.model.spark.application import ExecutorShape, SparkApplication
from engine.model.spark.lifecycle import APPLICATION_MOVES, EXECUTOR_ENDS
from engine.model.spark.worker import Executor
from engine.schedulers.spark.scheduling_pass import EXECUTOR_ATTEMPT


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
    """The registered application of that number.

    Raises:
        RefusedError: when there is none.
    """
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
