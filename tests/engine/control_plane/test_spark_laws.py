"""What holds of a Spark Master whatever happens to it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.protocol import Answer, ApplicationFinished, Event, NodeLost
from engine.control_plane.spark_events import (
    DriverStateChanged,
    DriverSubmitted,
    ExecutorsKilled,
    ExecutorsRequested,
    ExecutorStateChanged,
    SparkApplicationRegistered,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.fork import fork as forked
from engine.model.decision import Allocated
from engine.schedulers.spark.scheduling_pass import PassRecorder
from tests.engine.model.spark.invariants import check

NUMBERS = st.integers(0, 3)
WORKERS = st.sampled_from(["a:1", "b:1", "c:1", "d:1"])
STATES = st.sampled_from(["RUNNING", "EXITED", "FAILED", "KILLED", "LOST"])
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        lambda node, cores, memory_mb: WorkerRegistered(node, f"worker-{node}", cores, memory_mb),
        WORKERS,
        st.integers(1, 12),
        st.sampled_from([256, 1024, 4096]),
    ),
    st.builds(NodeLost, WORKERS),
    st.builds(WorkerDecommissioned, WORKERS),
    st.builds(
        SparkApplicationRegistered,
        st.sampled_from([64, 256, 512]),
        max_cores=st.none() | st.integers(1, 20),
        executor_cores=st.none() | st.integers(1, 4),
        executor_limit=st.none() | st.integers(0, 4),
    ),
    st.builds(ApplicationFinished, NUMBERS),
    st.builds(ExecutorsRequested, NUMBERS, st.tuples(st.tuples(st.just(0), st.integers(0, 6)))),
    st.builds(ExecutorsKilled, NUMBERS, st.lists(st.integers(0, 8), max_size=3).map(tuple)),
    st.builds(ExecutorStateChanged, NUMBERS, st.integers(0, 8), STATES, st.sampled_from([0, 1, None])),
    st.builds(DriverSubmitted, st.integers(1, 4), st.sampled_from([64, 512]), st.booleans()),
    st.builds(DriverStateChanged, NUMBERS, st.sampled_from(["FINISHED", "FAILED", "KILLED", "ERROR"])),
)
HISTORIES = st.lists(EVENTS, max_size=25)
SETTINGS = st.fixed_dictionaries(
    {
        "spark.deploy.spreadOutApps": st.sampled_from(["true", "false"]),
        "spark.deploy.spreadOutDrivers": st.sampled_from(["true", "false"]),
        "spark.deploy.workerSelectionPolicy": st.sampled_from(["CORES_FREE_DESC", "MEMORY_FREE_ASC", "WORKER_ID"]),
        "schedlab.spark.ties": st.sampled_from(["worker-id", "registration"]),
    }
)


def answers(master: SparkMaster, history: list[Event]) -> list[Answer]:
    """What the Master answers to each event, a second apart."""
    return [master.handle(event, 1000 * second) for second, event in enumerate(history)]


@given(SETTINGS, HISTORIES)
@settings(max_examples=150, deadline=None)
def test_the_books_balance_after_every_event(values: dict[str, str], history: list[Event]) -> None:
    """No worker is overfilled, totals are the sums of their parts, no application exceeds its maximum."""
    master = SparkMaster(values)

    for second, event in enumerate(history):
        master.handle(event, 1000 * second)
        assert check(master.cluster) == ()
        assert all(each.cores_granted <= each.cores_wanted for each in master.cluster.applications.values())


@given(SETTINGS, HISTORIES)
@settings(max_examples=60, deadline=None)
def test_the_same_history_is_answered_alike(values: dict[str, str], history: list[Event]) -> None:
    assert answers(SparkMaster(values), history) == answers(SparkMaster(values), history)


@given(SETTINGS, HISTORIES, HISTORIES)
@settings(max_examples=60, deadline=None)
def test_a_fork_goes_on_like_the_original(values: dict[str, str], past: list[Event], future: list[Event]) -> None:
    master = SparkMaster(values)
    answers(master, past)

    fork = forked(master)

    assert answers(fork, future) == answers(master, future)


@given(SETTINGS, HISTORIES)
@settings(max_examples=60, deadline=None)
def test_applications_are_served_in_order_of_arrival(values: dict[str, str], history: list[Event]) -> None:
    """Within a pass plans are made in order of arrival, profiles ascending, and launches follow the plans."""
    master = SparkMaster(values)
    master.recorder = PassRecorder(keep=1000)

    launched = [
        (decision.container[0], decision.priority)
        for answer in answers(master, history)
        for decision in answer.decisions
        if isinstance(decision, Allocated) and decision.container[1] == 1
    ]

    planned = []
    for record in master.recorder.records:
        order = [(plan.application, plan.profile) for plan in record.plans]
        assert order == sorted(order)
        planned += [
            (plan.application, plan.profile)
            for plan in record.plans
            for given_cores in plan.assigned_cores
            for _ in range(given_cores // (plan.want.executor_cores or given_cores) if given_cores else 0)
        ]
    assert launched == planned


@given(HISTORIES)
@settings(max_examples=60, deadline=None)
def test_nobody_who_could_be_served_waits(history: list[Event]) -> None:
    """Another pass right after a pass launches nothing: a pass leaves no core that somebody may have."""
    master = SparkMaster({})
    answers(master, history)
    master.run_pass("schedule", 0)

    again = master.run_pass("schedule", 0)

    assert again.decisions == ()
