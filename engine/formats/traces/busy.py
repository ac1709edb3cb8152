"""The least machine that a batch system's log proves: as many processors as were busy at once by its own times."""

from itertools import accumulate
from typing import Final

UNKNOWN_SIZE: Final = "1 processor, since the log states none"
UNKNOWN_SUBMIT: Final = "its start, since the log states no submission: nothing waited"
BY_TIMES: Final = "{most}, the most that were busy at once by the log's own times, since it does not state its size"
BY_LARGEST: Final = "{most}, as many as the largest job has, since the log states neither its size nor when jobs ran"
MORE_BUSY: Final = "jobs of {most} processors ran at once, more than {name} has: some wait here that did not"


class BusyProcessors:
    """Collects when jobs ran, and on how many processors."""

    def __init__(self) -> None:
        self._changes: list[tuple[int, int]] = []
        self._largest = 0
        self.is_timed = False
        """Whether any job has a start and an end."""
        self.named = ""
        """The word by which the log names how large its machine is; empty where it does not."""

    def add(self, processors: int, started_ms: int | None, ended_ms: int | None) -> None:
        """Take a job; it counts by itself where the log does not say when it ran."""
        self._largest = max(self._largest, processors)
        if started_ms is not None and ended_ms is not None and started_ms < ended_ms:
            self.is_timed = True
            self._changes += ((started_ms, processors), (ended_ms, -processors))

    @property
    def most(self) -> int:
        """The most that were busy at once; a job that begins when another ends may have its processors."""
        return max(self._largest, max(accumulate(change for _, change in sorted(self._changes)), default=0))
