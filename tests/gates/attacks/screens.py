"""Hostile names through every screen, drawn headless, and random bytes typed into a terminal."""

import asyncio
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from tests.gates.attacks.names import NAMES, PLACES, scenario_with
from tests.gates.attacks.tally import SECONDS, Tally
from tui.app import SchedlabApp
from tui.session.opening import open_session
from tui.terminal.edges import CONTROLS

SIZES: Final = ((80, 24), (120, 40), (200, 60), (40, 8))

KEYS: Final = (
    *"123456789dwyaKMDSEPRBsuegcxzvmfophlnN!*/:?jkGb<>()[]{}.t",
    "enter", "escape", "tab", "space", "f2", "f7", "f8", "ctrl+p", "down", "up", "left", "right", "pagedown", "home",
)  # fmt: skip
"""All but those that leave the program."""

NAMED: Final = {
    "/": "slash", ":": "colon", "?": "question_mark", "!": "exclamation_mark", "*": "asterisk", "<": "less_than_sign",
    ">": "greater_than_sign", "[": "left_square_bracket", "]": "right_square_bracket", "{": "left_curly_bracket",
    "}": "right_curly_bracket", ".": "full_stop", "(": "left_parenthesis", ")": "right_parenthesis",
}  # fmt: skip
"""Sign → what textual calls its key."""

PRESSED: Final = 25
"""Keys for each name."""

PIECES: Final = (
    b"\x1b[", b"\x1b", b"<", b";", b"0", b"999999999", b"48", b"M", b"m", b"H", b"u", b"~", b"R", b"t", b"?2048;1$y",
    b"?2026;1$y", b"1", b":", b"200~", b"201~", b"\xff", b"\xe9", b"\x9b31m", b"\x00", b"a", b"55296", b"1114112",
    b"-1", b"O", b"I", b"A", b"\x7f", b"\xf0\x9f", b"\r", b"\t", b"/", b":kill ", b"\xed\xa0\x80",
    b"\x1b]52;c;aGk=\x07",     b"k" * 300, b"\xc3\xa9",
    b"\x1b[48;9;9;9;9t", b"\x1b[<0;5;5M", b"\x1b[<64;5;5M", b"S", b"d", b"w", b"\x1b[A",
)  # fmt: skip
"""What bytes are made of: beginnings and ends of sequences, numbers, keys."""

TOGETHER: Final = 50
"""Pieces of bytes typed into one program."""


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Open scenarios with hostile names and press keys; no line may drive a terminal, no file may."""
    random = Random(f"screens {seed}")
    tally = Tally("screens", longest_s)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(count):
            place, hostile = random.choice(PLACES), random.choice(NAMES)
            file = folder / f"{number}.toml"
            file.write_text(scenario_with(place, hostile), encoding="utf-8")
            keys = random.choices(KEYS, k=PRESSED)
            label = f"screen {number} {place} = {hostile!r:.40} by {''.join(keys)}"
            tally.attempt(label, partial(_press, file, keys, random.choice(SIZES), folder / str(number)))
    return tally


def _press(file: Path, keys: list[str], size: tuple[int, int], saved: Path) -> None:
    """Press keys and look at every picture, then at every file.

    Raises:
        AssertionError: A control character is in one of them.
        ConfigError: The scenario is refused.
    """
    asyncio.run(_pressed(file, keys, size, saved))
    for path in saved.iterdir() if saved.is_dir() else ():
        text = path.read_text(encoding="utf-8")
        assert not CONTROLS.findall(text.replace("\r\n", "").replace("\n", "")), path.name
        if path.suffix == ".svg":
            assert "url(http" not in text
            ET.fromstring(text)


async def _pressed(file: Path, keys: list[str], size: tuple[int, int], saved: Path) -> None:
    app = SchedlabApp(open_session(str(file), at="5s", paused=True), save_folder=saved)
    async with app.run_test(size=size) as pilot:
        for key in keys:
            await pilot.press(NAMED.get(key, key))
            await pilot.pause()
            drawn = "".join(strip.text for strip in app.screen._compositor.render_strips())
            assert not CONTROLS.findall(drawn), f"after {key}: {CONTROLS.findall(drawn)[:5]}"
        assert not CONTROLS.findall(app.clipboard.replace("\n", "")), app.clipboard


def typed(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Type random bytes; the program goes on, or ends as by a key or a signal."""
    random = Random(f"typed {seed}")
    tally = Tally("typed", longest_s)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "s.toml").write_text(scenario_with("user", "é"), encoding="utf-8")
        while tally.tried < count:
            chunks = [_chunk(random) for _ in range(min(TOGETHER, count - tally.tried))]
            tally.tried += len(chunks)
            with tally.timed(len(chunks)):
                what = _typed(folder, chunks, tally.patience_s)
            if what:
                tally.mark(f"typed {tally.tried}", f"{what}: {b' '.join(chunks)[:400]!r}")
            else:
                tally.accepted += len(chunks)
    return tally


def _chunk(random: Random) -> bytes:
    if random.random() < 0.3:
        data = random.randbytes(random.randrange(1, 20))
    else:
        data = b"".join(random.choices(PIECES, k=random.randrange(1, 8)))
    return data.translate(None, b"qQ\x03\x11\x1a")  # keys that leave the program, or stop it


def _typed(folder: Path, chunks: list[bytes], longest_s: float) -> str:
    """What was wrong while these were typed; empty where nothing was."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "tui.cli.cli", "open", "--paused", str(folder / "s.toml")],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=folder,
        env=os.environ
        | {"TERM": "xterm-256color", "XDG_CONFIG_HOME": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    os.close(slave)
    try:
        seen = _read(master, longest_s, until=b"APP")
        for chunk in chunks:
            if process.poll() is None:
                os.write(master, chunk)
                seen += _read(master, 0.05)
        process.send_signal(signal.SIGTERM)
        seen += _read(master, longest_s)
        with suppress(subprocess.TimeoutExpired):
            process.wait(longest_s)
        if process.returncode not in (0, 128 + signal.SIGTERM) or b"Traceback" in seen or b"mistake of its own" in seen:
            return f"ended with {process.returncode}: {seen[-600:]!r}"
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return ""


def _read(master: int, longest_s: float, until: bytes = b"") -> bytes:
    """What is written within so long; shorter where the words have come, or nobody writes any more."""
    seen, end = b"", time.monotonic() + longest_s
    while select.select([master], [], [], max(0.0, end - time.monotonic()))[0]:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        seen += data
        if not data or (until and until in seen):
            break
    return seen
