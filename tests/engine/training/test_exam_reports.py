"""What an exam reports wrongly: nodes, their figures and rows, graphs; and a drill as an exam."""

from typing import Any

import pytest

from engine.observe.rm_log import NodeFigures
from engine.training.drill import YES, DrillQuestion, Exam, FalseReading, misread
from tests.engine.live.rows import header, node, snapshot
from tests.engine.training.small_drill import small_drill

FIGURES = NodeFigures(3, (60, 4), (100, 10))


def reading(shows: Any, host: str = "n", at_ms: int = 10, until_ms: int = 20) -> FalseReading:
    return FalseReading(at_ms=at_ms, until_ms=until_ms, node=host, shows=shows)


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
    exam = Exam(readings=(reading(shows),))

    assert misread(shows, FIGURES) == found
    assert exam.reported_figures("n", FIGURES, 15) == found
    assert exam.reported_figures("m", FIGURES, 15) == FIGURES
    rows = [node("n", (40, 6), containers=3), node("m", (40, 6), containers=3)]
    wrong, right = exam.reported(snapshot(header(), nodes=rows), 15).nodes()
    assert (wrong.containers, wrong.used, wrong.total, wrong.free) == (*found, found.free)
    assert (right, wrong.id, wrong.state) == (rows[1], "n:1", "RUNNING")


@pytest.mark.parametrize(("at_ms", "stands"), [(9, False), (10, True), (19, True), (20, False)])
def test_a_report_is_wrong_for_its_time(at_ms: int, *, stands: bool) -> None:
    """From its first instant up to just before its last; one without a node is about graphs."""
    picture = snapshot(header(), nodes=[node("n")])
    exam = Exam(readings=(reading("empty"), reading("nothing", "")))

    assert reading("full").stands(at_ms) == stands
    assert exam.has_graphs(at_ms) != stands
    assert (exam.reported_figures("n", FIGURES, at_ms) != FIGURES) == stands
    assert (exam.reported(picture, at_ms).nodes()[0].used != (100, 10)) == stands
    assert Exam(readings=(reading("empty"),)).has_graphs(at_ms)


@pytest.mark.parametrize(
    ("given", "worth"),
    [(("A",), 1), (("a", "b"), 0.5), (("b", "a", "c", "B"), 1 / 3), (("x", "y"), 0), ((), 0), (("a", "b", "x"), 1 / 3)],
)
def test_an_answer_is_worth_less_the_more_it_names(given: tuple[str, ...], worth: float) -> None:
    assert DrillQuestion(asks="node", text="?", answers=("a", "b")).worth(given) == worth


def test_whether_anything_is_wrong_is_always_asked_first() -> None:
    drill = small_drill().drill
    quiet = drill.model_copy(update={"fault": False})
    first, *own = drill.all_questions()

    assert first == DrillQuestion(
        asks="fault", text="Is anything wrong?", answers=(YES,), choices=("yes", "no"), must=False
    )
    assert tuple(own) == drill.questions
    assert (quiet.all_questions()[0].answers, quiet.all_questions()[0].must) == (("no",), True)
    assert (drill.question("cause"), drill.question("node")) == (drill.questions[0], None)
    assert drill.question("fault") == first
