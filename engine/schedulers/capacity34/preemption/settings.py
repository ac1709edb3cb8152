"""Settings of the preemption policy.

Source: CapacitySchedulerConfiguration, ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded, Hadoop 3.4.1.
"""

from typing import Final, NamedTuple

from engine.schedulers.capacity.properties import Properties, Refusals
from engine.settings.capacity_scheduler import BY_PRIORITY_DELAY, MOVES_RESERVATIONS, PREEMPTS_BY_PRIORITY
from engine.settings.monitor import (
    BALANCE_WAIT,
    BALANCES,
    BY_RESERVATION,
    CONSERVATIVE,
    COUNTS_RESERVED,
    IGNORED_OVER_CAPACITY,
    MONITORS,
    NATURAL_TERMINATION,
    OBSERVE_ONLY,
    PER_ROUND,
    WAIT_BEFORE_KILL,
    WITHIN_CONSERVATIVE,
    WITHIN_LIMIT,
    WITHIN_ORDER,
    WITHIN_QUEUES,
    WITHIN_THRESHOLD,
)

USER_LIMIT_FIRST: Final = "USERLIMIT_FIRST"


class PreemptionSettings(NamedTuple):
    """The knobs of a tick; times in ms, ratios of float properties as float32."""

    observe_only: bool
    wait_ms: int
    """How long a container stays selected before it is killed."""
    per_round: float
    """Share of the cluster that may be selected in one tick."""
    ignored_over: float
    """By how much a queue may exceed its guarantee without being looked at."""
    natural_factor: float
    """Share of what is to be obtained that one tick selects."""
    conservative: bool
    by_priority: bool
    """Whether containers are selected where queues of higher priority have reservations."""
    by_priority_delay_ms: int
    moves_reservations: bool
    by_reservation: bool
    counts_reserved: bool
    """Whether what is reserved counts as wanted, too."""
    balances: bool
    """Whether queues above their guarantees are balanced, too."""
    balance_wait_ms: int
    within_queues: bool
    within_threshold: float
    """Use of its guarantee below which a queue is not looked into."""
    within_limit: float
    """Share of its guarantee that one tick may select within a queue."""
    within_order: str
    within_conservative: bool

    def longest_wait_ms(self) -> int:
        """Return the longest time from a reason to preempt to a kill, without the pass that finds it [ms]."""
        kill_ms = max(self.wait_ms, self.balance_wait_ms if self.balances else 0)
        return 2 * kill_ms + (self.by_priority_delay_ms if self.by_priority else 0)


def read_preemption(properties: Properties) -> PreemptionSettings:
    """The policy's settings; without a monitor nothing reads them, so that nothing in them is refused."""
    if not properties.everywhere(MONITORS):
        properties = Properties(properties.values, Refusals(), properties.table)
    return PreemptionSettings(
        observe_only=properties.everywhere(OBSERVE_ONLY),
        wait_ms=properties.everywhere(WAIT_BEFORE_KILL),
        per_round=properties.everywhere(PER_ROUND),
        ignored_over=properties.everywhere(IGNORED_OVER_CAPACITY),
        natural_factor=properties.everywhere(NATURAL_TERMINATION),
        conservative=properties.everywhere(CONSERVATIVE),
        by_priority=properties.everywhere(PREEMPTS_BY_PRIORITY),
        by_priority_delay_ms=properties.everywhere(BY_PRIORITY_DELAY),
        moves_reservations=properties.everywhere(MOVES_RESERVATIONS),
        by_reservation=properties.everywhere(BY_RESERVATION),
        counts_reserved=properties.everywhere(COUNTS_RESERVED),
        balances=properties.everywhere(BALANCES),
        balance_wait_ms=properties.everywhere(BALANCE_WAIT),
        within_queues=properties.everywhere(WITHIN_QUEUES),
        within_threshold=properties.everywhere(WITHIN_THRESHOLD),
        within_limit=properties.everywhere(WITHIN_LIMIT),
        within_order=(properties.text(WITHIN_ORDER.name) or properties.table.default(WITHIN_ORDER)).strip().upper(),
        within_conservative=properties.everywhere(WITHIN_CONSERVATIVE),
    )
