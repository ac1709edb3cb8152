"""Tables: columns that are placed by rank and by what is in them, and rows drawn in them.

A `Column` says how to draw one cell of a row. `place` chooses the columns a width has room for; `row_line` draws one
row of them. A column is no wider than its values, and one without any is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from tui.panes.fragments import Fragment, Fragments, RenderContext, cell_width
from tui.terminal import format as text

Row = TypeVar("Row")
Cell = Fragment | Fragments


def placeholder_cell(row: Row, look: RenderContext, width: int) -> Fragment:
    """The cell of a column that its field has to fill."""
    return "", "text"


class Column(NamedTuple, Generic[Row]):
    title: str
    width: int  # The most it takes; of one that grows, or is a bar, the least
    rank: int  # 0 stays to the last; a higher rank is dropped earlier
    cell: Callable[[Row, RenderContext, int], Cell] = placeholder_cell  # A bar gets its own width, others their `width`
    right: bool = False  # Whether it stands at the right, like numbers; these are never cut, and keep their width
    grow: int = 0  # Share of the width not needed
    least: int = 0  # What it shrinks to rather than push out a column of rank 0 or 1; 0 is its width
    gap: int = 2  # Blanks before it
    is_bar: bool = False  # Whether its cells are drawn for the width it gets
    letters: str = ""  # What stands over it where hues are letters; empty is the legend
    steps: tuple[int, ...] = ()  # The sizes of a bar that has a few only, the largest first
    legend: tuple[str, ...] = ()  # What stands over it in place of the title: the first that fits, the longest first
    repeats: bool = True  # Whether a value equal to the one above is faint
    sorts: str = ""  # Name of the field that a click on its head sorts by; empty is none


def figure(
    title: str, width: int, rank: int, cell: Callable[[Row, RenderContext, int], Cell] = placeholder_cell, **more: Any
) -> Column[Row]:
    """A column of figures: they stand at the right, and equal ones are not faint."""
    return Column(title, width, rank, cell, right=True, repeats=False, **more)


class PlacedColumn(NamedTuple, Generic[Row]):
    column: Column[Row]
    width: int
    gap: int = 0  # Blanks before it
    place: int = 0  # Its place among all columns that were to choose from


def place(
    columns: Sequence[Column[Row]], width: int, needs: Sequence[int] | None = None, *, is_tight: bool = False
) -> list[PlacedColumn[Row]]:
    """The columns that fit beside each other, and what each one gets.

    The most dispensable columns go, among equals the last, until the rest fits; one column always stays. Spare width
    goes to the growing ones, and stays blank where none grows.

    `needs` is what the values of each column take, None what they may take. Where it `is_tight`, one blank stands
    between columns where two have no room, or where a bar is larger then.
    """
    every = [PlacedColumn(column, column.width, column.gap, at) for at, column in enumerate(columns)]
    wanted = every if needs is None else _wanted(every, needs)
    placed = _grown(_fitting(wanted, width), width)
    if not is_tight:
        return placed
    tight = _grown(_fitting([one._replace(gap=min(1, one.gap)) for one in wanted], width), width)
    return tight if len(placed) < len(wanted) or _steps(tight) > _steps(placed) else placed


def _steps(placed: Sequence[PlacedColumn[Row]]) -> list[int]:
    return [next((step for step in one.column.steps if step <= one.width), 0) for one in placed if one.column.steps]


def _wanted(every: Sequence[PlacedColumn[Row]], needs: Sequence[int]) -> list[PlacedColumn[Row]]:
    wanted = []
    for placed, need in zip(every, needs, strict=True):
        column = placed.column
        if column.is_bar or (column.grow and (need or not column.rank)):
            wanted.append(placed)
        elif column.right and (need or not column.rank):
            wanted.append(placed._replace(width=max(column.width, need)))
        elif need or not column.rank:
            wanted.append(placed._replace(width=min(column.width, max(need, text.width_of(column.title)))))
    return wanted


def _fitting(wanted: Sequence[PlacedColumn[Row]], width: int) -> list[PlacedColumn[Row]]:
    chosen = list(wanted)
    while len(chosen) > 1 and (excess := _needed(chosen) - width) > 0:
        victim = max(reversed(chosen), key=lambda one: one.column.rank)
        thick = next((i for i, one in enumerate(chosen) if 0 < one.column.least < one.width), None)
        if victim.column.rank <= 1 and thick is not None:
            one = chosen[thick]
            chosen[thick] = one._replace(width=max(one.column.least, one.width - excess))
        else:
            chosen.remove(victim)
    return _widened(chosen, {one.place: one.width for one in wanted}, width)


def _widened(chosen: Sequence[PlacedColumn[Row]], wanted: Mapping[int, int], width: int) -> list[PlacedColumn[Row]]:
    spare = max(0, width - _needed(chosen))
    widened: list[PlacedColumn[Row]] = []
    for column in chosen:
        more = min(spare, wanted[column.place] - column.width)
        spare -= more
        widened.append(column._replace(width=column.width + more))
    return widened


def _needed(chosen: Sequence[PlacedColumn[Row]]) -> int:
    return sum(one.width for one in chosen) + sum(one.gap for one in chosen[1:])


def _grown(chosen: Sequence[PlacedColumn[Row]], width: int) -> list[PlacedColumn[Row]]:
    spare, shares = max(0, width - _needed(chosen)), sum(one.column.grow for one in chosen)
    placed: list[PlacedColumn[Row]] = []
    for column in chosen:
        more = spare * column.column.grow // shares if shares else 0
        spare, shares = spare - more, shares - column.column.grow
        placed.append(column._replace(width=min(width, column.width + more), gap=column.gap if placed else 0))
    return placed


def column_at(placed: Sequence[PlacedColumn[Row]], cell: int) -> Column[Row] | None:
    """The column at a cell; None beside the columns."""
    end = 0
    for column in placed:
        end += column.gap + column.width
        if 0 <= cell < end:
            return column.column
    return None


def head_line(
    placed: Sequence[PlacedColumn[Row]], field: str = "", arrow: str = text.DOWN, *, has_letters: bool = False
) -> Fragments:
    """The titles over a table; an arrow stands after the first one of the field that rows are sorted by."""
    words = ""
    for column, width, gap, _ in placed:
        legend = (column.letters, *column.legend) if has_letters and column.letters else column.legend
        title = next((one for one in legend if text.width_of(one) <= width), column.title)
        if field and column.sorts == field:
            field = ""
            title = f"{title} {arrow}" if len(title) + 2 <= width else f"{title[: width - 1]}{arrow}"
        words += " " * gap + text.fit(title, width, right=column.right, mark=text.CUT)
    return [(words, "faint")]


def cells_of(columns: Sequence[Column[Row]], row: Row, look: RenderContext) -> list[Cell]:
    """The cells of a row; those of bars are empty until their width is known."""
    return [("", "text") if column.is_bar else column.cell(row, look, column.width) for column in columns]


def widths_of(cells: Sequence[Cell]) -> list[int]:
    return [cell_width(cell) if isinstance(cell, list) else text.width_of(cell[0]) for cell in cells]


def row_line(
    placed: Sequence[PlacedColumn[Row]],
    row: Row,
    look: RenderContext,
    cells: Sequence[Cell] | None = None,
    above: Sequence[Cell] | None = None,
) -> Fragments:
    """One row of a table, of the cells where they were made already; a value equal to that `above` is faint."""
    spans: Fragments = []
    for column, width, gap, place_ in placed:
        if gap:
            spans.append((" " * gap, "text"))
        if column.is_bar or cells is None:
            cell = column.cell(row, look, width if column.is_bar else column.width)
        else:
            cell = cells[place_]
        is_repeat = above is not None and column.repeats and not column.is_bar and above[place_] == cell
        spans += _fitted(cell, width, look, column, is_last=column is placed[-1].column, is_repeat=is_repeat)
    return spans


def _fitted(
    cell: Cell, width: int, look: RenderContext, column: Column[Row], *, is_last: bool, is_repeat: bool
) -> Fragments:
    """A cell at its width; of a repeated one the words are faint, and a mark before them stays."""
    mark = text.CUT
    if isinstance(cell, list):
        spans = [*cell[:-1], (cell[-1][0], "faint")] if is_repeat and cell else list(cell)
        rest = width - cell_width(spans)
        if rest < 0:
            words, style = spans[-1]
            spans[-1] = text.fit(words, max(1, text.width_of(words) + rest), mark=mark), style
        return [*spans, (" " * rest, "text")] if rest > 0 else spans
    words, style = cell
    shown = words[look.shift :] if look.shift and is_last and column.grow else words
    return [(text.fit(shown, width, right=column.right, mark=mark), "faint" if is_repeat else style)]
