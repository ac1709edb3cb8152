"""Which tests run which mutants' statements, and how long each takes: recorded once, then read from files.

A probe stands before each of those statements, so that the tests run about as fast as without.
"""

import builtins
import hashlib
import json
import os
import signal
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

import pytest

from tests.gates.mutants.changes import PROBE, Mutant
from tests.gates.mutants.patching import Place, probe

LONGEST_S = 900  # By the clock, as the machine may be busy


@dataclass(frozen=True)
class Reach:
    """The recording: how long every test that passed works [s], and the tests that ran each mutant's statement."""

    seconds: dict[str, float]
    tests_of: dict[Mutant, list[str]]

    def tests(self, mutant: Mutant, first: str) -> list[str]:
        """The tests that ran the statement: those whose name begins with `first`, then the fastest."""
        found = self.tests_of.get(mutant, [])
        return sorted(found, key=lambda test: (not test.startswith(first), self.seconds[test], test))


def fingerprint(root: Path, packages: Iterable[str], words: Iterable[str]) -> str:
    """What a recording depends on: the text of every source, and which mutants and tests were chosen."""
    digest = hashlib.sha256("\n".join(words).encode())
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def put_probes(sample: Sequence[Mutant], root: Path, in_use: dict[Place, list[FunctionType]]) -> None:
    """Put a probe for each mutant, named by its number in the sample, into the functions in use; there it stays."""
    setattr(builtins, PROBE, _pass_by)
    by_function: dict[tuple[str, int], dict[int, Mutant]] = defaultdict(dict)
    for number, one in enumerate(sample):
        by_function[one.path, one.line][number] = one
    for numbered in by_function.values():
        if (put := probe(numbered, root, in_use)) is not None:
            put()


def _pass_by(number: int) -> None:
    """What a probe does while no test is recorded."""


def record(items: Iterable[pytest.Item], file: Path) -> int:
    """Run every test once, and keep in a file how long it worked and which probes it ran; always 0."""
    tests: dict[str, tuple[float, list[int]]] = {}
    for item in items:
        ran: set[int] = set()
        setattr(builtins, PROBE, ran.add)
        signal.alarm(LONGEST_S)
        began = _worked()
        if passes(item):
            tests[item.nodeid] = round(_worked() - began, 4), sorted(ran)
    begun = file.with_suffix(f".{os.getpid()}")
    begun.write_text(json.dumps(tests), encoding="utf-8")
    begun.rename(file)
    return 0


def _worked() -> float:
    """Processor time of this process and of those it waited for [s]."""
    return sum(os.times()[:4])


def passes(item: pytest.Item) -> bool:
    """Run one test with all its fixtures; whether nothing failed."""
    failures = item.session.testsfailed
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return item.session.testsfailed == failures


def recorded(files: Iterable[Path], sample: Sequence[Mutant]) -> Reach:
    """What was recorded in some files, each with a share of the tests."""
    seconds: dict[str, float] = {}
    tests_of: dict[Mutant, list[str]] = defaultdict(list)
    for file in files:
        for test, (took, numbers) in json.loads(file.read_text(encoding="utf-8")).items():
            seconds[test] = took
            for number in numbers:
                tests_of[sample[number]].append(test)
    return Reach(seconds, tests_of)
