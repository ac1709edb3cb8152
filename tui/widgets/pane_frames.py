"""The frames of the panes: a container that places its children in frames and draws these behind them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.panes import frame as drawing
from tui.panes.fragments import Fragments, cell_width, difference
from tui.panes.frame import PaneFrame
from tui.widgets.lines import to_strip

Placing = Callable[[Size], Mapping[str, Region]]
"""Size of the container → id of a child → its region; a child that is not named is not drawn."""


class _Placed(Layout):
    """Asks its parent where the children stand."""

    name = "placed"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        placed = parent.within(size) if isinstance(parent, PaneFrames) else {}
        return [
            WidgetPlacement(placed[child.id], NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id is not None and child.id in placed
        ]


NO_FRAME = PaneFrame()


class PaneFrames(Widget):
    """Children by id, each within its frame."""

    DEFAULT_CSS = "PaneFrames { width: 1fr; height: 1fr; }"

    @dataclass
    class EdgeClicked(Message):
        """A click on the upper edge of a pane, where it stands for no action."""

        name: str
        times: int  # Number of clicks in a row

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(id=id)
        self._styles_by_name, self._layout = styles, _Placed()
        self._framing: Placing = lambda area: {}
        self.regions: dict[str, Region] = {}  # Id of a child → the region of its frame
        self._is_sided = True
        self._frames: dict[str, PaneFrame] = {}

    @property
    def layout(self) -> Layout:
        return self._layout

    def stand(self, framing: Placing, *, is_sided: bool) -> None:
        """Stand in the frames that a function gives for the size; nothing is laid out again where none moves."""
        self._framing = framing
        regions = dict(framing(self.size))
        if regions != self.regions or is_sided != self._is_sided:
            self._is_sided = is_sided
            # Textual remembers how a container stands until a child asks to be laid out again.
            for child in self.children[:1]:
                child.refresh(layout=True)
            self.refresh()

    def within(self, area: Size) -> Mapping[str, Region]:
        """Id of a child → its region, within its frame, in an area of the container."""
        regions = dict(self._framing(area))
        if regions != self.regions:  # rows may have changed since the frames were drawn
            self.regions = regions
            self.refresh()
        if self._is_sided:
            return {name: region.shrink((1, 1, 1, 1)) for name, region in regions.items()}
        return {
            name: Region(region.x, region.y + 1, region.width, max(0, region.height - 1))
            for name, region in regions.items()
        }

    def show_frame(self, name: str, frame: PaneFrame) -> None:
        """Draw a frame like this from now on; only what differs is drawn again."""
        before, self._frames[name] = self._frames.get(name), frame
        if before == frame or name not in self.regions:
            return
        x, y, width, height = region = self.regions[name]
        before = before or NO_FRAME
        for line in (0, height - 1) if frame.is_sided else (0,):
            cells = difference(_line(region, before, line), _line(region, frame, line))
            if cells is not None:
                self.refresh(Region(x + cells[0], y + line, cells[1] - cells[0], 1))
        if frame.is_sided and (before.thumb, before.is_focused) != (frame.thumb, frame.is_focused):
            self.refresh(Region(x, y, 1, height), Region(x + width - 1, y, 1, height))

    def render_line(self, y: int) -> Strip:
        """Draw the frames that stand at a line; what is between them is covered by the panes."""
        spans: Fragments = []
        for region, frame in sorted(self._at(y)):
            gap = region.x - cell_width(spans)
            spans += [(" " * gap, "text")] if gap > 0 else []
            spans += _line(region, frame, y - region.y)
        return to_strip(spans, self._styles_by_name, self.size.width)

    def _at(self, y: int) -> Iterator[tuple[Region, PaneFrame]]:
        for name, region in self.regions.items():
            if region.y <= y < region.bottom:
                yield region, self._frames.get(name, NO_FRAME)

    async def on_click(self, event: events.Click) -> None:
        for name, region in self.regions.items():
            if event.y != region.y or not region.x <= event.x < region.right:
                continue
            call = drawing.call_at(self._frames.get(name, NO_FRAME), region.width, event.x - region.x)
            if call:
                await self.screen.run_action(call)
            else:
                self.post_message(self.EdgeClicked(name, event.chain))


def _line(region: Region, frame: PaneFrame, y: int) -> Fragments:
    if y == 0:
        return drawing.upper(frame, region.width)
    if not frame.is_sided:
        return []
    if y == region.height - 1:
        return drawing.lower(frame, region.width)
    left, right = drawing.side(frame, y - 1)
    return [left, (" " * (region.width - 2), "text"), right]
