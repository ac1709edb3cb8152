"""Durations of the tasks of one stage, of which a count and the shortest, mean and longest are kept."""

from typing import Final

SPREAD: Final = "durations of a stage are drawn evenly around its mean, no further than its shortest and longest task"


class StageTasks:
    """What is known of a stage's tasks."""

    __slots__ = ("count", "longest", "shortest", "total")

    def __init__(self) -> None:
        self.count = self.total = self.longest = 0
        self.shortest = 2**53

    def add(self, duration_ms: int) -> None:
        """A task that ran so long."""
        self.count += 1
        self.total += duration_ms
        self.shortest = min(self.shortest, duration_ms)
        self.longest = max(self.longest, duration_ms)

    def span(self) -> tuple[int, int]:
        """As wide around the mean as the nearer of shortest and longest allows; there is a task."""
        mean = self.total // self.count
        reach = min(mean - self.shortest, self.longest - mean)
        return max(1, mean - reach), max(1, mean + reach)
