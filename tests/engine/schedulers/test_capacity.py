"""Of the capacity schedulers: settings changed while they run, and their queues as anybody sees them."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationMasterHeartbeat, ApplicationMasterRegistered, Ask, NodeJoined
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError, RefusedError
from engine.fork import fork as forked
from engine.formats.scenario_toml import load
from engine.model.ledger import Attempt
from engine.observe.snapshot import CapacityQueueRow
from engine.scenario import Scenario
from engine.scenario.acts import SetPreemption, SetQueueSetting
from engine.schedulers.capacity.properties import as_properties
from engine.schedulers.fair.settings import fair_settings
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.capacity import CAPACITY_27
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit
from tests.build.capacity import BOTH, CAPACITY, SETTINGS, properties


def scene(scheduler: str, **more: str) -> tuple[ResourceManager, tuple[int, int, int]]:
    """One application in a with two containers of 1 GB, two in x, of which one has its master of 1 GB."""
    rm = resource_manager(scheduler, settings=SETTINGS | properties(more))
    numbers = (submit(rm, "a"), submit(rm, "x", am_mb=1024), submit(rm, "x", am_mb=2048))
    rm.handle(ApplicationMasterRegistered(numbers[0]), START_MS)
    ask(rm, numbers[0], 2)
    heartbeat(rm, 1)
    heartbeat(rm, 2)
    heartbeat(rm, 3)
    return rm, numbers


def view_of(rm: ResourceManager) -> Any:
    return rm.scheduler.policy.view()


@BOTH
@pytest.mark.parametrize("order", ["fifo", "fair"])
def test_whoever_comes_first_is_first_in_a_queue_of_that_order(scheduler: str, order: str) -> None:
    rm, numbers = scene(scheduler, root__p__x__ordering_policy=order)
    found = [view_of(rm).is_first_come(attempt_of(rm, number)) for number in numbers]
    is_fair = order == "fair" and scheduler == "capacity-3.4"
    assert found == [True, not is_fair, not is_fair]


def waiting(scheduler: str, count: int, **more: str) -> Any:
    """The view of a scheduler with one application that wants so many containers; another wants none."""
    settings = SETTINGS | {f"{CAPACITY}{key.replace('_', '-')}": value for key, value in more.items()}
    rm = resource_manager(scheduler, settings=settings)
    submit(rm, "x")
    number = submit(rm, "a")
    rm.handle(ApplicationMasterRegistered(number), START_MS)
    if count:
        ask(rm, number, count, 8192)
    return view_of(rm)


@pytest.mark.parametrize(
    ("count", "delay", "offers"), [(1, "3", 4), (3, "3", 4), (4, "3", 5), (9, "3", 10), (0, "3", 4)]
)
def test_in_2_7_an_offer_is_let_pass_for_each_container_or_the_delay(count: int, delay: str, offers: int) -> None:
    assert waiting("capacity-2.7", count, node_locality_delay=delay).delay_offers() == offers


@pytest.mark.parametrize(
    ("count", "rack_delay", "offers"),
    [(0, "-1", 0), (1, "-1", 2), (2, "-1", 3), (3, "-1", 4), (9, "-1", 4), (1, "0", 4), (9, "0", 4), (1, "1", 4)],
)
def test_in_3_4_so_many_offers_are_let_pass(count: int, rack_delay: str, offers: int) -> None:
    """One for each container or, with a delay for racks, both delays; as many as there are nodes at most, and one."""
    view = waiting("capacity-3.4", count, rack_locality_additional_delay=rack_delay)
    assert view.delay_offers() == offers


def test_on_more_nodes_the_delays_of_3_4_add_up() -> None:
    settings = {**SETTINGS, f"{CAPACITY}rack-locality-additional-delay": "2"}
    rm = resource_manager("capacity-3.4", settings=settings)
    for number in range(4, 9):
        rm.handle(NodeJoined(f"n{number}:1", "/r1", 8192, 8), START_MS)
    number = submit(rm, "a")
    rm.handle(ApplicationMasterRegistered(number), START_MS)
    ask(rm, number, 9, 8192)
    attempt: Attempt = attempt_of(rm, number)
    assert attempt.pending == 9
    assert view_of(rm).delay_offers() == 3 + 2 + 1


# Settings of CapacityScheduler changed while it runs: they hold at once, or are refused and change nothing.

ERAS = ["capacity-2.7", "capacity-3.4"]


def _at(name: str, era: str, seconds: int) -> Simulation:
    scenario: Scenario = load(name).model_copy(update={"scheduler": era})
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + seconds * 1000)
    return simulation


def _rows(simulation: Simulation) -> dict[str, CapacityQueueRow]:
    rows = simulation.control_plane.view().policy.queues()
    return {row.path: row for row in rows if isinstance(row, CapacityQueueRow)}


def _used(simulation: Simulation, path: str) -> int:
    return _rows(simulation)[path].used[0]


@pytest.mark.parametrize("era", ERAS)
def test_a_user_limit_is_lifted_while_the_user_waits(era: str) -> None:
    simulation = _at("capacity-user-limit", era, 60)
    before = _used(simulation, "root.adhoc")
    simulation.act(SetQueueSetting("root.adhoc", "user-limit-factor", "5"))
    simulation.run_until(simulation.now_ms + 10_000)

    assert (before, _used(simulation, "root.adhoc")) == (17 * 1024, 40 * 1024)


@pytest.mark.parametrize("era", ERAS)
def test_a_larger_share_for_masters_starts_those_that_wait(era: str) -> None:
    simulation = _at("capacity-am-limit", era, 60)
    simulation.act(SetQueueSetting("root.default", "maximum-am-resource-percent", "0.33"))
    simulation.run_until(simulation.now_ms + 20_000)

    assert _rows(simulation)["root.default"].applications_running == 5


@BOTH
def test_a_node_joins_without_a_label_that_the_cluster_does_not_have(scheduler: str) -> None:
    rm = resource_manager(scheduler, settings=SETTINGS)
    rm.handle(NodeJoined("n9:1", "/r1", 1024, 1, "nowhere"), START_MS)

    assert rm.cluster.nodes["n9:1"].partition == ""


@pytest.mark.parametrize("era", ERAS)
def test_an_application_runs_from_its_masters_registration_on(era: str) -> None:
    """Also where its queue served it before."""
    rows = [_rows(_at("capacity-am-limit", era, second))["root.default"] for second in (2, 3)]

    assert [(row.applications_running, row.applications_pending) for row in rows] == [(0, 1), (1, 0)]


@pytest.mark.parametrize("era", ERAS)
def test_the_capacity_of_a_queue_brings_its_siblings_with_it(era: str) -> None:
    simulation = _at("capacity-user-limit", era, 60)
    alone = simulation.act(SetQueueSetting("root.adhoc", "capacity", "40"))
    both = simulation.act(SetQueueSetting("root.adhoc", "capacity", "40 etl=60"))

    rows = _rows(simulation)
    assert (bool(alone.rejected), both.rejected) == (True, "")
    assert (rows["root.adhoc"].guaranteed, rows["root.etl"].guaranteed) == ((32768,), (49152,))


@pytest.mark.parametrize("era", ERAS)
def test_preemption_is_switched_while_a_queue_lacks_its_guarantee(era: str) -> None:
    simulation = _at("prod-dev-capacity-no-preemption", era, 150)
    assert simulation.control_plane.view().modes().preemption is False
    simulation.act(SetPreemption(on=True))
    simulation.run_until(simulation.now_ms + 60_000)
    taken = _used(simulation, "root.prod")
    simulation.act(SetPreemption(on=False))
    simulation.run_until(simulation.now_ms + 60_000)

    assert simulation.control_plane.view().modes().preemption is False
    assert taken > 25 * 1024
    assert _used(simulation, "root.prod") == taken


def test_the_order_of_a_leaf_is_changed_in_3_4_and_unknown_in_2_7() -> None:
    later = _at("head-of-line-capacity-3.4", "capacity-3.4", 30)
    later.act(SetQueueSetting("root.default", "ordering-policy", "fair"))
    later.run_until(later.now_ms + 30_000)
    earlier = _at("head-of-line-capacity", "capacity-2.7", 30)
    refusal = earlier.act(SetQueueSetting("root.default", "ordering-policy", "fair"))

    assert later.control_plane.view().application(2) is None
    assert "a queue has no setting ordering-policy" in refusal.detail


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("queue.root.eng.capacity", "there is no queue root.eng; did you mean root.dev.eng?"),
        ("queue.root.dev.eng.maximum-capasity", "a queue has no setting maximum-capasity; did you mean"),
        ("reservation.rule", "there is no setting reservation.rule"),
    ],
)
def test_an_unknown_setting_is_refused_with_the_nearest_name(key: str, words: str) -> None:
    """A queue by its path, a setting by the last part of its key."""
    with pytest.raises(RefusedError) as refusal:
        as_properties({key: "1"}, ["root", "root.dev", "root.dev.eng"], CAPACITY_27)

    assert words in str(refusal.value)


def test_a_setting_of_a_partition_belongs_to_its_queue() -> None:
    key = "accessible-node-labels.gpu.capacity"

    assert as_properties({f"queue.root.a.{key}": "50"}, ["root", "root.a"], CAPACITY_27) == {
        f"yarn.scheduler.capacity.root.a.{key}": "50"
    }


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_capacity_is_refused(era: str, value: str) -> None:
    simulation = _at("capacity-user-limit", era, 60)

    refusal = simulation.act(SetQueueSetting("root.adhoc", "capacity", value))

    assert f"{value!r} is not a number" in str(refusal)


# What stands in an application's way in the capacity scheduler: each obstacle with its numbers, in both releases.

LIVE_SETTINGS = {
    "root.queues": "a,b",
    "root.a.capacity": "50",
    "root.a.maximum-capacity": "75",
    "root.b.capacity": "50",
    "root.a.user-limit-factor": "10",
    "root.b.user-limit-factor": "10",
}


def cluster(scheduler: str, nodes: int = 1, more: Mapping[str, str] | None = None) -> ResourceManager:
    """Nodes of 8 GB, of which a and b are due half each."""
    settings = {f"{CAPACITY}{key}": value for key, value in {**LIVE_SETTINGS, **(more or {})}.items()}
    return resource_manager(scheduler, nodes=nodes, settings=settings)


def in_queue(rm: ResourceManager, number: int) -> Obstacle | None:
    return rm.scheduler.policy.obstacle(attempt_of(rm, number))


def on_node(rm: ResourceManager, number: int, node: int = 1) -> Obstacle | None:
    return rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)


@BOTH
@pytest.mark.parametrize(("taken_mb", "wanted_mb", "left_mb"), [(8192, 4096, 0), (8192, 1024, 0)])
def test_a_full_node_says_what_is_wanted_and_free(scheduler: str, taken_mb: int, wanted_mb: int, left_mb: int) -> None:
    rm = cluster(scheduler, 2, {"root.a.maximum-capacity": "100"})
    first, second = submit(rm, "a"), submit(rm, "b", user="bob")
    ask(rm, first, 1, taken_mb)
    heartbeat(rm)
    ask(rm, second, 1, wanted_mb)
    assert on_node(rm, second) == Obstacle(Reason.DOES_NOT_FIT, (wanted_mb, left_mb))
    assert on_node(rm, second, 2) is None


@BOTH
@pytest.mark.parametrize(("used_mb", "is_over"), [(4096, True), (3072, False)])
def test_a_queue_at_its_maximum_is_in_the_way(scheduler: str, used_mb: int, is_over: bool) -> None:
    rm = cluster(scheduler, more={"root.a.maximum-capacity": "50"})
    number = submit(rm, "a")
    ask(rm, number, 1, used_mb)
    heartbeat(rm)
    ask(rm, number, 1, 1024)
    found = on_node(rm, number)
    assert (found is not None) == is_over
    if found is not None:
        assert (found.reason, found.numbers[:2], found.subject) == (Reason.QUEUE_OVER_MAXIMUM, (4096, 4096), "root.a")


@BOTH
@pytest.mark.parametrize(("used_mb", "is_over"), [(5120, True), (4096, False)])
def test_a_user_beyond_the_limit_is_in_the_way(scheduler: str, used_mb: int, is_over: bool) -> None:
    rm = cluster(scheduler, more={"root.a.user-limit-factor": "1"})
    number = submit(rm, "a")
    ask(rm, number, 1, used_mb)
    heartbeat(rm)
    ask(rm, number, 1, 1024)
    expected = Obstacle(Reason.USER_OVER_LIMIT, (5120, 4096), "ann")
    assert on_node(rm, number) == (expected if is_over else None)


def asks(rm: ResourceManager, number: int, *places: str, relax: bool) -> None:
    """Ask for one container of 1 GB at some places, and anywhere if `relax`."""
    near = [Ask(1, place, 1024, 1, 1, relax_locality=relax or place != "/r1") for place in places]
    anywhere = Ask(1, "*", 1024, 1, 1, relax_locality=relax)
    rm.handle(ApplicationMasterHeartbeat(number, (*near, anywhere)), START_MS)


@BOTH
def test_an_ask_waits_for_its_host(scheduler: str) -> None:
    rm = cluster(scheduler, 2, {"node-locality-delay": "1"})
    number = submit(rm, "a")
    asks(rm, number, "n2", "/r1", relax=True)
    found = on_node(rm, number)
    assert found is not None
    assert (found.reason, found.numbers[1:]) == (Reason.DELAY_SCHEDULING, (1,))
    assert on_node(rm, number, 2) is None
    heartbeat(rm)
    assert attempt_of(rm, number).live == {}
    assert on_node(rm, number) is None
    heartbeat(rm)
    assert len(attempt_of(rm, number).live) == 1


@pytest.mark.parametrize(("limit", "key"), [("queue root.a", "root.a.max-parallel-apps"), ("user ann", "user.max")])
def test_applications_beyond_a_parallel_limit_are_held_back(limit: str, key: str) -> None:
    name = "user.ann.max-parallel-apps" if key == "user.max" else key
    rm = cluster("capacity-3.4", more={name: "1"})
    first, second = submit(rm, "a"), submit(rm, "a")
    for number in (first, second):
        ask(rm, number, 1)
    assert in_queue(rm, first) is None
    assert in_queue(rm, second) == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (1, 1), limit)


# Hadoop settings as typed values.


def test_defaults_are_those_of_the_releases_code() -> None:
    settings = fair_settings({})

    assert (settings.minimum, settings.maximum, settings.increment) == ((1024, 1), (8192, 32), (1024, 1))
    assert settings.ignores_locality
    assert settings.reservation_rule == "strict"


def test_every_unreadable_value_is_reported_at_once() -> None:
    with pytest.raises(ConfigError) as refused:
        fair_settings(
            {
                "yarn.scheduler.increment-allocation-mb": "lots",
                "yarn.scheduler.fair.preemption.cluster-utilization-threshold": "80 %",
                "yarn.scheduler.fair.max.assign": "99999999999",
                "schedlab.reservation.rule": "sometimes",
            }
        )

    assert {problem.key for problem in refused.value.problems} == {
        "yarn.scheduler.increment-allocation-mb",
        "yarn.scheduler.fair.preemption.cluster-utilization-threshold",
        "yarn.scheduler.fair.max.assign",
        "schedlab.reservation.rule",
    }


def test_a_negative_update_interval_means_the_default() -> None:
    assert fair_settings({"yarn.scheduler.fair.update-interval-ms": "-5"}).update_interval_ms == 500


# Where memory alone counts, the short way decides as the general rules.

CALLS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.integers(1, 7000)), min_size=4, max_size=12)


@settings(max_examples=40)
@BOTH
@given(
    CALLS,
    st.sampled_from([1, 10, 512]),
    st.sampled_from(["25", "61", "99", "100"]),
    st.sampled_from(["0.5", "1.1", "100"]),
)
def test_limits_by_memory_follow_the_general_rules(
    scheduler: str, calls: list[tuple[str, int, int]], step_mb: int, percent: str, factor: str
) -> None:
    """Every offer gives the same, and every application may have as much more."""
    more = {f"{CAPACITY}root.a.minimum-user-limit-percent": percent, f"{CAPACITY}root.a.user-limit-factor": factor}
    step = {"yarn.scheduler.minimum-allocation-mb": str(step_mb)}
    rm = resource_manager(scheduler, nodes=2, memory_mb=23_456, settings={**SETTINGS, **more, **step})
    plain = forked(rm)
    policy: Any = plain.scheduler.policy
    policy.space.by_memory = False
    for user, count, memory_mb in calls:
        for one in (rm, plain):
            ask(one, submit(one, "a", user=user), count, memory_mb)
        for node in (1, 2):
            assert heartbeat(rm, node).decisions == heartbeat(plain, node).decisions
        found, expected = (
            [one.scheduler.policy.headroom(attempt_of(one, number)) for number in one.cluster.applications]
            for one in (rm, plain)
        )
        assert found == expected
