"""The passes of the fair scheduler: which there are, when each may rest, how long anything waits for time."""

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.settings.fair import PREFIX
from tests.build import resource_manager, update

CONTINUOUS = {f"{PREFIX}continuous-scheduling-enabled": "true"}


def policy_of(rm: ResourceManager) -> FairScheduler27:
    policy = rm.scheduler.policy
    assert isinstance(policy, FairScheduler27)
    return policy


def passes(rm: ResourceManager) -> dict[str, int]:
    return dict(policy_of(rm).passes())


@pytest.mark.parametrize(("sleep", "interval_ms"), [("0", 1), ("1", 1), ("2", 2), ("-5", 1)])
def test_a_continuous_pass_comes_at_most_every_millisecond(sleep: str, interval_ms: int) -> None:
    settings = {**CONTINUOUS, f"{PREFIX}continuous-scheduling-sleep-ms": sleep}
    assert passes(resource_manager("fair-2.7", settings=settings))["continuous"] == interval_ms
    assert "continuous" not in passes(resource_manager("fair-2.7"))


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
