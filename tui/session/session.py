"""Puts a running engine behind the four protocols of a session: a pictures, a clock, acts and questions."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from engine.run.player import Run
from engine.run.recorded_run import RecordedRun
from tui.session.acts import SessionActs
from tui.session.alert_monitor import AlertMonitor
from tui.session.asking import SessionQuestions
from tui.session.clock import SessionClock
from tui.session.comparing import SessionComparing
from tui.session.definitions import Definitions
from tui.session.driving import RunDriver
from tui.session.event_log import EventLog
from tui.session.keeping import Keeping
from tui.session.pictures import SessionPictures
from tui.session.presets import Presets
from tui.session.reasoning import Scene
from tui.session.time_travel import TimeTravel


class Session:
    """A run that is driven, seen, asked about and acted on; implements `session_protocol.Connection`."""

    def __init__(
        self,
        run: Run,
        log: EventLog,
        *,
        speed: float = 10.0,
        paused: bool = False,
        travel: TimeTravel | None = None,
        alerts: AlertMonitor | None = None,
        source: str = "",
        keeping: Keeping | None = None,
        judges: bool = False,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Stand until its pictures is started.

        Args:
            speed: Simulated seconds per second; `inf` is flat out.
            paused: True where the clock stands at first.
            travel: The past; by default it begins here.
            alerts: A listener of the run; by default there are none yet.
            source: Name or path that the scenario was opened by.
            judges: True where the scenario's expectations are judged at its end.
            wall: The wall clock [s].
            sleep: Waits a time [s].
        """
        self.keeping = keeping or Keeping()
        self.driver = RunDriver(
            run,
            log,
            travel or TimeTravel(RecordedRun.of(run)),
            speed=speed,
            paused=paused,
            alerts=alerts or AlertMonitor(),
            keeping=self.keeping,
            judges=judges,
            wall=wall,
            sleep=sleep,
        )
        self.presets = presets = Presets(run.scenario)
        self.pictures = SessionPictures(
            self.driver, Definitions(run.scenario, source, self.driver.state.offset_ms), presets
        )
        self.clock = SessionClock(self.driver)
        self.acts = SessionActs(self.driver, presets)
        self.questions = SessionQuestions(self.scene, wall, sleep)
        self.comparing = SessionComparing(self.driver)

    def scene(self) -> Scene:
        """Return the instant looked at, of which questions are asked."""
        driver, travel = self.driver, self.driver.travel
        records = travel.records(driver.log.latest)
        return Scene(driver.looked_at, travel.timeline, driver.run.scenario, records, driver.state.offset_ms)
