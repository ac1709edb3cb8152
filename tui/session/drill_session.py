"""Opens sessions that stand where a drill begins: one for the trainee, and one that shows the reference solution."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.explain.alert import Alert
from engine.run.recorded_run import RecordedRun
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation
from engine.training.drill import WHY_PRICE, DrillScenario
from engine.training.steps import HARMLESS, TraineeStep
from tui.session.alert_monitor import AlertMonitor
from tui.session.event_log import EventLog
from tui.session.session import Session
from tui.session.time_travel import TimeTravel

SPEED: Final = 1.0
"""First speed of the clock: that of the wall clock."""
REPLAY_SPEED: Final = 5.0
"""Speed at which the reference solution is shown."""


class NoAlerts(AlertMonitor):
    """Finds no alerts: a trainee who is on their own has to notice without help."""

    def look(self, simulation: Simulation, wall: Callable[[], float] | None = None) -> list[Alert]:
        """Nothing is new."""
        return []

    def idle(self, simulation: Simulation) -> bool:
        """Another look would find nothing."""
        return True


def session_at_beginning(
    drill: DrillScenario, scenario: Scenario, listeners: Sequence[Listener] = (), speed: float = SPEED
) -> Session:
    """Open a session played up to the beginning of a drill; its clock stands.

    Args:
        drill: Says where it begins, and whether there are alerts.
        scenario: The drill's own scenario, or that with more in its script.
        listeners: Get everything that happens.
        speed: Simulated seconds per second.

    Raises:
        ConfigError: The scheduler refuses the scenario's settings.
    """
    log, alerts = EventLog(), NoAlerts() if WHY_PRICE[drill.drill.level] is None else AlertMonitor()
    recorded = RecordedRun.begin(scenario, [log, alerts, *listeners], drill.ends_ms)
    while recorded.run.now_ms < drill.drill.begins_ms:
        recorded.advance(drill.drill.begins_ms)
        # A clock that stands: each look ends after a fixed number of pieces, whatever the machine.
        for alert in alerts.look(recorded.run.simulation, lambda: 0.0):
            recorded.timeline.mark(alert.since_ms)
    return Session(recorded.run, log, travel=TimeTravel(recorded), alerts=alerts, speed=speed, paused=True)


class ParReplay:
    """Shows the reference solution of a drill on a cluster of its own; the scenario's script does its acts."""

    def __init__(self, drill: DrillScenario) -> None:
        """Stand at the drill's beginning."""
        self._drill = drill
        begins_ms = drill.drill.begins_ms
        acts = [step for step in drill.drill.reference if not isinstance(step, HARMLESS)]
        moved = [act.model_copy(update={"at_ms": begins_ms + act.at_ms}) for act in acts]
        scenario = drill.scenario.model_copy(update={"script": (*drill.scenario.script, *moved)})
        self.session = session_at_beginning(drill, scenario, speed=REPLAY_SPEED)
        self._shown = 0

    @property
    def is_over(self) -> bool:
        """True once every step was shown."""
        return self._shown == len(self._drill.drill.reference)

    def due(self) -> tuple[TraineeStep, ...]:
        """Return the steps whose instant has come since the last call."""
        now_ms = self.session.driver.run.now_ms - self._drill.drill.begins_ms
        left = self._drill.drill.reference[self._shown :]
        steps = tuple(step for step in left if step.at_ms <= now_ms)
        self._shown += len(steps)
        return steps
