"""One point, played in whatever process: how far, within which bounds, and what is said of it."""

import os
import socket
from pathlib import Path

import msgspec
import pytest

from engine.formats.scenario_toml import loads
from engine.measures import Meter, RunMeasures
from engine.observe.journal import program_version
from engine.run import Run
from engine.sweep import Bounds, Point, PointOutcome, WorkPlace, grid, local_place, play_all, play_point
from engine.sweep.playing import SLICES, unpacked
from tests.engine.sweep.test_points import small
from tests.engine.sweep.test_sweeps import base

POINT = Point(0, {}, 0)


def measured(until_ms: int) -> RunMeasures:
    """The figures of the small scenario up to an instant."""
    meter = Meter()
    run = Run(small(), [meter], until_ms, is_judged=False)
    meter.follow(run.simulation)
    run.advance(until_ms)
    return meter.measures(run.simulation.now_ms)


@pytest.mark.parametrize(
    ("until_ms", "played_ms"), [(None, 300_000), (299_999, 299_999), (300_001, 300_000), (61_234, 61_234), (1, 1)]
)
def test_a_point_is_played_to_the_end_that_was_asked_for(until_ms: int | None, played_ms: int) -> None:
    """Or to that of its scenario, which is never passed."""
    outcome = play_point(msgspec.structs.replace(base(), until_ms=until_ms), POINT)

    assert (outcome.status, outcome.words) == ("done", "")
    assert outcome.measures == measured(played_ms)
    assert outcome.seconds >= 0


def test_an_outcome_says_who_played_it_and_what_that_holds() -> None:
    """Host, process, and its resident memory by the system."""
    outcome = play_point(base(), POINT)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])

    assert outcome.worker == f"{socket.gethostname()}:{os.getpid()}"
    assert outcome.memory_mb == pytest.approx(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, rel=0.1)


@pytest.mark.parametrize(
    ("bounds", "until_ms", "words"),
    [
        (Bounds(seconds=-1.0), None, "took more than -1 s; it had played 1.5 s"),
        (Bounds(seconds=-1.0), SLICES, "took more than -1 s; it had played 0.001 s"),
        (Bounds(memory_mb=0), SLICES + 1, "took more than 0 MB; it had played 0.002 s"),
        (Bounds(memory_mb=0), 1, "took more than 0 MB; it had played 0.001 s"),
        (Bounds(1e9, 10**9), 1, ""),
    ],
)
def test_bounds_are_looked_at_two_hundred_times_and_at_the_end(
    bounds: Bounds, until_ms: int | None, words: str
) -> None:
    """It is said how far it came."""
    outcome = play_point(base(bounds=bounds, until_ms=until_ms), POINT)

    assert (outcome.status, outcome.words) == ("failed" if words else "done", words)
    assert (outcome.measures is None) == bool(words)


def test_a_worker_of_another_version_says_both() -> None:
    """It plays nothing."""
    outcome = play_point(msgspec.structs.replace(base(), version="0.0.1"), POINT)
    worker = f"{socket.gethostname()}:{os.getpid()}"

    assert (outcome.status, outcome.measures) == ("foreign", None)
    assert outcome.words == f"{worker} has schedlab {program_version()}, not 0.0.1"


def test_a_point_has_its_own_seed_and_settings() -> None:
    """As its scenario would."""
    text = 'duration = "1m"\nscheduler = "fair-2.7"\n[cluster]\nnodes = [{ host = "n", memory = "4g", vcores = 4 }]\n'
    scenario = text + '[[workload]]\ntype = "mapreduce"\nuser = "ann"\nmaps = 40\nmap_duration = ["1s", "9s"]\n'
    shared = msgspec.structs.replace(base(), scenario=scenario.encode())
    found = [play_point(shared, Point(0, {}, seed)).measures for seed in (1, 2, 1)]

    assert found[0] == found[2] != found[1]
    assert loads(scenario, "s").duration_ms == 60_000


def test_what_is_shipped_to_processes_of_this_machine_is_what_was_given() -> None:
    """It is read before they are made."""
    assert unpacked(base()) == base()


def test_processes_of_this_machine_play_as_this_one() -> None:
    """All points come, whoever played them; the place says how many there are."""
    kept: dict[int, PointOutcome] = {}
    place = local_place(2)
    points = grid([], [0, 1, 2])
    play_all(base(until_ms=5000), points, place, lambda point, outcome: kept.update({point.number: outcome}))

    assert (place.name, place.workers, local_place(1).name) == ("2 local processes", 2, "1 local process")
    here = [play_point(base(until_ms=5000), point).measures for point in points]
    assert [kept[point.number].measures for point in points] == here
    assert f"{socket.gethostname()}:{os.getpid()}" not in {each.worker for each in kept.values()}


def test_a_place_is_patient_and_has_somebody_left_unless_it_says_otherwise() -> None:
    """Its end ends nothing, and it ships what it is given."""
    place = WorkPlace("here", 1, lambda: pytest.fail("nothing is made"), ())

    place.end()
    place.check()
    assert (place.patience_s, place.ship(base())) == (float("inf"), base())
