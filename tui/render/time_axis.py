"""A window of time over a row of cells: which cell an instant has, and the round times below the cells."""

from typing import Final, NamedTuple

from tui import format as text

STEPS_S: Final = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
"""What may lie between two times on an axis [s]."""
MINUTE_S: Final = 60


class Window(NamedTuple):
    """A stretch of time."""

    since_ms: int
    until_ms: int

    def cell(self, time_ms: int, cells: int) -> int:
        """The cell out of so many that an instant lies in; what lies outside is at an end."""
        span_ms = max(1, self.until_ms - self.since_ms)
        return min(max(((time_ms - self.since_ms) * cells - 1) // span_ms, 0), cells - 1)

    def moment(self, cell: int, cells: int) -> int:
        """The last instant of a cell out of so many [epoch ms]."""
        return self.since_ms + (self.until_ms - self.since_ms) * (cell + 1) // max(1, cells)


class AxisTime(NamedTuple):
    """A round time below a cell."""

    cell: int
    words: str


def ticks(window: Window, cells: int, offset_ms: int, apart: int) -> list[AxisTime]:
    """Round times of day, as many as there is room for; with seconds where they lie less than a minute apart.

    A day begins with its name.

    Times lie at least `apart` cells from one another: rounding takes one, seconds add three.
    """
    span_ms = max(1, window.until_ms - window.since_ms)
    step_s = next((each for each in STEPS_S if 1000 * each * cells >= (apart + _size(each) - 5) * span_ms), STEPS_S[-1])
    size = _size(step_s)
    first_ms = window.since_ms + -(window.since_ms + offset_ms) % (1000 * step_s)
    found = [
        AxisTime(window.cell(time_ms, cells), _words(time_ms, offset_ms)[:size])
        for time_ms in range(first_ms, window.until_ms + 1, 1000 * step_s)
    ]
    return [each for each in found if each.cell + size <= cells]


def _words(time_ms: int, offset_ms: int) -> str:
    day, _, clock = text.clock(time_ms, offset_ms).partition(" ")
    return day if clock == "00:00:00" else clock


def _size(step_s: int) -> int:
    return 8 if step_s < MINUTE_S else 5
