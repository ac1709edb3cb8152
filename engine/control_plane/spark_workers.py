"""Handles the events of a Spark Master's workers: they register, report and leave.

Source: Master#handleRegisterWorker, #removeWorker, #decommissionWorker, Spark 4.x.
"""

from engine.control_plane.protocol import NodeHeartbeat, NodeJoined, NodeLost
from engine.control_plane.spark_applications import executor_state
from engine.control_plane.spark_core import MasterCore, driver_state, end_driver, relaunch
from engine.control_plane.spark_events import (
    DriverStateChanged,
    ExecutorStateChanged,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.errors import RefusedError
from engine.model.decision import Killed
from engine.model.spark.cluster import worker_id
from engine.model.spark.worker import Worker
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT, EXECUTOR_ATTEMPT


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
