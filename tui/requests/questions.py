"""Asks the session what screens ask, and gives the answers a screen; the clock stands while one is open."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

import msgspec

from engine.errors import EngineError
from tui import export, messages
from tui import format as text
from tui.answers import ACT, OpenQuestion, WhyAnswer, WhySubject
from tui.picture import APPLICATION
from tui.render.health import health_of
from tui.render.verdict_text import NEVER
from tui.requests.clock import ClockRequests
from tui.requests.context import Context, Routes
from tui.screens.cluster import ClusterScreen
from tui.screens.compare import CompareScreen
from tui.screens.confirm import ConfirmScreen
from tui.screens.why import WhyScreen
from tui.session_protocol import ComparingProtocol, QuestionsProtocol


class RemedyRequests:
    """Works on one application at a time; rests while another screen is on top."""

    REST_S: ClassVar[float] = 1.0
    """How long the cursor stays on an application before its remedies are tried, and between two looks at whether
    another screen is still on top [s]."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._task: asyncio.Task[None] | None = None

    def routes(self) -> Routes:
        """Handler of each message."""
        return {messages.RemediesWanted: self._want}

    async def _want(self, event: messages.RemediesWanted) -> None:
        if self._task is not None:
            _ = self._task.cancel()
            self._task = None
        connection, cluster = self._context.connection, self._context.cluster
        if event.application is None or cluster is None or connection is None:
            return
        if connection.questions is not None and connection.clock is not None:
            work = self._work(event.application, connection.questions, cluster)
            self._task = asyncio.get_running_loop().create_task(work)

    async def _work(self, number: int, questions: QuestionsProtocol, cluster: ClusterScreen) -> None:
        await asyncio.sleep(self.REST_S)
        opened = await questions.ask(WhySubject(APPLICATION, str(number)))
        try:
            await self._follow(number, opened, questions, cluster)
        finally:
            await questions.close(opened.number)

    async def _follow(
        self, number: int, opened: OpenQuestion, questions: QuestionsProtocol, cluster: ClusterScreen
    ) -> None:
        answer, is_tried = opened.answer, False
        while not _is_complete(answer):
            if cluster.is_covered:
                await asyncio.sleep(self.REST_S)
            elif answer.doing:
                answer = await questions.more(opened.number)
            elif is_tried or answer.failure or answer.why is None or answer.why.verdict not in NEVER:
                return
            else:
                is_tried = True
                if (await questions.try_remedies(opened.number)).refusal:
                    return
                answer = await questions.more(opened.number)
            if answer.why is not None and (found := answer.why.would_help) is not None:
                cluster.strip.take_remedies(number, found)
                cluster.redraw()


def _is_complete(answer: WhyAnswer) -> bool:
    """True if every remedy was tried; what comes after that is not shown."""
    found = answer.why.would_help if answer.why is not None else None
    return found is not None and found.tried == found.of > 0


NOTHING = "Nothing is compared here: this is no simulation of this program's own."
IN_DRILL = "In a drill nothing is compared."
AT_WORK = "A comparison is being played already."
PLAYS = "Playing it under {}; you can go on meanwhile."


class ComparingRequests:
    """One comparison at a time."""

    def __init__(self, context: Context) -> None:
        """None is played."""
        self._context = context
        self._is_playing = False

    def routes(self) -> Routes:
        """Handler of each message."""
        return {messages.CompareRequested: self._compare}

    async def _compare(self, event: messages.CompareRequested) -> None:
        context = self._context
        comparing: ComparingProtocol | None = getattr(context.connection, "comparing", None)  # not every one has it
        refusal = IN_DRILL if context.options.drill is not None else NOTHING if comparing is None else ""
        if refusal or comparing is None or self._is_playing:
            context.tell(refusal or AT_WORK, "warning")
            return
        context.tell(PLAYS.format(event.words))
        self._is_playing = True
        _ = context.app.run_worker(self._play(comparing, event.words))

    async def _play(self, comparing: ComparingProtocol, words: str) -> None:
        """Play, and show what came of it."""
        context = self._context
        try:
            found = await comparing.compare(words)
        except EngineError as error:
            context.tell(f"Not compared: {' '.join(str(error).split())}", "error")
            return
        finally:
            self._is_playing = False
        ascii_only = context.options.ascii_only
        screen = CompareScreen(found.comparison, found.partings, context.styles, found.opened, ascii_only=ascii_only)
        _ = context.app.push_screen(screen)


class FollowedQuestion:
    """A question of a session, followed while somebody looks; implements `answers.Asking`."""

    def __init__(self, questions: QuestionsProtocol, opened: OpenQuestion) -> None:
        self._questions, self._number = questions, opened.number
        self.answer: WhyAnswer = opened.answer
        """The answer as far as it is known."""
        self._changed: Callable[[], object] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, changed: Callable[[], object]) -> None:
        """Work on, and call `changed` whenever there is something new."""
        self._changed = changed
        if self._task is None and self.answer.doing:
            self._task = asyncio.get_running_loop().create_task(self._follow(changed))

    async def _follow(self, changed: Callable[[], object]) -> None:
        while self.answer.doing:
            self.answer = await self._questions.more(self._number)
            changed()
        self._task = None

    def stop(self) -> None:
        """Leave off."""
        self._changed = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def close(self) -> None:
        """Leave off for good."""
        self.stop()
        self._task = asyncio.get_running_loop().create_task(self._questions.close(self._number))

    async def try_remedies(self) -> str:
        """Have remedies tried, and follow that too."""
        return self._go_on((await self._questions.try_remedies(self._number)).refusal, "trying remedies")

    async def try_remedy(self, number: int) -> str:
        """Have one played on with, and follow that too."""
        result = await self._questions.try_remedy(self._number, number)
        return self._go_on(result.refusal, f"simulating remedy {number}")

    def _go_on(self, refusal: str, doing: str) -> str:
        if not refusal and not self.answer.doing and not self.answer.failure:
            self.answer = msgspec.structs.replace(self.answer, doing=doing)
            if self._changed is not None:
                self.start(self._changed)
        return refusal


class QuestionRequests:
    """Hands questions to the session; where none can be asked, a key says so."""

    def __init__(self, context: Context, clock: ClockRequests) -> None:
        self._context, self._clock = context, clock

    def routes(self) -> Routes:
        """Handler of each message."""
        return {messages.WhyRequested: self._ask, messages.ActsTried: self._try}

    async def _ask(self, event: messages.WhyRequested) -> None:
        context, subject = self._context, event.subject
        connection, cluster = context.connection, context.cluster
        if connection is None or cluster is None or cluster.state.picture is None:
            return
        if connection.questions is None:
            context.tell(context.options.absent.questions, "warning")
            return
        await self._clock.hold(held=True)
        picture, name = cluster.state.picture, text.short_node(subject.key) if subject.kind == "node" else subject.key
        screen = WhyScreen(
            FollowedQuestion(connection.questions, await connection.questions.ask(subject)),
            context.styles,
            cluster.look,
            export.stem(picture, f"why-{name}"),
            health=health_of(picture, cluster.state.muted),
            snapshot=picture.snapshot,
            trail=event.trail,
            clock="PAST" if picture.run.present_ms is not None else "paused" if connection.clock else "LIVE",
            may_act=not context.options.read_only and connection.acts is not None,
            registry=context.options.registry,
            ascii_only=context.options.ascii_only,
        )
        _ = context.app.push_screen(screen, self._left)

    async def _try(self, event: messages.ActsTried) -> None:
        """Have the dialog on top follow what comes of an act on a copy."""
        connection, dialog = self._context.connection, self._context.app.screen
        if not isinstance(dialog, ConfirmScreen) or connection is None:
            return
        has_copy = connection.clock is not None or getattr(connection, "twin", None) is not None
        if connection.questions is None or not has_copy:
            dialog.follow(None, self._context.options.absent.copy)
            return
        subject = WhySubject(ACT, "", event.acts)
        dialog.follow(FollowedQuestion(connection.questions, await connection.questions.ask(subject)))

    async def _left(self, _: None) -> None:
        await self._clock.hold(held=False)
