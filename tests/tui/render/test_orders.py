"""Orders of rows and groups, and when graphs are drawn anew."""

from math import inf
from typing import Any

import msgspec
import pytest

from tests.tui import fakes
from tests.tui.fake_graphs import frozen_graphs
from tui.picture import Picture, RunState
from tui.render import application, graph
from tui.render.arrangement import Arrangement, SortedBy, natural, sort_words, sorted_by
from tui.render.filter import parse
from tui.render.group import Grouping, RowGroup
from tui.render.line import Look
from tui.render.node import NOUN as NODES
from tui.render.noun import names_application
from tui.render.scope import Scope

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
NODE = fakes.node_row("n1")


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


@pytest.mark.parametrize(
    ("arrangement", "sorted_", "words"),
    [
        (Arrangement(), SortedBy(), ""),
        (Arrangement(reverse=True), SortedBy(arrow="↑"), "own order, reversed"),
        (Arrangement(sort="free"), SortedBy("free", "↓"), "by FREE, most first"),
        (Arrangement(sort="free", reverse=True), SortedBy("free", "↑"), "by FREE, least first"),
        (Arrangement(sort="rack"), SortedBy("rack", "↑"), "by rack, A first"),
        (Arrangement(sort="rack", reverse=True), SortedBy("rack", "↓"), "by rack, Z first"),
        (Arrangement(sort="used"), SortedBy("used", "↓"), "by MEMORY, most first"),
    ],
)
def test_the_order_is_told_by_the_column_it_is_of(arrangement: Arrangement, sorted_: SortedBy, words: str) -> None:
    """A field without one of the columns as in the sort menu."""
    assert sorted_by(NODES.criteria, arrangement) == sorted_
    assert sort_words(NODES.shape.columns, NODES.criteria, arrangement) == words


def test_rows_are_chosen_anew_when_what_they_depend_on_changes() -> None:
    """With each second only where the filter looks at times."""
    plain, timed = Arrangement(), Arrangement(filter=parse("wait>5s", application.CRITERIA.fields))
    later = LOOK._replace(now_ms=LOOK.now_ms + 1000)

    assert plain.key(LOOK) == plain.key(later) == ("", None, False, "", False, None, 0)
    assert timed.key(LOOK) != timed.key(later)
    assert timed.key(LOOK) == timed.key(LOOK._replace(now_ms=LOOK.now_ms + 999))


def test_words_are_ordered_with_numbers_by_value() -> None:
    """As people do."""
    assert sorted(["n100", "n84", "n9b", "m", "n9"], key=natural) == ["m", "n9", "n9b", "n84", "n100"]


def test_some_groups_come_first_in_an_order_of_their_own() -> None:
    """The others keep theirs."""
    groups = Grouping([RowGroup(key, [], []) for key in "abcd"])

    assert [group.key for group in groups.in_order(["d", "b", "x"]).groups] == ["d", "b", "a", "c"]


def test_a_row_names_an_application() -> None:
    """The first it is about; that of a node is who reserved it."""
    assert names_application(NODES, NODE, LOOK, fakes.BIG)
    assert not names_application(NODES, NODE, LOOK, fakes.OTHER)
    free = msgspec.structs.replace(NODE, reserved_by=None)
    assert not names_application(NODES, free, LOOK, "None")


# Graphs


def _pictured(at_ms: int, graphs: bool = True, **run: Any) -> Picture:
    state = RunState("x", **{"paused": False, "speed": 10.0, **run})
    return Picture(fakes.frozen_cluster(time_ms=at_ms), state, (), 0, frozen_graphs(fakes.NOW) if graphs else None)


@pytest.mark.parametrize(
    ("run", "later_ms", "is_new"),
    [
        ({}, 9_999, False),
        ({}, 10_000, True),
        ({"speed": 0.5}, 499, False),
        ({"speed": 0.5}, 500, True),
        ({"speed": inf}, 1, True),
        ({"paused": True}, 1, True),
        ({"present_ms": 0}, 1, True),
    ],
)
def test_plots_are_drawn_anew_once_a_second_or_at_every_instant_where_the_clock_stands(
    run: dict[str, Any], later_ms: int, is_new: bool
) -> None:
    """A second of the wall clock, at the speed there is."""
    begin_ms = fakes.NOW - fakes.NOW % 10_000
    before, after = (graph.plots_version(_pictured(at_ms, **run)) for at_ms in (begin_ms, begin_ms + later_ms))

    assert (before != after) is is_new


def test_graphs_without_a_history_have_no_rows() -> None:
    """With a window they say which; of all time from when to when."""
    empty, full = _pictured(fakes.NOW, graphs=False), _pictured(fakes.NOW)
    rows, _ = graph.NOUN.source.rows(full, Arrangement())

    assert graph.NOUN.source.rows(empty, Arrangement())[0] == ()
    assert graph.NOUN.words.size(rows, full, Arrangement()) == "00:31 to 01:01"
    assert graph.NOUN.words.size(rows, full, Arrangement(window_ms=600_000)) == "last 10m"
    assert graph.NOUN.words.size((), empty, Arrangement()) == "the run so far"
