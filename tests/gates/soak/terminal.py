"""A program in a pseudo-terminal whose size changes, directly or inside tmux."""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

TMUX: Final = ("tmux", "-L", "schedlab-soak", "-f", os.devnull)
"""A tmux server of its own, with nobody's settings."""

PATIENCE_S: Final = 30.0


class Terminal:
    """A `schedlab` command on a terminal that nobody looks at; what it writes is read and counted."""

    def __init__(self, arguments: Sequence[str], size: tuple[int, int], *, tmux: bool) -> None:
        """Start it.

        Args:
            arguments: Of the command.
            size: Columns and lines.
            tmux: Whether tmux stands between it and the terminal.
        """
        self._tmux = tmux and shutil.which("tmux") is not None
        self._master, slave = pty.openpty()
        self.resize(*size)
        command = [sys.executable, "-m", "tui.cli.cli", *arguments]
        self._client = subprocess.Popen(
            [*TMUX, "new-session", *command] if self._tmux else command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={name: value for name, value in os.environ.items() if name != "TMUX"} | {"TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(slave)
        self.written = 0
        """Bytes it wrote."""
        self.tail = b""
        """The last of them."""
        self.pid = self._program()

    def _program(self) -> int:
        if not self._tmux:
            return self._client.pid
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.drain(0.1)
            listed = subprocess.run(
                [*TMUX, "list-panes", "-F", "#{pane_pid}"], capture_output=True, text=True, check=False
            )
            if listed.returncode == 0 and listed.stdout.strip():
                return int(listed.stdout)
        raise TimeoutError("tmux did not start")

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, data: bytes) -> None:
        os.write(self._master, data)

    def drain(self, for_s: float) -> None:
        """Read what it writes, for a while."""
        deadline = time.monotonic() + for_s
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self._master], [], [], left)[0]:
                return
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            self.written += len(data)
            self.tail = (self.tail + data)[-20_000:]

    def ended(self) -> int | None:
        """Its exit code; None while it runs. What is inside tmux has no code: 0."""
        return self._client.poll()

    def memory_mb(self) -> float:
        """What it keeps in memory; 0 when it has ended."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, IndexError):
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def send(self, number: signal.Signals) -> None:
        if self._client.poll() is None:
            self._client.send_signal(number)

    def hang_up(self, patience_s: float) -> float | None:
        """Take the terminal away; how long the program goes on [s], or None when it does not end."""
        begun = time.monotonic()
        os.close(self._master)
        try:
            self._client.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._client.kill()
            self._client.wait()
            return None
        return time.monotonic() - begun

    def close(self) -> None:
        if self._tmux:
            _ = subprocess.run([*TMUX, "kill-server"], capture_output=True, check=False)
        if self._client.poll() is None:
            self._client.kill()
        self._client.wait()
        os.close(self._master)
