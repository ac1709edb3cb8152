"""The main screen: the board of a cluster with its acts, and the keys that drive its clock and go through time.

The screen sees pictures and posts messages; it never touches the engine.
"""

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from tui import messages
from tui.answers import WhySubject
from tui.keymap import ACTIONS
from tui.screens import choices
from tui.screens.acts import NAMED, ActingBoard
from tui.screens.questions import subject_at, subject_named
from tui.widgets.track import TrackBar

_ACTS = NAMED | {action.call for action in ACTIONS if action.changes_cluster}


class ClusterScreen(ActingBoard):
    """One cluster, live."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(action.keys), action.call, action.title, show=False, id=action.id) for action in ACTIONS
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the panes are there nothing can be done; read-only mode has no act, the past none but to branch."""
        if not self.is_mounted:
            return False
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

    @on(TrackBar.Dragged)
    def _dragged(self, event: TrackBar.Dragged) -> None:
        self.action_travel(event.where)

    def action_go_to_time(self, text: str) -> None:
        """Go to a time as people write it."""
        self.post_message(messages.TravelRequested(text))

    def action_leave(self) -> None:
        """End zoom, drop the filter, go back to where `enter` was pressed, go back to the present."""
        is_settled = self.arrangement(self.pane_name).is_plain and not (self._wish.zoomed or self._crumbs)
        if self.is_past and is_settled:
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

    def action_why(self) -> None:
        """Ask why the row's application waits, or who waits at the row's queue or node."""
        subject = subject_at(self.pane_name, self.active.selected, self.picture)
        if subject is None:
            self._say("w needs an application, a queue or a node: choose one.")
        else:
            self.post_message(messages.WhyRequested(subject))

    def action_why_named(self, name: str) -> None:
        """Ask about an application, a queue or a node by its name."""
        found = "" if self.picture is None else subject_named(name, self.picture)
        if isinstance(found, WhySubject):
            self.post_message(messages.WhyRequested(found))
        elif found:
            self._say(found)

    # Acts

    def action_branch(self) -> None:
        """Ask, then go on from the instant looked at."""
        if self.picture is None or not self.is_past:
            self.post_message(messages.Noticed("B branches from the past: [ and { go there.", "warning"))
            return
        self._ask(choices.branch_question(self.picture), messages.BranchConfirmed())
