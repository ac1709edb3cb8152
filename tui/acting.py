"""What the user does to the cluster reaches the session here, one act after the other, and what came of it is told."""

from collections.abc import Callable, Sequence

from textual import on

from tui import format as text
from tui import messages
from tui.colouring import ColouredApp
from tui.screens.cluster import ClusterScreen
from tui.screens.page import PageScreen
from tui.screens.queue_form import QueueFormScreen
from tui.screens.submit import SubmitScreen
from tui.session_protocol import Door


class ActingApp(ColouredApp):
    """An app that hands acts of its main screen to its door."""

    _door: Door | None
    _cluster: ClusterScreen | None
    _ascii: bool

    def _tell(self, words: str, severity: str = "information") -> None:
        if self._cluster is not None:
            self._cluster.tell(words, severity)
        if isinstance(self.screen, PageScreen):
            self.screen.say(words)

    def _act(self, refusal: str, done: str = "") -> None:
        """Say what came of an act."""
        if refusal:
            self._tell(refusal, "error")
        elif done:
            self._tell(done)

    def _act_on(self, ids: Sequence[str], act: Callable[[str], str], done: str) -> None:
        """Do the same to each; say what was done and, of what was refused, why."""
        refusals = {one: refusal for one in ids if (refusal := act(one))}
        if len(ids) == 1:
            self._act(refusals.get(ids[0], ""), done.format(ids[0]))
            return
        words = done.format(f"{len(ids) - len(refusals)} of {len(ids)}" if refusals else f"{len(ids)}")
        if not refusals:
            self._tell(words)
            return
        alike: dict[str, list[str]] = {}
        for one, refusal in refusals.items():
            alike.setdefault(refusal.rstrip("."), []).append(_short(one))
        reasons = [f"{', '.join(some)}: {refusal}" for refusal, some in alike.items()]
        line = f"{words} Refused: {'; '.join(reasons)}."
        self._tell(line if len(line) + 3 < self.size.width else words, "error")
        if len(line) + 3 >= self.size.width:
            page = "\n".join([words, "", "Refused:", *reasons])
            _ = self.push_screen(PageScreen("What was refused", page, ascii_only=self._ascii))

    @on(messages.BranchConfirmed)
    def _branch_confirmed(self) -> None:
        if self._door is not None:
            self._act(self._door.branch(), "Branched: the run goes on from here.")

    @on(messages.KillConfirmed)
    def _kill_confirmed(self, event: messages.KillConfirmed) -> None:
        if self._door is not None:
            self._act_on(event.applications, self._door.kill, "Killed {}.")

    @on(messages.MoveConfirmed)
    def _move_confirmed(self, event: messages.MoveConfirmed) -> None:
        door, queue = self._door, event.queue
        if door is not None:
            self._act_on(event.applications, lambda one: door.move(one, queue), f"Moved {{}} to {text.plain(queue)}.")

    @on(messages.NodeServiceChosen)
    def _node_service_chosen(self, event: messages.NodeServiceChosen) -> None:
        door, back = self._door, event.in_service
        if door is not None:
            done = "Returned {}." if back else "Draining {}."
            self._act_on(event.nodes, lambda one: door.set_node_service(one, in_service=back), done)

    @on(messages.PreemptionChosen)
    def _preemption_chosen(self, event: messages.PreemptionChosen) -> None:
        if self._door is not None:
            self._act(self._door.set_preemption(on=event.on), f"Preemption is {'on' if event.on else 'off'}.")

    @on(messages.ReservationRuleChosen)
    def _rule_chosen(self, event: messages.ReservationRuleChosen) -> None:
        if self._door is not None:
            self._act(self._door.set_reservation_rule(event.rule), f"Reservation rule is {event.rule}.")

    @on(messages.SpreadOutChosen)
    def _spread_out_chosen(self, event: messages.SpreadOutChosen) -> None:
        if self._door is not None:
            mode = "spread executors out" if event.on else "pack executors on few workers"
            self._act(self._door.set_spread_out(on=event.on), f"From the next pass on the Master will {mode}.")

    @on(messages.QueueSettingTried)
    def _queue_setting_tried(self, event: messages.QueueSettingTried) -> None:
        if self._door is None or self._cluster is None:
            return
        form = self.screen if isinstance(self.screen, QueueFormScreen) else None
        is_sure = isinstance(event, messages.QueueSettingConfirmed)
        shares: list[tuple[str, int, int]] = []
        if is_sure:
            refusal = self._door.set_queue(event.queue, event.key, event.value)
        else:
            shares, refusal = self._door.try_queue_setting(event.queue, event.key, event.value)
        if refusal and form is not None:
            form.show_problems([refusal])
            return
        if form is not None:
            _ = form.dismiss(None)
        if is_sure or refusal:
            self._act(refusal, f"{event.key} of {event.queue} is {event.value}.")
        else:
            self._cluster.ask_queue_setting(event, shares)

    @on(messages.SubmitFilled)
    def _submit_filled(self, event: messages.SubmitFilled) -> None:
        if self._door is None:
            return
        problems = self._door.submit(event.fields)
        form = self.screen if isinstance(self.screen, SubmitScreen) else None
        if problems and form is not None:
            form.show_problems(problems)
            return
        if form is not None:
            _ = form.dismiss(None)
        self._act("; ".join(problems), f"Submitted {text.plain(event.fields.get('name', ''))}.")


def _short(row_id: str) -> str:
    """An application or a node as people call it."""
    return text.short_id(row_id) if row_id.startswith("app") else text.short_node(row_id)
