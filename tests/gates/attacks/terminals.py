"""Terminals that go away under a run that is kept: the program ends, and all that had happened is on disk."""

import tempfile
import time
from pathlib import Path
from random import Random
from typing import Final

from engine.run.run_store import FILE
from tests.gates.attacks.kept_runs import BUSY, Truth, judged
from tests.gates.attacks.tally import SECONDS, Tally
from tests.gates.soak.terminal import Terminal

LEAST: Final = 200
"""How many lines are kept before the terminal goes."""
LOADING_S: Final = 60.0


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    random, tally, truth = Random(f"terminals {seed}"), Tally("terminals", longest_s), Truth()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "busy.toml").write_text(BUSY)
        for number in range(count):
            root = folder / f"runs{number}"
            kept = ["--keep", "auto", "-c", f"runs_folder={root}"]
            terminal = Terminal(["open", str(folder / "busy.toml"), "--speed", "0", *kept], (120, 40), tmux=False)
            deadline = time.monotonic() + LOADING_S
            while _lines(root) < LEAST and time.monotonic() < deadline:
                terminal.drain(0.2)
            terminal.drain(random.random())
            tally.tried += 1
            if (ended_s := terminal.hang_up(longest_s)) is None:
                tally.mark(f"terminal {number}", "the program does not end")
                continue
            tally.worst_s = max(tally.worst_s, ended_s)
            wrong, _ = judged(root, truth, least_records=LEAST // 2)
            if wrong:
                tally.mark(f"terminal {number}", wrong)
            else:
                tally.accepted += 1
    return tally


def _lines(root: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in root.glob(f"*/{FILE}"))
