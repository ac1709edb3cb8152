"""A container that puts its children where a function says."""

from collections.abc import Callable, Mapping

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

Placing = Callable[[Size], Mapping[str, Region]]
"""Size of the container → id of a child → its region; a child that is not named is not drawn."""


class _Placed(Layout):
    """Asks its parent's function."""

    name = "placed"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """The children that have a region."""
        placing = parent.placing if isinstance(parent, Places) else None
        placed = placing(size) if placing is not None else {}
        return [
            WidgetPlacement(placed[child.id], NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id is not None and child.id in placed
        ]


class Places(Widget):
    """Children by id, each in its region."""

    DEFAULT_CSS = "Places { width: 1fr; height: 1fr; }"

    def __init__(self, *children: Widget, id: str) -> None:
        super().__init__(*children, id=id)
        self.placing: Placing | None = None
        self._layout = _Placed()

    @property
    def layout(self) -> Layout:
        """By the function."""
        return self._layout

    def place(self, placing: Placing) -> None:
        """Place the children by this function from now on."""
        self.placing = placing
        # Textual remembers how a container stands until a child asks to be laid out again.
        for child in self.children[:1]:
            child.refresh(layout=True)

    def width_of(self, child: str) -> int:
        """Tells how wide a child stands, or will after the next layout [cells]; 0 for one that is not drawn."""
        placed = self.placing(self.size) if self.placing is not None else {}
        return placed[child].width if child in placed else 0
