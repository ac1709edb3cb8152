"""Shows what screens ask to see: pictures, definitions, plans of Spark's Master, notices; and saves what they save."""

import time
from typing import Final

from engine.errors import ConfigError, OutputError
from engine.observe.spark_plans import first_to_show
from tui import format as text
from tui import messages
from tui.picture import Judged, Picture
from tui.requests.clock import ClockRequests
from tui.requests.coaching import Coaching
from tui.requests.context import Context, Routes
from tui.saving import TO_TERMINAL, save, sent_files
from tui.screens.page import PageScreen
from tui.screens.plans import PlansScreen

_VERDICTS: Final = {"met": "met", "failed": "MISSED", "open": "open"}


class Ending:
    """Waits until the expectations are judged and nothing else is on top of the main screen."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._shown: tuple[Judged, ...] = ()

    def seen(self, picture: Picture) -> None:
        """Show what was expected, what was met and what was missed; the missed first."""
        run, cluster = picture.run, self._context.cluster
        if run.judged == self._shown or cluster is None or cluster.is_covered:
            return
        self._shown = run.judged
        if not run.judged:
            return
        met = sum(one.verdict == "met" for one in run.judged)
        title = f"The scenario has ended: {met} of {len(run.judged)} expectations met"
        lines = [_line(one, run.offset_ms) for one in sorted(run.judged, key=lambda one: one.verdict == "met")]
        if met < len(run.judged):
            lines += ["", "What was done to the cluster on the way may be why one was missed."]
        page = PageScreen(
            title,
            "\n".join(lines),
            stem=f"{run.name}-expectations",
            ascii_only=self._context.options.ascii_only,
        )
        _ = self._context.app.push_screen(page)


def _line(one: Judged, offset_ms: int) -> str:
    """One expectation: met or missed, when, and in words; of a missed one also what came instead."""
    words = one.about if one.about and one.verdict == "met" else ": ".join(filter(None, (one.about, one.sentence)))
    when = "" if one.time_ms is None else text.clock(one.time_ms, offset_ms)
    return f"{_VERDICTS[one.verdict]:6}  {when:8}  {words}"


class PictureRequests:
    """Asks the pictures of the session."""

    def __init__(self, context: Context, clock: ClockRequests, coaching: Coaching) -> None:
        self._context, self._clock, self._coaching = context, clock, coaching
        self._ending = Ending(context)

    def routes(self) -> Routes:
        """Handler of each message."""
        return {
            messages.PlansRequested: self._show_plans,
            messages.DefinitionRequested: self._show_definition,
            messages.SaveRequested: self._save,
            messages.Noticed: self._notice,
        }

    async def show_picture(self) -> None:
        """Draw what is to be seen now."""
        connection, cluster = self._context.connection, self._context.cluster
        if connection is not None and cluster is not None and cluster.is_mounted:
            begun = time.perf_counter()
            picture = await connection.pictures.picture()
            cluster.show(picture)
            await connection.pictures.drawn(time.perf_counter() - begun)
            await self._coaching.seen(picture)
            self._ending.seen(picture)

    async def _show_plans(self, event: messages.PlansRequested) -> None:
        context = self._context
        if context.connection is None or context.cluster is None:
            return
        plans = await context.connection.pictures.plans()
        if not plans:
            context.tell("No application was given cores lately, and none asks for any.")
            return
        await self._clock.hold(held=True)
        screen = PlansScreen(
            plans,
            first_to_show(plans, event.application),
            context.styles,
            context.cluster.look,
            registry=context.options.registry,
            ascii_only=context.options.ascii_only,
        )
        _ = context.app.push_screen(screen, self._left)

    async def _left(self, _: None) -> None:
        await self._clock.hold(held=False)

    async def _show_definition(self, event: messages.DefinitionRequested) -> None:
        context = self._context
        if context.connection is None or context.cluster is None:
            return
        definition = await context.connection.pictures.definition(event.kind, event.name)
        if definition is None:
            context.tell(f"Nothing defines the {event.kind} {event.name}.")
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
