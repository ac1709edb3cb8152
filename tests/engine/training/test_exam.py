"""A drill as an exam: no help, pages that arrive, reports that are wrong, more faults, pauses that cost."""

from collections.abc import Iterator

import pytest

from engine.observe.rm_log import NodeFigures
from engine.training.drill import DrillQuestion, DrillScenario, Exam, FalseReading, misread
from engine.training.exercise import DrillStage, Exercise
from engine.training.protocol import ProgramScreen, brief_of, converse
from engine.training.score import ScoreBaselines
from engine.training.steps import read_steps
from tests.build.rows import header, node, snapshot
from tests.engine.training.small_drill import small_drill

EXAM = """
[[drill.exam.pages]]
at = 60
sender = "ines"
words = "it is late"
[[drill.exam.readings]]
at = 30
until = 90
node = "n1"
shows = "full"
[[drill.exam.readings]]
at = 30
until = 90
[[drill.exam.faults]]
at = 100
do = "health"
node = "n2"
healthy = false
"""
CLUES = "[[drill.clues]]"


def exam() -> DrillScenario:
    return small_drill(CLUES, f"{EXAM}\n{CLUES}").as_exam()


def replies(*lines: str) -> Iterator[dict[str, object]]:
    return converse(ProgramScreen(DrillStage(exam())), lines)


@pytest.mark.parametrize("step", ['{"do": "hint"}', '{"do": "why", "application": "1"}'])
def test_help_is_shut(step: str) -> None:
    """Hints and why are refused, and the brief says that it is an exam."""
    assert [reply["ok"] for reply in replies(step)] == [False]
    assert (brief_of(exam())["exam"], brief_of(exam())["hints"]) == (True, 0)


@pytest.mark.parametrize(
    ("at", "shows", "pages"), [("29s", False, 0), ("30s", True, 0), ("89s", True, 1), ("90s", False, 1)]
)
def test_a_node_reports_wrongly_for_its_time_only(at: str, shows: bool, pages: int) -> None:
    """From its first instant up to just before its last; the other node reports as ever. What comes is told."""
    (reply,) = replies(f'{{"do": "observe", "pane": "Nodes", "at": "{at}"}}')
    nodes = reply["nodes"]
    assert isinstance(nodes, list)
    first, second = nodes
    assert (first["used"] == first["total"], second["used"] == second["total"]) == (shows, False)
    assert reply.get("pages", []) == [{"at_s": 60.0, "sender": "ines", "words": "it is late"}] * pages


def test_a_fault_comes_whatever_the_trainee_does() -> None:
    """At its instant, counted from the drill's beginning; the next heartbeat tells of it."""
    exercise = Exercise(DrillStage(exam()))
    seen = []
    for at_ms in (100_000, 101_001):
        exercise.advance(at_ms)
        seen.append([str(row.state) for row in exercise.snapshot().nodes()])
    assert seen == [["RUNNING", "RUNNING"], ["RUNNING", "UNHEALTHY"]]


def test_what_the_trainee_expects_is_told_and_costs_nothing() -> None:
    drill = exam()
    exercise = Exercise(stage := DrillStage(drill))
    exercise.complete()
    for points in (10, 70):
        (step,) = read_steps([f'{{"do": "assess", "points": {points}}}'], "", drill.begins, now_ms=exercise.now_ms)
        assert not exercise.take(step).refused
    lines = ScoreBaselines(stage).score(exercise).lines
    assert [(line.measured, line.points) for line in lines if line.what == "you said"] == [("70 points", 0)]


# What an exam reports wrongly: nodes, their figures and rows, graphs; and a drill as an exam.

FIGURES = NodeFigures(3, (60, 4), (100, 10))


@pytest.mark.parametrize(
    ("shows", "found"),
    [
        ("full", NodeFigures(3, (100, 10), (100, 10))),
        ("empty", NodeFigures(0, (0, 0), (100, 10))),
        ("nothing", NodeFigures(3, (0, 0), (0, 0))),
    ],
)
def test_a_wrong_report_is_full_empty_or_nothing(shows: str, found: NodeFigures) -> None:
    """In figures of a log, in a row and as a node; others report as they are."""
    exam = Exam(readings=(FalseReading(at_ms=10, until_ms=20, node="n", shows=shows),))

    assert misread(shows, FIGURES) == found
    assert exam.reported_figures("n", FIGURES, 15) == found
    assert exam.reported_figures("m", FIGURES, 15) == FIGURES
    rows = [node("n", (40, 6), containers=3), node("m", (40, 6), containers=3)]
    wrong, right = exam.reported(snapshot(header(), nodes=rows), 15).nodes()
    assert (wrong.containers, wrong.used, wrong.total, wrong.free) == (*found, found.free)
    assert (right, wrong.id, wrong.state) == (rows[1], "n:1", "RUNNING")


@pytest.mark.parametrize(
    ("given", "worth"),
    [(("A",), 1), (("a", "b"), 0.5), (("b", "a", "c", "B"), 1 / 3), (("x", "y"), 0), ((), 0), (("a", "b", "x"), 1 / 3)],
)
def test_an_answer_is_worth_less_the_more_it_names(given: tuple[str, ...], worth: float) -> None:
    assert DrillQuestion(asks="node", text="?", answers=("a", "b")).worth(given) == worth
