"""The exam on screen: the questions and pages below the panes, and how it is handed in."""

from collections.abc import Callable, Sequence
from typing import Final

from textual.app import App

from engine.instants import span
from engine.training.drill import DrillQuestion
from tui import format as text
from tui.render.exam import ExamQuestion, ExamSheet, PageShown, exam_lines
from tui.render.line import Spans
from tui.requests.context import Context
from tui.screens.dialects import BY_WAIT
from tui.screens.drill_screens import DrillAnswerScreen
from tui.screens.exam_panel import ExamPanel
from tui.screens.menu import Choice, MenuScreen
from tui.screens.page import PageScreen
from tui.session.drill_play import DrillPlay

ASSESS: Final = "How many points is it worth, from 0 to 100? You say so before the score is shown."
HAND_IN: Final = (Choice("g", "go on", ""), Choice("h", "hand in: nothing can be done any more", "end"))


class ExamDesk:
    """The lines below the panes while an exam is taken."""

    def __init__(
        self,
        app: App[None],
        play: DrillPlay,
        shared: Context,
        ask_for: Callable[[DrillQuestion], object],
        end: Callable[[], object],
    ) -> None:
        """Show nothing yet; `ask_for` asks a question, `end` shows the debrief."""
        self._app, self._play, self._shared, self._ask_for, self._end = app, play, shared, ask_for, end
        self._panel: ExamPanel | None = None
        self._is_ending = False

    def look(self) -> None:
        """Draw what is known now; hand in when time is up."""
        cluster, questions = self._shared.cluster, self._play.questions
        if cluster is None or not cluster.is_mounted:
            return
        if self._panel is None:
            self._panel = ExamPanel(
                self._shared.styles,
                self._drawn,
                lambda place: self._ask_for(questions[place]),
                lambda: cluster.choose(cluster.state.choice),
                len(questions),
            )
            _ = cluster.mount(self._panel, before="#hints")
            return
        self._panel.draw()
        if cluster.lines_below != len(self._panel.lines):
            cluster.lines_below = len(self._panel.lines)
            cluster.choose(cluster.state.choice) if not self._panel.has_focus else cluster.redraw()
        if self._play.is_over and not self._is_ending:
            self._assess()

    def open(self, part: str) -> None:
        """Go to the questions, read the pages, or hand in."""
        if part == "questions" and self._panel is not None:
            _ = self._panel.focus()
        elif part == "pages":
            pages = [f"{one.sender}, +{span(one.at_ms)}: {one.words}" for one in self._play.read_messages()]
            words = "\n\n".join(reversed(pages)) or "No page has come."
            _ = self._app.push_screen(PageScreen("Pages, the latest first", words, ascii_only=self._is_ascii))
        elif part == "end":
            _ = self._app.push_screen(MenuScreen("Hand in", HAND_IN, ascii_only=self._is_ascii), self._chosen)
        if self._panel is not None:
            self._panel.draw()

    @property
    def _is_ascii(self) -> bool:
        return self._shared.options.ascii_only

    def _chosen(self, value: str | None) -> None:
        if value:
            self._assess()

    def _assess(self) -> None:
        """Ask what it is worth, until that is a number; then end."""
        self._is_ending = True

        def answered(words: str | None) -> None:
            points = words or ""
            if points.isascii() and points.isdigit() and int(points) <= 100:
                self._play.assess(int(points))
                _ = self._end()
            else:
                self._assess()

        _ = self._app.push_screen(DrillAnswerScreen("Self-assessment", ASSESS, ascii_only=self._is_ascii), answered)

    def _drawn(self, cursor: int | None) -> Sequence[Spans]:
        size = self._app.size
        questions = [ExamQuestion(one.text, self._answer(one)) for one in self._play.questions]
        sheet = ExamSheet(questions, list(self._pages()), self._more(), cursor)
        return exam_lines(sheet, size.width, size.height)

    def _more(self) -> str:
        cluster = self._shared.cluster
        if cluster is None or not cluster.active.below:
            return ""
        arrangement, order = cluster.arrangement(cluster.pane_name), cluster.active.noun.words.caption(cluster.look)
        is_by_wait = order == BY_WAIT and not arrangement.sort and not arrangement.reverse
        return f"{cluster.active.below} more{f', {order}' * is_by_wait}"

    def _answer(self, question: DrillQuestion) -> str:
        at_ms, given = self._play.answered_ms(question.asks), self._play.answers.get(question.asks)
        return "" if at_ms is None or given is None else f"{', '.join(given)} at +{span(at_ms)}"

    def _pages(self) -> Sequence[PageShown]:
        play, offset_ms = self._play, self._play.session.driver.state.offset_ms
        return [
            PageShown(
                number,
                text.clock(play.drill.begins_ms + one.at_ms, offset_ms).rpartition(" ")[2],
                text.duration(play.now_ms - one.at_ms),
                one.sender,
                one.words,
                number <= play.read,
            )
            for number, one in enumerate(play.messages, 1)
        ]
