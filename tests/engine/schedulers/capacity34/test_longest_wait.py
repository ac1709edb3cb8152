"""How long a cluster may look still before the preemption monitor acts."""

import pytest

from tests.build import resource_manager

POLICY = "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
MONITOR = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    "yarn.resourcemanager.scheduler.monitor.policies": POLICY,
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval": "2000",
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": "7000",
}
BALANCE = "yarn.resourcemanager.monitor.capacity.preemption.preemption-to-balance-queue-after-satisfied."


@pytest.mark.parametrize(
    ("settings", "longest_ms"),
    [
        ({}, 0),
        (MONITOR, 2 * 7000 + 2000),
        ({**MONITOR, f"{BALANCE}enabled": "true", f"{BALANCE}max-wait-before-kill": "9000"}, 2 * 9000 + 2000),
    ],
)
def test_the_longest_wait_is_from_a_mark_to_a_kill(settings: dict[str, str], longest_ms: int) -> None:
    """Nothing waits for time without the monitor; with it, twice the longest wait before a kill and one interval."""
    rm = resource_manager("capacity-3.4", settings=settings)

    assert rm.scheduler.longest_timer_ms() == longest_ms
