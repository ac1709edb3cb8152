"""Recorded decisions of the real YARN schedulers, case by case."""

import json
import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.oracle.__main__ import main
from tests.oracle.cases import Json, answer, expected, first_difference, read_cases

GOLDEN = Path(__file__).parents[1] / "cases" / "recorded"
FAIR_27, FAIR_34 = "yarn-fair-2.7.2.jsonl.gz", "yarn-fair-3.4.1.jsonl.gz"
CAPACITY_27, CAPACITY_34 = "yarn-capacity-2.7.2.jsonl.gz", "yarn-capacity-3.4.1.jsonl.gz"
LARGE_FILES = (FAIR_27, FAIR_34, CAPACITY_27, CAPACITY_34)
SMALL_FILES = (
    "yarn-fifo-2.7.2.jsonl.gz",
    "yarn-fifo-3.4.1.jsonl.gz",
    "yarn-seeds-2.7.2.jsonl.gz",
    "yarn-seeds-3.4.1.jsonl.gz",
    "yarn-capacity-seeds-2.7.2.jsonl.gz",
    "yarn-capacity-seeds-3.4.1.jsonl.gz",
    "yarn-capacity-fresh-2.7.2.jsonl.gz",
    "yarn-capacity-fresh-3.4.1.jsonl.gz",
    "yarn-capacity-names-3.4.1.jsonl.gz",
)
"""The last three: cases recorded later, those that once failed, settings that the others leave out, and namesakes."""


def failed(cases: list[Json], *, forked: bool = False) -> list[str]:
    """The cases with a wrong answer; those that are `forked` change over to a copy in their middle."""
    return [
        case["case"]
        for case in cases
        if first_difference(expected(case), answer(case, fork_at=len(case["ops"]) // 2 if forked else None)) is not None
    ]


def by_kind(file: str, every: int) -> Iterator[tuple[str, str, list[Json]]]:
    """(file, kind, cases of that kind) of every so-manieth case of a file."""
    kinds: dict[str, list[Json]] = {}
    for case in read_cases(GOLDEN / file, every=every):
        kinds.setdefault(case["case"].partition("/")[0], []).append(case)
    return ((file, kind, cases) for kind, cases in kinds.items())


CASES = [
    *chain.from_iterable(by_kind(file, 1) for file in SMALL_FILES),
    *chain.from_iterable(by_kind(file, 6) for file in LARGE_FILES),
]
"""Every case of the small files, every sixth of the large ones."""


@pytest.mark.parametrize(
    "cases", [pytest.param(cases, id=f"{file.split('.jsonl')[0]}-{kind}") for file, kind, cases in CASES]
)
def test_recorded_cases_of_a_kind_get_the_real_answers(cases: list[Json]) -> None:
    """Every key of every op equals what Hadoop's own classes answered, and a refusal is the same exception."""
    assert failed(cases) == []


@pytest.mark.long
@pytest.mark.parametrize("file", LARGE_FILES)
def test_every_case_of_a_large_file_gets_the_real_answers(file: str) -> None:
    assert failed(list(read_cases(GOLDEN / file))) == []


@pytest.mark.long
@pytest.mark.parametrize("file", [FAIR_27, FAIR_34, CAPACITY_34])
def test_a_fork_goes_on_as_the_original_does(file: str) -> None:
    """A copy made in the middle of a case gives the same answers, whatever the original did meanwhile."""
    cases = [case for number, case in enumerate(read_cases(GOLDEN / file)) if number % 9 == 0 and case["ops"]]

    assert failed(cases, forked=True) == []


def test_the_runner_closes_with_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    """Files of Spark's Master among others are counted by themselves."""
    status = main([str(GOLDEN / name) for name in ("yarn-sample.jsonl", "spark-sample.jsonl")])

    lines = capsys.readouterr().out.splitlines()
    assert (status, sum(line.endswith(", 0 failed") and line[0].isdigit() for line in lines)) == (0, 2)
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
    out = tmp_path / "answers.jsonl"

    main([str(GOLDEN / "yarn-sample.jsonl"), "--answers", str(out)])

    assert list(read_cases(out)) == list(read_cases(GOLDEN / "yarn-sample.jsonl"))


def test_show_puts_expected_and_ours_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    status = main([str(GOLDEN / "yarn-sample.jsonl"), "--show", "probe/fifo-vcores"])

    shown = capsys.readouterr().out
    assert status == 0
    assert shown.count("     expected ") == shown.count("     ours     ") > 0


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.jsonl"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err


# Our JobTracker decides what a real one of Hadoop 1.2.1 was recorded to decide.

MR1_REPLAY_GOLDEN = Path(__file__).parent.parent / "cases" / "recorded"
FILES = {"fifo": 360, "fair": 396, "capacity": 360, "seeds": 27}
"""File → its recorded cases; `seeds` are written by hand, for all three schedulers."""
EVERY = 12
"""Of how many cases the quick gate plays one."""
TURNS = 8
"""Of how many tests each plays a part of those."""


def recorded(scheduler: str, first: int = 0, every: int = 1) -> list[Json]:
    """The recorded cases of one scheduler, or some of them."""
    return list(read_cases(MR1_REPLAY_GOLDEN / f"mr1-{scheduler}-1.2.1.jsonl.gz", first, every))


def failures(cases: list[Json]) -> list[str]:
    """Cases answered otherwise, by the JobTracker itself or by a copy forked within."""
    failed = []
    for case in cases:
        theirs = expected(case)
        at = random.Random(case["case"]).randrange(len(case["ops"]))
        if first_difference(theirs, answer(case)) is not None:
            failed.append(case["case"])
        elif first_difference(theirs, answer(case, at)) is not None:
            failed.append(f"{case['case']}, forked")
    return failed


@pytest.mark.parametrize("turn", range(TURNS))
@pytest.mark.parametrize("scheduler", FILES)
def test_every_twelfth_recorded_case_is_decided_alike(scheduler: str, turn: int) -> None:
    """Launches, kills, commits, ended jobs, figures of jobs and of the scheduler equal what 1.2.1 answered."""
    assert failures(recorded(scheduler, turn * EVERY, TURNS * EVERY)) == []


@pytest.mark.long
@pytest.mark.parametrize("scheduler", FILES)
def test_every_recorded_case_is_decided_alike(scheduler: str) -> None:
    cases = recorded(scheduler)

    assert len(cases) == FILES[scheduler]
    assert failures(cases) == []
