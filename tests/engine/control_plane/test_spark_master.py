"""What a Spark Master does on each kind of event, and what it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.protocol import (
    NOTHING,
    Answer,
    ApplicationFinished,
    ContainerKilled,
    DriverStateChanged,
    DriverSubmitted,
    Event,
    ExecutorsKilled,
    ExecutorsRequested,
    ExecutorStateChanged,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    SettingsChanged,
    SparkApplicationRegistered,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.fork import fork as forked
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.schedulers.spark.scheduling_pass import PassRecorder, WorkerStatus
from tests.engine.model.test_spark import check


def master_with(*workers: tuple[str, int, int], **settings: str) -> SparkMaster:
    """A Master with workers (id, cores, MB) at `id:1`; drivers are not spread out unless told."""
    master = SparkMaster({"spark.deploy.spreadOutDrivers": "false"} | settings)
    for id, cores, memory_mb in workers:
        master.handle(WorkerRegistered(f"{id}:1", id, cores, memory_mb), 0)
    return master


def application(cores: int | None = None, each: int | None = None, memory_mb: int = 512) -> Event:
    return SparkApplicationRegistered(memory_mb, max_cores=cores, executor_cores=each)


def launches(answer: Answer) -> list[tuple[tuple[int, int, int], str, int]]:
    return [(each.container, each.node, each.vcores) for each in answer.decisions if isinstance(each, Allocated)]


def test_a_registered_application_is_served_at_once() -> None:
    master = master_with(("w1", 4, 4096), ("w2", 4, 4096))

    answer = master.handle(application(4, 2), 7)

    assert answer.application == 0
    assert answer.decisions == (
        ApplicationTransitioned(0, "WAITING"),
        ApplicationTransitioned(0, "RUNNING"),
        Allocated((0, 1, 0), "w2:1", 0, 512, 2),
        Allocated((0, 1, 1), "w1:1", 0, 512, 2),
    )
    assert [grant.node for grant in answer.masters] == ["w2:1", "w1:1"]


def test_a_worker_that_registers_serves_those_who_wait() -> None:
    """`NodeJoined` gives it an id of time and address; a known id or address changes nothing."""
    master = master_with()
    master.handle(application(4, 2), 0)

    joined = master.handle(NodeJoined("10.0.0.1:7078", "/r", 4096, 4), 1_510_360_200_000)

    id = "worker-20171111003000-10.0.0.1-7078"
    assert len(launches(joined)) == 2
    assert list(master.cluster.by_id) == [id]
    assert master.handle(WorkerRegistered("b:1", id, 4, 4096), 0) is NOTHING
    assert master.handle(WorkerRegistered("10.0.0.1:7078", "x", 4, 4096), 0).rejected == "RegisterWorkerFailed"


def test_a_heartbeat_says_no_more_than_that_a_worker_lives() -> None:
    master = master_with(("w1", 8, 8192))
    master.handle(application(2, 1), 0)

    assert [master.handle(NodeHeartbeat(node, ((0, 1, 0),)), 1) for node in ("w1:1", "w2:1")] == [NOTHING, NOTHING]
    assert master.cluster.by_node["w1:1"].last_heartbeat_ms == 1


def test_only_a_live_application_ends_and_only_as_an_end() -> None:
    master = master_with()
    master.handle(application(), 0)

    assert master.handle(ApplicationFinished(9), 0) is NOTHING
    assert master.handle(ApplicationFinished(0, "RUNNING"), 0).rejected == "InvalidState"
    assert master.handle(ApplicationFinished(0, "LOST"), 0).rejected == "InvalidState"


def test_a_changed_setting_holds_from_the_next_pass() -> None:
    master = master_with(("w1", 4, 4096), ("w2", 4, 4096))

    version = master.cluster.version
    toggled = master.handle(SettingsChanged({"spark.deploy.spreadOutApps": "false"}), 0)
    assert master.cluster.version == version + 1
    answer = master.handle(application(4, 2), 0)

    assert toggled is NOTHING
    assert {node for _, node, _ in launches(answer)} == {"w2:1"}
    assert master.handle(SettingsChanged({"preemption": "true"}), 0).rejected == "ConfigError"


def test_a_pass_may_be_asked_for_by_hand() -> None:
    master = master_with(("w1", 4, 4096))
    master.handle(application(4, 4), 0)
    master.handle(WorkerRegistered("w2:1", "w2", 4, 4096), 0)
    master.handle(NodeLost("w1:1", "DECOMMISSIONED"), 1)

    assert master.view().applications()[0].unmet_since_ms == 1
    assert len(launches(master.run_pass("schedule", 1))) == 1
    assert master.run_pass("update", 1) is NOTHING


def test_a_preview_changes_nothing() -> None:
    """It tells what the next pass would decide, and the next pass decides that."""
    master = master_with(("w1", 4, 4096))
    master.handle(application(4, 4), 0)
    master.handle(WorkerRegistered("w2:1", "w2", 4, 4096), 0)
    master.handle(NodeLost("w1:1", "DECOMMISSIONED"), 0)
    version = master.cluster.version

    (plan,) = master.preview(5).plans

    assert (master.cluster.version, master.recorder, plan.assigned_cores) == (version, None, (4,))
    assert len(launches(master.run_pass("schedule", 5))) == 1


def test_a_recorder_keeps_what_a_pass_looked_at() -> None:
    """Usable workers in order, why the others are not, what was assigned, the single steps; a fork has its own."""
    master = master_with(("w1", 4, 4096), ("w2", 1, 4096), ("w3", 4, 100), ("w4", 4, 4096))
    master.handle(NodeLost("w4:1"), 0)
    master.recorder = PassRecorder()

    master.handle(application(4, 2), 6)
    fork = forked(master)
    master.handle(DriverSubmitted(1, 64), 8)

    assert fork.recorder is not None
    (record,) = fork.recorder.records
    (plan,) = record.plans
    assert (record.time_ms, record.cause) == (6, "application registered")
    assert [slot.worker for slot in plan.slots] == ["w1"]
    assert [(each.worker, each.reason) for each in plan.unusable] == [
        ("w2", WorkerStatus.NO_CORES),
        ("w3", WorkerStatus.NO_MEMORY),
        ("w4", WorkerStatus.NOT_ALIVE),
    ]
    assert plan.assigned_cores == (4,)
    assert [step.cores_left for step in plan.steps()] == [2, 0]
    assert master.recorder.records[0].drivers == ((0, "w2"),)


# What a Spark Master does with executors and with drivers in cluster mode.


def test_requests_of_strangers_are_refused() -> None:
    master = master_with()
    master.handle(application(), 0)

    rejected = [
        master.handle(event, 0).rejected
        for event in (
            ExecutorsRequested(5, ()),
            ExecutorsKilled(5, ()),
            ExecutorsRequested(0, ((4, 1),)),
            ContainerKilled((5, 1, 0)),
        )
    ]

    assert rejected == ["UnknownApplication", "UnknownApplication", "InvalidResourceProfile", "UnknownApplication"]


def test_reports_are_checked() -> None:
    master = master_with(("w1", 2, 4096))
    master.handle(application(2, 1), 0)
    master.handle(ExecutorStateChanged(0, 0, "RUNNING"), 0)

    answers = [
        master.handle(ExecutorStateChanged(*args), 0)
        for args in ((9, 0, "EXITED"), (0, 9, "EXITED"), (0, 0, "RUNNING"), (0, 0, "LAUNCHING"))
    ]

    assert [answer.rejected for answer in answers] == ["", "", "AssertionError", "InvalidState"]


@pytest.mark.parametrize(
    ("retries", "failures", "ends"), [(0, 1, True), (1, 1, True), (2, 1, False), (2, 2, True), (-1, 5, False)]
)
def test_an_application_fails_when_its_retries_are_used_up(retries: int, failures: int, ends: bool) -> None:
    master = master_with(("w1", 1, 4096), **{"spark.deploy.maxExecutorRetries": str(retries)})
    master.handle(application(1, 1), 0)

    for executor in range(failures):
        assert 0 in master.cluster.applications
        master.handle(ExecutorStateChanged(0, executor, "FAILED", 1), 0)

    assert (0 not in master.cluster.applications) is ends


# What holds of a Spark Master whatever happens to it.

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
    st.builds(NodeLost, WORKERS, st.sampled_from(["LOST", "DECOMMISSIONED"])),
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
