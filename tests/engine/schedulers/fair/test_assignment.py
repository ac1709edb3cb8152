"""How fair schedulers assign: locality, passes, the rule of reservations."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.control_plane.protocol import (
    ApplicationMasterHeartbeat,
    ApplicationMasterRegistered,
    Ask,
    NodeJoined,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.model.java_values import INT_MAX
from engine.model.ledger import Attempt
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.interface import QueueRow, Setting
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.fair import PREFIX, RESERVATION_RULE
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update

# The passes of the fair scheduler: which there are, when each may rest, how long anything waits for time.

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
def test_where_the_order_matters_an_update_of_2_7_rests_once_all_nodes_are_idle(queues: str) -> None:
    """Under another policy than fair, or with a maximum; an offer after that is none."""
    texts = {
        "drf": '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue>',
        "max": '<queue name="a"><maxResources>1024 mb, 1 vcores</maxResources></queue>',
    }
    rm = resource_manager("fair-2.7", queues=texts.get(queues, queues))
    update(rm)
    rests_first = policy_of(rm).pass_is_idle("update")
    heartbeat(rm, 1)
    update(rm)
    rests = policy_of(rm).pass_is_idle("update")
    heartbeat(rm, 2)

    assert (rests_first, rests, policy_of(rm).pass_is_idle("update")) == (False, True, True)


# The reservation rule: strict as in 2.7.2, limited as in 3.x, off.


def _with_a_large_ask(rule: str, nodes: int = 10) -> ResourceManager:
    rm = resource_manager(nodes=nodes, memory_mb=8192)
    rm.handle(SettingsChanged({"reservation.rule": rule, "reservation.ratio": "0.2"}), START_MS)
    filler = submit(rm, "root.filler")
    ask(rm, filler, nodes, 3072)
    update(rm)
    for node in range(1, nodes + 1):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), 1, 8192)
    update(rm)
    return rm


def _round(rm: ResourceManager) -> int:
    for node in range(1, len(rm.cluster.nodes) + 1):
        heartbeat(rm, node)
    return sum(node.reserved is not None for node in rm.cluster.nodes.values())


def test_under_strict_one_application_may_hold_every_node() -> None:
    assert _round(_with_a_large_ask("strict")) == 10


def test_under_limited_it_holds_its_part_of_the_nodes() -> None:
    assert _round(_with_a_large_ask("limited")) == 2
    assert _round(_with_a_large_ask("limited", nodes=4)) == 1


@pytest.mark.parametrize(("in_rack", "others", "held"), [(5, 1, 1), (6, 1, 2), (10, 20, 2)])
def test_under_limited_what_is_asked_of_a_rack_holds_its_part_of_the_rack(in_rack: int, others: int, held: int) -> None:
    rm = _with_a_large_ask("limited", nodes=in_rack)
    for number in range(others):
        rm.handle(NodeJoined(f"other{number}:1", "/r2", 1024, 1), START_MS)
    racks = tuple(Ask(1, name, 8192, 1, 9) for name in ("/r1", "*"))
    rm.handle(ApplicationMasterHeartbeat(max(rm.cluster.applications), racks), START_MS)
    for number in range(1, in_rack + 1):
        heartbeat(rm, number)

    assert sum(node.reserved is not None for node in rm.cluster.nodes.values()) == held


def test_under_off_nothing_is_held() -> None:
    rm = _with_a_large_ask("off")

    assert _round(rm) == 0
    assert all(one.attempt.last_container_number <= 10 for one in rm.cluster.applications.values() if one.attempt)


def test_switching_to_off_drops_reservations_within_a_round() -> None:
    rm = _with_a_large_ask("strict")
    _round(rm)

    rm.handle(SettingsChanged({"reservation.rule": "off"}), START_MS)

    assert _round(rm) == 0


def test_switching_to_limited_drops_those_above_the_limit() -> None:
    rm = _with_a_large_ask("strict")
    _round(rm)

    rm.handle(SettingsChanged({"reservation.rule": "limited"}), START_MS)

    assert [_round(rm), _round(rm)] == [2, 2]


# What observers are told of the fair scheduler, both releases alike.


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
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (4, 5), "user ann"), Setting("userMaxAppsDefault", "5")),
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


# What is the release's own: moves, what stands in the way of an ask, and what leaves are missing.


def test_an_application_that_a_move_left_in_no_queue_is_refused_every_further_move() -> None:
    """It may not run in the target, as it still counts for its user's limit itself; after that no queue has it."""
    queues = '<queue name="a"/><queue name="b"/><userMaxAppsDefault>1</userMaxAppsDefault>'
    rm = resource_manager("fair-2.7", queues=queues)
    application = rm.cluster.applications[submit(rm, "root.a")]

    for target in ("root.b", "root.default"):
        with pytest.raises(RefusedError) as refused:
            rm.scheduler.policy.move_to_queue(application, target)
        assert refused.value.kind == "IllegalStateException"


# What stands in an application's way under FairScheduler 2.7, asked beforehand and told by offers.


def cluster(queues: str = '<queue name="a"/><queue name="b"/>', nodes: int = 1, **more: str) -> ResourceManager:
    return resource_manager("fair-2.7", queues=queues, nodes=nodes, settings=more)


def in_queue(rm: ResourceManager, number: int) -> Obstacle | None:
    return rm.scheduler.policy.obstacle(attempt_of(rm, number))


def test_obstacles_in_the_queue_are_told_in_order() -> None:
    """Nothing asked, a limit on running applications, a maximum that is reached, the share of masters."""
    rm = cluster(
        '<queue name="a"><maxRunningApps>1</maxRunningApps><maxResources>2048 mb, 9 vcores</maxResources></queue>'
        '<queue name="b"><maxAMShare>0.0</maxAMShare></queue>'
    )
    running, parked, master = submit(rm, "root.a"), submit(rm, "root.a"), submit(rm, "root.b", am_mb=1024)
    assert in_queue(rm, running) == Obstacle(Reason.NOTHING_ASKED)
    ask(rm, running, 4)
    ask(rm, parked, 1)
    assert in_queue(rm, running) is None
    assert in_queue(rm, parked) == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (1, 1), "queue root.a")
    update(rm)
    for _ in range(3):
        heartbeat(rm)
    found = in_queue(rm, running)
    assert found is not None
    assert (found.reason, found.subject) == (Reason.QUEUE_OVER_MAXIMUM, "root.a")
    lacks = in_queue(rm, master)
    assert lacks is not None
    assert (lacks.reason, lacks.subject, lacks.numbers[:3]) == (Reason.AM_SHARE_EXHAUSTED, "root.b", (0, 0, 1024))


@pytest.mark.parametrize(("rule", "reason"), [("strict", Reason.DOES_NOT_FIT), ("off", Reason.RESERVATION_LIMIT)])
def test_a_full_node_may_be_held_or_not(rule: str, reason: Reason) -> None:
    """By the rule of reservations; nothing is told where it is held for whoever asks."""
    rm = cluster(nodes=2, **{RESERVATION_RULE.name: rule})
    first, second = submit(rm, "root.a"), submit(rm, "root.b")
    ask(rm, first, 1, 8192)
    update(rm)
    heartbeat(rm)
    ask(rm, second, 1, 2048)
    update(rm)
    found = rm.scheduler.policy.obstacle_on(attempt_of(rm, second), rm.cluster.nodes["n1:1"], START_MS)
    assert found is not None
    assert (found.reason, found.numbers[:2]) == (reason, (2048, 0))
