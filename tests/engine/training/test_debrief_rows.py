"""The rows of a debrief: changes of counts, effects of acts, what stood on the screen, steps in words."""

from typing import Any

from engine.training.debrief import (
    ClueSeen,
    Debrief,
    DebriefRow,
    ExerciseFigures,
    WhatIf,
    rows_of,
)
from engine.training.exercise import DrillStage, Exercise, Sample, TakenStep
from engine.training.harm import HarmDone
from engine.training.score import Score, ScoreLine
from engine.training.steps import RecordedStep, StepRecorder
from tests.engine.training.small_drill import small_drill

STAGE = DrillStage(small_drill())


def step(at_ms: int, do: str, **fields: Any) -> RecordedStep:
    return StepRecorder(0).add(at_ms, do=do, **fields)


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
        (0, "10 wait, 10 containers run", ""),
        (10_000, "10 → 7 wait", "◆"),
        (10_000, "10 → 6 containers", "◆"),
        (10_000, "0 → 2 nodes reserved", "◆"),
        (15_000, "7 → 10 wait", "◆"),
        (15_000, "2 → 0 nodes reserved", "◆"),
    ]
    assert rows_of(exercise()) == ()


def kill(at_ms: int, refused: str = "") -> TakenStep:
    return TakenStep(at_ms, step(at_ms, "kill", application="7"), refused)


def figures(score: int, solved_ms: int | None = None) -> ExerciseFigures:
    return ExerciseFigures(solved_ms, score, 60.4, 3_599.5)


def debrief(**changes: Any) -> Debrief:
    lines = (ScoreLine("solved", "never", 0, 60), ScoreLine("hints", "1", -5.0, 0), ScoreLine("detect", "9s", 7.5, 10))
    fields: dict[str, Any] = {
        "name": "small",
        "title": "<T> [x]",
        "score": Score(None, lines, HarmDone(), 1, {}),
        "rows": (
            DebriefRow(0, "it | begins", "", "▲", "Queues: q"),
            DebriefRow(61_000, "", "kill 7", "K", effect="nothing\nchanged"),
        ),
        "clues": (ClueSeen("x & y", "Queues", 0, None),),
        "goals": (("all run", None), ("one runs", 5_000)),
        "samples": (Sample(0, 2, 0, 0), Sample(150_000, 4, 0, 0), Sample(300_000, 0, 0, 0)),
        "lasts_ms": 300_000,
        "run": figures(3),
        "par": figures(100, 30_000),
        "par_rows": (DebriefRow(30_000, "", "raise it", effect="all run"), DebriefRow(31_000, "goal met", "")),
        "what_ifs": (WhatIf(2_000, "raise it", figures(90, 3_000)),),
        "text": "See http://a.b.",
        "is_exam": False,
    }
    return Debrief(**{**fields, **changes})
