"""An application as the Master believes it, and the resource profiles of its executors.

Source: ApplicationInfo, ExecutorResourceDescription, Spark 4.x.
"""

from typing import ClassVar, NamedTuple

from engine.model.resource import INT_MAX
from engine.model.spark.hash_order import FIRST_BUCKETS
from engine.model.spark.worker import Executor
from engine.state import OWNED, REFERENCES, SHARED, Slots

DEFAULT_PROFILE = 0
"""Id of the profile every application has. Source: ResourceProfile#DEFAULT_RESOURCE_PROFILE_ID."""


class ExecutorShape(NamedTuple):
    """What one executor of a resource profile takes."""

    cores: int | None
    """Cores of each executor; None: one executor takes all it gets on a worker (`spark.executor.cores` unset)."""
    memory_mb: int

    @property
    def step(self) -> int:
        """Cores given at a time, at least 1."""
        return self.cores or 1


class SparkApplication:
    """One registered application; it keeps its place among the waiting ones until it ends."""

    STATE: ClassVar[Slots] = {
        "cores_granted": SHARED,
        "cores_wanted": SHARED,
        "executor_buckets": SHARED,
        "executors": REFERENCES,
        "failures": SHARED,
        "finished_ms": SHARED,
        "live_by_profile": OWNED,
        "name": SHARED,
        "next_executor": SHARED,
        "number": SHARED,
        "profiles": SHARED,
        "shapes": OWNED,
        "state": SHARED,
        "submitted_ms": SHARED,
        "targets": OWNED,
        "user": SHARED,
        "waiting_since_ms": SHARED,
    }
    __slots__ = STATE

    def __init__(
        self, number: int, name: str, user: str, cores_wanted: int, shape: ExecutorShape, limit: int | None, now_ms: int
    ) -> None:
        self.number = number
        self.name = name
        self.user = user
        self.cores_wanted = cores_wanted
        """`spark.cores.max`, else the Master's default cores; `INT_MAX` is no limit."""
        self.submitted_ms = now_ms
        self.finished_ms: int | None = None
        self.waiting_since_ms: int | None = now_ms
        """Since when it has had no executor; None while it has one."""
        self.state = "WAITING"
        self.shapes: dict[int, ExecutorShape] = {DEFAULT_PROFILE: shape}
        self.profiles: tuple[int, ...] = (DEFAULT_PROFILE,)
        """Profile ids, ascending: the order they are served in."""
        self.targets: dict[int, int] = {DEFAULT_PROFILE: INT_MAX if limit is None else limit}
        self.executors: dict[int, Executor] = {}
        self.executor_buckets = FIRST_BUCKETS
        self.live_by_profile: dict[int, int] = {DEFAULT_PROFILE: 0}
        self.cores_granted = 0
        self.next_executor = 0
        self.failures = 0
        """Abnormal executor ends since an executor last reported RUNNING."""

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
