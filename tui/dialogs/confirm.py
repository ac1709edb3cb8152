"""The dialog that asks before an act: what is lost and freed, what follows on a copy; Cancel has the focus."""

from typing import ClassVar, Final

from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button

from tui.dialogs.forms import BOX, SingleResultScreen
from tui.pages.act_sheet import ActQuestion, Trying, sheet_lines
from tui.panes.fragments import cell_width, flat
from tui.panes.pulse import Forecast
from tui.protocol import messages
from tui.protocol.session import FollowedQuestion
from tui.terminal.edges import visible_line
from tui.terminal.format import short_id
from tui.terminal.screen_edges import literal
from tui.widgets.lines import Lines
from tui.widgets.prompt import Answers

_FRAME: Final = 4  # Lines of the box that are not words: its border and the answers


class ConfirmScreen(SingleResultScreen[bool], ModalScreen[bool]):
    """Answers True only on `y` or the button that says so."""

    DEFAULT_CSS = f"""
    ConfirmScreen {{ align: center middle; background: $background 60%; }}
    ConfirmScreen > #box {{
        {BOX} width: 92; max-width: 96%; max-height: 100%; padding: 0 2; border: round $error;
    }}
    ConfirmScreen.-plain > #box {{ width: 72; }}
    ConfirmScreen #scroll {{ height: auto; scrollbar-size-vertical: 1; }}
    ConfirmScreen #words {{ height: auto; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n,escape,q,ctrl+c", "answer(False)", "no", show=False),
        Binding("space", "press", "the answer that has the focus", show=False),
        Binding("left,right,h,l,tab,shift+tab", "other", "other answer", show=False),
        Binding("down,j", "scroll(1)", "down", show=False),
        Binding("up,k", "scroll(-1)", "up", show=False),
    ]

    def __init__(self, question: ActQuestion, styles: dict[str, Style], *, holds: bool = True) -> None:
        super().__init__(classes="" if question.acts else "-plain")
        lines = tuple(visible_line(line) for line in question.lines)
        self._question, self._styles_by_name = question._replace(lines=lines), styles
        self._asking: FollowedQuestion | None = None
        self._holds = holds
        self._trying = Trying(words="trying it on a copy …") if question.acts else None

    @property
    def words(self) -> str:
        return "\n".join(flat(line).rstrip() for line in sheet_lines(self._question, self._trying, 84))

    @property
    def forecast(self) -> Forecast | None:
        after = self._trying.aftermath if self._trying is not None else None
        if after is None or after.refused:
            return None
        starts = {int(short_id(each.application)): each.at_ms for each in after.begun}
        running = frozenset(int(short_id(each.application)) for each in after.begun if each.ran)
        return Forecast(starts, after.killed, running)

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = literal(self._question.title)
            with VerticalScroll(id="scroll", can_focus=False):
                yield Lines(self._styles_by_name, id="words", mark="…")
            yield Answers("n  Cancel", f"y  {self._question.yes}", is_harmful=True, leave="enter cancels")

    def on_mount(self) -> None:
        self.query_one(Answers).no.focus()
        if self._question.acts:
            self.post_message(messages.ActsTried(tuple(self._question.acts.values())))

    def follow(self, asking: FollowedQuestion | None, why_not: str = "") -> None:
        """Show what `asking` finds out about what follows; None where nothing can be tried, and why."""
        if asking is None:
            self._trying = Trying(words=why_not)
            self._show()
            return
        self._asking = asking
        asking.start(self._show_found)
        self._show_found()

    def _show_found(self) -> None:
        answer = self._asking.answer if self._asking is not None else None
        if answer is None:
            return
        words = f"It could not be tried: {answer.failure}" if answer.failure else f"{answer.doing or 'trying'} …"
        self._trying = Trying(answer.aftermath, answer.beside, words)
        self._show()

    def on_unmount(self) -> None:
        """Leave off for good: copies of a cluster are large."""
        if self._asking is not None:
            self._asking.close()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#scroll").styles.max_height = max(1, event.size.height - _FRAME)
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        if not self.query("#words"):  # not there yet, or leaving
            return
        words, scroll = self.query_one("#words", Lines), self.query_one("#scroll")
        width = scroll.scrollable_content_region.width
        lines = [
            [(part, f"{style} on panel") for part, style in [*line, (" " * max(0, width - cell_width(line)), "text")]]
            for line in sheet_lines(self._question, self._trying, max(20, width))
        ]
        words.styles.height = len(lines)
        words.show_lines(lines)

        def tell() -> None:
            if scroll.scrollable_content_region.width != width:  # a scrollbar came or went
                self._show()
                return
            more = ["arrows scroll"] if scroll.max_scroll_y else []
            for box in self.query("#box"):
                box.border_subtitle = ", ".join([*more, *(["clock paused"] if self._holds else [])])

        self.call_after_refresh(tell)

    def action_scroll(self, by: int) -> None:
        self.query_one("#scroll").scroll_relative(y=by, animate=False)

    def action_other(self) -> None:
        answers = self.query_one(Answers)
        (answers.yes if self.focused is answers.no else answers.no).focus()

    def action_answer(self, sure: bool) -> None:
        _ = self.dismiss(sure)

    def action_press(self) -> None:
        _ = self.dismiss(self.focused is self.query_one(Answers).yes)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        _ = self.dismiss(event.button.id == "yes")
