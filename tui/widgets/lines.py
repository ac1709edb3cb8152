"""A few lines of spans, drawn by the line API; the header, the strip, the tabs and the hints are made of it."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui.panes.fragments import Fragments, cell_width, crop, difference, merge_fragments
from tui.terminal.edges import visible_line


def to_strip(spans: Fragments, styles: dict[str, Style], width: int) -> Strip:
    """A line of spans as textual draws it; control characters are written out."""
    if not all(words.isprintable() for words, _ in spans):
        spans = [(visible_line(words), style) for words, style in spans]
    segments = [Segment(words, styles[style]) for words, style in merge_fragments(spans)]
    room = width - cell_width(spans)
    if room > 0:
        segments.append(Segment(" " * room, styles["text"]))
    line = Strip(segments, max(width, width - room))
    return line.adjust_cell_length(width, styles["text"]) if room < 0 else line


class Lines(Widget):
    """Lines that are replaced as a whole and drawn only when they differ."""

    def __init__(self, styles: dict[str, Style], *, id: str, mark: str = "~") -> None:
        super().__init__(id=id)
        self._styles_by_name = styles
        self._mark = mark
        self.lines: Sequence[Fragments] = ()

    def show_lines(self, lines: Sequence[Fragments]) -> None:
        if lines == self.lines:
            return
        before, self.lines = self.lines, lines
        if len(before) != len(lines):
            self.refresh()
            return
        width = self.content_size.width
        for y, (old, new) in enumerate(zip(before, lines, strict=True)):
            cells = difference(crop(old, width, self._mark), crop(new, width, self._mark))
            if cells is not None:
                self.refresh(Region(cells[0], y, cells[1] - cells[0], 1))

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        if y >= len(self.lines):
            return Strip.blank(width, self._styles_by_name["text"])
        return to_strip(crop(self.lines[y], width, self._mark), self._styles_by_name, width)


class ChoiceLines(Lines, can_focus=True):
    """Lines that say which of them the mouse points at, and when its wheel turns."""

    @dataclass
    class Pointed(Message):
        """The mouse pressed a line; twice means to open it."""

        line: int
        times: int

    @dataclass
    class Turned(Message):
        """The wheel turned so many lines."""

        by: int

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Pointed(event.y, event.chain))

    def on_mouse_scroll_down(self) -> None:
        self.post_message(self.Turned(3))

    def on_mouse_scroll_up(self) -> None:
        self.post_message(self.Turned(-3))


class PaintedLines(ScrollView):
    """Lines that scroll; a subclass says what each of them is.

    Built on the line API: a frame asks for the visible lines and nothing else, so ten thousand rows cost as much as
    forty, and only cells that differ are drawn again.
    """

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(id=id)
        self._styles_by_name = styles
        self._drawn: dict[int, Fragments] = {}  # Visible line → how it was drawn last
        self._ready: dict[int, Fragments] = {}  # Visible line → how it is to be drawn next, where that is known already
        self._ready_for: object = None
        self._measured: tuple[int, tuple[int, Size, bool]] | None = None  # While one line is asked for after the other

    @abstractmethod
    def _line(self, y: int) -> Fragments:
        pass

    @abstractmethod
    def _content_height(self) -> int:
        pass

    def _repaint(self) -> None:
        self._ready.clear()
        self.refresh()

    def _repaint_changed(self) -> None:
        extent = self._extent()
        if extent != self._ready_for or not self._drawn:
            self._ready_for = extent
            self._repaint()
            return
        with self._measured_once():
            changed = list(self._changed_cells(self.scrollable_content_region.height))
        if changed:
            self.refresh(*changed)

    def _changed_cells(self, height: int) -> Iterator[Region]:
        for y in range(height):
            spans = self._line(y)
            before = self._drawn.get(y)
            cells = (0, self.size.width) if before is None else difference(before, spans)
            if cells is not None:
                self._ready[y] = spans
                yield Region(cells[0], y, cells[1] - cells[0], 1)

    @contextmanager
    def _measured_once(self) -> Iterator[None]:
        """Measure once for many lines: textual finds each size anew on its map of the screen."""
        self._measured = self._line_width, self._extent()
        try:
            yield
        finally:
            self._measured = None

    @property
    def _line_width(self) -> int:
        return self.scrollable_content_region.width if self._measured is None else self._measured[0]

    def _extent(self) -> tuple[int, Size, bool]:
        if self._measured is not None:
            return self._measured[1]
        return self.scroll_offset.y, self.scrollable_content_region.size, self.has_focus

    def _resize_contents(self) -> None:
        size = Size(max(1, self.scrollable_content_region.width), self._content_height())
        if size == self.virtual_size:
            return
        if (size.height > self.container_size.height) == self.show_vertical_scrollbar and self.is_mounted:
            # Nothing on the screen moves: a layout of all of it would draw all of it again.
            self.set_reactive(PaintedLines.virtual_size, size)
            self._scroll_update(size)
        else:
            self.virtual_size = size

    def render_lines(self, crop: Region) -> list[Strip]:
        with self._measured_once():
            return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        spans = self._ready.pop(y, None)
        if spans is None or self._extent() != self._ready_for:
            spans = self._line(y)
        self._drawn[y] = spans
        return to_strip(spans, self._styles_by_name, self._line_width)

    def visible_text(self) -> list[str]:
        return [self.render_line(y).text.rstrip() for y in range(self.scrollable_content_region.height)]
