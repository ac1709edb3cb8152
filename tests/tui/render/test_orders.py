"""Orders of rows and groups, and when graphs are drawn anew."""

import pytest

from tests.tui import fakes
from tui.render.arrangement import Arrangement, natural
from tui.render.line import Look
from tui.render.node import NOUN as NODES
from tui.render.scope import Scope

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


# Orders


ROWS = [
    fakes.node_row(host, used=(used, 1), rack=rack)
    for host, used, rack in (("n9", 5, "/b"), ("n10", 7, "/a"), ("n1", 7, ""))
]


@pytest.mark.parametrize(
    ("arrangement", "hosts"),
    [
        (Arrangement(), ["n1", "n9", "n10"]),
        (Arrangement(reverse=True), ["n10", "n9", "n1"]),
        (Arrangement(sort="used"), ["n10", "n1", "n9"]),
        (Arrangement(sort="used", reverse=True), ["n9", "n10", "n1"]),
        (Arrangement(sort="rack"), ["n10", "n9", "n1"]),
        (Arrangement(sort="rack", reverse=True), ["n9", "n10", "n1"]),
        (Arrangement(sort="nothing"), ["n1", "n9", "n10"]),
        (Arrangement(scope=Scope("rack", "/a")), ["n10"]),
        (Arrangement(scope=Scope("user", "ann")), []),
    ],
)
def test_rows_are_ordered_by_a_field_or_their_own_order(arrangement: Arrangement, hosts: list[str]) -> None:
    """Words from A on, numbers from the most on; without a value they come last either way."""
    order = arrangement.order(ROWS, NODES.criteria, LOOK)

    assert [ROWS[at].host for at in order or ()] == hosts


def test_words_are_ordered_with_numbers_by_value() -> None:
    assert sorted(["n100", "n84", "n9b", "m", "n9"], key=natural) == ["m", "n9", "n9b", "n84", "n100"]


# Graphs
