"""What panes say of what a server does not say."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN
from tests.engine.live.recorded import rounds_of, snapshot_of
from tui.panes import reservation
from tui.panes.noun import nothing_words

FROZEN = rounds_of("2.7.2-fair-kill")[0]
LATER = snapshot_of(FROZEN._replace(pages_ms=FROZEN.time_ms - 6_000))


@pytest.mark.parametrize(
    ("reserved", "words"),
    [
        (12, "12 nodes reserved; for whom, the server does not say."),
        (UNKNOWN, "The server does not say what is reserved."),
        (0, "No node is reserved."),
    ],
)
def test_an_empty_pane_of_reservations_says_why(reserved: object, words: str) -> None:
    snapshot = LATER.with_rows("reservations", [])
    snapshot.header = msgspec.structs.replace(LATER.header, nodes_reserved=reserved)

    assert nothing_words(reservation.NOUN, snapshot) == words
