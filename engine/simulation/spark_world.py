"""Holds the state of a simulation with a Spark Master: workers, which report at once, and drivers with their executors.

Unlike YARN's, nothing waits for a heartbeat: a worker starts what it is ordered to launch, reports when it runs, and
stops an executor when ordered; a driver learns of its executors when they run. A worker that dies takes its connection
with it, so the Master knows the next ms.

Source: Worker, ExecutorRunner, DriverRunner, StandaloneAppClient, Spark 4.x. Differs: the executors of a
decommissioned worker drop their tasks at once; real ones end them first. An executor that does not start takes 100 ms.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, cast

from engine.control_plane import protocol
from engine.control_plane.protocol import NOTHING, Answer, Cleanup, Grant
from engine.control_plane.spark_master import SparkMaster
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned, Completed, ContainerId, Decision, Killed
from engine.model.spark.application import APPLICATION_MOVES, Driver
from engine.scenario import ApplicationSpec, StandaloneSpec
from engine.scenario.acts import ONLY_YARN, Act, DrainNode, KillApplication, ResizeNode, ReturnNode, SetHealth
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT
from engine.simulation.act_handlers import node_named, number_of
from engine.simulation.heartbeats import join, leave
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import AskChanged, Draining, DriverQueued, Started, Submitted
from engine.simulation.world import AM_HEARTBEAT, APPLICATION_REGISTERS, DRIVER_DUE, NODE_FACT, TASK_ENDS, Event, World
from engine.workload.master import CoreShortage
from engine.workload.spark import NEVER, StandaloneDriver
from engine.workload.stages import FOREVER

FAILED_START_MS: Final = 100
"""How long a process takes that does not start [ms]; a real one takes some ms, and is tried as often for ever."""


def _decommission(world: World, act: DrainNode) -> Answer:
    """Decommission a worker: it takes no more work and its executors go; it stays until it returns as a new worker."""
    node = node_named(world, act.node)
    if not node.up or node.draining:
        return NOTHING
    node.draining = True
    world.records.append(Draining(node.id))
    return world.send(protocol.NodeLost(node.id, "DECOMMISSIONED"))


def _kill(world: World, act: KillApplication) -> Answer:
    """Kill an application, or a driver that waits for a worker; such drivers are numbered from -1 down."""
    number = number_of(act.application)
    if number < 0:
        return world.send(protocol.ContainerKilled((-1 - number, DRIVER_ATTEMPT, 0)))
    return world.send(protocol.ApplicationFinished(number, "KILLED", "killed by the operator"))


def _return(world: World, act: ReturnNode) -> Answer:
    for node in [node_named(world, name) for name in (act.node, *act.also)]:
        if not node.up or node.draining:
            if node.member:
                leave(world, node, "LOST")
            node.up, node.draining = True, False
            join(world, node)
    return NOTHING


def _refuse(world: World, act: Act) -> Answer:
    """Refuse an act: a worker's size is fixed, it reports no health, and it starts again with nothing (`return`)."""
    raise RefusedError("UnsupportedOperationException", f"a Spark worker knows no {type(act).__name__}")


class SparkWorld(World):
    """The state of a simulation with a Spark Master; `masters` stays empty, drivers are here."""

    drivers: dict[int, StandaloneDriver] = {}  # The drivers of live applications, by number
    submitted: dict[int, StandaloneSpec] = {}
    """Cluster mode: the specification of each driver that was submitted or started anew, by driver number."""
    driven: dict[int, int] = {}  # Number of a driver → that of the application it registered, also once both are over

    own_acts: ClassVar[Mapping[type[Act], Callable[[Any, Any], Answer]]] = MappingProxyType(
        {
            KillApplication: _kill,
            DrainNode: _decommission,
            ReturnNode: _return,
            ResizeNode: _refuse,
            **dict.fromkeys(ONLY_YARN, _refuse),
            SetHealth: _refuse,
        }
    )

    # What follows from an answer.

    def _apply(self, decision: Decision) -> None:
        if isinstance(decision, ApplicationTransitioned):
            if not APPLICATION_MOVES[decision.state]:
                self._ended(decision.application)
        elif isinstance(decision, Killed | Completed) and decision.container[1] != DRIVER_ATTEMPT:
            driver = self.drivers.get(decision.container[0])
            if driver is not None:
                driver.left(decision.container[2])
                self.wake_driver(driver)

    def _ended(self, application: int) -> None:
        driver = self.drivers.pop(application, None)
        if driver is None or driver.container is None or driver.dead:
            return
        if self.nodes[driver.node].running.pop(driver.container, None) is not None:
            self.send(protocol.DriverStateChanged(driver.container[0], "FINISHED"))

    def _launch_master(self, grant: Grant) -> None:
        driver = self.drivers.get(grant.container[0]) if grant.container[1] != DRIVER_ATTEMPT else None
        life_ms = FOREVER if driver is None else driver.life_of(grant.container[2])
        self.launch(self.nodes[self.ground.node_index[grant.node]], grant, life_ms, 1)

    def _stop(self, order: Cleanup) -> None:
        node = self.nodes[self.ground.node_index[order.node]]
        known = node.launching.pop(order.container, None) or node.running.pop(order.container, None)
        if known is None or order.container[1] != DRIVER_ATTEMPT:
            return
        for driver in [driver for driver in self.drivers.values() if driver.container == order.container]:
            driver.dead = True
            self.wake_driver(driver)
        self.send(protocol.DriverStateChanged(order.container[0], "KILLED"))

    # Workers.

    def launch_delay_ms(self, duration_ms: int) -> int:
        """Return the delay of `World`; a failed start takes a while, as the Master launches anew at once."""
        return self.ground.launch_delay_ms if duration_ms else max(self.ground.launch_delay_ms, FAILED_START_MS)

    def begin(self, node: NodeManager, container: ContainerId) -> None:
        """Start an executor or a driver, or let it fail to start; executors are reported at once."""
        launched = node.begin(container)
        if launched is None:
            return
        node.started.clear()
        number, attempt, id = container
        if launched[0] == 0:
            del node.running[container]
            self.send(protocol.ExecutorStateChanged(number, id, "FAILED", launched[1]))
            return
        self.records.append(Started(container, node.id))
        if launched[0] != FOREVER:
            self.end_later(node, container, self.clock.now_ms + launched[0], launched[1])
        if attempt == DRIVER_ATTEMPT:
            due = self.clock.now_ms + self.ground.register_delay_ms
            self.clock.schedule((due, NODE_FACT, node.index, APPLICATION_REGISTERS, *container))
            return
        cores = node.running[container][1]
        self.send(protocol.ExecutorStateChanged(number, id, "RUNNING"))
        driver = self.drivers.get(number)
        if driver is not None:
            driver.joined(id, node.host, cores, self.clock.now_ms)
            self.wake_driver(driver)

    def expect_report(self, node: NodeManager) -> None:
        completed, node.completed = node.completed, []
        for (number, _, id), status in completed:
            self.send(protocol.ExecutorStateChanged(number, id, "EXITED", status))

    def kill_processes(self, node: NodeManager) -> None:
        node.lose_everything()
        for driver in self.drivers.values():
            if driver.node == node.index and not driver.dead:
                driver.dead = True
                self._wake_driver_at(driver, self.clock.now_ms + 1)

    # Applications.

    def submit(self, spec: ApplicationSpec, number: int | None) -> Answer:
        if not isinstance(spec, StandaloneSpec):
            detail = f"an application of type {spec.type} does not run on a Spark Master"
            answer = Answer(rejected="UnsupportedApplication", detail=detail)
            self.records.append(Submitted(0, spec.name, spec.user, "", spec.type, answer.rejected, detail))
            return answer
        if spec.driver is None:
            return self.register(spec, number)
        event = protocol.DriverSubmitted(spec.driver.vcores, spec.driver.memory_mb, spec.supervise, spec.name)
        answer = self.control_plane.handle(event, self.clock.now_ms)
        if answer.application is not None:
            self.submitted[answer.application] = spec
            size = (spec.driver.memory_mb, spec.driver.vcores)
            self.records.append(DriverQueued(answer.application, spec.name, spec.user, *size))
        self.apply_answer(answer)
        return answer

    def register(self, spec: StandaloneSpec, number: int | None, container: ContainerId | None = None) -> Answer:
        """Register a driver's application as the next, or by `number`; `container` is of one in cluster mode."""
        number = self.next_application if number is None else number
        self.next_application = max(self.next_application, number + 1)
        event = protocol.SparkApplicationRegistered(
            spec.executor_memory_mb,
            spec.name,
            spec.user,
            spec.cores_max,
            spec.executor_cores,
            spec.executor_limit if spec.dynamic is None else 0,
            number,
        )
        answer = self.control_plane.handle(event, self.clock.now_ms)
        self.records.append(
            Submitted(answer.application or 0, spec.name, spec.user, "", "SPARK", answer.rejected, answer.detail)
        )
        if not answer.rejected:
            driver = StandaloneDriver(number, spec, self.ground.seed)
            driver.container = container
            if container is not None:
                self.driven[container[0]] = number
            self.drivers[number] = driver
            self.wake_driver(driver)
        self.apply_answer(answer)
        return answer

    def lost_driver(self, application: int) -> Driver | None:
        """The driver of an application that was lost with its worker; None where none was."""
        ended = cast("SparkMaster", self.control_plane).cluster.completed_drivers
        return next((each for each in ended if each.is_lost and self.driven.get(each.number) == application), None)

    def supervised_driver(self, application: int) -> int | None:
        """The driver that its worker begins again when its application is killed, which ends it with an error.

        Source: MasterPage#handleAppKillRequest, StandaloneSchedulerBackend#dead, DriverRunner#runCommandWithRetry.
        """
        live = [each for each in cast("SparkMaster", self.control_plane).cluster.drivers.values() if each.supervise]
        return next((each.number for each in live if self.driven.get(each.number) == application), None)

    def core_shortage(self, number: int) -> CoreShortage:
        driver = self.drivers.get(number)
        return CoreShortage() if driver is None else driver.stages.core_shortage

    def goes_on_as(self, application: int) -> int | None:
        lost, cluster = self.lost_driver(application), cast("SparkMaster", self.control_plane).cluster
        if lost is None:
            return application
        anew = [each for each in (*cluster.completed_drivers, *cluster.drivers.values()) if each.replaces(lost)]
        next_ones = [self.driven[each.number] for each in anew if each.number in self.driven]
        return self.goes_on_as(next_ones[0]) if next_ones else None

    def wake_driver(self, driver: StandaloneDriver) -> None:
        """Update a driver within this instant, after what else happens on nodes."""
        self._wake_driver_at(driver, self.clock.now_ms)

    def _wake_driver_at(self, driver: StandaloneDriver, time_ms: int) -> None:
        if driver.wake_ms == NEVER or time_ms < driver.wake_ms:
            driver.wake_ms = time_ms
            self.clock.schedule((time_ms, AM_HEARTBEAT, driver.number, DRIVER_DUE))

    def think(self, driver: StandaloneDriver) -> None:
        """Hand out tasks, send the driver's request to the Master, and set the next time-out."""
        now_ms = self.clock.now_ms
        for start in driver.stages.hand_out():
            if start.duration_ms != FOREVER:
                due = now_ms + max(1, start.duration_ms)
                self.clock.schedule((due, NODE_FACT, driver.number, TASK_ENDS, start.task, start.turn))
        driver.note_idle(now_ms)
        wish = driver.think(now_ms)
        if wish.done:
            self.send(protocol.ApplicationFinished(driver.number))
            return
        if wish.total is not None:
            self._request(driver, wish.total)
        if wish.give_back:
            self.send(protocol.ExecutorsKilled(driver.number, wish.give_back))
        later_ms = driver.next_ms(now_ms)
        if later_ms != NEVER:
            self._wake_driver_at(driver, later_ms)

    def _request(self, driver: StandaloneDriver, total: int) -> None:
        spec = driver.spec
        self.records.append(AskChanged(driver.number, 0, spec.executor_memory_mb, spec.executor_cores or 1, total))
        self.send(protocol.ExecutorsRequested(driver.number, ((0, total),)))

    def busy_cores(self) -> dict[tuple[int, int], int]:
        """Return the cores that run a task, by (application number, executor id), of all registered executors."""
        return {
            (driver.number, executor): driver.stages.busy(executor)
            for driver in self.drivers.values()
            for executor in driver.stages.places
        }

    def specification_of(self, number: int) -> StandaloneSpec | None:
        driver = self.drivers.get(number)
        return driver.spec if driver is not None else None

    def specification(self, number: int) -> StandaloneSpec | None:
        """Return the specification of a driver; one that was started anew keeps that of its first submission."""
        driver = cast("SparkMaster", self.control_plane).cluster.drivers.get(number)
        return None if driver is None else self.submitted.get(driver.origin)


def task_ends(world: World, event: Event) -> None:
    assert isinstance(world, SparkWorld), "only drivers of a Spark Master have tasks"
    driver = world.drivers.get(event[2])
    if driver is not None and driver.stages.end(event[4], event[5]):
        world.wake_driver(driver)


def driver_is_due(world: World, event: Event) -> None:
    assert isinstance(world, SparkWorld), "only a Spark Master has such drivers"
    driver = world.drivers.get(event[2])
    if driver is not None and driver.wake_ms == event[0]:
        driver.wake_ms = NEVER
        world.think(driver)


def application_registers(world: World, event: Event) -> None:
    """Register the application of a driver in cluster mode that has come up, unless it died meanwhile."""
    assert isinstance(world, SparkWorld), "only a Spark Master launches drivers"
    node, container = world.nodes[event[2]], (event[4], event[5], event[6])
    spec = world.specification(container[0])
    if container not in node.running or spec is None:
        return
    answer = world.register(spec, None, container)
    assert answer.application is not None, "an application with the next number is taken"
    world.drivers[answer.application].node = node.index
