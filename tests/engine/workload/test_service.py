"""Services: instances held for ever and asked for again."""

from engine.scenario import JobSpec, ServiceSpec, Size, StageSpec
from engine.workload.lifespan import Lifespan
from tests.engine.workload.cases import Counter


def service(*, instances: int = 2, each_node: bool = False) -> Counter:
    """A registered service."""
    return Counter(
        ServiceSpec(type="service", user="ann", instances=instances, instance=Size(memory_mb=1024), each_node=each_node)
    )


def test_a_lost_instance_is_asked_for_again() -> None:
    """Anywhere, when place does not matter."""
    counter = service()
    counter.call()
    first, _ = counter.give(1, count=2)
    counter.end(first, "LOST")
    counter.call()

    assert counter.wanted() == {(1, "*"): 1}


def test_an_instance_of_each_node_is_asked_for_strictly_there() -> None:
    """Only its host is allowed, also when it comes again."""
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


def test_a_scheduler_that_ignores_strict_asks_decides_where_instances_run() -> None:
    """An instance on the wrong node stands for another node's."""
    counter = service(instances=1, each_node=True)
    counter.call()
    for _ in range(3):
        counter.give(1, "h2")

    assert len(counter.runs) == 3
    assert counter.master.wanted[1, "*"] == 0


def test_what_nobody_knows_is_not_missed() -> None:
    """The end of a foreign container changes nothing; an instance too many is not used."""
    counter = service()
    counter.call()
    counter.give(1, count=2)

    counter.end((1, 1, 99))

    assert counter.call().asks == ()
    assert counter.give(1)[0] not in counter.runs


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
