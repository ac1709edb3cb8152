"""Drives a running engine: slices of work on the event loop, and a rest after each.

A slice is a few milliseconds, so keys stay quick and nothing needs a lock. While the clock stands, what a screen still
wants to know is worked out with longer rests; when nothing is left nothing runs at all. Wall time comes from outside,
so tests need none.
"""

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any, Final

import msgspec

from engine.errors import EngineError
from engine.explain.alerts import ACTED
from engine.run.player import Run
from engine.simulation.simulation import Simulation
from tui import crash
from tui.picture import Notice, PictureChanged, RunState
from tui.session.alert_monitor import AlertMonitor
from tui.session.background import Background
from tui.session.event_log import EventLog
from tui.session.judging import Judging
from tui.session.keeping import Keeping
from tui.session.pacing import ScriptPace
from tui.session.time_travel import PIECE_S, TimeTravel
from tui.session_protocol import Post

LEAST_REST_S: Final = 0.0015
"""Least rest between two slices, for keys and frames, also when the engine goes flat out [s]."""
REST_SHARE: Final = 4
"""Rest between two slices while the clock stands, in multiples of the last slice: a fifth of a core at most."""
FRAME_S: Final = 0.2
"""The least time between two pictures [s]; kind to a slow ssh link. Keys and acts are drawn at once."""
FRAME_SHARE: Final = 8
"""Least time between two pictures, in multiples of the cost of the last one."""


class RunDriver:
    """Drives one run; owns how its clock is driven (`state`)."""

    def __init__(
        self,
        run: Run,
        log: EventLog,
        travel: TimeTravel,
        *,
        speed: float,
        paused: bool,
        alerts: AlertMonitor,
        keeping: Keeping,
        judges: bool = False,
        wall: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        """Stand until `start`."""
        self.run, self.log, self.travel = run, log, travel
        self.keeping, self.alerts = keeping, alerts
        self.pace = ScriptPace(run, log, speed=speed, paused=paused, wall=wall)
        self.travel.timeline.in_pieces = True
        scenario = run.scenario
        self.state = RunState(
            scenario.name,
            scenario.title,
            scenario.seed,
            speed=speed,
            paused=paused,
            end_ms=self.pace.end_ms,
            offset_ms=scenario.offset_ms,
        )
        """The state of the clock; alerts are in `state_of_now`."""
        self._judges = judges
        self._judging: Judging | None = None
        """Judges the run that has ended; None before and after."""
        self._wall, self._sleep = wall, sleep
        self._held = 0
        self._post: Post | None = None
        self._task: asyncio.Task[None] | None = None
        self._moving = asyncio.Event()
        self.background = Background(wall, self.wake)
        self._framed_at = wall()
        self._frame_s = FRAME_S

    def start(self, post: Post) -> None:
        """Begin to drive the clock."""
        self._post = post
        self._task = asyncio.get_running_loop().create_task(self._drive())
        self.changed()

    async def close(self) -> None:
        """Stop driving."""
        self._post = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.guarded(lambda: self.keeping.finish(self.run.simulation.now_ms))

    def wake(self) -> None:
        """Work on, as there is something to do."""
        self._moving.set()

    @property
    def looked_at(self) -> Simulation:
        """The run, or a copy of its past."""
        return self.travel.simulation or self.run.simulation

    def stands(self) -> bool:
        """True while nothing moves."""
        state = self.state
        is_kept = bool(self._held) or bool(state.frozen) or state.ended or bool(state.failure)
        return (state.paused and not self.pace.is_seeking) or is_kept

    # What the clock does

    def set(self, **changes: Any) -> None:
        """Drive the clock another way; goes on from where the engine is."""
        self.state = msgspec.structs.replace(self.state, **changes)
        self._sync()
        self.changed()
        self.wake()

    def hold(self, *, held: bool) -> None:
        """Stand while at least one dialog is open."""
        self._held = max(0, self._held + (1 if held else -1))
        self.set()

    def _sync(self) -> None:
        if not self.pace.is_seeking:
            self.pace.set(self.state.speed, paused=self.state.paused or bool(self._held) or bool(self.state.frozen))

    def branch(self, simulation: Simulation) -> None:
        """Go on with another simulation of the run; of the alerts those stay that were known at its instant."""
        self.log.cut(simulation.now_ms, simulation.world.delivered)
        self.alerts = self.alerts.resumed(simulation.now_ms, self.travel.history.last_allocated_ms())
        self.run.branch(simulation, [self.log, self.alerts, *self.keeping.listeners, self.travel.history])
        self.pace.branch(simulation)
        self._judging = None
        self.set(paused=True, ended=False, failure="", judged=())

    # Slices

    async def _drive(self) -> None:
        while True:
            while self.stands() and not self.looks_on and self.find_events():
                await self._sleep(REST_SHARE * PIECE_S)
            if self.stands() and not self.looks_on:
                self._moving.clear()
                await self._moving.wait()
            await self._sleep(max(LEAST_REST_S, self.slice()))

    def slice(self) -> float:
        """Let the engine work for a slice of wall time; return how long to rest then [s]."""
        begin, stood, standing = self._wall(), self.stands(), self.alerts.standing
        if stood and not self.looks_on:
            return FRAME_S
        must_stand = stood or self.alerts.copying or self.background.copying
        rest = 0.0
        if self.travel.timeline.copying:
            self.guarded(self._copy)
        elif not must_stand:
            rest = self.guarded(self._work)
        self.guarded(self._find_alerts)
        self.guarded(self._work_beside)
        is_news = self.alerts.standing != standing or self.stands() != stood
        if is_news or self._wall() - self._framed_at >= self._frame_s:
            self.changed()
        return REST_SHARE * (self._wall() - begin) if stood else rest

    def _copy(self) -> None:
        """Go on with a copy for the past that is due, while the run stands."""
        timeline, until = self.travel.timeline, self._wall() + PIECE_S
        while not timeline.copy_on() and self._wall() < until:
            pass

    def _work(self) -> float:
        was_seeking = self.pace.is_seeking
        rest = self.pace.slice()
        if was_seeking:
            self._sync()
        return rest

    @property
    def looks_on(self) -> bool:
        """True while something is left to find out though the clock stands."""
        is_behind = self.background.is_behind(self.looked_at)
        return (
            is_behind
            or self._judging is not None
            or (not self.state.failure and not self.alerts.idle(self.run.simulation))
        )

    def _find_alerts(self) -> None:
        """Post new alerts, and mark when they formed, so that time travel can go there."""
        for alert in self.alerts.look(self.run.simulation, self._wall):
            self.travel.timeline.mark(alert.since_ms)
            if alert.sentence != ACTED:  # whoever acted is told what the act has done
                self.notice(f"{alert.sentence}.", "information" if alert.kind in {"over", "returned"} else "error")

    def state_of_now(self) -> RunState:
        """Return the state with the alerts of this very instant."""
        return msgspec.structs.replace(self.state, standing=self.alerts.standing, alerts=self.alerts.all)

    def _work_beside(self) -> None:
        """Find out what screens look at, as far as there is time."""
        if self.background.tick(self.looked_at, stands=self.stands(), flat_out=self.state.speed == inf):
            self.changed()
        self._judge()

    def _judge(self) -> None:
        """Judge the run that has ended, as far as there is time."""
        until = self._wall() + PIECE_S
        if self._judging is not None and self._judging.work(lambda: self._wall() >= until):
            self.state = msgspec.structs.replace(self.state, judged=self._judging.results())
            self._judging = None
            self.changed()

    def find_events(self) -> bool:
        """Look a little further for events of the past looked at; return True when more may be found."""
        travel, until = self.travel, self._wall() + PIECE_S
        if was_finding := travel.is_finding:
            self.guarded(lambda: travel.find_events(self.log.latest, lambda: self._wall() >= until))
        if was_finding is not travel.is_finding:
            self.changed()
        return travel.is_finding

    def guarded(self, work: Callable[[], float | None]) -> float:
        """Let the engine work; an error stops the clock and becomes `state.failure`."""
        rest: float | None = None
        try:
            rest = self.travel.timeline.timed(work)
        except EngineError as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001  # the last line of defence: a screen never shows a traceback
            self._fail(crash.report(error))
        self.check_keeping()
        if self.run.ended and not self.state.ended:
            self.pace.stop_seeking()
            self.state = msgspec.structs.replace(self.state, ended=True)
            if self._judges and self.run.scenario.expectations:
                self.notice("The scenario has ended; its expectations are being judged.", "information")
                self._judging = Judging(self.run.scenario, self.run.simulation.acts, self.run.until_ms)
        return rest or 0.0

    def check_keeping(self) -> None:
        """Say so when the run is kept no longer."""
        if self.keeping.has_failed():
            self.notice(f"{self.keeping.troubles[-1]}.", "error")

    def _fail(self, words: str) -> None:
        self.pace.stop_seeking()
        self.state = msgspec.structs.replace(self.state, failure=" ".join(words.split()))

    # Telling

    def changed(self) -> None:
        """Tell whoever draws that there is something new."""
        self._framed_at = self._wall()
        if self._post is not None:
            self._post(PictureChanged())

    def notice(self, words: str, severity: str) -> None:
        """Tell the user something; `severity` is that of `Notice`."""
        if self._post is not None:
            self._post(Notice(words, severity))

    def drawn(self, took_s: float) -> None:
        """Note the cost of a picture; pictures get a small share of the time, however dear one is."""
        self._frame_s = max(FRAME_S, min(2.0, took_s * FRAME_SHARE))
