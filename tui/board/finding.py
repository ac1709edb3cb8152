"""Chooses the rows of a pane: the filter of `/`, matches, the row's user, problems only, everything again."""

from typing import Any, Final

from engine.observe.snapshot import QueueRow, lazy_rows
from tui.board.board import BoardScreen
from tui.dialogs.forms import Choice, MenuScreen
from tui.panes.arrangement import NOTHING, FilterError, SortFilter, parse
from tui.panes.field import RowField, Scope
from tui.panes.group import GroupedRows, Headline, headline_at
from tui.panes.pane_view import PLOTS, TREE, PaneView, default_render_context
from tui.panes.partition import PARTITION, partition_name, partitions_of
from tui.terminal import format as text
from tui.widgets.prompt import Prompt

MARK = "/"  # The mark of the prompt


def _names_of(row_id: str) -> tuple[str, str, str]:
    """The forms in which an id can be typed: whole, its last number, that number without leading zeros."""
    short = text.short_id(row_id)
    return row_id, short, short.lstrip("0")


class Filtering:
    """The part of the board that chooses rows."""

    def __init__(self, board: BoardScreen, prompt: Prompt) -> None:
        self._board, self._prompt = board, prompt
        self._before: dict[str, SortFilter] = {}  # Table → how its rows were chosen before words were typed

    # The prompt

    def open(self) -> None:
        board = self._board
        self._before = {}
        names = " ".join(field.name for field in self._fields[:4])
        hint = f"word, field:value, -not; {names} ..."
        self._prompt.open(self, MARK, board.arrangement(board.pane_name).filter.text, self._completions, hint)

    @property
    def _fields(self) -> tuple[RowField[Any], ...]:
        return self._board.view(self._board.pane_name).criteria.fields

    def _completions(self, line: str) -> list[str]:
        head, _, last = line.rpartition(" ")
        space = " " if head else ""
        return [f"{head}{space}{field.name}:" for field in self._fields if field.name.startswith(last)]

    def typed(self, words: str) -> None:
        problem = self._take(words)
        count = text.plural(len(self._board.active.members), "row")
        self._prompt.say(problem or count, "faint")

    def entered(self, words: str) -> None:
        problem = self._take(words)
        if problem:
            self._prompt.say(problem)
            return
        self._prompt.close()
        self._go_to_exact(words.strip())

    def _go_to_exact(self, words: str) -> None:
        pane = self._board.active
        found = next((row for row in lazy_rows(pane.members) if words in _names_of(pane.view.identity(row))), None)
        if words and found is not None:
            _ = pane.go_to_id(pane.view.identity(found))

    def given_up(self) -> None:
        self._board.state.arrangements.update(self._before)
        self._board.redraw()
        self._prompt.close()

    # The filter

    def by(self, words: str) -> None:
        problem = self._take(words)
        if problem:
            self._board.say(problem)

    def _take(self, words: str) -> str:
        board = self._board
        name = board.pane_name
        try:
            found = parse(words, self._fields)
        except FilterError as error:
            return str(error)
        table = board.view(name).table
        _ = self._before.setdefault(table, board.arrangement(name))
        if found.text:
            board.state.filters[table] = found
        board.rearrange(name, board.arrangement(name)._replace(filter=found))
        return ""

    def show(self, pane: str, words: str) -> None:
        self._board.perform(f"navigation.show({pane!r})")
        if words and self._board.pane_name == pane:
            self.by(words)

    def next_match(self, by: int) -> None:
        board, pane = self._board, self._board.active
        wanted = board.state.filters.get(pane.view.table)
        if wanted is None:
            board.say("n goes to the next match: filter with / first.")
            return
        look, count = board.look, len(pane.rows)
        for step in range(1, count + 1):
            index = (pane.cursor.at + by * step) % count
            if headline_at(pane.rows, index) is None and wanted.keeps(pane.rows[index], look):
                pane.go_to(index)
                return
        board.say(f"Nothing here matches {wanted.text}.")

    def problems(self) -> None:
        board = self._board
        now = board.arrangement(board.pane_name)
        board.rearrange(board.pane_name, now._replace(problems=not now.problems))

    def drop(self) -> bool:
        board = self._board
        now = board.arrangement(board.pane_name)
        scope = now.scope if board.state.trail else None
        if not (now.filter.text or now.problems or now.scope != scope):
            return False
        board.rearrange(board.pane_name, now._replace(filter=NOTHING, scope=scope, problems=False))
        return True

    def whole(self) -> None:
        state = self._board.state
        state.trail.clear()
        for table, now in state.arrangements.items():
            state.arrangements[table] = now._replace(filter=NOTHING, scope=None, problems=False)
        self._board.redraw()


class Sorting:
    """Orders the rows of a pane: by a field, reversed."""

    def __init__(self, board: BoardScreen) -> None:
        self._board = board

    @property
    def _view(self) -> PaneView[Any]:
        return self._board.view(self._board.pane_name)

    @property
    def _fields(self) -> list[RowField[Any]]:
        return [field for field in self._view.criteria.sortable if field.is_in(self._board.look.dimensions)]

    def _change(self, **changes: Any) -> None:
        board = self._board
        board.active.cursor.was_moved = True
        board.rearrange(board.pane_name, board.arrangement(board.pane_name)._replace(**changes))

    def menu(self) -> None:
        """Choose what to sort by; of graphs, how much of the time they show."""
        if self._view.layout_mode == PLOTS:
            self._board.perform("time_scale.menu")
            return
        look = self._board.look
        some = [Choice(field.letter, field.title(look), field.name) for field in self._fields]
        if not some:
            self._board.say("Events stay in the order they happened.")
            return
        some.append(Choice("-", "the pane's own order", ""))
        menu = MenuScreen("Sort by (again: reverse)", some)
        self._board.choose_in(menu, self.by)

    def by(self, name: str) -> None:
        """Sort by a field; the same again turns the order round."""
        names = [field.name for field in self._fields]
        if name and name not in names:
            self._board.say(f"{name} is nothing to sort by here; there are {', '.join(names) or 'none'}.")
            return
        now = self._board.arrangement(self._board.pane_name)
        self._change(sort=name, reverse=bool(name) and now.sort == name and not now.reverse)

    def column(self, by: int) -> None:
        now = self._board.arrangement(self._board.pane_name)
        if self._view.layout_mode == PLOTS:
            self._board.say("Graphs stay in their order; < and > choose how much of the time they show.")
            return
        names = ["", *(field.name for field in self._fields)]
        self._change(sort=names[(names.index(now.sort) + by) % len(names)], reverse=False)

    def reverse(self) -> None:
        if self._view.is_newest_first:
            self._board.say("Events stay newest first.")
        else:
            self._change(reverse=not self._board.arrangement(self._board.pane_name).reverse)


NO_PARTITIONS: Final = "This cluster has no node labels: all nodes are in one partition."


class Views:
    """Shows panes other ways: nodes by rack or as a map, queues as a tree that folds or as leaves, by partition."""

    def __init__(self, board: BoardScreen) -> None:
        self._board = board

    def next_view(self) -> None:
        board = self._board
        name = board.pane_name
        views = board.dialect.views(name)
        if not views:
            board.say(f"{board.dialect.titles[name]} has one view only.", "information")
            return
        before, row, row_id = board.view(name), board.active.selected, board.active.cursor.id
        board.take_view(name, views[(views.index(before.variant) + 1) % len(views)])
        board.redraw()
        if row is not None and not board.active.go_to_id(row_id or ""):
            self._go_near(before, row)

    def _go_near(self, view: PaneView[Any], row: Any) -> None:
        pane, picture = self._board.active, self._board.state.picture
        for kind, key in view.refers_to(row, default_render_context(picture)):
            if pane.go_to_id(str(key)):
                return
            belongs = pane.view.criteria.scopes.get(kind)
            rows = pane.rows if belongs is not None else ()
            places = (at for at in range(len(rows)) if headline_at(rows, at) is None)
            place = next((at for at in places if belongs and belongs(rows[at], str(key))), None)
            if place is not None:
                pane.go_to(place)
                return

    def next_partition(self) -> None:
        known, scope = self._partitions(), self._board.arrangement("queues").scope
        shown = scope.id if isinstance(scope, Scope) and scope.kind == PARTITION else ""
        if len(known) < 2:
            self._board.say(NO_PARTITIONS, "information")
        else:
            self.partition(["", *known, ""][["", *known].index(shown) + 1])

    def partition(self, name: str = "") -> None:
        """List the queues of a partition by name; `default` is the one without label, empty are all."""
        board, known = self._board, self._partitions()
        if name and name not in known:
            board.say(
                f"There is no partition {name}; there is {', '.join(known)}." if len(known) > 1 else NO_PARTITIONS
            )
            return
        scope = Scope(PARTITION, name) if name else None
        board.rearrange("queues", board.arrangement("queues")._replace(scope=scope))
        board.say(f"Queues of {f'the partition {name}' if name else 'every partition'} are listed.", "information")

    def _partitions(self) -> list[str]:
        return [partition_name(label) for label in partitions_of(self._board.state.picture.snapshot)]

    def shift(self, by: int) -> None:
        """Fold or unfold a queue or a group; elsewhere scroll sideways."""
        board, pane = self._board, self._board.active
        if isinstance(pane.rows, GroupedRows) and pane.rows.grouping.can_fold:
            headline = pane.rows.headline_over(pane.cursor.at)
            if headline.is_folded == (by < 0):
                board.say("left folds a group, right unfolds it.", "information")
            self._fold_group(headline, is_folded=by < 0)
        elif pane.view.layout_mode == TREE and pane.selected is not None:
            self._fold(pane.selected, by=by)
        else:
            board.active.shift(by)

    def _fold_group(self, headline: Headline, *, is_folded: bool) -> None:
        board, pane = self._board, self._board.active
        if headline.is_folded != is_folded:
            board.state.group_folds.setdefault(pane.view.table, {})[headline.group.key] = is_folded
            pane.version = None
            board.redraw()
        if is_folded:
            _ = pane.go_to_id(headline.id)

    def _fold(self, row: QueueRow, *, by: int) -> None:
        board, pane = self._board, self._board.active
        if by > 0:
            board.state.folds.folded.discard(row.path)
        elif row.is_leaf or row.path in board.state.folds.folded:
            before = range(pane.cursor.at - 1, -1, -1)
            pane.go_to(next((place for place in before if pane.rows[place].depth < row.depth), pane.cursor.at))
            return
        else:
            board.state.folds.folded.add(row.path)
        pane.version = None
        board.redraw()
