"""State of a Spark cluster as its Master believes it to be, and the only code that changes it.

Workers, applications, drivers and their lists in Spark's orders: workers by registration, applications and drivers by
arrival. The mutators keep totals and tables right and decide nothing. Source: Master, Spark 4.x.

Source: Master#newApplicationId, Master#newDriverId, Worker#generateWorkerId, Spark 4.x.
Differs: the dates in the ids of applications, drivers and workers are UTC; real processes take their machine's zone.
"""

from engine.errors import InvariantError
from engine.model.spark.application import (
    APPLICATION_MOVES,
    DRIVER_MOVES,
    EXECUTOR_MOVES,
    WORKER_MOVES,
    Driver,
    Executor,
    ExecutorShape,
    SparkApplication,
    Worker,
    buckets_after_adding,
    check_move,
    in_int_order,
    in_string_order,
)
from engine.state import Owned, State
from engine.units import moment_at


def _stamp(time_ms: int) -> str:
    return f"{moment_at(time_ms):%Y%m%d%H%M%S}"


def application_id(submitted_ms: int, number: int) -> str:
    """An application's id.

    >>> application_id(1510360200000, 7)
    'app-20171111003000-0007'
    """
    return f"app-{_stamp(submitted_ms)}-{number:04d}"


def driver_id(submitted_ms: int, number: int) -> str:
    """A driver's id.

    >>> driver_id(1510360200000, 0)
    'driver-20171111003000-0000'
    """
    return f"driver-{_stamp(submitted_ms)}-{number:04d}"


def worker_id(registered_ms: int, node: str) -> str:
    """A worker's id from its `host:port`; ties between workers hang on it.

    >>> worker_id(1510360200000, "10.0.0.1:7078")
    'worker-20171111003000-10.0.0.1-7078'
    """
    host, _, port = node.rpartition(":")
    return f"worker-{_stamp(registered_ms)}-{host}-{port}"


class SparkCluster(metaclass=State):
    workers: list[Worker] = []  # Every worker still listed, DEAD ones too, in order of registration
    by_node: dict[str, Worker] = {}  # Workers that are not DEAD, by `host:port`
    by_id: dict[str, Worker] = {}  # Workers that are not DEAD, by worker id
    with_cores: dict[int, Worker] = {}  # ALIVE ones with at least a core free, by sequence, in no particular order
    applications: dict[int, SparkApplication] = {}  # Registered and not ended, in order of arrival
    lost_all_executors: list[SparkApplication] = []  # Applications that lost their last executor since the last pass
    completed_applications: Owned[list[SparkApplication]] = []
    drivers: dict[int, Driver] = {}  # Submitted and not ended, waiting ones too
    waiting_drivers: list[Driver] = []
    completed_drivers: Owned[list[Driver]] = []
    next_application: int = 0
    next_driver: int = 0
    next_sequence: int = 0
    version: int = 0  # Changes whenever anything here does

    # workers

    def add_worker(self, id: str, node: str, rack: str, cores: int, memory_mb: int, now_ms: int) -> None:
        """Register a worker; DEAD ones of the same address leave the list. Source: Master#registerWorker."""
        self.workers = [worker for worker in self.workers if worker.state != "DEAD" or worker.node != node]
        worker = Worker(id, node, rack, cores, memory_mb, self.next_sequence, now_ms)
        self.next_sequence += 1
        self.workers.append(worker)
        self.by_node[node] = worker
        self.by_id[id] = worker
        self._count_free(worker)
        self.version += 1

    def _count_free(self, worker: Worker) -> None:
        if worker.cores_free > 0 and worker.state == "ALIVE":
            self.with_cores[worker.sequence] = worker
        else:
            self.with_cores.pop(worker.sequence, None)

    def mark_dead(self, worker: Worker) -> tuple[Executor, ...]:
        """A worker is DEAD: its executors leave their applications, its own figures freeze. Returns those that left."""
        worker.state = check_move(WORKER_MOVES, worker.state, "DEAD")
        del self.by_node[worker.node]
        del self.by_id[worker.id]
        return self._remove_executors(worker, "LOST")

    def decommission(self, worker: Worker) -> tuple[Executor, ...]:
        """A worker takes no more work; its executors leave their applications, its figures stay. Returns them."""
        worker.state = check_move(WORKER_MOVES, worker.state, "DECOMMISSIONED")
        return self._remove_executors(worker, "DECOMMISSIONED")

    def _remove_executors(self, worker: Worker, state: str) -> tuple[Executor, ...]:
        gone = tuple(executor for executor in worker.executors.values() if executor.state != "DECOMMISSIONED")
        self._count_free(worker)
        for executor in worker.executors.values():
            executor.state = check_move(EXECUTOR_MOVES, executor.state, state)
            self._leave_application(executor)
        self.version += 1
        return gone

    def drop_dead(self, before_ms: int) -> None:
        """Drop DEAD workers whose last heartbeat is earlier."""
        self.workers = [one for one in self.workers if one.state != "DEAD" or one.last_heartbeat_ms >= before_ms]

    # applications and executors

    def add_application(
        self, number: int | None, name: str, user: str, cores: int, shape: ExecutorShape, limit: int | None, now_ms: int
    ) -> SparkApplication:
        """Register an application at the end of the queue; `number` None takes the next."""
        chosen = self.next_application if number is None else number
        application = SparkApplication(chosen, name, user, cores, shape, limit, now_ms)
        self.applications[chosen] = application
        self.next_application = max(self.next_application, chosen + 1)
        self.version += 1
        return application

    def launch_executor(
        self, application: SparkApplication, worker: Worker, cores: int, memory_mb: int, profile: int, now_ms: int
    ) -> Executor:
        """Start one executor; raises InvariantError when the worker is not alive or has less."""
        if worker.state != "ALIVE" or not worker.fits(cores, memory_mb):
            raise InvariantError(f"{worker.id} ({worker.state}) cannot take {cores} cores and {memory_mb} MB")
        executor = Executor(application.number, application.next_executor, worker, cores, memory_mb, profile, now_ms)
        application.next_executor += 1
        application.executor_buckets = buckets_after_adding(application.executor_buckets, len(application.executors))
        application.executors[executor.id] = executor
        application.live_by_profile[profile] += 1
        application.cores_granted += cores
        application.waiting_since_ms = None
        application.state = check_move(APPLICATION_MOVES, application.state, "RUNNING")
        worker.executors[(application.number, executor.id)] = executor
        worker.cores_free -= cores
        worker.memory_free_mb -= memory_mb
        self._count_free(worker)
        self.version += 1
        return executor

    def end_executor(self, executor: Executor, state: str) -> None:
        """An executor leaves application and worker; what it held is free at once."""
        executor.state = check_move(EXECUTOR_MOVES, executor.state, state)
        self._leave_application(executor)
        self._leave_worker(executor)
        self.version += 1

    def _leave_application(self, executor: Executor) -> None:
        application = self.applications.get(executor.application)
        if application is not None and application.executors.pop(executor.id, None) is not None:
            application.live_by_profile[executor.profile] -= 1
            application.cores_granted -= executor.cores
            if not application.executors:
                self.lost_all_executors.append(application)

    def _leave_worker(self, executor: Executor) -> None:
        worker = executor.worker
        if worker.executors.pop((executor.application, executor.id), None) is not None:
            worker.cores_free += executor.cores
            worker.memory_free_mb += executor.memory_mb
            self._count_free(worker)

    def mark_running(self, executor: Executor) -> None:
        executor.state = check_move(EXECUTOR_MOVES, executor.state, "RUNNING")
        self.applications[executor.application].failures = 0
        self.version += 1

    def executors_in_spark_order(self, application: SparkApplication) -> list[Executor]:
        return [application.executors[id] for id in in_int_order(application.executors, application.executor_buckets)]

    def end_application(self, application: SparkApplication, state: str, now_ms: int) -> tuple[Executor, ...]:
        """An application leaves the queue and its executors are killed. Returns them in order of their killing."""
        killed = tuple(self.executors_in_spark_order(application))
        application.state = check_move(APPLICATION_MOVES, application.state, state)
        application.finished_ms = now_ms
        application.waiting_since_ms = None
        for executor in killed:
            executor.state = check_move(EXECUTOR_MOVES, executor.state, "KILLED")
            self._leave_worker(executor)
        del self.applications[application.number]
        self.completed_applications.append(application)
        self.version += 1
        return killed

    # drivers

    def add_driver(
        self, name: str, cores: int, memory_mb: int, supervise: bool, now_ms: int, origin: int | None = None
    ) -> Driver:
        """A driver joins the end of the waiting ones; `origin` is the number it had before a relaunch."""
        number = self.next_driver
        self.next_driver += 1
        driver = Driver(number, name, cores, memory_mb, supervise, now_ms, number if origin is None else origin)
        self.drivers[number] = driver
        self.waiting_drivers.append(driver)
        self.version += 1
        return driver

    def launch_driver(self, driver: Driver, worker: Worker, now_ms: int) -> None:
        if worker.state != "ALIVE" or not worker.fits(driver.cores, driver.memory_mb):
            raise InvariantError(f"{worker.id} ({worker.state}) cannot take driver {driver.number}")
        driver.state = check_move(DRIVER_MOVES, driver.state, "RUNNING")
        driver.worker, driver.launched_ms = worker, now_ms
        worker.driver_buckets = buckets_after_adding(worker.driver_buckets, len(worker.drivers))
        worker.drivers[driver.number] = driver
        worker.cores_free -= driver.cores
        worker.memory_free_mb -= driver.memory_mb
        self._count_free(worker)
        self.waiting_drivers.remove(driver)
        self.version += 1

    def end_driver(self, driver: Driver, state: str) -> None:
        """A driver leaves the list and its worker, whose figures change even when it is DEAD."""
        driver.state = check_move(DRIVER_MOVES, driver.state, state)
        del self.drivers[driver.number]
        self.completed_drivers.append(driver)
        worker = driver.worker
        if worker is not None and worker.drivers.pop(driver.number, None) is not None:
            worker.cores_free += driver.cores
            worker.memory_free_mb += driver.memory_mb
            self._count_free(worker)
        self.version += 1

    def drivers_in_spark_order(self, worker: Worker) -> list[Driver]:
        """A worker's drivers in the order of Spark's map, which hangs on their names."""
        names = {driver_id(driver.submitted_ms, driver.number): driver for driver in worker.drivers.values()}
        return [names[name] for name in in_string_order(names, worker.driver_buckets)]
