"""Which property of capacity-scheduler.xml decides an obstacle, with its value in force.

Where a property may be set for one queue and for all, the one that is set is named; where neither is, that of the
queue, with the default.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.model.ledger import Attempt
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.capacity.properties import PREFIX
from engine.schedulers.scheduler_view import Setting, subject_of

_OF_QUEUE: Final[Mapping[Reason, tuple[str, str]]] = {
    Reason.QUEUE_OVER_MAXIMUM: ("maximum-capacity", "100"),
    Reason.QUEUE_NOT_RUNNING_IT: ("max-parallel-apps", ""),
    Reason.AM_SHARE_EXHAUSTED: ("maximum-am-resource-percent", "0.1"),
    Reason.USER_AM_SHARE_EXHAUSTED: ("maximum-am-resource-percent", "0.1"),
    Reason.OTHER_FIRST: ("ordering-policy", "fifo"),
}
"""Reason → (last part of the queue's key, its default)."""

USER_FACTOR: Final = "user-limit-factor"
USER_PERCENT: Final = "minimum-user-limit-percent"
LABELS: Final = "accessible-node-labels"
NO_LABEL: Final = "no label"
"""An empty list of labels, in words."""
_LOCALITY_DELAY: Final = f"{PREFIX}node-locality-delay"
_CONTINUE_LOOKING: Final = f"{PREFIX}reservations-continue-look-all-nodes"


class DecidingProperties(NamedTuple):
    """The properties of one scheduler."""

    values: Mapping[str, str]
    locality_delay: int
    """The default number of offers that are let pass for a better place."""
    shared: frozenset[str]
    """Last parts of the keys that may be set for all queues, too."""
    unknown: frozenset[str] = frozenset()
    """Last parts of the keys that the release does not read."""

    def behind(self, attempt: Attempt, obstacle: Obstacle, *, factor_decides: bool) -> Setting | None:
        """The property that decides an obstacle; None when none does.

        Args:
            attempt: In whose way it is.
            obstacle: What is in the way.
            factor_decides: Of a user above the limit: whether the limit is the queue's capacity times the factor, and
                not a user's part of the queue.
        """
        reason, path = obstacle.reason, attempt.queue.path
        if reason is Reason.DELAY_SCHEDULING:
            return self._of_all(_LOCALITY_DELAY, str(self.locality_delay))
        if reason is Reason.RESERVATION_LIMIT:
            return self._of_all(_CONTINUE_LOOKING, "true")
        if reason is Reason.LABEL_NOT_ACCESSIBLE:
            return self._inherited(obstacle.subject, LABELS)
        if reason is Reason.USER_OVER_LIMIT:
            return self.of_queue(path, *((USER_FACTOR, "1") if factor_decides else (USER_PERCENT, "100")))
        suffix, default = _OF_QUEUE.get(reason, ("", ""))
        if not suffix or suffix in self.unknown:
            return None
        subject, is_user = subject_of(obstacle, attempt)
        if is_user:
            return self._of_user(subject, suffix)
        return self.of_queue(subject if subject.split(".")[0] == "root" else path, suffix, default)

    def of_queue(self, path: str, suffix: str, default: str) -> Setting:
        """A property of a queue."""
        own, common = f"{PREFIX}{path}.{suffix}", f"{PREFIX}{suffix}"
        key = common if own not in self.values and suffix in self.shared and common in self.values else own
        return Setting(key, self.values.get(key, default))

    def _of_all(self, key: str, default: str) -> Setting:
        return Setting(key, self.values.get(key, default))

    def _of_user(self, user: str, suffix: str) -> Setting:
        """A property of one user, or else that of every user."""
        own, common = f"{PREFIX}user.{user}.{suffix}", f"{PREFIX}user.{suffix}"
        key = own if own in self.values else common
        return Setting(key, self.values.get(key, ""))

    def _inherited(self, path: str, suffix: str) -> Setting:
        """A property that holds for the queues below as well; of the queue itself where none has it."""
        above = path
        while above and f"{PREFIX}{above}.{suffix}" not in self.values:
            above = above.rpartition(".")[0]
        key = f"{PREFIX}{above or path}.{suffix}"
        return Setting(key, self.values.get(key, "").strip() or NO_LABEL)


def factor_decides(limit_mb: int, guaranteed_mb: int, factor: float) -> bool:
    """Whether a user's limit is as high as the user limit factor lets it be.

    >>> factor_decides(16384, 16384, 1.0), factor_decides(8192, 16384, 1.0)
    (True, False)
    """
    return limit_mb >= int(guaranteed_mb * factor)
