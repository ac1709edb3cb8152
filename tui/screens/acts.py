"""What changes the cluster, by key or by name: every act names an id, and what loses work asks first.

The clock stands while a question is open. Nothing here touches the engine: an act is a message.
"""

from textual.message import Message

from engine.observe.snapshot import ApplicationRow, NodeRow
from tui import messages
from tui.screens import choices, moving
from tui.screens.confirm import ConfirmScreen
from tui.screens.inspecting import InspectingBoard
from tui.screens.menu import Choice, MenuScreen
from tui.screens.submit import FIELDS, STANDALONE_FIELDS, SubmitScreen

NAMED = frozenset(
    {
        "kill_named",
        "drain_named",
        "return_named",
        "move_to",
        "choose_preemption",
        "choose_rule",
        "choose_spread_out",
        "set_queue",
    }
)
"""Acts that only commands call, with the name of what they are about."""


class ActingBoard(InspectingBoard):
    """A board whose capitals act."""

    def _ask(self, question: choices.Question, act: Message) -> None:
        """Hold the clock while a question is open; act only on yes."""

        def answered(sure: bool | None) -> None:
            if sure:
                self.post_message(act)
            self.post_message(messages.HoldChanged(held=False))

        self.post_message(messages.HoldChanged(held=True))
        screen = ConfirmScreen(question.title, question.lines, yes=question.yes, ascii_only=self._ascii)
        _ = self.app.push_screen(screen, answered)

    def _release(self, _: object) -> None:
        self.post_message(messages.HoldChanged(held=False))

    # Applications

    def _application(self, key: str) -> ApplicationRow | None:
        """The application under the cursor, or the one called by number or id; says so when there is none."""
        row = choices.application_at(self.pane_name, self.active.selected, self.picture)
        if row is None:
            self._say(f"{key} needs an application: press 1 and choose one.")
        return row

    def _application_named(self, name: str) -> ApplicationRow | None:
        row = None if self.picture is None else moving.application_named(name, self.picture)
        if row is None:
            self._say(f"There is no application {name}.")
        return row

    def action_kill(self) -> None:
        """Ask, then kill the application under the cursor."""
        self._kill(self._application("K"))

    def action_kill_named(self, name: str) -> None:
        """Ask, then kill an application by number or id."""
        self._kill(self._application_named(name))

    def _kill(self, row: ApplicationRow | None) -> None:
        if row is None or self.picture is None:
            return
        question = choices.kill_question(row, self.picture)
        if question is None:
            self._say(f"{row.id} has already ended ({row.state}).")
        else:
            self._ask(question, messages.KillConfirmed(row.id))

    def action_move(self) -> None:
        """Choose a queue, ask, then move the application under the cursor there."""
        if self.refuse("move"):
            return
        row = self._application("M")
        if row is None or self.picture is None:
            return
        queues = moving.other_queues(row, self.picture)
        if not queues:
            self._say("There is no other queue to move it to.")
            return
        signs = "123456789abcdefghijklmnopqrstuvwxyz"
        some = [Choice(signs[i] if i < len(signs) else "", path, path) for i, path in enumerate(queues)]

        def chosen(path: str | None) -> None:
            self._release(None)
            if path is not None:
                self.action_move_to(row.id, path)

        self.post_message(messages.HoldChanged(held=True))
        _ = self.app.push_screen(MenuScreen(f"Move {row.id} to", some, ascii_only=self._ascii), chosen)

    def action_move_to(self, name: str, queue: str) -> None:
        """Ask, then move an application to a queue."""
        if self.refuse("move"):
            return
        row = self._application_named(name)
        if row is None or self.picture is None:
            return
        problem = moving.problem(row, queue, self.picture)
        if problem:
            self._say(problem)
        else:
            self._ask(moving.question(row, queue, self.picture), messages.MoveConfirmed(row.id, queue))

    # Nodes

    def action_drain(self) -> None:
        """Ask, then take the node under the cursor out of service; bring it back without asking."""
        row = choices.node_at(self.pane_name, self.active.selected, self.picture)
        if row is None or self.picture is None:
            self._say("D needs a node: press 3 and choose one.")
            return
        question = choices.drain_question(row, self.picture)
        if question is None:
            self.post_message(messages.NodeServiceChosen(row.id, in_service=True))
        else:
            self._ask(question, messages.NodeServiceChosen(row.id, in_service=False))

    def _node_named(self, name: str) -> NodeRow | None:
        row = None if self.picture is None else moving.node_named(name, self.picture)
        if row is None:
            self._say(f"There is no node {name}.")
        return row

    def action_drain_named(self, name: str) -> None:
        """Ask, then take a node out of service."""
        row = self._node_named(name)
        if row is None or self.picture is None:
            return
        question = choices.drain_question(row, self.picture)
        if question is None:
            self._say(f"{row.id} is out of service already; return brings it back.")
        else:
            self._ask(question, messages.NodeServiceChosen(row.id, in_service=False))

    def action_return_named(self, name: str) -> None:
        """Bring a node back."""
        row = self._node_named(name)
        if row is not None:
            self.post_message(messages.NodeServiceChosen(row.id, in_service=True))

    # Submitting and switches

    def action_submit(self) -> None:
        """Open the form."""
        self.post_message(messages.HoldChanged(held=True))
        beginnings = choices.beginnings(self.pane_name, self.active.selected)
        fields = STANDALONE_FIELDS if self.dialect.is_standalone else FIELDS
        form = SubmitScreen(beginnings, fields=fields, ascii_only=self._ascii)
        _ = self.app.push_screen(form, self._release)

    def action_toggle_preemption(self) -> None:
        """Switch preemption."""
        now = self.picture.snapshot.header.preemption if self.picture else None
        self.action_choose_preemption("off" if now is True else "on")

    def action_choose_preemption(self, state: str) -> None:
        """Switch preemption on or off."""
        now = self.picture.snapshot.header.preemption if self.picture else None
        if isinstance(now, bool):
            self.post_message(messages.PreemptionChosen(on=state == "on"))
        else:
            self.refuse("toggle_preemption", "This scheduler has no preemption to switch")

    def action_cycle_reservation(self) -> None:
        """Choose the next reservation rule."""
        now = self.picture.snapshot.header.reservation_rule if self.picture else None
        self.action_choose_rule(choices.next_rule(now) or "")

    def action_choose_rule(self, rule: str) -> None:
        """Choose the reservation rule."""
        now = self.picture.snapshot.header.reservation_rule if self.picture else None
        if choices.next_rule(now) is None:
            self.refuse("cycle_reservation", "This scheduler has no reservation rule to change")
        else:
            self.post_message(messages.ReservationRuleChosen(rule))

    def action_toggle_spread_out(self) -> None:
        """Spread executors out, or pack them, from the next pass on."""
        now = self.picture.snapshot.header.spread_out if self.picture else None
        self.action_choose_spread_out("off" if now is True else "on")

    def action_choose_spread_out(self, state: str) -> None:
        """Spread executors out (on), or pack them (off), from the next pass on."""
        now = self.picture.snapshot.header.spread_out if self.picture else None
        if not self.refuse("toggle_spread_out") and isinstance(now, bool):
            self.post_message(messages.SpreadOutChosen(on=state == "on"))

    def action_set_queue(self, queue: str, key: str, value: str) -> None:
        """Ask, showing the shares before and after, then change a queue's setting."""
        if not self.refuse("move"):
            self.post_message(messages.QueueSettingTried(queue, key, value))

    def ask_queue_setting(self, event: messages.QueueSettingTried, shares: list[tuple[str, int, int]]) -> None:
        """Show what a changed setting would do to the shares, and ask."""
        question = moving.setting_question(event.queue, event.key, event.value, shares)
        self._ask(question, messages.QueueSettingConfirmed(event.queue, event.key, event.value))

    def action_choose_speed(self, speed: float) -> None:
        """Run the clock at a speed; 0 is flat out."""
        self.post_message(messages.SpeedChosen(speed))
