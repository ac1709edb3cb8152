"""Acts on nodes, those marked or under the cursor or named by a command: drain, return, size, partition, new ones."""

from collections.abc import Sequence

from engine.observe.snapshot import NodeRow
from engine.scenario.acts import AddNode, LabelNode, ResizeNode, ReturnNode
from engine.scenario.cluster import DEFAULT_PORT, DEFAULT_RACK
from tui.acts import applications as questions
from tui.acts.action_confirmer import ActionConfirmer
from tui.board.board import BoardScreen, Marks, node_named, rows_named
from tui.panes.pane_view import nodes_at
from tui.terminal import format as text


class NodeActs:
    """The part of the board that acts on nodes; every act names ids, never rows."""

    def __init__(self, board: BoardScreen, asker: ActionConfirmer, marks: Marks) -> None:
        self._board, self._asker, self._marks = board, asker, marks

    def drain(self) -> None:
        """Ask, then take the marked nodes, or the one under the cursor, out; bring those back that are out."""
        rows = nodes_at(self._board.active.view, self._marks.rows(), self._board.state.picture)
        if rows:
            self._drain(rows, is_switch=True)
        else:
            self._board.say("D needs a node: press 3 and choose one.")

    def drain_named(self, names: str) -> None:
        self._drain(self._named(names), is_switch=False)

    def return_named(self, names: str) -> None:
        rows = self._named(names)
        if rows:
            self._return(rows)

    # Their size and partition

    def resize(self) -> None:
        row = self._row("node_acts.resize", "Z")
        if row is not None:
            self._type(f"resize {row.host} ", _size(row))

    def resize_to(self, node: str, memory_mb: int, vcores: int) -> None:
        rows = [] if self._board.refuse("node_acts.resize") else self._named(node)
        if rows:
            question = questions.resize_question(rows[0], (memory_mb, vcores), self._dimensions)
            done = f"{{}} has {text.amounts((memory_mb, vcores), self._dimensions)}."
            act = ResizeNode(rows[0].id, memory_mb, vcores)
            self._asker.ask_to_act(question, done, {act.node: act}, loses=False)

    def add(self) -> None:
        picture = self._board.state.picture
        if self._board.refuse("node_acts.add"):
            return
        rows = [*nodes_at(self._board.active.view, self._marks.rows(), picture), *picture.snapshot.nodes()]
        hosts = {row.host for row in picture.snapshot.nodes()}
        host = next(name for number in range(1, len(hosts) + 2) if (name := f"new{number}") not in hosts)
        self._type("add ", f"{host} {_size(rows[0]) if rows else '8g 8'}")

    def add_named(self, host: str, memory_mb: int, vcores: int, rack: str) -> None:
        if not self._board.refuse("node_acts.add"):
            act = AddNode(f"{host}:{DEFAULT_PORT}", memory_mb, vcores, rack or DEFAULT_RACK)
            has = text.amounts((memory_mb, vcores), self._dimensions)
            question = questions.add_question(host, has, rack)
            self._asker.ask_to_act(question, f"{{}} joins with {has}.", {host: act}, loses=False)

    def label(self) -> None:
        row = self._row("node_acts.label", "L")
        if row is not None:
            self._type(f"label {row.host} ")

    def label_as(self, node: str, partition: str) -> None:
        """Ask, then move a node to a partition; an empty one is the default."""
        rows = [] if self._board.refuse("node_acts.label") else self._named(node)
        if rows and rows[0].partition == partition:
            self._board.say(f"{rows[0].host} is in {questions.partition_words(partition)} already.")
        elif rows:
            act = LabelNode(rows[0].id, partition)
            question = questions.label_question(rows[0], partition, act)
            done = f"{{}} is in {questions.partition_words(partition)}."
            self._asker.ask_to_act(question, done, loses=rows[0].containers > 0)

    @property
    def _dimensions(self) -> tuple[str, ...]:
        return self._board.state.picture.snapshot.header.dimensions

    def _row(self, call: str, key: str) -> NodeRow | None:
        if self._board.refuse(call):
            return None
        rows = nodes_at(self._board.active.view, self._marks.rows(), self._board.state.picture)
        if not rows:
            self._board.say(f"{key} needs a node: press 3 and choose one.")
        return rows[0] if rows else None

    def _type(self, words: str, filled: str = "") -> None:
        self._board.perform(f"command_line.open_with({words!r}, {filled!r})")

    def _named(self, names: str) -> list[NodeRow]:
        return rows_named(names, node_named, "node", self._board)

    def _drain(self, rows: Sequence[NodeRow], *, is_switch: bool) -> None:
        if not rows:
            return
        question = questions.drain_question(rows, self._board.dialect.terms, self._board.state.picture)
        if question is not None:
            self._asker.ask_to_act(question, "Draining {}.", spent=[row.id for row in rows])
        elif is_switch:
            self._return(rows)
        else:
            whom = f"{rows[0].id} is" if len(rows) == 1 else "They are"
            self._board.say(f"{whom} out of service already; return brings them back.")

    def _return(self, rows: Sequence[NodeRow]) -> None:
        ids = [row.id for row in rows]
        acts = {one: ReturnNode(one) for one in ids}
        self._asker.ask_to_act(questions.return_question(ids), "Returned {}.", acts, spent=ids)


def _size(row: NodeRow) -> str:
    memory_mb, vcores = row.total
    return f"{memory_mb // 1024}g {vcores}" if memory_mb % 1024 == 0 else f"{memory_mb} {vcores}"
