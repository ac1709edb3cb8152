"""Acts on applications, marked, under the cursor or named by a command: kill, move, rank; and what is asked before."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from engine.errors import nearest
from engine.observe.snapshot import Amounts, ApplicationRow, QueueRow, Snapshot, summed
from engine.observe.snapshots import LIVE_STATES, SPARK, terms_for, translate_terms, waits_of
from engine.observe.spark_snapshot import StandaloneRow
from engine.scenario.acts import KillApplication, MoveApplication, SetPriority
from tui.acts.action_confirmer import ActionConfirmer
from tui.board.board import BoardScreen, Marks, application_named, rows_named
from tui.dialogs.forms import SIGNS, Choice, MenuScreen
from tui.pages.act_sheet import ActQuestion, Fact
from tui.panes.pane_view import applications_at
from tui.protocol.picture import SessionState
from tui.terminal import format as text

NAMED = 5  # Most things that a question names; of the others it gives the number


def live(rows: Sequence[ApplicationRow]) -> list[ApplicationRow]:
    return [row for row in rows if row.state in LIVE_STATES]


def _ended_words(rows: Sequence[ApplicationRow]) -> str:
    if len(rows) == 1:
        return f"{rows[0].id} has already ended ({rows[0].state})."
    return f"All {len(rows)} have already ended."


def leaves(picture: SessionState) -> list[QueueRow]:
    return [row for row in picture.snapshot.queues() if row.is_leaf]


def _movable(rows: Sequence[ApplicationRow], queue: str) -> list[ApplicationRow]:
    return [row for row in live(rows) if row.queue != queue]


def _move_problem(rows: Sequence[ApplicationRow], queue: str, picture: SessionState) -> str:
    """Say why none of some applications can be moved to a queue, as far as a screen knows; else nothing."""
    paths = [one.path for one in leaves(picture)]
    if queue not in paths:
        hint = nearest(queue, paths)
        return f"There is no leaf queue {queue}" + (f"; {hint}" if hint else ".")
    if _movable(rows, queue):
        return ""
    if len(rows) > 1:
        return f"All {len(rows)} have ended or are in {queue} already."
    return f"{rows[0].id} is in {queue} already." if live(rows) else _ended_words(rows)


def _move_question(rows: Sequence[ApplicationRow], queue: str, picture: SessionState) -> ActQuestion:
    going, is_one = _movable(rows, queue), len(rows) == 1
    origins = Counter(row.queue for row in going)
    sources = ", ".join(f"{text.plain(path)} ({count})" for path, count in origins.most_common(3))
    whom = (
        [f"name   {text.plain(going[0].name) or '-'}", f"user   {text.plain(going[0].user)}    state {going[0].state}"]
        if is_one
        else [*first_named([_who(row) for row in going]), ""]
    )
    used = text.amounts(summed([row.used for row in going]), picture.snapshot.header.dimensions)
    carried = f"{text.plural(sum(row.containers for row in going), 'container')}, {used}"
    lines = [
        f"Move {going[0].id if is_one else text.plural(len(going), 'application')}?",
        "",
        *whom,
        f"from   {_queue_words(going[0].queue, picture) if is_one else sources + (' ...' if len(origins) > 3 else '')}",
        f"to     {_queue_words(queue, picture)}",
        f"takes  {carried} with {'it' if is_one else 'them'}",
        *left_out(len(rows) - len(going), "ended or there already"),
        "",
        f"{'Its' if is_one else 'Their'} containers go on.",
    ]
    title, yes = ("Move an application", "Move it") if is_one else ("Move applications", f"Move {len(going)}")
    acts = {row.id: MoveApplication(row.id, queue) for row in going}
    return ActQuestion(title, tuple(lines), yes, acts=acts)


def _queue_words(path: str, picture: SessionState) -> str:
    row = next((one for one in leaves(picture) if one.path == path), None)
    if row is None:
        return text.plain(path)
    dimensions = picture.snapshot.header.dimensions
    used, fair = text.amounts(row.used, dimensions), text.amounts(row.fair_share, dimensions)
    return f"{text.plain(path)}  used {used} of fair share {fair}"


def _who(row: ApplicationRow) -> str:
    return f"{row.id}  {text.plain(row.name) or '-'}, {text.plain(row.user)}"


def first_named(names: Sequence[str]) -> list[str]:
    """The first few, and how many more there are."""
    shown = list(names) if len(names) <= NAMED + 1 else list(names[:NAMED])
    more = [] if len(shown) == len(names) else [f"  and {len(names) - len(shown)} more"]
    return [*(f"  {name}" for name in shown), *more]


def left_out(count: int, why: str) -> list[str]:
    """Say how many of the chosen rows are left out, and why; nothing when none is."""
    return [f"not    {text.plural(count, 'other')}: {why}"] if count else []


NOTHING: Final = (("nothing", ""),)
LOOKED_AT: Final = 40  # Most applications whose work in containers is added up


def _kill_question(rows: Sequence[ApplicationRow], picture: SessionState) -> ActQuestion | None:
    doomed, snapshot = live(rows), picture.snapshot
    if not doomed:
        return None
    words = terms_for(snapshot.header.dimensions)
    title = translate_terms("Kill an application" if len(rows) == 1 else "Kill applications", words)
    if len(rows) == 1:
        (row,) = doomed
        whom, age = text.short_id(row.id), text.duration(snapshot.header.time_ms - row.submitted_ms)
        parts = [text.plain(row.user), text.plain(row.queue) if words.has_queues else "", row.state]
        lines = [f"{whom} {text.plain(row.name)}   {', '.join(filter(None, parts))} {age}", row.id]
    else:
        whom = str(len(doomed))
        users = f"of {_users(doomed)}"
        names = first_named([_who(row) for row in doomed])
        lines = [
            f"{len(doomed)} {words.application}s  {users}",
            *names,
            *left_out(len(rows) - len(doomed), "ended already"),
        ]
    lost, freed = _lost(doomed, snapshot), _freed(doomed, snapshot)
    others_wait = waits_of(snapshot.applications(why=False)).number > waits_of(doomed).number
    question = ActQuestion(title, tuple(lines), f"Kill {whom}", lost or NOTHING, freed or NOTHING)
    return question if others_wait else question._replace(alone="else waits now")


def _users(rows: Sequence[ApplicationRow]) -> str:
    counted = Counter(row.user for row in rows).most_common()
    words = ", ".join(f"{text.plain(user)} ({count})" for user, count in counted[:5])
    return words + (f" and {len(counted) - 5} more" if len(counted) > 5 else "")


def _drivers(rows: Sequence[ApplicationRow]) -> list[Amounts]:
    return [row.driver for row in rows if isinstance(row, StandaloneRow) and any(row.driver)]


def _lost(rows: Sequence[ApplicationRow], snapshot: Snapshot) -> tuple[Fact, ...]:
    found, drivers = _lost_containers(rows, snapshot), _drivers(rows)
    if not drivers:
        return found
    held = text.amounts(summed(drivers), snapshot.header.dimensions)
    return (*found, (text.plural(len(drivers), "driver"), held))


def _lost_containers(rows: Sequence[ApplicationRow], snapshot: Snapshot) -> tuple[Fact, ...]:
    count, dimensions = sum(row.containers for row in rows), snapshot.header.dimensions
    if not count:
        return ()
    used, terms = text.amounts(summed([row.used for row in rows]), dimensions), terms_for(dimensions)
    facts = [(text.plural(count, terms.container), used)]
    if len(rows) > LOOKED_AT:
        return tuple(facts)
    now_ms, ids = snapshot.header.time_ms, {row.id for row in rows}
    held = [one for each in ids for one in snapshot.containers(application=each) if one.state != "RESERVED"]
    if "containers" in snapshot.header.inferred:
        held = []
    begins = [one.since_ms for one in held if isinstance(one.since_ms, int)]
    nodes = {one.node for one in held}
    if not held:
        numbers = {row.number for row in rows}
        executors = [one for one in snapshot.executors() if one.application in numbers]
        begins, nodes = [one.launched_ms for one in executors], {one.worker for one in executors}
    if len(nodes) == 1:
        facts[0] = (facts[0][0], f"{used} on {text.short_node(next(iter(nodes)))}")
    elif nodes:
        facts[0] = (facts[0][0], f"{used} on {text.plural(len(nodes), terms.node)}")
    if begins:
        facts.append((text.duration(sum(now_ms - each for each in begins)), "of work in them"))
    return tuple(facts)


def _freed(rows: Sequence[ApplicationRow], snapshot: Snapshot) -> tuple[Fact, ...]:
    ids, dimensions = {row.id for row in rows}, snapshot.header.dimensions
    facts: list[Fact] = []
    terms = terms_for(dimensions)
    if terms is not SPARK:
        held = [one for one in snapshot.reservations() if one.application in ids]
        free = text.memory(sum(one.free[0] for one in held))
        facts += (
            [(text.plural(len(held), "node"), f"{free} free on {'it' if len(held) == 1 else 'them'}")] if held else []
        )
    used = summed([*(row.used for row in rows), *_drivers(rows)])
    if "map_slots" in dimensions:
        facts += [(text.amounts(used, dimensions), "of slots")] if any(used) else []
        return tuple(facts)
    cores = f"{used[1]} {dimensions[1].removesuffix('s') if used[1] == 1 else dimensions[1]}"
    if terms is SPARK:
        facts.append((cores, "for the list from the top"))
    elif any(used):
        facts.append((text.memory(used[0]), f"of memory, {cores}"))
    paths = {row.queue for row in rows}
    queue = next((one for one in snapshot.queues() if paths == {one.path}), None) if terms.has_queues else None
    if queue is not None and any(used):
        before, after = text.memory(queue.used[0]), text.memory(queue.used[0] - used[0])
        fair = text.memory(queue.fair_share[0]) if isinstance(queue.fair_share, tuple) else "?"
        facts.append((text.short_queue(text.plain(queue.path)), f"{before} → {after} of {fair}"))
    return tuple(facts)


class ApplicationActs:
    """The part of the board that acts on applications; every act names ids, never rows."""

    def __init__(self, board: BoardScreen, asker: ActionConfirmer, marks: Marks) -> None:
        self._board, self._asker, self._marks = board, asker, marks

    def _chosen(self, key: str) -> list[ApplicationRow]:
        picture, view = self._board.state.picture, self._board.active.view
        found = applications_at(view, self._marks.rows(), picture)
        if not found:
            self._board.say(f"{key} needs an application: press 1 and choose one.")
        return found

    def _named(self, names: str) -> list[ApplicationRow]:
        return rows_named(names, application_named, "application", self._board)

    def kill(self) -> None:
        self._kill(self._chosen("K"), tuple(self._board.active.marks))

    def kill_named(self, names: str) -> None:
        rows = self._named(names)
        self._kill(rows, [row.id for row in rows])

    def _kill(self, rows: Sequence[ApplicationRow], spent: Sequence[str]) -> None:
        if not rows:
            return
        question = _kill_question(rows, self._board.state.picture)
        if question is None:
            self._board.say(_ended_words(rows))
        else:
            acts = {row.id: KillApplication(row.id) for row in live(rows)}
            self._asker.ask_to_act(question._replace(acts=acts), "Killed {}.", spent=spent)

    def move(self) -> None:
        board = self._board
        rows = self._chosen("M")
        if not rows:
            return
        if not live(rows):
            board.say(_ended_words(rows))
            return
        leaf_queues = leaves(board.state.picture)
        queues = [queue.path for queue in leaf_queues if any(queue.path != row.queue for row in rows)]
        if not queues:
            board.say("There is no other queue to move it to.")
            return
        some = [Choice(SIGNS[i] if i < len(SIGNS) else "", path, path) for i, path in enumerate(queues)]
        whom = rows[0].id if len(rows) == 1 else text.plural(len(rows), "application")
        names = " ".join(row.id for row in rows)
        self._asker.open(MenuScreen(f"Move {whom} to", some), lambda path: self.move_to(names, path))

    def move_to(self, names: str, queue: str) -> None:
        board = self._board
        rows = self._named(names)
        if not rows:
            return
        problem = _move_problem(rows, queue, board.state.picture)
        if problem:
            board.say(problem)
            return
        question = _move_question(rows, queue, board.state.picture)
        self._asker.ask_to_act(question, f"Moved {{}} to {text.plain(queue)}.", spent=[row.id for row in rows])

    def set_priority(self, name: str, priority: int) -> None:
        rows = self._named(name) if name else self._chosen("priority")
        if not rows:
            return
        if not live(rows):
            self._board.say(_ended_words(rows))
            return
        act = SetPriority(rows[0].id, priority)
        words = f"Give {rows[0].id} {text.plain(rows[0].name)} the priority {priority}?"
        question = ActQuestion("Priority", (words,), f"Priority {priority}", acts={rows[0].id: act})
        self._asker.ask_to_act(question, f"Priority of {{}} is {priority}.", loses=False)
