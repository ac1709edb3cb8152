"""`watch` against a server that turns hostile at random: `python -m tests.gates.attacks.long_watch --hours 3`.

One watch draws its screen, another writes lines. Each minute is a line of figures. It fails when one of them ends by
itself, writes a traceback, is silent for longer than a round may take, takes too much memory or does not end on ctrl-C.
"""

import argparse
import json
import re
import signal
import sys
import time
from pathlib import Path
from typing import Final

from tests.gates.attacks.hostile_server import hostile_server
from tests.gates.attacks.tally import BROKEN
from tests.gates.soak.terminal import Terminal

SILENT_S: Final = 150.0
"""Longest time in which nothing is written: a round that fails, and a log that is read after it, on a busy machine."""
MOST_MB: Final = 300.0
END_S: Final = 3.0
"""How long ctrl-C may take."""
GOOD_FIRST: Final = 60
"""Good answers, so that every watch begins."""


class _Watch:
    """A watch in a terminal of its own, and what is wrong with it."""

    def __init__(self, name: str, *arguments: str) -> None:
        self.name = name
        self._terminal = Terminal(["watch", *arguments], (120, 40), tmux=False)
        self._written, self._heard_s = 0, time.monotonic()
        self.worst_mb = self.longest_s = 0.0

    def look(self) -> str:
        """Read what it writes, for a while; what is wrong, or nothing."""
        terminal = self._terminal
        terminal.drain(0.5)
        now_s = time.monotonic()
        self.longest_s = max(self.longest_s, now_s - self._heard_s)
        if terminal.written > self._written:
            self._written, self._heard_s = terminal.written, now_s
        self.worst_mb = max(self.worst_mb, _peak_mb(terminal.pid))
        if any(words.encode() in terminal.tail for words in BROKEN):
            return terminal.tail[-3000:].decode(errors="replace")
        if terminal.ended() is not None:
            return f"ended with {terminal.ended()}: {terminal.tail[-1000:].decode(errors='replace')}"
        if self.worst_mb > MOST_MB:
            return f"took {self.worst_mb:.0f} MB"
        return "" if now_s - self._heard_s < SILENT_S else f"said nothing for {SILENT_S:g} s"

    def figures(self) -> dict[str, float]:
        """Memory now and at most, bytes written, the longest silence."""
        found = {"mb": self._terminal.memory_mb(), "most_mb": self.worst_mb, "silent_s": self.longest_s}
        return {"written": self._written, **{name: round(value, 1) for name, value in found.items()}}

    def end(self) -> str:
        """Press ctrl-C; what is wrong, or nothing."""
        terminal, begun_s = self._terminal, time.monotonic()
        terminal.send(signal.SIGINT)
        while terminal.ended() is None and time.monotonic() - begun_s < END_S:
            terminal.drain(0.1)
        code = terminal.ended()
        terminal.close()
        return "" if code in {130, -signal.SIGINT} else f"ctrl-C ends it with {code} after {END_S:g} s"


def _peak_mb(pid: int) -> float:
    """Most memory that a process has had; 0 when it has ended."""
    try:
        found = re.search(r"VmHWM:\s+([0-9]+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def attack(minutes: float, seed: int) -> list[str]:
    """Watch for so long; what is wrong."""
    wrong: list[str] = []
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` would have the watches ignore it
    with hostile_server(f"long {seed}", GOOD_FIRST) as (port, seen):
        url = f"http://127.0.0.1:{port}"
        asked = (url, "--interval", "1s", "--rm-log", f"{url}/logs/")
        watches = [_Watch("screen", *asked), _Watch("lines", *asked, "-o", "jsonl", "--every", "1s")]
        begun_s, minute = time.monotonic(), 0
        while not wrong and time.monotonic() - begun_s < minutes * 60:
            wrong = [f"{each.name}: {words}" for each in watches if (words := each.look())]
            if time.monotonic() - begun_s >= (minute + 1) * 60:
                minute += 1
                _say({"minute": minute, **{each.name: each.figures() for each in watches}})
        wrong += [f"{each.name}: {words}" for each in watches if (words := each.end())]
    _say({"answers": dict(sorted(seen.items())), **{each.name: each.figures() for each in watches}})
    return wrong


def _say(figures: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--hours", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong = attack(given.minutes + 60 * given.hours or 20.0, given.seed)
    sys.stdout.write("".join(f"{each}\n" for each in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
