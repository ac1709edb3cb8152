"""Commands whose input, output or messages are closed, or take nothing."""

import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

from tests.gates.attacks.files import BROKEN
from tests.gates.attacks.tally import SECONDS, Tally

SCENARIO: Final = "reservation-deadlock-rule-limited"
COMMANDS: Final = (
    ("--help",), ("--version",), ("nothing",), ("play", "--help"), ("play", "-q", SCENARIO, "--until", "+5"),
    ("play", SCENARIO, "--until", "+5"), ("play", "--json", SCENARIO, "--until", "+5"), ("play", "nothing"),
    ("snapshot", SCENARIO, "--at", "+5"), ("snapshot", SCENARIO, "--at", "+5", "--json"),
    ("why", SCENARIO, "--app", "1", "--at", "+5"), ("settings",), ("settings", "--json"), ("scenario", "list"),
    ("scenario", "show", SCENARIO), ("scenario", "check", SCENARIO), ("scenario", "check", "-"), ("config", "-"),
    ("runs", "list"), ("runs", "show", "one"), ("runs", "show", "one", "--at", "+5"), ("runs", "export", "one"),
    ("runs", "export", "one", "--series", "all"), ("runs", "repair", "one"), ("runs", "delete", "one"),
    ("open", SCENARIO),
    ("play", "-q", SCENARIO, "--until", "+5", "--journal", "/dev/full"),
)  # fmt: skip
STREAMS: Final = (">/dev/full", ">&-", "2>/dev/full", "2>&-", "<&-", "</dev/full", ">&- 2>&-", ">&- 2>&- <&-")
NAMED: Final = ("no space left on device", "bad file descriptor")


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Run commands with streams that fail: the failure is named, unless nothing was to be written there."""
    tally = Tally("descriptors", longest_s)
    attempts = list(product(COMMANDS, STREAMS))
    with tempfile.TemporaryDirectory() as name:
        runs = Path(name) / "runs"
        environment = os.environ | {"SCHEDLAB_RUNS": str(runs), "XDG_CONFIG_HOME": name}
        keep = ["play", "-q", SCENARIO, "--until", "+5", "--keep-as", "one"]
        _ = _run(keep, "", environment, 10 * longest_s)
        for arguments, streams in attempts if count >= len(attempts) else Random(seed).sample(attempts, count):
            label = f"{' '.join(arguments)} {streams}"
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
    arguments: tuple[str, ...] | list[str], streams: str, environment: dict[str, str], longest_s: float
) -> subprocess.CompletedProcess[bytes]:
    command = ["sh", "-c", f'"$@" {streams}', "sh", sys.executable, "-m", "tui", *arguments]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment, timeout=longest_s
    )


def _judge(tally: Tally, label: str, streams: str, done: subprocess.CompletedProcess[bytes]) -> None:
    words = done.stderr.decode()
    is_output_gone = streams.startswith(">")
    is_named = any(each in words for each in NAMED)
    if any(each in words for each in BROKEN) or done.returncode not in (0, 1, 2):
        tally.mark(label, f"ended with {done.returncode}: {words[-400:]}")
    elif done.returncode == 0 and is_output_gone and "repair" not in label:
        tally.mark(label, "nobody is told that nothing was written")
    elif done.returncode == 1 and "2>" not in streams and not is_named:
        tally.mark(label, f"it is not said what could not be written: {words[-400:]}")
    elif done.returncode == 0:
        tally.accepted += 1
    else:
        tally.refused += 1
