"""Which tests a mutant is tried with, and what a fork of the process reports."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gates.mutants.coverage_by_test import CoverageByTest
from tests.gates.mutants.trials import forked

SECONDS = {"tests/a/test_x.py::slow": 2.0, "tests/a/test_x.py::fast": 1.0, "tests/b/test_y.py::quick": 0.1}


def _coverage() -> CoverageByTest:
    lines = {3: ["tests/b/test_y.py::quick", "tests/a/test_x.py::slow"], 4: ["tests/a/test_x.py::fast", "failed"]}
    return CoverageByTest(SECONDS, {"/a/x.py": lines}.__getitem__)


def test_the_tests_of_lines_are_those_of_their_folder_then_the_fastest() -> None:
    """A test that did not pass when it was recorded says nothing about a mutant."""
    tests = _coverage().tests(Path("/a/x.py"), range(3, 5), first="tests/a/")

    assert tests == ["tests/a/test_x.py::fast", "tests/a/test_x.py::slow", "tests/b/test_y.py::quick"]


def test_other_lines_have_other_tests() -> None:
    assert _coverage().tests(Path("/a/x.py"), range(4, 5), first="") == ["tests/a/test_x.py::fast"]
    assert _coverage().tests(Path("/a/x.py"), range(5, 6), first="") == []


def _status(work: Callable[[], int]) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(forked(work), 0)[1])


@pytest.mark.parametrize("status", [0, 1])
def test_a_fork_reports_what_its_work_returns(status: int) -> None:
    assert _status(lambda: status) == status


def test_a_fork_that_is_killed_reports_the_signal() -> None:
    def die() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    assert _status(die) == -signal.SIGKILL


def test_a_fork_that_fails_reports_failure() -> None:
    def fail() -> int:
        raise LookupError

    assert _status(fail) == 1
