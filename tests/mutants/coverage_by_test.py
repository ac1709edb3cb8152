"""Which tests run which lines of the product, and how long each takes: recorded once, then read from a file."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import coverage
import pytest


@dataclass(frozen=True)
class CoverageByTest:
    """The recording: seconds of every test that passed, and the tests that ran a line."""

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


def record(items: Iterable[pytest.Item], include: list[str], folder: Path, stamp: str) -> int:
    """Run every test once, each under its own coverage context, and keep what came of it in a folder; always 0."""
    folder.mkdir(exist_ok=True)
    (folder / "contexts").unlink(missing_ok=True)
    measured = coverage.Coverage(data_file=str(folder / "contexts"), include=include, config_file=False)
    seconds: dict[str, float] = {}
    measured.start()
    for item in items:
        measured.switch_context(item.nodeid)
        began = time.perf_counter()
        if passes(item):
            seconds[item.nodeid] = round(time.perf_counter() - began, 4)
    measured.stop()
    measured.save()
    (folder / "tests.json").write_text(json.dumps({"stamp": stamp, "seconds": seconds}), encoding="utf-8")
    return 0


def passes(item: pytest.Item) -> bool:
    """Run one test with all its fixtures; whether nothing failed."""
    failures = item.session.testsfailed
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return item.session.testsfailed == failures


def recorded(folder: Path, stamp: str) -> CoverageByTest | None:
    """The recording in a folder, if it is of the same sources."""
    try:
        kept = json.loads((folder / "tests.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if kept["stamp"] != stamp:
        return None
    contexts = coverage.CoverageData(str(folder / "contexts"))
    contexts.read()
    return CoverageByTest(kept["seconds"], cache(contexts.contexts_by_lineno))
