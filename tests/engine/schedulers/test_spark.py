"""Rules of Spark's Master beside the recorded cases (`tests/oracle/test_spark_replay.py`): laws, what a pass tells."""

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.model.java_values import INT_MAX
from engine.model.request import Resource
from engine.model.spark.application import Worker
from engine.schedulers.spark.assignment import RemainingDemand, assign, place_drivers
from engine.schedulers.spark.scheduling_pass import (
    ExecutorPlan,
    PassRecord,
    PassRecorder,
    PlanRecord,
    WorkerSlot,
    changed,
    in_order,
    parse_settings,
    shuffled,
)
from engine.settings.spark import SPARK, TIES_BY_REGISTRATION, TIES_BY_WORKER_ID

Pairs = list[tuple[int, int]]
TEXTBOOK = [(10, 10240), (7, 1024), (3, 2048)]
WORKERS = st.lists(st.tuples(st.integers(0, 16), st.sampled_from([64, 215, 512, 1024, 2048, 4096])), max_size=8)
WANTS = st.builds(
    RemainingDemand,
    st.integers(0, 60) | st.just(INT_MAX),
    st.none() | st.integers(1, 5),
    st.sampled_from([0, 64, 256, 512, 1024]),
    st.integers(0, 8) | st.just(INT_MAX),
)


def plan_of(workers: Pairs, want: RemainingDemand, spread_out: bool = True) -> ExecutorPlan:
    return ExecutorPlan([WorkerSlot(f"w{at}", *worker) for at, worker in enumerate(workers, 1)], want, spread_out)


@given(WORKERS, WANTS, st.booleans())
@example(TEXTBOOK, RemainingDemand(16, None, 512, 2), True)
@example([(0, 64), (1, 64)], RemainingDemand(INT_MAX, None, 0, 1), False)
def test_cores_are_given_at_once_as_step_by_step_and_never_more_than_there_are(
    workers: Pairs, want: RemainingDemand, spread_out: bool
) -> None:
    plan = plan_of(workers, want, spread_out)
    steps = list(plan.steps())
    step = want.executor_cores or 1
    given_cores = assign([cores for cores, _ in workers], [mb for _, mb in workers], want, spread_out)
    executors = [got // step if want.executor_cores else int(got > 0) for got in given_cores]

    assert given_cores == [slot.assigned_cores for slot in plan.slots]
    assert all(got <= cores and got % step == 0 for got, (cores, _) in zip(given_cores, workers, strict=True))
    assert all(count * want.memory_mb <= mb for count, (_, mb) in zip(executors, workers, strict=True) if count)
    assert (sum(given_cores) <= want.cores_left, sum(executors) <= want.executors_left) == (True, True)
    assert [(one.number, sum(slot.assigned_cores for slot in one.slots)) for one in steps] == [
        (number, number * step) for number in range(1, len(steps) + 1)
    ]
    assert all(one.value != "its turn comes" for one in plan.standings())


TABLES = """
12 cores, 2 an executor     : 1.w1 1.w2 1.w3 2.w1 2.w2 3.w1 | 6 4 2
12 cores, 2 packed          : 1.w1 1.w1 1.w1 1.w1 1.w1 1.w2 | 10 2 0
14 cores, 2 an executor     : 1.w1 1.w2 1.w3 2.w1 2.w2 3.w1 4.w1 | 8 4 2
4 cores, one executor each  : 1.w1 1.w2 1.w3 2.w1 | 2 1 1
5 cores, two executors      : 1.w1 1.w2 2.w1 2.w2 3.w1 | 3 2 0
"""
WANTED = [
    (RemainingDemand(12, 2, 512), True), (RemainingDemand(12, 2, 512), False), (RemainingDemand(14, 2, 512), True),
    (RemainingDemand(4, None, 512), True),
    (RemainingDemand(5, None, 512, 2), True),
]  # fmt: skip


def test_the_tables_of_textbooks() -> None:
    told = []
    for (want, spread_out), line in zip(WANTED, TABLES.strip().splitlines(), strict=True):
        plan = plan_of(TEXTBOOK, want, spread_out)
        turns = [f"{step.round}.{step.slots[step.position].worker}" for step in plan.steps()]
        told.append(
            f"{line.partition(':')[0]}: {' '.join(turns)} | {' '.join(str(s.assigned_cores) for s in plan.slots)}"
        )

    assert "\n".join(told) == TABLES.strip()


@pytest.mark.parametrize(
    ("want", "worker", "words"),
    [
        (RemainingDemand(2, 2, 1024), (2, 1024), "its turn comes"),
        (RemainingDemand(1, 2, 1024), (2, 1024), "the application has all the cores it may be given"),
        (RemainingDemand(9, 2, 1024), (2, 1023), "too little memory is left on this worker"),
        (RemainingDemand(1, None, 1024), (1, 1024), "its turn comes"),
        (RemainingDemand(1, None, 1024), (1, 1023), "too little memory is left on this worker"),
        (RemainingDemand(2, 2, 1024, 0), (2, 1024), "the application has as many executors as it asked for"),
        (RemainingDemand(2, 2, 1024, 1), (2, 1024), "its turn comes"),
        (RemainingDemand(2, 2, 1024), (1, 0), "too few cores are left on this worker"),
    ],
)
def test_a_worker_says_why_it_gives_nothing(want: RemainingDemand, worker: tuple[int, int], words: str) -> None:
    assert plan_of([worker, (2, 1024)], want).standings()[0].value == words


EQUAL, SMALL = [Resource(1024, 4)] * 3, Resource(512, 1)


@pytest.mark.parametrize(
    ("workers", "drivers", "room", "spread", "places"),
    [
        (EQUAL, [SMALL] * 4, 9, True, [(0, 0), (1, 1), (2, 2), (3, 0)]),
        (EQUAL, [SMALL] * 4, 9, False, [(0, 0), (1, 0), (2, 1), (3, 1)]),
        (EQUAL, [Resource(9999, 1), Resource(1, 9), SMALL], 9, True, [(2, 0)]),
        (EQUAL, [SMALL] * 3, 2, True, [(0, 0), (1, 1)]),
        (EQUAL, [SMALL] * 3, 0, True, []),
        (EQUAL, [SMALL] * 3, -1, True, []),
        ([], [SMALL], 9, True, []),
    ],
)
def test_waiting_drivers_go_round_the_workers_or_fill_them(
    workers: list[Resource], drivers: list[Resource], room: int, spread: bool, places: Pairs
) -> None:
    assert [(one.driver, one.worker) for one in place_drivers(workers, drivers, room, spread)] == places


def test_a_recorder_keeps_the_latest_passes() -> None:
    slots = (WorkerSlot("w1", 4, 4096), WorkerSlot("w2", 4, 4096))
    want = RemainingDemand(6, 2, 1024)
    given_cores = [(), (0, 0), (0, 2), (4, 2)]
    passes = [PassRecord(at, "", (), (PlanRecord(1, 0, want, True, slots, (), c),)) for at, c in enumerate(given_cores)]
    passes.append(PassRecord(4, "", ((0, "w1"),), ()))
    passes.append(PassRecord(5, "", (), (passes[1].plans[0], passes[2].plans[0])))
    kept = []
    for recorder in (PassRecorder(), PassRecorder(3), PassRecorder(9), PassRecorder(9, only_given=True)):
        for one in passes:
            recorder.add(one)
        kept.append([one.time_ms for one in recorder.records])

    assert kept == [[5], [3, 4, 5], [0, 1, 2, 3, 4, 5], [2, 3, 4, 5]]
    assert list(passes[3].plans[0].steps()) == list(ExecutorPlan(slots, want, True).steps())


class Drawn(Random):
    """Draws one number again and again."""

    number = 0.0

    def random(self) -> float:
        return self.number


FEW = [
    Worker(id, f"{id}:1", "", cores, memory_mb, number, 0)
    for number, (id, cores, memory_mb) in enumerate([("w2", 4, 100), ("w10", 4, 300), ("w1", 8, 200)])
]


@pytest.mark.parametrize(
    ("policy", "ties", "ids"),
    [
        ("CORES_FREE_DESC", TIES_BY_WORKER_ID, "w1 w2 w10"),
        ("CORES_FREE_ASC", TIES_BY_WORKER_ID, "w10 w2 w1"),
        ("MEMORY_FREE_DESC", TIES_BY_WORKER_ID, "w10 w1 w2"),
        ("MEMORY_FREE_ASC", TIES_BY_WORKER_ID, "w2 w1 w10"),
        ("WORKER_ID", TIES_BY_WORKER_ID, "w1 w10 w2"),
        ("CORES_FREE_DESC", TIES_BY_REGISTRATION, "w1 w10 w2"),
    ],
)
def test_workers_are_offered_by_key_and_tie(policy: str, ties: str, ids: str) -> None:
    assert " ".join(one.id for one in in_order(FEW, policy, ties)) == ids


@pytest.mark.parametrize(("number", "ids"), [(0.999, "w2 w10 w1"), (0.0, "w10 w1 w2"), (0.5, "w2 w1 w10")])
def test_drivers_look_at_workers_in_a_drawn_order(number: float, ids: str) -> None:
    stream = Drawn(0)
    stream.number = number
    assert " ".join(one.id for one in shuffled(FEW, stream)) == ids


@pytest.mark.parametrize(
    ("given_values", "found"),
    [
        ({}, (True, INT_MAX, 10, "CORES_FREE_DESC", 60_000)),
        ({"spark.deploy.spreadOut": "false"}, (False, INT_MAX, 10, "CORES_FREE_DESC", 60_000)),
        ({"spark.deploy.spreadOutApps": "FALSE"}, (False, INT_MAX, 10, "CORES_FREE_DESC", 60_000)),
        (
            {"spark.deploy.spreadOutApps": "true", "spark.deploy.spreadOut": "false"},
            (True, INT_MAX, 10, "CORES_FREE_DESC", 60_000),
        ),
        ({"spark.worker.timeout": "30s"}, (True, INT_MAX, 10, "CORES_FREE_DESC", 30_000)),
    ],
)
def test_properties_become_settings(given_values: dict[str, str], found: tuple[object, ...]) -> None:
    one = parse_settings(given_values)
    assert (one.spread_out, one.default_cores, one.max_executor_retries, one.policy, one.worker_timeout_ms) == found


def test_all_mistakes_are_told_with_the_nearest_key() -> None:
    wrong = {
        "spark.deploy.spreadOutApp": "true",
        "spark.deploy.defaultCores": "0",
        "spark.deploy.spreadOutDrivers": "yes",
        "spark.deploy.workerSelectionPolicy": "R" * 80,
    }
    with pytest.raises(ConfigError) as caught:
        parse_settings(wrong)
    with pytest.raises(ConfigError) as live:
        changed(parse_settings({}), {"schedlab.spark.seed": "1", "x": "1"}, SPARK.live)

    assert [(one.key, one.hint) for one in caught.value.problems] == [
        (key, "did you mean spark.deploy.spreadOutApps?" if key.endswith("App") else "") for key in wrong
    ]
    assert [one.key for one in live.value.problems] == ["schedlab.spark.seed", "x"]
