"""A bound on the time a command spends on copies.

Counted is what its own process computes, as on a busy machine it would else look at less; by the clock it is at most
`MOST` times as long. How much is found within it depends on the machine; what is found never does.
"""

import time
from collections.abc import Callable
from typing import Final

from engine.errors import ConfigError, Problem
from engine.units import UnitError, parse_duration
from tui.cli.grammar import Given

SECONDS: Final = 5.0  # How much there is when nothing else is said
PART: Final = 2 / 3  # The part of the time for an answer, where what it hangs on is looked at after it


MOST: Final = 2  # How often the time for an answer may pass by the clock


class Budget:
    """Time that is being used up."""

    def __init__(
        self, seconds: float, clock: Callable[[], float] = time.process_time, wall: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin to count.

        Args:
            seconds: How much there is; 0 never ends.
            clock: Processor time of this process [s]; replaced in tests.
            wall: Wall time [s].
        """
        self._ends = ((clock, clock() + seconds), (wall, wall() + MOST * seconds)) if seconds else ()

    def goes_on(self) -> bool:
        """True while some of the budget is left."""
        return all(clock() < end for clock, end in self._ends)

    def spend(self, advance: Callable[[], bool]) -> bool:
        """Do pieces of some work until it says that it is done, or nothing is left; whether it is done."""
        while not advance():
            if not self.goes_on():
                return False
        return True


def budget_of_answer(seconds: float, *, hangs: bool) -> Budget:
    """The time for an answer; where it `hangs` on assumptions, some is left for those."""
    return Budget(seconds * PART if hangs else seconds)


def seconds_of(given: Given) -> float:
    """The time that `--budget` gives [s]."""
    text = given.text("budget")
    if text is None:
        return SECONDS
    try:
        return max(0.0, float(text))
    except ValueError:
        pass  # it has a unit
    try:
        return parse_duration(text) / 1000
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--budget", hint="5s, 2m; 0 has no end")]) from None
