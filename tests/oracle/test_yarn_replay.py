"""Recorded decisions of the real YARN schedulers, case by case."""

import json
from pathlib import Path

import pytest

from tests.oracle.__main__ import main
from tests.oracle.cases import answer, expected, first_difference, read_cases

GOLDEN = Path(__file__).parents[1] / "golden"
FILES_27 = ("yarn-fair-2.7.2.jsonl.gz", "yarn-fifo-2.7.2.jsonl.gz", "yarn-seeds-2.7.2.jsonl.gz")
FILES_34 = ("yarn-fair-3.4.1.jsonl.gz", "yarn-fifo-3.4.1.jsonl.gz", "yarn-seeds-3.4.1.jsonl.gz")

CAPACITY_FILES = (
    "yarn-capacity-2.7.2.jsonl.gz",
    "yarn-capacity-seeds-2.7.2.jsonl.gz",
    "yarn-capacity-3.4.1.jsonl.gz",
    "yarn-capacity-seeds-3.4.1.jsonl.gz",
)
FRESH_FILE = "yarn-capacity-fresh-3.4.1.jsonl.gz"
"""Cases recorded later: those that once failed, and settings that the others leave out."""


@pytest.mark.parametrize("file", [*FILES_27, *FILES_34, FRESH_FILE])
def test_every_recorded_case_gets_the_real_answers(file: str) -> None:
    """Every key of every op equals what Hadoop's own classes of that release answered."""
    failed = [
        case["case"] for case in read_cases(GOLDEN / file) if first_difference(expected(case), answer(case)) is not None
    ]

    assert failed == []


@pytest.mark.parametrize("file", CAPACITY_FILES)
@pytest.mark.parametrize("part", [pytest.param(4, id="some"), pytest.param(1, id="all", marks=pytest.mark.long)])
def test_cases_of_the_capacity_scheduler_get_the_real_answers(file: str, part: int) -> None:
    """Every key of every op equals what Hadoop's own classes answered, and a refusal is the same exception."""
    cases = [case for number, case in enumerate(read_cases(GOLDEN / file)) if number % part == 0]

    failed = [case["case"] for case in cases if first_difference(expected(case), answer(case)) is not None]

    assert failed == []


@pytest.mark.parametrize("file", [FILES_27[0], FILES_34[0], CAPACITY_FILES[2]])
def test_a_fork_goes_on_as_the_original_does(file: str) -> None:
    """A copy made in the middle of a case gives the same answers, whatever the original did meanwhile."""
    cases = [case for number, case in enumerate(read_cases(GOLDEN / file)) if number % 9 == 0 and case["ops"]]

    failed = [
        case["case"]
        for case in cases
        if first_difference(expected(case), answer(case, fork_at=len(case["ops"]) // 2)) is not None
    ]

    assert failed == []


def test_the_runner_closes_with_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    """The last line is the count alone, behind a line for each kind."""
    status = main([str(GOLDEN / "yarn-sample.jsonl")])

    lines = capsys.readouterr().out.splitlines()
    assert status == 0
    assert lines[-1] == "6 passed, 0 failed"
    assert "2.7.2 fifo probe: 3 of 3" in lines


def test_the_runner_names_a_case_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong expectation is reported with its case, op and a failing exit code."""
    case = next(read_cases(GOLDEN / "yarn-sample.jsonl"))
    case["expect"][-1] = {"rejected": "Nonsense"}
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(case) + "\n")

    status = main([str(file)])

    lines = capsys.readouterr().out.splitlines()
    assert status == 1
    assert lines[0].startswith(f"failed: 2.7.2 {case['case']} at op {len(case['ops']) - 1}")
    assert lines[-1] == "0 passed, 1 failed"


def test_answers_are_written_as_cases_with_our_expectations(tmp_path: Path) -> None:
    """The file of answers holds the same cases with what we say."""
    out = tmp_path / "answers.jsonl"

    main([str(GOLDEN / "yarn-sample.jsonl"), "--answers", str(out)])

    assert list(read_cases(out)) == list(read_cases(GOLDEN / "yarn-sample.jsonl"))


def test_show_puts_expected_and_ours_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """Each op is followed by both answers."""
    status = main([str(GOLDEN / "yarn-sample.jsonl"), "--show", "probe/fifo-vcores"])

    shown = capsys.readouterr().out
    assert status == 0
    assert shown.count("     expected ") == shown.count("     ours     ") > 0


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there is an input error."""
    assert main(["nowhere.jsonl"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err
