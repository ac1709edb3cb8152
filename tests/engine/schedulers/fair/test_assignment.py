"""How fair schedulers assign: locality, passes, the rule of reservations."""

import pytest
from msgspec.structs import replace

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.model.request import NODE_LOCAL, OFF_SWITCH, RACK_LOCAL, AskGroup
from engine.schedulers.fair.settings import FairSettings, fair_settings
from engine.schedulers.fair.walk import match, matched, next_locality
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.settings.fair import PREFIX
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
