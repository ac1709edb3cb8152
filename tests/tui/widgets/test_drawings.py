"""How rows are drawn, without a widget: columns, headlines, maps and plots."""

from typing import Any

import pytest
from textual.geometry import Size

from tests.tui import fakes
from tests.tui.fake_graphs import frozen_graphs
from tui.picture import Picture, RunState
from tui.render import application, graph, heat, multiples, node, queue
from tui.render.arrangement import Arrangement, SortedBy
from tui.render.cause import by_cause
from tui.render.group import GroupedRows
from tui.render.line import Look, flat
from tui.render.noun import look_at
from tui.render.table import Column
from tui.widgets.drawing import MapDrawing, Shown, TableDrawing, columns_of
from tui.widgets.plotting import PlotDrawing

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
CLUSTER = fakes.frozen_cluster()
SMALL, LARGE = Size(20, 8), Size(82, 24)


def shown(noun: Any, rows: Any, **changes: Any) -> Shown:
    """What a pane of 80 by 10 cells shows."""
    found = Shown(noun, rows, LOOK, 0, True, 80, 10, 0, (), noun.words.nothing)
    return found._replace(**changes)


# Columns


def titles(columns: Any) -> list[str]:
    """What stands over them."""
    return [column.title for column in columns]


@pytest.mark.parametrize(
    ("sorted_by", "columns"),
    [
        (SortedBy(), titles(node.COLUMNS)),
        (SortedBy("free", "↓"), titles(node.SORTED_COLUMNS)),
        (SortedBy("", "↑"), titles(node.SORTED_COLUMNS)),
        (SortedBy("nothing", "↑"), titles(node.SORTED_COLUMNS)),
        (SortedBy("rack", "↓"), [*titles(node.SORTED_COLUMNS)[:-1], "RACK", titles(node.SORTED_COLUMNS)[-1]]),
    ],
)
def test_sorted_rows_have_the_column_they_are_sorted_by(sorted_by: SortedBy, columns: list[str]) -> None:
    """Before the last one, where it is not among those of an order, and it stays to the last."""
    found = columns_of(shown(node.NOUN, CLUSTER.nodes(), sorted_by=sorted_by))

    assert titles(found) == columns
    assert sorted_by.field != "rack" or found[-2].rank == 0


def test_columns_that_somebody_chose_come_before_all_others() -> None:
    """Then those of groups, where they have some."""
    some: tuple[Column[Any], ...] = (Column("A", 3, 0),)
    rows = CLUSTER.applications()
    picture = Picture(CLUSTER, RunState("x"), (), 0)
    grouped = GroupedRows(rows, by_cause(rows, picture, LOOK, application.COLUMNS, some), {})
    plain = GroupedRows(rows, grouped.grouping._replace(columns=None), {})

    assert columns_of(shown(application.NOUN, grouped, columns=some)) == some
    assert columns_of(shown(application.NOUN, grouped)) == grouped.grouping.columns
    assert columns_of(shown(application.NOUN, plain, sorted_by=SortedBy("app", "↓"))) == application.COLUMNS


# Tables


def table(noun: Any, rows: Any, **changes: Any) -> list[str]:
    """All lines of a table."""
    drawing, pane = TableDrawing(), shown(noun, rows, **changes)
    return [flat(drawing.line(y, pane)).rstrip() for y in range(pane.height)]


def test_a_table_has_a_head_its_rows_and_the_cursor() -> None:
    """From the first visible one on; a mark and a sign stand in the gutter."""
    rows = CLUSTER.queues()
    lines = table(queue.NOUN, rows, at=1, top=1, height=5)

    assert lines[0].startswith(" QUEUE")
    assert [line[:9] for line in lines[1:]] == ["▌ • etl  ", "▲ • repor", "  • adhoc", ""]
    unfocused = table(queue.NOUN, rows, at=1, is_focused=False, marks={"root.adhoc"}, height=6)
    assert [line[:4] for line in unfocused[1:]] == [" roo", "  • ", "▲ • ", "◆ • ", ""]


def test_a_table_without_rows_says_so_below_its_head() -> None:
    """Once, cut to the width."""
    assert table(node.NOUN, (), height=3)[1:] == [" No node has registered yet.", ""]
    assert table(node.NOUN, (), height=2, width=8)[1:] == [" No node"]


PINNED = ([("a long head line", "text")], [("short", "text")])


@pytest.mark.parametrize(("width", "head"), [(18, " a long head line"), (17, " short"), (7, " short"), (5, " sho…")])
def test_what_is_pinned_stands_in_place_of_the_head(width: int, head: str) -> None:
    """In its longest form that has room; the shortest is cut."""
    assert table(node.NOUN, CLUSTER.nodes(), width=width, look=LOOK._replace(pinned=PINNED), height=1) == [head]


def test_the_rows_of_the_selected_application_stand_out() -> None:
    """By its number, else by what a row begins with."""
    drawing = TableDrawing()
    pane = shown(node.NOUN, CLUSTER.nodes(), look=LOOK._replace(selected=fakes.OTHER), at=0)
    rows = [drawing.line(y, pane) for y in range(1, 10)]

    accents = [any(style == "accent" for _, style in row) for row in rows[1:]]
    assert accents == [host.endswith(".100") for host in fakes.HOSTS[1:9]]


def test_headlines_fold_and_are_said_shorter() -> None:
    """With an arrow before them; a folded one has its note where there is room, and its rows are not there."""
    rows = CLUSTER.applications()
    picture = Picture(CLUSTER, RunState("x"), (), 0)
    grouping = by_cause(rows, picture, LOOK, application.COLUMNS, application.COLUMNS)
    grouped = GroupedRows(rows, grouping, {group.key: True for group in grouping.groups})

    wide = table(application.NOUN, grouped, width=140, at=1)
    narrow = table(application.NOUN, grouped, width=50, at=1, is_focused=False)
    assert [line[:3] for line in wide[1:6]] == [" ▸ ", "▌▸ ", " ▸ ", " ▸ ", ""]
    assert [line[:3] for line in narrow[1:6]] == [" ▸ ", " ▸ ", " ▸ ", " ▸ ", ""]
    assert all(len(line) <= 50 for line in narrow)
    assert any("   folded" in line for line in wide)


def test_a_table_goes_down_by_lines_and_has_nothing_beside() -> None:
    """A click below the last row is on none."""
    drawing, pane = TableDrawing(), shown(node.NOUN, CLUSTER.nodes(), top=5)

    assert [drawing.place_at(line, 3, pane) for line in (0, 6, 7)] == [5, 11, None]
    assert (drawing.below(3, pane), drawing.beside(1, pane)) == (3, None)
    assert (drawing.gutter(node.NOUN), drawing.gutter(application.NOUN)) == (1, 3)


# Maps


def a_map(size: Size = SMALL, metric: str = "") -> tuple[MapDrawing, Any]:
    """A map of eighteen nodes in two racks."""
    nodes = [fakes.node_row(f"n{n:02d}", rack=f"/r{n % 2}", used=(5120 * n, n), containers=n) for n in range(18)]
    drawing = MapDrawing(lambda: size)
    drawing.metric = metric
    return drawing, drawing.ordered(nodes, heat.NOUN)


@pytest.mark.parametrize(
    ("metric", "words"), [("", "map of memory"), ("vcores", "map of vcores"), ("containers", "map of containers")]
)
def test_a_map_has_one_cell_for_a_node_rack_by_rack(metric: str, words: str) -> None:
    """Below its legend; its title says what it is of."""
    drawing, rows = a_map(metric=metric)
    pane = shown(heat.NOUN, rows, width=20, height=8)

    assert [row.host for row in rows][:3] == ["n00", "n02", "n04"]
    assert drawing.words(LOOK) == words
    assert flat(drawing.line(0, pane)) == heat.legend(LOOK, metric)[:20]
    assert sum(len(flat(drawing.line(y, pane)).strip()) > 0 for y in range(1, 8)) >= 2


def test_a_map_that_has_no_room_shows_some_nodes_in_a_cell() -> None:
    """And says how many."""
    drawing, _ = a_map(Size(8, 3))

    assert drawing.node_map.grain > 1
    assert drawing.words(LOOK) == f"map of memory, {drawing.node_map.grain} nodes a cell: mean and worst"


def test_a_map_without_nodes_says_so() -> None:
    """Below the line of the legend."""
    drawing = MapDrawing(lambda: Size(20, 8))
    rows = drawing.ordered([], heat.NOUN)
    pane = shown(heat.NOUN, rows, width=10)

    assert [flat(drawing.line(y, pane)) for y in (0, 1, 2)] == ["", "No node ha", ""]
    assert (drawing.words(LOOK), drawing.gutter(heat.NOUN), drawing.scrolls) == ("", 0, False)


def test_the_cursor_of_a_map_goes_to_the_cells_beside_and_below() -> None:
    """At an end it stays where it is; a click on a cell is on its node."""
    drawing, rows = a_map()
    pane = shown(heat.NOUN, rows, width=20, height=8)
    places = [drawing.node_map.place_of(at) for at in range(18)]
    down = drawing.below(1, pane)

    assert (drawing.beside(1, pane), drawing.beside(-1, pane._replace(at=4))) == (1, 3)
    assert places[down][0] > places[0][0]
    assert drawing.below(-1, pane._replace(at=down)) == 0
    assert (drawing.below(-1, pane), drawing.below(9, pane._replace(at=17))) == (0, 17)
    assert [drawing.place_at(*places[at], pane) for at in range(18)] == list(range(18))
    assert drawing.place_at(0, 19, pane) is None


def test_a_map_follows_its_size_and_its_nodes() -> None:
    """The same nodes in the same room are arranged once."""
    size = [Size(20, 8)]
    drawing = MapDrawing(lambda: size[0])
    nodes = [fakes.node_row(f"n{n}", rack=f"/r{n}") for n in range(3)]
    drawing.ordered(nodes, heat.NOUN)
    first = drawing.node_map
    drawing.ordered(list(nodes), heat.NOUN)

    assert drawing.node_map is first
    size[0] = Size(30, 8)
    assert drawing.node_map is not first
    drawing.ordered(nodes[:2], heat.NOUN)
    assert [drawing.node_map.place_of(at)[0] for at in range(2)] != []


# Plots


def plots(count: int, size: Size = LARGE) -> tuple[PlotDrawing, Shown]:
    """Small plots of some series."""
    picture = Picture(CLUSTER, RunState("x"), (), 0, frozen_graphs(fakes.NOW))
    rows, _ = graph.NOUN.source.rows(picture, Arrangement())
    return PlotDrawing(lambda: size), shown(graph.NOUN, rows[:count], width=82, height=24, look=look_at(picture))


def test_plots_stand_with_a_blank_at_either_side() -> None:
    """As they are drawn by themselves, with the cursor on one of them; nothing stands below them."""
    drawing, pane = plots(6)
    expected = multiples.lines(pane.rows, 0, 0, (80, 24), pane.look, has_cursor=True)

    assert drawing.line(0, pane) == [(" ", "text"), *expected[0]]
    assert drawing.line(len(expected) - 1, pane) == [(" ", "text"), *expected[-1]]
    assert drawing.line(99, pane) == []
    assert (drawing.gutter(graph.NOUN), drawing.ordered(pane.rows, graph.NOUN)) == (0, pane.rows)


def test_without_series_it_says_so() -> None:
    """In the first line, cut to the width."""
    drawing, pane = plots(0)

    assert [flat(drawing.line(y, pane._replace(width=9))) for y in (0, 1)] == [" Nothing ", ""]


def test_the_cursor_of_plots_goes_beside_and_below() -> None:
    """At an end it stays; a click is on the plot under it, between two on the one before."""
    drawing, pane = plots(8)
    shape = multiples.arranged(8, 80, 24)
    columns, step = shape.columns, shape.width + multiples.GAP

    assert columns > 1
    assert (drawing.beside(1, pane), drawing.beside(-1, pane)) == (1, -1)
    assert (drawing.below(1, pane), drawing.below(-1, pane), drawing.below(99, pane)) == (columns, 0, 0)
    assert [drawing.place_at(-1, 1 + step * at, pane) for at in range(columns)] == list(range(columns))
    assert [drawing.place_at(-1, cell, pane) for cell in (0, step, step + 1, 500)] == [0, 0, 1, columns - 1]
    assert [drawing.place_at(line, 0, pane) for line in (shape.height - 2, shape.height - 1)] == [0, columns]
    last = 7 // columns * shape.height - 1
    assert drawing.place_at(last, 1 + step * (7 % columns + 1), pane) in {None, 7}


def test_plots_scroll_with_the_cursor_by_rows() -> None:
    """No further than it takes to see it."""
    drawing, pane = plots(13, Size(42, 12))
    shape = multiples.arranged(13, 40, 12)
    assert 13 // shape.columns > shape.visible
    drawing.line(0, pane._replace(at=12))
    bottom = drawing.place_at(-1, 0, pane._replace(at=12)) or 0
    middle = drawing.place_at(-1, 0, pane._replace(at=12 - shape.columns))
    top = drawing.place_at(-1, 0, pane)

    rows = -(-13 // shape.columns)
    assert (bottom, top) == ((rows - shape.visible) * shape.columns, 0)
    assert middle == (bottom if shape.visible > 1 else bottom - shape.columns)
