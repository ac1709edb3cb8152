"""Random keys, mouse and sizes for long, one JSON line a minute: `python -m tests.gates.soak --minutes 20 --tmux`.

It fails when the program ends otherwise than by being asked to, or writes a traceback. A run that was left on purpose
(a click on `quit`, say) is opened again, and its memory is counted anew.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from tests.gates.soak.keys import SIZES, keystroke
from tests.gates.soak.terminal import Terminal

SCENARIO: Final = """
name = "endless"
title = "Three teams, for ever"
duration = "30d"
seed = 11
queues = [{ name = "prod", weight = 3.0 }, { name = "dev" }]
[settings]
"yarn.scheduler.fair.preemption" = true
[cluster]
groups = [{ count = 40, prefix = "n", memory = "48g", vcores = 16, racks = ["/a", "/b", "/c"] }]
[[workload]]
type = "mapreduce"
user = "ann"
queue = "prod"
maps = 300
reduces = 8
map = { memory = "2g", vcores = 1 }
map_duration = ["20s", "300s"]
reduce_duration = ["60s", "400s"]
repeat = { every = "200s", times = 12000 }
[[workload]]
type = "spark"
user = "bob"
queue = "dev"
executors = 12
executor = { memory = "9g", vcores = 3 }
duration = ["10m", "30m"]
repeat = { every = "10m", times = 4000 }
"""
"""About half of the cluster is used, by applications that come and go for a month."""

COMPLAINTS: Final = (b"Traceback", b"mistake of its own")
"""What no program may write."""

KEYS_PER_S: Final = 25
RESIZE_EVERY: Final = 40
"""Keystrokes between two changes of the size, on average."""


def soak(minutes: float, seed: int, *, tmux: bool, path: str, extra: Sequence[str] = ()) -> list[dict[str, float]]:
    """Press keys for a while; a line of figures for each minute.

    Raises:
        RuntimeError: The program died or wrote a traceback.
    """
    draw, lines = Random(seed), list[dict[str, float]]()
    size = SIZES[0]
    arguments = ["open", path, "--speed", "60", *extra]
    terminal = Terminal(arguments, size, tmux=tmux)
    keys = resizes = reopened = 0
    begun = time.monotonic()
    try:
        terminal.drain(3.0)
        while time.monotonic() - begun < minutes * 60:
            if draw.randrange(RESIZE_EVERY) == 0:
                size = draw.choice(SIZES)
                terminal.resize(*size)
                resizes += 1
            if terminal.ended() is None:
                terminal.type(keystroke(draw, size))
                keys += 1
            terminal.drain(1 / KEYS_PER_S)
            if (code := terminal.ended()) is not None or any(words in terminal.tail for words in COMPLAINTS):
                _check(code, terminal.tail)
                terminal.close()
                terminal, reopened = Terminal(arguments, size, tmux=tmux), reopened + 1
                terminal.drain(3.0)
            if time.monotonic() - begun >= (len(lines) + 1) * 60:
                figures = {"minute": len(lines) + 1, "keys": keys, "resizes": resizes, "reopened": reopened}
                lines.append(figures | {"memory_mb": round(terminal.memory_mb(), 1), "written": terminal.written})
                print(json.dumps(lines[-1]), flush=True)
    finally:
        terminal.close()
    return lines


def _check(code: int | None, tail: bytes) -> None:
    if code != 0 or any(words in tail for words in COMPLAINTS):
        raise RuntimeError(f"ended with {code}: {tail[-3000:].decode(errors='replace')}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", nargs="?", help="a packaged scenario or a file; by default one that never ends")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--read-only", action="store_true", help="without acts, so that the cluster stays as busy as it is"
    )
    parser.add_argument("--tmux", action="store_true", help="with tmux between program and terminal")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "endless.toml")
        path.write_text(SCENARIO, encoding="utf-8")
        extra = ["--save-folder", folder, *(["--read-only"] if given.read_only else [])]
        try:
            soak(given.minutes, given.seed, tmux=given.tmux, path=given.scenario or str(path), extra=extra)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
