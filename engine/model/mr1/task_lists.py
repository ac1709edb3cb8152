"""The lists in which a job looks for its next task: tasks not running, in order, and running ones that may lag.

Source: JobInProgress#findTaskFromList, #findSpeculativeTask and the collections they walk, Hadoop 1.2.1.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence

from engine.model.mr1.task_in_progress import TaskInProgress
from engine.state import State


class IdleTasks(metaclass=State):
    """Numbers of tasks to run, in order; those that run or are done are dropped when they are met."""

    numbers: deque[int]

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.numbers = deque(numbers)

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def append(self, number: int) -> None:
        """Add a task at the end, unless it is the last one already."""
        if not self.numbers or self.numbers[-1] != number:
            self.numbers.append(number)

    def add_failed(self, tasks: Sequence[TaskInProgress], number: int) -> None:
        """Add a task where it belongs by most failures, then by number. Source: JobInProgress.failComparator."""
        key = _failures_first(tasks, number)
        place = bisect_left(self.numbers, key, key=lambda other: _failures_first(tasks, other))
        if place == len(self.numbers) or self.numbers[place] != number:
            self.numbers.insert(place, number)

    def take(
        self, tasks: Sequence[TaskInProgress], host: str, hosts: int, *, drops_failed_here: bool = False
    ) -> TaskInProgress | None:
        """Take out the first task that may run on a host.

        A task that failed on the host waits, unless it failed on every host; with `drops_failed_here` such tasks leave
        the list.
        """
        kept: list[int] = []
        found = None
        while self.numbers and found is None:
            task = tasks[self.numbers.popleft()]
            if not task.is_runnable or task.active:
                continue
            if host not in task.failed_hosts or len(task.failed_hosts) >= hosts:
                found = task
            elif not drops_failed_here:
                kept.append(task.number)
        self.numbers.extendleft(reversed(kept))
        return found


def _failures_first(tasks: Sequence[TaskInProgress], number: int) -> tuple[int, int]:
    return -tasks[number].failures, number


class RunningTasks(metaclass=State):
    """Numbers of tasks that run, in the order in which they were launched."""

    numbers: dict[int, None] = {}

    def lagging(
        self,
        tasks: Sequence[TaskInProgress],
        place: tuple[str, str],
        average: float,
        now_ms: int,
        *,
        drops: bool = False,
    ) -> TaskInProgress | None:
        """The first task that may get a speculative attempt on a tracker.

        With `drops` tasks leave the list that lag, or that cannot run on this tracker.
        """
        for number in list(self.numbers):
            task = tasks[number]
            if not task.active or not task.is_runnable:
                del self.numbers[number]
                continue
            lags = task.may_be_speculated(now_ms, average)
            was_here = (lags or drops) and task.has_run_on(*place)
            if drops and (lags or was_here):
                del self.numbers[number]
            if lags and not was_here:
                return task
        return None
