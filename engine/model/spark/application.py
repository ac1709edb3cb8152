"""An application as the Master believes it, and the resource profiles of its executors.

Source: ApplicationInfo, ExecutorResourceDescription, Spark 4.x.
"""

from typing import NamedTuple

from engine.model.java_number import INT_MAX
from engine.model.spark.worker import FIRST_BUCKETS, Executor
from engine.state import State

DEFAULT_PROFILE = 0
"""Id of the profile every application has. Source: ResourceProfile#DEFAULT_RESOURCE_PROFILE_ID."""


class ExecutorShape(NamedTuple):
    """The amounts one executor of a resource profile takes."""

    cores: int | None
    """Cores of each executor; None: one executor takes all it gets on a worker (`spark.executor.cores` unset)."""
    memory_mb: int

    @property
    def step(self) -> int:
        """Cores given at a time, at least 1."""
        return self.cores or 1


class SparkApplication(metaclass=State):
    """One registered application; it keeps its place among the waiting ones until it ends."""

    number: int
    name: str
    user: str
    cores_wanted: int
    """`spark.cores.max`, else the Master's default cores; `INT_MAX` is no limit."""
    submitted_ms: int
    finished_ms: int | None = None
    waiting_since_ms: int | None
    """Since when it has had no executor; None while it has one."""
    unmet_since_ms: int | None
    """Since when it could be given more than it has; None while it has all it asks for."""
    state: str = "WAITING"
    shapes: dict[int, ExecutorShape]
    profiles: tuple[int, ...]
    """Profile ids, ascending: the order they are served in."""
    targets: dict[int, int]
    executors: dict[int, Executor] = {}
    executor_buckets: int = FIRST_BUCKETS
    live_by_profile: dict[int, int]
    cores_granted: int = 0
    next_executor: int = 0
    failures: int = 0
    """Abnormal executor ends since an executor last reported RUNNING."""

    def __init__(
        self, number: int, name: str, user: str, cores_wanted: int, shape: ExecutorShape, limit: int | None, now_ms: int
    ) -> None:
        self.number = number
        self.name = name
        self.user = user
        self.cores_wanted = cores_wanted
        self.submitted_ms = now_ms
        self.waiting_since_ms = self.unmet_since_ms = now_ms
        self.shapes = {DEFAULT_PROFILE: shape}
        self.profiles = (DEFAULT_PROFILE,)
        self.targets = {DEFAULT_PROFILE: INT_MAX if limit is None else limit}
        self.live_by_profile = {DEFAULT_PROFILE: 0}

    @property
    def cores_left(self) -> int:
        """Cores it may still be given; shared by all its profiles. Source: ApplicationInfo#coresLeft."""
        return self.cores_wanted - self.cores_granted

    def executors_left(self, profile: int) -> int:
        """Executors of a profile it may still be given; never below 0. `INT_MAX` or nearly so: no limit."""
        return max(0, self.targets.get(profile, 0) - self.live_by_profile.get(profile, 0))

    def add_profile(self, profile: int, cores: int | None, memory_mb: int | None) -> None:
        """Make a profile known; what it does not say is the default profile's. A known id keeps its first shape.

        Source: ApplicationInfo#createResourceDescForResourceProfile, Spark 4.x.
        """
        if profile in self.shapes:
            return
        default = self.shapes[DEFAULT_PROFILE]
        self.shapes[profile] = ExecutorShape(
            default.cores if cores is None else cores, default.memory_mb if memory_mb is None else memory_mb
        )
        self.live_by_profile[profile] = 0
        self.profiles = tuple(sorted(self.shapes))
