"""How long a policy's passes may make somebody wait for something that changes by time alone."""

import pytest

from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.scheduler_view import Setting
from engine.settings.fair import PREFIX, RESERVABLE_NODES
from tests.build import attempt_of, resource_manager, submit

TIMEOUTS = (
    '<queue name="a"><minSharePreemptionTimeout>7</minSharePreemptionTimeout>'
    "<fairSharePreemptionTimeout>9</fairSharePreemptionTimeout></queue>"
    '<queue name="b"><minSharePreemptionTimeout>8</minSharePreemptionTimeout></queue>'
)
MONITOR = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": "20000",
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval": "4000",
}


def timer(scheduler: str, settings: dict[str, str], queues: str = "") -> int:
    """The longest wait of a policy's passes [ms]."""
    return resource_manager(scheduler, settings=settings, queues=queues).scheduler.longest_timer_ms()


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4"])
def test_without_preemption_only_delays_go_by_time(scheduler: str) -> None:
    """That of nodes and that of racks, where they are given."""
    assert timer(scheduler, {}, TIMEOUTS) == 0
    delays = {f"{PREFIX}locality-delay-node-ms": "300", f"{PREFIX}locality-delay-rack-ms": "500"}
    assert timer(scheduler, delays, TIMEOUTS) == 800
    assert timer(scheduler, {**delays, f"{PREFIX}locality-delay-rack-ms": "-1"}, TIMEOUTS) == 300


def test_in_fair_2_7_preemption_waits_for_timeouts_looks_and_kills() -> None:
    """The longest timeout, two intervals and the wait before a kill."""
    settings = {
        f"{PREFIX}preemption": "true",
        f"{PREFIX}preemptionInterval": "3000",
        f"{PREFIX}waitTimeBeforeKill": "11000",
    }
    assert timer("fair-2.7", settings, TIMEOUTS) == 9_000 + 2 * 3_000 + 11_000


def test_in_fair_3_4_preemption_waits_until_starvation_is_looked_at_again() -> None:
    """The longest timeout, the wait before a kill, and ten seconds; with continuous scheduling ten of its sleeps."""
    settings = {f"{PREFIX}preemption": "true", f"{PREFIX}waitTimeBeforeKill": "11000"}
    assert timer("fair-3.4", settings, TIMEOUTS) == 9_000 + 11_000 + 10_000
    assert timer("fair-3.4", settings, TIMEOUTS.replace(">9<", ">6<")) == 8_000 + 11_000 + 10_000
    continuous = {f"{PREFIX}continuous-scheduling-enabled": "true", f"{PREFIX}continuous-scheduling-sleep-ms": "50"}
    assert timer("fair-3.4", {**settings, **continuous}, TIMEOUTS) == 9_000 + 11_000 + 500 + 10_000


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_a_monitor_waits_between_a_mark_and_a_kill(scheduler: str) -> None:
    """Twice the wait and an interval; nothing where it is off."""
    assert timer(scheduler, {}) == 0
    assert timer(scheduler, MONITOR) == 2 * 20_000 + 4_000


@pytest.mark.parametrize("scheduler", ["fifo", "fifo-3.4"])
def test_fifo_waits_for_nothing(scheduler: str) -> None:
    """It has no timer."""
    assert timer(scheduler, {}) == 0


LIMITS = (
    '<queue name="a"><maxResources>2048 mb, 3 vcores</maxResources><maxRunningApps>7</maxRunningApps>'
    '<queue name="x"><maxRunningApps>5</maxRunningApps></queue></queue>'
)


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4"])
def test_further_limits_of_a_fair_queue_are_those_above_it(scheduler: str) -> None:
    """Of the same kind, where they limit anything; masters are limited by resources."""
    rm = resource_manager(scheduler, queues=LIMITS)
    attempt, view = attempt_of(rm, submit(rm, "root.a.x")), rm.scheduler.policy.view()
    first = Setting("root.a.x.maxRunningApps", "5")
    found = view.other_settings(attempt, Reason.QUEUE_NOT_RUNNING_IT, first)
    assert found[0] == Setting("root.a.maxRunningApps", "7")
    assert first not in found
    above = Setting("root.a.maxResources", "2048 mb, 3 vcores")
    assert view.other_settings(attempt, Reason.AM_SHARE_EXHAUSTED, Setting("root.a.x.maxAMShare", "0.5")) == [above]
    assert view.other_settings(attempt, Reason.QUEUE_OVER_MAXIMUM, above) == []
    assert view.other_settings(attempt, Reason.DOES_NOT_FIT, above) == []
    assert (view.queue_name("root.a.x"), view.properties()) == ("root.a.x", {})
    assert "queue.<path>.maxRunningApps" in view.settings()
    limit = view.setting_behind(attempt, Obstacle(Reason.RESERVATION_LIMIT))
    assert limit is not None
    assert limit.key == RESERVABLE_NODES.name
