"""The lines of an exam below the panes: a list of questions that takes the keys, and the latest page."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType

from tui.render.line import Spans
from tui.widgets.lines import Lines

Drawn = Callable[[int | None], Sequence[Spans]]
"""Question that has the keys, None for none → the lines."""


class ExamPanel(Lines, can_focus=True):
    """Lines as high as they are many; with the keys they have a cursor on a question."""

    DEFAULT_CSS = "ExamPanel { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("enter", "answer", "answer", show=False),
        Binding("escape", "leave", "back", show=False),
    ]

    def __init__(
        self,
        styles: dict[str, Style],
        drawn: Drawn,
        answer: Callable[[int], object],
        leave: Callable[[], object],
        count: int,
    ) -> None:
        """Lines with so many questions; `answer` gets the place of the one chosen, `leave` gives the keys away."""
        super().__init__(styles, id="exam")
        self._drawn, self._answer, self._leave, self._count = drawn, answer, leave, count
        self._cursor = 0

    def get_content_height(self, *_: object) -> int:
        """One line for each."""
        return len(self.lines)

    def draw(self) -> None:
        """Draw what is known now."""
        lines = self._drawn(self._cursor if self.has_focus else None)
        is_as_high = len(lines) == len(self.lines)
        self.show_lines(lines)
        if not is_as_high:
            self.refresh(layout=True)

    def on_focus(self) -> None:
        """Show the cursor."""
        self.draw()

    def on_blur(self) -> None:
        """Hide it."""
        self.draw()

    def action_move(self, by: int) -> None:
        """Go to another question."""
        self._cursor = max(0, min(self._cursor + by, self._count - 1))
        self.draw()

    def action_answer(self) -> None:
        """Answer the question under the cursor."""
        _ = self._answer(self._cursor)

    def action_leave(self) -> None:
        """Give the keys back to the pane."""
        _ = self._leave()
