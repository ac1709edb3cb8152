"""What drives the clock of a running engine: slices of work on the event loop, and the steps of its script.

The engine runs in slices of a few milliseconds with a real sleep between them, so keys stay quick and nothing needs a
lock; while the clock stands and there is nothing left to look at nothing runs at all. Wall time comes from outside, so
tests need none.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from math import inf

import msgspec

from engine.errors import EngineError
from engine.run.player import Run
from engine.simulation.realtime import Pace, Step
from engine.simulation.simulation import Simulation
from tui import crash
from tui.messages import Noticed, PictureChanged
from tui.session.alert_monitor import AlertMonitor
from tui.session.background import Background
from tui.session.event_log import EventLog
from tui.session.keeping import Keeping
from tui.session.time_travel import PIECE_S, TimeTravel, begun
from tui.session_protocol import Post
from tui.view_state import RunState

LEAST_REST_S = 0.0015
"""What belongs to keys and frames between two slices, also when the engine goes flat out [s]."""
FRAME_S = 0.2
"""The least time between two pictures [s]; kind to a slow ssh link. Keys and acts are drawn at once."""
FRAME_SHARE = 8
"""So many times what a picture cost passes before the next."""


class Driving:
    """Drives one `Run`."""

    def __init__(
        self,
        run: Run,
        log: EventLog,
        *,
        speed: float = 10.0,
        paused: bool = False,
        past: TimeTravel | None = None,
        lookout: AlertMonitor | None = None,
        keeping: Keeping | None = None,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Stand until `start`; `speed` is simulated seconds per second, `inf` is flat out.

        What was is in `past`, which by default begins here; alerts come from `lookout`, a listener of the run.
        `keeping` keeps the run on disk.
        """
        self._run, self._log = run, log
        self._wall, self._sleep = wall, sleep
        scenario = run.scenario
        offset = scenario.start.utcoffset()
        self._state = RunState(
            scenario.name,
            scenario.title,
            scenario.seed,
            speed=speed,
            paused=paused,
            end_ms=scenario.start_ms + run.until_ms,
            offset_ms=0 if offset is None else int(offset.total_seconds() * 1000),
        )
        self._past = past or begun(run)
        self._past.timeline.in_pieces = True
        self._lookout = lookout or AlertMonitor()
        self._state = msgspec.structs.replace(self._state, alert=self._lookout.standing, alerts=self._lookout.told)
        self.keeping = keeping or Keeping()
        self._held = 0
        self._decided: int | None = None
        self._stops = sorted({scenario.start_ms + step.at_ms for step in scenario.script})
        self._pace = Pace(run.simulation, speed=speed, paused=paused, clock=wall)
        self._aim()
        self._post: Post | None = None
        self._task: asyncio.Task[None] | None = None
        self._moving = asyncio.Event()
        self._beside = Background(wall, self._moving.set)
        self._framed_at = wall()
        self._frame_s = FRAME_S

    def start(self, post: Post) -> None:
        """Begin to drive the clock."""
        self._post = post
        self._task = asyncio.get_running_loop().create_task(self._drive())
        self._changed()

    async def close(self) -> None:
        """Stop driving."""
        self._post = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._guarded(lambda: self.keeping.finish(self._run.simulation.now_ms))

    @property
    def state(self) -> RunState:
        """How the clock is driven."""
        return self._state

    @property
    def _looked_at(self) -> Simulation:
        """The run, or a copy of its past."""
        return self._past.simulation or self._run.simulation

    def stands(self) -> bool:
        """Whether nothing moves."""
        state, is_seeking = self._state, self._decided is not None
        return (state.paused and not is_seeking) or bool(self._held) or state.ended or bool(state.failure)

    async def _drive(self) -> None:
        while True:
            while self.stands() and not self._looks_on() and self.tell_more():
                await self._sleep(LEAST_REST_S)
            if self.stands() and not self._looks_on():
                self._moving.clear()
                await self._moving.wait()
            await self._sleep(max(LEAST_REST_S, self.slice()))

    def slice(self) -> float:
        """Let the engine work for a slice of wall time; how long to rest then [s]."""
        stood, alert = self.stands(), self._state.alert
        if stood and not self._looks_on():
            return FRAME_S
        must_stand = stood or self._lookout.copying or self._beside.copying
        rest = 0.0
        if self._past.timeline.copying:
            self._guarded(self._copy)
        elif not must_stand:
            rest = self._guarded(self._work)
        self._guarded(self._look_out)
        self._guarded(self._explain)
        if self._state.alert != alert or self.stands() != stood or self._wall() - self._framed_at >= self._frame_s:
            self._changed()
        return rest

    def _copy(self) -> None:
        """Go on with the copy the past is due, for which the run stands."""
        timeline, until = self._past.timeline, self._wall() + PIECE_S
        while not timeline.copy_on() and self._wall() < until:
            pass

    def _work(self) -> float:
        rest = self._pace.slice()
        if self._decided is not None:
            self._go_on_seeking(self._decided)
        elif self._pace.ended:
            self._cross()
        return rest

    def _looks_on(self) -> bool:
        """Whether the instant the clock stands at is still being looked at."""
        is_behind = self._beside.is_behind(self._looked_at)
        return is_behind or (not self._state.failure and not self._lookout.idle(self._run.simulation))

    def _look_out(self) -> None:
        """Tell what forms, and remember when it did, so that it can be gone back to."""
        for alert in self._lookout.look(self._run.simulation, self._wall):
            self._past.timeline.mark(alert.since_ms)
            if self._post is not None:
                self._post(Noticed(f"{alert.sentence}.", "information" if alert.kind == "over" else "error"))
        self._state = msgspec.structs.replace(self._state, alert=self._lookout.standing, alerts=self._lookout.told)

    def _explain(self) -> None:
        """Work out what screens look at, as far as there is time."""
        if self._beside.tick(self._looked_at, stands=self.stands(), flat_out=self._state.speed == inf):
            self._changed()

    def tell_more(self) -> bool:
        """Look a little further for events of the past looked at; whether there is more to look for."""
        past, until = self._past, self._wall() + PIECE_S
        if was_telling := past.is_telling:
            self._guarded(lambda: past.tell_more(self._log.latest, lambda: self._wall() >= until))
        if was_telling is not past.is_telling:
            self._changed()
        return past.is_telling

    def _guarded(self, work: Callable[[], float | None]) -> float:
        """Let the engine work; whatever it raises stops the clock and is told in words."""
        rest: float | None = None
        try:
            rest = self._past.timeline.timed(work)
        except EngineError as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001  # the last line of defence: a screen never shows a traceback
            self._fail(crash.report(error))
        if self._run.ended and not self._state.ended:
            self._decided = None
            self._state = msgspec.structs.replace(self._state, ended=True)
        return rest or 0.0

    def _fail(self, words: str) -> None:
        self._decided = None
        self._state = msgspec.structs.replace(self._state, failure=" ".join(words.split()))

    def _changed(self) -> None:
        self._framed_at = self._wall()
        if self._post is not None:
            self._post(PictureChanged())

    def drawn(self, took_s: float) -> None:
        """Give pictures a small share of the time, however dear one is."""
        self._frame_s = max(FRAME_S, min(2.0, took_s * FRAME_SHARE))

    # The script

    def _go_on_seeking(self, decided: int) -> None:
        """Stand where something was decided; over a step of the script the search goes on."""
        if self._pace.is_stepping:
            return
        if self._log.decisions == decided and not self._run.ended:
            self._cross()
            self._pace.step(Step.DECISION)
        if self._log.decisions != decided or self._run.ended:
            self._decided = None
            self._sync()

    def _cross(self) -> None:
        """Play the instant of the script's next step, or to the end: the run follows its script, the pace does not."""
        stop = self._next_stop()
        self._run.advance(self._run.until_ms if stop is None else stop - self._run.scenario.start_ms)
        self._aim()

    def _next_stop(self) -> int | None:
        now, end = self._run.simulation.now_ms, self._state.end_ms
        return next((stop for stop in self._stops if stop > now and (end is None or stop <= end)), None)

    def _aim(self) -> None:
        """Let the pace stop before the script's next step."""
        stop = self._next_stop()
        self._pace.until_ms = self._state.end_ms if stop is None else stop - 1

    def _sync(self) -> None:
        """Tell the pace how it is to go."""
        if self._decided is None:
            self._pace.speed = self._state.speed
            self._pace.paused = self._state.paused or bool(self._held)

    def _set(self, **changes: object) -> None:
        """Another way to drive the clock; goes on from where the engine is."""
        self._state = msgspec.structs.replace(self._state, **changes)
        self._sync()
        self._changed()
        if not self.stands():
            self._moving.set()
