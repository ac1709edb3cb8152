"""The one door to a running engine: takes pictures of it, answers questions about it, acts on it by id.

How its clock is driven is in `driving`, the keys of time are in `time_keys`, the acts in `acts`. A picture is due at
most five times a second and only when something changed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from engine.errors import EngineError
from engine.observe.spark_plans import PlanTables
from engine.observe.views import plans_of, snapshot_of_simulation
from engine.run.player import Run
from engine.simulation.actions import Action
from tui.answers import Asking, WhySubject
from tui.session.acts import Acts
from tui.session.alert_monitor import AlertMonitor
from tui.session.asking import Questions
from tui.session.definitions import Definitions
from tui.session.event_log import EventLog, event_rows
from tui.session.keeping import Keeping
from tui.session.presets import Presets
from tui.session.reasoning import Scene
from tui.session.time_keys import TimeKeys
from tui.session.time_travel import NOT_HERE, TimeTravel, version_of
from tui.view_state import Definition, Picture


class Session(TimeKeys, Acts):
    """One `Run`, driven, seen, asked about and acted on."""

    def __init__(
        self,
        run: Run,
        log: EventLog,
        *,
        speed: float = 10.0,
        paused: bool = False,
        past: TimeTravel | None = None,
        lookout: AlertMonitor | None = None,
        source: str = "",
        keeping: Keeping | None = None,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Stand until `start`; `speed` is simulated seconds per second, `inf` is flat out.

        What was is in `past`, which by default begins here; alerts come from `lookout`, a listener of the run.
        `source` is what the scenario was opened by; `keeping` keeps the run on disk.
        """
        super().__init__(
            run, log, speed=speed, paused=paused, past=past, lookout=lookout, keeping=keeping, wall=wall, sleep=sleep
        )
        self._definitions = Definitions(run.scenario, source, self._state.offset_ms)
        self._presets = Presets(run.scenario)
        self._questions = Questions(wall, sleep)

    def picture(self) -> Picture:
        """What is to be seen now."""
        beside = self._beside
        snapshot = snapshot_of_simulation(
            self._looked_at, beside.whys, beside.releasing.known, has_drained=self._log.has_drained
        )
        graphs, presets = self._past.graphs(), self._presets.offered()
        state = msgspec.structs.replace(self._state, track=self._past.track())
        if self._past.simulation is None:
            return Picture(snapshot, state, event_rows(self._log.latest), self._log.version, graphs, presets)
        rows = self._past.events(self._log.latest)
        state = msgspec.structs.replace(state, present_ms=self._run.simulation.now_ms, alert="")
        return Picture(snapshot, state, event_rows(rows), version_of(rows), graphs, presets)

    def _why_not(self) -> str:
        return "" if self._past.simulation is None else NOT_HERE

    def _act(self, action: Action) -> str:
        if self._why_not():
            return self._why_not()
        try:
            answer = self._run.simulation.act(action)
        except EngineError as error:
            return str(error)
        self._changed()
        return (answer.detail or answer.rejected) if answer.rejected else ""

    def plans(self) -> Sequence[PlanTables]:
        """Plans of Spark's Master."""
        return plans_of(self._run.simulation.control_plane, self._run.simulation.now_ms)

    def definition(self, kind: str, name: str) -> Definition | None:
        """How something was defined, as far as it counts at the instant looked at."""
        return self._definitions.of(kind, name, self._looked_at)

    def scene(self) -> Scene:
        """Where questions are asked: the instant looked at."""
        past, events = self._past, self._past.events(self._log.latest)
        return Scene(self._looked_at, past.timeline, self._run.scenario, events, self._state.offset_ms)

    def why(self, subject: WhySubject) -> Asking:
        """Ask at the instant looked at."""
        return self._questions.ask(self.scene(), subject)
