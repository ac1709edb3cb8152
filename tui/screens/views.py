"""Views of a pane: nodes as a list, by rack or as a map; queues as a tree that folds, or its leaves alone."""

from typing import Any, Final

from engine.observe.snapshot import Amounts
from tui.render.capacity_queue import partitions_of
from tui.render.group import GroupedRows, Headline, headline_at
from tui.render.noun import TREE, Noun, look_at
from tui.screens.board import Board

DEFAULT: Final = "default"
"""What the partition without label is called."""

NO_PARTITIONS: Final = "This cluster has no node labels: all nodes are in one partition."


class Views:
    """The part of the board that shows panes in other ways."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def next_view(self) -> None:
        """See the pane in its next view; the cursor stays on what it is on."""
        board = self._board
        name = board.pane_name
        views = board.dialect.views(name)
        if not views:
            board.say(f"{board.dialect.titles[name]} has one view only.", "information")
            return
        before, row, row_id = board.noun(name), board.active.selected, board.active.cursor_id
        board.take_view(name, views[(views.index(before.view) + 1) % len(views)])
        board.redraw()
        if row is not None and not board.active.go_to_id(row_id or ""):
            self._go_near(before, row)

    def _go_near(self, noun: Noun[Any], row: Any) -> None:
        """Put the cursor on what a row of another view names, or on the first row that belongs to it."""
        pane, picture = self._board.active, self._board.state.picture
        if picture is None:
            return
        for kind, key in noun.leads.about(row, look_at(picture)):
            if pane.go_to_id(str(key)):
                return
            belongs = pane.noun.criteria.scopes.get(kind)
            rows = pane.rows if belongs is not None else ()
            places = (at for at in range(len(rows)) if headline_at(rows, at) is None)
            place = next((at for at in places if belongs and belongs(rows[at], str(key))), None)
            if place is not None:
                pane.go_to(place)
                return

    def next_partition(self) -> None:
        """Show the queues' shares of the next partition."""
        known = list(self._partitions())
        if len(known) < 2:
            self._board.say(NO_PARTITIONS, "information")
        else:
            shown = self._board.look.partition
            self._show_partition(known[(known.index(shown) + 1) % len(known)] if shown in known else "")

    def partition(self, name: str) -> None:
        """Show the queues' shares of a partition by name; `default` is the one without label."""
        label, known = "" if name == DEFAULT else name, self._partitions()
        if label in known:
            self._show_partition(label)
        else:
            names = ", ".join(one or DEFAULT for one in known)
            self._board.say(f"There is no partition {name}; there is {names}." if len(known) > 1 else NO_PARTITIONS)

    def _partitions(self) -> dict[str, Amounts]:
        picture = self._board.state.picture
        return {} if picture is None else partitions_of(picture.snapshot)

    def _show_partition(self, label: str) -> None:
        self._board.state.partition = label
        if "queues" in self._board.dialect.panes:
            self._board.pane("queues").version = None
        self._board.say(f"Queues show their shares of the partition {label or DEFAULT}.", "information")
        self._board.redraw()

    def shift(self, by: int) -> None:
        """Fold or unfold a queue or a group; elsewhere scroll sideways."""
        board, pane = self._board, self._board.active
        if isinstance(pane.rows, GroupedRows) and pane.rows.grouping.can_fold:
            headline = pane.rows.headline_over(pane.cursor_row)
            if headline.is_folded == (by < 0):
                board.say("left folds a group, right unfolds it.", "information")
            self._fold_group(headline, is_folded=by < 0)
        elif pane.noun.drawn == TREE and pane.selected is not None:
            self._fold(pane.selected.path, is_leaf=pane.selected.is_leaf, by=by)
        else:
            board.active.shift(by)

    def _fold_group(self, headline: Headline, *, is_folded: bool) -> None:
        """Show only the headline of a group, or its rows too; the cursor stays in the group."""
        board, pane = self._board, self._board.active
        if headline.is_folded != is_folded:
            board.state.group_folds.setdefault(pane.noun.table, {})[headline.group.key] = is_folded
            pane.version = None
            board.redraw()
        if is_folded:
            _ = pane.go_to_id(headline.id)

    def _fold(self, path: str, *, is_leaf: bool, by: int) -> None:
        board = self._board
        if by > 0:
            board.state.folds.unfold(path)
        elif is_leaf or path in board.state.folds.folded:
            _ = board.active.go_to_id(path.rpartition(".")[0] or path)
            return
        else:
            board.state.folds.fold(path)
        board.active.version = None
        board.redraw()
