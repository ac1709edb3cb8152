"""Every scenario that comes with the program is what it says: it plays, keeps its promises, and repeats itself."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.formats.file_schema import previews
from engine.formats.scenario_toml import dump, load, loads, packaged
from engine.model.decision import ApplicationTransitioned
from engine.observe.journal import JournalWriter
from engine.run import play
from engine.simulation.records import Record
from tests.previews import preview_of

NAMES = packaged()
LARGE = (
    *("mr1-job-tracker-restart-recovered", "mr1-slots-of-the-wrong-kind", "prod-dev-fair", "rm-restart-deadlock"),
    *(f"reservation-deadlock-{name}" for name in ("3.4", "continuous-3.4", "big-nodes-3.4", "small-maximum-3.4")),
    *(f"reservation-deadlock-rule-{name}" for name in ("limited", "off-3.4")),
)
"""Those that take long to play, most of them beside one like them."""
CAPTIONS = ("What it shows", "TODO", "draft")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in LARGE)) for name in NAMES])
def test_a_scenario_keeps_its_promises(name: str) -> None:
    """Played to its end, every expectation is met and every step of the script does something."""
    outcome = play(load(name))
    assert [(result.expectation.about, result.sentence) for result in outcome.failed] == []
    assert {result.verdict for result in outcome.results} == {"met"}
    assert outcome.mishaps == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_says_what_it_shows(name: str) -> None:
    """A title, and a leading comment with what to watch, or what it varies."""
    scenario = load(name)
    assert scenario.title
    assert len(scenario.about) > 200
    assert "atch" in scenario.about
    assert not scenario.about.startswith(CAPTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_reads_back_after_export(name: str) -> None:
    scenario = load(name)
    assert loads(dump(scenario)) == scenario


HASHED = """
import sys
from pathlib import Path
from engine.formats.scenario_toml import load
from engine.observe.journal import JournalWriter
from engine.run import play
for name in {names}:
    scenario = load(name)
    with JournalWriter.to_file(Path(sys.argv[1]) / name, scenario) as journal:
        play(scenario, min(scenario.duration_ms, 2_400_000), [journal])
"""

HASHED_NAMES = [
    *("reservation-deadlock", "reservation-deadlock-recorded", "prod-dev-fair", "preemption-minshare"),
    "spark-worker-lost",
]


@pytest.mark.long
def test_a_scenario_repeats_itself_under_any_hash_seed(tmp_path: Path) -> None:
    journals = []
    for seed in ("1", "2", "3"):
        folder = tmp_path / seed
        folder.mkdir()
        code = HASHED.format(names=HASHED_NAMES)
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(folder)], env=environment, check=True)
        journals.append({name: (folder / name).read_bytes() for name in HASHED_NAMES})
    assert journals[0] == journals[1] == journals[2]
    assert all(journal.count(b"\n") > 15 for journal in journals[0].values())


def test_the_journal_of_a_piecewise_run_is_that_of_a_whole_one(tmp_path: Path) -> None:
    scenario = load("reservation-deadlock-recorded")
    for name, one in (("watched", scenario), ("alone", scenario.model_copy(update={"expectations": ()}))):
        with JournalWriter.to_file(tmp_path / name, one) as journal:
            play(one, listeners=[journal])
    assert (tmp_path / "watched").read_bytes() == (tmp_path / "alone").read_bytes()


# What the chooser shows of a scenario is what playing it shows.

CHEAP = ("pattern-am-only", "spark-spread-out", "capacity-stopped-queue")
PREVIEWED = [pytest.param(name, marks=[pytest.mark.long] * (name not in CHEAP)) for name in NAMES]


def test_every_scenario_has_the_preview_of_what_it_is_now() -> None:
    found = previews()

    assert {name: found[name].digest for name in packaged()} == {name: load(name).digest() for name in packaged()}


@pytest.mark.parametrize("name", PREVIEWED)
def test_a_preview_is_what_playing_shows(name: str) -> None:
    assert preview_of(load(name)) == previews()[name]


# One workload on FIFO, CapacityScheduler and FairScheduler: the order in which its two jobs end.

THREE_NAMES = ("three-schedulers-fifo", "three-schedulers-capacity", "three-schedulers-fair")


class _Ends:
    """A listener that notes when applications finish, in that order."""

    def __init__(self) -> None:
        self.at_ms: dict[int, int] = {}

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, ApplicationTransitioned) and record.state in ("FINISHED", "SUCCEEDED"):
                self.at_ms[record.application] = time_ms


@pytest.fixture(scope="module")
def ends() -> dict[str, dict[int, int]]:
    """Scenario → application → when it finished, in that order; 1 is the large job, 2 the small one."""
    found = {}
    for name in THREE_NAMES:
        listener = _Ends()
        play(load(name), listeners=[listener])
        found[name] = listener.at_ms
    return found


def test_the_large_job_ends_first_under_fifo_alone(ends: dict[str, dict[int, int]]) -> None:
    """Under the other two the small one does, though it came a minute later."""
    assert [list(ends[name]) for name in THREE_NAMES] == [[1, 2], [2, 1], [2, 1]]


def test_the_large_job_ends_soonest_under_fifo_and_latest_under_capacity(ends: dict[str, dict[int, int]]) -> None:
    """CapacityScheduler keeps a fifth of the cluster idle; FairScheduler lends it until somebody wants it."""
    fifo, capacity, fair = (ends[name][1] for name in THREE_NAMES)

    assert fifo < fair < capacity
