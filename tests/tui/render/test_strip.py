"""What the strip says in the room there is."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, ObstacleSummary, Unknown
from tests.tui import fakes
from tui.pages.strip import may_circle


@pytest.mark.parametrize(
    ("reservations", "code", "may"),
    [
        (1, "DOES_NOT_FIT", True),
        (0, "NODE_RESERVED", True),
        (0, "DOES_NOT_FIT", False),
        (UNKNOWN, "DOES_NOT_FIT", False),
    ],
)
def test_who_holds_a_node_or_waits_for_one_may_be_in_a_circle(
    reservations: int | Unknown, code: str, may: bool
) -> None:
    row = fakes.application_row(7, reservations=reservations, obstacle=ObstacleSummary(code, "no room"))

    assert may_circle(row) is may
    assert may_circle(msgspec.structs.replace(row, reservations=0, obstacle=None)) is False
