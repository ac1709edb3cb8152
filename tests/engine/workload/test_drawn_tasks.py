"""What is drawn for a MapReduce job's tasks before it begins: durations, places, failures."""

import pytest

from engine.scenario import MapReduceSpec
from engine.workload.mapreduce import Tasks
from tests.engine.workload.cases import TOPOLOGY


def test_drawn_tasks_can_be_made_again() -> None:
    """From little: durations, places, and the attempts that fail or hang."""
    spec = MapReduceSpec(
        type="mapreduce",
        user="a",
        maps=9,
        reduces=3,
        map_duration_ms=(1, 10**6),
        replication=2,
        failures=0.4,
        hangs=0.4,
    )
    tasks = Tasks(7, spec, TOPOLOGY, 3)

    again = Tasks.of(tasks.drawn(), TOPOLOGY)

    assert (again.duration_ms, again.hosts_of, again.drawn()) == (tasks.duration_ms, tasks.hosts_of, tasks.drawn())
    assert [again.near(host) for host in ("h1", "h3", "h9")] == [tasks.near(host) for host in ("h1", "h3", "h9")]
    attempts = [(task, attempt) for task in range(12) for attempt in range(5)]
    assert [again.fails(*each) for each in attempts] == [tasks.fails(*each) for each in attempts]
    assert [again.hangs(*each) for each in attempts] == [tasks.hangs(*each) for each in attempts]


def test_maps_are_listed_by_host_and_rack() -> None:
    """Once in a rack that has two of its hosts; a host the cluster does not have is in none."""
    spec = MapReduceSpec(type="mapreduce", user="a", maps=3, blocks=(("h1", "h2"), ("h3",), ("h9",)))
    tasks = Tasks(1, spec, TOPOLOGY, 0)

    assert tasks.near("h1") == (("h1", [0]), ("/r1", [0]))
    assert tasks.near("h3") == (("h3", [1]), ("/r2", [1]))
    assert tasks.near("h9") == (("h9", [2]), ("", ()))


@pytest.mark.parametrize(
    ("hanging", "failing", "hangs", "fails"), [(0, 0, 0, 0), (1, 0, 1, 1), (0, 2, 0, 2), (1, 2, 1, 3)]
)
def test_attempts_hang_first_then_fail(hanging: int, failing: int, hangs: int, fails: int) -> None:
    """Those that hang fail as well, in the end."""
    tasks = Tasks.of(((5,), {0: failing}, {0: hanging}, ()), TOPOLOGY)

    assert [tasks.hangs(0, attempt) for attempt in range(4)] == [attempt < hangs for attempt in range(4)]
    assert [tasks.fails(0, attempt) for attempt in range(4)] == [attempt < fails for attempt in range(4)]
    assert not tasks.fails(1, 0)
