"""Tables of a report: groups of rows, figures, bars towards the worse, and the key of the runs."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from tui.report.markup import Html, element, joined, raw

NOTHING: Final = raw("")


class ReportColumn(msgspec.Struct, frozen=True):
    """A column by its head."""

    head: str
    is_figure: bool = True
    """Whether its cells stand at the right, in figures of one width."""


class Cell(msgspec.Struct, frozen=True):
    """The contents of one place of a row."""

    text: str
    tone: str = ""
    """A token of the palette or `strong`; empty for the usual."""


class Row(msgspec.Struct, frozen=True):
    """A row: its name and its cells."""

    name: str
    cells: Sequence[Cell | str]


class ReportGroup(msgspec.Struct, frozen=True):
    """Rows under one title."""

    title: str
    rows: Sequence[Row]
    beside: str = ""


def table(columns: Sequence[ReportColumn], groups: Sequence[ReportGroup], caption: Html = NOTHING) -> Html:
    """A table; the first column has the names of the rows, a group without a title has no head.

    A cell that is `Html` stands as it is, as a bar does.
    """
    first, *others = columns
    heads = [element("th", first.head, scope="col")]
    heads += [element("th", each.head, scope="col", class_="n" if each.is_figure else "") for each in others]
    body: list[Html] = []
    for group in groups:
        if group.title:
            beside = element("span", " ", group.beside, class_="faint")
            title = element("th", group.title, beside, scope="rowgroup", colspan=len(columns))
            body.append(element("tr", title, class_="g"))
        body += [_row(columns, each) for each in group.rows]
    top = element("caption", caption, class_="key") if caption else NOTHING
    whole = element("table", top, element("thead", element("tr", *heads)), element("tbody", *body))
    return element("div", whole, class_="scroll")


def _row(columns: Sequence[ReportColumn], row: Row) -> Html:
    cells = []
    for column, written in zip(columns[1:], row.cells, strict=True):
        cell = written if isinstance(written, Cell) else Cell(written)
        classes = " ".join(filter(None, ("n" if column.is_figure else "", cell.tone)))
        cells.append(element("td", cell.text, class_=classes))
    return element("tr", element("th", row.name, scope="row"), *cells)


def bar(parts: Sequence[tuple[str, float]]) -> Html:
    """Bars under one another, for one measure of several runs.

    `parts` are (class of its fill, such as `bA`; length from 0 to 1) of each; one above 0 shows at least a stroke.
    """
    bars = [
        element("i", class_=name, style=f"width:{max(0.8, 100 * min(1.0, part)):.1f}%" if part > 0 else "width:0")
        for name, part in parts
    ]
    return element("span", *bars, class_="bars", aria_hidden="true")


def key_of(runs: Mapping[str, str]) -> Html:
    """Letter → name of the runs, each with the stroke it is drawn with."""
    return joined(
        *(
            element("span", element("i", class_=f"stroke s{letter}"), raw(" "), element("b", letter), f" {name}")
            for letter, name in runs.items()
        )
    )


def pairs(facts: Mapping[str, str]) -> Html:
    """Facts by name, one under the other."""
    return element("dl", *(part for name, fact in facts.items() for part in (element("dt", name), element("dd", fact))))
