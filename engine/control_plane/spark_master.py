"""Spark's standalone Master: the front door of a Spark cluster.

It runs a scheduling pass on the events the real one runs it on, never on heartbeats: a worker registered or lost, an
application registered or ended, any report of a known executor, executors requested or killed, a driver submitted,
ended or relaunched. A decommissioned worker causes none: cores it frees wait for the next event.

Source: org.apache.spark.deploy.master.Master, Spark 4.x. Differs: no standby and no recovery, no custom resources
(GPU, FPGA); a worker whose heartbeats cease is reported by `NodeLost`, the Master does not count them itself.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from engine.control_plane.protocol import (
    NOTHING,
    Answer,
    ApplicationFinished,
    ContainerKilled,
    DriverKilled,
    DriverStateChanged,
    DriverSubmitted,
    Event,
    ExecutorsKilled,
    ExecutorsRequested,
    ExecutorStateChanged,
    Grant,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    Pass,
    SettingsChanged,
    SparkApplicationRegistered,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.spark_parts import (
    MasterCore,
    application_finished,
    driver_killed,
    driver_state,
    executor_state,
    executors_killed,
    executors_requested,
    kill_executors,
    known_application,
    node_heartbeat,
    node_joined,
    node_lost,
    register_application,
    register_worker,
    submit_driver,
    worker_decommissioned,
)
from engine.errors import ConfigError, RefusedError
from engine.fork import fork
from engine.model.decision import Allocated
from engine.model.request import SPARK_DIMENSIONS
from engine.model.spark.cluster import SparkCluster
from engine.schedulers.spark.scheduling_pass import (
    DRIVER_ATTEMPT,
    PassRecord,
    PassRecorder,
    SparkSettings,
    changed,
    parse_settings,
)
from engine.settings.spark import SPARK
from engine.state import State

CULL = "cull"  # The pass that forgets workers DEAD for long. Source: Master#timeOutDeadWorkers.
SCHEDULE = "schedule"  # A scheduling pass asked for by hand; the real Master has no such request


class SparkMaster(metaclass=State):
    """A standalone Master with FIFO applications; implements `ControlPlane`."""

    _core: MasterCore

    name = "spark"
    dimensions: tuple[str, ...] = SPARK_DIMENSIONS
    answers = True
    settings = SPARK.live  # Keys that `SettingsChanged` may carry; they hold from the next pass on

    def __init__(self, settings: Mapping[str, str]) -> None:
        """A Master without workers. Raises ConfigError with one problem for each unknown key or unreadable value.

        `settings` are Spark property names and values.
        """
        self._core = MasterCore(parse_settings(settings))

    @property
    def cluster(self) -> SparkCluster:
        """Return its view of the cluster; to be read only."""
        return self._core.cluster

    @property
    def options(self) -> SparkSettings:
        """Its settings as the next pass will use them."""
        return self._core.options

    @property
    def version(self) -> int:
        """Always 0: no heartbeat ever decides anything. Changes of state count in `cluster.version`."""
        return 0

    @property
    def recorder(self) -> PassRecorder | None:
        """Keeps what passes looked at, for a step mode; None, the default, costs nothing."""
        return self._core.recorder

    @recorder.setter
    def recorder(self, recorder: PassRecorder | None) -> None:
        self._core.recorder = recorder

    def handle(self, event: Event, now_ms: int) -> Answer:
        """Apply one event; a refusal is in the answer, nothing is half-done."""
        handler = HANDLERS.get(type(event))
        core = self._core
        core.begin()
        if handler is None:
            return Answer(
                rejected="UnsupportedOperationException", detail=f"a Spark Master knows no {type(event).__name__}"
            )
        try:
            number = handler(core, event, now_ms)
        except RefusedError as error:
            return Answer(rejected=error.kind, detail=str(error))
        return self._answer(number)

    def _answer(self, number: int | None = None) -> Answer:
        """The notes of the event; launched executors and drivers are the containers their nodes are to launch."""
        core = self._core
        if not core.decisions and not core.cleanups and number is None:
            return NOTHING
        launches = tuple(
            Grant(decision.container, decision.node, decision.priority, decision.memory_mb, decision.vcores)
            for decision in core.decisions
            if isinstance(decision, Allocated)
        )
        return Answer(
            decisions=tuple(core.decisions), masters=launches, cleanups=tuple(core.cleanups), application=number
        )

    def view(self) -> SparkClusterView:
        """Return the view of its cluster, which observers ask."""
        return SparkClusterView(self.cluster, self.options)

    def passes(self) -> tuple[Pass, ...]:
        """Only the one that forgets dead workers; scheduling passes are caused by events."""
        return (Pass(CULL, self.options.worker_timeout_ms),)

    def run_pass(self, name: str, now_ms: int) -> Answer:
        """Run a background pass, or `schedule`: a scheduling pass out of turn."""
        core = self._core
        core.begin()
        if name == CULL:
            kept_ms = (core.options.dead_worker_persistence + 1) * core.options.worker_timeout_ms
            core.cluster.drop_dead(now_ms - kept_ms)
        elif name == SCHEDULE:
            core.schedule(now_ms, "by hand")
        return self._answer()

    def preview(self, now_ms: int) -> PassRecord:
        """Return what a pass at this instant would look at and decide; nothing changes here."""
        core = fork(self._core)
        recorder = PassRecorder()
        core.recorder = recorder
        core.schedule(now_ms, "by hand")
        return recorder.records[-1]

    def pass_is_idle(self, name: str) -> bool:
        return True

    def resume_pass(self, name: str, last_ms: int) -> None:
        pass

    def heartbeat_is_idle(self, node: str) -> bool:
        """Always: a heartbeat without reports causes no pass."""
        return True

    def all_nodes_idle(self) -> bool:
        return True


def _container_killed(core: MasterCore, event: ContainerKilled, now_ms: int) -> None:
    number, attempt, id = event.container
    if attempt == DRIVER_ATTEMPT:
        driver_killed(core, DriverKilled(number), now_ms)
        return
    kill_executors(core, known_application(core, number), (id,), "KILLED_BY_USER", now_ms)


def _settings_changed(core: MasterCore, event: SettingsChanged, now_ms: int) -> None:
    """They hold from the next pass on; none is run now."""
    try:
        core.options = changed(core.options, event.values, SPARK.live)
    except ConfigError as error:
        raise RefusedError("ConfigError", str(error)) from error
    core.cluster.version += 1


HANDLERS: Mapping[type[Event], Callable[[MasterCore, Any, int], int | None]] = MappingProxyType(
    {
        NodeJoined: node_joined,
        WorkerRegistered: register_worker,
        NodeLost: node_lost,
        WorkerDecommissioned: worker_decommissioned,
        NodeHeartbeat: node_heartbeat,
        SparkApplicationRegistered: register_application,
        ApplicationFinished: application_finished,
        ExecutorsRequested: executors_requested,
        ExecutorsKilled: executors_killed,
        ContainerKilled: _container_killed,
        ExecutorStateChanged: executor_state,
        DriverSubmitted: submit_driver,
        DriverKilled: driver_killed,
        DriverStateChanged: driver_state,
        SettingsChanged: _settings_changed,
    }
)
"""What the Master understands; everything else is refused."""
