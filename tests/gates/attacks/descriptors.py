"""Commands whose input, output or messages are closed, or take nothing."""

import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

from tests.gates.attacks.tally import BROKEN, SECONDS, Tally, is_short

SCENARIO: Final = "reservation-deadlock-rule-limited"
COMMANDS: Final = (
    "--help", "--version", "nothing", "play --help", f"play -q {SCENARIO} --until +5", f"play {SCENARIO} --until +5",
    f"play -o jsonl {SCENARIO} --until +5", "play nothing", f"get {SCENARIO} apps --at +5",
    f"get {SCENARIO} --at +5 -o json", f"why {SCENARIO} 183311 --at +5", "settings", "settings -o json", "get",
    f"get {SCENARIO}", f"check {SCENARIO}", "check -", f"get {SCENARIO} settings", "runs", "get one", "get one --at +5",
    "get one events", "get one series", f"get {SCENARIO} picture --at +5", "runs repair one", "runs rm one",
    f"open {SCENARIO}", f"compare {SCENARIO} fifo --until +5", "drill list", "drill report", "import /dev/stdin",
    f"play -q {SCENARIO} --until +5 -o journal:/dev/full", f"tune {SCENARIO} --vary seed=1,2 --until +5",
)  # fmt: skip
STREAMS: Final = (">/dev/full", ">&-", "2>/dev/full", "2>&-", "<&-", "</dev/full", ">&- 2>&-", ">&- 2>&- <&-")


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Run commands with streams that fail: the failure is named, unless nothing was to be written there."""
    tally = Tally("descriptors", longest_s)
    attempts = list(product(COMMANDS, STREAMS))
    with tempfile.TemporaryDirectory() as name:
        runs = Path(name) / "runs"
        environment = os.environ | {"SCHEDLAB_RUNS_FOLDER": str(runs), "XDG_CONFIG_HOME": name, "XDG_DATA_HOME": name}
        _ = _run(f"play -q {SCENARIO} --until +5 --keep one", "", environment, 10 * longest_s)
        for arguments, streams in attempts if count >= len(attempts) else Random(seed).sample(attempts, count):
            label = f"{arguments} {streams}"
            tally.tried += 1
            try:
                with tally.timed():
                    done = _run(arguments, streams, environment, tally.patience_s)
            except subprocess.TimeoutExpired:
                tally.mark(label, "does not end")
                continue
            _judge(tally, label, streams, done)
    return tally


def _run(
    arguments: str, streams: str, environment: dict[str, str], longest_s: float
) -> subprocess.CompletedProcess[bytes]:
    command = ["sh", "-c", f'"$@" {streams}', "sh", sys.executable, "-m", "tui", *arguments.split()]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment, timeout=longest_s
    )


def _judge(tally: Tally, label: str, streams: str, done: subprocess.CompletedProcess[bytes]) -> None:
    words = done.stderr.decode()
    is_output_gone = streams.startswith(">")
    if any(each in words for each in BROKEN) or done.returncode not in (0, 1, 2):
        tally.mark(label, f"ended with {done.returncode}: {words[-400:]}")
    elif done.returncode == 0 and is_output_gone and "repair" not in label:
        tally.mark(label, "nobody is told that nothing was written")
    elif done.returncode == 2 and "2>" not in streams and not is_short(words):
        tally.mark(label, f"is refused in no or too many words: {words[-400:]}")
    elif done.returncode == 0:
        tally.accepted += 1
    else:
        tally.refused += 1
