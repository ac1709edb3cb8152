"""Services: instances held for ever and asked for again."""

import pytest

from engine.scenario import JobSpec, ServiceSpec, Size, StageSpec
from engine.workload.master import Lifespan
from tests.engine.workload.cases import Counter


def service(*, instances: int = 2, each_node: bool = False) -> Counter:
    return Counter(
        ServiceSpec(type="service", user="ann", instances=instances, instance=Size(memory_mb=1024), each_node=each_node)
    )


def test_a_lost_instance_is_asked_for_again() -> None:
    counter = service()
    counter.call()
    first, _ = counter.give(1, count=2)
    counter.end(first, "LOST")
    counter.call()

    assert counter.wanted() == {(1, "*"): 1}


def test_an_instance_of_each_node_is_asked_for_strictly_there() -> None:
    counter = service(instances=1, each_node=True)
    counter.call()
    relax = dict(counter.relax)
    containers = [counter.give(1, host)[0] for host in ("h1", "h2", "h3")]
    counter.end(containers[2], "LOST")
    counter.call()

    assert relax == {
        (1, "h1"): True,
        (1, "h2"): True,
        (1, "h3"): True,
        (1, "/r1"): False,
        (1, "/r2"): False,
        (1, "*"): False,
    }
    assert counter.wanted() == {(1, "h3"): 1, (1, "/r2"): 1, (1, "*"): 1}


def test_jobs_run_inside_its_instances() -> None:
    """Two instances of two tasks each run four at a time; nothing is asked for and nothing given back."""
    stage = StageSpec(tasks=6, duration_ms=(10_000, 10_000))
    spec = ServiceSpec(
        type="service",
        user="ann",
        instances=2,
        instance=Size(memory_mb=1024),
        tasks_each=2,
        jobs=(JobSpec(stages=(stage,)), JobSpec(at_ms=60_000, stages=(stage,))),
    )
    counter = Counter(spec)
    counter.call()
    counter.give(1, count=2)

    said = counter.call(10_000)

    assert (said.asks, said.releases, counter.master.lifespan().jobs_done) == ((), (), 0)
    counter.call(10_000)
    assert counter.master.lifespan() == Lifespan("service", 2, 1, counter.now_ms, 2)
    counter.call(50_000)
    assert counter.master.lifespan().idle_since_ms is None


def kept(*, keeps: bool = True, each_node: bool = False) -> Counter:
    """A service of two instances (one on each node) that may outlive their master, all of which were given."""
    counter = Counter(
        ServiceSpec(
            type="service",
            user="ann",
            instances=1 if each_node else 2,
            instance=Size(memory_mb=1024),
            each_node=each_node,
            tasks_each=2,
            keep_containers_across_application_attempts=keeps,
            jobs=(JobSpec(stages=(StageSpec(tasks=6, duration_ms=(10_000, 10_000)),)),),
        )
    )
    counter.call()
    for host in ("h1", "h2", "h3") if each_node else ("h1", "h1"):
        counter.give(1, host)
    return counter


@pytest.mark.parametrize(("keeps", "wanted"), [(True, {}), (False, {(1, "*"): 2})])
def test_instances_may_outlive_their_master(keeps: bool, wanted: dict[tuple[int, str], int]) -> None:
    """Then nothing is asked for, and their tasks go on; else all begins anew."""
    counter = kept(keeps=keeps)
    there = list(counter.runs)
    counter.master.begin_attempt(2)
    counter.counts = {}
    counter.master.take_over(there if keeps else (), counter.now_ms)
    counter.master.registered(counter.now_ms)

    counter.call(8_000)
    assert counter.wanted() == wanted
    counter.call(11_000)
    assert counter.master.lifespan().jobs_done == int(keeps)


def test_what_an_instance_did_goes_on_in_another() -> None:
    counter = kept()
    lost = next(iter(counter.runs))
    counter.end(lost, "LOST")
    counter.call()
    assert counter.wanted() == {(1, "*"): 1}

    counter.give(1, "h3")
    counter.call(17_999)
    assert counter.master.lifespan().jobs_done == 0
    counter.call(1)
    assert counter.master.lifespan().jobs_done == 1
