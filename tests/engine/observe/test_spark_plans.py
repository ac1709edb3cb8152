"""The plans of a Spark Master as tables, against the worked tables of the textbook."""

from engine.control_plane.protocol import NodeLost
from engine.control_plane.spark_events import SparkApplicationRegistered, WorkerRegistered
from engine.control_plane.spark_master import SparkMaster
from engine.fork import fork as forked
from engine.observe.spark_snapshot import NOTHING_GIVEN, PlanTables, first_to_show, plan_tables
from engine.schedulers.spark.scheduling_pass import PassRecorder

TEXTBOOK = (
    ("worker1", 10, 10_240),
    ("worker2", 7, 1024),
    ("worker3", 3, 2048),
    ("worker4", 2, 215),
    ("worker5", 1, 1024),
)
"""(host, cores, memory in MB) of five workers."""


def master(*, spread_out: bool = True, workers: tuple[tuple[str, int, int], ...] = TEXTBOOK) -> SparkMaster:
    """A Master with the textbook's workers that remembers what it gave."""
    new = SparkMaster({"spark.deploy.spreadOutApps": str(spread_out).lower()})
    new.recorder = PassRecorder(9, only_given=True)
    for number, (host, cores, memory_mb) in enumerate(workers):
        new.handle(WorkerRegistered(f"{host}:{7078 + number}", f"w{9 - number}", cores, memory_mb), 0)
    return new


def given(cores: int | None = 12, each: int | None = 2, *, spread_out: bool = True) -> PlanTables:
    one = master(spread_out=spread_out)
    one.handle(SparkApplicationRegistered(512, "etl", "ann", cores, each), 5)
    (plan, *_) = plan_tables(one, 5)
    return plan


def amounts(plan: PlanTables) -> list[tuple[int, ...]]:
    usable = len(plan.table(0).lines) - 2
    return [tuple(line.cores for line in plan.table(n).lines[:usable]) for n in range(plan.count + 1)]


def test_spreading_out_goes_round_as_the_first_table_does() -> None:
    """Two cores at a time: 2/2/2, then worker 3 has one core left, then worker 2 has no memory left."""
    assert amounts(given()) == [(0, 0, 0), (2, 0, 0), (2, 2, 0), (2, 2, 2), (4, 2, 2), (4, 4, 2), (6, 4, 2)]


def test_packing_uses_a_worker_up_as_the_second_table_does() -> None:
    assert amounts(given(spread_out=False))[-2:] == [(10, 0, 0), (10, 2, 0)]


def test_a_step_says_who_got_cores_and_why_not_the_others() -> None:
    table = given().table(5)

    assert (table.number, table.round, table.cores_left) == (5, 2, 2)
    assert [(line.worker, line.words) for line in table.lines] == [
        ("worker1", "its turn comes"),
        ("worker2", "got the next 2 cores"),
        ("worker3", "too few cores are left on this worker"),
        ("worker4", "215 MB free, an executor needs 512"),
        ("worker5", "1 core free, an executor needs 2"),
    ]
    assert [(line.got, line.waits) for line in table.lines[:3]] == [(False, True), (True, False), (False, False)]
    assert table.sentence == "worker2 gets 2 cores: 4 in 2 executors; 2 left to give"


def test_before_the_first_step_nobody_has_anything() -> None:
    """Step 0 is the order in which workers are offered, and what may be given."""
    table = given().table(0)

    assert (table.round, table.cores_left, table.sentence) == (
        0,
        12,
        "3 usable workers, in this order; 12 cores to give",
    )
    assert [(line.cores_free, line.executors) for line in table.lines] == [(10, 0), (7, 0), (3, 0), (2, 0), (1, 0)]


def test_one_executor_for_each_worker_grows_core_by_core() -> None:
    """Without cores for each executor a step is a single core, and memory is taken once."""
    one = master()
    one.handle(SparkApplicationRegistered(512, "etl", "ann", 12, None), 5)
    plan = plan_tables(one, 5)[0]

    table = plan.table(12)
    assert plan.count == 12
    assert [(line.cores, line.executors) for line in table.lines] == [(4, 1), (4, 1), (3, 1), (1, 1), (0, 0)]
    assert table.lines[1].memory_free_mb == 512
    assert "gets 1 core:" in table.sentence


def test_steps_may_be_asked_for_in_any_order() -> None:
    plan = given()
    last = plan.table(99)

    assert (plan.table(-3).number, plan.table(2).number, plan.table(6)) == (0, 2, last)


def test_what_a_pass_would_do_comes_last_and_changes_nothing() -> None:
    """A second application that nobody can serve has a plan ahead, without a step."""
    one = master()
    one.handle(SparkApplicationRegistered(512, "etl", "ann", None, None), 5)
    one.handle(SparkApplicationRegistered(512, "late", "bob", 4, 2), 6)
    version = one.cluster.version
    plans = plan_tables(one, 7)

    assert [(plan.name, plan.ahead, plan.count > 0) for plan in plans] == [
        ("etl", False, True),
        ("etl", True, False),
        ("late", True, False),
    ]
    assert (plans[-1].table(0).sentence, one.cluster.version) == (NOTHING_GIVEN, version)
    assert plans[-1].table(0).lines[0].words == "0 cores free, an executor needs 2"


def test_the_plan_that_says_most_is_shown_first() -> None:
    """What an application was given, else why it would be given nothing; of nobody the latest that gave."""
    one = master()
    one.handle(SparkApplicationRegistered(512, "etl", "ann", None, None), 5)
    one.handle(SparkApplicationRegistered(512, "late", "bob", 4, 2), 6)
    plans = plan_tables(one, 7)

    assert [first_to_show(plans, number) for number in (0, 1, None)] == [0, 2, 0]


def test_a_dead_worker_says_so() -> None:
    one = master()
    one.handle(NodeLost("worker1:7078"), 4)
    one.handle(SparkApplicationRegistered(512, "etl", "ann", 12, 2), 5)
    lines = plan_tables(one, 5)[0].table(0).lines

    assert [line.words for line in lines if line.worker == "worker1"] == ["the worker is not alive"]


def test_ports_tell_workers_on_one_host_apart() -> None:
    one = master(workers=(("a", 4, 1024), ("a", 4, 1024), ("b", 4, 1024)))
    one.handle(SparkApplicationRegistered(512, "etl", "ann", 2, 2), 5)

    assert [line.worker for line in plan_tables(one, 7)[0].table(0).lines] == ["a:7078", "a:7079", "b"]


def test_without_a_recorder_there_is_only_what_lies_ahead() -> None:
    one = master()
    one.recorder = None

    assert plan_tables(one, 7) == ()


def test_a_recorder_of_gifts_forgets_passes_that_gave_nothing() -> None:
    """Workers that register before anybody asks cause passes that are not kept; a copy keeps the rule."""
    one = master()
    assert one.recorder is not None
    empty = len(one.recorder.records)
    fork = forked(one)
    fork.handle(SparkApplicationRegistered(99_999, "big", "ann", 2, 2), 5)
    fork.handle(SparkApplicationRegistered(512, "etl", "ann", 2, 2), 6)
    assert fork.recorder is not None

    assert (empty, [record.time_ms for record in fork.recorder.records], one.recorder.records) == (0, [6], [])


def test_one_of_anything_is_not_many() -> None:
    one = master(workers=(("a", 4, 1024),))
    one.handle(SparkApplicationRegistered(512, "etl", "ann", 2, 1), 5)
    plan = plan_tables(one, 5)[0]

    assert plan.table(0).sentence == "1 usable worker, in this order; 2 cores to give"
    assert plan.table(1).sentence == "a gets 1 core: 1 in 1 executor; 1 left to give"
    assert plan.table(2).sentence == "a gets 1 core: 2 in 2 executors; 0 left to give"
    assert plan.table(1).lines[0].words == "got the next core"


def test_a_plan_says_what_it_is_of() -> None:
    """The pass's time and cause, the application and its profile, the rule it was made by."""
    plan = given(spread_out=False)

    assert (plan.time_ms, plan.cause, plan.application, plan.profile) == (5, "application registered", 0, 0)
    assert (given().spread_out, plan.spread_out, plan.ahead) == (True, False, False)


def test_before_the_first_step_nobody_got_anything() -> None:
    assert [line.got for line in given().table(0).lines] == [False] * 5


def test_of_plans_alike_the_latest_is_shown() -> None:
    one = master(workers=(("a", 2, 1024),))
    one.handle(SparkApplicationRegistered(512, "first", "ann", 2, 1), 5)
    one.handle(WorkerRegistered("b:1", "w0", 1, 1024), 6)
    one.handle(SparkApplicationRegistered(512, "second", "ann", 1, 1), 7)
    one.handle(SparkApplicationRegistered(512, "third", "ann", 1, 1), 8)
    one.handle(SparkApplicationRegistered(512, "fourth", "ann", 1, 1), 9)
    plans = plan_tables(one, 10)

    assert [plan.count for plan in plans] == [2, 1, 0, 0]
    assert (first_to_show(plans, None), first_to_show(plans[2:], None), first_to_show(plans, 3)) == (1, 1, 3)
