"""The menu of acts: what can be done to the rows; what does not apply to them is there with the reason.

What this kind of cluster never does is left out.
"""

from collections.abc import Sequence
from typing import Any

from engine.observe.service import LIVE_STATES
from engine.observe.system_words import in_words_of, words_of
from tui.keymap import spelled
from tui.picture import Picture
from tui.render.noun import Noun, applications_at, nodes_at, queue_at
from tui.screens.act_questions import next_rule
from tui.screens.board import Board
from tui.screens.dialects import Dialect
from tui.screens.inspection import Inspection
from tui.screens.marks import Marks
from tui.screens.menu import Choice, MenuScreen
from tui.screens.program import BRANCH

IN_THE_PAST = "this is the past; B acts here, esc goes back"


class ActMenu:
    """The part of the board that lists the acts."""

    def __init__(self, board: Board, marks: Marks, inspection: Inspection) -> None:
        self._board, self._marks, self._inspection = board, marks, inspection

    def open(self) -> None:
        """Choose what to do; what does not apply is there with the reason."""
        board = self._board
        picture, options, noun = board.state.picture, board.options, board.active.noun
        if options.read_only or picture is None:
            board.say("Read-only: nothing here changes the cluster.")
            return
        rows, some, words = self._marks.rows(), [], words_of(picture.snapshot.header.dimensions)
        for one in board.dialect.offered(options.registry):
            if one.changes_cluster and not is_unknown_here(one.call, picture, board.dialect):
                reason = why_not(one.call, noun, rows, picture, board.dialect)
                said = in_words_of(one.title if reason else one.help, words)
                some.append(Choice(spelled(one.keys[0]), said, one.call, in_words_of(reason, words)))

        def chosen(call: str | None) -> None:
            if call is not None:
                board.perform(call)

        whom = self._inspection.row_words(noun, rows[0]) if rows else ""
        whom = f"{len(rows)} marked" if board.active.marks else whom
        board.open(MenuScreen(f"Act on {whom}" if whom else "Act", some, ascii_only=options.ascii_only), chosen)


def is_unknown_here(call: str, picture: Picture, dialect: Dialect) -> bool:
    """Whether this kind of cluster, or its scheduler, has no such act at all."""
    header = picture.snapshot.header
    if call == "cluster_acts.toggle_preemption" and not isinstance(header.preemption, bool):
        return True
    has_rule = next_rule(header.reservation_rule) is not None
    return call in dialect.greyed or (call == "cluster_acts.cycle_reservation" and not has_rule)


def why_not(call: str, noun: Noun[Any], rows: Sequence[Any], picture: Picture, dialect: Dialect) -> str:
    """Why an act does not apply to rows of a pane; nothing where it does."""
    if is_unknown_here(call, picture, dialect):
        return dialect.greyed.get(call, "this scheduler has nothing of the kind to switch")
    if picture.run.present_ms is not None and call != BRANCH:
        return IN_THE_PAST
    if call in {"application_acts.kill", "application_acts.move"}:
        return _no_application(noun, rows, picture)
    if call in {"node_acts.drain", "node_acts.resize", "node_acts.label"} and not nodes_at(noun, rows, picture):
        return "needs a node: press 3 and choose one"
    if call == "cluster_acts.edit_queue" and not any(queue_at(noun, row, picture) for row in rows[:1]):
        return "needs a queue: press 2 and choose one"
    if call == BRANCH and picture.run.present_ms is None:
        return "branches from the past: [ and { go there"
    return ""


def _no_application(noun: Noun[Any], rows: Sequence[Any], picture: Picture) -> str:
    some = applications_at(noun, rows, picture)
    if not some:
        return "needs an application: press 1 and choose one"
    if any(row.state in LIVE_STATES for row in some):
        return ""
    return f"{some[0].id} has already ended" if len(some) == 1 else f"all {len(some)} have already ended"
