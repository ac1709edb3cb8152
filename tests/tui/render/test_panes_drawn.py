"""Every pane of every kind of cluster: its tables, its strip, its facts and where its rows lead, drawn whole."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.tui import fakes
from tests.tui.render import dialect_pictures
from tests.tui.render.drawing import stored
from tui.board.dialects import CAPACITY, MAPREDUCE_1, STANDALONE, YARN, Dialect
from tui.panes.arrangement import SortFilter
from tui.panes.field import RowField, fact_lines
from tui.panes.fragments import Fragments, RenderContext
from tui.panes.heat import node_map
from tui.panes.pane_view import MAP, PaneView, as_application, default_render_context, into, owner, queue_at
from tui.panes.table import cells_of, head_line, place, row_line, widths_of
from tui.panes.waits import with_waits
from tui.protocol.picture import SessionState

PICTURES: dict[str, tuple[Callable[[], SessionState], Dialect]] = {
    "fair": (dialect_pictures.fair, YARN),
    "capacity": (dialect_pictures.capacity, CAPACITY),
    "spark": (dialect_pictures.spark, STANDALONE),
    "mr1": (dialect_pictures.mapreduce1, MAPREDUCE_1),
}
ONLY = {"capacity": {"applications", "queues", "nodes"}}
"""Panes of a kind of cluster that are drawn; its others are those of another kind."""
ALIKE = 12
"""So many rows or more begin with eleven alike."""
PANES = [
    (kind, pane, view.variant)
    for kind, (_, dialect) in PICTURES.items()
    for pane, views in dialect.panes.items()
    for view in views
    if pane in ONLY.get(kind, {pane}) and view.layout_mode != MAP
]


def opened(kind: str, pane: str, variant: str) -> tuple[PaneView[Any], Any, SessionState, RenderContext]:
    """A pane's view, its rows, their picture and what they are drawn with."""
    make, dialect = PICTURES[kind]
    picture = make()
    view = next(one for one in dialect.panes[pane] if one.variant == variant)
    rows, arrangement = view.source.rows(picture, SortFilter())
    look = with_waits(default_render_context(picture)._replace(prefix="10.120.117"), picture.snapshot)
    look = look._replace(hues={"root.etl": "q1", "root.report": "q2", "root.dev": "q3", "search": "q4", "etl": "q5"})
    if kind == "spark":
        look = look._replace(blocks=dialect.blocks_on(picture.snapshot, look))
    if kind == "capacity":
        look = look._replace(partitions=("", "gpu"))
    assert arrangement.is_plain
    return view, rows, picture, look._replace(scales=view.scales(rows, look))


def unlike(rows: Any) -> list[Any]:
    """Of twelve alike at the beginning two, and all others."""
    return [row for place, row in enumerate(rows) if len(rows) < ALIKE or place < 2 or place >= ALIKE - 1]


def _tables(view: PaneView[Any], rows: Any, look: RenderContext) -> Iterator[Fragments]:
    for columns, width in (
        (view.columns, 78),
        (view.columns, 130),
        (view.sorted_columns or (), 116),
        (view.every_column or (), 220),
    ):
        if not columns:
            continue
        cells = [cells_of(columns, row, look) for row in rows]
        needs = [max((widths_of(line)[at] for line in cells), default=0) for at in range(len(columns))]
        placed = place(columns, width, needs, is_tight=view.is_tight)
        yield head_line(placed)
        above = None
        for row, line in zip(rows, cells, strict=True):
            sign = view.sign(row, look)
            yield [*([sign] if sign else []), *row_line(placed, row, look, line, above)]
            above = line
        yield []


@pytest.mark.parametrize(("kind", "pane", "variant"), PANES)
def test_the_tables_of_a_pane_are_drawn_as_they_are_stored(kind: str, pane: str, variant: str) -> None:
    """Its columns narrow and wide, those of sorted rows, and all there are; a repeated value is faint."""
    view, rows, _, look = opened(kind, pane, variant)
    drawn, kept = stored(f"{kind}-{pane}-{variant}-table".replace("--", "-"), list(_tables(view, unlike(rows), look)))

    assert drawn == kept


@pytest.mark.parametrize(("kind", "pane", "variant"), PANES)
def test_the_groups_of_a_pane_are_drawn_as_they_are_stored(kind: str, pane: str, variant: str) -> None:
    """Each headline at length and shorter, and the places of its rows; the words of the title."""
    view, rows, picture, look = opened(kind, pane, variant)
    linked = look._replace(selected=rows[0].id if pane == "applications" and rows else fakes.BIG)
    lines: list[Fragments] = [
        [(f"{view.title}: {view.size(rows, picture, SortFilter())}", "strong")],
        [(f"{view.size(rows[:1], picture, SortFilter(problems=True))}; {view.caption(look)}", "text")],
        [(f"; {view.linked(picture, linked)}; {view.empty_text}", "text")],
        *view.pinned(picture, look),
    ]
    grouping = view.grouping(rows, picture, look) if view.grouping is not None else None
    for group in grouping.groups if grouping is not None else ():
        lines += [group.words, *([group.short] if group.short else [])]
        lines.append([(f"  {group.key!r} {list(group.places)} {group.note} {group.starts_folded}", "text")])
    if grouping is not None:
        lines.append([(f"{grouping.can_fold} {[one.title for one in grouping.columns or ()]}", "text")])
    drawn, kept = stored(f"{kind}-{pane}-{variant}-groups".replace("--", "-"), lines)

    assert drawn == kept


@pytest.mark.parametrize(("kind", "pane", "variant"), PANES)
def test_the_strip_and_the_facts_of_each_row_are_drawn_as_they_are_stored(kind: str, pane: str, variant: str) -> None:
    view, rows, picture, look = opened(kind, pane, variant)
    lines: list[Fragments] = []
    for row in unlike(rows):
        lines.append([(f"── {view.subject_of(row)}", "text")])
        for height in (3, 8, 20):
            lines += [*view.details(row, picture, look, height), [("·", "text")]]
        facts = fact_lines(view.facts(row, look), 90)
        lines += [[(line, "text")] for line in facts]
        how_kept = [sign for sign in ("_ms", "_mb", "None", "UNKNOWN", "151036") if sign in " ".join(facts)]
        assert how_kept == [], "no field shows how it is kept"
    drawn, kept = stored(f"{kind}-{pane}-{variant}-strip".replace("--", "-"), lines)

    assert drawn == kept


def _known(field: RowField[Any], row: Any, look: RenderContext) -> str:
    return f"{field.name} {field.value(row, look)!r}"


@pytest.mark.parametrize(("kind", "pane", "variant"), PANES)
def test_each_row_leads_where_it_is_stored_to_lead(kind: str, pane: str, variant: str) -> None:
    """What it is about, where enter goes and to whom it belongs; what it is sorted by, and whether it is a problem."""
    view, rows, picture, look = opened(kind, pane, variant)
    lines: list[str] = [" ".join(field.letter for field in view.criteria.sortable)]
    for row in unlike(rows):
        lines.append(f"── {view.identity(row)} {view.crumb_of(view.identity(row))} {view.form_values(row)}")
        lines.append(f"about {view.refers_to(row, look)}; a problem {view.criteria.is_problem(row, look)}")
        lines.append(f"into {into(view, row, picture)}; owner {owner(view, row, picture)}")
        application, queue = as_application(view, row, picture), queue_at(view, row, picture)
        lines.append(f"application {application and application.id}; queue {queue and queue.path}")
        lines.append("; ".join(_known(field, row, look) for field in view.criteria.fields))
    drawn, kept = stored(f"{kind}-{pane}-{variant}-leads".replace("--", "-"), [[(line, "text")] for line in lines])

    assert drawn == kept


# Lists at their limits: settings, containers, partitions, jobs that wait, an exam; maps of nodes.


# Lists
def _map(racks: list[str], width: int, height: int) -> tuple[int, bool, list[str]]:
    found = node_map(racks, width, height)
    lines = [" ".join(f"{run.x}:{run.first}-{run.end}" for run in line) for line in found.lines]
    return found.grain, found.by_rack, lines


@pytest.mark.parametrize(
    ("racks", "width", "height"),
    [
        (["/a"] * 5 + ["/b"] * 3, 30, 4),
        (["/a"] * 5 + ["/b"] * 3, 12, 4),
        (["/a"] * 5 + ["/b"] * 3, 6, 4),
        (["/a"] * 50 + ["/b"] * 30, 30, 4),
        (["/a"] * 50 + ["/b"] * 30, 9, 2),
        ([f"/r{n}" for n in range(40)], 30, 8),
        ([f"/r{n}" for n in range(40)], 8, 2),
        ([f"/rack-{n}" for n in range(4) for _ in range(40)], 80, 8),
        ([], 8, 2),
    ],
)
def test_nodes_are_placed_as_they_are_stored(racks: list[str], width: int, height: int) -> None:
    """In labelled blocks, else in blocks, else one after the other; as few share a cell as can be."""
    grain, by_rack, lines = _map(racks, width, height)
    told: list[Fragments] = [[(f"{grain} {by_rack}", "text")], *([(line, "text")] for line in lines)]
    drawn, kept = stored(f"map-{len(racks)}-{width}-{height}", told)

    assert drawn == kept
    assert len(lines) <= height
