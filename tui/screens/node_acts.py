"""Acts on nodes: drain and return, those that are marked or under the cursor, or those a command names."""

from collections.abc import Sequence

from engine.observe.snapshot import NodeRow
from tui import messages
from tui.render.noun import nodes_at
from tui.screens import act_questions as questions
from tui.screens.asking import Asker
from tui.screens.board import Board
from tui.screens.lookup import node_named
from tui.screens.marks import Marks


class NodeActs:
    """The part of the board that acts on nodes; every act names ids, never rows."""

    def __init__(self, board: Board, asker: Asker, marks: Marks) -> None:
        self._board, self._asker, self._marks = board, asker, marks

    def drain(self) -> None:
        """Ask, then take the marked nodes, or the one under the cursor, out; bring those back that are out."""
        picture, noun = self._board.state.picture, self._board.active.noun
        rows = [] if picture is None else nodes_at(noun, self._marks.rows(), picture)
        if rows:
            self._drain(rows, is_switch=True)
        else:
            self._board.say("D needs a node: press 3 and choose one.")

    def drain_named(self, names: str) -> None:
        """Ask, then take nodes out of service."""
        self._drain(self._named(names), is_switch=False)

    def return_named(self, names: str) -> None:
        """Bring nodes back."""
        rows = self._named(names)
        if rows:
            self._return(rows)

    def _named(self, names: str) -> list[NodeRow]:
        """The nodes called by ids or hosts; none, and words, when one of them is not there."""
        found, picture = {}, self._board.state.picture
        for name in names.split():
            row = None if picture is None else node_named(name, picture)
            if row is None:
                self._board.say(f"There is no node {name}.")
                return []
            found[row.id] = row
        return list(found.values())

    def _drain(self, rows: Sequence[NodeRow], *, is_switch: bool) -> None:
        """Ask and drain; nodes that are all out come back by the same key, but not by the command."""
        picture = self._board.state.picture
        if not rows or picture is None:
            return
        question = questions.drain_question(rows, self._board.dialect.terms, picture)
        if question is not None:
            going = [row.id for row in questions.in_service(rows)]
            act = messages.NodeServiceChosen(going, in_service=False)
            self._asker.ask(question, act, spent=[row.id for row in rows])
        elif is_switch:
            self._return(rows)
        else:
            whom = f"{rows[0].id} is" if len(rows) == 1 else "They are"
            self._board.say(f"{whom} out of service already; return brings them back.")

    def _return(self, rows: Sequence[NodeRow]) -> None:
        ids = [row.id for row in rows]
        act = messages.NodeServiceChosen(ids, in_service=True)
        self._asker.ask(questions.return_question(ids), act, loses=False, spent=ids)
