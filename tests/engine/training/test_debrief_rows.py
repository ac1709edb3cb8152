"""The rows of a debrief: changes of counts, effects of acts, what stood on the screen, steps in words."""

from engine.training.debrief import (
    rows_of,
)
from engine.training.exercise import DrillStage, Exercise, Sample, TakenStep
from tests.engine.training.small_drill import small_drill

STAGE = DrillStage(small_drill())


def exercise(
    *log: TakenStep, samples: list[Sample] | None = None, seen: dict[str, int] | None = None, **more: dict[str, int]
) -> Exercise:
    found = Exercise(STAGE)
    found.log, found.samples = list(log), samples or []
    found.seen, found.gone = seen or {}, more.get("gone", {})
    return found


def test_counts_are_shown_where_they_change_much() -> None:
    """Beside the largest: who waits by a fifth, containers by three tenths, reservations by half of it."""
    samples = [
        Sample(0, 10, 10, 0),
        Sample(5_000, 8, 7, 1),
        Sample(10_000, 7, 6, 2),
        Sample(15_000, 10, 6, 0),
    ]
    rows = rows_of(exercise(samples=samples))

    assert [(row.at_ms, row.cluster, row.sign) for row in rows] == [
        (0, "10 waiting, 10 containers", ""),
        (10_000, "10 → 7 waiting", "◆"),
        (10_000, "10 → 6 containers", "◆"),
        (10_000, "0 → 2 nodes reserved", "◆"),
        (15_000, "7 → 10 waiting", "◆"),
        (15_000, "2 → 0 nodes reserved", "◆"),
    ]
    assert rows_of(exercise()) == ()
