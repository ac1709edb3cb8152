"""Keeps a value over time in bounded memory: a step function whose value holds until the next one noted.

While there is room everything is kept. Then the past is thinned out: of ever wider stretches of time, the longer ago
the wider, only the last change is kept, and the very first. So a window of any length that ends now is known about
equally well.
"""

from bisect import bisect_right
from typing import Final, Generic, TypeVar

MOST: Final = 4096
"""Values kept."""
LEAST_MS: Final = 1000
"""The shortest stretch of which only one value is kept."""

Value = TypeVar("Value")


class Steps(Generic[Value]):
    """Values by the instants they began at; times never go back."""

    __slots__ = ("_most", "_share", "count", "times", "values")

    def __init__(self, most: int = MOST) -> None:
        """Begin with nothing. `most` values are kept, at least 8; after thinning out there are at most half as many."""
        self._most = most
        self._share = most // 8
        """Stretches that an age is divided into, in which one value is kept."""
        self.times: list[int] = []
        """Since when each value held [epoch ms], oldest first."""
        self.values: list[Value] = []
        self.count = 0
        """Changes whenever anything here does."""

    def note(self, time_ms: int, value: Value) -> None:
        """This is the value from `time_ms` [epoch ms] on."""
        values = self.values
        if values:
            if values[-1] == value:
                return
            if self.times[-1] == time_ms:
                values[-1] = value
                self.count += 1
                return
        self.times.append(time_ms)
        values.append(value)
        self.count += 1
        if len(values) > self._most:
            kept = self._last_of_stretches()
            while len(kept) > self._most // 2 and self._share:
                self._share //= 2
                kept = self._last_of_stretches()
            self.times = [self.times[place] for place in kept]
            self.values = [self.values[place] for place in kept]

    def at(self, time_ms: int) -> Value | None:
        """The value at an instant [epoch ms]; None before the first."""
        place = bisect_right(self.times, time_ms)
        return self.values[place - 1] if place else None

    def cut(self, time_ms: int) -> None:
        """Forget what was noted after an instant [epoch ms]."""
        place = bisect_right(self.times, time_ms)
        del self.times[place:], self.values[place:]
        self.count += 1

    def __len__(self) -> int:
        return len(self.times)

    def _last_of_stretches(self) -> list[int]:
        """The places of the first value and of the last in each stretch, oldest first."""
        times, unit_ms = self.times, LEAST_MS * max(1, self._share)
        now_ms, begin = times[-1], 1
        kept = [0]
        for doublings in range(((now_ms - times[0]) // unit_ms).bit_length(), -1, -1):
            youngest_ms = now_ms - (unit_ms << doublings >> 1) if doublings else now_ms
            end = max(begin, bisect_right(times, youngest_ms))
            width_ms = LEAST_MS << doublings
            kept += {times[place] // width_ms: place for place in range(begin, end)}.values()
            begin = end
        return kept
