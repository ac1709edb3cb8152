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

from tests.gates.attacks.samples import ALLOCATIONS, SITE
from tests.gates.attacks.tally import LONGEST, SECONDS, Tally

CLUSTER: Final = 'duration = "1m"\n[cluster]\nnodes = [{ host = "n1", memory = "8g", vcores = 8 }]\n'
BROKEN: Final = ("Traceback", "mistake of its own")
"""What no command may write."""


READERS: Final = (
    ["why", "--app", "1"],
    ["fix", "--app", "1"],
    ["snapshot"],
    ["import"],
    ["workload", "describe"],
    ["drill", "check"],
    ["drill", "play", "quiet-shift", "--headless", "--acts"],
    ["drill", "from", "--around", "1m"],
    ["watch", "localhost:1", "--headless", "--ca"],
    ["watch", "localhost:1", "--headless", "--rm-log"],
    ["watch", "localhost:1", "--headless", "--fair-scheduler"],
    ["watch", "localhost:1", "--headless", "--acts", "--token-file"],
    ["serve", "--port", "0"],
    ["twin"],
    ["twin", "localhost:1", "--capacity-scheduler"],
    ["runs", "open", "--runs"],
)
"""Further verbs that read a file, with what they need besides."""


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
    (folder / "good.xml").write_text(ALLOCATIONS)
    (folder / "site.xml").write_text(SITE)


def _commands(folder: Path) -> Iterator[list[str]]:
    names = [str(folder / name) for name in ("pipe.xml", "circle.xml", "folder.xml", "latin.xml", "huge.xml", "none")]
    names += ["/dev/zero", "/dev/full", "/dev/tty", "x" * 5_000, f"{folder}/{'y/' * 3_000}z", "~nosuchuser/x"]
    for number, name in enumerate(names):
        yield ["scenario", "check", name if "/" in name else f"./{name}"]
        yield ["play", "--quiet", name if "/" in name else f"./{name}"]
        yield ["config", name]
        yield ["settings", "--config", name]
        for verb in READERS:
            yield [*verb, name if "/" in name else f"./{name}"]
        for key in ("extends", "allocations_file", "yarn_site"):
            file = folder / f"{key}{number}.toml"
            file.write_text(f"{key} = '{name}'\n{CLUSTER}")
            yield ["scenario", "check", str(file)]
        site = folder / f"include{number}.xml"
        include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{Path(name).name}"/>'
        site.write_text(f"<configuration>{include}</configuration>")
        yield ["config", str(site)]
    yield ["config", "--check", "x" * 5_000]
    yield ["config", "--check", str(folder)]


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
    words = (out + err).decode("utf-8", "replace")
    if any(each in words for each in BROKEN) or process.returncode not in codes:
        tally.mark(label, f"ended with {process.returncode}: {words[-600:]}")
    elif process.returncode == 2 and (not words.strip() or max(map(len, words.splitlines())) > LONGEST):
        tally.mark(label, f"is refused in {len(words)} characters")
    elif process.returncode == 2:
        tally.refused += 1
    else:
        tally.accepted += 1
    return out + err
