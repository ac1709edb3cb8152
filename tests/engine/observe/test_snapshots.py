"""What a snapshot's rows promise to every screen."""

import csv
import io
import json
from functools import cache
from typing import Any

import msgspec
import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.explain.instant import instant_of
from engine.formats.scenario_toml import load, loads
from engine.model.identity import EPOCH_BITS
from engine.model.mr1.task_in_progress import PRIORITIES
from engine.model.mr1.tracker import MAP, REDUCE
from engine.observe.documents import header_cells, row_cells, row_object, section_rows, sections_of, table_csv
from engine.observe.mr1_snapshot import JobTrackerSnapshot
from engine.observe.snapshot import (
    ApplicationRow,
    AskRow,
    QueueRow,
    Section,
    Snapshot,
    UserRow,
    column,
    lazy_rows,
    rows_at,
)
from engine.observe.snapshots import OBSERVERS, held_now, snapshot_of, snapshot_of_simulation
from engine.run import Run
from engine.scenario import Scenario
from engine.scenario.acts import DrainNode, KillApplication, LoseNode
from engine.simulation.build import WORLDS, build_simulation
from engine.simulation.initial_state import CONTROL_PLANES
from engine.simulation.simulation import Simulation
from tests.build import ONE_QUEUE
from tests.build.rows import queue
from tests.engine.explain.stuck import at
from tests.engine.explain.test_job_tracker import HEAD, job
from tests.engine.run.pictures import application

# Snapshots as plain values.

DIMENSIONS = ("memory_mb", "vcores")


def leaf(**changes: Any) -> QueueRow:
    little = {"path": "root.a", "used": (1024, 1), "fair_share": (2048, 2), "min_share": (0, 0), "reserved": (0, 0)}
    return queue(**{**little, "applications_running": 1, "containers": 1, "starved_since_ms": None, **changes})


def test_what_cannot_be_told_is_null_and_named() -> None:
    told = row_object(leaf(), DIMENSIONS)

    assert (told["demand"], told["max_share"], told["unknown"]) == (None, None, ["weight", "demand", "steady_share"])


def test_a_table_has_a_column_per_dimension() -> None:
    """Null is empty, true is `true`, and what cannot be told is named last."""
    text = table_csv([leaf()], QueueRow, DIMENSIONS)
    line = next(csv.DictReader(io.StringIO(text)))

    amounts = ("used_memory_mb", "used_vcores", "demand_vcores", "max_share_vcores")

    assert [line[name] for name in amounts] == ["1024", "1", "", ""]
    assert (line["is_leaf"], line["unknown"]) == ("true", "weight demand steady_share")


def test_every_row_is_as_wide_as_its_header() -> None:
    run = Run(load("reservation-deadlock"))
    run.advance(90 * 60_000)
    snapshot = run.snapshot()
    widths = {
        (name, len(row_cells(row, DIMENSIONS)) - len(header_cells(type(row), DIMENSIONS)))
        for name in [*sections_of(snapshot), "containers"]
        for row in section_rows(snapshot, name)
    }

    assert widths == {(name, 0) for name in ["queues", "nodes", "applications", "reservations", "users", "containers"]}


def test_words_with_commas_and_breaks_are_quoted() -> None:
    lines = list(csv.DictReader(io.StringIO(table_csv([leaf(path='a,"b"\nc')], QueueRow, DIMENSIONS), newline="")))

    assert [line["path"] for line in lines] == ['a,"b"\nc']


def test_lists_of_a_flat_row_are_words_or_json() -> None:
    """Asks are JSON with names as they are written; nothing asked for is an empty cell, as is no queue."""
    asking = msgspec.structs.replace(application(1), asks=(AskRow(1, 2, (512, 1), ("nö1",)),))
    of_nothing, of_something = (
        dict(zip(header_cells(ApplicationRow, DIMENSIONS), row_cells(row, DIMENSIONS), strict=True))
        for row in (application(1), asking)
    )
    user = UserRow("ann", ("root.a", "root.b"), 1, 0, 1, (1024, 1), (0, 0), 3, (0, 0), 0.25)

    assert of_nothing["asks"] == ""
    assert "nö1" in str(of_something["asks"])
    assert json.loads(str(of_something["asks"]))[0]["size"] == {"memory_mb": 512, "vcores": 1}
    assert row_cells(user, DIMENSIONS)[1] == "root.a root.b"


# The picture of a JobTracker's cluster, worked out anew from its jobs and trackers, and why its jobs wait.

JOBS = (
    job("ann", 0, "12 x 15s", "3 x 20s", "slow_start = 0.3"),
    job("bob", 2, "4 x 6s"),
    job("eve", 20, "6 x 30s", "2 x 5s", "priority = 1"),
)
CASES = [(second, scheduler) for second in (3, 14, 40, 75) for scheduler in ("mr1-fifo", "mr1-fair")]


@cache
def simulation(second: float, scheduler: str = "mr1-fifo", *jobs: str, settings: str = "", top: str = "") -> Simulation:
    """Two trackers of two map and two reduce slots, at a second."""
    text = HEAD.format(scheduler=scheduler, settings=settings, top=top) + "".join(jobs or JOBS)
    return at(loads(text, "slots"), second)


def tracker_of(one: Simulation) -> JobTracker:
    assert isinstance(one.control_plane, JobTracker)
    return one.control_plane


def snapshot(one: Simulation) -> JobTrackerSnapshot:
    found: Snapshot = snapshot_of(one)
    assert isinstance(found, JobTrackerSnapshot)
    return found


@pytest.mark.parametrize(("second", "scheduler"), CASES)
def test_jobs_say_what_runs_and_what_is_left(second: float, scheduler: str) -> None:
    one = simulation(second, scheduler)
    jt, rows = tracker_of(one), snapshot(one).applications()
    jobs = jt.cluster.jobs
    ended = [number for number, each in jobs.items() if each.is_ended]

    assert [row.number for row in rows] == [*jt.cluster.live, *ended[::-1]]
    for row in rows:
        known = jobs[row.number]
        assert (row.name, row.user, row.type) == (known.description.name, known.description.user, "MAPREDUCE")
        assert (row.submitted_ms, row.finished_ms) == (known.start_ms, known.finish_ms or None)
        assert row.maps == (known.running[MAP], known.finished[MAP], known.wanted(MAP))
        assert row.reduces == (known.running[REDUCE], known.finished[REDUCE], known.wanted(REDUCE))
        held = [each.size for each in snapshot(one).containers(application=row.id)]
        assert (row.containers, row.used) == (len(held), (sum(each[0] for each in held), sum(each[1] for each in held)))
        assert (row.reservations, row.reserved, row.failed_attempts) == (0, (0, 0), sum(known.failed_attempts))
        asks = [(kind, known.pending(kind)) for kind in (MAP, REDUCE) if known.pending(kind) > 0 and not known.is_ended]
        assert [(ask.priority, ask.count) for ask in row.listed_asks] == asks
        assert [ask.size for ask in row.listed_asks] == [((1, 0), (0, 1))[kind] for kind, _ in asks]
        assert row.priority == PRIORITIES[known.priority]
        assert row.local_maps == (*known.local_maps, known.launched_maps)[:3]


@pytest.mark.parametrize(("second", "scheduler"), CASES)
def test_trackers_say_what_is_used_of_their_slots(second: float, scheduler: str) -> None:
    """In the order in which they reported first; what runs is an attempt each."""
    one = simulation(second, scheduler)
    picture = snapshot(one)
    attempts = picture.containers()
    for row in picture.nodes():
        here = picture.containers(node=row.id)
        assert here == tuple(each for each in attempts if each.node == row.id)
        used = (sum(each.size[0] for each in here), sum(each.size[1] for each in here))
        assert (row.used, row.containers, row.total) == (used, len(here), (2, 2))
        assert row.free == (2 - used[0], 2 - used[1])
        assert (row.state, row.is_graylisted, row.flaky_for, row.partition) == ("RUNNING", False, 0, "")
        assert (row.reserved_by, row.reserved) == (None, None)
        assert isinstance(row.last_heartbeat_ms, int)
        assert row.last_heartbeat_ms <= one.now_ms
    assert [each.node for each in attempts] == sorted(each.node for each in attempts)
    assert {each.state for each in attempts} <= {"RUNNING"}
    assert not any(each.is_am for each in attempts)
    live = tracker_of(one).view().containers.live.values()
    assert sorted(each.since_ms for each in attempts if isinstance(each.since_ms, int)) == sorted(
        each.launched_ms for each in live
    )
    assert picture.executors() == ()


def test_what_a_lost_tracker_ran_runs_no_more_and_a_killed_job_asks_for_nothing() -> None:
    """Its two maps wait for tasks that clean up after them; a job's own cleanup task waits from the act on."""
    one = at(loads(HEAD.format(scheduler="mr1-fifo", settings="", top="") + job("ann", 0, "4 x forever"), "slots"), 30)
    one.act(DrainNode("n1:8041"))
    (row,) = snapshot(one).applications()
    assert (row.maps, row.used, row.containers, row.pending_containers) == ((2, 0, 4), (2, 0), 2, 2)
    assert row.obstacle is not None
    assert row.obstacle.sentence.startswith("the cleanup of 2 of its maps waits: all 2 map slots are taken")
    assert snapshot(one).queues()[0].used == (2, 0)

    one.act(KillApplication(1))
    (row,) = snapshot(one).applications()
    assert (row.asks, row.maps, row.pending_containers, row.waiting_since_ms is None) == ((), (2, 0, 4), 1, False)


@pytest.mark.parametrize(
    ("second", "jobs", "sentence"),
    [
        (
            30,
            (job("ann", 0, "4 x forever"), job("bob", 5, "1")),
            "all 4 map slots are taken; 4 reduce slots are idle and run no maps",
        ),
        (
            30,
            (job("ann", 0, "4 x forever", "3 x forever", "slow_start = 0"), job("bob", 5, "1")),
            "all 4 map slots are taken; 1 reduce slot is idle and runs no maps",
        ),
        (
            30,
            (job("ann", 0, "4 x forever", "4 x forever", "slow_start = 0"), job("bob", 5, "1")),
            "its setup task waits: all 4 map slots and 4 reduce slots are taken",
        ),
        (
            60,
            (job("ann", 0, "1 x forever", "3 x forever", "slow_start = 0"), job("bob", 5, "0", "4 x forever")),
            "all 4 reduce slots are taken; 3 map slots are idle and run no reduces; 3 are held by reduces that wait "
            "for maps of their jobs",
        ),
        (
            60,
            (job("ann", 0, "1 x forever", "1 x forever", "slow_start = 0"), job("bob", 5, "0", "9 x forever")),
            "all 4 reduce slots are taken; 3 map slots are idle and run no reduces; 1 is held by reduces that wait "
            "for maps of their jobs",
        ),
        (
            30,
            (job("ann", 0, "1 x 5s", "5 x forever"), job("bob", 20, "0", "1")),
            "all 4 reduce slots are taken; 4 map slots are idle and run no reduces",
        ),
    ],
)
def test_a_job_says_why_it_waits(second: float, jobs: tuple[str, ...], sentence: str) -> None:
    """Its last job's sentence; none of who has what it wants, nor where nobody asks for reasons."""
    picture = snapshot(simulation(second, "mr1-fifo", *jobs))
    row = max(picture.applications(), key=lambda each: each.number)

    assert row.obstacle is not None
    assert row.obstacle.sentence == sentence
    assert {each.obstacle for each in picture.applications(why=False)} == {None}


# Every kind of control plane is looked at through one table.

CAPACITIES = {"capacity": ONE_QUEUE, "mr1-capacity": {"mapred.capacity-scheduler.queue.default.capacity": 100}}
"""Beginning of a scheduler's name → what it cannot stand without."""


def _standing(scheduler: str) -> Simulation:
    return build_simulation(
        Scenario.model_validate(
            {
                "scheduler": scheduler,
                "start": "2024-03-04T09:00:00Z",
                "duration": "1m",
                "cluster": {"groups": [{"count": 2, "memory": "4g", "vcores": 4}]},
                "settings": next((of for name, of in CAPACITIES.items() if scheduler.startswith(name)), {}),
            }
        )
    )


@pytest.mark.parametrize("scheduler", sorted(CONTROL_PLANES))
def test_every_scheduler_has_a_snapshot(scheduler: str) -> None:
    """Its control plane is of a registered kind, and each section it names gives rows of the type it says."""
    simulation = _standing(scheduler)
    kind = simulation.control_plane.view().kind
    snapshot = snapshot_of_simulation(simulation)

    assert kind in OBSERVERS
    assert type(simulation.world) is WORLDS[kind]
    assert snapshot.dialect == kind
    for section, row_type in snapshot.sections.items():
        assert all(type(row) is row_type for row in section_rows(snapshot, section)), section


def test_a_draining_node_says_so_only_where_the_operator_is_asked() -> None:
    """A ResourceManager of 2.7 itself sees a node that shrinks; the version of the nodes changes with it."""
    simulation = _standing("fair-2.7")
    simulation.run_until(simulation.now_ms + 2_000)
    node = simulation.world.nodes[0]
    before = snapshot_of_simulation(simulation)
    simulation.act(DrainNode(node.host))
    seen, believed = snapshot_of_simulation(simulation), snapshot_of(simulation)

    assert isinstance(seen.nodes(), Section)
    assert [row.state for row in seen.nodes()] == ["DECOMMISSIONING", "RUNNING"]
    assert [row.state for row in believed.nodes()] == ["RUNNING", "RUNNING"]
    assert believed.version("nodes") != seen.version("nodes") != before.version("nodes")
    assert seen.version("queues") == believed.version("queues")


def test_a_draining_node_that_is_lost_is_lost() -> None:
    simulation = _standing("fair-2.7")
    simulation.run_until(simulation.now_ms + 2_000)
    host = simulation.world.nodes[0].host
    simulation.act(DrainNode(host))
    simulation.act(LoseNode(host))
    simulation.run_until(simulation.now_ms + 700_000)

    assert [row.state for row in snapshot_of_simulation(simulation).nodes()] == ["LOST", "RUNNING"]


# What each user's applications hold and want together.


def test_users_hold_what_the_cluster_has_given() -> None:
    for name in ("reservation-deadlock", "spark-cores-hoarded"):
        run = Run(load(name))
        run.advance(10 * 60_000)
        snapshot = run.snapshot()
        rows = snapshot.users()

        assert sum(row.used[1] for row in rows) == snapshot.header.used[1]
        assert sum(row.containers for row in rows) == snapshot.header.containers


# Rows that are made when they are asked for, and glimpses that make none.


class _Row(msgspec.Struct, frozen=True):
    name: str
    size: int
    shape: str = "round"


class _Reads:
    """Counts what is read of each thing."""

    def __init__(self) -> None:
        self.sizes = 0

    def size(self, thing: str) -> int:
        self.sizes += 1
        return len(thing)


def _section(reads: _Reads) -> Section[_Row]:
    return Section(["one", "three", "seven"], _Row, {"name": str, "size": reads.size})


def test_a_row_is_made_when_it_is_asked_for() -> None:
    reads = _Reads()
    row = _section(reads)[1]

    assert (row, reads.sizes) == (_Row("three", 5), 1)


def test_a_section_is_a_sequence() -> None:
    section = _section(_Reads())

    assert [row.name for row in section] == ["one", "three", "seven"]
    assert (len(section), [row.name for row in section[1:]]) == (3, ["three", "seven"])
    assert [row.name for row in rows_at(section, [2, 0])] == ["seven", "one"]
    assert rows_at(("a", "b"), [1]) == ["b"]


def test_a_glimpse_reads_only_what_is_looked_at() -> None:
    reads = _Reads()
    seen = list(lazy_rows(_section(reads)))

    assert [glimpse.name for glimpse in seen] == ["one", "three", "seven"]
    assert (reads.sizes, isinstance(seen[0], _Row), hasattr(seen[0], "colour")) == (0, True, False)


def test_a_dear_field_has_another_value_from_afar() -> None:
    section = Section(["one"], _Row, {"name": str, "size": len}, {"size": lambda thing: 0})

    assert (section[0].size, [glimpse.size for glimpse in section[:1].lazy_rows()]) == (3, [0])


def test_a_field_that_a_section_leaves_out_has_its_default() -> None:
    section = _section(_Reads())

    assert [section[0].shape, next(iter(section.lazy_rows())).shape, column(section, "shape")[2]] == ["round"] * 3


def test_glimpses_of_a_plain_sequence_are_its_rows() -> None:
    rows = (1, 2)

    assert lazy_rows(rows) is rows


def test_a_section_equals_any_sequence_of_its_rows() -> None:
    """A list of them, or a section made otherwise; not what is no sequence."""
    section = _section(_Reads())
    rows = [_Row("one", 3), _Row("three", 5), _Row("seven", 5)]

    assert section == rows
    assert section == Section(rows, _Row, {"name": lambda row: row.name, "size": lambda row: row.size})
    assert section != rows[1:]
    assert section != 3


# What runs at an instant, by the containers of the control plane.

RESTARTED = """
duration = "1h"
scheduler = "fair-3.4"
[settings]
"yarn.resourcemanager.recovery.enabled" = true
"yarn.resourcemanager.work-preserving-recovery.enabled" = true
"yarn.resourcemanager.connect.retry-interval.ms" = 1000
[cluster]
nodes = [{ host = "n1", memory = "8g", vcores = 8 }]
[[workload]]
type = "scripted"
user = "ann"
at = 1
am = "unmanaged"
asks = [{ memory = "1g", duration = "5m" }, { memory = "2g", vcores = 2, priority = 2, at = 30, duration = "5m" }]
[[faults]]
do = "rm_restart"
at = 20
down = 5
"""


def test_what_a_restarted_resource_manager_gave_is_held() -> None:
    """Its containers have its epoch in their numbers, those of its former life have none."""
    scenario = loads(RESTARTED, "restarted")
    held = held_now(instant_of(scenario, 60_000).simulation)

    sizes = {number >> EPOCH_BITS: (one.memory_mb, one.vcores) for (_, _, number), one in held.items()}
    assert sizes == {0: (1024, 1), 1: (2048, 2)}
    assert all(each.since_ms > scenario.start_ms for each in held.values())


def test_what_runs_on_nodes_that_have_yet_to_register_again_is_held() -> None:
    """Just before the ResourceManager stops, while it is away, as it starts again, and when the node has found it."""
    scenario = loads(RESTARTED, "restarted")
    held = [held_now(instant_of(scenario, at_ms).simulation) for at_ms in (19_999, 22_000, 25_000, 27_000)]

    assert [len(each) for each in held] == [1, 1, 1, 1]
    assert held[1:] == held[:1] * 3
