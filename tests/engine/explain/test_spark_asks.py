"""What is in the way of Spark applications on each worker and who holds it, beside the cluster itself."""

from functools import cache

import pytest

from engine.control_plane.spark_cluster_view import SparkClusterView, known_application, wanted_shapes
from engine.explain.spark_explainer import (
    DEAD,
    DRAINING,
    NO_CORES,
    NO_MEMORY,
    ROOM,
    TOO_SMALL,
    SparkExplainer,
    answer_of,
    hoarders,
)
from engine.explain.waits import weight
from engine.incremental import finish
from engine.model.java_number import INT_MAX
from engine.model.spark.application import ExecutorShape
from engine.model.spark.worker import Worker
from engine.observe.spark_obstacle import spark_obstacle
from engine.scenario.acts import DrainNode, LoseNode
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import at
from tests.engine.explain.test_spark import REPORT, SHELL, workers

CASES = {
    "hoarded": (("shell", 0, SHELL), ("report", 10, REPORT), ("late", 20, REPORT)),
    "wide": (("wide", 0, 'executor_cores = 9\nexecutor_memory = "2g"\ncores_max = 18'), ("shell", 5, SHELL)),
    "fat": (("fat", 0, 'executor_cores = 2\nexecutor_memory = "17g"\ncores_max = 4'),),
    "memory": (
        ("one", 0, 'executor_memory = "12g"\nexecutor_cores = 1\ncores_max = 3'),
        ("two", 5, 'executor_memory = "6g"\nexecutor_cores = 2\ncores_max = 4'),
    ),
    "small": (("small", 0, 'executor_cores = 4\ncores_max = 2\nexecutor_memory = "1g"'),),
    "met": (("met", 0, 'executor_cores = 4\ncores_max = 8\nexecutor_memory = "1g"'),),
}
CHANGES = ("", "drained", "lost")


@cache
def standing(name: str, change: str = "") -> tuple[Simulation, SparkClusterView, SparkExplainer]:
    """Three workers of 16 GB and 8 cores after half a minute; the first may be drained, the second lost."""
    simulation = at(workers(*CASES[name]), 30)
    if change == "drained":
        simulation.act(DrainNode(simulation.world.nodes[0].id))
    if change == "lost":
        simulation.act(LoseNode(simulation.world.nodes[1].id))
        simulation.run_until(simulation.now_ms + 90_000)
    view = simulation.control_plane.view()
    assert isinstance(view, SparkClusterView)
    return simulation, view, SparkExplainer(view, simulation)


@pytest.fixture(params=[(name, change) for name in CASES for change in CHANGES], ids="-".join)
def one(request: pytest.FixtureRequest) -> tuple[Simulation, SparkClusterView, SparkExplainer]:
    """Each of them, whole and with a worker less."""
    return standing(*request.param)


Standing = tuple[Simulation, SparkClusterView, SparkExplainer]


def answers(worker: Worker, step: int, memory_mb: int) -> str:
    """What a worker says of an executor, by its definition."""
    if worker.state == "DEAD":
        return "NODE_DEAD"
    if worker.state != "ALIVE":
        return "NODE_DRAINING"
    if worker.cores < step or worker.memory_mb < memory_mb:
        return "NODE_TOO_SMALL"
    used = [(each.cores, each.memory_mb) for each in worker.executors.values()]
    cores, memory = worker.cores - sum(each[0] for each in used), worker.memory_mb - sum(each[1] for each in used)
    return "DOES_NOT_FIT" if cores < step or memory < memory_mb else "ROOM"


def test_every_worker_is_in_one_row(one: Standing) -> None:
    """With others that give the same answer, of which the largest group comes after that of the first reason."""
    _, view, explainer = one
    for number, application in view.cluster.applications.items():
        rows = finish(explainer.obstacles(number))
        refusal, shapes = spark_obstacle(application, view.cluster), wanted_shapes(application)
        assert bool(rows) == (refusal is not None)
        if refusal is None or not shapes:
            continue
        of_workers = [row for row in rows if row.level == "NODE"]
        assert sum(row.count for row in of_workers) == len(view.cluster.workers)
        assert {row.of for row in of_workers} == {3}
        assert all(len(row.nodes) == row.count for row in of_workers)
        shape = shapes[0]
        for worker in view.cluster.workers:
            host = worker.node.partition(":")[0]
            (row,) = (row for row in of_workers if host in row.nodes)
            said = answers(worker, shape.step, shape.memory_mb)
            assert (row.code == said) or said in {"ROOM", "NODE_DEAD", "NODE_DRAINING"}
        counts = [row.count for row in of_workers if row.code != rows[0].code]
        assert counts == sorted(counts, reverse=True)


def test_rows_have_the_numbers_of_the_worker_that_comes_nearest(one: Standing) -> None:
    """In the dimensions that bind, and the setting that decides them."""
    _, view, explainer = one
    for number, application in view.cluster.applications.items():
        shapes = wanted_shapes(application)
        for row in finish(explainer.obstacles(number)):
            here = [worker for worker in view.cluster.workers if worker.node.partition(":")[0] in row.nodes]
            key = row.decided_by.key if row.decided_by is not None else ""
            if "free_cores" in row.numbers:
                assert row.numbers["free_cores"] == max(worker.cores_free for worker in here) < shapes[0].step
                assert row.numbers["wanted_cores"] == shapes[0].step
                is_hoarded = bool(hoarders(application, view.cluster))
                assert key == ("spark.deploy.defaultCores" if is_hoarded else "spark.executor.cores")
            if "free_mb" in row.numbers:
                assert row.numbers["free_mb"] == max(worker.memory_free_mb for worker in here) < shapes[0].memory_mb
                assert (row.numbers["wanted_mb"], key) == (shapes[0].memory_mb, "spark.executor.memory")
            if "total_cores" in row.numbers:
                assert (row.numbers["total_cores"], key) == (8, "spark.executor.cores")
            if "total_mb" in row.numbers and "total_cores" not in row.numbers:
                assert (row.numbers["total_mb"], key) == (16_384, "spark.executor.memory")


def test_those_before_it_in_the_list_come_first(one: Standing) -> None:
    """As many as still want cores, by the id of the first."""
    _, view, explainer = one
    applications = list(view.cluster.applications.values())
    for place, application in enumerate(applications):
        earlier = [each for each in applications[:place] if wanted_shapes(each)]
        rows = [row for row in finish(explainer.obstacles(application.number)) if row.code == "OTHER_FIRST"]
        if wanted_shapes(application) and spark_obstacle(application, view.cluster) is not None:
            assert [row.numbers for row in rows] == ([{"earlier": len(earlier)}] if earlier else [])
        for row in rows:
            assert row.subject == view.application_id(earlier[0].number)
            assert row.sentence.startswith(f"{len(earlier)} earlier in the FIFO list still want cores, {row.subject} ")


def test_who_holds_what_it_needs_is_told(one: Standing) -> None:
    """Everybody else on workers that are too full for it; those on most workers first."""
    _, view, explainer = one
    for number, application in view.cluster.applications.items():
        holds = finish(explainer.holds(number))
        shapes = wanted_shapes(application) if spark_obstacle(application, view.cluster) is not None else ()
        full = [
            worker
            for worker in view.cluster.workers
            if shapes and answers(worker, shapes[0].step, shapes[0].memory_mb) == "DOES_NOT_FIT"
        ]
        held = [each for worker in full for each in worker.executors.values() if each.application != number]
        assert {hold.application for hold in holds} == {each.application for each in held}
        assert holds == sorted(holds, key=weight)
        for hold in holds:
            mine = [each for each in held if each.application == hold.application]
            assert hold.memory_mb == sum(each.memory_mb for each in mine)
            assert hold.vcores == sum(each.cores for each in mine)
            assert {each[2] for each in hold.containers} == {each.id for each in mine}
            assert set(hold.nodes) == {each.worker.node for each in mine}
    assert finish(explainer.holds(99)) == []


def test_applications_find_no_room_beside_others(one: Standing) -> None:
    """Where no live worker has what is left by them; and none that is large enough at all is too small for ever."""
    _, view, explainer = one
    numbers = list(view.cluster.applications)
    alive = [worker for worker in view.cluster.workers if worker.state == "ALIVE"]
    for others in ([], numbers, *([number] for number in numbers)):
        expected = set()
        for number, application in view.cluster.applications.items():
            for shape in wanted_shapes(application):
                rooms = []
                for worker in alive:
                    taken = [each for each in worker.executors.values() if each.application in others]
                    rooms.append(
                        (
                            worker.cores - sum(each.cores for each in taken),
                            worker.memory_mb - sum(each.memory_mb for each in taken),
                        )
                    )
                if not any(shape.step <= cores and shape.memory_mb <= memory_mb for cores, memory_mb in rooms):
                    expected.add(number)
        assert explainer.without_room([*numbers, 99], others) == expected
    for number, application in view.cluster.applications.items():
        shapes = wanted_shapes(application)
        small = [answers(worker, shape.step, shape.memory_mb) for worker in alive for shape in shapes]
        assert finish(explainer.is_too_large(number)) == (set(small) == {"NODE_TOO_SMALL"})
        assert explainer.is_served_at(number, None) == bool(application.executors)
        assert not explainer.is_served_beside(number, None)
        assert (explainer.priorities(number), explainer.is_due(number, 1), explainer.is_behind(number)) == (
            [],
            False,
            False,
        )
    assert not explainer.is_served_at(99, None)
    assert not finish(explainer.is_too_large(99))


def test_who_waits_is_listed_for_every_worker(one: Standing) -> None:
    """Longest first, with what is in the way but no settings; nobody is asked about by queue."""
    _, _, explainer = one
    waiters = list(explainer.waiting_for_node("w1"))
    assert [each.since_ms or 0 for each in waiters] == sorted(each.since_ms or 0 for each in waiters)
    for waiter in waiters:
        rows = finish(explainer.obstacles(waiter.application))
        assert [(row.code, row.count) for row in waiter.obstacles] == [(row.code, row.count) for row in rows]
        assert {row.decided_by for row in waiter.obstacles} <= {None}
        assert waiter.pending >= 0
    assert list(explainer.waiting_in_queue("default")) == []


def test_a_hoarder_has_executors_and_no_maximum(one: Standing) -> None:
    """One with a maximum is none, nor is it the one that is asked about."""
    _, view, _ = one
    for application in view.cluster.applications.values():
        assert hoarders(application, view.cluster) == [
            each
            for each in view.cluster.applications.values()
            if each.number != application.number and each.cores_wanted == INT_MAX and each.executors
        ]


@pytest.mark.parametrize(
    ("name", "key", "loose"),
    [
        ("wide", "spark.executor.cores", (1, 2048, 18)),
        ("fat", "spark.executor.memory", (2, 1, 4)),
        ("small", "spark.cores.max", (4, 1024, INT_MAX)),
    ],
)
def test_a_setting_is_loosened_for_the_application(name: str, key: str, loose: tuple[int, int, int]) -> None:
    """It is given something at once, unless another one has all cores."""
    simulation = standing(name)[0].fork()
    view = simulation.control_plane.view()
    assert isinstance(view, SparkClusterView)
    explainer = SparkExplainer(view, simulation)
    row = next(
        row for row in finish(explainer.obstacles(1)) if row.decided_by is not None and row.decided_by.key == key
    )
    assert (list(explainer.loose_values(row)), list(explainer.other_settings((1, None), row))) == ([""], [])
    explainer.loosen((1, None), row, "")
    application = known_application(view.cluster, 1)
    assert application is not None
    (shape,) = application.shapes.values()
    assert (shape.cores, shape.memory_mb, application.cores_wanted) == loose
    assert bool(application.executors) == (name != "wide")


def test_hoarders_are_ended_to_see_whether_a_default_maximum_decides() -> None:
    """Then the other one is given something."""
    simulation = standing("hoarded")[0].fork()
    view = simulation.control_plane.view()
    assert isinstance(view, SparkClusterView)
    explainer = SparkExplainer(view, simulation)
    row = finish(explainer.obstacles(2))[0]
    explainer.loosen((2, None), row, "")

    assert known_application(view.cluster, 1) is None
    assert explainer.is_served_at(2, None)


@pytest.mark.parametrize(
    ("state", "size", "free", "answer"),
    [
        ("ALIVE", (3, 5), (3, 5), ROOM),
        ("ALIVE", (4, 6), (2, 5), NO_CORES),
        ("ALIVE", (4, 6), (3, 4), NO_MEMORY),
        ("ALIVE", (4, 6), (2, 4), NO_CORES),
        ("ALIVE", (2, 6), (2, 6), TOO_SMALL),
        ("ALIVE", (4, 4), (4, 4), TOO_SMALL),
        ("DEAD", (9, 9), (9, 9), DEAD),
        ("DECOMMISSIONED", (9, 9), (9, 9), DRAINING),
    ],
)
def test_a_worker_answers_to_one_executor(
    state: str, size: tuple[int, int], free: tuple[int, int], answer: int
) -> None:
    """Its state, its size, its free cores, its free memory; exactly as much is enough."""
    worker = Worker("w", "n:1", "/r", *size, 1, 0)
    worker.state, (worker.cores_free, worker.memory_free_mb) = state, free

    assert answer_of(worker, ExecutorShape(cores=3, memory_mb=5)) == answer
