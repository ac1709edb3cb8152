"""The rows of a debrief: changes of counts, effects of acts, what stood on the screen, steps in words."""

from typing import Any

import pytest

from engine.training.debrief import (
    ClueSeen,
    Debrief,
    DebriefRow,
    ExerciseFigures,
    WhatIf,
    debrief_of,
    html,
    markdown,
    on_screen,
    rows_of,
    step_rows,
    step_words,
)
from engine.training.exercise import DrillStage, Exercise, Sample, TakenStep
from engine.training.harm import HarmDone
from engine.training.score import Score, ScoreBaselines, ScoreLine
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


def test_clues_come_when_they_show_and_before_what_is_done() -> None:
    """Those of before the drill at its beginning, with how long they have shown."""
    seen = {"old": -65_000, "new": 7_000}
    rows = rows_of(exercise(TakenStep(7_000, step(7_000, "hint")), TakenStep(0, step(0, "observe")), seen=seen))

    assert [(row.at_ms, row.cluster, row.trainee, row.sign) for row in rows] == [
        (0, "old, for 1m05s", "", "▲"),
        (0, "", "look at Applications", "o"),
        (7_000, "new", "", "▲"),
        (7_000, "", "hint", "?"),
    ]


@pytest.mark.parametrize(
    ("at_ms", "words"),
    [
        (9_999, ""),
        (10_000, "Queues for 0m00s: one waits"),
        (19_999, "Queues for 0m09s: one waits"),
        (20_000, ""),
    ],
)
def test_a_clue_stands_on_the_screen_until_it_is_gone(at_ms: int, words: str) -> None:
    shown = exercise(seen={"one waits": 10_000}, gone={"one waits": 20_000})

    assert on_screen(shown, at_ms) == words
    assert on_screen(exercise(seen={"one waits": 10_000}), 10**6) == "Queues for 16m30s: one waits"


def kill(at_ms: int, refused: str = "") -> TakenStep:
    return TakenStep(at_ms, step(at_ms, "kill", application="7"), refused)


SAMPLES = [Sample(0, 9, 5, 2), Sample(10_000, 9, 5, 2), Sample(20_000, 8, 5, 1), Sample(80_000, 1, 6, 1)]


@pytest.mark.parametrize(
    ("log", "effects"),
    [
        ([kill(10_000)], ["wait 9 → 8, nodes reserved 2 → 1 in 1m00s"]),
        ([kill(10_000), kill(19_999)], ["nothing changed in 0m09s", "wait 9 → 8, nodes reserved 2 → 1 in 1m00s"]),
        ([kill(20_000)], ["wait 8 → 1, containers 5 → 6 in 1m00s"]),
        ([kill(10_000), kill(10_000)], ["wait 9 → 8, nodes reserved 2 → 1 in 1m00s"] * 2),
        ([kill(280_000)], ["nothing changed in 0m20s"]),
        ([kill(10_000, "gone")], [""]),
    ],
)
def test_an_act_is_shown_with_what_changed_until_the_next(log: list[TakenStep], effects: list[str]) -> None:
    """A minute at most, and to the end of the drill; one that was refused has none."""
    assert [row.effect for row in step_rows(exercise(*log, samples=SAMPLES))] == effects


def test_an_act_before_the_first_count_begins_with_that() -> None:
    (row,) = step_rows(exercise(kill(1_000), samples=SAMPLES[2:]))

    assert row.effect == "nothing changed in 1m00s"
    assert [row.effect for row in step_rows(exercise(kill(1_000)))] == [""]


@pytest.mark.parametrize(
    ("question", "answer", "refused", "graded"),
    [
        ("cause", ["masters"], "", ("right", "")),
        ("cause", ["nodes", "masters"], "", ("among others", "masters")),
        ("cause", ["nodes"], "", ("wrong", "masters")),
        ("cause", ["nodes"], "over", ("", "")),
        ("node", ["n1"], "", ("", "")),
    ],
)
def test_answers_are_graded_with_what_would_have_been_right(
    question: str, answer: list[str], refused: str, graded: tuple[str, str]
) -> None:
    (row,) = step_rows(exercise(TakenStep(5, step(5, "answer", question=question, answer=answer), refused)))

    assert (row.graded, row.accepted, row.sign) == (*graded, "a")


@pytest.mark.parametrize(
    ("graded", "accepted", "told"),
    [("", "", "x"), ("right", "", "x (right)"), ("wrong", "a or b", "x (wrong; accepted: a or b)")],
)
def test_an_answer_is_told_with_its_worth(graded: str, accepted: str, told: str) -> None:
    assert DebriefRow(0, "", "x", graded=graded, accepted=accepted).told == told


@pytest.mark.parametrize(
    ("do", "fields", "words", "sign"),
    [
        ("answer", {"question": "node", "answer": ["n1", "n2"]}, "answer node: n1, n2", "a"),
        ("hint", {}, "hint", "?"),
        ("observe", {"pane": "Nodes"}, "look at Nodes", "o"),
        ("why", {"application": "7"}, "why 7 off", "w"),
        ("why", {"application": "7", "remedies": True}, "why 7 on", "w"),
        ("advance", {}, "advance", ""),
        ("finish", {}, "finish", ""),
        ("pause", {"lasted_ms": 61_000}, "pause of 1m01s", ""),
        ("assess", {"points": 40}, "expects 40 points", ""),
        ("kill", {"application": "7"}, "kill 7", "K"),
        ("kill-everything", {}, "kill everything", "E"),
        ("preemption", {"on": True}, "preemption on", "P"),
        ("reservation-rule", {"rule": "off"}, "reservation rule off", "R"),
        ("drain", {"node": "n1"}, "drain n1", "D"),
        ("reload", {"allocations": "<allocations/>"}, "reload a file", "E"),
    ],
)
def test_each_step_has_its_words_and_its_sign(do: str, fields: dict[str, Any], words: str, sign: str) -> None:
    one = step(5, do, **fields)
    (row,) = step_rows(exercise(TakenStep(5, one)))

    assert (step_words(one), row.trainee, row.sign, row.at_ms) == (words, words, sign, 5)


@pytest.mark.parametrize(
    ("do", "fields", "words"),
    [
        ("message", {"sender": "ines", "words": "Hurry."}, "ines: Hurry."),
        ("note", {"words": "late"}, "note: late"),
        ("freeze", {"on": True}, "instructor: the clock stands"),
        ("freeze", {"on": False}, "instructor: the clock goes on"),
        ("backtrack", {"from_ms": 61_000}, "instructor: back to here from +1m01s"),
    ],
)
def test_what_an_instructor_does_is_the_clusters(do: str, fields: dict[str, Any], words: str) -> None:
    (row,) = step_rows(exercise(TakenStep(5, step(5, do, **fields), "")))

    assert row == DebriefRow(5, words, "", "I")


def test_a_step_that_was_refused_says_why() -> None:
    (row,) = step_rows(exercise(kill(5, "there is no 7")))

    assert row.trainee == "kill 7 (refused: there is no 7)"


@pytest.mark.parametrize(
    ("since_ms", "looked_ms", "words"),
    [
        (-65_000, None, "x: visible in Queues since 1m05s before the drill, never looked at"),
        (0, None, "x: visible in Queues from +0m00s on, never looked at"),
        (65_000, None, "x: visible in Queues from +1m05s on, never looked at"),
        (-5_000, 60_000, "x: visible in Queues for 1m05s before you looked"),
    ],
)
def test_a_clue_is_told_with_how_long_it_was_there(since_ms: int, looked_ms: int | None, words: str) -> None:
    assert ClueSeen("x", "Queues", since_ms, looked_ms).sentence == words


@pytest.mark.parametrize(
    ("pane", "at_ms", "looked_ms"),
    [("Queues", 0, 0), ("queues", 5, 5), ("Nodes", 5, None)],
)
def test_a_look_is_one_at_the_pane_of_the_clue(pane: str, at_ms: int, looked_ms: int | None) -> None:
    yardstick = ScoreBaselines(STAGE)
    looked = Exercise(STAGE)
    for look in (step(at_ms, "observe", pane=pane), step(9_000, "observe", pane=pane)):
        looked.take(look)
    found = debrief_of(looked, yardstick)

    assert [clue.looked_ms for clue in found.clues] == [looked_ms]
    assert [one.at_ms for one in found.what_ifs] == ([0] if looked_ms in {0, None} else [0, looked_ms])
    assert found.lasts_ms == 300_000


def figures(score: int, solved_ms: int | None = None) -> ExerciseFigures:
    return ExerciseFigures(solved_ms, score, 60.4, 3_599.5)


def test_figures_have_words_and_cells() -> None:
    assert figures(90, 61_000).cells == ("1m01s", "90", "1m00s", "1h00m")
    assert figures(90, 61_000).words == "solved in 1m01s, 90 points, 1m00s lost, 1h00m waited"
    assert figures(-5).words == "not solved, -5 points, 1m00s lost, 1h00m waited"


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


def test_a_verdict_is_one_line() -> None:
    solved = Score(61_000, (ScoreLine("x", "", 70.4, 80),), HarmDone(), 1, {})

    assert debrief().verdict == "not solved, 2 of 100"
    assert debrief(score=solved, is_exam=True).verdict == "exam solved in 1m01s, 70 of 100"


MARKDOWN = """\
# &lt;T&gt; \\[x\\]: not solved, 2 of 100

- x &amp; y: visible in Queues from +0m00s on, never looked at

## What happened, and what you did

| at | the cluster | you | on the screen, since when |
| --- | --- | --- | --- |
| +0m00s | it \\| begins |  | Queues: q |
| +1m01s | nothing changed | kill 7 |  |

## Score

| what | measured | points | of |
| --- | --- | --- | --- |
| solved | never | 0 | 60 |
| hints | 1 | -5 |  |
| detect | 9s | 7.5 | 10 |

## Goals

| goal | met |
| --- | --- |
| all run | not met |
| one runs | +0m05s |

## Beside par

| what was done | solved in | points | work lost | waited |
| --- | --- | --- | --- | --- |
| this run | not solved | 3 | 1m00s | 1h00m |
| par | 0m30s | 100 | 1m00s | 1h00m |
| what if at +0m02s: raise it | 0m03s | 90 | 1m00s | 1h00m |

## A shorter way

| at | the reference | then |
| --- | --- | --- |
| +0m30s | raise it | all run |
| +0m31s | goal met |  |

## What there is to learn

See http\\://a.b.
"""


def test_a_debrief_is_written_as_markdown() -> None:
    assert markdown(debrief()) == MARKDOWN


def test_a_page_has_the_same_tables_and_a_curve() -> None:
    page = html(debrief())

    assert page.startswith('<!doctype html><html lang="en"><head><meta charset="utf-8"><title>&lt;T&gt; [x]</title>')
    assert "<h1>&lt;T&gt; [x]: not solved, 2 of 100</h1><p>x &amp; y: visible in Queues from +0m00s on, never" in page
    assert (
        "<h2>Goals</h2><table><tr><th>goal</th><th>met</th></tr>"
        "<tr><td>all run</td><td>not met</td></tr><tr><td>one runs</td><td>+0m05s</td></tr></table>" in page
    )
    assert 'points="0.0,65.0 400.0,10.0 800.0,120.0"' in page
    assert 'viewBox="0 0 800 120"' in page
    assert page.count("applications that wait, at most 4") == 2
    assert page.endswith("<h2>What there is to learn</h2><p>See http://a.b.</p></body></html>\n")


@pytest.mark.parametrize(
    ("samples", "points", "most"),
    [((), "", 1), ((Sample(300_000, 0, 0, 0),), "800.0,120.0", 1), ((Sample(0, 1, 0, 0),), "0.0,10.0", 1)],
)
def test_a_curve_of_nobody_lies_on_the_ground(samples: tuple[Sample, ...], points: str, most: int) -> None:
    page = html(debrief(samples=samples))

    assert f'<polyline points="{points}"' in page
    assert f"at most {most}" in page
