"""What an exam reports wrongly: nodes, their figures and rows, graphs; and a drill as an exam."""

from typing import Any

import pytest

from engine.model.ledger import Node
from engine.observe.rm_log_nodes import NodeFigures
from engine.observe.snapshot import UNKNOWN, ObstacleSummary, Release, ReservationRow
from engine.training.drill import YES, Clue, DrillQuestion
from engine.training.exam import Exam, FalseReading, misread
from tests.engine.live.rows import app, header, node, snapshot
from tests.engine.training.small_drill import small_drill

FIGURES = NodeFigures(3, (60, 4), (100, 10))


def reading(shows: Any, host: str = "n", at_ms: int = 10, until_ms: int = 20) -> FalseReading:
    """A report that is wrong for a while."""
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
    ("shows", "total", "used", "containers"),
    [("full", (100, 10), (100, 10), 1), ("empty", (100, 10), (0, 0), 0), ("nothing", (0, 0), (0, 0), 1)],
)
def test_a_node_of_the_log_reports_wrongly_too(
    shows: str, total: tuple[int, int], used: tuple[int, int], containers: int
) -> None:
    """All but its figures is as it is; the cluster's own node stays."""
    real = Node("n", 8041, "/r", 100, 10, True, "gpu")
    held: Any = object()
    real.containers, real.used_memory_mb, real.used_vcores = {(1, 1, 1): held}, 60, 4
    exam = Exam(readings=(reading(shows),))
    shown = exam.reported_node(real, 15)

    assert (shown.total_memory_mb, shown.total_vcores) == total
    assert (shown.used_memory_mb, shown.used_vcores) == used
    assert (shown.free_memory_mb, shown.free_vcores) == (total[0] - used[0], total[1] - used[1])
    assert (len(shown.containers), shown.host, shown.port, shown.rack) == (containers, "n", 8041, "/r")
    assert (shown.partition, shown.state, shown.joined) == (real.partition, real.state, real.joined)
    assert (real.used_memory_mb, len(real.containers)) == (60, 1)
    assert exam.reported_node(real, 20) is real


def test_nobody_says_what_holds_applications_up() -> None:
    """Nor who could release a node; all else is as it is."""
    obstacle = ObstacleSummary("X", "x")
    held = ReservationRow("n:1", "a", "q", (1, 1), (1, 1), (0, 0), 5, Release("fits"))
    picture = snapshot(header(), nodes=[node("n")], applications=[app(1, obstacle=obstacle)], reservations=[held])
    shown = Exam().reported(picture, 0)

    assert [row.obstacle for row in picture.applications()] == [obstacle]
    assert list(shown.applications()) == list(picture.applications(why=False))
    assert [(row.node, row.released) for row in shown.reservations()] == [("n:1", UNKNOWN)]
    assert (shown.header, shown.dialect, shown.sections) == (picture.header, picture.dialect, picture.sections)
    assert (shown.queues(), shown.nodes()) == (picture.queues(), picture.nodes())


def test_nodes_have_a_version_for_each_set_of_wrong_reports() -> None:
    """The other sections have their own."""
    picture = snapshot(header(), nodes=[node("n"), node("m")])
    exam = Exam(readings=(reading("empty"), reading("full", "m", 15)))
    versions = [exam.reported(picture, at_ms).version("nodes") for at_ms in (9, 10, 15, 10)]

    assert versions[0] == picture.version("nodes")
    assert len(set(versions)) == 3
    assert versions[1] == versions[3]
    assert exam.reported(picture, 10).version("queues") == picture.version("queues")


def test_a_drill_as_an_exam_has_more_faults_and_no_help() -> None:
    """Its faults are scripted, after the scenario's own, from the drill's beginning on."""
    text = '[[drill.exam.faults]]\nat = 100\ndo = "health"\nnode = "n2"\nhealthy = false\n[[drill.forbidden]]'
    drill = small_drill("[[drill.forbidden]]", text)
    exam = drill.as_exam()

    assert (drill.is_exam, exam.is_exam, exam.drill.level) == (False, True, "on your own")
    assert [each.at_ms for each in exam.scenario.script] == [400_000]
    assert exam.drill.model_copy(update={"level": drill.drill.level}) == drill.drill


def test_a_drill_begins_and_ends_by_its_scenario() -> None:
    """In epoch ms, and in ms after its start."""
    drill = small_drill()

    assert drill.begins_ms == drill.scenario.start_ms + 300_000
    assert drill.ends_ms == 600_000


@pytest.mark.parametrize(
    ("asks", "clock"),
    [
        ("fault", "detect"),
        ("cause", "explain"),
        ("setting", "explain"),
        ("queue", "localise"),
        ("node", "localise"),
        ("application", "localise"),
    ],
)
def test_each_question_stops_its_clock(asks: Any, clock: str) -> None:
    """Whether, who or what, and why."""
    assert DrillQuestion(asks=asks, text="?", answers=("a",)).clock == clock


@pytest.mark.parametrize(
    ("given", "worth"),
    [(("A",), 1), (("a", "b"), 0.5), (("b", "a", "c", "B"), 1 / 3), (("x", "y"), 0), ((), 0), (("a", "b", "x"), 1 / 3)],
)
def test_an_answer_is_worth_less_the_more_it_names(given: tuple[str, ...], worth: float) -> None:
    """However many of them are right; names that differ in case are one."""
    assert DrillQuestion(asks="node", text="?", answers=("a", "b")).worth(given) == worth


def test_whether_anything_is_wrong_is_always_asked_first() -> None:
    """It must be answered where nothing is; then come the drill's own."""
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


@pytest.mark.parametrize(
    ("when", "times"),
    [("", (None, 0, 300_000)), (", within = 60", (None, 0, 60_000)), (", at = 60", (60_000, 0, None))],
)
def test_a_goal_without_a_time_has_until_the_end(when: str, times: tuple[int | None, int, int | None]) -> None:
    """Clues likewise."""
    goal = small_drill("at_least = 3}", f"at_least = 3{when}}}").drill.goals[0]
    clue: Clue = small_drill("at_least = 1}", f"at_least = 1{when}}}").drill.clues[0]

    for one in (goal, clue.shown):
        assert (one.at_ms, one.since_ms or 0, one.within_ms) == times
