"""Nodes as a map: where they stand, and what their cells say."""

from collections.abc import Sequence

import pytest

from tests.tui import fakes
from tui.render import heat
from tui.render.line import Look, flat


def _racks(**counts: int) -> list[str]:
    return [f"/{name}" for name, count in counts.items() for _ in range(count)]


def _drawn(plan: heat.NodeMap, shown: Sequence[int], cursor: int | None = None) -> list[str]:
    return [flat(heat.line(plan, y, shown, cursor, "cursor", is_ascii=True)) for y in range(len(plan.lines))]


def _dots(count: int) -> list[int]:
    return [1] * count


def test_racks_have_lines_of_their_own_where_there_is_room() -> None:
    under, beside = (heat.node_map(_racks(a=3, b=2), 20, height) for height in (4, 1))

    assert (under.grain, under.by_rack, _drawn(under, _dots(5))) == (1, True, ["/a ...", "/b .."])
    assert (beside.grain, beside.by_rack, _drawn(beside, _dots(5))) == (1, True, ["/a ...  /b .."])


def test_a_long_rack_goes_on_under_itself() -> None:
    plan = heat.node_map(_racks(a=14), 12, 4)

    assert _drawn(plan, _dots(14)) == ["/a .........", "   ....."]


def test_without_room_for_names_racks_stand_a_cell_apart() -> None:
    plan = heat.node_map(_racks(a=4, b=4, c=3), 7, 2)

    assert (plan.grain, plan.by_rack, _drawn(plan, _dots(11))) == (1, True, [".... ..", ".. ..."])


def test_more_nodes_than_cells_share_them() -> None:
    apart = heat.node_map(_racks(a=6, b=6), 7, 1)
    packed = heat.node_map([f"/r{n:02d}" for n in range(40)], 10, 2)

    assert (apart.grain, apart.by_rack, _drawn(apart, _dots(12))) == (2, True, ["... ..."])
    assert (packed.grain, packed.by_rack, [len(line) for line in _drawn(packed, _dots(40))]) == (2, False, [10, 10])


@pytest.mark.parametrize("count", [0, 1, 7, 250, 10_000])
@pytest.mark.parametrize("size", [(1, 1), (38, 5), (98, 14), (198, 54)])
def test_every_node_has_a_cell_on_the_screen(count: int, size: tuple[int, int]) -> None:
    """However many there are, and however little room; what a cell says it holds leads back to it."""
    plan = heat.node_map(sorted(f"/rack{n % 250:03d}" for n in range(count)), *size)
    places = {node: plan.place_of(node) for node in range(count)}

    assert len(plan.lines) <= max(size[1], 1)
    assert all(x < size[0] for _, x in places.values())
    assert all(node in plan.nodes_at(*place) for node, place in places.items())


def test_ten_thousand_nodes_share_no_more_than_they_must() -> None:
    """On a large terminal everybody has a cell; with a few lines less two share one, which leaves room for names."""
    racks = sorted(f"/rack{n % 250:03d}" for n in range(10_000))
    plans = [heat.node_map(racks, 198, height) for height in (54, 50)]

    assert [(plan.grain, plan.by_rack, plan.lines[0][0].label) for plan in plans] == [
        (1, True, ""),
        (2, True, "/rack000"),
    ]


def test_beside_the_cells_is_nobody() -> None:
    """A name, a gap, another line; the nearest cell is found when it is asked for."""
    plan = heat.node_map(_racks(a=3, b=2), 20, 1)

    assert [plan.nodes_at(0, x) for x in (0, 3, 5, 6)] == [range(0), range(1), range(2, 3), range(0)]
    assert [plan.nodes_at(0, x, near=True) for x in (0, 6, 99)] == [range(1), range(2, 3), range(4, 5)]
    assert plan.nodes_at(7, 0, near=True) == range(0)


def test_glyphs_go_from_empty_to_full() -> None:
    """Blank is nothing at all, the last a full node; colour tells nothing from something."""
    rows = [fakes.node_row(f"n{n}", used=(n * 10240, 0), reserved=None) for n in range(11)]
    shown = heat.codes(rows, "memory")
    plan = heat.NodeMap(1, by_rack=False, lines=[(heat.CellRun(0, 0, 11),)])
    spans = heat.line(plan, 0, shown, None, "cursor", is_ascii=True)

    assert flat(spans) == " .:~=+*#%@@"
    assert [style for _, style in spans if style != "faint"] == ["room", "data"]
    assert flat(heat.line(plan, 0, shown, None, "cursor")) == "▁⣀⣀⣤⣤⣶⣶⣶⣿⣿⣿"


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, "R"),
        ({"reserved": None}, "*"),
        ({"state": "LOST"}, "x"),
        ({"state": "DEAD"}, "x"),
        ({"state": "UNHEALTHY"}, "!"),
        ({"state": "DECOMMISSIONING"}, "−"),
    ],
)
def test_what_is_wrong_with_a_node_stands_in_place_of_its_level(changes: dict[str, str | None], mark: str) -> None:
    shown = heat.codes([fakes.node_row("n", **changes)], "memory")

    assert _drawn(heat.node_map(["/r"], 10, 1), shown) == [f"/r {mark}"]


def test_what_is_shown_can_be_chosen() -> None:
    rows = [
        fakes.node_row("a", used=(51200, 8), containers=5, reserved=None),
        fakes.node_row("b", used=(0, 32), containers=10, reserved=None),
    ]

    assert [heat.codes(rows, metric) for metric in ("", "vcores", "containers")] == [[500, 0], [250, 1000], [500, 1000]]


def test_a_shared_cell_has_the_mean_and_the_worst_mark() -> None:
    plan = heat.NodeMap(3, by_rack=False, lines=[(heat.CellRun(0, 0, 6),)])
    reserved, lost = (heat.codes([fakes.node_row("n", state=state)], "")[0] for state in ("RUNNING", "LOST"))
    shown = [1000, 500, 0, reserved, lost, 700]

    assert _drawn(plan, shown) == ["+x"]


def test_the_cursor_is_drawn_where_its_node_is() -> None:
    spans = heat.line(heat.node_map(["/r"] * 3, 10, 1), 0, _dots(3), 1, "cursor", is_ascii=True)

    assert spans[-2:] == [(".", "cursor"), (".", "data")]


def test_the_legend_shows_the_emptiest_and_the_fullest_glyph() -> None:
    look = Look(fakes.NOW, ("memory_mb", "vcores"), (1, 1), is_ascii=True)
    ramp = heat.RAMPS[True]

    assert heat.legend(look, "memory").startswith(f"{ramp[1]} to {ramp[-1]} ")
