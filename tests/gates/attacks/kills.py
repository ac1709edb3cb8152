"""Programs that keep a run and are killed at any instant: what is on disk is an exact beginning of what happened."""

import signal
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Final

from engine.run.run_store import FILE
from tests.gates.attacks.kept_runs import BUSY, Truth, judged
from tests.gates.attacks.tally import SECONDS, Tally
from tests.gates.soak.terminal import Terminal

LATEST_S: Final = 2.0
"""Latest instant of a kill, after the program was started or the run was begun."""
LOADING_S: Final = 60.0


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Kill `play --keep auto` and `open --keep auto` in a terminal, with and without acts."""
    random, tally, truth = Random(f"kills {seed}"), Tally("kills", longest_s), Truth()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "busy.toml").write_text(BUSY)
        for number in range(count):
            root = folder / f"runs{number}"
            kept = ["--keep", "auto", "-c", f"runs_folder={root}"]
            play = ["play", "-q", str(folder / "busy.toml"), *kept]
            screen = ["open", str(folder / "busy.toml"), "--speed", "0", "-c", "confirm=never", *kept]
            after_s = random.random() * LATEST_S
            is_screen = number % 2 == 1
            terminal = Terminal(screen if is_screen else play, (120, 40), tmux=False)
            deadline = time.monotonic() + LOADING_S
            while number % 5 and not list(root.glob(f"*/{FILE}")) and time.monotonic() < deadline:
                terminal.drain(0.05)
            terminal.drain(after_s)
            if is_screen and terminal.ended() is None:
                terminal.type(b"P")
                terminal.drain(random.random())
            terminal.send(signal.SIGKILL)
            terminal.close()
            tally.tried += 1
            wrong, records = judged(root, truth)
            label = f"{'open' if is_screen else 'play'} killed after {after_s:.2f} s"
            if wrong:
                tally.mark(label, wrong)
            elif records:
                tally.accepted += 1
            else:
                tally.refused += 1
    return tally
