"""Chooses the rows of a pane: the filter of `/`, matches, the row's user, problems only, everything again."""

from typing import Any

from engine.observe.section import glimpses
from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.field import RowField
from tui.render.filter import NOTHING, FilterError, parse
from tui.render.group import headline_at
from tui.render.noun import application_at
from tui.screens.board import Board
from tui.screens.prompt_line import PromptLine

MARK = "/"
"""The mark of the prompt."""


def _names_of(row_id: str) -> tuple[str, str, str]:
    """The forms in which an id can be typed: whole, its last number, that number without leading zeros."""
    short = text.short_id(row_id)
    return row_id, short, short.lstrip("0")


class Filtering:
    """The part of the board that chooses rows."""

    def __init__(self, board: Board, line: PromptLine) -> None:
        self._board, self._line = board, line
        self._before = Arrangement()
        """How rows were chosen before the prompt was opened."""

    # The prompt

    def open(self) -> None:
        """Type a filter for the pane."""
        board = self._board
        self._before = board.arrangement(board.pane_name)
        names = " ".join(field.name for field in self._fields[:4])
        hint = f"word, field:value, -not; {names} ..."
        self._line.open(self, MARK, self._before.filter.text, self._completions, hint)

    @property
    def _fields(self) -> tuple[RowField[Any], ...]:
        return self._board.noun(self._board.pane_name).criteria.fields

    def _completions(self, line: str) -> list[str]:
        head, _, last = line.rpartition(" ")
        space = " " if head else ""
        return [f"{head}{space}{field.name}:" for field in self._fields if field.name.startswith(last)]

    def typed(self, words: str) -> None:
        """Filter while it is typed."""
        problem = self._take(words)
        count = text.plural(len(self._board.active.members), "row")
        self._line.say(problem or count, "faint")

    def entered(self, words: str) -> None:
        """Keep the filter, or say what is wrong with it."""
        problem = self._take(words)
        if problem:
            self._line.say(problem)
            return
        self._line.close()
        self._go_to_exact(words.strip())

    def _go_to_exact(self, words: str) -> None:
        """Put the cursor on the row whose id is just what was typed, wherever other rows have it too."""
        pane = self._board.active
        found = next((row for row in glimpses(pane.members) if words in _names_of(pane.noun.identity(row))), None)
        if words and found is not None:
            _ = pane.go_to_id(pane.noun.identity(found))

    def given_up(self) -> None:
        """Choose rows as before."""
        self._board.rearrange(self._board.pane_name, self._before)
        self._line.close()

    # The filter

    def by(self, words: str) -> None:
        """Filter the pane."""
        problem = self._take(words)
        if problem:
            self._board.say(problem)

    def _take(self, words: str) -> str:
        """Filter by words; what is wrong with them, or nothing."""
        board = self._board
        name = board.pane_name
        try:
            found = parse(words, self._fields)
        except FilterError as error:
            return str(error)
        if found.text:
            board.state.filters[board.noun(name).table] = found
        board.rearrange(name, board.arrangement(name)._replace(filter=found))
        return ""

    def show(self, pane: str, words: str) -> None:
        """Go to a pane; words after it are its filter."""
        self._board.perform(f"navigation.show({pane!r})")
        if words and self._board.pane_name == pane:
            self.by(words)

    def of_user(self) -> None:
        """Show the applications of the user of this row only."""
        board, row = self._board, self._board.active.selected
        picture = board.state.picture
        found = None if picture is None or row is None else application_at(board.active.noun, row, picture)
        if found is None:
            board.say("u needs an application: press 1 and choose one.")
        else:
            self.show("applications", f'user:"{found.user}"' if " " in found.user else f"user:{found.user}")

    def next_match(self, by: int) -> None:
        """Go to the next row that matches the pane's last filter, round the end."""
        board, pane = self._board, self._board.active
        wanted = board.state.filters.get(pane.noun.table)
        if wanted is None:
            board.say("n goes to the next match: filter with / first.")
            return
        look, count = board.look, len(pane.rows)
        for step in range(1, count + 1):
            index = (pane.cursor_row + by * step) % count
            if headline_at(pane.rows, index) is None and wanted.keeps(pane.rows[index], look):
                pane.go_to(index)
                return
        board.say(f"Nothing here matches {wanted.text}.")

    def problems(self) -> None:
        """Show only what is wrong, or everything again."""
        board = self._board
        now = board.arrangement(board.pane_name)
        board.rearrange(board.pane_name, now._replace(problems=not now.problems))

    def drop(self) -> bool:
        """Drop the pane's filter; False where it has none."""
        board = self._board
        now = board.arrangement(board.pane_name)
        if not (now.filter.text or now.problems):
            return False
        board.rearrange(board.pane_name, now._replace(filter=NOTHING, problems=False))
        return True

    def whole(self) -> None:
        """Drop every filter and scope: the whole cluster."""
        state = self._board.state
        state.trail.clear()
        for table, now in state.arrangements.items():
            state.arrangements[table] = now._replace(filter=NOTHING, scope=None, problems=False)
        self._board.redraw()
