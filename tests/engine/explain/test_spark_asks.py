"""What is in the way of Spark applications on each worker and who holds it, beside the cluster itself."""

from functools import cache

import pytest

from engine.control_plane.spark_cluster_view import SparkClusterView, known_application, wanted_shapes
from engine.explain.spark_explainer import (
    SparkExplainer,
    hoarders,
)
from engine.incremental import finish
from engine.model.java_number import INT_MAX
from engine.model.spark.worker import Worker
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


def test_rows_have_the_numbers_of_the_worker_that_comes_nearest(one: Standing) -> None:
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


@pytest.mark.parametrize(
    ("name", "key", "loose"),
    [
        ("wide", "spark.executor.cores", (1, 2048, 18)),
        ("fat", "spark.executor.memory", (2, 1, 4)),
        ("small", "spark.cores.max", (4, 1024, INT_MAX)),
    ],
)
def test_a_setting_is_loosened_for_the_application(name: str, key: str, loose: tuple[int, int, int]) -> None:
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
