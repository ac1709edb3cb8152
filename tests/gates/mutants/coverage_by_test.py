"""Which tests run which lines of the product, and how long each takes: recorded once, then read from a file."""

import hashlib
import json
import os
import signal
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import coverage
import pytest

CONTEXTS = "contexts"
SECONDS = "seconds.json"
LONGEST_S = 900  # By the clock, as the machine may be busy


@dataclass(frozen=True)
class CoverageByTest:
    """The recording: how long every test that passed works [s], and the tests that ran a line."""

    seconds: dict[str, float]
    tests_of: Callable[[str], dict[int, list[str]]]
    """Path of a source file → its lines → tests."""

    def tests(self, path: Path, lines: Iterable[int], first: str) -> list[str]:
        """The passing tests that ran one of the lines: those whose name begins with `first`, then the fastest."""
        by_line = self.tests_of(str(path))
        found = {test for line in lines for test in by_line.get(line, ())}
        return sorted(
            found & self.seconds.keys(), key=lambda test: (not test.startswith(first), self.seconds[test], test)
        )


def fingerprint(root: Path, packages: Iterable[str], tests: Iterable[str]) -> str:
    """What a recording depends on: the text of every source, and which tests were chosen."""
    digest = hashlib.sha256("\n".join(tests).encode())
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def record(items: Iterable[pytest.Item], include: list[str], folder: Path) -> int:
    """Run every test once, each under its own coverage context, and keep what came of it in a folder; always 0."""
    begun = folder.with_suffix(f".{os.getpid()}")
    begun.mkdir(parents=True)
    measured = coverage.Coverage(data_file=str(begun / CONTEXTS), include=include, config_file=False)
    measured.set_option("run:disable_warnings", ["no-data-collected"])
    seconds: dict[str, float] = {}
    measured.start()
    for item in items:
        measured.switch_context(item.nodeid)
        signal.alarm(LONGEST_S)
        began = _worked()
        if passes(item):
            seconds[item.nodeid] = round(_worked() - began, 4)
    measured.stop()
    measured.save()
    (begun / SECONDS).write_text(json.dumps(seconds), encoding="utf-8")
    begun.rename(folder)
    return 0


def _worked() -> float:
    """Processor time of this process and of those it waited for [s]."""
    return sum(os.times()[:4])


def passes(item: pytest.Item) -> bool:
    """Run one test with all its fixtures; whether nothing failed."""
    failures = item.session.testsfailed
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return item.session.testsfailed == failures


def recorded(folders: Iterable[Path]) -> CoverageByTest:
    """What was recorded in some folders, each with a share of the tests."""
    contexts = coverage.CoverageData(no_disk=True)
    seconds: dict[str, float] = {}
    for folder in folders:
        if (folder / CONTEXTS).is_file():
            part = coverage.CoverageData(str(folder / CONTEXTS))
            part.read()
            contexts.update(part)
        seconds |= json.loads((folder / SECONDS).read_text(encoding="utf-8"))
    return CoverageByTest(seconds, cache(contexts.contexts_by_lineno))
