"""The instructor's desk as lines."""

from engine.training.score_so_far import ScoreSoFar
from engine.training.steps import written_steps
from tests.engine.training.small_drill import small_drill
from tui.pages.exam import SeatSheet, seat_lines
from tui.protocol.session import TraineeScreen, TraineeState

DRILL = small_drill()
LINES = written_steps(DRILL.drill.reference)
VIEW = TraineeState(
    at_ms=192_000,
    left_ms=108_000,
    has_begun=True,
    is_over=False,
    frozen=False,
    screen=TraineeScreen("why", "nodes", "n1:8041", "gpu", ("j", "w")),
    answers={"cause": ("nodes", "users")},
    hints=1,
    steps=LINES,
    unread=2,
)


def drawn(sheet: SeatSheet, width: int = 80, height: int = 23) -> list[str]:
    return ["".join(words for words, _ in line) for line in seat_lines(sheet, width, height)]


def test_it_shows_what_the_trainee_looks_at_has_pressed_and_answered() -> None:
    text = "\n".join(drawn(SeatSheet(DRILL, VIEW, ScoreSoFar(DRILL).of(LINES)), 120, 39))

    for part in (
        "Notebooks",
        "+3m12s, 1m48s left",
        "Nodes, n1:8041  filter gpu",
        "ON TOP      why",
        "KEYS        j w",
        "fault: - · cause: nodes, users",
        "1 of 2   2 messages not opened",
        "of 100 if nothing more is done, solved in 0m31s: solved 60",
        "  +0m10s  answer fault: yes",
        "connected",
    ):
        assert part in text
