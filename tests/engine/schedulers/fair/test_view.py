"""What observers are told of the fair scheduler, both releases alike."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.control_plane.protocol import ApplicationMasterRegistered
from engine.model.java_values import INT_MAX
from engine.model.ledger import Attempt
from engine.schedulers.interface import QueueRow, Setting
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.fair import PREFIX, RESERVATION_RULE
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update

QUEUES = (
    '<queue name="a"><maxResources>2048 mb, 3 vcores</maxResources><maxRunningApps>7</maxRunningApps>'
    "<maxAMShare>0.25</maxAMShare><weight>2.0</weight><schedulingPolicy>fifo</schedulingPolicy></queue>"
    '<queue name="p"><queue name="y"/><queue name="x"/></queue>'
)
THRESHOLDS = {f"{PREFIX}locality.threshold.node": "0.5", f"{PREFIX}locality.threshold.rack": "0.75"}
BOTH = pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4"])


def _scene(scheduler: str, settings: Mapping[str, str]) -> tuple[Any, Attempt]:
    """The view of a scheduler with one application in root.a, and its attempt."""
    rm = resource_manager(scheduler, queues=QUEUES, settings=settings)
    number = submit(rm, "root.a")
    return rm.scheduler.policy.view(), attempt_of(rm, number)


@BOTH
@pytest.mark.parametrize(
    ("obstacle", "setting"),
    [
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (1, 2), "root.a"), Setting("root.a.maxResources", "2048 mb, 3 vcores")),
        (Obstacle(Reason.QUEUE_WOULD_EXCEED_MAXIMUM), Setting("root.a.maxResources", "2048 mb, 3 vcores")),
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (1, 2), "root.p"), Setting("root.p.maxResources", "")),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (7, 7), "queue root.a"), Setting("root.a.maxRunningApps", "7")),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (4, 5), "user ann"), Setting("user ann.maxRunningApps", "5")),
        (Obstacle(Reason.AM_SHARE_EXHAUSTED, (1, 2, 3), "root.a"), Setting("root.a.maxAMShare", "0.25")),
        (Obstacle(Reason.OTHER_FIRST), Setting("root.a.schedulingPolicy", "fifo")),
        (Obstacle(Reason.NODE_RESERVED), Setting(RESERVATION_RULE.name, "off")),
        (Obstacle(Reason.DELAY_SCHEDULING, (3, 1)), Setting(f"{PREFIX}locality.threshold.node", "0.5")),
        (Obstacle(Reason.DELAY_SCHEDULING, (3, 2)), Setting(f"{PREFIX}locality.threshold.rack", "0.75")),
        (Obstacle(Reason.DOES_NOT_FIT, (2, 1)), None),
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (1, 2), "root.gone"), None),
    ],
)
def test_the_setting_behind_an_obstacle_is_named_with_its_value(
    scheduler: str, obstacle: Obstacle, setting: Setting | None
) -> None:
    """An element of the queue it is about, of the user, or a key of the scheduler; none decides the size of a node."""
    view, attempt = _scene(scheduler, {**THRESHOLDS, RESERVATION_RULE.name: "off"})

    assert view.setting_behind(attempt, obstacle) == setting


@BOTH
def test_queues_come_parents_first_with_what_is_under_them(scheduler: str) -> None:
    rm = resource_manager(scheduler, queues=QUEUES, nodes=1)
    runs, starts = submit(rm, "root.p.x"), submit(rm, "root.p.y", am_mb=1024)
    rm.handle(ApplicationMasterRegistered(runs), START_MS)
    ask(rm, runs, 2)
    update(rm)
    for _ in range(2):
        heartbeat(rm)
    rows: dict[str, QueueRow] = {row.path: row for row in rm.scheduler.policy.view().queues()}
    counts = {
        path: (rows[path].depth, rows[path].applications_running, rows[path].applications_pending)
        for path in ("root", "root.p", "root.p.x", "root.p.y")
    }

    assert starts != runs
    assert [path for path in rows if path.startswith("root.p")] == ["root.p", "root.p.x", "root.p.y"]
    assert counts == {"root": (0, 1, 1), "root.p": (1, 1, 1), "root.p.x": (2, 1, 0), "root.p.y": (2, 0, 1)}
    assert [rows[path].containers for path in ("root", "root.p", "root.p.x", "root.p.y")] == [2, 2, 1, 1]
    assert (rows["root.a"].weight, rows["root.a"].policy, rows["root.a"].max_share) == (2.0, "fifo", (2048, 3))


@BOTH
def test_use_and_order_are_told_by_queue(scheduler: str) -> None:
    rm = resource_manager(scheduler, queues=QUEUES, nodes=1)
    first, fair = submit(rm, "root.a"), submit(rm, "root.p.x")
    ask(rm, first, 1)
    update(rm)
    heartbeat(rm)
    view = rm.scheduler.policy.view()

    assert [view.used_memory_mb(path) for path in ("root", "root.a", "root.p.x", "root.gone")] == [1024, 1024, 0, 0]
    assert [view.is_first_come(attempt_of(rm, number)) for number in (first, fair)] == [True, False]
    assert view.reserved() == (0, 0)


@BOTH
@pytest.mark.parametrize(
    ("settings", "offers"),
    [(THRESHOLDS, 5), ({}, 0), ({**THRESHOLDS, f"{PREFIX}continuous-scheduling-enabled": "true"}, 0)],
)
def test_offers_are_let_pass_as_the_thresholds_say(scheduler: str, settings: dict[str, str], offers: int) -> None:
    """Of three nodes 1.5 for a node and 2.25 for a rack, each exceeded by one; none where nothing is waited for."""
    assert _scene(scheduler, settings)[0].delay_offers() == offers


@BOTH
def test_a_queue_without_a_maximum_has_none(scheduler: str) -> None:
    """Whatever number its release has for that; where only vcores have one, memory has the number of 2.7."""
    capped = '<queue name="v"><maxResources>2147483647 mb, 3 vcores</maxResources></queue><queue name="w"/>'
    rm = resource_manager(scheduler, queues=capped)
    limits = {row.path: row.max_share for row in rm.scheduler.policy.view().queues()}

    assert (limits["root.v"], limits["root.w"]) == ((INT_MAX, 3), None)
