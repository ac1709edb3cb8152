"""Settings of the preemption policy.

Source: CapacitySchedulerConfiguration, ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded, Hadoop 3.4.1.
"""

from typing import Final, NamedTuple

from engine.model.java_number import float32
from engine.schedulers.capacity.properties import PREFIX, Properties, Refusals
from engine.schedulers.capacity34.queue_settings import MONITORS

MONITOR: Final = "yarn.resourcemanager.monitor.capacity.preemption."
INTRA: Final = f"{MONITOR}intra-queue-preemption."
BALANCE: Final = f"{MONITOR}preemption-to-balance-queue-after-satisfied."
UNDER_USED: Final = f"{PREFIX}ordering-policy.priority-utilization.underutilized-preemption."
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


def read_preemption(properties: Properties) -> PreemptionSettings:
    """The policy's settings; without a monitor nothing reads them, so that nothing in them is refused."""
    if not properties.flag(MONITORS, False):
        properties = Properties(properties.values, Refusals())
    return PreemptionSettings(
        observe_only=properties.flag(f"{MONITOR}observe_only", False),
        wait_ms=properties.long(f"{MONITOR}max_wait_before_kill", 15_000),
        per_round=properties.single(f"{MONITOR}total_preemption_per_round", float32(0.1)),
        ignored_over=properties.double(f"{MONITOR}max_ignored_over_capacity", 0.1),
        natural_factor=properties.double(f"{MONITOR}natural_termination_factor", 0.2),
        conservative=properties.flag(f"{MONITOR}conservative-drf", False),
        by_priority=properties.flag(f"{UNDER_USED}enabled", False),
        by_priority_delay_ms=properties.long(f"{UNDER_USED}reserved-container-delay-ms", 60_000),
        moves_reservations=properties.flag(f"{UNDER_USED}allow-move-reservation", False),
        by_reservation=properties.flag(f"{MONITOR}select_based_on_reserved_containers", False),
        counts_reserved=properties.flag(f"{MONITOR}additional_res_balance_based_on_reserved_containers", False),
        balances=properties.flag(f"{BALANCE}enabled", False),
        balance_wait_ms=properties.long(f"{BALANCE}max-wait-before-kill", 300_000),
        within_queues=properties.flag(f"{INTRA}enabled", False),
        within_threshold=properties.single(f"{INTRA}minimum-threshold", 0.5),
        within_limit=properties.single(f"{INTRA}max-allowable-limit", float32(0.2)),
        within_order=(properties.text(f"{INTRA}preemption-order-policy") or USER_LIMIT_FIRST).strip().upper(),
        within_conservative=properties.flag(f"{INTRA}conservative-drf", True),
    )
