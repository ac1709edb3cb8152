"""The life of an application: one job, a session of jobs, or a service for everybody."""

from typing import Final, NamedTuple

JOB: Final = "job"
"""It is submitted for one job and ends with it."""
SESSION: Final = "session"
"""It keeps what it has between the jobs of one user, for a while."""
SERVICE: Final = "service"
"""It stays until somebody ends it."""


class Lifespan(NamedTuple):
    """The facts of one application's life."""

    kind: str = JOB
    jobs: int = 0
    """Jobs that it is given in all; 0 where they are not simulated."""
    jobs_done: int = 0
    idle_since_ms: int | None = None
    """Since when it has no job to do [epoch ms]; None while it has one, or has not begun."""
    idle_containers: int = 0
    """Containers it holds that do nothing."""
