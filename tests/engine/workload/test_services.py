"""Application masters: what holds for all of them, and services with their arrivals."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationSubmitted
from engine.fork import fork
from engine.model.request import Resource
from engine.scenario import (
    ApplicationSpec,
    AskSpec,
    DynamicAllocation,
    JobSpec,
    MapReduceSpec,
    Repeat,
    ScriptedSpec,
    ServiceSpec,
    Size,
    SparkSpec,
    StageSpec,
    TezSpec,
)
from engine.workload.arrivals import arrivals, master_of, submission_of
from engine.workload.master import HELD, NOTHING_TO_SAY, Lifespan
from tests.engine.workload.cases import TOPOLOGY, Counter

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


# Services: instances held for ever and asked for again.


def test_an_instance_of_each_node_is_asked_for_strictly_there() -> None:
    counter = Counter(ServiceSpec(type="service", user="ann", instances=1, instance=SMALL, each_node=True))
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


# Scripted applications: exactly what is written, and those that keep what they have while they wait.

SHORT = (5000, 5000)


def ask(**fields: Any) -> AskSpec:
    """An ask for containers of 1 GB that run 5 s."""
    return AskSpec(**({"memory_mb": 1024, "duration_ms": SHORT} | fields))


def script(*asks: AskSpec, waits: bool = False) -> Counter:
    return Counter(ScriptedSpec(type="scripted", user="ann", asks=asks, waits=waits))


def test_asks_are_made_at_their_time() -> None:
    """A later ask comes at the first call after it is due, counted from registration."""
    counter = script(ask(), ask(priority=2, at_ms=5000, count=3))
    counter.call()
    before = dict(counter.counts)
    early, late = counter.call(3999), counter.call(1)

    assert before == {(1, "*"): 1}
    assert (early.asks, [item.count for item in late.asks]) == ((), [3])


def test_it_ends_when_everything_has_ended() -> None:
    """Not before the last ask has been made and the last container has run out."""
    counter = script(ask(), ask(priority=2, at_ms=3000))
    counter.call()
    counter.end(counter.give(1)[0])
    early = counter.call().outcome
    counter.call()
    counter.end(counter.give(2)[0])

    assert (early, counter.call().outcome) == ("", "FINISHED")


def test_it_ends_when_it_is_due_whatever_it_has() -> None:
    """Not a millisecond sooner, with containers that run and asks still to be made; it ends as written."""
    spec = ScriptedSpec(
        type="scripted",
        user="ann",
        asks=(ask(duration_ms=None), ask(priority=2, at_ms=9000)),
        ends_after_ms=5000,
        outcome="FAILED",
    )
    counter = Counter(spec)
    counter.call()
    counter.give(1)

    assert [counter.call(ms).outcome for ms in (2999, 1)] == ["", "FAILED"]


def test_one_that_waits_keeps_everything_until_its_last_ask_is_met() -> None:
    counter = script(ask(count=2), ask(priority=2, count=1), waits=True)
    counter.call()
    held = counter.give(1, count=2)
    before = counter.call(10**9)
    last = counter.give(2)
    call = counter.call()

    assert before.ends == ()
    assert {counter.runs[container] for container in held + last} == {HELD}
    assert [end.container for end in call.ends] == held + last
    assert {end.at_ms - counter.now_ms for end in call.ends} == {4000}


def test_a_lost_container_is_asked_for_again_where_it_was_wanted() -> None:
    counter = script(ask(count=2, hosts=("h1", "h3"), relax=False))
    counter.call()
    first, _ = counter.give(1, "h3", count=2)
    counter.end(first, "LOST")
    counter.call()

    assert counter.wanted() == {(1, name): 1 for name in ("h1", "h3", "/r1", "/r2", "*")}
    assert [counter.relax[1, name] for name in ("h1", "h3", "/r1", "/r2", "*")] == [True, True, False, False, False]


def test_another_attempt_counts_from_its_own_registration() -> None:
    counter = script(ask(at_ms=5_000), ask(at_ms=1_000))
    counter.call(1_000)
    counter.master.begin_attempt(2)
    counter.counts = {}
    counter.master.registered(counter.now_ms)
    counter.call(999)
    assert counter.wanted() == {}

    counter.call(1)
    assert counter.wanted() == {(1, "*"): 1}
    counter.call(4_000)
    assert counter.wanted() == {(1, "*"): 2}


def test_one_on_each_node_asks_every_node() -> None:
    counter = script(ask(count=2, each_node=True, duration_ms=None))
    counter.call()
    asked = dict(counter.counts)
    counter.give(1, "h3")
    counter.call()

    assert asked == {(1, "h1"): 2, (1, "h2"): 2, (1, "h3"): 2, (1, "/r1"): 4, (1, "/r2"): 2, (1, "*"): 6}
    assert (counter.counts[1, "h3"], counter.counts[1, "*"]) == (1, 5)


NAMES = ("h1", "h9", "/r1", "/r2", "*")


@pytest.mark.parametrize(
    ("fields", "relaxed"),
    [
        ({}, NAMES),
        ({"hosts": ("h1",)}, NAMES),
        ({"hosts": ("h1",), "relax": False}, ("h1",)),
        ({"racks": ("/r1",), "relax": False}, ("/r1",)),
        ({"hosts": ("h1",), "racks": ("/r2",), "relax": False}, ("h1",)),
        ({"each_node": True}, ("h1",)),
    ],
)
def test_a_strict_ask_is_relaxed_only_where_it_may_be_met(fields: dict[str, Any], relaxed: tuple[str, ...]) -> None:
    """On its hosts, in its racks where it names no host, on every node of the cluster where it is for each."""
    master = script(ask(**fields)).master

    assert tuple(name for name in NAMES if master.form(1, name, 3).relax_locality) == relaxed


# Who submits what, and when.


def test_repeats_are_unrolled_and_sorted_by_time() -> None:
    one = MapReduceSpec(type="mapreduce", user="a", maps=1, at_ms=10, number=7, repeat=Repeat(times=3, every_ms=20))
    two = ServiceSpec(type="service", user="b", instances=1, instance=Size(memory_mb=1), at_ms=30)

    assert [(arrival.at_ms, arrival.number, arrival.spec.user) for arrival in arrivals([one, two])] == [
        (10, 7, "a"),
        (30, 8, "a"),
        (30, None, "b"),
        (50, 9, "a"),
    ]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.type)
def test_every_kind_has_its_master(spec: ApplicationSpec) -> None:
    master = master_of(spec, 5, 0, TOPOLOGY, 0)

    assert (master.number, master.spec) == (5, spec)


def test_a_submission_says_what_is_written() -> None:
    spec = MapReduceSpec(
        type="mapreduce",
        user="ann",
        queue="root.a",
        name="etl",
        maps=1,
        am=Size(memory_mb=512, vcores=2),
        priority=3,
        max_attempts=4,
        tags=("x", "y"),
        attempt_failures_validity_interval_ms=77,
    )

    assert submission_of(spec, 9) == ApplicationSubmitted(
        *("ann", "root.a", Resource(512, 2), 9, "etl", "MAPREDUCE", 3),
        max_attempts=4,
        tags=("x", "y"),
        failures_validity_ms=77,
    )
    assert submission_of(spec.model_copy(update={"am": None}), 9).am is None


@pytest.mark.parametrize("keeps", [True, False])
def test_only_a_service_keeps_its_containers(keeps: bool) -> None:
    service = ServiceSpec(
        type="service",
        user="b",
        instances=1,
        instance=Size(memory_mb=1),
        keep_containers_across_application_attempts=keeps,
    )

    assert submission_of(service, 1).keeps_containers is keeps
    assert not submission_of(MapReduceSpec(type="mapreduce", user="a", maps=1), 1).keeps_containers


def test_a_repeated_application_without_a_number_gets_the_next_free_ones() -> None:
    spec = MapReduceSpec(type="mapreduce", user="a", maps=1, at_ms=5, repeat=Repeat(times=2, every_ms=3))

    assert [(each.at_ms, each.number) for each in arrivals([spec])] == [(5, None), (8, None)]
    assert [(each.at_ms, each.number) for each in arrivals([spec.model_copy(update={"repeat": None})])] == [(5, None)]
