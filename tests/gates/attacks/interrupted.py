"""Sweeps, watches, drills, servers and imports that are killed at any instant: what they keep is read, and goes on."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

from tests.gates.attacks.tally import BROKEN, SECONDS, Tally
from tests.gates.soak.terminal import Terminal
from tests.invoke import said

LATEST_S: Final = 4.0
"""Latest instant of a kill after the start of the program; loading takes the first half second."""
LINGERS_S: Final = 10.0
"""How long what the program started may outlive it."""
SWEPT: Final = "pattern-am-only"
SWEEP: Final = ("tune", SWEPT, "--vary", "seed=1..8/1", "--until", "+300", "--workers", "2")
JOB: Final = (
    b'{"am.type": "mapreduce", "job.start.ms": 0, "job.end.ms": 9000, "job.user": "ann", "job.queue.name": "a", '
    b'"job.tasks": [{"container.host": "/r/n1", "container.start.ms": 10, "container.end.ms": 8000, '
    b'"container.priority": 20, "container.type": "map"}]}\n'
)
"""A job of an SLS trace."""
LARGE: Final = 1 << 30
"""Size of what is imported [bytes]."""


class Interrupted:
    """A folder of its own, the programs that are killed in it, and what is then asked."""

    def __init__(self, tally: Tally, folder: Path, random: Random) -> None:
        self._tally, self._folder, self._random = tally, folder, random
        self._whole_sweep = ""
        self._large = folder / "large.json"
        self.programs: Sequence[Callable[[Path], None]] = (
            self.sweep, self.watch, self.drill, self.serve, self.import_,
        )  # fmt: skip

    def try_once(self, number: int) -> None:
        """Kill one of the programs in an empty folder."""
        self._tally.tried += 1
        before = len(self._tally.wrong)
        with tempfile.TemporaryDirectory(dir=self._folder) as name:
            self.programs[number % len(self.programs)](Path(name))
        self._tally.accepted += len(self._tally.wrong) == before

    def sweep(self, folder: Path) -> None:
        """It goes on where it was, and ranks as one that nobody killed."""
        if not self._whole_sweep:
            self._whole_sweep = said("", [*SWEEP, "-o", "csv"]).stdout
        path = folder / "one.sweep"
        self._kill([*SWEEP, "-o", str(path)])
        if path.exists():
            found = self._ask("sweep", ["tune", str(path), "-o", "csv"])
            if found and found != self._whole_sweep:
                self._tally.mark("sweep", f"goes on to something else: {found[:300]}")

    def watch(self, folder: Path) -> None:
        """What was kept can be listed, shown, repaired and deleted."""
        port = _free_port()
        server = _started(["serve", "reservation-deadlock", "--at", "10:43", "--listen", str(port), "--quiet"])
        try:
            _answers(port)
            settings = ["-c", f"runs_folder={folder}"]
            self._kill(
                ["watch", f"http://127.0.0.1:{port}", "--every", "100ms", "--keep", "kept", "-o", "jsonl", *settings]
            )
            if (folder / "kept").exists():
                self._ask("watch", ["runs", *settings])
                self._ask("watch", ["runs", "repair", "kept", *settings])
                self._ask("watch", ["get", "kept", *settings])
                self._ask("watch", ["runs", "rm", "kept", "--yes", *settings], codes=(0,))
        finally:
            server.kill()
            server.communicate()

    def drill(self, folder: Path) -> None:
        """The history can be read, with what was done until then."""
        settings = ["-c", f"history_folder={folder}"]
        terminal = Terminal(["drill", "play", "nothing-starts", *settings], (80, 24), tmux=False)
        terminal.drain(self._random.random())
        end_s = time.monotonic() + self._random.random() * LATEST_S
        while time.monotonic() < end_s and terminal.ended() is None:
            terminal.type(self._random.choice((b"\r", b"t", b"K", b"y", b"j", b" ")))
            terminal.drain(0.1)
        terminal.send(signal.SIGKILL)
        terminal.close()
        self._ask("drill", ["drill", "list", *settings])
        self._ask("drill", ["drill", "report", "-o", "csv", *settings])

    def serve(self, folder: Path) -> None:
        """Its port is free for the next one, which is not misled by what was left."""
        port, place = _free_port(), {"XDG_RUNTIME_DIR": str(folder)}
        words = ["serve", SWEPT, "--paused", "--listen", str(port), "--quiet"]
        self._kill(words, place)
        again = _started(words, place)
        try:
            if not _answers(port):
                self._tally.mark("serve", "does not answer at the port of one that was killed")
        finally:
            again.terminate()
            again.communicate()

    def import_(self, folder: Path) -> None:
        """What was there before stays, or the whole scenario is there."""
        if not self._large.exists():
            with self._large.open("wb") as file:
                for _ in range(LARGE // (len(JOB) * 1024)):
                    file.write(JOB * 1024)
        path = folder / "day.toml"
        path.write_text("# before\n", encoding="utf-8")
        self._kill(["import", str(self._large), "--force", "--quiet", "-o", str(path)])
        if path.read_text(encoding="utf-8") != "# before\n":
            self._ask("import", ["check", str(path)], codes=(0, 1))

    def _kill(self, words: Sequence[str], place: dict[str, str] | None = None) -> None:
        """Start a program and kill it; nothing that it started may survive."""
        process = _started(words, place)
        with suppress(subprocess.TimeoutExpired):
            process.wait(self._random.random() * LATEST_S)
        process.kill()
        process.communicate()
        until_s = time.monotonic() + LINGERS_S
        while _is_alive(process.pid) and time.monotonic() < until_s:
            time.sleep(0.05)
        if _is_alive(process.pid):
            self._tally.mark(words[0], "a process that it started outlives it")
            os.killpg(process.pid, signal.SIGKILL)

    def _ask(self, label: str, words: Sequence[str], *, codes: tuple[int, ...] = (0, 1, 2)) -> str:
        """Give a command what was left; its answer."""
        with self._tally.timed():
            result = said("", words)
        if result.exit_code not in codes or any(each in result.stderr for each in BROKEN):
            self._tally.mark(f"{label}: {' '.join(words)}", f"ended with {result.exit_code}: {result.stderr[-400:]}")
        return result.stdout if result.exit_code == 0 else ""


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Kill the programs in turn."""
    tally = Tally("interrupted", longest_s)
    with tempfile.TemporaryDirectory() as name:
        programs = Interrupted(tally, Path(name), Random(f"interrupted {seed}"))
        for number in range(count):
            programs.try_once(number)
    return tally


def _started(words: Sequence[str], place: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a program as the leader of a group."""
    return subprocess.Popen(
        [sys.executable, "-m", "tui.cli.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | (place or {}),
        start_new_session=True,
    )


def _is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    """Wait until something listens there."""
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
            return True
        time.sleep(0.05)
    return False
