"""How fair schedulers assign: locality, passes, the rule of reservations."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from engine.control_plane.protocol import ApplicationMasterHeartbeat, ApplicationMasterRegistered, Ask, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.model.java_values import INT_MAX
from engine.model.ledger import Attempt
from engine.model.request import NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf
from engine.schedulers.fair.settings import FairSettings, fair_settings
from engine.schedulers.fair.walk import match, matched, next_locality
from engine.schedulers.fair27.assignment import am_share, am_share_allows
from engine.schedulers.fair27.preemption import missing_memory_mb
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.interface import QueueRow, Setting
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.yarn_scheduler import move_to_queue
from engine.settings.fair import PREFIX, RESERVATION_RULE
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update

BY_COUNT = replace(fair_settings({}), locality_thresholds=(0.5, 1.0), continuous=False)
BY_TIME = replace(BY_COUNT, locality_delays=(1_000, 3_000), continuous=True)


def _group(level: int, changed_ms: int | None = None) -> AskGroup:
    group = AskGroup(1)
    group.allowed_locality, group.level_changed_ms = level, changed_ms
    return group


@pytest.mark.parametrize(
    ("level", "missed", "then"),
    [
        (0, 99, NODE_LOCAL),
        (NODE_LOCAL, 5, NODE_LOCAL),
        (NODE_LOCAL, 6, RACK_LOCAL),
        (RACK_LOCAL, 10, RACK_LOCAL),
        (RACK_LOCAL, 11, OFF_SWITCH),
        (OFF_SWITCH, 0, OFF_SWITCH),
    ],
)
def test_a_level_goes_up_when_the_threshold_is_exceeded(level: int, missed: int, then: int) -> None:
    """Of ten nodes half for a node, all for a rack; one step at a time, never down."""
    assert next_locality(_group(level), missed, BY_COUNT, 10, START_MS, START_MS) == then


@pytest.mark.parametrize(
    ("level", "changed_ms", "after_ms", "then"),
    [
        (NODE_LOCAL, None, 1_000, NODE_LOCAL),
        (NODE_LOCAL, None, 1_001, RACK_LOCAL),
        (NODE_LOCAL, START_MS + 500, 1_500, NODE_LOCAL),
        (NODE_LOCAL, START_MS + 500, 1_501, RACK_LOCAL),
        (RACK_LOCAL, START_MS, 3_000, RACK_LOCAL),
        (RACK_LOCAL, START_MS, 3_001, OFF_SWITCH),
    ],
)
def test_with_continuous_scheduling_time_counts(level: int, changed_ms: int | None, after_ms: int, then: int) -> None:
    assert next_locality(_group(level, changed_ms), 0, BY_TIME, 10, START_MS + after_ms, START_MS) == then


@pytest.mark.parametrize("thresholds", [(-1.0, 0.5), (0.5, -1.0), (-1.0, -1.0)])
def test_one_threshold_below_nothing_switches_waiting_off(thresholds: tuple[float, float]) -> None:
    off, none = (replace(BY_COUNT, locality_thresholds=each) for each in (thresholds, (0.0, 0.0)))

    assert next_locality(_group(0), 0, off, 10, START_MS, START_MS) == OFF_SWITCH
    assert [_next(none, missed) for missed in (0, 1)] == [NODE_LOCAL, RACK_LOCAL]


def _next(settings: FairSettings, missed: int) -> int:
    return next_locality(_group(NODE_LOCAL), missed, settings, 10, START_MS, START_MS)


def _asked(*asks: tuple[str, int, bool]) -> tuple[ResourceManager, AskGroup]:
    """The group of an application that asks for so many containers at places, relaxing locality or not."""
    rm = resource_manager(nodes=1)
    number = submit(rm)
    wanted = tuple(Ask(1, place, 1024, 1, count, relax) for place, count, relax in asks)
    rm.handle(ApplicationMasterHeartbeat(number, wanted), START_MS)
    return rm, attempt_of(rm, number).groups[1]


@pytest.mark.parametrize(
    ("asks", "levels"),
    [
        ((("*", 1, True),), (OFF_SWITCH, OFF_SWITCH, OFF_SWITCH)),
        ((("*", 1, False),), (0, 0, 0)),
        ((("n1", 1, True), ("/r1", 1, True), ("*", 1, True)), (NODE_LOCAL, NODE_LOCAL, NODE_LOCAL)),
        ((("n9", 1, True), ("/r1", 1, True), ("*", 1, True)), (0, RACK_LOCAL, RACK_LOCAL)),
        ((("n1", 0, True), ("/r1", 1, True), ("*", 1, True)), (0, RACK_LOCAL, RACK_LOCAL)),
        ((("n9", 1, True), ("/r1", 1, False), ("*", 1, True)), (0, 0, 0)),
        ((("n1", 1, True), ("/r1", 1, False), ("*", 1, False)), (NODE_LOCAL, NODE_LOCAL, NODE_LOCAL)),
        ((("n9", 1, True), ("/r9", 1, True), ("*", 1, True)), (0, 0, OFF_SWITCH)),
        ((("n9", 1, True), ("/r9", 1, True), ("*", 1, False)), (0, 0, 0)),
        ((("n1", 1, True), ("/r1", 0, True), ("*", 1, True)), (0, 0, OFF_SWITCH)),
    ],
)
def test_an_ask_is_placed_at_the_best_level_allowed(
    asks: tuple[tuple[str, int, bool], ...], levels: tuple[int, int, int]
) -> None:
    rm, group = _asked(*asks)
    (node,) = rm.cluster.nodes.values()

    assert tuple(match(group, node, allowed) for allowed in (NODE_LOCAL, RACK_LOCAL, OFF_SWITCH)) == levels


def test_the_request_placed_is_that_of_its_level() -> None:
    rm, group = _asked(("n1", 1, True), ("/r1", 1, True), ("*", 1, True))
    (node,) = rm.cluster.nodes.values()
    names = [matched(group, node, level).resource_name for level in (NODE_LOCAL, RACK_LOCAL, OFF_SWITCH, 0)]

    assert names == ["n1", "/r1", "*", "*"]


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
def test_an_update_of_2_7_does_not_rest_where_the_order_matters(queues: str) -> None:
    """Under another policy than fair, or with a maximum; nor where preemption is on."""
    texts = {
        "drf": '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue>',
        "max": '<queue name="a"><maxResources>1024 mb, 1 vcores</maxResources></queue>',
    }
    rm = resource_manager("fair-2.7", queues=texts.get(queues, queues))
    for _ in range(2):
        update(rm)
    assert not policy_of(rm).pass_is_idle("update")


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


# What is the release's own: moves, what stands in the way of an ask, and what leaves are missing.


def test_an_application_that_a_move_left_in_no_queue_is_refused_every_further_move() -> None:
    """It may not run in the target, as it still counts for its user's limit itself; after that no queue has it."""
    queues = '<queue name="a"/><queue name="b"/><userMaxAppsDefault>1</userMaxAppsDefault>'
    rm = resource_manager("fair-2.7", queues=queues)
    application = rm.cluster.applications[submit(rm, "root.a")]

    for target in ("root.b", "root.default"):
        with pytest.raises(RefusedError) as refused:
            move_to_queue(rm.scheduler, application, target)
        assert refused.value.kind == "IllegalStateException"


# What stands in an application's way under FairScheduler 2.7, asked beforehand and told by offers.


def cluster(queues: str = '<queue name="a"/><queue name="b"/>', nodes: int = 1, **more: str) -> ResourceManager:
    return resource_manager("fair-2.7", queues=queues, nodes=nodes, settings=more)


def on_node(rm: ResourceManager, number: int, node: int = 1) -> Obstacle | None:
    return rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)


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
    found = on_node(rm, second)
    assert found is not None
    assert (found.reason, found.numbers[:2]) == (reason, (2048, 0))


@pytest.mark.parametrize(
    ("share", "used", "wanted", "allows"),
    [
        (0.5, (0, 0), (4096, 9), True),
        (0.5, (0, 0), (4097, 1), False),
        (0.5, (1024, 1), (3072, 1), True),
        (0.5, (1024, 1), (3073, 1), False),
        (-1.0, (0, 0), (99999, 1), True),
        (0.0, (0, 0), (0, 0), True),
        (0.0, (0, 0), (1, 0), False),
    ],
)
def test_masters_have_a_share_of_the_fair_share(
    share: float, used: tuple[int, int], wanted: tuple[int, int], allows: bool
) -> None:
    """Of memory alone, where the queue's policy counts no vcores; -1 switches it off."""
    rm = cluster(f'<queue name="a"><maxAMShare>{share}</maxAMShare></queue>')
    attempt = attempt_of(rm, submit(rm, "root.a"))
    assert isinstance(attempt, FairAttempt)
    leaf = attempt.queue
    leaf.fair_memory_mb, leaf.fair_vcores = 8192, 8
    leaf.am_memory_mb, leaf.am_vcores = used
    assert am_share_allows(leaf, *wanted) == allows
    assert am_share(leaf)[0] == int(8192 * share)


# What leaves of 2.7 are missing, at the boundaries of their shares and timeouts.


def _leaf() -> FairLeaf:
    """A leaf with a minimum of 2000 MB, a share of 6000 MB of which half is its threshold, and a demand of 4000 MB."""
    rm = resource_manager(queues='<queue name="a"/>')
    assert isinstance(rm.scheduler.policy, FairScheduler27)
    leaf = rm.scheduler.policy.tree.queues["root.a"]
    assert isinstance(leaf, FairLeaf)
    leaf.min_memory_mb, leaf.fair_memory_mb, leaf.demand_memory_mb, leaf.threshold = 2_000, 6_000, 4_000, 0.5
    leaf.min_share_timeout_ms, leaf.fair_share_timeout_ms = 1_000, 5_000
    leaf.last_min_share_ms = leaf.last_fair_share_ms = START_MS
    return leaf


@pytest.mark.parametrize(
    ("used_mb", "starves"), [(1_999, (True, True)), (2_000, (False, True)), (3_000, (False, False))]
)
def test_a_leaf_starves_below_its_minimum_and_its_threshold(used_mb: int, starves: tuple[bool, bool]) -> None:
    leaf = _leaf()
    leaf.used_memory_mb = used_mb

    assert (leaf.starves_of_min_share, leaf.starves_of_fair_share) == starves


def test_a_leaf_never_starves_for_more_than_it_wants() -> None:
    leaf = _leaf()
    leaf.demand_memory_mb = leaf.used_memory_mb = 1_000
    satisfied = (leaf.starves_of_min_share, leaf.starves_of_fair_share)
    leaf.used_memory_mb = 999

    assert (satisfied, leaf.starves_of_min_share, leaf.starves_of_fair_share) == ((False, False), True, True)


@pytest.mark.parametrize(
    ("after_ms", "used_mb", "missing_mb"),
    [
        (1_000, 500, 0),
        (1_001, 500, 1_500),
        (5_000, 500, 1_500),
        (5_001, 500, 3_500),
        (5_001, 3_900, 100),
        (5_001, 4_100, 0),
    ],
)
def test_memory_is_missed_after_the_timeouts(after_ms: int, used_mb: int, missing_mb: int) -> None:
    """First up to the minimum, then up to the whole share, never more than is wanted."""
    leaf = _leaf()
    leaf.used_memory_mb = used_mb

    assert missing_memory_mb(leaf, START_MS + after_ms) == missing_mb


@pytest.mark.parametrize(("memory_mb", "vcores", "within"), [(1_000, 3, True), (1_001, 3, False), (1_000, 4, False)])
def test_a_maximum_may_be_reached_and_not_exceeded(memory_mb: int, vcores: int, *, within: bool) -> None:
    leaf = _leaf()
    leaf.max_memory_mb, leaf.max_vcores, leaf.used_memory_mb, leaf.used_vcores = 2_000, 5, 1_000, 2

    assert leaf.within_maximum(memory_mb, vcores) is within
    assert leaf.exceeded_by(memory_mb, vcores) is (None if within else leaf)
    assert leaf.within_maximum()
