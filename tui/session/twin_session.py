"""Opens the twin of a live cluster or a recorded past as a session."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec

from engine.live.twin.assumptions import read_assumptions
from engine.live.twin.configuration import TwinConfiguration
from engine.live.twin.twin import twin_of
from engine.observe.snapshot import Snapshot
from engine.run.recorded_run import RecordedRun
from tui import format as text
from tui.session.alert_monitor import AlertMonitor
from tui.session.event_log import EventLog
from tui.session.session import Session
from tui.session.time_travel import TimeTravel
from tui.session_protocol import OpenTwin

Said = Mapping[str, str] | None
"""Returns the settings that a server tells; None where it tells none."""


async def says_nothing() -> Said:
    """Return None: there is no server to ask."""
    return None


class TwinOpener:
    """Implements `session_protocol.TwinProtocol`."""

    def __init__(
        self,
        where: str,
        looked_at: Callable[[], Snapshot],
        configured: Callable[[Snapshot, Said], TwinConfiguration],
        *,
        settings: Callable[[], Awaitable[Said]] = says_nothing,
        offset_ms: int = 0,
    ) -> None:
        """Make an opener; `open` makes the twin.

        Args:
            configured: The configuration of a cluster, given what its server says of it.
            offset_ms: East of Greenwich, for the time in the twin's name.
        """
        self._where, self._looked_at, self._configured = where, looked_at, configured
        self._settings, self._offset_ms = settings, offset_ms

    async def open(self, words: str) -> OpenTwin:
        """A session that stands at the instant looked at.

        Raises:
            ConfigError: The words mean nothing, or the configuration is not that of the cluster.
        """
        assumptions = read_assumptions(words.split())
        snapshot = self._looked_at()
        twin = twin_of(snapshot, self._configured(snapshot, await self._settings()), assumptions)
        at = text.clock(snapshot.header.time_ms, self._offset_ms)
        name = f"TWIN of {self._where} at {at}"
        scenario = twin.scenario.model_copy(update={"name": name, "title": name})
        log, alerts = EventLog(), AlertMonitor()
        recorded = RecordedRun.begin(scenario, [log, alerts])
        session = Session(recorded.run, log, travel=TimeTravel(recorded), alerts=alerts, paused=True)
        driver = session.driver
        driver.state = msgspec.structs.replace(driver.state, offset_ms=self._offset_ms)
        return OpenTwin(session, tuple(each.sentence for each in twin.assumed))
