"""Which property of capacity-scheduler.xml decides an obstacle, with its value in force.

Where a property may be set for one queue and for all, the one that is set is named; where neither is, that of the
queue, with the default.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.model.ledger import Attempt
from engine.model.queue import upwards
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.scheduler_view import Setting, subject_of
from engine.settings.capacity_queue import ACCESSIBLE_LABELS, CAPACITY, MAXIMUM_CAPACITY, ORDERING_POLICY
from engine.settings.capacity_scheduler import (
    CONTINUE_LOOKING,
    MAX_PARALLEL,
    MAX_PARALLEL_OF_USERS,
    MAXIMUM_AM_PERCENT,
    MINIMUM_USER_LIMIT,
    NODE_LOCALITY_DELAY,
    PREFIX,
    USER_LIMIT_FACTOR,
)
from engine.settings.table import Key, SettingTable

_OF_QUEUE: Final[Mapping[Reason, Key[Any]]] = {
    Reason.QUEUE_OVER_MAXIMUM: MAXIMUM_CAPACITY,
    Reason.QUEUE_NOT_RUNNING_IT: MAX_PARALLEL,
    Reason.AM_SHARE_EXHAUSTED: MAXIMUM_AM_PERCENT,
    Reason.USER_AM_SHARE_EXHAUSTED: MAXIMUM_AM_PERCENT,
    Reason.OTHER_FIRST: ORDERING_POLICY,
}
"""Reason → the setting of the queue that decides."""

_FROM: Final[Mapping[Reason, Sequence[Key[Any]]]] = {
    Reason.QUEUE_OVER_MAXIMUM: (MAXIMUM_CAPACITY,),
    Reason.USER_OVER_LIMIT: (USER_LIMIT_FACTOR, MINIMUM_USER_LIMIT, MAXIMUM_CAPACITY),
    Reason.AM_SHARE_EXHAUSTED: (MAXIMUM_AM_PERCENT, MAXIMUM_CAPACITY),
    Reason.USER_AM_SHARE_EXHAUSTED: (MAXIMUM_AM_PERCENT, USER_LIMIT_FACTOR, MINIMUM_USER_LIMIT, MAXIMUM_CAPACITY),
}
"""Reason → the settings of a queue that its limit is computed from; of queues above only their maximum capacity.

Source: LeafQueue#computeUserLimit, #getAMResourceLimitPerPartition, #getUserAMResourceLimitPerPartition.
"""

NO_LABEL: Final = "no label"
"""An empty list of labels, in words."""

NOT_SET: Final = "not set"
"""The value of a capacity that no file states."""


class DecidingProperties(NamedTuple):
    """The properties of one scheduler."""

    values: Mapping[str, str]
    table: SettingTable
    """The settings of the release."""

    def behind(self, attempt: Attempt, obstacle: Obstacle, *, factor_decides: bool) -> Setting | None:
        """The property that decides an obstacle in the way of an attempt; None when none does.

        Of a user above the limit, `factor_decides` says that the limit is the queue's capacity times the factor, and
        not a user's part of the queue.
        """
        reason, path = obstacle.reason, attempt.queue.path
        if reason is Reason.DELAY_SCHEDULING:
            return self._of_all(NODE_LOCALITY_DELAY)
        if reason is Reason.RESERVATION_LIMIT:
            return self._of_all(CONTINUE_LOOKING)
        if reason is Reason.LABEL_NOT_ACCESSIBLE:
            return self._inherited(obstacle.subject)
        if reason is Reason.USER_OVER_LIMIT:
            return self.of_queue(path, USER_LIMIT_FACTOR if factor_decides else MINIMUM_USER_LIMIT)
        if self.needed(path, obstacle):
            return None
        if reason is Reason.QUEUE_OVER_MAXIMUM and obstacle.partition:
            return self._in_partition(MAXIMUM_CAPACITY, obstacle.subject, obstacle.partition)
        key = _OF_QUEUE.get(reason)
        if key is None or key.name not in self.table.queue:
            return None
        subject, is_user = subject_of(obstacle, attempt)
        if is_user:
            own = parallel_of_user(self.values, subject)
            return Setting(own, self.values.get(own, ""))
        return self.of_queue(subject if subject.split(".")[0] == "root" else path, key)

    def others(self, path: str, reason: Reason, first: Setting) -> list[Setting]:
        """Further properties that the limit of a reason is computed from in a queue, and in those above it."""
        keys = _FROM.get(reason, ())
        found = [self.of_queue(path, key) for key in keys]
        while keys and (path := path.rpartition(".")[0]) != "root" and path:
            found.append(self.of_queue(path, MAXIMUM_CAPACITY))
        return [each for each in found if each != first]

    def needed(self, path: str, obstacle: Obstacle) -> list[Setting]:
        """The capacities in a partition, of a queue and of those above it, that are nothing where a limit there is."""
        label, share = obstacle.partition, obstacle.numbers[1:2]
        if obstacle.reason is not Reason.NO_CAPACITY and not (label and obstacle.reason in _FROM and share == (0,)):
            return []
        found = [self._in_partition(CAPACITY, each, label) for each in upwards(path)]
        return [each for each in reversed(found) if each.value == NOT_SET or not each.value.strip("0. ")]

    def _in_partition(self, key: Key[Any], path: str, label: str) -> Setting:
        own = key.of(path, label)
        return Setting(own, self.values.get(own, "").strip() or NOT_SET)

    def of_queue(self, path: str, key: Key[Any]) -> Setting:
        """A property of a queue."""
        entry = self.table.queue[key.name]
        own, common = key.of(path), entry.wider
        if own not in self.values and common is not None and common.everywhere in self.values:
            own = common.everywhere
        number = entry.default.removesuffix(".0") if entry.shown is None else ""
        return Setting(own, self.values.get(own, number))

    def text_of(self, key: Key[Any]) -> str:
        """The text of a setting of the whole scheduler, by default its default."""
        return self.values.get(key.everywhere, self.table.whole[key.everywhere].default)

    def _of_all(self, key: Key[Any]) -> Setting:
        return Setting(key.everywhere, self.text_of(key))

    def _inherited(self, path: str) -> Setting:
        """The list of labels, which holds for the queues below as well; of the queue itself where none has it."""
        above = path
        while above and ACCESSIBLE_LABELS.of(above) not in self.values:
            above = above.rpartition(".")[0]
        key = ACCESSIBLE_LABELS.of(above or path)
        return Setting(key, self.values.get(key, "").strip() or NO_LABEL)


def factor_decides(limit_mb: int, guaranteed_mb: int, factor: float) -> bool:
    """Tell whether a user's limit is as high as the user limit factor lets it be.

    >>> factor_decides(16384, 16384, 1.0), factor_decides(8192, 16384, 1.0)
    (True, False)
    """
    return limit_mb >= int(guaranteed_mb * factor)


def parallel_of_user(values: Mapping[str, str], user: str) -> str:
    """The property that limits how many applications a user runs: that of one user, or else that of every user."""
    own = f"{PREFIX}user.{user}.{MAX_PARALLEL}"
    return own if own in values else MAX_PARALLEL_OF_USERS.everywhere
