"""The screen after a drill: lanes, table, score, the shorter way and the lesson, from a debrief made by hand."""

from typing import Any

import msgspec
import pytest

from engine.training.debrief import ClueSeen, Debrief, DebriefRow, ExerciseFigures, WhatIf
from engine.training.exercise import Sample
from engine.training.harm import HarmDone
from engine.training.score import Score, ScoreLine
from tests.tui.render.drawing import stored
from tui.pages.drill import DebriefSheet, debrief_screen
from tui.panes.line import length

ROWS = (
    DebriefRow(0, "2 wait, 40 containers run", "", "", "queues 1m"),
    DebriefRow(20_000, "node n7 is lost", "", "▲", "nodes 5s"),
    DebriefRow(65_000, "", "looks at nodes", "n", "nodes 50s"),
    DebriefRow(90_000, "", "says what is to blame: n7", "b", "nodes 1m10s", "", "among others", "n7 alone"),
    DebriefRow(95_000, "", "says: a fault", "f", "", "", "right"),
    DebriefRow(120_000, "", "brings node n7 back", "D", "nodes 1m40s", "9 wait → 1 waits"),
    DebriefRow(180_000, "all goals are met", "", "●"),
)
LINES = (
    ScoreLine("solved", "3m00s, par 1m00s", 41.5, 50),
    ScoreLine("localise", "1m30s", 5.0, 10),
    ScoreLine("hints", "1 hint", -5.0, 0),
)
PAR = (DebriefRow(30_000, "", "brings node n7 back", "D"), DebriefRow(60_000, "all goals are met", "", "●"))
FIGURES = ExerciseFigures(180_000, 42, 61.6, 600.0)


def debrief(**changes: Any) -> Debrief:
    """A lost node that was brought back after two minutes; par needs half a minute."""
    found = Debrief(
        name="lost-node",
        title="Night shift",
        score=Score(180_000, LINES, HarmDone(61.6, 600.0), 5, {}),
        rows=ROWS,
        clues=(ClueSeen("node n7 is lost", "nodes", 20_000, 65_000),),
        goals=(("nobody waits", 180_000), ("no queue starves", None)),
        samples=tuple(Sample(at_ms, at_ms // 30_000 % 5, 40, 0) for at_ms in range(0, 300_001, 30_000)),
        lasts_ms=600_000,
        run=FIGURES,
        par=ExerciseFigures(60_000, 98, 0.0, 61.0),
        par_rows=PAR,
        what_ifs=(WhatIf(0, "brings node n7 back", ExerciseFigures(None, 9, 1.0, 2.0)),),
        text="A node that is lost takes its containers with it. It comes back by itself after ten minutes.",
        is_exam=False,
    )
    return msgspec.structs.replace(found, **changes)


@pytest.mark.parametrize(
    ("name", "sheet", "width", "height"),
    [
        ("wide", DebriefSheet(debrief(), 3, 77), 170, 40),
        ("middle", DebriefSheet(debrief(), 5, None), 100, 31),
        ("narrow", DebriefSheet(debrief(), 6, 3), 80, 24),
        ("score", DebriefSheet(debrief(), 6, 100, is_on_score=True), 80, 24),
        ("otherwise", DebriefSheet(debrief(), 0, 0, what_ifs=debrief().what_ifs * 5), 120, 40),
    ],
)
def test_the_debrief_is_drawn_as_it_is_stored(name: str, sheet: DebriefSheet, width: int, height: int) -> None:
    """The same events with more room and with less, the chosen row and what it would have been."""
    drawn, kept = stored(f"debrief-{name}", debrief_screen(sheet, width, height))

    assert drawn == kept


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (99, 31), (100, 32), (151, 40), (152, 40), (200, 60)])
@pytest.mark.parametrize("cursor", [0, 3, 6])
def test_no_line_of_a_debrief_is_wider_than_the_screen(size: tuple[int, int], cursor: int) -> None:
    """Nor are there more lines than it has; the chosen row is among them."""
    lines = debrief_screen(DebriefSheet(debrief(), cursor, 50), *size)

    assert max(map(length, lines)) <= size[0]
    assert len(lines) <= size[1]
    assert sum("accent on raise" in {style for _, style in line} for line in lines) == 1
