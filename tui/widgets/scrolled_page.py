"""Shows a page of panels: it scrolls, and the cursor goes from stop to stop."""

from collections.abc import Sequence

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.pages.why import Page, Stop
from tui.panes.fragments import Fragments, cell_width, crop
from tui.protocol.picture import WhySubject
from tui.terminal.format import CURSOR_BAR
from tui.widgets.lines import to_strip


class ScrolledPage(ScrollView, can_focus=True, inherit_bindings=False):
    """A page drawn only where it is visible; the cursor holds what a stop leads to, not its place."""

    DEFAULT_CSS = """
    ScrolledPage { width: 1fr; height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 0; }
    """

    class Moved(Message):
        """The cursor stands elsewhere."""

    class Followed(Message):
        """The user clicked the stop the cursor is on."""

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(id=id)
        self._styles_by_name = styles
        self._page = Page([], [])
        self._at: int | None = None
        self._sought: int | None = None  # The line that was looked for and is to be seen

    @property
    def lines(self) -> Sequence[Fragments]:
        return self._page.lines

    @property
    def stops(self) -> Sequence[Stop]:
        return self._page.stops

    @property
    def stop(self) -> Stop | None:
        return None if self._at is None else self._page.stops[self._at]

    @property
    def link(self) -> WhySubject | None:
        return self.stop.link if self.stop is not None else None

    @property
    def part(self) -> str:
        return self.stop.part if self.stop is not None else ""

    def show(self, page: Page) -> None:
        """Show this page from now on; the cursor stays on what it stood on."""
        was = self.stop
        self._page, self._sought = page, None
        same = [
            place
            for place, stop in enumerate(page.stops)
            if was is not None and (stop.part, stop.link) == (was.part, was.link)
        ]
        near = [place for place, stop in enumerate(page.stops) if was is not None and stop.part == was.part]
        self._at = next(iter([*same, *near, *range(len(page.stops))]), None)
        self._resize_contents()
        self.refresh()

    def _resize_contents(self) -> None:
        size = Size(max(1, self.size.width), len(self._page.lines))
        if size != self.virtual_size:
            self.virtual_size = size

    def go_to_part(self, part: str) -> bool:
        """Go to the first stop of a part, and bring of the part into sight what has room; whether there is one."""
        stops = self._page.stops
        place = next((place for place, stop in enumerate(stops) if stop.part == part), None)
        if place is None:
            return False
        self._stand(place)
        first, height = stops[place].row, max(1, self.size.height)
        behind = next((stop.row - 1 for stop in stops[place:] if stop.part != part), len(self._page.lines))
        top = self.scroll_offset.y
        if first <= top or behind > top + height:
            self.scroll_to(y=max(0, min(first - height // 4, behind - height)), animate=False)
        return True

    def move_part(self, by: int) -> None:
        parts = list(dict.fromkeys(stop.part for stop in self._page.stops))
        if parts:
            here = parts.index(self.part) if self.part in parts else 0
            _ = self.go_to_part(parts[(here + by) % len(parts)])

    def move(self, by: int) -> None:
        height, top = max(1, self.size.height), self.scroll_offset.y
        step = 1 if by > 0 else -1
        place = None if self._at is None else self._at + step
        if place is not None and 0 <= place < len(self._page.stops):
            row = self._page.stops[place].row
            if top - 1 <= row <= top + height:
                self._stand(place)
                return
        if self.scroll_offset.y > 0 if step < 0 else self.scroll_offset.y < self.max_scroll_y:
            self.scroll_to(y=top + step, animate=False)
        elif place is not None and 0 <= place < len(self._page.stops):
            self._stand(place)

    def _stand(self, place: int) -> None:
        self._at = place
        row = self._page.stops[place].row
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if row < top:
            self.scroll_to(y=row, animate=False)
        elif row >= top + height:
            self.scroll_to(y=row - height + 1, animate=False)
        self.refresh()
        self.post_message(self.Moved())

    def point_at(self, row: int | None) -> None:
        """Bring a line into sight and set it off; None sets none off any more."""
        self._sought = row
        if row is not None:
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False)
        self.refresh()

    def move_pages(self, by: int) -> None:
        height = max(1, self.size.height)
        top = max(0, min(self.max_scroll_y, self.scroll_offset.y + by * max(1, height - 1)))
        self.scroll_to(y=top, animate=False)
        seen = [place for place, stop in enumerate(self._page.stops) if top <= stop.row < top + height]
        if not self.max_scroll_y:
            self.go_to_end(last=by > 0)
        elif seen and self._at not in seen:
            self._stand(seen[0])

    def go_to_end(self, *, last: bool) -> None:
        if self._page.stops:
            self._stand(len(self._page.stops) - 1 if last else 0)
        self.scroll_to(y=self.max_scroll_y if last else 0, animate=False)

    def render_line(self, y: int) -> Strip:
        width, row = self.size.width, y + self.scroll_offset.y
        if row >= len(self._page.lines):
            return Strip.blank(width, self._styles_by_name["text"])
        spans = self._page.lines[row]
        stop = self.stop
        if row == self._sought:
            spans = _raised(spans, 0, width)
        elif stop is not None and row == stop.row:
            spans = _raised(spans, stop.begin, stop.end)
        return to_strip(crop(spans, width, "…"), self._styles_by_name, width)

    def on_resize(self) -> None:
        self._resize_contents()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse pointed; follow it when it stood there already."""
        row = event.y + self.scroll_offset.y
        for place, stop in enumerate(self._page.stops):
            if stop.row == row and stop.begin <= event.x < stop.end:
                if place == self._at:
                    self.post_message(self.Followed())
                else:
                    self._stand(place)


def _raised(spans: Fragments, begin: int, end: int) -> Fragments:
    """Spans with the cells from `begin` up to `end` on the cursor's surface, and a bar in the first of them."""
    found: Fragments = []
    at = 0
    for words, style in spans:
        for sign in words:
            cell = cell_width([(sign, "")])
            is_inside = begin <= at < end
            shown = CURSOR_BAR if at == begin else sign
            look = "accent" if at == begin else style
            found.append((shown, f"{look} on raise" if is_inside else style))
            at += cell
    missing = end - at
    if missing > 0:
        found.append((" " * missing, "text on raise"))
    return found
