"""Acts on the whole cluster: submit, switches, settings of queues, going on from the past."""

from collections.abc import Mapping, Sequence

from engine.scenario.acts import SetPreemption, SetReservationRule, SetSetting
from engine.settings.spark import SPREAD_OUT
from tui import format as text
from tui import messages
from tui.picture import ShareChange
from tui.render.act_sheet import ActQuestion
from tui.render.noun import queue_at
from tui.screens import act_questions as questions
from tui.screens import submit_words
from tui.screens.asking import Asker
from tui.screens.board import Board
from tui.screens.fault_questions import FAULTS, fault_question
from tui.screens.queue_form import QueueFormScreen
from tui.screens.submit import SubmitScreen


class ClusterActs:
    """The part of the board that acts on the cluster as a whole."""

    def __init__(self, board: Board, asker: Asker) -> None:
        self._board, self._asker = board, asker

    # Submitting

    def submit(self) -> None:
        """Open the form."""
        board = self._board
        presets = () if board.state.picture is None else board.state.picture.presets
        fields, ascii_only = board.dialect.form.fields, board.options.ascii_only
        queues = () if board.state.picture is None else [row.path for row in questions.leaves(board.state.picture)]
        form = SubmitScreen(self._beginnings(), fields=fields, presets=presets, queues=queues, ascii_only=ascii_only)
        self._asker.open(form)

    def _beginnings(self) -> Mapping[str, str]:
        """Return the fields that the form takes from the row under the cursor."""
        pane = self._board.active
        return {} if pane.selected is None else pane.noun.fills(pane.selected)

    def submit_words(self, words: str) -> None:
        """Submit what a command says."""
        board = self._board
        form = board.dialect.form
        try:
            given = submit_words.read(words.split(), form)
        except submit_words.WordsError as error:
            board.say(f"submit: {error}")
            return
        presets = () if board.state.picture is None else board.state.picture.presets
        fields = submit_words.fields_of(given, self._beginnings(), presets, form)
        lines = [f"{name:<15} {words or '-'}" for name, words in fields.items()]
        question = ActQuestion("Submit", tuple(lines), "Submit")
        self._asker.ask(question, messages.SubmitFilled(fields), loses=False)

    # Switches

    @property
    def _preemption(self) -> object:
        picture = self._board.state.picture
        return picture.snapshot.header.preemption if picture is not None else None

    def toggle_preemption(self) -> None:
        """Switch preemption."""
        self.choose_preemption("off" if self._preemption is True else "on")

    def choose_preemption(self, state: str) -> None:
        """Switch preemption on or off."""
        picture = self._board.state.picture
        if isinstance(self._preemption, bool) and picture is not None:
            question = questions.preemption_question(picture, on=state == "on")
            act = {"": SetPreemption(state == "on")}
            self._asker.ask_to_act(question, f"Preemption is {state}.", act, loses=bool(question.acts))
        else:
            self._board.refuse("cluster_acts.toggle_preemption", "This scheduler has no preemption to switch")

    @property
    def _rule(self) -> object:
        picture = self._board.state.picture
        return picture.snapshot.header.reservation_rule if picture is not None else None

    def cycle_reservation(self) -> None:
        """Choose the next reservation rule."""
        self.choose_rule(questions.next_rule(self._rule) or "")

    def choose_rule(self, rule: str) -> None:
        """Choose the reservation rule."""
        picture = self._board.state.picture
        if picture is None or questions.next_rule(self._rule) is None:
            self._board.refuse("cluster_acts.cycle_reservation", "This scheduler has no reservation rule to change")
        else:
            question = questions.rule_question(picture, rule)
            act = {"": SetReservationRule(rule)}
            self._asker.ask_to_act(question, f"Reservation rule is {rule}.", act, loses=bool(question.acts))

    @property
    def _spread_out(self) -> object:
        picture = self._board.state.picture
        return picture.snapshot.header.spread_out if picture is not None else None

    def toggle_spread_out(self) -> None:
        """Spread executors out, or pack them, from the next pass on."""
        self.choose_spread_out("off" if self._spread_out is True else "on")

    def choose_spread_out(self, state: str) -> None:
        """Spread executors out (on), or pack them (off), from the next pass on."""
        if not self._board.refuse("cluster_acts.toggle_spread_out") and isinstance(self._spread_out, bool):
            words = f"Spreading executors out goes {state}, from the next pass on."
            question = questions.switch_question("Spread out", words)
            act = SetSetting(SPREAD_OUT.name, "true" if state == "on" else "false")
            mode = "spread executors out" if state == "on" else "pack executors on few workers"
            done = f"From the next pass on the Master will {mode}."
            self._asker.ask_to_act(question, done, {"": act})

    # Faults

    def restart(self) -> None:
        """Restart the control plane."""
        if not self._board.refuse("cluster_acts.restart"):
            self.fault(self._board.dialect.terms.restart, "")

    def fault(self, kind: str, whom: str) -> None:
        """Ask, showing what would be lost, then do what a fault of a scenario would."""
        picture = self._board.state.picture
        if picture is None or self._board.refuse("cluster_acts.restart"):
            return
        if FAULTS[kind].dialect != picture.snapshot.dialect:
            self._board.say(f"There is no {kind} here")
            return
        question = fault_question(kind, whom, picture.snapshot.header)
        self._asker.ask_to_act(question, f"{question.title}: done.")

    # Queues

    def edit_queue(self) -> None:
        """Open the form that changes a setting of the queue of the row."""
        board, pane, picture = self._board, self._board.active, self._board.state.picture
        if board.refuse("cluster_acts.edit_queue") or picture is None:
            return
        row = None if pane.selected is None else queue_at(pane.noun, pane.selected, picture)
        if row is None:
            board.say("E needs a queue: press 2 and choose one.")
            return
        form = QueueFormScreen(
            picture.snapshot.queues(),
            row.path,
            picture.snapshot.header.dimensions,
            board.dialect.queue_settings,
            ascii_only=board.options.ascii_only,
        )
        self._asker.open(form)

    def set_queue(self, queue: str, key: str, value: str) -> None:
        """Ask, showing the shares before and after, then change a queue's setting."""
        if self._board.refuse("cluster_acts.edit_queue"):
            return
        _ = self._board.post_message(messages.QueueSettingTried(queue, key, value))

    def ask_queue_setting(self, event: messages.QueueSettingTried, shares: Sequence[ShareChange]) -> None:
        """Show what a changed setting would do to the shares, and ask."""
        act = event.act
        question = questions.setting_question(act.queue, act.key, act.value, shares)
        self._asker.ask_to_act(question, f"{act.key} of {{}} is {act.value}.", {act.queue: act})

    # The configuration

    def reload(self) -> None:
        """Type the path of an allocation file."""
        if not self._board.refuse("cluster_acts.reload"):
            self._board.perform("command_line.open_with('reload ')")

    def reload_from(self, path: str) -> None:
        """Ask, then have an allocation file loaded."""
        if not self._board.refuse("cluster_acts.reload"):
            words = f"Load the queues from {text.plain(path)}? Queues that are not in it stay without a share."
            question = questions.switch_question("Reload", words, "Load it")
            self._asker.ask(question, messages.ReloadConfirmed(path))

    # The past

    def branch(self) -> None:
        """Ask, then go on from the instant looked at."""
        picture = self._board.state.picture
        if picture is not None and picture.run.is_watched:
            self._asker.ask(questions.twin_question(picture), messages.TwinRequested(), loses=False)
            return
        if picture is None or not self._board.state.is_past:
            self._board.say("B branches from the past: [ and { go there.")
            return
        self._asker.ask(questions.branch_question(picture), messages.BranchConfirmed())
