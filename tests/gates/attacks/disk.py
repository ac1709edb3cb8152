"""A full disk: whatever could not be written is named, and what is left is good or gone.

Commands write to a small file system of their own where that is allowed; else no file may grow beyond a size.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Final

from engine.run.run_reader import KeptRun
from engine.run.run_store import FILE
from tests.gates.attacks.kept_runs import BUSY, Truth, what_is_wrong
from tests.gates.attacks.tally import BROKEN, SECONDS, Tally

MOUNTED: Final = (
    'mount -t tmpfs -o size="$1" small "$2" || exit 99; disk=$2; shift 2; "$@"; code=$?; '
    'cp -r "$disk" "$disk.left"; exit $code'
)
"""Runs a command with a small disk, and copies what is on it to where it stays."""


class Disk:
    """A directory that takes few bytes."""

    def __init__(self, place: Path, size: int) -> None:
        place.mkdir()
        self.place, self.size = place, size

    def run(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command that writes to it; afterwards `left` holds what is there."""
        command = [sys.executable, "-m", "tui", *arguments]
        mounted = ["unshare", "-rm", "sh", "-c", MOUNTED, "sh", str(self.size), str(self.place), *command]
        done = _run(mounted) if shutil.which("unshare") else None
        if done is None or (done.returncode in (1, 99) and not self.left.exists()):
            done = _run(command, self.size)
            shutil.copytree(self.place, self.left)
        return done

    @property
    def left(self) -> Path:
        """What was on it at the end."""
        return self.place.with_suffix(".left")


def _run(command: list[str], size: int | None = None) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        if size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited, env=os.environ)


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Keep runs, write journals and export on disks of any small size."""
    random, tally, truth = Random(f"disk {seed}"), Tally("disk", longest_s), Truth()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        busy, whole = folder / "busy.toml", folder / "whole"
        busy.write_text(BUSY)
        play = ["play", "-q", str(busy), "--until", "+10m"]
        done = _run([sys.executable, "-m", "tui", *play, "--keep", "one", "-c", f"runs_folder={whole}"])
        assert done.returncode == 0, done.stderr
        for number in range(count):
            disk = Disk(folder / f"disk{number}", random.randrange(4, 90) * 1024)
            place = str(disk.place / "out")
            with tally.timed():
                if number % 3 == 0:
                    done = disk.run([*play, "--keep", "one", "-c", f"runs_folder={place}"])
                    wrong = _kept(disk.left / "out", truth, done.stderr)
                elif number % 3 == 1:
                    done = disk.run([*play, "-o", f"journal:{place}"])
                    wrong = ""
                else:
                    done = disk.run(["get", "one", "events", "-c", f"runs_folder={whole}", "-o", f"jsonl:{place}"])
                    wrong = "part of an export is left" if (disk.left / "out").exists() else ""
            _judge(tally, f"{number} on {disk.size} bytes", done, wrong)
    return tally


def _kept(root: Path, truth: Truth, words: str) -> str:
    """What is wrong with the run on a full disk."""
    if "no longer kept" not in words:
        return f"something is left of a run that could not begin: {words}" if (root / "one").exists() else ""
    with KeptRun(root, "one") as run:
        if run.info.is_whole or not run.info.failure:
            return f"the run is not marked: {run.info}"
    if (root / "one" / FILE).stat().st_mode & 0o077:
        return "the run can be read by others"
    return what_is_wrong(root, "one", truth)


def _judge(tally: Tally, label: str, done: subprocess.CompletedProcess[str], wrong: str) -> None:
    """Count what became of a command that cannot have written all."""
    tally.tried += 1
    is_named = any(words in done.stderr for words in ("no space left", "file too large"))
    if any(each in done.stderr for each in BROKEN) or done.returncode != 2 or not is_named:
        tally.mark(label, f"ended with {done.returncode}: {done.stderr[-400:]}")
    elif wrong:
        tally.mark(label, wrong)
    else:
        tally.refused += 1
