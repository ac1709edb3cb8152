"""The main screen: the board of a cluster, and the keys that drive its clock and act on it.

The screen sees pictures and posts messages; it never touches the engine. Acts name an id, and what loses work asks
first, with the clock standing.
"""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tui import messages
from tui.keymap import ACTIONS
from tui.screens import choices
from tui.screens.board import Board
from tui.screens.confirm import ConfirmScreen
from tui.screens.goto import GotoScreen
from tui.screens.submit import FIELDS, STANDALONE_FIELDS, SubmitScreen

_ACTS = frozenset(action.call for action in ACTIONS if action.changes_cluster)


class ClusterScreen(Board):
    """One cluster, live."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(action.keys), action.call, action.title, show=False, id=action.id) for action in ACTIONS
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Read-only mode has no act, and the past none but to branch."""
        if self._read_only and action in _ACTS:
            return False
        if action in _ACTS and action != "branch" and self.is_past:
            self.post_message(messages.Noticed("This is the past: only B acts here, esc goes back.", "warning"))
            return False
        return True

    @property
    def is_past(self) -> bool:
        """Whether the past is looked at."""
        return self.picture is not None and self.picture.run.present_ms is not None

    # The clock

    def action_toggle_pause(self) -> None:
        """Stop the clock, or let it run."""
        self.post_message(messages.PauseToggled())

    def action_step(self, unit: str) -> None:
        """Make one step."""
        self.post_message(messages.StepRequested(unit))

    def action_travel(self, where: str) -> None:
        """Go through time."""
        self.post_message(messages.TravelRequested(where))

    def action_go_to_time(self, text: str) -> None:
        """Go to a time as people write it."""
        self.post_message(messages.TravelRequested(text))

    def action_goto(self) -> None:
        """Ask for a time."""

        def typed(words: str | None) -> None:
            if words:
                self.action_go_to_time(words)

        _ = self.app.push_screen(GotoScreen(), typed)

    def action_leave(self) -> None:
        """End zoom, then go back to the present."""
        if self.is_past and not self._zoomed:
            self.action_travel("live")
        else:
            super().action_leave()

    def action_change_speed(self, direction: int) -> None:
        """Run faster or slower."""
        self.post_message(messages.SpeedChanged(direction))

    def action_plans(self) -> None:
        """Step through a plan of Spark's Master."""
        if not self.refuse("plans"):
            row = choices.application_at(self.active.noun.name, self.active.selected, self.picture)
            self.post_message(messages.PlansRequested(None if row is None else row.number))

    # Acts

    def action_branch(self) -> None:
        """Ask, then go on from the instant looked at."""
        if self.picture is None or not self.is_past:
            self.post_message(messages.Noticed("B branches from the past: [ and { go there.", "warning"))
            return
        self._ask(choices.branch_question(self.picture), messages.BranchConfirmed())

    def action_kill(self) -> None:
        """Ask, then kill the application under the cursor."""
        row = choices.application_at(self.active.noun.name, self.active.selected, self.picture)
        if row is None or self.picture is None:
            self.post_message(messages.Noticed("K needs an application: press 1 and choose one.", "warning"))
            return
        question = choices.kill_question(row, self.picture)
        if question is None:
            self.post_message(messages.Noticed(f"{row.id} has already ended ({row.state}).", "warning"))
            return
        self._ask(question, messages.KillConfirmed(row.id))

    def action_drain(self) -> None:
        """Ask, then take the node under the cursor out of service; bring it back without asking."""
        row = choices.node_at(self.active.noun.name, self.active.selected, self.picture)
        if row is None or self.picture is None:
            self.post_message(messages.Noticed("D needs a node: press 3 and choose one.", "warning"))
            return
        question = choices.drain_question(row, self.picture)
        if question is None:
            self.post_message(messages.NodeServiceChosen(row.id, in_service=True))
            return
        self._ask(question, messages.NodeServiceChosen(row.id, in_service=False))

    def _ask(self, question: choices.Question, act: Message) -> None:
        """Hold the clock while a question is open; act only on yes."""

        def answered(sure: bool | None) -> None:
            if sure:
                self.post_message(act)
            self.post_message(messages.HoldChanged(held=False))

        self.post_message(messages.HoldChanged(held=True))
        screen = ConfirmScreen(question.title, question.lines, yes=question.yes, ascii_only=self._ascii)
        _ = self.app.push_screen(screen, answered)

    def action_submit(self) -> None:
        """Open the form."""
        self.post_message(messages.HoldChanged(held=True))
        beginnings = choices.beginnings(self.active.noun.name, self.active.selected)
        fields = STANDALONE_FIELDS if self.dialect.is_standalone else FIELDS
        form = SubmitScreen(beginnings, fields=fields, ascii_only=self._ascii)
        _ = self.app.push_screen(form, self._release)

    def _release(self, _: object) -> None:
        self.post_message(messages.HoldChanged(held=False))

    def action_toggle_preemption(self) -> None:
        """Switch preemption."""
        now = self.picture.snapshot.header.preemption if self.picture else None
        if isinstance(now, bool):
            self.post_message(messages.PreemptionChosen(on=not now))
        else:
            self.refuse("toggle_preemption", "This scheduler has no preemption to switch")

    def action_cycle_reservation(self) -> None:
        """Choose the next reservation rule."""
        now = self.picture.snapshot.header.reservation_rule if self.picture else None
        rule = choices.next_rule(now)
        if rule is None:
            self.refuse("cycle_reservation", "This scheduler has no reservation rule to change")
        else:
            self.post_message(messages.ReservationRuleChosen(rule))

    def action_toggle_spread_out(self) -> None:
        """Spread executors out, or pack them, from the next pass on."""
        now = self.picture.snapshot.header.spread_out if self.picture else None
        if not self.refuse("toggle_spread_out") and isinstance(now, bool):
            self.post_message(messages.SpreadOutChosen(on=not now))
