"""Runs kept on disk: what is acknowledged survives a kill, readers need not wait, damage is told in words."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.observe.journal import Fingerprint
from engine.run.run_reader import KeptRun
from engine.run.run_store import FILE, FIRST_SEAL, seal
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation, replay
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import BUSY, Log, scenario

SCENE = scenario(BUSY, count=6)


def kept(root: Path, name: str = "one", *, seconds: int = 120) -> tuple[Simulation, Log]:
    """A run that was kept to its end, with an action from outside."""
    log = Log()
    with RunWriter(root, name, SCENE, created="today") as keeper:
        simulation = build_simulation(SCENE, [keeper, keeper.history, log])
        keeper.follow(simulation)
        simulation.run_until(SCENE.start_ms + seconds * 500)
        simulation.act(SetPreemption(on=True))
        simulation.run_until(SCENE.start_ms + seconds * 1000)
        keeper.finish(simulation.now_ms)
    return simulation, log


def lines(root: Path, name: str = "one") -> list[bytes]:
    return (root / name / FILE).read_bytes().splitlines(keepends=True)


def write(root: Path, data: list[bytes], name: str = "one") -> None:
    (root / name / FILE).write_bytes(b"".join(data))


def sealed(bodies: Sequence[bytes]) -> list[bytes]:
    former, found = FIRST_SEAL, []
    for body in bodies:
        former = seal(former, body)
        found.append(body + b"\t" + former + b"\n")
    return found


def refusal(root: Path, name: str = "one") -> str:
    with pytest.raises(ConfigError) as error:
        KeptRun(root, name)
    return str(error.value)


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


def test_a_run_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        simulation = build_simulation(SCENE, [keeper])
        simulation.run_until(SCENE.start_ms + 60_000)
        with KeptRun(tmp_path, "one") as run:
            simulation.run_until(SCENE.start_ms + 90_000)
            simulation.act(SetPreemption(on=True))
            assert (run.info.is_whole, run.info.acts, len(run.acts())) == (False, 0, 1)


KILLED = """
import sys
from pathlib import Path
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
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


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_line_that_is_missing_or_twice_is_found(tmp_path: Path, place: str) -> None:
    """What every line is sealed with depends on all before it; without its end a run is not whole."""
    kept(tmp_path, seconds=30)
    good = lines(tmp_path)
    number = {"first": 1, "middle": len(good) // 2, "last": len(good) - 2}[place]

    write(tmp_path, [*good[:number], *good[number + 1 :]])
    assert f"line {number + 1:,} is damaged" in refusal(tmp_path)
    write(tmp_path, [*good[: number + 1], *good[number:]])
    assert f"line {number + 2:,} is damaged" in refusal(tmp_path)
    write(tmp_path, good[:-1])
    with KeptRun(tmp_path, "one") as run:
        assert not run.info.is_whole


def test_a_last_line_that_was_cut_off_counts_as_not_there(tmp_path: Path) -> None:
    """At every byte of it: the run is as if its program had been killed before."""
    kept(tmp_path, seconds=1)
    good = lines(tmp_path)
    for size in range(len(good[-2])):
        write(tmp_path, [*good[:-2], good[-2][:size]])
        with KeptRun(tmp_path, "one") as run:
            assert (run.info.records, run.info.is_whole) == (len(good) - 3, False)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"format":2', b'"format":3', "it has format 3, this program .* reads 2"),
        (b"schedlab run", b"another file", "not a kept run of schedlab"),
        (b'"title"', b'"tilte"', "line 1 is damaged"),
    ],
)
def test_another_version_and_foreign_files_are_named(old: bytes, new: bytes, words: str, tmp_path: Path) -> None:
    kept(tmp_path, seconds=1)
    first, *rest = lines(tmp_path)
    write(tmp_path, [first.replace(old, new), *rest])

    assert re.search(words, refusal(tmp_path))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{}", "line 2 is damaged"),
        (b"[1,{}]", "line 2 is damaged"),
        (b'[1e99,{"kind":"Draining","node":"n"}]', "line 2 is damaged"),
        (b'{"kind":"Samples","time_ms":0,"values":{"a":"x"}}', "line 2 is damaged"),
        (b'{"kind":"Samples","time_ms":999999999999999999,"values":{}}', "line 2 is damaged"),
        (b"[" * 100_000, "line 2 is damaged"),
    ],
)
def test_lines_that_hold_nothing_of_ours_are_damage(line: bytes, words: str, tmp_path: Path) -> None:
    kept(tmp_path, seconds=1)
    write(tmp_path, sealed([lines(tmp_path)[0][:-18], line]))

    assert words in refusal(tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "link", "directory", "nothing"])
def test_only_a_regular_file_is_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "one" / FILE
    path.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "link" else "missing")

    assert str(path) in refusal(tmp_path)
