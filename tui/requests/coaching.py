"""Shows a lesson step by step above the footer, and stops the clock where it says so."""

from collections.abc import Sequence
from contextlib import suppress

from tui import messages
from tui.picture import Picture
from tui.render.line import Spans
from tui.requests.context import Context, Routes
from tui.requests.lessons import LESSONS, Lesson
from tui.widgets.lines import Lines


class CoachLines(Lines):
    """The lines of a lesson, as high as they are many."""

    DEFAULT_CSS = "CoachLines { height: auto; }"

    def get_content_height(self, *_: object) -> int:
        """One line for each."""
        return len(self.lines)

    def coach(self, title: str, leave: str, lines: Sequence[str]) -> None:
        """Show lines under a rule that names what they are and how to leave them; the height follows."""
        title, leave = f" {title} ", f" {leave} "
        rule = "─" * max(0, self.app.size.width - len(title) - len(leave) - 2)
        head: Spans = [("─", "line"), (title, "bold accent"), (rule, "line"), (leave, "faint"), ("─", "line")]
        shown = [head, *([(f" {line}", "text")] for line in lines)]
        if shown != self.lines:
            self.show_lines(shown)
            self.refresh(layout=True)


class Coaching:
    """Watches what is done and what is to be seen on the main screen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lesson: Lesson | None = LESSONS.get(context.options.lesson)
        self._place = 0
        self._call = ""
        self._lines: CoachLines | None = None
        self._has_stopped = self._is_leaving = False

    def routes(self) -> Routes:
        """Handler of each message."""
        return {messages.Performed: self._performed, messages.NothingToLeave: self._nothing_to_leave}

    async def seen(self, picture: Picture) -> None:
        """Go on with the lesson where its step is done, and show expectations that were judged."""
        lesson = self._lesson
        if lesson is not None:
            await self._stop_if_frozen(lesson, picture)
            while lesson.steps[self._place].is_done(self._call, picture):
                self._place, self._call, self._is_leaving = self._place + 1, "", False
            self._show(lesson)

    async def _stop_if_frozen(self, lesson: Lesson, picture: Picture) -> None:
        """Stop the clock once, when the freeze has formed."""
        clock = None if self._context.connection is None else self._context.connection.clock
        is_frozen = any(alert.kind == "frozen" for alert in picture.run.alerts)
        if lesson.stops_frozen and is_frozen and not self._has_stopped and clock is not None:
            self._has_stopped = True
            if not picture.run.paused:
                await clock.toggle_pause()

    def _show(self, lesson: Lesson) -> None:
        cluster, context = self._context.cluster, self._context
        if cluster is None or context.options.is_lesson_hidden:
            return
        if self._lines is None:
            self._lines = CoachLines(context.styles, id="coach")
            _ = cluster.mount(self._lines, before="#hints")
        step, steps = lesson.steps[self._place], len(lesson.steps)
        of = f" {self._place + 1} of {steps - 1}" if lesson.name == "tour" and self._place + 1 < steps else ""
        leave = "esc: do not show again" if lesson.ends_for_ever else "esc esc ends it"
        self._lines.coach(f"{lesson.title}{of}", leave, step.lines)

    async def _performed(self, event: messages.Performed) -> None:
        self._call, self._is_leaving = event.call, self._is_leaving and event.call == "board.leave"
        picture = None if self._context.cluster is None else self._context.cluster.state.picture
        if picture is not None:
            await self.seen(picture)

    async def _nothing_to_leave(self, event: messages.NothingToLeave) -> None:
        """Close the lesson; without one say how to leave."""
        lesson, context = self._lesson, self._context
        if lesson is None or self._lines is None:
            context.tell("There is nothing to go back from; q leaves the program.")
        elif not lesson.ends_for_ever and not self._is_leaving:
            self._is_leaving = True
            context.tell("esc once more ends the tour.")
        else:
            self._lesson = None
            _ = self._lines.remove()
            self._lines = None
            context.tell("Closed; ? lists every key.")
            if lesson.ends_for_ever and context.options.lesson_mark is not None:
                with suppress(OSError):
                    context.options.lesson_mark.parent.mkdir(parents=True, exist_ok=True)
                    context.options.lesson_mark.touch()
