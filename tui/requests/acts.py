"""Carries out what the user does to the cluster, one act after the other, and tells what came of it."""

from collections.abc import Awaitable, Callable, Sequence

from engine.errors import ConfigError
from tui import format as text
from tui import messages
from tui.render.act_sheet import ActQuestion
from tui.requests.context import Context, Routes
from tui.saving import text_of
from tui.screens.confirm import ConfirmScreen
from tui.screens.page import PageScreen
from tui.screens.queue_form import QueueFormScreen
from tui.screens.submit import SubmitScreen
from tui.screens.why import WhyScreen
from tui.session_protocol import ActsProtocol
from tui.view_state import ActResult


class ActRequests:
    """Hands acts to the session; where there are none, a key says so."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Routes:
        """What is carried out here."""
        return {
            messages.KillRequested: self._ask_kill,
            messages.RemedyRequested: self._ask_remedy,
            messages.KillConfirmed: self._kill,
            messages.MoveConfirmed: self._move,
            messages.NodeServiceChosen: self._set_node_service,
            messages.PreemptionChosen: self._set_preemption,
            messages.ReservationRuleChosen: self._set_rule,
            messages.SpreadOutChosen: self._set_spread_out,
            messages.QueueSettingTried: self._try_queue_setting,
            messages.QueueSettingConfirmed: self._set_queue,
            messages.SubmitFilled: self._submit,
            messages.StepConfirmed: self._follow,
            messages.ReloadConfirmed: self._reload,
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

    async def _act_on(self, ids: Sequence[str], act: Callable[[str], Awaitable[ActResult]], done: str) -> None:
        """Do the same to each; say what was done and, of what was refused, why."""
        refusals = {one: refusal for one in ids if (refusal := (await act(one)).refusal)}
        if len(ids) == 1:
            self._context.tell(refusals.get(ids[0]) or done.format(ids[0]), "error" if refusals else "information")
            return
        words = done.format(f"{len(ids) - len(refusals)} of {len(ids)}" if refusals else f"{len(ids)}")
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

    # ActsProtocol

    async def _ask_kill(self, event: messages.KillRequested) -> None:
        cluster = self._context.cluster
        if self._context.options.read_only:
            self._context.tell("Read-only: nothing here changes the cluster.", "warning")
        elif cluster is not None:
            cluster.perform(f"application_acts.kill_named({event.number!r})")

    async def _ask_remedy(self, event: messages.RemedyRequested) -> None:
        """Ask first; the clock stands already, as an answer is open."""
        context = self._context
        if context.options.read_only:
            context.tell("Read-only: nothing here changes the cluster.", "warning")
            return
        words = text.plain(event.sentence)

        async def answered(sure: bool | None) -> None:
            if sure and (acts := self._acts) is not None:
                self._close_answers()
                self._report(await acts.follow(event.step), f"Done: {words}.")

        question = ActQuestion("Apply a remedy", tuple(event.lines), "Apply it", steps=(dict(event.step),))
        screen = ConfirmScreen(question, context.styles, ascii_only=context.options.ascii_only)
        _ = context.app.push_screen(screen, answered)

    def _close_answers(self) -> None:
        """Close the answers that an act makes old."""
        for screen in reversed([each for each in self._context.app.screen_stack if isinstance(each, WhyScreen)]):
            _ = screen.dismiss(None)

    async def _kill(self, event: messages.KillConfirmed) -> None:
        """Close the answers that the act makes old, then kill."""
        self._close_answers()
        if (acts := self._acts) is not None:
            await self._act_on(event.applications, acts.kill, "Killed {}.")

    async def _move(self, event: messages.MoveConfirmed) -> None:
        if (acts := self._acts) is not None:
            queue, move = event.queue, acts.move
            await self._act_on(event.applications, lambda one: move(one, queue), f"Moved {{}} to {text.plain(queue)}.")

    async def _set_node_service(self, event: messages.NodeServiceChosen) -> None:
        if (acts := self._acts) is not None:
            back, set_service = event.in_service, acts.set_node_service
            done = "Returned {}." if back else "Draining {}."
            await self._act_on(event.nodes, lambda one: set_service(one, in_service=back), done)

    async def _set_preemption(self, event: messages.PreemptionChosen) -> None:
        if (acts := self._acts) is not None:
            self._report(await acts.set_preemption(on=event.on), f"Preemption is {'on' if event.on else 'off'}.")

    async def _set_rule(self, event: messages.ReservationRuleChosen) -> None:
        if (acts := self._acts) is not None:
            self._report(await acts.set_reservation_rule(event.rule), f"Reservation rule is {event.rule}.")

    async def _set_spread_out(self, event: messages.SpreadOutChosen) -> None:
        if (acts := self._acts) is not None:
            mode = "spread executors out" if event.on else "pack executors on few workers"
            self._report(await acts.set_spread_out(on=event.on), f"From the next pass on the Master will {mode}.")

    async def _follow(self, event: messages.StepConfirmed) -> None:
        if (acts := self._acts) is not None:
            self._report(await acts.follow(event.step), event.done)

    async def _reload(self, event: messages.ReloadConfirmed) -> None:
        if (acts := self._acts) is None:
            return
        try:
            allocations = text_of(event.path)
        except ConfigError as error:
            self._context.tell(str(error.problems[0]), "error")
            return
        step = {"at_ms": 0, "do": "reload", "allocations": allocations}
        self._report(await acts.follow(step), f"Loaded {text.plain(event.path)}.")

    # Forms

    async def _try_queue_setting(self, event: messages.QueueSettingTried) -> None:
        acts, cluster = self._acts, self._context.cluster
        if acts is None or cluster is None:
            return
        preview = await acts.try_queue_setting(event.queue, event.key, event.value)
        if self._close_form(QueueFormScreen, [preview.refusal] if preview.refusal else []):
            return
        if preview.refusal:
            self._context.tell(preview.refusal, "error")
        else:
            cluster.ask_queue_setting(event, preview.shares)

    async def _set_queue(self, event: messages.QueueSettingConfirmed) -> None:
        if (acts := self._acts) is None:
            return
        result = await acts.set_queue(event.queue, event.key, event.value)
        if not self._close_form(QueueFormScreen, result.problems):
            self._report(result, f"{event.key} of {event.queue} is {event.value}.")

    async def _submit(self, event: messages.SubmitFilled) -> None:
        if (acts := self._acts) is None:
            return
        result = await acts.submit(event.fields)
        if not self._close_form(SubmitScreen, result.problems):
            self._report(result, f"Submitted {text.plain(event.fields.get('name', ''))}.")

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
