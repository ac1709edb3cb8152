"""The instructor's desk as lines."""

import msgspec
import pytest

from engine.training.recorded_steps import written_steps
from engine.training.score_so_far import ScoreSoFar
from tests.engine.training.small_drill import small_drill
from tui.render.line import length
from tui.render.seat import SeatSheet, seat_lines
from tui.session_protocol import TraineeScreen, TraineeState

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


@pytest.mark.parametrize(("width", "height"), [(80, 23), (120, 39), (40, 12)])
def test_it_has_the_size_of_the_screen(width: int, height: int) -> None:
    """Also with a long record, of which the latest is shown; no line is wider where there is room for its words."""
    sheet = SeatSheet(DRILL, msgspec.structs.replace(VIEW, steps=LINES * 20))
    lines = drawn(sheet, width, height)

    assert len(lines) == height
    assert all(length([(line, "text")]) <= max(width, 80) for line in lines)


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


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"frozen": True}, "frozen by you"),
        ({"is_over": True}, "over"),
        ({"has_begun": False}, "the brief is being read"),
    ],
)
def test_it_says_how_the_drill_stands(changes: dict[str, bool], words: str) -> None:
    assert drawn(SeatSheet(DRILL, msgspec.structs.replace(VIEW, **changes)))[1].endswith(words)


def test_before_anything_is_known_it_waits() -> None:
    assert drawn(SeatSheet(DRILL))[1] == " waiting for the trainee's side"


def test_a_lost_connection_stands_at_the_foot() -> None:
    here = drawn(SeatSheet(DRILL, VIEW, said="Injected: lose n1."))
    lost = drawn(SeatSheet(DRILL, VIEW, said="Injected: lose n1.", lost="Connection lost 12 s ago."))

    assert (here[-1], lost[-1]) == (" Injected: lose n1.", " Connection lost 12 s ago.")
    assert lost[0].rstrip().endswith("connection lost")
    assert lost[1] == here[1]
