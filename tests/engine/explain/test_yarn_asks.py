"""What applications ask of a ResourceManager and who is in their way, beside the cluster itself."""

from functools import cache

import pytest

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.obstacle_rows import TRIED_TOGETHER, ObstacleRow
from engine.explain.waits import weight
from engine.explain.yarn_explainer import YarnExplainer
from engine.explain.yarn_loosening import loose_values
from engine.explain.yarn_patterns import before
from engine.formats.scenario_toml import load
from engine.incremental import finish
from engine.model.java_number import INT_MAX
from engine.run.player import Run
from engine.scenario.acts import DrainNode, LoseNode
from engine.schedulers.scheduler_view import Setting
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, scene

MIXED = (
    app("masters", '{ memory = "3g", priority = 4 }, { memory = "2g", priority = 2 }', am='{ memory = "1g" }')
    + app("big", '{ memory = "15g", priority = 1 }', at=2, user="bob")
    + app("local", '{ memory = "9g", hosts = ["n1"], relax = false }', at=3, queue="root.b")
    + app("behind", '{ memory = "6g", count = 3 }', at=4, queue="root.b")
)
SCENES: dict[str, tuple[str, float]] = {
    "halves": ('scheduler = "fair-2.7"', 60),
    "mixed fair": ('scheduler = "fair-3.4"', 20),
    "mixed fifo": ('scheduler = "fifo"', 20),
    "recorded": ("reservation-deadlock-recorded", 62),
    "capacity": ("prod-dev-capacity", 120),
}
Standing = tuple[Simulation, YarnClusterView, YarnExplainer]


@cache
def standing(name: str) -> Standing:
    """Each scene at its instant."""
    what, second = SCENES[name]
    if "=" in what:
        simulation = at(scene(HALVES if name == "halves" else MIXED, top=what), second)
    else:
        run = Run(load(what), is_judged=False)
        run.advance(int(second * 1000))
        simulation = run.simulation
    view = simulation.control_plane.view()
    assert isinstance(view, YarnClusterView)
    return simulation, view, YarnExplainer(view, simulation)


@pytest.fixture(params=SCENES)
def one(request: pytest.FixtureRequest) -> Standing:
    """Each of them."""
    return standing(request.param)


def test_asks_are_known_by_their_priorities(one: Standing) -> None:
    """Sorted, those of which something is left; nobody else asks for anything."""
    _, view, explainer = one
    for number, application in view.scheduler.cluster.applications.items():
        attempt = application.attempt
        groups = attempt.groups.items() if attempt is not None else ()
        asked = sorted(key for key, group in groups if group.anywhere is not None and group.anywhere.count > 0)
        assert explainer.priorities(number) == asked
        assert [explainer.is_due(number, priority) for priority in range(6)] == [each in asked for each in range(6)]
    assert (explainer.priorities(10**6), explainer.is_due(10**6, 1)) == ([], False)


def test_an_application_is_served_by_its_tasks(one: Standing) -> None:
    """Its master's container is none."""
    _, view, explainer = one
    for number, application in view.scheduler.cluster.applications.items():
        live = application.attempt.live.values() if application.attempt is not None else ()
        served = {each.priority for each in live if not each.is_am}
        assert explainer.is_served_at(number, None) == bool(served)
        for priority in (0, 1, 2, 4, 20):
            assert explainer.is_served_at(number, priority) == (priority in served)
            assert explainer.is_served_beside(number, priority) == bool(served - {priority})
    assert not explainer.is_served_at(10**6, None)


def test_applications_find_no_room_beside_others(one: Standing) -> None:
    """Where one of its asks fits on no node that has the containers of these alone."""
    _, view, explainer = one
    cluster = view.scheduler.cluster
    numbers = list(cluster.applications)
    for others in ([], numbers, numbers[:1], numbers[1:]):
        rooms = []
        for node in cluster.nodes.values():
            held = [each for each in node.containers.values() if each.id[0] in others]
            cores = node.total_vcores - sum(each.vcores for each in held)
            rooms.append((node.total_memory_mb - sum(each.memory_mb for each in held), cores))
        expected = set()
        for number, application in cluster.applications.items():
            for priority in explainer.priorities(number):
                assert application.attempt is not None
                ask = application.attempt.groups[priority].anywhere
                assert ask is not None
                if not any(ask.memory_mb <= memory and ask.vcores <= cores for memory, cores in rooms):
                    expected.add(number)
        assert explainer.without_room([*numbers, 10**6], others) == expected


def test_who_holds_what_an_application_needs_is_told_with_what_it_holds(one: Standing) -> None:
    """Those in the way on most nodes first; live containers, and nodes reserved for it."""
    _, view, explainer = one
    cluster = view.scheduler.cluster
    for number in cluster.applications:
        holds = finish(explainer.holds(number))
        assert holds == sorted(holds, key=weight)
        assert holds == finish(explainer.holds(number))
        for hold in holds:
            attempt = cluster.applications[hold.application].attempt
            assert attempt is not None
            containers = [attempt.live[each[2]] for each in hold.containers]
            assert (hold.memory_mb, hold.vcores) == (
                sum(each.memory_mb for each in containers),
                sum(each.vcores for each in containers),
            )
            assert set(hold.nodes) == {each.node.id for each in containers}
            reserved = {
                node.id for node in cluster.nodes.values() if node.reserved and node.reserved.id[0] == hold.application
            }
            assert set(hold.reservations) <= reserved
    assert finish(explainer.holds(10**6)) == []


def test_who_waits_is_listed_with_what_is_in_the_way(one: Standing) -> None:
    """In a queue or below it; of a node what is in the way there; longest first, without settings."""
    _, view, explainer = one
    cluster = view.scheduler.cluster
    expected = sorted(
        (
            (application.waiting_since_ms or 0, number)
            for number, application in cluster.applications.items()
            if application.attempt is not None and (application.attempt.pending or application.attempt.recovered)
        )
    )
    everybody = list(explainer.waiting_in_queue("root")) or list(explainer.waiting_in_queue("default"))
    assert [each.application for each in everybody] == [number for _, number in expected]
    for waiter in everybody:
        rows = finish(explainer.obstacles(waiter.application))
        assert [row.code for row in waiter.obstacles] == [row.code for row in rows if row.code not in TRIED_TOGETHER]
        assert {row.decided_by for row in waiter.obstacles} <= {None}
        application = cluster.applications[waiter.application]
        assert (waiter.name, waiter.queue, waiter.since_ms) == (
            application.name,
            application.queue,
            application.waiting_since_ms,
        )
        assert application.attempt is not None
        assert waiter.pending == application.attempt.pending
        assert waiter.application in {each.application for each in explainer.waiting_in_queue(waiter.queue)}
    node = next(iter(cluster.nodes.values()))
    here = list(explainer.waiting_for_node(node.id))
    assert [each.application for each in here] == [each.application for each in everybody]
    for waiter in here:
        of_nodes = [row for row in waiter.obstacles if row.nodes]
        assert all(row.nodes == (node.host,) for row in of_nodes)
    assert list(explainer.waiting_in_queue("nowhere")) == []


def test_who_is_before_an_application_asks_for_something_still(one: Standing) -> None:
    """Only where its queue serves first come, first served."""
    _, view, explainer = one
    for number, application in view.scheduler.cluster.applications.items():
        if application.attempt is None:
            continue
        first_come = view.scheduler.policy.view().is_first_come(application.attempt)
        earlier = [
            each
            for other, each in view.scheduler.cluster.applications.items()
            if other < number and each.queue == application.queue and each.attempt is not None
        ]
        assert before(view.scheduler, application.attempt) == ([each.attempt for each in earlier] if first_come else [])
        waits = any(each.attempt is not None and each.attempt.pending for each in earlier)
        assert explainer.is_behind(number) == (first_come and waits)
    assert not explainer.is_behind(10**6)


def test_an_ask_above_every_node_is_too_large() -> None:
    """Alone it never fits; one that fits an empty node is not, nor is nobody's."""
    apps = app("big", '{ memory = "15g" }') + app("full", '{ memory = "9g", count = 3 }', at=2)
    simulation = at(scene(apps, top='scheduler = "fifo"'), 20)
    view = simulation.control_plane.view()
    assert isinstance(view, YarnClusterView)
    explainer = YarnExplainer(view, simulation)

    assert {number: finish(explainer.is_too_large(number)) for number in (1, 2, 99)} == {1: True, 2: False, 99: False}


def test_other_asks_may_be_dropped_on_a_copy() -> None:
    """All but those of one priority; of none nothing is dropped."""
    simulation = at(
        scene(app("two", '{ memory = "9g", count = 3, priority = 1 }, { memory = "8g", count = 3, priority = 5 }')), 20
    )
    for priority, left in ((None, [1, 5]), (5, [5]), (1, [1])):
        copy = simulation.fork()
        view = copy.control_plane.view()
        assert isinstance(view, YarnClusterView)
        explainer = YarnExplainer(view, copy)
        explainer.drop_other_asks(1, priority)
        explainer.drop_other_asks(99, 1)
        assert explainer.priorities(1) == left
    assert standing("halves")[2].priorities(1)


def test_nodes_that_offer_nothing_are_said_to_be_away() -> None:
    """Drained ones, and silent ones with how long since and until they count as lost."""
    simulation = at(scene(HALVES, nodes=3), 60)
    simulation.act(DrainNode(simulation.world.nodes[0].id))
    simulation.act(LoseNode(simulation.world.nodes[1].id))
    simulation.run_until(simulation.now_ms + 100_000)
    view = simulation.control_plane.view()
    assert isinstance(view, YarnClusterView)
    rows = finish(YarnExplainer(view, simulation).obstacles(2))
    by_code = {row.code: row for row in rows}

    assert by_code["NODE_DRAINING"].nodes == ("n1",)
    silent = by_code["NODE_SILENT"]
    assert silent.nodes == ("n2",)
    numbers = list(silent.numbers.values())
    assert sum(numbers) in {599, 600}
    assert 98 <= min(numbers) <= 101


@pytest.mark.parametrize(
    ("key", "value", "values"),
    [
        ("yarn.nodemanager.resource.memory-mb", "1", [""]),
        ("relaxLocality", "false", [""]),
        ("blacklist", "", [""]),
        ("yarn.scheduler.fair.locality.threshold.node", "1", [""]),
        ("root.a.something", "1", []),
        ("root.a.maxRunningApps", "1", [str(INT_MAX)]),
        ("root.a.maxRunningApps", str(INT_MAX), []),
        ("root.a.schedulingPolicy", "drf", ["fair", "fifo"]),
    ],
)
def test_loose_values_are_those_that_a_setting_has(key: str, value: str, values: list[str]) -> None:
    """One of no meaning where it is not set to a value; none where nothing looser is known, or there is no setting."""
    row = ObstacleRow("CODE", "", "", "", decided_by=Setting(key, value))

    assert list(loose_values(row)) == values
    assert list(loose_values(ObstacleRow("CODE", "", "", ""))) == []
