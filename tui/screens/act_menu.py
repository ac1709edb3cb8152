"""The menu of acts: those that can be done to the rows now. The key of any other act says why it does nothing."""

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


class ActMenu:
    """The part of the board that lists the acts."""

    def __init__(self, board: Board, marks: Marks, inspection: Inspection) -> None:
        self._board, self._marks, self._inspection = board, marks, inspection

    def open(self) -> None:
        """Choose what to do."""
        board = self._board
        picture, options = board.state.picture, board.options
        if picture is None or (options.read_only and not picture.run.is_watched):
            board.say("Read-only: nothing here changes the cluster.")
            return
        rows, words = self._marks.rows(), words_of(picture.snapshot.header.dimensions)
        some = [
            Choice(spelled(one.keys[0]), in_words_of(one.help, words), one.call)
            for one in board.dialect.offered(options.registry)
            if (one.call == BRANCH or (one.changes_cluster and not options.read_only))
            and is_offered(one.call, board.active.noun, rows, picture, board.dialect)
        ]

        def chosen(call: str | None) -> None:
            if call is not None:
                board.perform(call)

        whom = self._inspection.row_words(board.active.noun, rows[0]) if rows else ""
        whom = f"{len(rows)} marked" if board.active.marks else whom
        board.open(MenuScreen(f"Act on {whom}" if whom else "Act", some, ascii_only=options.ascii_only), chosen)


def is_offered(call: str, noun: Noun[Any], rows: Sequence[Any], picture: Picture, dialect: Dialect) -> bool:
    """Tell whether an act can be done to rows of a pane, on this kind of cluster, at the instant shown."""
    header, is_past = picture.snapshot.header, picture.run.present_ms is not None
    if call == BRANCH:
        return is_past or picture.run.is_watched
    if call in dialect.greyed or is_past:
        return False
    if call == "cluster_acts.toggle_preemption":
        return isinstance(header.preemption, bool)
    if call == "cluster_acts.cycle_reservation":
        return next_rule(header.reservation_rule) is not None
    if call in {"application_acts.kill", "application_acts.move"}:
        return any(row.state in LIVE_STATES for row in applications_at(noun, rows, picture))
    if call in {"node_acts.drain", "node_acts.resize", "node_acts.label"}:
        return bool(nodes_at(noun, rows, picture))
    return call != "cluster_acts.edit_queue" or any(queue_at(noun, row, picture) for row in rows[:1])
