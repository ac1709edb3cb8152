"""What a Spark Master does with drivers submitted in cluster mode.

Source: Master#removeDriver, #relaunchDriver, Spark 4.x.
"""

from engine.control_plane.protocol import Cleanup
from engine.control_plane.spark_core import MasterCore, forget
from engine.control_plane.spark_events import DriverKilled, DriverStateChanged, DriverSubmitted
from engine.errors import RefusedError
from engine.model.decision import Completed
from engine.model.spark.lifecycle import DRIVER_ENDS
from engine.model.spark.worker import Driver
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT


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
