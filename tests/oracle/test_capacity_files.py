"""capacity-scheduler.xml files that the classes of Hadoop 2.7.2 and 3.4.1 were asked about.

The recorded files are samples with one to three changes; `python -m tests.oracle.capacity_files` makes more of them.
"""

from pathlib import Path

import pytest

from tests.oracle.capacity_files import difference, made, verdict
from tests.oracle.cases import read_cases

ROOT = {"refused": None, "queues": {"root": {"parts": {"": ["1.0", "1.0"]}}}}
RECORDED = Path(__file__).parents[1] / "cases" / "recorded" / "capacity-scheduler-files.jsonl.gz"


@pytest.mark.parametrize("era", ["2.7", "3.4"])
def test_files_are_accepted_and_refused_as_by_the_class(era: str) -> None:
    """With the class of the first exception, or with the queues and their absolute capacities."""
    cases = list(read_cases(RECORDED))
    wrong = {case["case"]: difference(case[era], verdict(case["text"], era)) for case in cases}
    assert len(cases) > 300
    assert {name: each for name, each in wrong.items() if each} == {}


def test_the_same_seed_makes_the_same_files() -> None:
    assert list(made(20, 1)) == list(made(20, 1)) != list(made(20, 2))


@pytest.mark.parametrize(
    ("recorded", "ours", "expected"),
    [
        ({"refused": "IOException"}, {"refused": "IOException"}, ""),
        ({"refused": "IOException"}, {"refused": "Error"}, "refused with Error, not IOException"),
        ({"refused": "IOException"}, {"refused": None, "queues": {}}, "accepted, not IOException"),
        ({"refused": None, "queues": {}}, {"refused": "IOException"}, "refused with IOException"),
        (ROOT, {"refused": None, "queues": {}}, "queues ['root']"),
        (ROOT, {"refused": None, "queues": {"root": {"": (1.0, 0.9)}}}, "root : (1.0, 0.9), not [1.0, 1.0]"),
    ],
)  # fmt: skip
def test_a_difference_is_found(recorded: dict[str, object], ours: dict[str, object], expected: str) -> None:
    found = difference(recorded, ours)
    assert found.startswith(expected)
    assert bool(found) is bool(expected)
