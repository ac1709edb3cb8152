"""The lessons of a newcomer on screen, step by step: the demonstration, and the tour."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from tui.panes.fragments import Fragments
from tui.protocol import messages
from tui.protocol.picture import SessionState
from tui.screens.requests import AppContext, Routes
from tui.widgets.lines import Lines

DEADLOCK: Final = "reservation-deadlock"  # The scenario of both
WEEKLY: Final = 183354  # Its application that holds up the others

Done = Callable[[str, SessionState], bool]  # Whether a step is done, by the call of the last key and what is to be seen


class Step(NamedTuple):
    """Lines that stay on the screen until the user has done what they say."""

    words: str  # At most three lines of 78 cells
    is_done: Done

    @property
    def lines(self) -> list[str]:
        return self.words.split("\n")


class Lesson(NamedTuple):
    """Steps one after the other; the lines go with the last one, unless that is never done."""

    name: str  # `demo` or `tour`
    title: str
    at: str  # The instant at which it begins
    speed: float
    is_paused: bool
    steps: tuple[Step, ...]
    stops_frozen: bool = False  # Whether the clock stops when nothing can be allocated any more
    ends_for_ever: bool = False  # Whether it is not shown again once it was closed


def _called(*calls: str) -> Done:
    return lambda call, picture: call.startswith(calls)


def _is_frozen(call: str, picture: SessionState) -> bool:
    return any(alert.kind == "frozen" for alert in picture.run.alerts)


def _is_killed(call: str, picture: SessionState) -> bool:
    rows = picture.snapshot.applications(why=False)
    return any(row.number == WEEKLY and row.finished_ms is not None for row in rows)


DEMO: Final = Lesson(
    "demo",
    "The demonstration",
    "08:59",
    10.0,
    False,
    (
        Step(
            "At 09:00 a weekly job asks for containers of 64000 MB. No node has that much\n"
            "free, so node after node is reserved. The clock stops when all is frozen.",
            _is_frozen,
        ),
        Step(
            "w  why the row under the cursor waits, with the proof, and what would help\n"
            "K  kill 183354, which holds eleven nodes; the question says what comes free\n"
            "p  let the clock run again; [ and { go back in time, ? lists every key",
            lambda call, picture: _is_killed(call, picture) and not picture.run.paused,
        ),
    ),
    stops_frozen=True,
    ends_for_ever=True,
)

TOUR: Final = Lesson(
    "tour",
    "Tour",
    "09:10",
    60.0,
    True,
    (
        Step(
            "The cluster is frozen; the header says since when. The clock is paused.\n"
            "Arrows, or j and k, move the cursor. Press j.",
            _called("navigation.move"),
        ),
        Step(
            "w tells why a row waits, and proves that it always will.\nPress w, read, and come back with esc.",
            _called("inspection.why"),
        ),
        Step(
            "Digits choose a pane; reservations say for which application each node is held.\nPress 4.",
            _called("navigation.show('reservations')"),
        ),
        Step(
            "enter goes into what a row is made of, esc comes back.\nPress enter, look, then esc.",
            _called("trail.follow"),
        ),
        Step(
            "Time goes both ways: [ and ] by a step, { and } by an alert, a loss or an act.\nPress {.",
            lambda call, picture: picture.run.present_ms is not None,
        ),
        Step(
            "This is the past: all of it can be looked at; B would go on from here instead.\n"
            "Press esc until the header shows the present again.",
            lambda call, picture: picture.run.present_ms is None,
        ),
        Step(
            "Capitals act, and ask first where something is lost.\n"
            "Press 1, type /183354 and enter, press K, and choose to kill it.",
            _is_killed,
        ),
        Step(
            "Everything that was held is free again; the clock is still paused.\n"
            "Press p, and watch what waited start; + is faster.",
            lambda call, picture: not picture.run.paused,
        ),
        Step(
            "That was the tour. ? lists every key; Why (w) also says what would help.\n"
            "q leaves; `schedlab` alone lets you choose another scenario.",
            lambda call, picture: False,
        ),
    ),
)

LESSONS: Final = {lesson.name: lesson for lesson in (DEMO, TOUR)}


class CoachLines(Lines):
    """The lines of a lesson, as high as they are many."""

    DEFAULT_CSS = "CoachLines { height: auto; }"

    def get_content_height(self, *_: object) -> int:
        return len(self.lines)

    def coach(self, title: str, leave: str, lines: Sequence[str]) -> None:
        title, leave = f" {title} ", f" {leave} "
        rule = "─" * max(0, self.app.size.width - len(title) - len(leave) - 2)
        head: Fragments = [("─", "line"), (title, "bold accent"), (rule, "line"), (leave, "faint"), ("─", "line")]
        shown = [head, *([(f" {line}", "text")] for line in lines)]
        if shown != self.lines:
            self.show_lines(shown)
            self.refresh(layout=True)


class Coaching:
    """Shows a lesson step by step above the footer, by what is done and seen on the main screen."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._lesson: Lesson | None = LESSONS.get(context.options.lesson)
        self._place = 0
        self._call = ""
        self._lines: CoachLines | None = None
        self._has_stopped = self._is_leaving = False

    def routes(self) -> Routes:
        return {messages.Performed: self._performed, messages.BackAtRoot: self._nothing_to_leave}

    async def seen(self, picture: SessionState) -> None:
        lesson = self._lesson
        if lesson is not None:
            await self._stop_if_frozen(lesson, picture)
            while lesson.steps[self._place].is_done(self._call, picture):
                self._place, self._call, self._is_leaving = self._place + 1, "", False
                if self._place == len(lesson.steps):
                    self._end()
                    return
            self._show(lesson)

    async def _stop_if_frozen(self, lesson: Lesson, picture: SessionState) -> None:
        clock = self._context.connection.clock
        if lesson.stops_frozen and _is_frozen("", picture) and not self._has_stopped and clock is not None:
            self._has_stopped = True
            if not picture.run.paused:
                await clock.toggle_pause()

    def _show(self, lesson: Lesson) -> None:
        cluster, context = self._context.cluster, self._context
        if context.options.is_lesson_hidden:
            return
        if self._lines is None:
            self._lines = CoachLines(context.options.styles, id="coach")
            _ = cluster.mount(self._lines, before="#hints")
        step, steps = lesson.steps[self._place], len(lesson.steps)
        of = f" {self._place + 1} of {steps - 1}" if lesson.name == "tour" and self._place + 1 < steps else ""
        leave = "esc: do not show again" if lesson.ends_for_ever else "esc esc ends it"
        self._lines.coach(f"{lesson.title}{of}", leave, step.lines)

    async def _performed(self, event: messages.Performed) -> None:
        self._call, self._is_leaving = event.call, self._is_leaving and event.call == "board.leave"
        await self.seen(self._context.cluster.state.picture)

    def _end(self) -> None:
        self._lesson = None
        if self._lines is not None:
            _ = self._lines.remove()
            self._lines = None

    async def _nothing_to_leave(self, event: messages.BackAtRoot) -> None:
        lesson, context = self._lesson, self._context
        if lesson is None or self._lines is None:
            context.tell("There is nothing to go back from; q leaves the program.")
        elif not lesson.ends_for_ever and not self._is_leaving:
            self._is_leaving = True
            context.tell("esc once more ends the tour.")
        else:
            self._end()
            context.tell("Closed; ? lists every key.")
            if lesson.ends_for_ever and context.options.lesson_mark is not None:
                with suppress(OSError):
                    context.options.lesson_mark.parent.mkdir(parents=True, exist_ok=True)
                    context.options.lesson_mark.touch()
