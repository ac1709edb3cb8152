"""The one door to a running engine: drives its clock, takes pictures of it, acts on it by id.

The engine runs on the event loop in slices of a few milliseconds with a real sleep between them, so keys stay quick
and nothing needs a lock. A picture is due at most five times a second and only when something changed; while the
clock stands nothing runs at all. Wall time comes from outside, so tests need none.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from math import inf

import msgspec

from engine.control_plane.spark_master import SparkMaster
from engine.errors import EngineError
from engine.observe.spark_plans import PlanTables, plan_tables
from engine.run.player import Run
from engine.simulation.actions import Action
from engine.simulation.pace import Pace, Step
from tui import crash
from tui.acts import Acts
from tui.answers import Asking, Subject
from tui.asking import Questions
from tui.definitions import Definitions
from tui.door import Post
from tui.draining import shown
from tui.format import clock
from tui.keeping import Keeping
from tui.lookout import Lookout
from tui.messages import Noticed, PictureChanged
from tui.past import NOT_HERE, PIECE_S, PRESENT, Past, begun, version_of
from tui.picture import Definition, Picture, RunState
from tui.presets import Presets
from tui.reasoning import Scene
from tui.tape import EventTape
from tui.unhurried import UnhurriedWhys

SPEEDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, inf)
"""The speeds + and - go through; the last is as fast as the engine goes."""
LEAST_REST_S = 0.0015
"""What belongs to keys and frames between two slices, also when the engine goes flat out [s]."""
FRAME_S = 0.2
"""The least time between two pictures [s]; kind to a slow ssh link. Keys and acts are drawn at once."""
FRAME_SHARE = 8
"""So many times what a picture cost passes before the next."""


class Session(Acts):
    """Drives one `Run`."""

    def __init__(
        self,
        run: Run,
        tape: EventTape,
        *,
        speed: float = 10.0,
        paused: bool = False,
        past: Past | None = None,
        lookout: Lookout | None = None,
        source: str = "",
        keeping: Keeping | None = None,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Stand until `start`; `speed` is simulated seconds per second, `inf` is flat out.

        What was is in `past`, which by default begins here; alerts come from `lookout`, a listener of the run.
        `source` is what the scenario was opened by; `keeping` keeps the run on disk.
        """
        self._run, self._tape = run, tape
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
        self._lookout = lookout or Lookout()
        self._state = msgspec.structs.replace(self._state, alert=self._lookout.standing, alerts=self._lookout.told)
        self.keeping = keeping or Keeping()
        self._definitions = Definitions(scenario, source, self._state.offset_ms)
        self._presets = Presets(scenario)
        self._held = 0
        self._decided: int | None = None
        self._stops = sorted({scenario.start_ms + step.at_ms for step in scenario.script})
        self._pace = Pace(run.simulation, speed=speed, paused=paused, clock=wall)
        self._aim()
        self._questions = Questions(wall, sleep)
        self._post: Post | None = None
        self._task: asyncio.Task[None] | None = None
        self._moving = asyncio.Event()
        self._whys = UnhurriedWhys(wanted=self._moving.set)
        self._framed_at = wall()
        self._frame_s = FRAME_S

    # Driving

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
        rest = self._guarded(self._work) if not stood and not self._lookout.copying else 0.0
        self._guarded(self._look_out)
        self._guarded(self._explain)
        if self._state.alert != alert or self.stands() != stood or self._wall() - self._framed_at >= self._frame_s:
            self._changed()
        return rest

    def _explain(self) -> None:
        """Say why applications wait, as far as there is time."""
        now_ms = (self._past.simulation or self._run.simulation).now_ms
        if self._whys.tick(now_ms, stands=self.stands()):
            self._changed()

    def _work(self) -> float:
        rest = self._pace.slice()
        if self._decided is not None:
            self._go_on_seeking(self._decided)
        elif self._pace.ended:
            self._cross()
        return rest

    def _looks_on(self) -> bool:
        """Whether the instant the clock stands at is still being looked at."""
        return self._whys.is_behind or (not self._state.failure and not self._lookout.idle(self._run.simulation))

    def _look_out(self) -> None:
        """Tell what forms, and remember when it did, so that it can be gone back to."""
        for alert in self._lookout.look(self._run.simulation, self._wall):
            self._past.timeline.mark(alert.since_ms)
            if self._post is not None:
                self._post(Noticed(f"{alert.sentence}.", "information" if alert.kind == "over" else "error"))
        self._state = msgspec.structs.replace(self._state, alert=self._lookout.standing, alerts=self._lookout.told)

    def _go_on_seeking(self, decided: int) -> None:
        """Stand where something was decided; over a step of the script the search goes on."""
        if self._pace.is_stepping:
            return
        if self._tape.decisions == decided and not self._run.ended:
            self._cross()
            self._pace.step(Step.DECISION)
        if self._tape.decisions != decided or self._run.ended:
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

    def picture(self) -> Picture:
        """What is to be seen now."""
        simulation = self._past.simulation or self._run.simulation
        snapshot = shown(simulation, self._whys, has_drained=self._tape.has_drained)
        graphs, presets = self._past.graphs(), self._presets.offered()
        state = msgspec.structs.replace(self._state, track=self._past.track())
        if self._past.simulation is None:
            return Picture(snapshot, state, self._tape.rows, self._tape.version, graphs, presets)
        rows = self._past.events(self._tape.rows)
        state = msgspec.structs.replace(state, present_ms=self._run.simulation.now_ms, alert="")
        return Picture(snapshot, state, rows, version_of(rows), graphs, presets)

    def drawn(self, took_s: float) -> None:
        """Give pictures a small share of the time, however dear one is."""
        self._frame_s = max(FRAME_S, min(2.0, took_s * FRAME_SHARE))

    # The clock

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run; a search for a decision ends standing."""
        if self._is_past() or self._is_over():
            return
        was_seeking, self._decided = self._decided is not None, None
        self._set(paused=was_seeking or not self._state.paused)

    def _is_over(self) -> bool:
        """Whether nothing can move any more; says so."""
        state = self._state
        if (state.ended or state.failure) and self._post is not None:
            words = state.failure or f"The scenario ended at {clock(self._run.simulation.now_ms, state.offset_ms)}."
            self._post(Noticed(words, "warning"))
        return state.ended or bool(state.failure)

    def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open."""
        self._held = max(0, self._held + (1 if held else -1))
        self._set()

    def change_speed(self, direction: int) -> None:
        """Take the next speed, or the one before."""
        if direction > 0:
            speed = next((one for one in SPEEDS if one > self._state.speed), SPEEDS[-1])
        else:
            speed = next((one for one in reversed(SPEEDS) if one < self._state.speed), SPEEDS[0])
        self._set(speed=speed)

    def step(self, unit: str) -> None:
        """Make one step and stand; in the past, look at the next."""
        if self._past.simulation is not None:
            _ = self.travel("second" if unit == "second" else "on")
            return
        if self._is_over():
            return
        self._decided = None
        self._set(paused=True)
        if unit == "decision":
            self._decided = self._tape.decisions
            self._pace.step(Step.DECISION)
        else:
            self._guarded(self._step_second if unit == "second" else self._step_event)
            self._aim()
        self._set()

    def _step_second(self) -> None:
        self._run.advance((self._run.now_ms // 1000 + 1) * 1000)

    def _step_event(self) -> None:
        stop, due = self._next_stop(), self._run.simulation.next_event_ms()
        end = self._state.end_ms if stop is None else stop
        if due is None or (end is not None and due >= end):
            self._cross()
        else:
            self._run.simulation.step()

    # The past

    def travel(self, where: str) -> str:
        """Go through time; the clock stands meanwhile and afterwards."""
        if where == "on" and self._past.simulation is None:
            self.step("decision")
            return ""
        self._decided = None
        words: list[str] = []
        self._set(paused=True)
        self._guarded(lambda: words.append(self._past.travel(where)))
        self._changed()
        self._moving.set()
        return words[0] if words else ""

    def branch(self) -> str:
        """Let the run go on from the instant looked at; it stands first."""
        if self._past.simulation is None:
            return PRESENT
        if words := self.keeping.branch(self._run.simulation.now_ms, self._past.now_ms):
            return words
        simulation = self._past.branch()
        self._tape.cut(simulation.now_ms, simulation.world.told)
        self._lookout = Lookout()
        self._run.branch(simulation, [self._tape, self._lookout, self._past.history, *self.keeping.listeners])
        self._pace.simulation = simulation
        self._aim()
        self._set(paused=True, ended=False, failure="", alert="", alerts=())
        return ""

    def _is_past(self) -> bool:
        """Whether the past is looked at; says so."""
        if self._past.simulation is not None and self._post is not None:
            self._post(Noticed(NOT_HERE, "warning"))
        return self._past.simulation is not None

    def tell_more(self) -> bool:
        """Look a little further for events of the past looked at; whether there is more to look for."""
        past, until = self._past, self._wall() + PIECE_S
        if was_telling := past.is_telling:
            self._guarded(lambda: past.tell_more(self._tape.rows, lambda: self._wall() >= until))
        if was_telling is not past.is_telling:
            self._changed()
        return past.is_telling

    # Acts

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
        master = self._run.simulation.control_plane
        return plan_tables(master, self._run.simulation.now_ms) if isinstance(master, SparkMaster) else ()

    def definition(self, kind: str, name: str) -> Definition | None:
        """How something was defined, as far as it counts at the instant looked at."""
        return self._definitions.of(kind, name, self._past.simulation or self._run.simulation)

    def scene(self) -> Scene:
        """Where questions are asked: the instant looked at."""
        past, events = self._past, self._past.events(self._tape.rows)
        simulation = past.simulation or self._run.simulation
        return Scene(simulation, past.timeline, self._run.scenario, events, self._state.offset_ms)

    def why(self, subject: Subject) -> Asking:
        """Ask at the instant looked at."""
        return self._questions.ask(self.scene(), subject)

    def set_speed(self, speed: float) -> None:
        """Run at a speed; 0 is flat out."""
        self._set(speed=speed or inf)
