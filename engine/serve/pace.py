"""Lets the time of a served run pass: at a speed, by steps, or not at all.

Work is done in slices of a few ms, so that questions on the same event loop are answered in between. The clock and
the sleep are given from outside, so tests step them.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from engine.control_plane.protocol import Answer
from engine.run.player import Run
from engine.scenario.acts import Act
from engine.simulation.run_export import KeptAct

SLICE_S: Final = 0.005
"""Longest time of one slice of work [s]."""
REST_S: Final = 0.02
"""The longest wait between two slices [s]."""
SLOWEST: Final = 0.001
FASTEST: Final = 1_000_000.0
"""Bounds of a speed [simulated seconds per second]."""
CHUNK_MS: Final = 250
"""Simulated time between two looks at the wall clock."""


class ServedPace:
    """Moves one run through its script, or through the acts that were kept of it."""

    def __init__(
        self,
        run: Run,
        kept: Sequence[KeptAct] = (),
        *,
        speed: float = 1.0,
        paused: bool = False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Stand still until `run`.

        Args:
            kept: What came from outside in a kept run, in order; it comes again at its time.
            speed: Simulated seconds per second.
            paused: Whether to begin paused.
            clock: The wall clock [s].
            sleep: Waits that long [s].
        """
        self.played = run
        self._kept = list(kept)
        self._speed, self._paused = speed, paused
        self._clock, self._sleep = clock, sleep
        self._walking = asyncio.Lock()
        self._anchor()

    @property
    def speed(self) -> float:
        """Simulated seconds per second."""
        return self._speed

    @property
    def paused(self) -> bool:
        """True if simulated time stands."""
        return self._paused

    def set(self, *, speed: float | None = None, paused: bool | None = None) -> None:
        """Go on in another way from here; None leaves a part as it is."""
        self._speed = self._speed if speed is None else speed
        self._paused = self._paused if paused is None else paused
        self._anchor()

    def advance(self, to_ms: int) -> None:
        """Play up to and including an instant [ms after the start], but not beyond the end."""
        self._play(to_ms)
        self._anchor()

    async def walk(self, to_ms: int) -> None:
        """Like `advance`, slice by slice: questions are answered in between. Of several walks one goes at a time."""
        async with self._walking:
            while self._is_before(to_ms):
                deadline_s = self._clock() + SLICE_S
                while self._is_before(to_ms) and self._clock() < deadline_s:
                    self._play(min(to_ms, self.played.now_ms + CHUNK_MS))
                await self._sleep(0)
            self._anchor()

    def act(self, act: Act) -> Answer:
        """Do something from outside, now; what was kept of later does not come any more, as it was another future."""
        self._kept.clear()
        return self.played.simulation.act(act)

    async def run(self) -> None:
        """Move the run for ever; at its end it stands."""
        while True:
            await self._sleep(self.slice())

    def slice(self) -> float:
        """Do one slice of work, and say how long to wait before the next [s]."""
        if self._paused or self.played.ended:
            return REST_S
        due_ms = self._begin_ms + int((self._clock() - self._begin_s) * 1000 * self._speed)
        deadline_s = self._clock() + SLICE_S
        while self._is_before(due_ms):
            self._play(min(due_ms, self.played.now_ms + CHUNK_MS))
            if self._clock() >= deadline_s:
                self._anchor()  # it is behind; simulated time does not catch up
                return 0.0
        return REST_S

    def _is_before(self, to_ms: int) -> bool:
        return self.played.now_ms < to_ms and not self.played.ended

    def _play(self, to_ms: int) -> None:
        last_ms = self.played.scenario.start_ms + to_ms
        while self._kept and self._kept[0][0][0] <= last_ms:
            position, act = self._kept.pop(0)
            self.played.repeat(position, act)
        self.played.advance(to_ms)

    def _anchor(self) -> None:
        """Count simulated time from here and now."""
        self._begin_s, self._begin_ms = self._clock(), self.played.now_ms
