"""What panes say of what a server does not say."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN
from tests.engine.live.recorded import rounds_of, snapshot_of
from tui.render import container, reservation
from tui.render.unsaid import age_words, inferred_words, nothing_words

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


def test_containers_that_no_server_names_are_not_none() -> None:
    """Of a cluster of YARN; other systems have panes of other things by that name."""
    spark = snapshot_of(FROZEN)
    spark.dialect = "spark"

    assert nothing_words(container.NOUN, LATER) == "Which containers there are, the server does not say."
    assert nothing_words(container.NOUN, spark) == container.NOUN.words.nothing


def test_rows_that_are_inferred_or_older_than_the_header_are_marked() -> None:
    fresh = snapshot_of(FROZEN).header

    assert [inferred_words(name, fresh) for name in ("applications", "nodes", "queues")] == [
        "holders inferred",
        "inferred",
        "",
    ]
    assert [age_words(name, LATER.header) for name in ("nodes", "queues")] == ["6s old", ""]
    assert age_words("nodes", fresh) == ""


def test_nodes_whose_holders_are_known_say_that_their_blocks_are_inferred() -> None:
    header = msgspec.structs.replace(snapshot_of(FROZEN).header, inferred=("containers",))

    assert [inferred_words(name, header) for name in ("containers", "nodes")] == ["inferred", "blocks inferred"]
