"""A few lines of spans, drawn by the line API; the header, the strip, the tabs and the hints are made of it."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.render.line import Spans, crop, difference, length, together
from tui.terminal_edge import visible_line


def strip(spans: Spans, styles: dict[str, Style], width: int) -> Strip:
    """A line of spans as textual draws it; control characters are written out."""
    if not all(words.isprintable() for words, _ in spans):
        spans = [(visible_line(words), style) for words, style in spans]
    segments = [Segment(words, styles[style]) for words, style in together(spans)]
    room = width - length(spans)
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
        self._lines: Sequence[Spans] = ()

    @property
    def lines(self) -> Sequence[Spans]:
        """The lines shown."""
        return self._lines

    def show_lines(self, lines: Sequence[Spans]) -> None:
        """Show these lines from now on."""
        if lines == self._lines:
            return
        before, self._lines = self._lines, lines
        if len(before) != len(lines):
            self.refresh()
            return
        width = self.content_size.width
        for y, (old, new) in enumerate(zip(before, lines, strict=True)):
            cells = difference(crop(old, width, self._mark), crop(new, width, self._mark))
            if cells is not None:
                self.refresh(Region(cells[0], y, cells[1] - cells[0], 1))

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.content_size.width
        if y >= len(self._lines):
            return Strip.blank(width, self._styles_by_name["text"])
        return strip(crop(self._lines[y], width, self._mark), self._styles_by_name, width)


class ChoiceLines(Lines, can_focus=True):
    """Lines that say which of them the mouse points at, and when its wheel turns."""

    class Pointed(Message):
        """The mouse pressed a line; twice means to open it."""

        def __init__(self, line: int, times: int) -> None:
            super().__init__()
            self.line, self.times = line, times

    class Turned(Message):
        """The wheel turned so many lines."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def on_click(self, event: events.Click) -> None:
        """Say which line it was."""
        self.post_message(self.Pointed(event.y, event.chain))

    def on_mouse_scroll_down(self) -> None:
        """Go on."""
        self.post_message(self.Turned(3))

    def on_mouse_scroll_up(self) -> None:
        """Go back."""
        self.post_message(self.Turned(-3))
