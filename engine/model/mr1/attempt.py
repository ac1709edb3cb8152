"""Attempts of tasks: their names, states, what a tracker reports of one, and what the JobTracker keeps of it.

Source: TaskAttemptID, TaskStatus, Hadoop 1.2.1. Differs: attempts have no counters
and no diagnostics; a real tracker reports both.
"""

from typing import Final

import msgspec

from engine.state import State

AttemptId = tuple[int, int, int, int]
"""(job number, `MAP` or `REDUCE`, task number, attempt number); sorts as TaskAttemptID does."""

MAP: Final = 0
"""Maps and their slots; the first place of every pair of figures."""

REDUCE: Final = 1
"""Reduces and their slots; the second place of every pair of figures."""

CHORE: Final = 2
"""Beside `MAP` and `REDUCE`, what a job may ask for: a setup or cleanup task, which takes a slot of either kind."""

RUNNING: Final = "RUNNING"
SUCCEEDED: Final = "SUCCEEDED"
FAILED: Final = "FAILED"
KILLED: Final = "KILLED"
COMMIT_PENDING: Final = "COMMIT_PENDING"
"""The work is done; the attempt waits for the word to commit."""
FAILED_UNCLEAN: Final = "FAILED_UNCLEAN"
"""Failed, and what it wrote is still there: a cleanup attempt must run."""
KILLED_UNCLEAN: Final = "KILLED_UNCLEAN"

UNCLEAN: Final = (FAILED_UNCLEAN, KILLED_UNCLEAN)


class TaskReport(msgspec.Struct, frozen=True):
    """A tracker's report of one attempt in a heartbeat."""

    attempt: AttemptId
    state: str
    progress: float
    """0 to 1, a float32."""
    slots: int
    start_ms: int
    finish_ms: int = 0
    """0 while it runs."""
    in_cleanup: bool = False
    """Whether this is a cleanup attempt; it has the id of the attempt it cleans."""
    output_bytes: int = -1
    """What a map wrote; -1 when unknown."""
    failed_fetches: tuple[AttemptId, ...] = ()
    """Maps whose output a reduce could not fetch."""

    @property
    def occupies_slots(self) -> bool:
        """Tell whether its slots count as occupied; those of COMMIT_PENDING do not.

        Source: TaskTrackerStatus#isTaskRunning.
        """
        return self.state == RUNNING or (self.in_cleanup and self.state in UNCLEAN)


class Launch(msgspec.Struct, frozen=True):
    """An attempt that a tracker is to start. Source: LaunchTaskAction."""

    attempt: AttemptId
    slots: int
    is_cleanup: bool = False
    """Whether it cleans up after the attempt of this id."""
    level: int | None = None
    """The place of a map: 0 its data is on this host, 1 in this rack, 2 elsewhere."""


class AttemptStatus(metaclass=State):
    """The JobTracker's knowledge of an attempt that was reported at least once."""

    attempt: AttemptId
    tracker: str
    state: str
    progress: float
    in_cleanup: bool
    start_ms: int
    finish_ms: int
    output_bytes: int

    def __init__(self, report: TaskReport, tracker: str) -> None:
        self.attempt = report.attempt
        self.tracker = tracker
        self.state = report.state
        self.progress = report.progress
        self.in_cleanup = report.in_cleanup
        self.start_ms = report.start_ms
        self.finish_ms = report.finish_ms
        self.output_bytes = report.output_bytes

    def update(self, later: "AttemptStatus") -> None:
        """Take over what a cleanup attempt reports; start and tracker stay those of the attempt itself."""
        self.state = later.state
        self.progress = later.progress
        self.in_cleanup = later.in_cleanup
        if later.finish_ms > 0:
            self.finish_ms = later.finish_ms

    @property
    def is_cleaning(self) -> bool:
        """Tell whether its cleanup attempt runs. Source: TaskStatus#inTaskCleanupPhase."""
        return self.in_cleanup and self.state in UNCLEAN
