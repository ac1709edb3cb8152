"""Settings of YARN made as loose as they can be, on a copy, to see whether they decide anything.

What can only be changed before a scheduler starts is not changed; the copy is given the state that the loose setting
would have led to.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from engine.explain.counterfactual import Ask
from engine.explain.obstacle_rows import ObstacleRow
from engine.model.java_number import INT_MAX
from engine.model.ledger import Attempt
from engine.model.request import OFF_SWITCH
from engine.scenario.acts import ResizeNode, SetPreemption, SetQueueSetting, SetReservationRule, SetSetting
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.optional_operations import reload
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.settings.capacity_queue import ACCESSIBLE_LABELS, DISABLE_PREEMPTION, MAXIMUM_CAPACITY, ORDERING_POLICY
from engine.settings.capacity_scheduler import (
    CONTINUE_LOOKING,
    MAX_PARALLEL,
    MAXIMUM_AM_PERCENT,
    MINIMUM_USER_LIMIT,
    USER_LIMIT_FACTOR,
)
from engine.settings.fair import PREEMPTION, RESERVABLE_NODES, RESERVATION_RULE
from engine.settings.fair_queue import FAIR_SHARE_THRESHOLD, FAIR_SHARE_TIMEOUT, MIN_SHARE_TIMEOUT, WEIGHT
from engine.settings.monitor import (
    BALANCE_WAIT,
    BALANCES,
    IGNORED_OVER_CAPACITY,
    MONITORS,
    OBSERVE_ONLY,
    WAIT_BEFORE_KILL,
)
from engine.settings.site import NODE_MEMORY, NODE_VCORES
from engine.simulation.simulation import Simulation

LARGE_MB: Final = 1 << 24
LARGE_VCORES: Final = 1 << 14

_LOOSE: Final[Mapping[str, Sequence[str]]] = {
    "maxResources": (f"{INT_MAX} mb, {INT_MAX} vcores",),
    "maxRunningApps": (str(INT_MAX),),
    "maxAMShare": ("-1.0",),
    "schedulingPolicy": ("fair", "drf", "fifo"),
    MAXIMUM_CAPACITY.name: ("100",),
    MAXIMUM_AM_PERCENT.name: ("1.0",),
    USER_LIMIT_FACTOR.name: ("1000",),
    MINIMUM_USER_LIMIT.name: ("100", "1"),
    ACCESSIBLE_LABELS.name: ("*",),
    MAX_PARALLEL.name: (str(INT_MAX),),
    ORDERING_POLICY.name: ("fifo", "fair"),
    CONTINUE_LOOKING.name: ("true", "false"),
    MONITORS.name: ("true",),
    OBSERVE_ONLY.name: ("false",),
    DISABLE_PREEMPTION.name: ("false",),
    IGNORED_OVER_CAPACITY.name: ("0",),
    WAIT_BEFORE_KILL.name: ("1000",),
    BALANCES.name: ("true",),
    BALANCE_WAIT.name: ("1000",),
    WEIGHT.name: ("1", "1000"),
    FAIR_SHARE_TIMEOUT.name: ("1",),
    MIN_SHARE_TIMEOUT.name: ("1",),
    FAIR_SHARE_THRESHOLD.name: ("1",),
}
"""A whole key, or the last part of a queue's key → its loosest values; of policies all there are."""


class LoosenedCopy:
    """A copy in which one setting is loosened, for one waiting attempt."""

    def __init__(self, simulation: Simulation, scheduler: YarnScheduler, attempt: Attempt, ask: Ask) -> None:
        self._simulation = simulation
        self._scheduler = scheduler
        self._attempt = attempt
        self._ask = ask

    def loosen(self, row: ObstacleRow, value: str) -> None:
        """Give the setting that decides an obstacle a value of `loose_values`."""
        assert row.decided_by is not None, "there is a setting to loosen"
        key = row.decided_by.key
        if (special := _SPECIAL.get(key)) is not None:
            special(self, row)
        elif "locality" in key:
            for group in self._attempt.groups.values():
                group.missed_opportunities, group.allowed_locality = LARGE_VCORES, OFF_SWITCH
            self._scheduler.cluster.version += 1
        elif key.startswith("yarn."):
            self._simulation.act(SetSetting(key, value))
        elif key.startswith("user "):
            self._unlimit_user(key.removeprefix("user ").rpartition(".")[0])
        else:
            path, _, element = key.rpartition(".")
            self._simulation.act(SetQueueSetting(path, element, value))
        self._simulation.changed()

    def add_memory(self, row: ObstacleRow) -> None:
        """Give the nodes of a row more memory than anybody can ask for."""
        self._enlarge(row, LARGE_MB, 0)

    def add_vcores(self, row: ObstacleRow) -> None:
        """Give the nodes of a row more vcores than anybody can ask for."""
        self._enlarge(row, 0, LARGE_VCORES)

    def relax(self, _: ObstacleRow) -> None:
        """Have what is asked for taken anywhere."""
        for group in self._attempt.groups.values():
            if self._ask[1] in (None, group.priority):
                for request in group.by_name.values():
                    request.relax_locality = True
        self._scheduler.cluster.version += 1

    def clear_blacklist(self, _: ObstacleRow) -> None:
        """Have no node shunned."""
        self._attempt.blacklist.clear()
        self._scheduler.cluster.version += 1

    def end_reservations(self, _: ObstacleRow) -> None:
        """Have no node reserved from now on."""
        self._simulation.act(SetReservationRule("off"))

    def reserve_anywhere(self, _: ObstacleRow) -> None:
        """Let one ask reserve all nodes."""
        self._simulation.act(SetSetting("reservation.ratio", "1.0"))

    def preempt(self, _: ObstacleRow) -> None:
        """Switch the fair scheduler's preemption on."""
        self._simulation.act(SetPreemption(True))

    def _enlarge(self, row: ObstacleRow, memory_mb: int, vcores: int) -> None:
        for node in self._simulation.world.nodes:
            if node.host in row.nodes:
                self._simulation.act(ResizeNode(node.id, node.memory_mb + memory_mb, node.vcores + vcores))

    def _unlimit_user(self, user: str) -> None:
        allocation = self._scheduler.policy.view().allocation()
        if isinstance(allocation, FairAllocation):
            loose = allocation.copy()
            loose.user_max_running_apps = {**loose.user_max_running_apps, user: INT_MAX}
            reload(self._scheduler, loose, self._simulation.now_ms)


_SPECIAL: Final[Mapping[str, Callable[[LoosenedCopy, ObstacleRow], None]]] = {
    NODE_MEMORY.name: LoosenedCopy.add_memory,
    NODE_VCORES.name: LoosenedCopy.add_vcores,
    "relaxLocality": LoosenedCopy.relax,
    "blacklist": LoosenedCopy.clear_blacklist,
    RESERVATION_RULE.name: LoosenedCopy.end_reservations,
    RESERVABLE_NODES.name: LoosenedCopy.reserve_anywhere,
    PREEMPTION.name: LoosenedCopy.preempt,
}
"""Key → how it is loosened, where it is not set to a value."""


def loose_values(row: ObstacleRow) -> Sequence[str]:
    """The values to try for the setting of an obstacle, but for the present one; one of no meaning where it is not set.

    None where it has no setting, or one of which nothing looser is known.
    """
    if row.decided_by is None:
        return ()
    key, value = row.decided_by
    if key in _SPECIAL or "locality" in key:
        return ("",)
    return [loose for loose in _LOOSE.get(key) or _LOOSE.get(key.rpartition(".")[2], ()) if loose != value]
