"""What applications ask of a ResourceManager and who is in their way, beside the cluster itself."""

from functools import cache

import pytest

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.yarn_explainer import YarnExplainer
from engine.explain.yarn_patterns import before
from engine.formats.scenario_toml import load
from engine.incremental import finish
from engine.run.player import Run
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
    return standing(request.param)


def test_applications_find_no_room_beside_others(one: Standing) -> None:
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


def test_who_waits_is_listed_with_what_is_in_the_way(one: Standing) -> None:
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
        assert [row.code for row in waiter.obstacles] == [row.code for row in rows if row.code != BELOW_SHARE]
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
