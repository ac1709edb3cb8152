"""Drives the clock: stops it, lets it run, changes its speed, makes a step, goes into the past and on from there."""

from math import inf
from typing import Final

from tui.format import clock
from tui.glyphs import TIMES
from tui.picture import DONE, ActResult, refused
from tui.session.destinations import PRESENT
from tui.session.driving import RunDriver
from tui.session.gc_tuning import settle_again
from tui.session.time_travel import NOT_HERE

SPEEDS: Final = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, inf)
"""The speeds that + and - go through; the last is as fast as possible."""


def next_speed(now: float, direction: int) -> float:
    """Return the next speed, faster (+1) or slower (-1)."""
    if direction > 0:
        return next((one for one in SPEEDS if one > now), SPEEDS[-1])
    return next((one for one in reversed(SPEEDS) if one < now), SPEEDS[0])


class SessionClock:
    """The clock of one run; implements `session_protocol.ClockProtocol`."""

    def __init__(self, driver: RunDriver) -> None:
        self._driver = driver

    async def toggle_pause(self) -> None:
        """Stop the clock, or let it run; a search for a decision ends paused."""
        if self._is_past() or self._is_over() or self._is_frozen():
            return
        was_seeking = self._driver.pace.is_seeking
        self._driver.pace.stop_seeking()
        self._driver.set(paused=was_seeking or not self._driver.state.paused)

    def _is_over(self) -> bool:
        """Tell whether the run has ended; say so where it has."""
        driver, state = self._driver, self._driver.state
        if state.ended or state.failure:
            ended = f"The scenario ended at {clock(driver.run.simulation.now_ms, state.offset_ms)}."
            driver.notice(state.failure or ended, "warning")
        return state.ended or bool(state.failure)

    def _is_past(self) -> bool:
        """Tell whether the past is looked at; say so where it is."""
        if self._driver.travel.simulation is not None:
            self._driver.notice(NOT_HERE, "warning")
        return self._driver.travel.simulation is not None

    def _is_frozen(self) -> bool:
        """Tell whether somebody else has frozen the clock; say so where it is."""
        frozen = self._driver.state.frozen
        if frozen:
            self._driver.notice(f"Clock paused: {frozen} stopped it.", "warning")
        return bool(frozen)

    async def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open."""
        self._driver.hold(held=held)

    async def change_speed(self, direction: int) -> None:
        """Take the next speed, or the one before."""
        self._driver.set(speed=next_speed(self._driver.state.speed, direction))

    async def set_speed(self, speed: float) -> None:
        """Run at a speed; 0 is flat out."""
        self._driver.set(speed=speed or inf)
        if self._driver.stands():
            words = f"{TIMES}{speed:g}" if speed else "as fast as possible"
            self._driver.notice(f"Clock paused; its speed is now {words}.", "information")

    async def step(self, unit: str) -> None:
        """Make one step and stand; in the past, look at the next instant."""
        if self._driver.travel.simulation is not None:
            _ = self._travel("second" if unit == "second" else "on")
        elif not self._is_over() and not self._is_frozen():
            self._step(unit)

    def _step(self, unit: str) -> None:
        driver, pace = self._driver, self._driver.pace
        pace.stop_seeking()
        driver.set(paused=True)
        if unit == "decision":
            pace.seek()
        else:
            _ = driver.guarded(pace.step_second if unit == "second" else pace.step_event)
        driver.set()

    async def travel(self, where: str) -> ActResult:
        """Go through time; the clock is paused meanwhile and afterwards."""
        if where == "on" and self._driver.travel.simulation is None:
            await self.step("decision")
            return DONE
        return refused(self._travel(where))

    def _travel(self, where: str) -> str:
        driver, words = self._driver, [""]
        driver.pace.stop_seeking()
        driver.set(paused=True)
        _ = driver.guarded(lambda: words.append(driver.travel.travel(where)))
        driver.changed()
        driver.wake()
        return words[-1]

    async def branch(self) -> ActResult:
        """Let the run go on from the instant looked at; it stands first."""
        driver = self._driver
        if driver.travel.simulation is None:
            return refused(PRESENT)
        if words := driver.keeping.branch(driver.run.simulation.now_ms, driver.travel.now_ms):
            return refused(words)
        driver.branch(driver.travel.branch())
        settle_again()
        return DONE
