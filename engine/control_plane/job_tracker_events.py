"""The events a JobTracker handles, and its answer to a heartbeat.

Source: JobSubmissionProtocol, InterTrackerProtocol, HeartbeatResponse, Hadoop 1.2.1.
"""

from engine.control_plane.protocol import Answer, Event
from engine.model.mr1.cluster import MIN_HEARTBEAT_MS
from engine.model.mr1.job_description import JobDescription
from engine.model.mr1.tracker import AttemptId, Launch, TrackerReport


class TrackerHeartbeat(Event, frozen=True, gc=False, tag=True):
    """A tracker reports its attempts and may ask for work."""

    report: TrackerReport
    is_first: bool = False  # Whether its process has just started
    asks_for_work: bool = True
    response: int = 0  # Number of the last answer it got


class TrackerLost(Event, frozen=True, gc=False, tag=True):
    """A tracker was not heard of for the expiry interval, or was excluded."""

    tracker: str


class JobSubmitted(Event, frozen=True, gc=False, tag=True):
    """A client submits a job."""

    job: JobDescription
    number: int | None = None  # None takes the next


class JobKilled(Event, frozen=True, gc=False, tag=True):
    """A user kills a job."""

    job: int


class AttemptKilled(Event, frozen=True, gc=False, tag=True):
    """A user ends one attempt."""

    attempt: AttemptId
    counts: bool = False  # Whether it counts as failed


class JobPriorityChanged(Event, frozen=True, gc=False, tag=True):
    """A user changes a job's priority."""

    job: int
    priority: str


class JobTrackerStopped(Event, frozen=True, gc=False, tag=True):
    """The JobTracker is gone: nobody answers; trackers and what runs there go on."""


class JobTrackerStarted(Event, frozen=True, gc=False, tag=True):
    """A JobTracker is there again; it knows no tracker, and of jobs only what its system directory holds."""


class HeartbeatResponse(Answer, frozen=True):
    """The JobTracker's answer to a tracker."""

    response: int = 0
    launches: tuple[Launch, ...] = ()  # Attempts to start, in order
    kills: tuple[AttemptId, ...] = ()  # Attempts to end
    ended_jobs: tuple[int, ...] = ()  # Jobs of which everything is to be dropped
    commits: tuple[AttemptId, ...] = ()  # Attempts that may commit
    restarts: bool = False  # Whether the tracker must drop everything and start over: the JobTracker does not know it
    interval_ms: int = MIN_HEARTBEAT_MS  # When it is to report next
