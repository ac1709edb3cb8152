"""The one door to a running engine: drives its clock, takes pictures of it, acts on it by id.

The engine runs on the event loop in slices of a few milliseconds with a real sleep between them, so keys stay quick
and nothing needs a lock. A picture is due at most ten times a second and only when something changed; while the
clock stands nothing runs at all. Wall time comes from outside, so tests need none.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

import msgspec
from textual.message import Message

from engine.errors import ConfigError, EngineError, Problem
from engine.formats.scenario_toml import load
from engine.run.player import Run
from engine.scenario import Scenario
from engine.simulation.actions import (
    Action,
    DrainNode,
    KillApplication,
    SetPreemption,
    SetReservationRule,
    SubmitApplication,
)
from engine.simulation.faults import ReturnNode
from engine.units import UnitError, format_duration, parse_moment
from tui import crash
from tui.draining import DrainingSnapshot
from tui.form import spec_of
from tui.messages import PictureChanged
from tui.picture import FLAT_OUT, Picture, RunState
from tui.tape import EventTape

Post = Callable[[Message], object]
"""How the session reaches the app."""

SPEEDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, FLAT_OUT)
"""The speeds + and - go through."""
SLICE_S = 0.006
"""How long the engine may run at a stretch [s]."""
REST_S = 0.006
"""How long the loop belongs to keys and frames between two slices [s]."""
FLAT_OUT_REST_S = 0.0015
"""The same when the engine goes as fast as it can [s]."""
FRAME_S = 0.1
"""The least time between two pictures [s]."""
BACKLOG_S = 0.25
"""How far the engine may fall behind its speed before the lag is forgotten [s]."""
_CHUNKS_MS = (1, 60_000)
"""Least and most simulated time played before looking at the wall clock again [ms]."""


class Door(Protocol):
    """What the app needs of a session; an act answers with why it was refused, or with nothing."""

    def start(self, post: Post) -> None:
        """Begin to drive the clock and to post `PictureChanged`."""

    async def close(self) -> None:
        """Stop driving; nothing is posted afterwards."""

    def picture(self) -> Picture:
        """What is to be seen now."""

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""

    def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open; go on as before when it closes."""

    def step(self, unit: str) -> None:
        """Make one step, `second`, `event` or `decision`, and stand."""

    def change_speed(self, direction: int) -> None:
        """Run faster (+1) or slower (-1)."""

    def kill(self, application: str) -> str:
        """Kill an application by id."""

    def set_preemption(self, *, on: bool) -> str:
        """Switch preemption."""

    def set_reservation_rule(self, rule: str) -> str:
        """Choose the reservation rule."""

    def set_node_service(self, node: str, *, in_service: bool) -> str:
        """Take a node out of service or bring it back."""

    def submit(self, fields: Mapping[str, str]) -> list[str]:
        """Submit what a form says; every problem in words, none when it was submitted."""


class Session:
    """Drives one `Run`."""

    def __init__(
        self,
        run: Run,
        tape: EventTape,
        *,
        speed: float = 10.0,
        paused: bool = False,
        wall: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
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
        self._held = 0
        self._is_seeking = False
        self._due_ms = float(run.now_ms)
        self._chunk_ms = 100
        self._post: Post | None = None
        self._task: asyncio.Task[None] | None = None
        self._moving = asyncio.Event()
        self._framed_at = 0.0

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

    @property
    def state(self) -> RunState:
        """How the clock is driven."""
        return self._state

    def stands(self) -> bool:
        """Whether nothing moves."""
        state = self._state
        return (state.paused and not self._is_seeking) or bool(self._held) or state.ended or bool(state.failure)

    async def _drive(self) -> None:
        last = self._wall()
        while True:
            if self.stands():
                self._moving.clear()
                await self._moving.wait()
                last = self._wall()
            now = self._wall()
            self.slice(now - last)
            last = now
            await self._sleep(FLAT_OUT_REST_S if self._is_flat_out else REST_S)

    @property
    def _is_flat_out(self) -> bool:
        return self._is_seeking or self._state.speed == FLAT_OUT

    def slice(self, passed_s: float) -> None:
        """Play what `passed_s` of wall time are worth, but no longer than one slice."""
        if self.stands():
            return
        if self._is_flat_out:
            self._due_ms = float(self._run.until_ms)
        else:
            self._due_ms += min(passed_s, BACKLOG_S) * 1000 * self._state.speed
        decided = self._tape.decisions
        ends_at = self._wall() + SLICE_S
        self._guarded(lambda: self._play_until(ends_at, decided))
        if not self._is_flat_out:
            lag_ms = BACKLOG_S * 1000 * self._state.speed
            self._due_ms = min(self._due_ms, self._run.now_ms + lag_ms)
        if self.stands() or self._wall() - self._framed_at >= FRAME_S:
            self._changed()

    def _play_until(self, ends_at: float, decided: int) -> None:
        run = self._run
        while run.now_ms < int(self._due_ms) and not run.ended:
            begun = self._wall()
            if self._is_seeking:
                self._to_next_instant()
                if self._tape.decisions != decided:
                    self._stop_seeking()
                    return
            else:
                run.advance(min(int(self._due_ms), run.now_ms + self._chunk_ms))
            now = self._wall()
            self._fit_chunk(now - begun)
            if now >= ends_at:
                return

    def _fit_chunk(self, took_s: float) -> None:
        """Aim at a quarter of a slice between two looks at the wall clock."""
        least, most = _CHUNKS_MS
        if took_s > SLICE_S / 2:
            self._chunk_ms = max(least, self._chunk_ms // 2)
        elif took_s < SLICE_S / 8:
            self._chunk_ms = min(most, self._chunk_ms * 2)

    def _guarded(self, work: Callable[[], object]) -> None:
        """Let the engine work; whatever it raises stops the clock and is told in words."""
        try:
            work()
        except EngineError as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001  # the last line of defence: a screen never shows a traceback
            self._fail(crash.report(error))
        if self._run.ended and not self._state.ended:
            self._is_seeking = False
            self._state = msgspec.structs.replace(self._state, ended=True)

    def _fail(self, words: str) -> None:
        self._is_seeking = False
        self._state = msgspec.structs.replace(self._state, failure=" ".join(words.split()))

    def _to_next_instant(self) -> None:
        """Play the next instant at which anything happens, or to the end."""
        due = self._run.simulation.next_event_ms()
        start_ms = self._run.scenario.start_ms
        self._run.advance(self._run.until_ms if due is None else max(due - start_ms, self._run.now_ms))

    def _stop_seeking(self) -> None:
        self._is_seeking = False
        self._due_ms = float(self._run.now_ms)

    def _changed(self) -> None:
        self._framed_at = self._wall()
        if self._post is not None:
            self._post(PictureChanged())

    def _set(self, **changes: object) -> None:
        """Another way to drive the clock; goes on from where the engine is."""
        self._state = msgspec.structs.replace(self._state, **changes)
        self._due_ms = float(self._run.now_ms)
        self._changed()
        if not self.stands():
            self._moving.set()

    def picture(self) -> Picture:
        """What is to be seen now."""
        snapshot = self._run.snapshot()
        if self._tape.has_drained:
            draining = [node.id for node in self._run.simulation.world.nodes if node.draining]
            snapshot = DrainingSnapshot(snapshot, draining) if draining else snapshot
        return Picture(snapshot, self._state, self._tape.rows, self._tape.count)

    # The clock

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""
        self._is_seeking = False
        self._set(paused=not self._state.paused)

    def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open."""
        self._held = max(0, self._held + (1 if held else -1))
        self._set()

    def change_speed(self, direction: int) -> None:
        """Take the next speed, or the one before."""
        speed = self._state.speed
        order = [one or float("inf") for one in SPEEDS]
        value = speed or float("inf")
        if direction > 0:
            chosen = next((i for i, one in enumerate(order) if one > value), len(order) - 1)
        else:
            chosen = next((i for i in range(len(order) - 1, -1, -1) if order[i] < value), 0)
        self._set(speed=SPEEDS[chosen])

    def step(self, unit: str) -> None:
        """Make one step and stand."""
        if self._state.ended or self._state.failure:
            return
        self._is_seeking = unit == "decision"
        self._state = msgspec.structs.replace(self._state, paused=True)
        if unit == "second":
            self._guarded(lambda: self._run.advance((self._run.now_ms // 1000 + 1) * 1000))
        elif unit == "event":
            self._guarded(self._to_next_instant)
        self._set()

    # Acts

    def _act(self, action: Action) -> str:
        try:
            answer = self._run.simulation.act(action)
        except EngineError as error:
            return str(error)
        self._changed()
        return (answer.detail or answer.rejected) if answer.rejected else ""

    def kill(self, application: str) -> str:
        """Kill an application by id."""
        rows = self._run.snapshot().applications()
        number = next((row.number for row in rows if row.id == application), None)
        return f"{application} is not there any more" if number is None else self._act(KillApplication(number))

    def set_preemption(self, *, on: bool) -> str:
        """Switch preemption."""
        return self._act(SetPreemption(on))

    def set_reservation_rule(self, rule: str) -> str:
        """Choose the reservation rule."""
        return self._act(SetReservationRule(rule))

    def set_node_service(self, node: str, *, in_service: bool) -> str:
        """Take a node out of service or bring it back."""
        return self._act(ReturnNode(node) if in_service else DrainNode(node))

    def submit(self, fields: Mapping[str, str]) -> list[str]:
        """Submit what a form says."""
        spec, problems = spec_of(fields)
        if spec is None:
            return problems
        refusal = self._act(SubmitApplication.of(spec))
        return [refusal] if refusal else []


def open_session(
    name: str,
    *,
    at: str | None = None,
    speed: float = 10.0,
    paused: bool = False,
    overrides: Sequence[str] = (),
) -> Session:
    """A session on a scenario by packaged name or path, played up to `at` first.

    Args:
        name: Packaged name, or path of a TOML file.
        at: Where to begin: `09:00`, `+30m`, seconds; None is the scenario's start.
        speed: Seconds of the cluster per second; 0 is flat out.
        paused: Whether the clock stands at first.
        overrides: Single keys set on top, `dotted.key=value`.

    Raises:
        ConfigError: The scenario, or the time, cannot be read.
    """
    # Whoever looks sees what happens; expectations are judged by a run without a screen.
    scenario = load(name, overrides).model_copy(update={"expectations": ()})
    begin_ms = _moment(at, scenario)
    tape = EventTape()
    run = Run(scenario, [tape])
    run.advance(begin_ms)
    return Session(run, tape, speed=speed, paused=paused)


def _moment(at: str | None, scenario: Scenario) -> int:
    if at is None:
        return 0
    try:
        moment = parse_moment(at, scenario.start)
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--at")]) from None
    if not 0 <= moment <= scenario.duration_ms:
        words = f"{at!r} is not within the scenario, which lasts {format_duration(scenario.duration_ms)}"
        raise ConfigError([Problem(words, key="--at")])
    return moment
