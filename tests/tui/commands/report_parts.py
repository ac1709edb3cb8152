"""Parts of reports as tests read them: axes that were drawn on, rows of tables, texts of elements."""

from collections.abc import Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring

from tui.report import Html
from tui.report.drawing import FigureCanvas


class KeptCanvas(FigureCanvas):
    """A canvas whose axes can be looked at after it is drawn."""

    all_axes: ClassVar[list[Any]] = []
    places: ClassVar[list[tuple[float, ...]]] = []
    """Left, top, width and height of each axes [px]."""
    made: ClassVar[list[tuple[str, int]]] = []
    """Name and height of each canvas."""

    def __init__(self, name: str, height_px: int) -> None:
        super().__init__(name, height_px)
        self.made.append((name, height_px))

    def axes(self, left: float, top: float, width: float, height: float, **more: Any) -> Any:
        """Axes as usual, which are kept."""
        found = super().axes(left, top, width, height, **more)
        self.all_axes.append(found)
        self.places.append((left, top, width, height))
        return found


def keep_axes(monkeypatch: pytest.MonkeyPatch, module: Any) -> type[KeptCanvas]:
    """Let a module draw on canvases that keep their axes."""
    for each in (KeptCanvas.all_axes, KeptCanvas.places, KeptCanvas.made):
        each.clear()
    monkeypatch.setattr(module, "FigureCanvas", KeptCanvas)
    return KeptCanvas


def points(line: Any) -> tuple[Any, Any]:  # Any: lists, which are compared with what is about them
    """Where a line leads, across and upwards."""
    return list(map(float, line.get_xdata())), list(map(float, line.get_ydata()))


def tree(*parts: Html) -> Element:
    """Parts of a page as one element."""
    found: Element = fromstring(f"<div>{''.join(parts)}</div>")
    return found


def words(element: Element) -> str:
    """All text within."""
    return "".join(element.itertext())


def rows(*parts: Html) -> list[list[str]]:
    """Text of the cells of every row of the tables in some parts, heads first."""
    return [[words(cell) for cell in row] for row in tree(*parts).iter("tr")]


def classes(row: int, *parts: Html) -> list[str]:
    """Classes of the cells of a row."""
    found: Sequence[Element] = list(tree(*parts).iter("tr"))
    return [cell.get("class", "") for cell in found[row]]
