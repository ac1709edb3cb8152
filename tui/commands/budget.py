"""A bound on the wall time a command spends on copies.

How much is found within it depends on the machine; what is found never does.
"""

import time
from collections.abc import Callable
from typing import Annotated, Final

import typer

SECONDS: Final = 5.0
"""How much there is when nothing else is said."""

BudgetOption = Annotated[
    float, typer.Option("--budget", metavar="SECONDS", min=0.0, help="How long is looked at most; 0 is without end.")
]


PART: Final = 2 / 3
"""The part of the time for an answer, where what it hangs on is looked at after it."""


class Budget:
    """Wall time that is being used up."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin to count.

        Args:
            seconds: How much there is; 0 never ends.
            clock: Wall time [s]; replaced in tests.
        """
        self._clock = clock
        self._end = clock() + seconds if seconds else None

    def goes_on(self) -> bool:
        """True while some of the budget is left."""
        return self._end is None or self._clock() < self._end

    def spend(self, advance: Callable[[], bool]) -> bool:
        """Do pieces of some work until it says that it is done, or nothing is left; whether it is done."""
        while not advance():
            if not self.goes_on():
                return False
        return True


def budget_of_answer(seconds: float, *, hangs: bool) -> Budget:
    """The time for an answer; where it `hangs` on assumptions, some is left for those."""
    return Budget(seconds * PART if hangs else seconds)
