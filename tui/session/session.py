"""Puts a running engine behind the four protocols of a session: a pictures, a clock, acts and questions."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from engine.compare import Contestant, compared, partings_of, snapshots_at
from engine.observe.snapshots import plans_of, snapshot_of_simulation
from engine.observe.spark_plans import PlanTables
from engine.run.player import Run
from engine.run.recorded_run import RecordedRun
from engine.scenario import Scenario
from engine.scenario.timed_acts import timed
from tui.picture import Definition, Picture
from tui.session.acts import SessionActs
from tui.session.alert_monitor import AlertMonitor
from tui.session.asking import SessionQuestions
from tui.session.clock import SessionClock
from tui.session.contestants import Wanted, contestants_of
from tui.session.definitions import Definitions
from tui.session.driving import RunDriver
from tui.session.event_log import EventLog, event_rows, with_alerts
from tui.session.keeping import Keeping
from tui.session.presets import Presets
from tui.session.reasoning import Scene
from tui.session.time_travel import TimeTravel, version_of
from tui.session_protocol import OpenComparison, Post

_MOST_ALERTS: Final = 2**16
"""Factor that keeps versions apart that differ in the number of alerts."""


class SessionPictures:
    """The view of one run; implements `session_protocol.PicturesProtocol`."""

    def __init__(self, driver: RunDriver, definitions: Definitions, presets: Presets) -> None:
        self._driver, self._definitions, self._presets = driver, definitions, presets

    async def start(self, post: Post) -> None:
        """Begin to drive the clock and to post."""
        self._driver.start(post)

    async def close(self) -> None:
        """Stop driving."""
        await self._driver.close()

    async def picture(self) -> Picture:
        """Return the picture of now; a row of a long section is made when it is looked at."""
        driver, travel = self._driver, self._driver.travel
        records = travel.records(driver.log.latest)
        state = msgspec.structs.replace(driver.state_of_now(), track=travel.track())
        version = driver.log.version
        if travel.simulation is not None:
            state = msgspec.structs.replace(state, present_ms=driver.run.simulation.now_ms, standing=())
            version = version_of(records)
        rows = with_alerts(records, state.alerts, driver.looked_at.now_ms)
        obstacles, releases = driver.background.obstacles, driver.background.releasing.known
        return Picture(
            snapshot_of_simulation(driver.looked_at, obstacles, releases, has_drained=driver.log.has_drained),
            state,
            event_rows(rows),
            version * _MOST_ALERTS + len(rows) - len(records),
            travel.graphs(),
            self._presets.offered(),
        )

    async def drawn(self, took_s: float) -> None:
        """A picture was drawn."""
        self._driver.drawn(took_s)

    async def definition(self, kind: str, name: str) -> Definition | None:
        """Return how something was defined, as far as it counts at the instant looked at."""
        return self._definitions.of(kind, name, self._driver.looked_at)

    async def plans(self) -> tuple[PlanTables, ...]:
        """Plans of Spark's Master."""
        simulation = self._driver.run.simulation
        return plans_of(simulation.control_plane, simulation.now_ms)


SHOWN: Final = 50
"""Divergences that a screen goes through."""


class SessionComparing:
    """Implements `session_protocol.ComparingProtocol`; the run itself goes on meanwhile."""

    def __init__(self, driver: RunDriver) -> None:
        self._driver = driver

    async def compare(self, words: str) -> OpenComparison:
        """Play the scenario to its end, with the acts so far at their times, under each word."""
        scenario = self._as_played()
        contestants = contestants_of(scenario, Wanted(words.split()))
        return await asyncio.to_thread(opened, contestants, scenario.duration_ms)

    def _as_played(self) -> Scenario:
        run = self._driver.run
        scenario, now_ms = run.scenario, run.now_ms
        done = [timed(act, position[0] - scenario.start_ms) for position, act in run.simulation.acts]
        script = (*done, *(step for step in scenario.script if step.at_ms > now_ms))
        return scenario.model_copy(update={"script": script, "expectations": ()})


def opened(contestants: Sequence[Contestant], until_ms: int) -> OpenComparison:
    """Play runs to an end [ms after the start], to be looked at."""
    comparison = compared(contestants, until_ms)
    played = [each for each in contestants if each.letter not in comparison.refused]
    partings = partings_of(played, comparison.divergences[:SHOWN])
    return OpenComparison(comparison, partings, lambda time_ms: snapshots_at(played, time_ms))


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
