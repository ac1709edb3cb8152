"""Files that are none, in every place where a user names one: through the command line, each in its own process."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from tests.gates.attacks.samples import ALLOCATIONS
from tests.gates.attacks.tally import BROKEN, SECONDS, Tally, is_short

CLUSTER: Final = 'duration = "1m"\n[cluster]\nnodes = [{ host = "n1", memory = "8g", vcores = 8 }]\n'
READERS: Final = (
    "check {}", "play --quiet {}", "get {} settings", "why {} 1", "fix {} 1", "get {}", "import {}", "get {} workload",
    "get {} -o toml", "tune {} --vary seed=1,2", "compare {} fifo", "compare {good}.toml {}", "drill new {} --at 1m",
    "check {good}.toml --expect {}", "check {good} --against {}", "check {good} --against {good} --workload {}",
    "get {good}.toml settings --config {}", "drill play quiet-shift --steps {}", "serve {} --listen 0",
    "watch localhost:1 --rounds 1 --ca {}", "watch localhost:1 --rounds 1 --rm-log {}",
    "watch localhost:1 --rounds 1 --acts --token-file {}", "get localhost:1 -o toml --config {}",
)  # fmt: skip
"""Every way to name a file that is read; `{good}` is a folder that is right, and with its ending a scenario."""


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Name files that are none; every command must say so and end with 2."""
    tally = Tally("files", longest_s)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _fill(folder)
        commands = list(_commands(folder))
        for arguments in commands if count >= len(commands) else Random(f"files {seed}").sample(commands, count):
            run(tally, arguments, folder, codes=(1, 2))
    return tally


def _fill(folder: Path) -> None:
    os.mkfifo(folder / "pipe.xml")
    (folder / "circle.xml").symlink_to("circle.xml")
    (folder / "folder.xml").mkdir()
    (folder / "latin.xml").write_bytes(b"<configuration>\xe9</configuration>")
    (folder / "empty.xml").write_bytes(b"")
    with (folder / "huge.xml").open("wb") as stream:
        stream.truncate(1 << 30)
    (folder / "good").mkdir()
    (folder / "good" / "fair-scheduler.xml").write_text(ALLOCATIONS)
    (folder / "good.toml").write_text(CLUSTER)


def _commands(folder: Path) -> Iterator[list[str]]:
    names = [str(folder / name) for name in ("pipe.xml", "circle.xml", "folder.xml", "latin.xml", "huge.xml", "none")]
    names += ["/dev/zero", "/dev/full", "/dev/tty", "x" * 5_000, f"{folder}/{'y/' * 3_000}z", "~nosuchuser/x"]
    for number, name in enumerate(names):
        path = name if "/" in name else f"./{name}"
        for command in READERS:
            yield [word.format(path, good=folder / "good") for word in command.split()]
        for key in ("extends", "allocations_file", "yarn_site"):
            file = folder / f"{key}{number}.toml"
            file.write_text(f"{key} = '{name}'\n{CLUSTER}")
            yield ["check", str(file)]
        site = folder / f"include{number}.xml"
        include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{Path(name).name}"/>'
        site.write_text(f"<configuration>{include}</configuration>")
        yield ["get", str(site), "settings"]
    yield ["check", "x" * 5_000]


def run(tally: Tally, arguments: list[str], folder: Path, codes: tuple[int, ...], given: bytes = b"") -> bytes:
    """Run a command to its end; its exit code must be one of these, its messages short. What it wrote."""
    tally.tried += 1
    label = " ".join(arguments)[:120]
    process = subprocess.Popen(
        [sys.executable, "-m", "tui.cli.cli", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_DATA_HOME": str(folder / "data")},
    )
    try:
        with tally.timed():
            out, err = process.communicate(given, timeout=tally.patience_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        tally.mark(label, "does not end")
        return b""
    words = err.decode("utf-8", "replace")
    if any(each in words for each in BROKEN) or process.returncode not in codes:
        tally.mark(label, f"ended with {process.returncode}: {words[-600:]}")
    elif process.returncode == 2 and not is_short(words):
        tally.mark(label, f"is refused in {len(words)} characters: {words[:600]}")
    elif process.returncode == 2 and out and "json" not in label:
        tally.mark(label, f"is refused, and something is written: {out[:300]!r}")
    elif process.returncode == 2:
        tally.refused += 1
    else:
        tally.accepted += 1
    return out + err
