"""The map of nodes at its edges: when racks have names, what a code is, which cell a node has."""

from typing import Any

import pytest

from tests.tui import fakes
from tui.render import heat
from tui.render.line import Look, flat


def labels(racks: list[str], width: int, height: int) -> list[list[str]]:
    """The names on each line of a map."""
    return [[run.label for run in runs] for runs in heat.node_map(racks, width, height).lines]


@pytest.mark.parametrize(
    ("nodes", "width", "has_names"),
    [(3, 6, True), (3, 5, False), (8, 11, True), (8, 10, False), (9, 11, True), (9, 10, False)],
)
def test_a_rack_has_its_name_where_eight_cells_stay(nodes: int, width: int, has_names: bool) -> None:
    """Or as many as it has nodes; the name takes two cells and a blank."""
    assert (labels(["/a"] * nodes, width, 3)[0] == ["/a"]) is has_names


@pytest.mark.parametrize(("width", "beside"), [(14, True), (13, False)])
def test_racks_stand_beside_each_other_two_cells_apart(width: int, beside: bool) -> None:
    """Where the height has not a line for each."""
    plan = heat.node_map(["/a"] * 3 + ["/b"] * 3, width, 1)

    assert [run.label for run in plan.lines[0]] == (["/a", "/b"] if beside else ["", ""])
    assert [(run.x, run.first, run.end) for run in plan.lines[0]] == (
        [(3, 0, 3), (11, 3, 6)] if beside else [(0, 0, 3), (4, 3, 6)]
    )


@pytest.mark.parametrize(("length", "name"), [(15, "/" + "r" * 15), (16, "/" + "r" * 14 + "…")])
def test_a_name_has_sixteen_cells_at_most(length: int, name: str) -> None:
    """A longer one is cut."""
    assert labels(["/" + "r" * length], 40, 2) == [[name]]


def test_names_of_one_width_stand_before_all_racks() -> None:
    """Short ones are filled up, and a line that goes on has blanks."""
    plan = heat.node_map(["/long"] * 10 + ["/b"], 14, 4)

    assert [[(run.x, run.first, run.end, run.label) for run in runs] for runs in plan.lines] == [
        [(6, 0, 8, "/long")],
        [(6, 8, 10, "     ")],
        [(6, 10, 11, "/b   ")],
    ]


@pytest.mark.parametrize(("nodes", "grain"), [(10, 1), (11, 2), (20, 2), (21, 3)])
def test_as_few_nodes_share_a_cell_as_can_be(nodes: int, grain: int) -> None:
    """One rack in ten cells of one line; the last cell may have fewer."""
    plan = heat.node_map(["/a"] * nodes, 10, 1)
    run = plan.lines[0][0]
    last = plan.nodes_at(0, run.x - (-nodes // grain) - 1)

    assert (plan.grain, run.first, run.end, len(plan.lines)) == (grain, 0, nodes, 1)
    assert (last.start, last.stop) == (grain * ((nodes - 1) // grain), nodes)


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-1, -1)])
def test_a_map_without_room_has_one_line_or_cell(size: tuple[int, int]) -> None:
    """All nodes are somewhere."""
    plan = heat.node_map(["/a"] * 4, *size)

    assert sum(run.end - run.first for runs in plan.lines for run in runs) == 4
    assert len(plan.lines) <= max(1, size[1])


def test_a_node_that_is_on_no_map_is_at_its_begin() -> None:
    """One behind the last, and any on an empty map; there is no cell either."""
    plan = heat.node_map(["/a"] * 3, 20, 2)

    assert [plan.place_of(node) for node in (0, 2, 3)] == [(0, 3), (0, 5), (0, 0)]
    assert [plan.nodes_at(y, 3) for y in (-1, 0, 1)] == [range(0), range(1), range(0)]
    assert heat.node_map([], 20, 2).nodes_at(0, 0, near=True) == range(0)


@pytest.mark.parametrize(
    ("used", "total", "code"),
    [(0, 1000, 0), (1, 1000, 1), (1, 1001, 0), (999, 1000, 999), (1000, 1000, 1000), (1001, 1000, 1000), (-1, 1000, 0),
     (0, 0, 0), (1, 0, 1000)],
)  # fmt: skip
def test_a_level_is_a_thousandth_rounded_down(used: int, total: int, code: int) -> None:
    """Never below nothing, nor above all."""
    row = fakes.node_row("n", used=(used, 0), total=(total, 1), reserved=None)

    assert heat.codes([row], "") == [code]


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({"state": "RUNNING"}, "R"),
        ({"state": "DECOMMISSIONED"}, "−"),
        ({"state": "SHUTDOWN"}, "x"),
        ({"state": "REBOOTED"}, "x"),
        ({"state": "NEW"}, "R"),
    ],
)
def test_a_state_stands_over_a_reservation(changes: dict[str, Any], mark: str) -> None:
    """One that says nothing of the node leaves it."""
    shown = heat.codes([fakes.node_row("n", reserved=(1024, 1), **changes)], "")
    plan = heat.node_map(["/r"], 10, 1)

    assert flat(heat.line(plan, 0, shown, None, "cursor")) == f"/r {mark}"


def test_containers_are_on_the_scale_of_the_fullest() -> None:
    """Where nobody has any, none is full."""
    rows = [fakes.node_row("n", containers=count, reserved=None) for count in (0, 1, 3)]

    assert heat.codes(rows, "containers") == [0, 333, 1000]
    assert heat.codes(rows[:1], "containers") == [0]
    assert heat.codes([], "containers") == []


@pytest.mark.parametrize(
    ("metric", "dimensions", "words"),
    [
        ("", ("memory_mb", "vcores"), "memory"),
        ("vcores", ("memory_mb", "vcores"), "vcores"),
        ("vcores", ("memory_mb",), "memory"),
        ("containers", ("memory_mb", "vcores"), "containers"),
        ("vcores", ("memory_mb", "cores"), "cores"),
    ],
)
def test_a_metric_is_called_as_the_cluster_calls_it(metric: str, dimensions: tuple[str, ...], words: str) -> None:
    """A cluster of one dimension has no other."""
    assert heat.words_of(Look(0, dimensions, (1,) * len(dimensions)), metric) == words


def test_the_mean_of_a_cell_is_rounded_down_over_the_nodes_it_has() -> None:
    """The last cell has one node only."""
    plan = heat.NodeMap(2, by_rack=False, lines=[(heat.CellRun(0, 0, 3),)])

    assert flat(heat.line(plan, 0, [0, 1, 1], None, "cursor")) == "▁⣀"
    assert heat.line(plan, 1, [0, 1, 1], None, "cursor") == []
    assert heat.line(plan, 0, [0, 1, 1], 2, "cursor")[-1] == ("⣀", "cursor")
