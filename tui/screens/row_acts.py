"""Acts on rows: kill, move, drain and return, on what is marked or under the cursor, or named by a command.

Every act names ids, and what loses work asks first; the clock stands while a question is open.
"""

from collections.abc import Sequence
from typing import Any

from textual.message import Message

from engine.observe.snapshot import ApplicationRow, NodeRow
from tui import format as text
from tui import messages
from tui.confirmation import LOSS, asks
from tui.screens import bulk, choices, moving
from tui.screens.confirm import ConfirmScreen
from tui.screens.forms import SIGNS
from tui.screens.marking import MarkingBoard
from tui.screens.menu import Choice, MenuScreen


class RowActingBoard(MarkingBoard):
    """A board whose rows can be acted on."""

    def __init__(self, *args: Any, confirm: str = LOSS, **options: Any) -> None:
        super().__init__(*args, **options)
        self._confirm = confirm

    def _ask(self, question: choices.Question, act: Message, *, loses: bool = True, spent: Sequence[str] = ()) -> None:
        """Hold the clock while a question is open; act only on yes.

        Args:
            question: What to ask.
            act: What yes means.
            loses: Whether anything is lost by it; by default only then is asked at all.
            spent: Ids whose marks are of no use any more once it is done.
        """
        pane = self.active

        def answered(sure: bool | None) -> None:
            if sure:
                self.post_message(act)
                pane.unmark(spent)
            self.post_message(messages.HoldChanged(held=False))

        if not asks(self._confirm, loses=loses):
            self.post_message(act)
            pane.unmark(spent)
            return
        self.post_message(messages.HoldChanged(held=True))
        screen = ConfirmScreen(question.title, question.lines, yes=question.yes, ascii_only=self._ascii)
        _ = self.app.push_screen(screen, answered)

    def _release(self, _: object) -> None:
        self.post_message(messages.HoldChanged(held=False))

    def _rows(self) -> list[Any]:
        """The marked rows of the pane as they are now, in the order of the marks; without any that under the cursor."""
        pane, row = self.active, self.active.selected
        if not pane.marks or self.picture is None:
            return [] if row is None else [row]
        rows = self.dialect.rows_of(pane.noun.name, self.picture.snapshot)
        by_id = {pane.noun.identity(one): one for one in rows}
        return [by_id[row_id] for row_id in pane.marks if row_id in by_id]

    # Applications

    def _applications(self, key: str) -> list[ApplicationRow]:
        """The applications the rows are about, each once; says so when there is none."""
        found = {}
        for row in self._rows():
            application = choices.application_at(self.pane_name, row, self.picture)
            if application is not None:
                found[application.id] = application
        if not found:
            self._say(f"{key} needs an application: press 1 and choose one.")
        return list(found.values())

    def _applications_named(self, names: str) -> list[ApplicationRow]:
        """The applications called by numbers or ids; none, and words, when one of them is not there."""
        found = {}
        for name in names.split():
            row = None if self.picture is None else moving.application_named(name, self.picture)
            if row is None:
                self._say(f"There is no application {name}.")
                return []
            found[row.id] = row
        return list(found.values())

    def action_kill(self) -> None:
        """Ask, then kill the marked applications, or the one under the cursor."""
        self._kill(self._applications("K"), tuple(self.active.marks))

    def action_kill_named(self, names: str) -> None:
        """Ask, then kill applications by number or id."""
        rows = self._applications_named(names)
        self._kill(rows, [row.id for row in rows])

    def _kill(self, rows: Sequence[ApplicationRow], spent: Sequence[str]) -> None:
        if not rows or self.picture is None:
            return
        question = bulk.kill_question(rows, self.picture)
        if question is None:
            self._say(_ended(rows))
        else:
            self._ask(question, messages.KillConfirmed([row.id for row in bulk.live(rows)]), spent=spent)

    def action_move(self) -> None:
        """Choose a queue, ask, then move the marked applications, or the one under the cursor, there."""
        if self.refuse("move"):
            return
        rows = self._applications("M")
        if not rows or self.picture is None:
            return
        queues = bulk.other_queues(rows, self.picture)
        if not queues:
            self._say("There is no other queue to move it to.")
            return
        some = [Choice(SIGNS[i] if i < len(SIGNS) else "", path, path) for i, path in enumerate(queues)]

        def chosen(path: str | None) -> None:
            self._release(None)
            if path is not None:
                self.action_move_to(" ".join(row.id for row in rows), path)

        self.post_message(messages.HoldChanged(held=True))
        whom = rows[0].id if len(rows) == 1 else text.plural(len(rows), "application")
        _ = self.app.push_screen(MenuScreen(f"Move {whom} to", some, ascii_only=self._ascii), chosen)

    def action_move_to(self, names: str, queue: str) -> None:
        """Ask, then move applications to a queue."""
        if self.refuse("move"):
            return
        rows = self._applications_named(names)
        if not rows or self.picture is None:
            return
        problem = bulk.move_problem(rows, queue, self.picture)
        if problem:
            self._say(problem)
            return
        going = [row.id for row in bulk.movable(rows, queue)]
        question = bulk.move_question(rows, queue, self.picture)
        self._ask(question, messages.MoveConfirmed(going, queue), spent=[row.id for row in rows])

    # Nodes

    def action_drain(self) -> None:
        """Ask, then take the marked nodes, or the one under the cursor, out; bring those back that are out."""
        found = {}
        for row in self._rows():
            node = choices.node_at(self.pane_name, row, self.picture)
            if node is not None:
                found[node.id] = node
        if found:
            self._drain(list(found.values()), is_switch=True)
        else:
            self._say("D needs a node: press 3 and choose one.")

    def _nodes_named(self, names: str) -> list[NodeRow]:
        found = {}
        for name in names.split():
            row = None if self.picture is None else moving.node_named(name, self.picture)
            if row is None:
                self._say(f"There is no node {name}.")
                return []
            found[row.id] = row
        return list(found.values())

    def _drain(self, rows: Sequence[NodeRow], *, is_switch: bool) -> None:
        """Ask and drain; nodes that are all out come back by the same key, but not by the command."""
        if not rows or self.picture is None:
            return
        question = bulk.drain_question(rows, self.picture)
        if question is not None:
            going = [row.id for row in bulk.in_service(rows)]
            ids = [row.id for row in rows]
            self._ask(question, messages.NodeServiceChosen(going, in_service=False), spent=ids)
        elif is_switch:
            self._return(rows)
        else:
            whom = f"{rows[0].id} is" if len(rows) == 1 else "They are"
            self._say(f"{whom} out of service already; return brings them back.")

    def _return(self, rows: Sequence[NodeRow]) -> None:
        ids = [row.id for row in rows]
        self._ask(bulk.return_question(ids), messages.NodeServiceChosen(ids, in_service=True), loses=False, spent=ids)

    def action_drain_named(self, names: str) -> None:
        """Ask, then take nodes out of service."""
        self._drain(self._nodes_named(names), is_switch=False)

    def action_return_named(self, names: str) -> None:
        """Bring nodes back."""
        rows = self._nodes_named(names)
        if rows:
            self._return(rows)


def _ended(rows: Sequence[ApplicationRow]) -> str:
    """Why none of them can be killed."""
    if len(rows) == 1:
        return f"{rows[0].id} has already ended ({rows[0].state})."
    return f"All {len(rows)} have already ended."
