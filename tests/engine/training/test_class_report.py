"""What a class report says in words of many tries, and of one."""

import pytest

from engine.training.class_report import ClassTry, summary
from engine.training.harm import HarmDone
from engine.training.score import Score, ScoreLine
from tests.engine.training.small_drill import small_drill

DRILL = small_drill()
PAR = Score(30_000, (), HarmDone(), 0, {})


def attempt(
    solved: float = 50, explain: float = 10, hints: float = 0, lost_s: float = 0, *, named: bool = True
) -> ClassTry:
    """A solved try with these points, and so much work lost beyond par."""
    lines = (
        ScoreLine("solved", "", solved, 50),
        ScoreLine("explain", "", explain, 10),
        ScoreLine("hints", "", hints, 0),
    )
    clocks = {"explain": 20_000 if named else None}
    score = Score(30_000, lines, HarmDone(lost_s=lost_s), 0, clocks)
    return ClassTry("seat", DRILL, score, PAR, 0, (), ())


def test_a_class_without_loss_has_nothing_to_say() -> None:
    """Nor has a class that lost less than a point."""
    assert summary([attempt(), attempt(explain=9.1)]) == ""
    assert summary([attempt(explain=9)]) == "Naming the fault costs most: 1 of the 1 points lost."


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (attempt(solved=41, explain=2), "The repair costs most: 9 of the 17 points lost."),
        (attempt(solved=42, explain=2), ""),
        (attempt(solved=43, explain=2), "Naming the fault costs most: 8 of the 15 points lost."),
        (attempt(hints=-9, explain=2), "Hints and prices cost most: 9 of the 17 points lost."),
    ],
)
def test_what_costs_most_points_is_named_where_one_thing_does(one: ClassTry, words: str) -> None:
    """Two that cost as much are not told apart."""
    assert summary([one]) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, ""),
        (1, "1 of 3 repairs was made without an explanation."),
        (3, "3 of 3 repairs were made without an explanation."),
    ],
)
def test_repairs_without_an_explanation_are_counted(count: int, words: str) -> None:
    """Among the tries that were solved and asked for one."""
    assert summary([attempt(named=place >= count) for place in range(3)]) == words


@pytest.mark.parametrize(
    ("lost_s", "words"),
    [
        (30, ""),
        (31, "In {} 1 of 2 lost work that par keeps: 1 container-minute."),
        (90, "In {} 1 of 2 lost work that par keeps: 2 container-minutes."),
    ],
)
def test_the_drill_in_which_most_work_is_lost_is_named(lost_s: float, words: str) -> None:
    """From a minute on, rounded."""
    assert summary([attempt(lost_s=lost_s), attempt()]) == words.format(DRILL.name)
