"""A busy run to keep, and whether what is on disk of one is as it was."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.observe.journal import encode_records
from engine.run.run_reader import KeptRun
from engine.run.run_store import FILE
from engine.simulation.build import build_simulation, replay
from engine.simulation.records import Record

BUSY: Final = """
name = "busy"
start = 2024-03-04T09:00:00Z
duration = "24h"
[[cluster.groups]]
count = 20
prefix = "n"
memory = "16g"
vcores = 16
[[workload]]
type = "mapreduce"
user = "ann"
queue = "a"
at = 5
maps = 60
reduces = 6
map_duration = ["10s", "30s"]
reduce_duration = "20s"
failures = 0.05
repeat = { times = 900, every = 90 }
"""


class Journal:
    """A listener that keeps the journal's lines."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.lines += encode_records(time_ms, records).splitlines(keepends=True)


class Truth:
    """What happens in the busy run, played as far as anybody asks."""

    def __init__(self) -> None:
        self._journal = Journal()
        self._simulation = build_simulation(loads(BUSY, "busy.toml"), [self._journal])

    def lines(self, until_ms: int) -> list[bytes]:
        """The journal at least up to an instant [epoch ms]."""
        self._simulation.run_until(max(until_ms, self._simulation.now_ms))
        return self._journal.lines


def what_is_wrong(root: Path, name: str, truth: Truth) -> str:
    """In words why what is kept is no exact beginning of what happened; empty when it is.

    Raises:
        ConfigError: Nothing of it can be read.
    """
    with KeptRun(root, name) as run:
        kept, info, acts = list(run.journal()), run.info, run.acts()
        if len(kept) != info.records or run.hash_until(info.until_ms) != info.journal_hash:
            return f"{len(kept)} lines are read, {info.records} with another hash are told"
        if acts:
            again = Journal()
            replay(run.scenario(), acts, info.until_ms, [again])
            true = again.lines
        else:
            true = truth.lines(info.until_ms)
    return "" if true[: len(kept)] == kept else "what is kept is not what happened"


def is_begun(root: Path, name: str) -> bool:
    """Whether the first line of a run is there in full."""
    path = root / name / FILE
    return path.is_file() and b"\n" in path.read_bytes()


def judged(root: Path, truth: Truth, *, least_records: int = 0) -> tuple[str, int]:
    """What is wrong with the one run that was kept, in words, and how many records it has."""
    names = [path.name for path in root.iterdir()] if root.is_dir() else []
    if len(names) != 1 or not is_begun(root, names[0]):
        return ("" if not least_records else f"nothing was kept: {names}"), 0
    try:
        wrong = what_is_wrong(root, names[0], truth)
        with KeptRun(root, names[0]) as run:
            count = run.info.records
    except ConfigError as error:
        return f"it cannot be read: {error}", 0
    return wrong or (f"only {count} records were kept" if count < least_records else ""), count
