"""The screen after a drill: lanes, table, score, the shorter way and the lesson, from a debrief made by hand."""

from typing import Any

import msgspec
import pytest

from engine.training.debrief import ClueSeen, Debrief
from engine.training.debrief_rows import DebriefRow
from engine.training.exercise import Sample
from engine.training.harm import HarmDone
from engine.training.score import Score, ScoreLine
from engine.training.what_if import ExerciseFigures, WhatIf
from tests.tui.render.drawing import stored
from tui.render.drill import compared_lines, debrief_lines, score_lines
from tui.render.drill_debrief import DebriefSheet, debrief_screen, lanes
from tui.render.line import flat, length

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


def test_a_drill_that_was_not_solved_is_drawn_to_its_end_with_no_shorter_way() -> None:
    """No sample is no curve, no row nothing that is said of one, no clue no words about it."""
    idle = Score(None, (), HarmDone(), 0, {})
    found = debrief(score=idle, rows=(), par_rows=(), samples=(), clues=(), par=FIGURES)
    drawn, kept = stored("debrief-nothing", debrief_screen(DebriefSheet(found, 0, None), 100, 32))

    assert drawn == kept


@pytest.mark.parametrize(
    ("lasts_ms", "last_ms", "axis"),
    [
        (600_000, 180_000, "+0m +1m +2m +3m"),  # 3m45s: a quarter more than the last row
        (185_000, 180_000, "+0m +1m +2m"),  # but no more than the drill lasts
        (600_000, 10_000, "+0m"),  # and a minute at least
        (600_000, 48_000, "+0m"),
        (600_000, 96_000, "+0m +1m"),
    ],
)
def test_a_solved_drill_is_drawn_a_quarter_longer_than_it_took(lasts_ms: int, last_ms: int, axis: str) -> None:
    """A label that has no room at the end of the axis is left out."""
    found = debrief(lasts_ms=lasts_ms, rows=(DebriefRow(last_ms, "all goals are met", "", "●"),), par_rows=())

    assert flat(lanes(found, 60, is_short=True)[-2]).split() == axis.split()


@pytest.mark.parametrize(
    ("minutes", "width", "every"), [(5, 53, 1), (6, 61, 1), (6, 60, 2), (60, 133, 5), (60, 61, 10), (300, 61, 60)]
)
def test_the_axis_has_a_label_each_eight_cells_at_most(minutes: int, width: int, every: int) -> None:
    """Each 1, 2, 5, 10, 20 or 60 minutes."""
    found = debrief(score=Score(None, (), HarmDone(), 0, {}), lasts_ms=60_000 * minutes)
    labels = flat(lanes(found, width, is_short=True)[-2]).split()

    assert labels[:2] == ["+0m", f"+{every}m"]


def test_acts_have_their_labels_before_looks_and_none_covers_another() -> None:
    """A label is cut at 28 cells; one that has no room is left out."""
    rows = (
        DebriefRow(10_000, "", "looks at nodes", "n"),
        DebriefRow(12_000, "", "drains node n7, which takes long", "D"),
        DebriefRow(59_000, "", "looks at queues", "q"),
    )
    lines = [flat(line) for line in lanes(debrief(rows=rows, par_rows=()), 90, is_short=False)]

    place = next(place for place, line in enumerate(lines) if line.startswith(" you"))
    assert lines[place + 1].split("  ")[-1].strip() == "looks at queues"
    assert lines[place + 1].rpartition("looks at queues")[0].strip() == "drains node n7, which takes"


def test_a_debrief_as_text_has_all_of_it() -> None:
    """Verdict, clues, both columns, score, goals, what would have been, the shorter way, the lesson."""
    drawn, kept = stored("debrief-text", [[(line, "text")] for line in debrief_lines(debrief())])

    assert drawn == kept


def test_a_score_has_a_line_for_each_of_its_parts() -> None:
    """What only costs has no most."""
    assert score_lines(debrief().score) == [
        f"  {'solved':28} {'3m00s, par 1m00s':>26}    41.5 /50",
        f"  {'localise':28} {'1m30s':>26}     5.0 /10",
        f"  {'hints':28} {'1 hint':>26}    -5.0",
    ]


def test_exercises_are_compared_in_four_columns_of_figures() -> None:
    """What was done is cut to what they leave of the width."""
    assert compared_lines([("this run, which took long", FIGURES)], 62) == [
        " " * 14 + f"{'solved in':>12}{'points':>12}{'work lost':>12}{'waited':>12}",
        "this run, whi~" + f"{'3m00s':>12}{'42':>12}{'1m02s':>12}{'10m00s':>12}",
    ]
