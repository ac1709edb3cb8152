"""How much disk a job's maps will need, guessed from those that have completed.

Source: ResourceEstimator, Hadoop 1.2.1.
"""

import math

from engine.model.mr1.attempt import MAP, AttemptStatus
from engine.model.mr1.job_description import JobDescription
from engine.model.mr1.task_in_progress import TaskInProgress
from engine.state import State


class ResourceEstimator(metaclass=State):
    """The estimate of one job; 0 until enough maps have completed."""

    description: JobDescription
    threshold: int
    completed: int = 0
    input_bytes: int = 0
    output_bytes: int = 0

    def __init__(self, description: JobDescription) -> None:
        self.description = description
        self.threshold = len(description.maps) // 10

    def task_completed(self, task: TaskInProgress, status: AttemptStatus) -> None:
        """Learn from a task in a map slot; setup and cleanup count as well."""
        if task.kind == MAP and status.output_bytes != -1:
            self.completed += 1
            self.input_bytes += task.input_bytes + 1
            self.output_bytes += status.output_bytes

    def _total_bytes(self) -> int:
        if self.completed < self.threshold or self.input_bytes == 0:
            return 0
        maps = self.description.maps
        expected = sum(split.bytes for split in maps) + len(maps)
        return math.floor(expected * self.output_bytes * 2.0 / self.input_bytes + 0.5)

    def map_output_bytes(self) -> int:
        """What one map is expected to write."""
        maps = len(self.description.maps)
        return self._total_bytes() // maps if maps else 0

    def reduce_input_bytes(self) -> int:
        """Twice what one reduce is expected to read."""
        reduces = self.description.reduces
        return self._total_bytes() // reduces if reduces else 0

    def limit_threshold(self, maps: int) -> None:
        """At most this many maps need to complete before there is an estimate."""
        self.threshold = min(self.threshold, maps)
