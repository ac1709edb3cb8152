"""The command in a real terminal: what is drawn first, and what is left when it ends."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests import PATIENCE_S
from tests.invoke import said

pytestmark = pytest.mark.slow

SCENARIO = """
name = "small"
[cluster]
groups = [{ count = 2, prefix = "n", memory_mb = 4096, vcores = 4 }]
"""
LEFT = b"\x1b[?1049l"
"""What leaves the other screen of the terminal."""


class Terminal:
    """A program in a pseudo-terminal of 80x24."""

    def __init__(self, arguments: list[str]) -> None:
        self.master, slave = pty.openpty()
        self.attributes = termios.tcgetattr(self.master)
        """Of the terminal, before the program has it."""
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tui.cli.cli", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = b""

    def wait_for(self, words: bytes) -> bool:
        """Read until these bytes have been seen; False when the program ends or is too slow."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.seen and time.monotonic() < deadline:
            ready, _, _ = select.select([self.master], [], [], 0.2)
            if ready and not self._read():
                break
        return words in self.seen

    def read_for(self, seconds: float) -> None:
        """Read what is written within this time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and self.process.poll() is None:
            if select.select([self.master], [], [], left)[0] and not self._read():
                return

    def _read(self) -> bool:
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.seen += data
        return bool(data)

    def end(self) -> int:
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.05)[0]:
                self._read()
        while select.select([self.master], [], [], 0.05)[0] and self._read():
            pass
        return self.process.wait(timeout=PATIENCE_S)


@contextmanager
def _opened(tmp_path: Path, drill: str = "") -> Iterator[Terminal]:
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    terminal = Terminal([*(["drill", "play", drill] if drill else ["open", str(path)]), "--ascii"])
    try:
        assert terminal.wait_for(b"YOUR TASK" if drill else b"Nodes"), terminal.seen[-2000:]
        yield terminal
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
        terminal.process.wait(timeout=PATIENCE_S)


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "drill"),
    [(signal.SIGTERM, ""), (signal.SIGHUP, ""), (signal.SIGINT, ""), (signal.SIGHUP, "shell-with-every-core")],
)
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals, drill: str, tmp_path: Path) -> None:
    """The other screen is left, the cursor is back, the code names the signal, nothing is printed."""
    with _opened(tmp_path, drill) as terminal:
        terminal.process.send_signal(number)
        code = terminal.end()
        os.close(terminal.master)

    after = re.sub(rb"\x1b\[[?>=<0-9;]*[a-zA-Z]", b"", terminal.seen.rpartition(LEFT)[2])
    assert (code, LEFT in terminal.seen, b"\x1b[?25h" in terminal.seen, b"Traceback" in after) == (
        128 + number,
        True,
        True,
        False,
    )


@pytest.mark.long
@pytest.mark.parametrize("key", [b"q", b"\x03", b"\x11"])
def test_the_keys_that_quit_end_with_success(key: bytes, tmp_path: Path) -> None:
    with _opened(tmp_path) as terminal:
        os.write(terminal.master, key)
        code = terminal.end()
        os.close(terminal.master)

    assert (code, LEFT in terminal.seen) == (0, True)


STOP, CONT, TSTP, WINCH = signal.SIGSTOP, signal.SIGCONT, signal.SIGTSTP, signal.SIGWINCH
TERM, HUP, INT = signal.SIGTERM, signal.SIGHUP, signal.SIGINT


def _sent(terminal: Terminal, order: tuple[bytes | signal.Signals, ...]) -> int:
    """Send keys and signals in this order; go on where the program was stopped. The exit code."""
    for one in order:
        if isinstance(one, bytes):
            os.write(terminal.master, one)
        else:
            terminal.process.send_signal(one)
        terminal.read_for(0.05)
    deadline = time.monotonic() + PATIENCE_S
    while terminal.process.poll() is None and time.monotonic() < deadline:
        terminal.process.send_signal(CONT)
        terminal.read_for(0.3)
        if order[-1] == b"q" and terminal.process.poll() is None:  # what was typed while it stopped is thrown away
            os.write(terminal.master, b"q")
            terminal.read_for(0.3)
    return terminal.end()


@pytest.mark.long
@pytest.mark.parametrize(
    ("order", "code"),
    [
        ((STOP, CONT, b"q"), 0),
        ((CONT, CONT, b"q"), 0),
        ((b"\x1a", CONT, b"q"), 0),
        ((TSTP, CONT, WINCH, b"q"), 0),
        ((TERM, CONT), 128 + TERM),
        ((STOP, TERM, CONT), 128 + TERM),
        ((TSTP, HUP, CONT), 128 + HUP),
        ((CONT, INT), 128 + INT),
    ],
    ids=str,
)
def test_no_order_of_signals_spoils_the_terminal(
    order: tuple[bytes | signal.Signals, ...], code: int, tmp_path: Path
) -> None:
    """It ends as it was told to, and the terminal is as it was."""
    with _opened(tmp_path) as terminal:
        ended = _sent(terminal, order)
        attributes = termios.tcgetattr(terminal.master)
        os.close(terminal.master)

    assert (ended, attributes, LEFT in terminal.seen) == (code, terminal.attributes, True)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_no_random_order_of_signals_spoils_the_terminal(seed: int, tmp_path: Path) -> None:
    """The last signal tells how it ends."""
    random = Random(seed)
    last = random.choice((TERM, HUP, INT))
    order = [*(random.choice((STOP, CONT, TSTP, WINCH, b"\x1a")) for _ in range(random.randint(1, 6))), last]
    with _opened(tmp_path) as terminal:
        ended = _sent(terminal, tuple(order))
        attributes = termios.tcgetattr(terminal.master)
        os.close(terminal.master)

    assert (ended, attributes, LEFT in terminal.seen) == (128 + last, terminal.attributes, True)


def test_a_terminal_that_goes_away_ends_the_program(tmp_path: Path) -> None:
    with _opened(tmp_path) as terminal:
        os.close(terminal.master)
        code = terminal.process.wait(timeout=PATIENCE_S)

    assert code in (128 + signal.SIGHUP, -signal.SIGHUP)


def test_without_a_terminal_it_points_to_play() -> None:
    done = said("open", ["reservation-deadlock"])

    assert (done.exit_code, done.stdout) == (2, "")
    assert "needs a terminal" in done.stderr


def test_a_scenario_that_is_not_there_is_refused_before_the_screen(tmp_path: Path) -> None:
    terminal = Terminal(["open", str(tmp_path / "nothing.toml")])
    code = terminal.end()
    os.close(terminal.master)

    assert (code, LEFT in terminal.seen, b"nothing.toml" in terminal.seen) == (2, False, True)
