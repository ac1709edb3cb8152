"""Runs kept on disk: what is acknowledged survives a kill, readers need not wait, damage is told in words."""

import signal
import sqlite3
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.run.run_reader import FILE, KeptRun, delete, directory, free_name, names
from engine.run.run_writer import RunWriter
from engine.simulation.actions import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.run_export import Fingerprint, replay
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import BUSY, Log, scenario

SCENE = scenario(BUSY, count=6)


def kept(root: Path, name: str = "one", *, seconds: int = 120) -> tuple[Simulation, Log]:
    """A run that was kept to its end, with an action from outside."""
    log = Log()
    with RunWriter(root, name, SCENE, created="today") as keeper:
        simulation = build_simulation(SCENE, [keeper, log])
        simulation.run_until(SCENE.start_ms + seconds * 500)
        simulation.act(SetPreemption(on=True))
        simulation.run_until(SCENE.start_ms + seconds * 1000)
        keeper.finish(simulation.now_ms)
    return simulation, log


def damage(root: Path, statement: str, name: str = "one") -> None:
    """Change something in a run's file."""
    with sqlite3.connect(root / name / FILE) as db:
        db.executescript(statement)
    db.close()


def test_a_kept_run_is_read_back(tmp_path: Path) -> None:
    """Scenario, actions, journal and hash are what they were, and a replay of them gives the same."""
    simulation, log = kept(tmp_path)

    with KeptRun(tmp_path, "one") as run:
        again = Fingerprint()
        replay(run.scenario(), run.acts(), run.info.until_ms, [again])
        assert (run.scenario(), run.acts()) == (SCENE, simulation.acts)
        assert b"".join(run.journal()) == log.journal
        assert (run.info.journal_hash, run.info.records) == (again.hexdigest(), again.lines)
        assert run.hash_until(run.info.until_ms) == run.info.journal_hash
        assert (run.info.is_whole, run.info.acts, run.info.created) == (True, 1, "today")
        assert run.info.until_ms == simulation.now_ms


def test_part_of_a_journal_can_be_read(tmp_path: Path) -> None:
    """Up to an instant, that instant included."""
    _, log = kept(tmp_path)
    until_ms = log.entries[len(log.entries) // 2][0]

    with KeptRun(tmp_path, "one") as run:
        lines = list(run.journal(until_ms))

    assert len(lines) == sum(time_ms <= until_ms for time_ms, _ in log.entries)


def test_series_are_sampled(tmp_path: Path) -> None:
    """What the cluster used over time can be read without replaying anything."""
    kept(tmp_path)

    with KeptRun(tmp_path, "one") as run:
        used = run.series("used_memory_mb")
        assert {"containers", "root.a", "root.b"} <= set(run.series_names())

    assert len(used) > 5
    assert used == sorted(used)
    assert max(value for _, value in used) <= 6 * 16384


def test_a_run_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    """What was written is there, and the run is not whole yet."""
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        simulation = build_simulation(SCENE, [keeper])
        simulation.run_until(SCENE.start_ms + 60_000)
        keeper.write()
        with KeptRun(tmp_path, "one") as run:
            simulation.run_until(SCENE.start_ms + 90_000)
            simulation.act(SetPreemption(on=True))
            assert (run.info.is_whole, run.info.acts, len(run.acts())) == (False, 0, 1)


KILLED = """
import sys
from pathlib import Path
from engine.run.run_writer import RunWriter
from engine.simulation.actions import SetPreemption
from engine.simulation.build import build_simulation
from tests.engine.run.test_run_reader import SCENE
with RunWriter(Path(sys.argv[1]), "one", SCENE, created="") as keeper:
    simulation = build_simulation(SCENE, [keeper])
    for turn in range(10_000):
        simulation.run_until(simulation.now_ms + 1_700)
        simulation.act(SetPreemption(on=turn % 2 == 0))
        print(turn + 1, simulation.now_ms, flush=True)
"""


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_the_program_is_killed(tmp_path: Path) -> None:
    """After SIGKILL every answered action is there, and the journal is the true one up to its end."""
    acknowledged = now_ms = 0
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(25):
            acknowledged, now_ms = map(int, process.stdout.readline().split())
        process.send_signal(signal.SIGKILL)

    assert process.returncode == -signal.SIGKILL
    with KeptRun(tmp_path, "one") as run:
        acts = run.acts()
        assert len(acts) == run.info.acts >= acknowledged
        assert run.info.until_ms >= now_ms
        assert not run.info.is_whole
        log = Log()
        replay(run.scenario(), acts, run.info.until_ms, [log])
        journal = b"".join(run.journal())
        assert log.journal.startswith(journal)
        assert sha256(journal).hexdigest() == run.info.journal_hash


def test_a_name_is_used_once(tmp_path: Path) -> None:
    """A run is never written over."""
    kept(tmp_path, seconds=10)

    with pytest.raises(ConfigError, match="there is a run one already"):
        RunWriter(tmp_path, "one", SCENE, created="")
    assert free_name(tmp_path, "one") == "one-1"
    assert free_name(tmp_path, "../ a/b") == "a-b-1"


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "é", "x" * 65])
def test_names_stay_inside_the_directory(name: str, tmp_path: Path) -> None:
    """Nothing that could lead elsewhere is a name."""
    with pytest.raises(ConfigError, match="cannot name a run"):
        directory(tmp_path, name)


def test_runs_are_listed_oldest_first(tmp_path: Path) -> None:
    """Other directories are no runs."""
    kept(tmp_path, "two", seconds=1)
    kept(tmp_path, "one", seconds=1)
    (tmp_path / "other").mkdir()

    assert names(tmp_path) == ["two", "one"]
    assert names(tmp_path / "missing") == []


def test_an_unknown_run_names_those_that_are_there(tmp_path: Path) -> None:
    """A typing mistake is easily mended."""
    with pytest.raises(ConfigError, match="no run is kept in"):
        KeptRun(tmp_path, "one")
    kept(tmp_path, seconds=1)
    with pytest.raises(ConfigError, match=r"there is no run oen.*there is one"):
        KeptRun(tmp_path, "oen")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("PRAGMA user_version = 2", "it has format 2, this program .* reads 1"),
        ("PRAGMA application_id = 7", "no kept run of schedlab"),
        ("DELETE FROM facts", "damaged"),
        ("UPDATE facts SET value = '{' WHERE key = 'so_far'", "damaged"),
        ("UPDATE facts SET value = '{}' WHERE key = 'about'", "damaged: Object missing required field"),
        ("DROP TABLE facts", "damaged: no such table"),
    ],
)
def test_damage_is_told_in_words(statement: str, words: str, tmp_path: Path) -> None:
    """Another version, or a run somebody tampered with, is refused when it is opened."""
    kept(tmp_path, seconds=1)
    damage(tmp_path, statement)

    with pytest.raises(ConfigError, match=words):
        KeptRun(tmp_path, "one")


def test_damage_deeper_inside_is_told_when_it_is_read(tmp_path: Path) -> None:
    """A scenario that cannot be, actions that are none, a missing journal."""
    kept(tmp_path, seconds=1)
    damage(tmp_path, "UPDATE facts SET value = '{}' WHERE key = 'scenario'; DROP TABLE journal")
    damage(tmp_path, "INSERT INTO acts VALUES (9, 0, '[]')")

    with KeptRun(tmp_path, "one") as run:
        for read in (run.scenario, run.acts, lambda: list(run.journal())):
            with pytest.raises(ConfigError, match="damaged"):
                read()


@pytest.mark.parametrize("data", [b"", b"no database at all, by far", b"SQLite format 3\0" + bytes(4096)])
def test_a_file_that_is_no_database_is_told_in_words(data: bytes, tmp_path: Path) -> None:
    """Whatever stands in its place."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / FILE).write_bytes(data)

    with pytest.raises(ConfigError):
        KeptRun(tmp_path, "one")


def test_deleting_takes_the_run_and_nothing_else(tmp_path: Path) -> None:
    """A directory with other files in it stays, with them."""
    kept(tmp_path, seconds=1)
    kept(tmp_path, "two", seconds=1)
    (tmp_path / "two" / "notes").write_text("mine")

    delete(tmp_path, "one")

    assert not (tmp_path / "one").exists()
    with pytest.raises(ConfigError, match="cannot be deleted"):
        delete(tmp_path, "two")
    assert (tmp_path / "two" / "notes").read_text() == "mine"
    with pytest.raises(ConfigError, match="there is no run one"):
        delete(tmp_path, "one")


def test_a_place_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    """A file stands where the directory should be."""
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match="cannot be made"):
        RunWriter(tmp_path / "file", "one", SCENE, created="")


def test_a_disk_that_fails_is_told_in_words(tmp_path: Path) -> None:
    """Whoever writes learns that the run is not kept any more."""
    keeper = RunWriter(tmp_path, "one", SCENE, created="")
    keeper.close()

    with pytest.raises(ConfigError, match="the run cannot be kept"):
        keeper.write()
