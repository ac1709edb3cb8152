"""Which attempts the JobTracker knows, by tracker and by task.

Source: JobTracker#createTaskEntry, #removeTaskEntry, #markCompletedTaskAttempt, #removeMarkedTasks, Hadoop 1.2.1.
"""

from engine.model.mr1.attempt import AttemptId
from engine.model.mr1.task_in_progress import TaskInProgress
from engine.state import State


class AttemptIndex(metaclass=State):
    """Attempts that can still be reported."""

    tasks: dict[AttemptId, TaskInProgress] = {}
    trackers: dict[AttemptId, str] = {}
    on_tracker: dict[str, dict[AttemptId, None]] = {}
    """Tracker → its attempts; a tracker that never got one is missing."""
    marked: dict[str, dict[AttemptId, None]] = {}
    """Tracker → ended attempts that are forgotten with its next heartbeat."""

    def add(self, attempt: AttemptId, tracker: str, task: TaskInProgress) -> None:
        """An attempt is launched on a tracker."""
        self.trackers[attempt] = tracker
        self.on_tracker.setdefault(tracker, {})[attempt] = None
        self.tasks[attempt] = task

    def remove(self, attempt: AttemptId) -> None:
        """An attempt is forgotten."""
        tracker = self.trackers.pop(attempt, None)
        if tracker is not None and tracker in self.on_tracker:
            self.on_tracker[tracker].pop(attempt, None)
        self.tasks.pop(attempt, None)

    def mark(self, tracker: str, attempt: AttemptId) -> None:
        """Forget an attempt with the tracker's next heartbeat."""
        self.marked.setdefault(tracker, {})[attempt] = None

    def forget_marked(self, tracker: str) -> None:
        """Forget what was marked for a tracker."""
        for attempt in self.marked.pop(tracker, ()):
            self.remove(attempt)

    def of_tracker(self, tracker: str) -> list[AttemptId]:
        """A tracker's attempts in order."""
        return sorted(self.on_tracker.get(tracker, ()))

    def drop_tracker(self, tracker: str) -> list[AttemptId] | None:
        """Its attempts in order, which belong to it no longer; None when it never got one."""
        found = self.on_tracker.pop(tracker, None)
        return None if found is None else sorted(found)
