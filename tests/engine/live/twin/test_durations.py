"""Tests of how long containers are concluded to run."""

import msgspec
import pytest

from engine.live.twin.applications import Estimate, estimates, work_by_kind
from engine.live.twin.cluster_holdings import HeldContainers
from engine.observe.snapshot import ApplicationRow, AskRow

NOW_MS = 1_000_000
ENDED = ApplicationRow(
    id="application_1_1",
    number=1,
    name="report 7",
    user="ann",
    queue="root.adhoc",
    type="MAPREDUCE",
    state="FINISHED",
    submitted_ms=900_000,
    waiting_since_ms=None,
    finished_ms=910_000,
    used=(0, 0),
    containers=0,
    reserved=(0, 0),
    reservations=0,
    asks=(),
    pending_containers=0,
    obstacle=None,
    memory_seconds=90,
    progress=100.0,
)
RUNNING = msgspec.structs.replace(
    ENDED,
    id="application_1_2",
    number=2,
    state="RUNNING",
    submitted_ms=NOW_MS - 20_000,
    finished_ms=None,
    containers=1,
    asks=(AskRow(20, 3, (8, 1), (), True),),
    memory_seconds=60,
    progress=25.0,
)
MASTER = {RUNNING.id: [HeldContainers("n1:1", (1, 1), 1, None, True, None)]}


def estimate(row: ApplicationRow, *others: ApplicationRow) -> Estimate | None:
    """What is concluded of one that runs, with a master of 1 MB."""
    return estimates([row], MASTER, work_by_kind(others), NOW_MS).get(row.id)


def test_containers_that_ended_tell_how_long_the_others_run() -> None:
    """At 25 % of four, one of 8 MB ended; it used what its master did not in 20 s: 40 MB s."""
    assert estimate(RUNNING, ENDED) == Estimate(5000, 2500)


@pytest.mark.parametrize(("used", "expected"), [(28, Estimate(3000, 3000)), (99, Estimate(1000, 1000)), (100, None)])
def test_what_is_left_of_the_work_of_others_is_shared_by_all_containers(used: int, expected: Estimate | None) -> None:
    """Three of 8 MB do the rest of 80 MB s; its master used 20. One that did more than others is not like them."""
    row = msgspec.structs.replace(RUNNING, progress=0.0, memory_seconds=used, name="report 8")

    assert estimate(row, ENDED) == expected


def test_one_of_another_name_lasts_midway_between_that_work_and_that_time() -> None:
    """Three of 8 MB did the rest of 80 MB s in 1 s, the other application took 10 s: the root of 1 times 10."""
    row = msgspec.structs.replace(RUNNING, progress=0.0, memory_seconds=76, name="merge")

    assert estimate(row, ENDED) == Estimate(3162, 3162)
