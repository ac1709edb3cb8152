"""Shows a run: pictures, definitions, plans of Spark's Master."""

from typing import Final

import msgspec

from engine.observe.snapshots import plans_of, snapshot_of_simulation
from engine.observe.spark_plans import PlanTables
from tui.picture import Definition, Picture
from tui.session.definitions import Definitions
from tui.session.driving import RunDriver
from tui.session.event_log import event_rows, with_alerts
from tui.session.presets import Presets
from tui.session.time_travel import version_of
from tui.session_protocol import Post

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
        state = msgspec.structs.replace(driver.state, track=travel.track())
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
