"""Acts on nodes, those marked or under the cursor or named by a command: drain, return, size, partition, new ones."""

from collections.abc import Sequence

from engine.model.request import DEFAULT_RACK
from engine.observe.snapshot import NodeRow, column, summed
from engine.observe.snapshots import YARN
from engine.observe.spark_snapshot import WorkerRow
from engine.scenario.acts import AddNode, DrainNode, LabelNode, ResizeNode, ReturnNode
from engine.scenario.cluster import DEFAULT_PORT
from tui.acts.action_confirmer import ActionConfirmer
from tui.acts.applications import first_named, left_out
from tui.board.board import BoardScreen, Marks, node_named, rows_named
from tui.board.dialects import DialogTerms
from tui.pages.act_sheet import ActQuestion
from tui.panes.nodes import count_drivers, format_held, is_out
from tui.panes.pane_view import nodes_at
from tui.protocol.picture import SessionState
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
        row = self._row("Z")
        if row is not None:
            self._type(f"resize {row.host} ", _size(row))

    def resize_to(self, node: str, memory_mb: int, vcores: int) -> None:
        rows = self._named(node)
        if rows:
            size = text.amounts((memory_mb, vcores), self._dimensions)
            words = f"Resize {rows[0].id} from {text.amounts(rows[0].total, self._dimensions)} to {size}?"
            question = ActQuestion("Resize a node", (words, "", "What runs there runs on."), "Resize it")
            act = ResizeNode(rows[0].id, memory_mb, vcores)
            self._asker.ask_to_act(question, f"{{}} has {size}.", {act.node: act}, loses=False)

    def add(self) -> None:
        picture = self._board.state.picture
        rows = [*nodes_at(self._board.active.view, self._marks.rows(), picture), *picture.snapshot.nodes()]
        hosts = {row.host for row in picture.snapshot.nodes()}
        host = next(name for number in range(1, len(hosts) + 2) if (name := f"new{number}") not in hosts)
        self._type("add ", f"{host} {_size(rows[0]) if rows else '8g 8'}")

    def add_named(self, host: str, memory_mb: int, vcores: int, rack: str) -> None:
        act = AddNode(f"{host}:{DEFAULT_PORT}", memory_mb, vcores, rack or DEFAULT_RACK)
        has = text.amounts((memory_mb, vcores), self._dimensions)
        words = f"Add {host} with {has}{f', in rack {rack}' if rack else ''}?"
        question = ActQuestion("Add a node", (words,), "Add it")
        self._asker.ask_to_act(question, f"{{}} joins with {has}.", {host: act}, loses=False)

    def label(self) -> None:
        row = self._row("L")
        if row is not None:
            self._type(f"label {row.host} ")

    def label_as(self, node: str, partition: str) -> None:
        """Ask, then move a node to a partition; an empty one is the default."""
        rows = self._named(node)
        if rows and rows[0].partition == partition:
            self._board.say(f"{rows[0].host} is in {_partition_words(partition)} already.")
        elif rows:
            row, there = rows[0], _partition_words(partition)
            lost = f"loses  {text.plural(row.containers, 'container')} that run there"
            words = f"Move {row.id} from {_partition_words(row.partition)} to {there}?"
            lines = (words, "", lost if row.containers else "nothing runs there")
            question = ActQuestion("Label a node", lines, "Move it", acts={row.id: LabelNode(row.id, partition)})
            self._asker.ask_to_act(question, f"{{}} is in {there}.", loses=row.containers > 0)

    @property
    def _dimensions(self) -> tuple[str, ...]:
        return self._board.state.picture.snapshot.header.dimensions

    def _row(self, key: str) -> NodeRow | None:
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
        question = _drain_question(rows, self._board.dialect.terms, self._board.state.picture)
        if question is not None:
            done = f"{self._board.dialect.terms.draining} {{}}."
            self._asker.ask_to_act(question, done, spent=[row.id for row in rows])
        elif is_switch:
            self._return(rows)
        else:
            whom = f"{rows[0].id} is" if len(rows) == 1 else "They are"
            self._board.say(f"{whom} out of service already; return brings them back.")

    def _return(self, rows: Sequence[NodeRow]) -> None:
        ids = [row.id for row in rows]
        acts = {one: ReturnNode(one) for one in ids}
        whom = ids[0] if len(ids) == 1 else text.plural(len(ids), self._board.dialect.terms.words.node)
        named = [] if len(ids) == 1 else [*first_named(ids), ""]
        drivers = count_drivers([row for row in rows if row.state == "DECOMMISSIONED"])
        ends = "ends with the old worker" if drivers == 1 else "end with the old workers"
        loses = [f"loses  {text.plural(drivers, 'driver')}, which {ends}", ""] if drivers else []
        question = ActQuestion("Return", (f"Bring {whom} back into service?", "", *loses, *named), "Bring back")
        self._asker.ask_to_act(question, "Returned {}.", acts, spent=ids)


def _size(row: NodeRow) -> str:
    memory_mb, vcores = row.total
    return f"{memory_mb // 1024}g {vcores}" if memory_mb % 1024 == 0 else f"{memory_mb} {vcores}"


def _drain_question(rows: Sequence[NodeRow], terms: DialogTerms, picture: SessionState) -> ActQuestion | None:
    """None when all are out already (then they come back)."""
    going, is_one, loses = [row for row in rows if not is_out(row)], len(rows) == 1, terms.drain_loses_work
    words = terms.words
    if not going:
        return None
    header, dimensions = picture.snapshot.header, picture.snapshot.header.dimensions
    held, used = format_held(going, words.container), text.amounts(summed([row.used for row in going]), dimensions)
    count = sum(column(going, "containers"))
    end = "it ends" if count == 1 else "they end"
    kept = f"loses  {held}, {used}" if loses else f"keeps  {held}, {used}, until {end}"
    loss = (_lost_executors(going, picture) if loses else []) or ([kept] if count else [])
    taken = text.amounts(summed([row.total if loses else row.free for row in going]), dimensions)
    named = first_named([f"{row.id}  {format_held([row], words.container)}" for row in going])
    which = going[0].id if is_one else text.plural(len(going), words.node)
    rack = "" if isinstance(going[0], WorkerRow) else f"    rack {text.plain(going[0].rack)}"
    lines = [
        f"{terms.drain} {which}{'' if loses else ' out of service' if is_one else ' out'}?",
        "",
        *([f"state  {going[0].state}{rack}"] if is_one else [*named, ""]),
        *loss,
        f"takes  {taken} from the cluster{'' if loses or not count else f' at once, the rest as {end}'}",
        *([] if is_one else [f"leaves {header.nodes - len(going)} of {text.plural(header.nodes, words.node)}"]),
        *([_held(going, is_one=is_one)] if words is YARN or any(map(_is_reserved, going)) else []),
        *left_out(len(rows) - len(going), "out of service already"),
        "",
        *([terms.drained] if is_one else []),
        f"D on {'it' if is_one else 'them'} later brings {'it' if is_one else 'them'} back.",
    ]
    title = f"{terms.drain_title} {f'a {words.node}' if is_one else f'{words.node}s'}"
    acts = {row.id: DrainNode(row.id) for row in going}
    return ActQuestion(title, tuple(lines), f"{terms.drain_title} {'it' if is_one else len(going)}", acts=acts)


def _lost_executors(rows: Sequence[NodeRow], picture: SessionState) -> list[str]:
    """What workers lose that are decommissioned: their executors; drivers run on. Nothing elsewhere."""
    workers = {row.id for row in rows if isinstance(row, WorkerRow)}
    if not workers:
        return []
    gone = [one for one in picture.snapshot.executors() if one.worker in workers]
    used = text.amounts(summed([(one.memory_mb, one.cores) for one in gone]), picture.snapshot.header.dimensions)
    lost, drivers = f"{text.plural(len(gone), 'executor')}, {used}" if gone else "nothing", count_drivers(rows)
    runs_on = f"keeps  {text.plural(drivers, 'driver')}, which {'runs' if drivers == 1 else 'run'} on"
    return [f"loses  {lost}", *([runs_on] if drivers else [])]


def _held(rows: Sequence[NodeRow], *, is_one: bool) -> str:
    holders = [str(row.reserved_by) for row in rows if _is_reserved(row)]
    if not is_one:
        return f"held   {text.plural(len(holders), 'node')} of them by a reservation"
    return f"held   {f'reserved by {text.short_id(holders[0])}' if holders else 'by no reservation'}"


def _is_reserved(row: NodeRow) -> bool:
    return isinstance(row.reserved_by, str)


def _partition_words(partition: str) -> str:
    return f"partition {text.plain(partition)}" if partition else "the default partition"
