"""The screens of a drill: the brief, the desk (hints, answers, the end) and the debrief."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Label

from engine.training.debrief import Debrief, WhatIf
from engine.training.drill import DrillScenario
from tui.dialogs.forms import BOX, SingleResultScreen
from tui.keymap import FooterKey
from tui.pages.drill import DebriefSheet, brief_screen, debrief_screen
from tui.panes.fragments import Fragments
from tui.protocol import messages
from tui.report.drill import debrief_markdown, debrief_page
from tui.terminal.screen_edges import literal
from tui.widgets.bars import HintedLines
from tui.widgets.lines import Lines

WhatIfs = Callable[[int], tuple[WhatIf, ...]]  # What would have been from an instant of the exercise on [ms]

_BRIEF_KEYS: Final = (
    FooterKey("enter", "start", "start"),
    FooterKey("j k", "scroll", "scroll(1)", 2),
    FooterKey("esc", "not now", "leave"),
)
_REPLAY: Final = "answer('replay')"
_DEBRIEF_KEYS: Final = (
    FooterKey("j k", "choose", "move(1)", 2),
    FooterKey("enter", "go there", "go", 2),
    FooterKey("w", "what if", "what_if", 2),
    FooterKey("r", "par", _REPLAY, 2),
    FooterKey("tab", "score", "part", 3),
    FooterKey("n", "next", "answer('next')", 3),
    FooterKey("a", "again", "answer('again')", 4),
    FooterKey("x", "save", "save", 5),
    FooterKey("esc", "leave", "answer('leave')"),
)


class DrillBriefScreen(SingleResultScreen[bool]):
    """The trainee's first page; answers whether the drill begins."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "start", show=False),
        Binding("down,j", "scroll(1)", "down", show=False),
        Binding("up,k", "scroll(-1)", "up", show=False),
        Binding("pagedown,space", "scroll(10)", "page down", show=False),
        Binding("pageup", "scroll(-10)", "page up", show=False),
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
        yield HintedLines(self._styles_by_name, _BRIEF_KEYS, self._drawn)

    def _drawn(self, width: int, height: int) -> Sequence[Fragments]:
        lines = brief_screen(self._drill, self._place, self._best, width)
        self._first = max(0, min(self._first, len(lines) - height))
        return lines[self._first :]

    def action_scroll(self, by: int) -> None:
        self._first += by
        self.query_one(HintedLines).draw()

    def action_start(self) -> None:
        _ = self.dismiss(True)

    def action_leave(self) -> None:
        _ = self.dismiss(False)


class DrillAnswerScreen(SingleResultScreen[str | None], ModalScreen[str | None]):
    """Asks for some words; answers with what was typed, or None."""

    DEFAULT_CSS = f"""
    DrillAnswerScreen {{ align: center middle; background: $background 60%; }}
    DrillAnswerScreen > #box {{ {BOX} width: 70; }}
    DrillAnswerScreen Label {{ width: 100%; }}
    DrillAnswerScreen Input {{ border: none; height: 1; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "close", "back", show=False)]
    leaves_by_click: ClassVar[bool] = False

    def __init__(self, title: str, about: str) -> None:
        super().__init__()
        self._title_words, self._about = title, about

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = literal(self._title_words)
            box.border_subtitle = "enter takes it, esc leaves"
            yield Label(self._about, markup=False)
            yield Input(compact=True, select_on_focus=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        _ = self.dismiss(event.value.strip() or None)

    def action_close(self) -> None:
        _ = self.dismiss(None)


class DrillDebriefScreen(SingleResultScreen[str]):
    """The events, acts and score of a drill; answers `again`, `next`, `replay`, `leave`, or ms."""

    AUTO_FOCUS = ""
    has_hints = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("pagedown", "move(10)", "page down", show=False),
        Binding("pageup", "move(-10)", "page up", show=False),
        Binding("enter", "go", "go there", show=False),
        Binding("tab,shift+tab", "part", "the other part", show=False),
        Binding("w", "what_if", "what if", show=False),
        Binding("r", _REPLAY, "replay par", show=False),
        Binding("a", "answer('again')", "again", show=False),
        Binding("n", "answer('next')", "next drill", show=False),
        Binding("x", "save", "save", show=False),
        Binding("escape,q,ctrl+c", "answer('leave')", "leave", show=False),
    ]

    def __init__(self, debrief: Debrief, styles: dict[str, Style], *, best: int | None, what_ifs: WhatIfs) -> None:
        """`best` is the best score before, None: never played; `what_ifs` have what would have been."""
        super().__init__()
        self._view = DebriefSheet(debrief, 0, best)
        self._styles_by_name, self._what_ifs = styles, what_ifs

    def compose(self) -> ComposeResult:
        keys = [key for key in _DEBRIEF_KEYS if key.call != _REPLAY or self._view.debrief.has_shorter_way]
        yield HintedLines(self._styles_by_name, keys, self._drawn)

    def _drawn(self, width: int, height: int) -> Sequence[Fragments]:
        lines, most = debrief_screen(self._view, width, height)
        self._view = self._view._replace(first=min(self._view.first, most))
        return lines

    def _show(self, **changed: Any) -> None:
        self._view = self._view._replace(**changed)
        self.query_one(HintedLines).draw()

    def action_move(self, by: int) -> None:
        if self._view.is_on_score:
            self._show(first=max(0, self._view.first + by))
            return
        last = max(0, len(self._view.debrief.rows) - 1)
        self._show(cursor=max(0, min(self._view.cursor + by, last)), what_ifs=())

    def action_part(self) -> None:
        self._show(is_on_score=not self._view.is_on_score)

    def action_what_if(self) -> None:
        rows = self._view.debrief.rows
        found = self._what_ifs(rows[self._view.cursor].at_ms) if rows else ()
        if found:
            self._show(what_ifs=found, is_on_score=False)
        else:
            self.answer("Par does nothing to the cluster here: there is nothing to try.")

    def action_go(self) -> None:
        rows = self._view.debrief.rows
        if rows:
            _ = self.dismiss(str(rows[self._view.cursor].at_ms))

    def action_save(self) -> None:
        debrief = self._view.debrief
        contents = {"md": debrief_markdown(debrief), "html": debrief_page(debrief).html()}
        _ = self.post_message(messages.SaveRequested(f"debrief-{debrief.name}", contents))

    def action_answer(self, answer: str) -> None:
        """Leave, with what comes next; par is not replayed to a trainee who did as well."""
        if answer == "replay" and not self._view.debrief.has_shorter_way:
            self.answer("There is no shorter way to show: this run is worth as much as par.")
        else:
            _ = self.dismiss(answer)


Drawn = Callable[[int | None], Sequence[Fragments]]  # Question that has the keys, None for none → the lines


class ExamPanel(Lines, can_focus=True):
    """The lines of an exam below the panes; with the keys they have a cursor on a question."""

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
        return len(self.lines)

    def draw(self) -> None:
        lines = self._drawn(self._cursor if self.has_focus else None)
        is_as_high = len(lines) == len(self.lines)
        self.show_lines(lines)
        if not is_as_high:
            self.refresh(layout=True)

    def on_focus(self) -> None:
        self.draw()

    def on_blur(self) -> None:
        self.draw()

    def action_move(self, by: int) -> None:
        self._cursor = max(0, min(self._cursor + by, self._count - 1))
        self.draw()

    def action_answer(self) -> None:
        _ = self._answer(self._cursor)

    def action_leave(self) -> None:
        _ = self._leave()


_DESK: Final = {
    "cluster": "c,tab,enter,H,f12",
    "message": "m",
    "note": "n",
    "inject": "i",
    "load": "l",
    "freeze": "f,p",
    "back": "b",
    "screen": "v",
    "leave": "q,ctrl+c,ctrl+q,f10",
}  # What an instructor wants → its keys


class InstructorScreen(Screen[None]):
    """Shows the lines of `drawn`; every key calls `do` with what is wanted."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(keys, f"do({words!r})", words, show=False) for words, keys in _DESK.items()
    ]

    def __init__(
        self, styles: dict[str, Style], drawn: Callable[[int, int], Sequence[Fragments]], do: Callable[[str], object]
    ) -> None:
        super().__init__()
        self._styles_by_name, self._drawn, self._do = styles, drawn, do

    def compose(self) -> ComposeResult:
        keys = [FooterKey(keys[0], words, f"do({words!r})") for words, keys in _DESK.items()]
        yield HintedLines(self._styles_by_name, keys, self._drawn)

    def draw(self) -> None:
        for lines in self.query(HintedLines):
            lines.draw()

    def action_do(self, what: str) -> None:
        _ = self._do(what)
