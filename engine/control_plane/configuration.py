"""The configuration a ResourceManager starts its scheduler with, now and after a restart.

What changes while it runs is written into the files by whoever changes it, so the next start reads it, too.
"""

from collections.abc import Mapping, Sequence

from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.optional_operations import change_settings, reload
from engine.schedulers.registry import SCHEDULERS
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.state import Owned, Shared, State


class Configuration(metaclass=State):
    """Settings, allocations and groups, and what changed since."""

    name: str
    """The scheduler's name, as in `schedulers.registry`."""
    settings: dict[str, str]
    allocations: Shared[FairAllocation | None]
    groups: dict[str, tuple[str, ...]]
    changes: Owned[list[object]] = []
    """Keys and values of changed settings, and loaded allocations, in their order."""

    def __init__(
        self,
        name: str,
        settings: Mapping[str, str],
        allocations: FairAllocation | None,
        groups: Mapping[str, Sequence[str]],
    ) -> None:
        self.name = name
        self.settings = dict(settings)
        self.allocations = allocations
        self.groups = {user: tuple(names) for user, names in groups.items()}

    def scheduler(self, cluster: Cluster, now_ms: int) -> YarnScheduler:
        """A new scheduler over an empty cluster, with all changes so far.

        A change that only a queue of that moment could take is forgotten.

        Raises:
            ConfigError: Settings that cannot be read or contradict one another.
        """
        made = SCHEDULERS[self.name](SchedulerStart(cluster, self.settings, self.allocations, self.groups, now_ms))
        for change in self.changes:
            self._repeat(made, change, now_ms)
        return made

    @staticmethod
    def _repeat(scheduler: YarnScheduler, change: object, now_ms: int) -> None:
        try:
            if isinstance(change, tuple):
                change_settings(scheduler, dict(change))
            else:
                reload(scheduler, change, now_ms)
        except RefusedError:
            return
