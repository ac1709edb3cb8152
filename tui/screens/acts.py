"""What changes the cluster, by key or by name: every act names an id, and what loses work asks first.

The clock stands while a question is open. Nothing here touches the engine: an act is a message.
"""

from collections.abc import Sequence

from textual import on
from textual.message import Message

from tui import messages
from tui.confirmation import NEVER
from tui.keymap import spelled
from tui.screens import bulk, choices, moving, submit_words
from tui.screens.applying import queue_at, why_not
from tui.screens.menu import Choice, MenuScreen
from tui.screens.queue_form import QueueFormScreen
from tui.screens.row_acts import RowActingBoard
from tui.screens.submit import FIELDS, STANDALONE_FIELDS, SubmitScreen
from tui.view_state import ShareChange
from tui.widgets.pane import RowPane

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
        "submit_words",
    }
)
"""Acts that only commands call, with the name of what they are about."""


class ActingBoard(RowActingBoard):
    """A board whose capitals act."""

    # Queues

    def action_edit_queue(self) -> None:
        """Open the form that changes a setting of the queue of the row."""
        if self.refuse("edit_queue") or self.picture is None:
            return
        row = queue_at(self.pane_name, self.active.selected, self.picture)
        if row is None:
            self._say("E needs a queue: press 2 and choose one.")
            return
        self.post_message(messages.HoldChanged(held=True))
        snapshot = self.picture.snapshot
        form = QueueFormScreen(
            snapshot.queues(),
            row.path,
            snapshot.header.dimensions,
            asks=self._confirm != NEVER,
            ascii_only=self._ascii,
        )
        _ = self.app.push_screen(form, self._release)

    # The menu

    def action_menu(self) -> None:
        """Choose what to do; what does not apply is there with the reason."""
        if self._read_only or self.picture is None:
            self._say("Read-only: nothing here changes the cluster.")
            return
        rows, some = self._rows(), []
        for one in self._registry:
            if one.changes_cluster:
                reason = why_not(one.call, self.pane_name, rows, self.picture, self.dialect)
                some.append(Choice(spelled(one.keys[0]), one.title if reason else one.help, one.call, reason))

        async def chosen(call: str | None) -> None:
            if call is not None:
                await self.run_action(call)

        whom = f"{len(rows)} marked" if self.active.marks else self._id_of(rows[0]) if rows else ""
        _ = self.app.push_screen(MenuScreen(f"Act on {whom}" if whom else "Act", some, ascii_only=self._ascii), chosen)

    @on(RowPane.MenuWanted)
    def _menu_wanted(self, event: RowPane.MenuWanted) -> None:
        self.action_show_pane(event.pane.noun.name)
        self.action_menu()

    # Submitting and switches

    def action_submit(self) -> None:
        """Open the form."""
        self.post_message(messages.HoldChanged(held=True))
        fields = STANDALONE_FIELDS if self.dialect.is_standalone else FIELDS
        presets = () if self.picture is None else self.picture.presets
        form = SubmitScreen(self._beginnings(), fields=fields, presets=presets, ascii_only=self._ascii)
        _ = self.app.push_screen(form, self._release)

    def _beginnings(self) -> dict[str, str]:
        return choices.beginnings(self.pane_name, self.active.selected)

    def action_submit_words(self, words: str) -> None:
        """Submit what a command says."""
        is_standalone = self.dialect.is_standalone
        try:
            given = submit_words.read(words.split(), is_standalone=is_standalone)
        except submit_words.WordsError as error:
            self._say(f"submit: {error}")
            return
        presets = () if self.picture is None else self.picture.presets
        fields = submit_words.fields_of(given, self._beginnings(), presets, is_standalone=is_standalone)
        lines = [f"{name:<15} {words or '-'}" for name, words in fields.items()]
        question = choices.Question("Submit an application", (*lines, "", bulk.STANDS), "Submit")
        self._ask(question, messages.SubmitFilled(fields), loses=False)

    def _switch(self, title: str, words: str, act: Message) -> None:
        """Throw a switch; it loses no work."""
        self._ask(choices.Question(title, (words, "", bulk.STANDS), "Do it"), act, loses=False)

    def action_toggle_preemption(self) -> None:
        """Switch preemption."""
        now = self.picture.snapshot.header.preemption if self.picture else None
        self.action_choose_preemption("off" if now is True else "on")

    def action_choose_preemption(self, state: str) -> None:
        """Switch preemption on or off."""
        now = self.picture.snapshot.header.preemption if self.picture else None
        if isinstance(now, bool):
            words = f"Preemption goes {state}."
            self._switch("Preemption", words, messages.PreemptionChosen(on=state == "on"))
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
            words = f"The reservation rule becomes {rule}; it is {now} now."
            self._switch("Reservation rule", words, messages.ReservationRuleChosen(rule))

    def action_toggle_spread_out(self) -> None:
        """Spread executors out, or pack them, from the next pass on."""
        now = self.picture.snapshot.header.spread_out if self.picture else None
        self.action_choose_spread_out("off" if now is True else "on")

    def action_choose_spread_out(self, state: str) -> None:
        """Spread executors out (on), or pack them (off), from the next pass on."""
        now = self.picture.snapshot.header.spread_out if self.picture else None
        if not self.refuse("toggle_spread_out") and isinstance(now, bool):
            words = f"Spreading executors out goes {state}, from the next pass on."
            self._switch("Spread out", words, messages.SpreadOutChosen(on=state == "on"))

    def action_set_queue(self, queue: str, key: str, value: str) -> None:
        """Ask, showing the shares before and after, then change a queue's setting."""
        if self.refuse("move"):
            return
        told = messages.QueueSettingConfirmed if self._confirm == NEVER else messages.QueueSettingTried
        self.post_message(told(queue, key, value))

    def ask_queue_setting(self, event: messages.QueueSettingTried, shares: Sequence[ShareChange]) -> None:
        """Show what a changed setting would do to the shares, and ask."""
        question = moving.setting_question(event.queue, event.key, event.value, shares)
        self._ask(question, messages.QueueSettingConfirmed(event.queue, event.key, event.value))

    def action_choose_speed(self, speed: float) -> None:
        """Run the clock at a speed; 0 is flat out."""
        self.post_message(messages.SpeedChosen(speed))
