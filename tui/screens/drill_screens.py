"""The screens of a drill: the brief, the desk (hints, answers, the end) and the debrief."""

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from engine.training.debrief import Debrief
from engine.training.debrief_document import html, markdown
from engine.training.drill import DrillScenario
from tui import messages
from tui.render.drill_brief import brief_screen
from tui.render.drill_debrief import DebriefView, debrief_screen
from tui.screen_edge import literal
from tui.screens.closing import BOX, ClosesOnce
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines

_BRIEF_HINTS: Final = (("enter", "start", "start"), ("j k", "scroll", "scroll(1)"), ("esc", "not now", "leave"))
_DEBRIEF_HINTS: Final = (
    ("j k", "choose", "move(1)"),
    ("enter", "go there", "go"),
    ("tab", "score", "part"),
    ("a", "again", "answer('again')"),
    ("n", "next drill", "answer('next')"),
    ("x", "save", "save"),
    ("esc", "leave", "answer('leave')"),
)
"""(keys, what they do, the action)."""


def _items(hints: Sequence[tuple[str, str, str]]) -> list[Clickable]:
    return [Clickable(((keys, "bold accent"), (f" {words}", "soft")), call) for keys, words, call in hints]


class DrillBriefScreen(ClosesOnce[bool]):
    """What the trainee reads first; answers whether it begins."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = "DrillBriefScreen { layout: vertical; } DrillBriefScreen #body { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "start", show=False),
        Binding("down,j", "scroll(1)", "down", show=False),
        Binding("up,k", "scroll(-1)", "up", show=False),
        Binding("escape,q,ctrl+c", "leave", "not now", show=False),
    ]

    def __init__(
        self, drill: DrillScenario, styles: dict[str, Style], *, place: tuple[int, int], best: int | None
    ) -> None:
        super().__init__()
        self._drill, self._styles_by_name = drill, styles
        self._place, self._best = place, best
        self._first = 0

    def compose(self) -> ComposeResult:
        """The brief, hints."""
        yield Lines(self._styles_by_name, id="body")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        """Name the keys."""
        self._show_hints()

    def _show_hints(self) -> None:
        self.query_one("#hints", ActionBar).show_items(_items(_BRIEF_HINTS))

    def on_resize(self) -> None:
        """Draw for this size."""
        self.call_after_refresh(self.action_scroll, 0)

    def action_scroll(self, by: int) -> None:
        """Scroll by lines, where not all fit."""
        body = self.query_one("#body", Lines)
        lines = brief_screen(self._drill, self._place, self._best, body.size.width)
        self._first = max(0, min(self._first + by, len(lines) - body.size.height))
        body.show_lines(lines[self._first :])

    def action_start(self) -> None:
        """Begin."""
        _ = self.dismiss(True)

    def action_leave(self) -> None:
        """Not now."""
        _ = self.dismiss(False)


class DrillAnswerScreen(ClosesOnce[str | None], ModalScreen[str | None]):
    """Asks for some words; answers with what was typed, or None."""

    DEFAULT_CSS = f"""
    DrillAnswerScreen {{ align: center middle; background: $background 60%; }}
    DrillAnswerScreen > #box {{ {BOX} width: 70; }}
    DrillAnswerScreen.-ascii > #box {{ border: ascii $primary; }}
    DrillAnswerScreen Input {{ border: none; height: 1; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "close", "back", show=False)]
    leaves_by_click: ClassVar[bool] = False

    def __init__(self, title: str, about: str, *, ascii_only: bool = False) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._title_words, self._about = title, about

    def compose(self) -> ComposeResult:
        """What is wanted, a field."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title_words)
            box.border_subtitle = "enter takes it, esc leaves"
            yield Label(self._about, markup=False)
            yield Input(compact=True, select_on_focus=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        _ = self.dismiss(event.value.strip() or None)

    def action_close(self) -> None:
        """No answer."""
        _ = self.dismiss(None)


class DrillDebriefScreen(ClosesOnce[str]):
    """What happened, what was done, what it is worth; answers `again`, `next`, `leave`, or the ms to go to."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = "DrillDebriefScreen { layout: vertical; } DrillDebriefScreen #body { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("pagedown", "move(10)", "page down", show=False),
        Binding("pageup", "move(-10)", "page up", show=False),
        Binding("enter", "go", "go there", show=False),
        Binding("tab,shift+tab", "part", "the other part", show=False),
        Binding("a", "answer('again')", "again", show=False),
        Binding("n", "answer('next')", "next drill", show=False),
        Binding("x", "save", "save", show=False),
        Binding("escape,q,ctrl+c", "answer('leave')", "leave", show=False),
    ]

    def __init__(self, debrief: Debrief, styles: dict[str, Style], *, best: int | None) -> None:
        super().__init__()
        self._view = DebriefView(debrief, 0, best)
        self._styles_by_name = styles

    def compose(self) -> ComposeResult:
        """The debrief, hints."""
        yield Lines(self._styles_by_name, id="body")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        """Name the keys."""
        self._show_hints()

    def _show_hints(self) -> None:
        self.query_one("#hints", ActionBar).show_items(_items(_DEBRIEF_HINTS))

    def on_resize(self) -> None:
        """Draw for this size."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        body = self.query_one("#body", Lines)
        body.show_lines(debrief_screen(self._view, body.size.width, body.size.height))

    def action_move(self, by: int) -> None:
        """Choose another row."""
        last = len(self._view.debrief.rows) - 1
        self._view = self._view._replace(cursor=max(0, min(self._view.cursor + by, last)))
        self._draw()

    def action_part(self) -> None:
        """On a narrow screen, show the score in place of the table, or the table again."""
        self._view = self._view._replace(is_on_score=not self._view.is_on_score)
        self._draw()

    def action_go(self) -> None:
        """Go to the moment of the chosen row."""
        rows = self._view.debrief.rows
        if rows:
            _ = self.dismiss(str(rows[self._view.cursor].at_ms))

    def action_save(self) -> None:
        """Save the debrief as Markdown and as a page."""
        debrief = self._view.debrief
        contents = {"md": markdown(debrief), "html": html(debrief)}
        _ = self.post_message(messages.SaveRequested(f"debrief-{debrief.name}", contents))

    def action_answer(self, answer: str) -> None:
        """Leave, with what comes next."""
        _ = self.dismiss(answer)
