"""The passes of the fair scheduler: which there are, when each may rest, how long anything waits for time."""

from typing import Any

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.settings.fair import PREFIX
from tests.build import ask, attempt_of, heartbeat, resource_manager, submit, update

BOTH = pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4"])
CONTINUOUS = {f"{PREFIX}continuous-scheduling-enabled": "true"}


def policy_of(rm: ResourceManager) -> FairScheduler27:
    """The scheduler of 2.7 itself."""
    policy = rm.scheduler.policy
    assert isinstance(policy, FairScheduler27)
    return policy


def passes(rm: ResourceManager) -> dict[str, int]:
    """The intervals of the policy's passes [ms], by name."""
    return dict(policy_of(rm).passes())


@pytest.mark.parametrize(("sleep", "interval_ms"), [("0", 1), ("1", 1), ("2", 2), ("-5", 1)])
def test_a_continuous_pass_comes_at_most_every_millisecond(sleep: str, interval_ms: int) -> None:
    """Where it is switched on."""
    settings = {**CONTINUOUS, f"{PREFIX}continuous-scheduling-sleep-ms": sleep}
    assert passes(resource_manager("fair-2.7", settings=settings))["continuous"] == interval_ms
    assert "continuous" not in passes(resource_manager("fair-2.7"))


def test_passes_of_2_7_rest_while_nothing_changes() -> None:
    """An update until the version changes, preemption while it is off."""
    rm = resource_manager("fair-2.7")
    policy = policy_of(rm)
    number = submit(rm)
    update(rm)
    update(rm)
    assert [policy.pass_rests(name) for name in ("update", "preempt", "other")] == [True, True, False]
    ask(rm, number, 1)
    assert not policy.pass_rests("update")


@pytest.mark.parametrize("queues", ['<queue name="a"><schedulingPolicy>fifo</schedulingPolicy></queue>', "drf", "max"])
def test_an_update_of_2_7_does_not_rest_where_the_order_matters(queues: str) -> None:
    """Under another policy than fair, or with a maximum; nor where preemption is on."""
    texts = {
        "drf": '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue>',
        "max": '<queue name="a"><maxResources>1024 mb, 1 vcores</maxResources></queue>',
    }
    rm = resource_manager("fair-2.7", queues=texts.get(queues, queues))
    for _ in range(2):
        update(rm)
    assert not policy_of(rm).pass_rests("update")


def test_with_preemption_neither_rests() -> None:
    """Its clocks go on."""
    rm = resource_manager("fair-2.7", settings={f"{PREFIX}preemption": "true"})
    for _ in range(2):
        update(rm)
    assert [policy_of(rm).pass_rests(name) for name in ("update", "preempt")] == [False, False]


@BOTH
@pytest.mark.parametrize("is_on", [True, False])
def test_the_view_tells_what_is_switched_on(scheduler: str, is_on: bool) -> None:
    """Preemption, the rule of reservations, and the file in force."""
    settings = {f"{PREFIX}preemption": str(is_on).lower(), "schedlab.reservation.rule": "off" if is_on else "strict"}
    rm = resource_manager(scheduler, settings=settings, queues='<queue name="a"><weight>3.0</weight></queue>')
    view = rm.scheduler.policy.view()
    assert (view.preemption(), view.reservation_rule()) == (is_on, "off" if is_on else "strict")
    allocation: Any = view.allocation()
    assert allocation.weight("root.a") == 3.0
    assert (view.queue_name("root.a"), view.properties()) == ("root.a", {})


@BOTH
def test_a_quiet_cluster_has_nothing_to_do(scheduler: str) -> None:
    """Until somebody asks."""
    rm = resource_manager(scheduler)
    number = submit(rm)
    update(rm)
    heartbeat(rm)
    assert rm.scheduler.policy.is_quiet()
    ask(rm, number, 1)
    assert not rm.scheduler.policy.is_quiet()
    update(rm)
    heartbeat(rm)
    assert len(attempt_of(rm, number).live) == 1
