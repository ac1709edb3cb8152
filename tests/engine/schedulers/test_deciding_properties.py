"""Which property of capacity-scheduler.xml is named behind an obstacle, with which value."""

import pytest

from engine.model.ledger import Attempt
from engine.schedulers.capacity.properties import NO_LABEL, DecidingProperties
from engine.schedulers.interface import Setting
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.capacity import CAPACITY_34
from engine.settings.capacity_queue import MAXIMUM_CAPACITY
from tests.build import attempt_of, resource_manager, submit
from tests.engine.schedulers.test_capacity_view import PREFIX, SETTINGS

VALUES = {
    f"{PREFIX}{key}": value
    for key, value in {
        "root.p.x.user-limit-factor": "2",
        "root.p.x.minimum-user-limit-percent": "25",
        "root.p.maximum-capacity": "80",
        "root.p.x.max-parallel-apps": "7",
        "root.p.x.ordering-policy": "fair",
        "user.bob.max-parallel-apps": "3",
        "user.max-parallel-apps": "9",
        "maximum-am-resource-percent": "0.2",
        "root.accessible-node-labels": "gpu,ssd",
        "root.a.accessible-node-labels": " ",
        "node-locality-delay": "5",
    }.items()
}


def attempt() -> Attempt:
    rm = resource_manager("capacity-3.4", settings=SETTINGS)
    return attempt_of(rm, submit(rm, "x"))


@pytest.mark.parametrize(
    ("obstacle", "factor", "setting"),
    [
        (Obstacle(Reason.DELAY_SCHEDULING, (1, 2)), False, ("node-locality-delay", "5")),
        (Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), "root.p.x"), False, ("root.accessible-node-labels", "gpu,ssd")),
        (Obstacle(Reason.LABEL_NOT_ACCESSIBLE, (), "root.a"), False, ("root.a.accessible-node-labels", NO_LABEL)),
        (Obstacle(Reason.USER_OVER_LIMIT, (1, 2), "ann"), True, ("root.p.x.user-limit-factor", "2")),
        (Obstacle(Reason.USER_OVER_LIMIT, (1, 2), "ann"), False, ("root.p.x.minimum-user-limit-percent", "25")),
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (1, 2), "root.p"), False, ("root.p.maximum-capacity", "80")),
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (1, 2), "root.p.x"), False, ("root.p.x.maximum-capacity", "100")),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (7, 7), "queue root.p.x"), False, ("root.p.x.max-parallel-apps", "7")),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (9, 9), "user ann"), False, ("user.max-parallel-apps", "9")),
        (Obstacle(Reason.AM_SHARE_EXHAUSTED, (1, 2, 3), "root.p.x"), False, ("maximum-am-resource-percent", "0.2")),
        (Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, (1, 2, 3), "ann"), False, ("maximum-am-resource-percent", "0.2")),
        (Obstacle(Reason.OTHER_FIRST), False, ("root.p.x.ordering-policy", "fair")),
        (Obstacle(Reason.DOES_NOT_FIT, (2, 1)), False, None),
        (Obstacle(Reason.NODE_RESERVED), True, None),
    ],
)
def test_the_property_behind_an_obstacle(obstacle: Obstacle, factor: bool, setting: tuple[str, str] | None) -> None:
    """That of the queue or user it is about, the common one where only that is set, or none."""
    found = DecidingProperties(VALUES, CAPACITY_34).behind(attempt(), obstacle, factor_decides=factor)
    assert found == (None if setting is None else Setting(f"{PREFIX}{setting[0]}", setting[1]))


@pytest.mark.parametrize(
    ("reason", "first", "keys"),
    [
        (Reason.QUEUE_OVER_MAXIMUM, "root.p.maximum-capacity", ["root.p.x.maximum-capacity"]),
        (Reason.QUEUE_OVER_MAXIMUM, "root.p.x.maximum-capacity", ["root.p.maximum-capacity"]),
        (
            Reason.USER_OVER_LIMIT,
            "root.p.x.user-limit-factor",
            ["root.p.x.minimum-user-limit-percent", "root.p.x.maximum-capacity", "root.p.maximum-capacity"],
        ),
        (
            Reason.AM_SHARE_EXHAUSTED,
            "maximum-am-resource-percent",
            ["root.p.x.maximum-capacity", "root.p.maximum-capacity"],
        ),
        (
            Reason.USER_AM_SHARE_EXHAUSTED,
            "maximum-am-resource-percent",
            [
                "root.p.x.user-limit-factor",
                "root.p.x.minimum-user-limit-percent",
                "root.p.x.maximum-capacity",
                "root.p.maximum-capacity",
            ],
        ),
        (Reason.DOES_NOT_FIT, "", []),
    ],
)
def test_further_properties_that_a_limit_follows_from(reason: Reason, first: str, keys: list[str]) -> None:
    """All but the first; of queues above only their maximum, and nothing of root."""
    properties = DecidingProperties(VALUES, CAPACITY_34)
    value = VALUES.get(f"{PREFIX}{first}", "100")
    found = properties.others("root.p.x", reason, Setting(f"{PREFIX}{first}", value))
    assert [each.key.removeprefix(PREFIX) for each in found] == keys
    assert all(each == properties.of_queue("root.p", MAXIMUM_CAPACITY) for each in found if "root.p.max" in each.key)
