"""Lines of text with links: they scroll, and the cursor goes from link to link."""

from collections.abc import Sequence

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.answers import WhySubject
from tui.render.line import crop
from tui.render.why import LinkedLine
from tui.widgets.lines import strip


class LinkedLines(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines drawn only where they are visible; the cursor holds what a line leads to, not its place."""

    DEFAULT_CSS = """
    LinkedLines { width: 1fr; height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """

    class Followed(Message):
        """The user clicked a line that leads somewhere."""

        def __init__(self, link: WhySubject) -> None:
            super().__init__()
            self.link = link

    def __init__(self, styles: dict[str, Style], *, id: str, mark: str = "~") -> None:
        super().__init__(id=id)
        self._styles_by_name = styles
        self._mark = mark
        self._lines: Sequence[LinkedLine] = ()
        self._at: int | None = None
        self._sought: int | None = None
        """The line that was looked for and is to be seen."""

    @property
    def lines(self) -> Sequence[LinkedLine]:
        """What is shown."""
        return self._lines

    @property
    def link(self) -> WhySubject | None:
        """What the line under the cursor leads to; None when no line leads anywhere."""
        return None if self._at is None else self._lines[self._at].link

    def show(self, lines: Sequence[LinkedLine]) -> None:
        """Show these lines from now on; the cursor stays on what it stood on."""
        if lines == self._lines:
            return
        was = None if self._at is None else (self._lines[self._at].part, self.link)
        self._lines, self._sought = lines, None
        places = [index for index, line in enumerate(lines) if line.link is not None]
        same = [index for index in places if (lines[index].part, lines[index].link) == was]
        self._at = next(iter(same or places), None)
        self._resize_contents()
        self.refresh()

    def _resize_contents(self) -> None:
        size = Size(max(1, self.scrollable_content_region.width), len(self._lines))
        if size != self.virtual_size:
            self.virtual_size = size

    def move(self, by: int) -> None:
        """Go to the next link where one is in sight, else scroll by a line."""
        height, top = max(1, self.scrollable_content_region.height), self.scroll_offset.y
        step = 1 if by > 0 else -1
        place = self._next_link(step)
        if place is not None and top - 1 <= place <= top + height:
            self._stand(place)
        elif self._is_scrollable(step):
            self.scroll_to(y=top + step, animate=False)
        elif place is not None:
            self._stand(place)

    def _next_link(self, step: int) -> int | None:
        if self._at is None:
            return None
        place = self._at + step
        while 0 <= place < len(self._lines):
            if self._lines[place].link is not None:
                return place
            place += step
        return None

    def _is_scrollable(self, step: int) -> bool:
        return self.scroll_offset.y > 0 if step < 0 else self.scroll_offset.y < self.max_scroll_y

    def _stand(self, place: int) -> None:
        self._at = place
        top, height = self.scroll_offset.y, max(1, self.scrollable_content_region.height)
        if place < top:
            self.scroll_to(y=place, animate=False)
        elif place >= top + height:
            self.scroll_to(y=place - height + 1, animate=False)
        self.refresh()

    def point_at(self, place: int | None) -> None:
        """Bring a line into sight and set it off; None sets none off any more."""
        self._sought = place
        if place is not None:
            self.scroll_to(y=max(0, place - self.scrollable_content_region.height // 3), animate=False)
        self.refresh()

    def move_pages(self, by: int) -> None:
        """Scroll by what is visible at once, the cursor to the first link in sight."""
        height = max(1, self.scrollable_content_region.height)
        top = max(0, min(self.max_scroll_y, self.scroll_offset.y + by * max(1, height - 1)))
        self.scroll_to(y=top, animate=False)
        seen = [i for i in range(top, min(len(self._lines), top + height)) if self._lines[i].link is not None]
        if seen and self._at not in seen:
            self._at = seen[0]
            self.refresh()

    def go_to_end(self, *, last: bool) -> None:
        """Go to the first line, or to the last, and to the link nearest to it."""
        places = [index for index, line in enumerate(self._lines) if line.link is not None]
        if places:
            self._at = places[-1 if last else 0]
        self.scroll_to(y=self.max_scroll_y if last else 0, animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width, index = self.scrollable_content_region.width, y + self.scroll_offset.y
        if index >= len(self._lines):
            return Strip.blank(width, self._styles_by_name["plain"])
        spans = crop(self._lines[index].spans, width, self._mark)
        if index in (self._at, self._sought):
            style = "cursor" if self.has_focus and self._sought in (None, index) else "cursor.idle"
            words = "".join(words for words, _ in spans)
            spans = [(words + " " * width, style)]
        return strip(spans, self._styles_by_name, width)

    def on_resize(self) -> None:
        """Another size shows other lines."""
        self._resize_contents()

    def on_focus(self) -> None:
        """Show the full cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Show that the cursor is not in use."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse pointed; follow it when it stood there already."""
        place = event.y - self.gutter.top + self.scroll_offset.y
        if not 0 <= place < len(self._lines) or (link := self._lines[place].link) is None:
            return
        if place == self._at:
            self.post_message(self.Followed(link))
        else:
            self._stand(place)
