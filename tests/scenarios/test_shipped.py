"""Every scenario that comes with the program is what it says: it plays, keeps its promises, and repeats itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.formats.scenario_toml import dump, load, loads, packaged
from engine.observe.journal import JournalWriter
from engine.run import play

NAMES = packaged()
LARGE = ("mr1-job-tracker-restart-recovered", "mr1-slots-of-the-wrong-kind")
"""Those that take ten seconds to play."""
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

HASHED_NAMES = ["reservation-deadlock", "reservation-deadlock-recorded", "prod-dev-fair", "preemption-minshare"]


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
