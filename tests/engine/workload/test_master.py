"""What all masters do: ask once per change, correct what is counted otherwise, fork, begin again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fork import fork
from engine.scenario import (
    ApplicationSpec,
    AskSpec,
    DynamicAllocation,
    JobSpec,
    MapReduceSpec,
    ScriptedSpec,
    ServiceSpec,
    Size,
    SparkSpec,
    StageSpec,
    TezSpec,
)
from engine.workload.master import NOTHING_TO_SAY
from tests.engine.workload.cases import Counter

SMALL = Size(memory_mb=1024)
SPARK = SparkSpec(type="spark", user="ann", executors=3, executor=SMALL)
JOBS = (
    JobSpec(stages=(StageSpec(tasks=3, duration_ms=(900, 2500)), StageSpec(tasks=2, duration_ms=(900, 2500)))),
    JobSpec(at_ms=3000, stages=(StageSpec(tasks=2, duration_ms=(900, 2500)),)),
)
SPECS: list[ApplicationSpec] = [
    SPARK,
    SparkSpec(type="spark", user="ann", executors=2, executor=SMALL, duration_ms=(5000, 5000)),
    ServiceSpec(type="service", user="ann", instances=2, instance=SMALL, each_node=True),
    ServiceSpec(type="service", user="eve", instances=2, instance=SMALL, jobs=JOBS),
    SparkSpec(
        type="spark", user="bob", executors=2, executor=SMALL, jobs=JOBS, stays=True, dynamic=DynamicAllocation()
    ),
    TezSpec(type="tez", user="ann", dags=JOBS, held=1),
    MapReduceSpec(type="mapreduce", user="ann", maps=6, reduces=3, replication=2),
    ScriptedSpec(
        type="scripted",
        user="ann",
        waits=True,
        asks=(
            AskSpec(memory_mb=1024, count=2, hosts=("h1", "h3"), duration_ms=(5, 9)),
            AskSpec(memory_mb=1024, priority=2, at_ms=4000, count=2, duration_ms=(5, 9)),
        ),
    ),
]


def test_containers_fetched_in_quiet_calls_need_no_further_ask() -> None:
    counter = Counter(SPARK)
    counter.call()
    counter.give(1, count=2)

    assert counter.call().asks == ()
    assert counter.wanted() == {(1, "*"): 1}


def test_a_count_that_overlooked_allocations_is_corrected() -> None:
    """What was allocated before a call replaced the count is taken off again at the next one."""
    counter = Counter(SPARK)
    counter.call()
    first, *_ = counter.give(1, count=2)
    counter.end(first, "PREEMPTED")
    counter.allocate(1)

    counts = [[ask.count for ask in counter.call().asks] for _ in range(3)]

    assert counts == [[2], [1], []]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.type}-{spec.user}")
def test_what_is_not_wanted_is_released(spec: ApplicationSpec) -> None:
    counter = Counter(spec)
    counter.call()
    priorities = [priority for priority, _ in counter.wanted()]
    while wanted := counter.wanted():
        for priority, count in [(key[0], count) for key, count in wanted.items() if key[1] == "*"]:
            counter.allocate(priority, "h1", count)
        counter.call(0)
    surplus = counter.allocate(priorities[0])
    counter.call(0)
    assert surplus[0] not in counter.runs

    assert surplus[0] in counter.call(0).releases


@pytest.mark.parametrize("cause", ["COMPLETED", "FAILED", "LOST"])
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.type)
def test_a_container_of_another_attempt_is_none_of_its_business(spec: ApplicationSpec, cause: str) -> None:
    counter, twin = Counter(spec, seed=3), Counter(spec, seed=3)
    for each in (counter, twin):
        each.call()
        each.allocate(next(iter(each.wanted()))[0])

    counter.end((1, 1, 77), cause)

    for _ in range(3):
        said, other = counter.call(), twin.call()
        assert (said.asks, said.releases, said.outcome) == (other.asks, other.releases, other.outcome)


def give_and_end(counter: Counter, data: st.DataObject) -> None:
    """Give some of what is wanted and end some of what runs."""
    for (priority, name), count in list(counter.wanted().items()):
        if name == "*":
            counter.allocate(priority, data.draw(st.sampled_from(["h1", "h2", "h3"])), data.draw(st.integers(0, count)))
    for container in list(counter.runs):
        if data.draw(st.booleans()):
            counter.end(container, data.draw(st.sampled_from(["COMPLETED", "FAILED", "PREEMPTED"])))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.type)
@given(data=st.data())
def test_what_is_wanted_and_what_is_counted_agree_in_the_end(spec: ApplicationSpec, data: st.DataObject) -> None:
    """After a call in which nothing is fetched, the control plane counts exactly what the master wants."""
    counter = Counter(spec, seed=5)
    for _ in range(data.draw(st.integers(1, 8))):
        counter.call()
        give_and_end(counter, data)
    outcomes = [counter.call().outcome for _ in range(2)]
    if not any(outcomes):
        assert counter.wanted() == {key: count for key, count in counter.master.wanted.items() if count}
        assert all(count >= 0 for count in counter.master.wanted.values())


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.type)
@given(data=st.data())
def test_a_fork_says_what_its_original_says(spec: ApplicationSpec, data: st.DataObject) -> None:
    """Both go on alike after any history, and what happens to one does not happen to the other."""
    counter = Counter(spec, seed=3)
    for _ in range(data.draw(st.integers(0, 6))):
        give_and_end(counter, data)
        counter.call()
    twin = Counter(spec, seed=3)
    twin.__dict__ |= {**counter.__dict__, "master": fork(counter.master)}
    twin.counts, twin.runs = dict(counter.counts), dict(counter.runs)
    said = [counter.call() for _ in range(3)]
    assert [twin.call() for _ in range(3)] == said


def test_a_master_that_resyncs_says_everything_again() -> None:
    counter = Counter(SPARK)
    counter.call()
    counter.give(1)
    counter.call()
    counter.counts = {}

    counter.master.resync()

    assert [(ask.resource_name, ask.count) for ask in counter.call().asks] == [("*", 2)]
    assert counter.call() is NOTHING_TO_SAY


def test_what_outlived_an_attempt_is_given_back_where_it_is_not_used() -> None:
    counter = Counter(SPARK)
    counter.master.take_over([(1, 1, 8), (1, 1, 9)], counter.now_ms)

    assert counter.call().releases == ((1, 1, 8), (1, 1, 9))
    assert counter.call().releases == ()
