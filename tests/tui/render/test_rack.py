"""Racks: what their nodes have together."""

from tests.tui import fakes
from tui.picture import Picture, RunState
from tui.render import rack
from tui.render.arrangement import Arrangement
from tui.render.line import Look, flat
from tui.render.table import place, row_line

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))


def test_a_rack_sums_up_its_nodes_in_service() -> None:
    rows = [
        fakes.node_row("a", rack="/r1", free=(1024, 9), reserved=None),
        fakes.node_row("b", rack="/r1"),
        fakes.node_row("c", rack="/r1", state="LOST"),
        fakes.node_row("d", rack="/r0", state="LOST"),
    ]

    assert rack.racks(rows) == [
        rack.RackRow("/r0", 0, 1, (0, 0), (0, 0), (0, 0), (0, 0), 0, 0),
        rack.RackRow("/r1", 2, 1, (204800, 64), (122880, 30), (41984, 26), (40960, 17), 30, 1),
    ]


def test_a_rack_is_told_in_a_line_and_in_the_strip() -> None:
    [row] = rack.racks([fakes.node_row("a", rack="/r1"), fakes.node_row("b", rack="/r1", state="LOST")])
    line = flat(row_line(place(rack.COLUMNS, 90), row, LOOK))
    strip = [flat(spans) for spans in rack.details(row, LOOK)]

    assert line == "/r1                           1     1  ━━━━━━━━━──────   60%    40G      40G/17c         1"
    assert strip == [
        "1 node in service, 1 not",
        "used 60G/15c   of 100G/32c   most free on one node 40G/17c   15 containers, 1 reservation",
        "enter shows its nodes",
    ]


def test_one_rack_is_counted_as_one() -> None:
    picture = Picture(fakes.frozen_cluster(), RunState("frozen"), (), 1)
    rows = [rack.RackRow("/r0", 1, 0, (1, 1), (0, 0), (1, 1), (1, 1), 0, 0)]

    assert [rack.NOUN.words.size(rows * count, picture, Arrangement()).rpartition("  ")[2] for count in (1, 2)] == [
        "1 rack",
        "2 racks",
    ]
