"""Carries out what the user does to the cluster, one act after the other, and tells what came of it."""

from collections.abc import Mapping, Sequence

from engine.errors import ConfigError
from engine.scenario.acts import Reload
from tui import format as text
from tui import messages
from tui.confirmation import NEVER
from tui.picture import ActResult
from tui.render.act_sheet import ActQuestion
from tui.render.mark import ActLine
from tui.requests.context import Context, Routes
from tui.saving import text_of
from tui.screens.asking import ActsConfirmed
from tui.screens.confirm import ConfirmScreen
from tui.screens.page import PageScreen
from tui.screens.queue_form import QueueFormScreen
from tui.screens.submit import SubmitScreen
from tui.screens.why import WhyScreen
from tui.session_protocol import ActsProtocol


class ActRequests:
    """Hands acts to the session; where there are none, a key says so."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Routes:
        """Return the requests that are carried out here."""
        return {
            messages.KillRequested: self._ask_kill,
            messages.RemedyRequested: self._ask_remedy,
            messages.QueueSettingTried: self._try_queue_setting,
            ActsConfirmed: self._do,
            messages.ReloadConfirmed: self._reload,
            messages.SubmitFilled: self._submit,
        }

    @property
    def _acts(self) -> ActsProtocol | None:
        """The acts; says so when the session has none."""
        connection = self._context.connection
        if connection is not None and connection.acts is None:
            self._context.tell(self._context.options.absent.acts, "warning")
        return None if connection is None else connection.acts

    # Telling

    def _report(self, result: ActResult, done: str) -> None:
        self._context.tell(result.refusal or done, "error" if result.problems else "information")

    async def _do(self, event: ActsConfirmed) -> None:
        """Do acts; say what was done and, of what was refused, why."""
        for screen in reversed([each for each in self._context.app.screen_stack if isinstance(each, WhyScreen)]):
            _ = screen.dismiss(None)  # its answer is older than the act
        if (acts := self._acts) is None:
            return
        results = {name: await acts.do(act) for name, act in event.acts.items()}
        if len(results) > 1:
            refusals = {name: result.refusal for name, result in results.items() if result.problems}
            self._report_all(refusals, event)
            if len(refusals) < len(results):
                count = f"{len(results) - len(refusals)}"
                await self._offer_undo(type(next(iter(event.acts.values()))).__name__, event.done.replace("{}", count))
            return
        ((name, result),) = results.items()
        done = event.done.replace("{}", name)
        if not self._close_form(QueueFormScreen, result.problems):
            self._report(result, done)
        if not result.problems:
            await self._offer_undo(type(next(iter(event.acts.values()))).__name__, done)

    async def _offer_undo(self, name: str, words: str) -> None:
        """Show the line of an act, by the name of its record, where a key can take it back: not in a drill."""
        connection, cluster = self._context.connection, self._context.cluster
        if connection is None or connection.clock is None or cluster is None or self._context.options.drill is not None:
            return
        track = (await connection.pictures.picture()).run.track
        if track is not None and track.acts:
            cluster.undoing.offer(ActLine.of(name, max(track.acts), words))

    def _report_all(self, refusals: Mapping[str, str], event: ActsConfirmed) -> None:
        """Say how many were done, and the reasons of those that were refused: on a page where they fill the line."""
        count = len(event.acts)
        words = event.done.replace("{}", f"{count - len(refusals)} of {count}" if refusals else f"{count}")
        if not refusals:
            self._context.tell(words)
            return
        alike: dict[str, list[str]] = {}
        for one, refusal in refusals.items():
            alike.setdefault(refusal.rstrip("."), []).append(_short(one))
        reasons = [f"{', '.join(some)}: {refusal}" for refusal, some in alike.items()]
        line = f"{words} Refused: {'; '.join(reasons)}."
        fits = len(line) + 3 < self._context.app.size.width
        self._context.tell(line if fits else words, "error")
        if not fits:
            page = "\n".join([words, "", "Refused:", *reasons])
            ascii_only = self._context.options.ascii_only
            _ = self._context.app.push_screen(PageScreen("What was refused", page, ascii_only=ascii_only))

    # Asking

    async def _ask_kill(self, event: messages.KillRequested) -> None:
        cluster = self._context.cluster
        if self._context.options.read_only:
            self._context.tell("Read-only: nothing here changes the cluster.", "warning")
        elif cluster is not None and cluster.may("application_acts.kill_named"):
            cluster.application_acts.kill_named(event.number)

    async def _ask_remedy(self, event: messages.RemedyRequested) -> None:
        """Ask first; the clock stands already, as an answer is open."""
        context = self._context
        if context.options.read_only:
            context.tell("Read-only: nothing here changes the cluster.", "warning")
            return
        words = text.plain(event.sentence)

        async def answered(sure: bool | None) -> None:
            if sure:
                await self._do(ActsConfirmed({"": event.act}, f"Done: {words}."))

        question = ActQuestion("Apply a remedy", tuple(event.lines), "Apply it", acts={"": event.act})
        screen = ConfirmScreen(question, context.styles, ascii_only=context.options.ascii_only)
        _ = context.app.push_screen(screen, answered)

    async def _reload(self, event: messages.ReloadConfirmed) -> None:
        if self._acts is None:
            return
        try:
            allocations = text_of(event.path)
        except ConfigError as error:
            self._context.tell(str(error.problems[0]), "error")
            return
        await self._do(ActsConfirmed({"": Reload(allocations)}, f"Loaded {text.plain(event.path)}."))

    # Forms

    async def _try_queue_setting(self, event: messages.QueueSettingTried) -> None:
        acts, cluster = self._acts, self._context.cluster
        if acts is None or cluster is None:
            return
        if self._context.options.confirm == NEVER:
            cluster.cluster_acts.ask_queue_setting(event, ())
            return
        preview = await acts.try_(event.act)
        if self._close_form(QueueFormScreen, [preview.refusal] if preview.refusal else []):
            return
        if preview.refusal:
            self._context.tell(preview.refusal, "error")
        else:
            cluster.cluster_acts.ask_queue_setting(event, preview.shares)

    async def _submit(self, event: messages.SubmitFilled) -> None:
        if (acts := self._acts) is None:
            return
        result, done = await acts.submit(event.fields), f"Submitted {text.plain(event.fields.get('name', ''))}."
        if not self._close_form(SubmitScreen, result.problems):
            self._report(result, done)
        if not result.problems:
            await self._offer_undo("SubmitApplication", done)

    def _close_form(self, kind: type[QueueFormScreen | SubmitScreen], problems: Sequence[str]) -> bool:
        """Close the form on top, unless it has problems to show; whether it shows them."""
        form = self._context.app.screen
        if not isinstance(form, kind):
            return False
        if problems:
            form.show_problems(list(problems))
            return True
        _ = form.dismiss(None)
        return False


def _short(row_id: str) -> str:
    """An application or a node as people call it."""
    return text.short_id(row_id) if row_id.startswith("app") else text.short_node(row_id)
