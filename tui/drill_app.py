"""The app that plays a drill: the brief, the cluster screen with a key for the drill, the debrief."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Final, Protocol

from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Event, Key
from textual.screen import Screen
from textual.timer import Timer

from engine.simulation.records import Listener
from engine.training.debrief import step_words
from engine.training.drill import NO, WHY_PRICE, YES, DrillQuestion, DrillScenario
from engine.training.exercise import named
from engine.training.steps import LookStep
from engine.units import span
from tui.actions import ACTIONS, DRILL, EXAM, PANES, REDO, UNDO
from tui.app import SchedlabApp
from tui.board.board import UnavailableMessages
from tui.board.dialects import BY_WAIT
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import Choice, MenuScreen
from tui.dialogs.queue import QueueFormScreen
from tui.dialogs.submit import SubmitScreen
from tui.keymap import BRANCH, spelled
from tui.pages.drill import WIDTH, brief_lines
from tui.pages.exam import ExamQuestion, ExamSheet, PageShown, exam_lines
from tui.panes.fragments import Fragments
from tui.panes.header import DrillClock
from tui.protocol import messages
from tui.protocol.session import Connection, TraineeScreen, cancel_all
from tui.screens.cluster import ClusterScreen
from tui.screens.drill import DrillAnswerScreen, DrillBriefScreen, DrillDebriefScreen, ExamPanel
from tui.screens.lessons import CoachLines
from tui.screens.page import HelpScreen, PageScreen
from tui.screens.requests import AppContext
from tui.screens.why import WhyScreen
from tui.session.drill import DrillPlay, ParReplay
from tui.session.drill_seat import session_of
from tui.terminal import format as text

# The exam on screen: the questions and pages below the panes, and how it is handed in.

ASSESS: Final = "How many points is it worth, from 0 to 100? You say so before the score is shown."
HAND_IN: Final = (Choice("g", "go on", ""), Choice("h", "hand in: nothing can be done any more", "end"))


class ExamDesk:
    """The lines below the panes while an exam is taken."""

    def __init__(
        self,
        app: App[None],
        play: DrillPlay,
        shared: AppContext,
        ask_for: Callable[[DrillQuestion], object],
        end: Callable[[], object],
    ) -> None:
        """Show nothing yet; `ask_for` asks a question, `end` shows the debrief."""
        self._app, self._play, self._shared, self._ask_for, self._end = app, play, shared, ask_for, end
        self._panel: ExamPanel | None = None
        self._is_ending = False

    def look(self) -> None:
        cluster, questions = self._shared.cluster, self._play.questions
        if not cluster.is_mounted:
            return
        if self._panel is None:
            self._panel = ExamPanel(
                self._shared.options.styles,
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
        if part == "questions" and self._panel is not None:
            _ = self._panel.focus()
        elif part == "pages":
            pages = [f"{one.sender}, +{span(one.at_ms)}: {one.words}" for one in self._play.read_messages()]
            words = "\n\n".join(reversed(pages)) or "No page has come."
            _ = self._app.push_screen(PageScreen("Pages, the latest first", words))
        elif part == "end":
            _ = self._app.push_screen(MenuScreen("Hand in", HAND_IN), self._chosen)
        if self._panel is not None:
            self._panel.draw()

    def _chosen(self, value: str | None) -> None:
        if value:
            self._assess()

    def _assess(self) -> None:
        self._is_ending = True

        def answered(words: str | None) -> None:
            points = words or ""
            if points.isascii() and points.isdigit() and int(points) <= 100:
                self._play.assess(int(points))
                _ = self._end()
            else:
                self._assess()

        _ = self._app.push_screen(DrillAnswerScreen("Self-assessment", ASSESS), answered)

    def _drawn(self, cursor: int | None) -> Sequence[Fragments]:
        size = self._app.size
        questions = [ExamQuestion(one.text, self._answer(one)) for one in self._play.questions]
        sheet = ExamSheet(questions, list(self._pages()), self._more(), cursor)
        return exam_lines(sheet, size.width, size.height)

    def _more(self) -> str:
        cluster = self._shared.cluster
        if not cluster.active.below:
            return ""
        arrangement, order = cluster.arrangement(cluster.pane_name), cluster.active.view.caption(cluster.look)
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


# Shows the shorter way of a drill over the app's own session: a second cluster screen, its steps said as they come.

DRILL_REPLAY_LOOK_S = 0.25  # How often it is looked whether a step has come [s]
LINES = 2  # So many of the latest steps stand above the footer
BEGINS = "The reference solution, five times as fast; p stops the clock."


class ReplayOnScreen:
    """The reference solution while it is on screen; the drill's own session and screen wait below."""

    def __init__(self, app: App[None], shared: AppContext, show: Callable[[Connection], Awaitable[None]]) -> None:
        """The session and main screen of `shared` are exchanged; `show` puts a session on a new main screen."""
        self._app, self._shared, self._show = app, shared, show
        self._replay: ParReplay | None = None
        self._below: tuple[Connection, ClusterScreen] | None = None
        self._timer: Timer | None = None
        self._lines: CoachLines | None = None
        self._said: list[str] = []

    async def begin(self, drill: DrillScenario) -> None:
        self._below = self._shared.connection, self._shared.cluster
        self._replay = ParReplay(drill)
        await self._show(self._replay.session)
        await self._replay.session.clock.toggle_pause()
        self._lines, self._said = None, []
        self._timer = self._app.set_interval(DRILL_REPLAY_LOOK_S, self.look)

    def look(self) -> None:
        replay, cluster = self._replay, self._shared.cluster
        if replay is None or not cluster.is_mounted:
            return
        for step in replay.due():
            if isinstance(step, LookStep) and step.pane.lower() in PANES:
                cluster.perform(f"navigation.show({step.pane.lower()!r})")
            self._said.append(f"+{span(step.at_ms)}  {step_words(step, replay.drill.scenario.system)}")
        if self._lines is None:
            self._lines = CoachLines(self._shared.options.styles, id="coach")
            _ = cluster.mount(self._lines, before="#hints")
        words = ["That was all of it; the clock goes on."] if replay.is_over else []
        self._lines.coach("A shorter way", "H goes back to the debrief", [*self._said, *words][-LINES:] or [BEGINS])

    async def end(self) -> None:
        if self._replay is None or self._below is None:
            return
        if self._timer is not None:
            self._timer.stop()
        await self._replay.session.pictures.close()
        self._replay = None
        await self._app.pop_screen()
        self._shared.connection, self._shared.cluster = self._below


# Shows an instructor the screen of a drill beside the trainee: pane, row, filter, the latest keys.

MOST_KEYS: Final = 16  # So many of the latest keys are known

_NAMES: Final = {
    ConfirmScreen: "a question before an act",
    DrillAnswerScreen: "an answer",
    DrillBriefScreen: "the brief",
    DrillDebriefScreen: "the debrief",
    HelpScreen: "help",
    MenuScreen: "a menu",
    PageScreen: "a page",
    QueueFormScreen: "settings of a queue",
    SubmitScreen: "a form that submits",
    WhyScreen: "why",
}  # What is on top of the cluster, in words


class ScreenWatch:
    """Looks at one app."""

    def __init__(self, app: SchedlabApp) -> None:
        self._app = app
        self._keys: deque[str] = deque(maxlen=MOST_KEYS)

    def pressed(self, key: str) -> None:
        self._keys.append(spelled(key))

    def seen(self) -> TraineeScreen:
        cluster = self._app.cluster
        if cluster is None or not cluster.is_mounted:
            return TraineeScreen(keys=tuple(self._keys))
        top = self._app.screen
        name = "the cluster" if top is cluster else _NAMES.get(type(top), "another page")
        active = cluster.active
        words = cluster.arrangement(cluster.pane_name).filter.text
        return TraineeScreen(name, cluster.pane_name, active.cursor.id or "", words, tuple(self._keys))

    def lines(self) -> tuple[str, ...]:
        cluster = self._app.cluster
        return () if cluster is None or not cluster.is_mounted else tuple(cluster.drawn_lines())


LOOK_S: Final = 0.5  # How often it is looked whether time is up [s]

NAMES: Final = "A name as it stands on the screen; several apart by commas:"
OTHER_ACTS: Final = "\n".join((
    "priority application=12 priority=9",
    "kill-container container=0012_01_000003",
    "health node=n1 healthy=true",
    "setting key=spark.deploy.spreadOutApps value=false",
))  # fmt: skip
"""What is typed there, by example."""

LETTERS: Final = "123456789"
YES_NO: Final = "yn"
PLAYS_AGAIN: Final = "Playing it again for the debrief …"
SHUT: Final = ("why", "fix", "alerts")  # Actions that a trainee alone does not have
ONE_WAY: Final = (UNDO, REDO, BRANCH)  # Actions that no drill has: it goes on in one line of time
IS_SHUT: Final = "Shut: in an exam nothing is asked and nothing is tried on a copy."
BEGUN: Final = "H opens the drill: hints, answers, the end. p stops the clock."
BEGUN_EXAM: Final = "The clock runs: 9 answers, I reads pages, Q hands in."


class BesideServer(Protocol):
    """Answers other programs while a drill is played."""

    @property
    def listeners(self) -> Sequence[Listener]:
        """Return the listeners that have to hear the run from its beginning."""

    @property
    def tools(self) -> str:
        """Return the tools that may be typed in another terminal."""

    async def serve(self, play: DrillPlay) -> None:
        """Answer until cancelled."""


class DrillApp(SchedlabApp):
    """One drill in one terminal."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(DRILL.keys), "desk", "drill", show=False, priority=True),
        *(Binding(",".join(one.keys), f"exam({one.id!r})", one.title, show=False, priority=True) for one in EXAM),
    ]

    def __init__(
        self,
        play: DrillPlay,
        connection: Connection | None = None,
        *,
        server: BesideServer | None = None,
        kept: Callable[[], object] = lambda: None,
        **options: Any,
    ) -> None:
        """`connection` is shared with others, None where no one looks on; `server` answers other programs meanwhile.

        `kept` keeps the record so far; it is called twice a second.
        """
        is_exam, is_alone = play.drill.is_exam, WHY_PRICE[play.drill.drill.level] is None
        absent = (*ONE_WAY, *(SHUT if is_alone else ()))
        registry = *(one for one in options.pop("registry", ACTIONS) if one.id not in absent), DRILL
        if is_exam:
            registry = (*registry, *EXAM)
            options["absent"] = UnavailableMessages(questions=IS_SHUT, copy=IS_SHUT)
        badge = f"{'EXAM' if is_exam else 'DRILL'} {play.place[0]}/{play.place[1]}"
        pages = (lambda: len(play.messages)) if is_exam else None
        drill = DrillClock(badge, play.drill.scenario.start_ms + play.drill.ends_ms, pages)
        super().__init__(connection or session_of(play), registry=registry, drill=drill, **options)
        self._play, self._server, self._kept = play, server, kept
        self._serving: asyncio.Task[None] | None = None
        ask_for = partial(self.call_later, self._ask_for)
        self._exam = ExamDesk(self, play, self._shared, ask_for, self._show_debrief) if is_exam else None
        self._replay = ReplayOnScreen(self, self._shared, self._show)
        self._watch, self._is_ending = ScreenWatch(self), False
        play.screen, play.screen_lines = self._watch.seen, self._watch.lines
        self.chosen = ""  # What the trainee wants after the debrief: `again`, `next` or nothing
        self._ask = self._routes[messages.WhyRequested]
        self._routes |= {
            "program.drill": self._open_part,
            messages.WhyRequested: self._ask_why,
            "clock.branch": self._refuse_branch,
        }

    async def on_mount(self) -> None:
        if self._server is not None:
            self._serving = asyncio.create_task(self._server.serve(self._play))
        _ = self.set_timer(0.01, self._brief)

    async def on_unmount(self) -> None:
        await cancel_all(self._serving)

    def _brief(self) -> None:
        if self.cluster is None:
            _ = self.set_timer(0.05, self._brief)
            return
        play = self._play
        screen = DrillBriefScreen(play.drill, self._shared.options.styles, place=play.place, best=play.best)
        _ = self.push_screen(screen, self._begin)

    async def _begin(self, begins: bool | None) -> None:
        if not begins:
            self.exit()
            return
        self._play.has_begun = True
        await self._play.session.clock.toggle_pause()
        self._shared.tell(BEGUN if self._exam is None else BEGUN_EXAM)
        _ = self.set_interval(LOOK_S, self._look_on)

    async def _look_on(self) -> None:
        play = self._play
        if play.debrief is not None:
            return
        _ = self._kept()
        if self._exam is not None:
            self._exam.look()
        if play.is_over and self._exam is None:
            self._show_debrief()
        elif self.cluster is not None and self.cluster.is_active:
            play.look(self.cluster.dialect.view(self.cluster.pane_name).title)
            if play.unread and self._exam is None and not self.cluster.prompt.is_open:
                message = play.unread.pop(0)
                await self._page(f"From {message.sender}", message.words)

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key) and not event.is_forwarded:
            self._watch.pressed(event.key)
        await super().on_event(event)

    async def _ask_why(self, event: messages.WhyRequested) -> None:
        refusal = self._play.ask_why(event.subject)
        if refusal:
            self._shared.tell(refusal, "warning")
        else:
            await self._ask(event)

    async def _refuse_branch(self) -> None:
        self._shared.tell("A drill goes on in one line of time; the past is there to be looked at.", "warning")

    # The desk

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key of the drill is one of the cluster screen, and a letter where something is typed."""
        if action not in ("desk", "exam"):
            return super().check_action(action, parameters)
        cluster = self.cluster
        is_there = cluster is not None and self.screen is cluster and not cluster.prompt.is_open
        return is_there and (action == "desk" or (self._exam is not None and self._play.debrief is None))

    async def _open_part(self, part: str = "desk") -> None:
        """Open the desk, or of an exam its `questions`, `pages` or `end`."""
        if part == "desk" or self._exam is None:
            await self.action_desk()
        else:
            self._exam.open(part)

    def action_exam(self, action: str) -> None:
        if self._exam is not None:
            self._exam.open(action.rpartition(".")[2])

    async def action_desk(self) -> None:
        if self._play.debrief is not None:
            await self._replay.end()
            self._show_debrief()
            return
        play = self._play
        title = f"{play.drill.title}: {text.duration(max(0, play.left_ms))} left"
        await self._open(MenuScreen(title, self._choices()), self._chosen_at_desk)

    def _choices(self) -> list[Choice]:
        play = self._play
        asked = [
            Choice(letter, _asked(question, play.answers.get(question.asks)), question.asks)
            for letter, question in zip(LETTERS, play.questions, strict=False)
        ]
        left = len(play.drill.drill.hints) - play.hints
        why_not = "shut in an exam" if self._exam is not None else "" if left else "there are no more"
        return [
            *asked,
            Choice(
                "h", "a hint" if why_not else f"a hint ({left} left, costs {play.hint_price} points)", "hint", why_not
            ),
            Choice("o", "another act: one that no key does", "act"),
            Choice("b", "the brief again", "brief"),
            *([Choice("t", "tools: curl, yarn, the log", "tools")] if self._server is not None else []),
            *([Choice("m", f"messages ({len(self._play.messages)})", "messages")] if self._play.messages else []),
            Choice("f", "end the drill: everything is done", "finish"),
        ]

    async def _open(self, screen: Screen[Any], answered: Callable[[Any], Awaitable[object]] | None = None) -> None:
        async def closed(value: Any) -> None:
            await self._shared.suspend(held=False)
            if answered is not None:
                _ = await answered(value)

        await self._shared.suspend(held=True)
        _ = self.push_screen(screen, closed)

    async def _chosen_at_desk(self, value: str | None) -> None:
        if value == "finish" and self._exam is not None:
            self._exam.open("end")
        elif value == "finish":
            self._show_debrief()
        elif value == "hint":
            await self._page("Hint", self._play.take_hint() or "There are no more hints.")
        elif value == "tools" and self._server is not None:
            await self._page("In another terminal", self._server.tools)
        elif value == "brief":
            title, *lines = brief_lines(self._play.drill, min(WIDTH, self.size.width - 6))
            await self._page(title, "\n".join(lines).strip())
        elif value == "messages":
            words = [f"{message.sender}, +{span(message.at_ms)}: {message.words}" for message in self._play.messages]
            await self._page("Messages", "\n\n".join(words))
        elif value == "act":
            screen = DrillAnswerScreen("Another act", OTHER_ACTS)
            await self._open(screen, self._act)
        elif value is not None:
            question = next(one for one in self._play.questions if one.asks == value)
            await self._ask_for(question)

    async def _page(self, title: str, words: str) -> None:
        await self._open(PageScreen(title, words))

    async def _ask_for(self, question: DrillQuestion) -> None:
        async def answered(words: str | None) -> None:
            if words:
                names = named(question, words)
                self._play.answer(question.asks, names)
                self._shared.tell(f"Answered: {', '.join(names)}.")

        if question.choices:
            letters = YES_NO if question.choices == (YES, NO) else LETTERS
            choices = [Choice(letter, one, one) for letter, one in zip(letters, question.choices, strict=False)]
            await self._open(MenuScreen(question.text, choices), answered)
        else:
            await self._open(DrillAnswerScreen(question.text, NAMES), answered)

    async def _act(self, words: str | None) -> None:
        if words:
            refusal = await self._play.act(words)
            self._shared.report(refusal, f"Done: {words}.")

    # The end

    def _show_debrief(self) -> None:
        play = self._play
        if play.debrief is not None:
            self._push_debrief()
        elif not self._is_ending:
            self._is_ending = True
            if not play.session.driver.state.paused:
                play.session.driver.set(paused=True)
            self._shared.tell(PLAYS_AGAIN)
            _ = self.call_after_refresh(self._push_debrief)

    def _push_debrief(self) -> None:
        play = self._play
        debrief = play.finish()
        screen = DrillDebriefScreen(debrief, self._shared.options.styles, best=play.best, what_ifs=play.what_ifs)
        _ = self.push_screen(screen, self._after_debrief)

    async def _after_debrief(self, answer: str | None) -> None:
        if answer == "replay":
            await self._replay.begin(self._play.drill)
            return
        if answer is None or not answer.isdigit():
            self.chosen = answer or ""
            self.exit()
            return
        at_ms = self._play.drill.drill.begins_ms + int(answer)
        refusal = (await self._play.session.clock.travel(f"+{at_ms}ms")).refusal
        self._shared.tell(refusal or "H goes back to the debrief.", "warning" if refusal else "information")


def _asked(question: DrillQuestion, given: tuple[str, ...] | None) -> str:
    return question.text + (f" ({', '.join(given)})" if given else "")
