"""Asks the session what screens ask, and gives the answers a screen; the clock stands while one is open."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Final

from textual.app import App

from engine.errors import ConfigError, EngineError, OutputError
from engine.observe.spark_snapshot import first_to_show
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import themes_menu
from tui.panes import export
from tui.panes.header import HARMED, health_of
from tui.protocol import messages
from tui.protocol.picture import (
    ACT,
    APPLICATION,
    CLUSTER,
    ExpectationResult,
    OpenQuestion,
    RunState,
    WhySubject,
)
from tui.protocol.session import ClockProtocol, FollowedQuestion, OpenComparison, QuestionsProtocol
from tui.screens.cluster import ClusterScreen
from tui.screens.compare import CompareScreen
from tui.screens.lessons import Coaching
from tui.screens.page import PageScreen
from tui.screens.plans import PlansScreen
from tui.screens.requests import AppContext, Routes
from tui.screens.why import WhyScreen
from tui.terminal import format as text
from tui.terminal.saving import TO_TERMINAL, save, sent_files
from tui.terminal.theme import THEMES, StyleTable

PAINT_S: Final = 0.03  # What is left to the screen to say what takes a while before it is begun [s]


class ClockRequests:
    """Pause, steps, speed, travel, branches, by the clock of the session; where there is none, a key says so."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Routes:
        return {
            "clock.toggle_pause": self._driven(lambda clock: clock.toggle_pause()),
            "clock.step": self._driven(lambda clock, unit: clock.step(unit)),
            "clock.travel": self._travel,
            "clock.play_to": lambda time: self._travel(f"play {time}"),
            "clock.change_speed": self._driven(lambda clock, direction: clock.change_speed(direction)),
            "clock.choose_speed": self._driven(lambda clock, speed: clock.set_speed(speed)),
            "clock.branch": self._branch,
            "clock.undo": self._undo,
            "clock.redo": self._redo,
            "clock.suspend": lambda held: self._context.suspend(held=held),
        }

    @property
    def _clock(self) -> ClockProtocol | None:
        clock = self._context.connection.clock
        if clock is None:
            self._context.tell(self._context.options.absent.clock, "warning")
        return clock

    def _driven(self, call: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def carry_out(*arguments: Any) -> None:  # Any: those of the call
            if (clock := self._clock) is not None:
                await call(clock, *arguments)

        return carry_out

    async def _travel(self, where: str) -> None:
        if (clock := self._clock) is not None and (refusal := (await clock.travel(where)).refusal):
            self._context.tell(refusal, "warning")

    async def _branch(self) -> None:
        cluster = self._context.cluster
        before_ms = cluster.state.picture.snapshot.header.time_ms
        if (clock := self._clock) is not None:
            refusal = (await clock.branch()).refusal
            self._context.report(refusal, "Branched: the run goes on from here.")
            if not refusal:
                cluster.undoing.forget(before_ms)

    async def _undo(self, time_ms: int) -> None:
        cluster, clock = self._context.cluster, self._clock
        track = cluster.state.picture.run.track
        if clock is None or track is None:
            return
        await asyncio.sleep(PAINT_S)
        refusal = (await clock.travel(text.since_start(time_ms - track.start_ms))).refusal
        refusal = refusal or (await clock.branch()).refusal
        if not refusal:
            cluster.undoing.undone()
        self._context.report(refusal, "Undone: the run is paused just before what was done; ctrl+r brings it back.")

    async def _redo(self) -> None:
        cluster, clock = self._context.cluster, self._clock
        if clock is None:
            return
        await asyncio.sleep(PAINT_S)
        refusal = (await clock.redo()).refusal
        if not refusal:
            cluster.undoing.redone()
        self._context.report(refusal, "Brought back: the run is paused where it was left.")


_VERDICTS: Final = {"met": "met", "failed": "MISSED", "open": "open"}


def _line(one: ExpectationResult, offset_ms: int) -> str:
    words = one.about if one.about and one.verdict == "met" else ": ".join(filter(None, (one.about, one.sentence)))
    when = "" if one.time_ms is None else text.clock(one.time_ms, offset_ms)
    return f"{_VERDICTS[one.verdict]:6}  {when:8}  {words}"


class PictureRequests:
    """Shows pictures, definitions, plans and notices; saves what screens save."""

    def __init__(self, context: AppContext, coaching: Coaching) -> None:
        self._context, self._coaching = context, coaching
        self._judged: tuple[ExpectationResult, ...] = ()  # The results that were shown

    def routes(self) -> Routes:
        return {
            "program.show_plans": self._show_plans,
            "program.show_definition": self._show_definition,
            messages.SaveRequested: self._save,
            messages.Noticed: self._notice,
        }

    async def show_picture(self) -> None:
        connection, cluster = self._context.connection, self._context.cluster
        if cluster.is_mounted:
            begun = time.perf_counter()
            picture = await connection.pictures.picture()
            if not self._context.app.is_running:
                return  # its widgets go while the picture is awaited
            cluster.show(picture)
            await connection.pictures.drawn(time.perf_counter() - begun)
            await self._coaching.seen(picture)
            self._show_ending(picture.run)

    def _show_ending(self, run: RunState) -> None:
        if run.judged == self._judged or not self._context.cluster.is_active:
            return
        self._judged = run.judged
        if not run.judged:
            return
        met = sum(one.verdict == "met" for one in run.judged)
        title = f"The scenario has ended: {met} of {text.plural(len(run.judged), 'expectation')} met"
        lines = [_line(one, run.offset_ms) for one in sorted(run.judged, key=lambda one: one.verdict == "met")]
        if met < len(run.judged):
            lines += ["", "What was done to the cluster on the way may be why one was missed."]
        _ = self._context.app.push_screen(PageScreen(title, "\n".join(lines), stem=f"{run.name}-expectations"))

    async def _show_plans(self, application: int | None) -> None:
        context = self._context
        plans = await context.connection.pictures.plans()
        if not plans:
            context.tell("No application was given cores lately, and none asks for any.")
            return
        await context.suspend(held=True)
        screen = PlansScreen(plans, first_to_show(plans, application), context.options.styles, context.cluster.look)
        _ = context.app.push_screen(screen, context.resume)

    async def _show_definition(self, kind: str, name: str) -> None:
        context = self._context
        definition = await context.connection.pictures.definition(kind, name)
        if definition is None:
            context.tell(f"Nothing defines the {kind} {name}.")
        else:
            context.cluster.show_definition(definition)

    async def _notice(self, event: messages.Noticed) -> None:
        self._context.tell(event.words, event.severity)

    async def _save(self, event: messages.SaveRequested) -> None:
        folder = self._context.options.save_folder
        try:
            if folder == TO_TERMINAL:
                self._context.send(sent_files(event.stem, event.contents))
                self._context.tell(f"Sent {event.stem}: {', '.join(event.contents)}.")
                return
            paths = save(folder, event.stem, event.contents)
        except OSError as error:
            self._context.tell(f"Not saved: {folder}: {error.strerror or error}.", "error")
            return
        except (ConfigError, OutputError) as error:
            self._context.tell(f"Not saved: {error}.", "error")
            return
        others = "".join(f", {path.suffix}" for path in paths[1:])
        absolute = f"Saved {paths[0].resolve()}{others}"
        self._context.tell(absolute if len(absolute) < self._context.app.size.width else f"Saved {paths[0]}{others}")


class RemedyRequests:
    """Has what would start all that wait tried in the background, as long as no other screen is on top.

    The question stays open while the instant does, so that a page that asks the same goes on where it has come to.
    """

    REST_S: ClassVar[float] = 0.3
    """How long the instant stays before anything is tried, and between two looks at whether another screen is still on
    top [s]."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._task: asyncio.Task[None] | None = None
        self._opened: OpenQuestion | None = None

    def routes(self) -> Routes:
        return {"remedies.want": self._want}

    async def shared(self, questions: QuestionsProtocol) -> FollowedQuestion:
        if self._opened is not None:
            return FollowedQuestion(questions, self._opened, stays_open=True)
        return FollowedQuestion(questions, await questions.ask(WhySubject(CLUSTER, "")))

    def close(self) -> None:
        if self._task is not None:
            _ = self._task.cancel()
            self._task = None

    async def _want(self, is_wanted: bool) -> None:
        self.close()
        connection, cluster = self._context.connection, self._context.cluster
        if is_wanted and connection.questions is not None and connection.clock is not None:
            work = self._work(connection.questions, cluster)
            self._task = asyncio.get_running_loop().create_task(work)

    async def _work(self, questions: QuestionsProtocol, cluster: ClusterScreen) -> None:
        opened = None
        try:
            await asyncio.sleep(self.REST_S)
            opened = self._opened = await questions.ask(WhySubject(CLUSTER, ""))
            await self._follow(opened, questions, cluster)
            await asyncio.Event().wait()  # until something else is wanted
        finally:
            if opened is not None:
                self._opened = None if self._opened is None or self._opened.number == opened.number else self._opened
                await questions.close(opened.number)

    async def _follow(self, opened: OpenQuestion, questions: QuestionsProtocol, cluster: ClusterScreen) -> None:
        answer, told, app = opened.answer, opened.answer.plan, self._context.app
        while answer.doing and not answer.failure and app.is_running:
            if not cluster.is_active:
                await asyncio.sleep(self.REST_S)
                continue
            answer = await questions.more(opened.number)
            self._opened = OpenQuestion(opened.number, answer)
            if answer.plan is not None and answer.plan is not told and cluster.is_attached:
                told = answer.plan
                cluster.trying.take(told)


NOTHING = "Nothing is compared here: this is no simulation of this program's own."
IN_DRILL = "In a drill nothing is compared."
WITH_WHAT = "With what? E.g. :compare capacity-3.4 fair-3.4"
AT_WORK = "A comparison is being played already."
PLAYS = "Playing it under {}; you can go on meanwhile."

Compare = Callable[[str], Awaitable[OpenComparison]]


class ComparingRequests:
    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._is_playing = False

    def routes(self) -> Routes:
        return {"program.compare": self._compare}

    async def _compare(self, words: str) -> None:
        context = self._context
        if not words:
            context.tell(WITH_WHAT, "warning")
            return
        compare: Compare | None = getattr(context.connection, "compare", None)  # not every one has it
        refusal = IN_DRILL if context.options.drill is not None else NOTHING if compare is None else ""
        if refusal or compare is None or self._is_playing:
            context.tell(refusal or AT_WORK, "warning")
            return
        context.tell(PLAYS.format(words))
        self._is_playing = True
        _ = context.app.run_worker(self._play(compare, words))

    async def _play(self, compare: Compare, words: str) -> None:
        context = self._context
        try:
            found = await compare(words)
        except EngineError as error:
            context.tell(f"Not compared: {' '.join(str(error).split())}", "error")
            return
        finally:
            self._is_playing = False
        _ = context.app.push_screen(
            CompareScreen(found.comparison, found.partings, context.options.styles, found.opened)
        )


class QuestionRequests:
    """Hands questions to the session; where none can be asked, a key says so."""

    def __init__(self, context: AppContext, remedies: RemedyRequests) -> None:
        self._context, self._remedies = context, remedies

    def routes(self) -> Routes:
        return {messages.WhyRequested: self._ask, messages.ActsTried: self._try}

    async def _ask(self, event: messages.WhyRequested) -> None:
        context, subject = self._context, event.subject
        connection, cluster = context.connection, context.cluster
        if connection.questions is None:
            context.tell(context.options.absent.questions, "warning")
            return
        await context.suspend(held=True)
        picture, name = cluster.state.picture, text.short_node(subject.key) if subject.kind == "node" else subject.key
        health, questions = health_of(picture, cluster.state.muted), connection.questions
        plans = connection.clock is not None and health.level >= HARMED and context.options.tries_remedies
        if subject.kind == CLUSTER:
            asking = await self._remedies.shared(questions)
        else:
            asking = FollowedQuestion(questions, await questions.ask(subject))
        screen = WhyScreen(
            asking,
            context.options.styles,
            cluster.look,
            export.stem(picture, f"why-{name}"),
            health=health,
            planning=await self._remedies.shared(questions) if plans and subject.kind == APPLICATION else None,
            snapshot=picture.snapshot,
            trail=event.trail,
            clock="PAST" if picture.run.present_ms is not None else "paused" if connection.clock else "LIVE",
            may_act=not context.options.read_only and connection.acts is not None,
        )
        _ = context.app.push_screen(screen, context.resume)

    async def _try(self, event: messages.ActsTried) -> None:
        connection, dialog = self._context.connection, self._context.app.screen
        if not isinstance(dialog, ConfirmScreen):
            return
        has_copy = connection.clock is not None or getattr(connection, "twin", None) is not None
        if connection.questions is None or not has_copy:
            dialog.follow(None, self._context.options.absent.copy)
            return
        subject = WhySubject(ACT, "", event.acts)
        dialog.follow(FollowedQuestion(connection.questions, await connection.questions.ask(subject)))


_WITHOUT_COLOUR = "textual-dark"  # The theme below the palette without colour: weight and reverse video remain


class ColourRequests:
    """Changes the palette, and lets the user choose one: our styles are a table changed in place, textual follows."""

    def __init__(self, app: App[None], palette: str, table: StyleTable, redraw: Callable[[], None]) -> None:
        """Looks of an app; `redraw` shows its picture anew, as some signs differ where there is no colour."""
        self._app, self._styles, self._redraw = app, table, redraw
        self.palette = palette  # The palette in use
        app.set_class(palette == "16", "-sixteen")

    def routes(self) -> Routes:
        return {"program.choose_theme": self._choose, "program.themes": self._ask}

    def register(self) -> None:
        for theme in THEMES:
            self._app.register_theme(theme)
        if self.palette != "none":
            self._app.theme = self.palette

    def take(self, palette: str) -> None:
        if palette == self.palette:
            return
        app, self.palette = self._app, palette
        self._styles.take(palette)
        app.no_color = palette == "none"
        app.set_class(palette == "16", "-sixteen")
        app.ansi_color = True if app.no_color else None
        app.theme = _WITHOUT_COLOUR if app.no_color else palette
        self._redraw()
        for screen in app.screen_stack:
            for widget in screen.walk_children(with_self=True):
                widget.refresh()

    async def _choose(self, theme: str) -> None:
        self.take(theme)
        words = f'Theme {theme} until you leave; theme = "{theme}" in the settings keeps it.'
        self._app.post_message(messages.Noticed(words))

    async def _ask(self) -> None:
        before = self.palette

        def decided(theme: str | None) -> None:
            if theme is None:
                self.take(before)
            else:
                self._app.post_message(messages.AppCalled("program.choose_theme", theme))

        await self._app.push_screen(themes_menu(before, self.take), decided)
