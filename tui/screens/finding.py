"""Finding things on the board: filter, sort, problems, matches, command line, palette.

Nothing here changes a cluster: a command becomes the call of an action, and acts are the main screen's.
"""

from typing import Any

from textual import on

from tui import format as text
from tui import messages
from tui.keymap import actions
from tui.render import filter as filtering
from tui.render.arrangement import Arrangement
from tui.render.filter import FilterError, parse
from tui.screens import choices, command
from tui.screens.looking import LookingBoard
from tui.screens.menu import Choice, MenuScreen
from tui.screens.palette import open_palette
from tui.widgets.prompt import Prompt

FILTER, COMMAND = "/", ":"
"""Marks of the prompt."""


class FindingBoard(LookingBoard):
    """A board in which things can be found."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._before: Arrangement | None = None
        self._last_filter: dict[str, filtering.Filter] = {}

    @property
    def pane_name(self) -> str:
        """The pane the keys go to."""
        return self.active.noun.name

    @property
    def prompt(self) -> Prompt:
        """The line to type into."""
        return self.query_one("#prompt", Prompt)

    def _say(self, words: str, severity: str = "warning") -> None:
        self.post_message(messages.Noticed(words, severity))

    def _change(self, **changes: Any) -> None:
        name = self.pane_name
        self.rearrange(name, self.arrangement(name)._replace(**changes))

    # The filter

    def action_filter(self) -> None:
        """Type a filter for the pane."""
        self._before = self.arrangement(self.pane_name)
        names = " ".join(field.name for field in self.fields(self.pane_name)[:4])
        self._open(FILTER, self._before.filter.text, f"word, field:value, -not; {names} ...")

    def action_filter_by(self, words: str) -> None:
        """Filter the pane."""
        problem = self._take_filter(words)
        if problem:
            self._say(problem)

    def action_filter_user(self) -> None:
        """Show the applications of the user of this row only."""
        row = choices.application_at(self.pane_name, self.active.selected, self.picture)
        if row is None:
            self._say("u needs an application: press 1 and choose one.")
        else:
            self.action_show_filtered("applications", f'user:"{row.user}"' if " " in row.user else f"user:{row.user}")

    def action_show_filtered(self, pane: str, words: str) -> None:
        """Go to a pane; words after it are its filter."""
        self.action_show_pane(pane)
        if words and self.pane_name == pane:
            self.action_filter_by(words)

    def _take_filter(self, words: str) -> str:
        """Filter by words; what is wrong with them, or nothing."""
        try:
            found = parse(words, self.fields(self.pane_name))
        except FilterError as error:
            return str(error)
        if found.text:
            self._last_filter[self.pane_name] = found
        self._change(filter=found)
        return ""

    def action_next_match(self, by: int) -> None:
        """Go to the next row that matches the pane's last filter, round the end."""
        wanted = self._last_filter.get(self.pane_name)
        if wanted is None:
            self._say("n goes to the next match: filter with / first.")
            return
        rows, look = self.active.rows, self.look
        count = len(rows)
        for step in range(1, count + 1):
            index = (self.active.cursor_row + by * step) % count
            if wanted.keeps(rows[index], look):
                self.active.go_to(index)
                return
        self._say(f"Nothing here matches {wanted.text}.")

    def action_problems(self) -> None:
        """Show only what is wrong, or everything again."""
        self._change(problems=not self.arrangement(self.pane_name).problems)

    def action_whole(self) -> None:
        """Drop every filter and scope: the whole cluster."""
        for name in self.dialect.titles:
            now = self.arrangement(name)
            self._arrangements[name] = Arrangement(sort=now.sort, reverse=now.reverse)
        self.redraw()

    # The order

    def action_sort_menu(self) -> None:
        """Choose what to sort by."""
        fields = [field for field in self.fields(self.pane_name) if field.letter]
        if not fields:
            self._say("Events stay in the order they happened.")
            return
        some = [Choice(field.letter, field.help, field.name) for field in fields]
        some.append(Choice("-", "the pane's own order", ""))
        menu = MenuScreen("Sort by (again: reverse)", some, ascii_only=self._ascii)
        _ = self.app.push_screen(menu, lambda name: None if name is None else self.action_sort_by(name))

    def action_sort_by(self, name: str) -> None:
        """Sort by a field; the same again turns the order round."""
        if name and name not in {field.name for field in self.fields(self.pane_name) if field.letter}:
            names = ", ".join(field.name for field in self.fields(self.pane_name) if field.letter)
            self._say(f"{name} is nothing to sort by here; there are {names or 'none'}.")
            return
        now = self.arrangement(self.pane_name)
        self._change(sort=name, reverse=bool(name) and now.sort == name and not now.reverse)

    def action_sort_column(self, by: int) -> None:
        """Sort by the next field, or the one before."""
        names = ["", *(field.name for field in self.fields(self.pane_name) if field.letter)]
        now = self.arrangement(self.pane_name)
        self._change(sort=names[(names.index(now.sort) + by) % len(names)], reverse=False)

    def action_reverse(self) -> None:
        """Turn the order round."""
        if self.active.noun.follows:
            self._say("Events stay in the order they happened.")
        else:
            self._change(reverse=not self.arrangement(self.pane_name).reverse)

    # The prompt

    def _open(self, mark: str, words: str, hint: str) -> None:
        self.prompt.open(mark, words, self._completions, hint)
        self.query_one("#hints").display = False

    def _close_prompt(self) -> None:
        self.prompt.close()
        self.query_one("#hints").display = True
        self.set_focus(self.active, scroll_visible=False)

    def names(self) -> command.Names:
        """What can be named now."""
        fields = [f"{field.name}:" for field in self.fields(self.pane_name)]
        if self.picture is None:
            return command.Names(tuple(self.dialect.titles), fields=fields)
        snapshot = self.picture.snapshot
        return command.Names(
            tuple(self.dialect.titles),
            [text.short_id(row.id) for row in snapshot.applications(why=False)],
            [row.path for row in snapshot.queues()],
            [row.id for row in snapshot.nodes()],
            fields,
            [preset.name for preset in self.picture.presets],
            self.dialect.is_standalone,
        )

    def _completions(self, line: str) -> list[str]:
        if self._before is not None:
            head, _, last = line.rpartition(" ")
            space = " " if head else ""
            return [f"{head}{space}{one}" for one in self.names().fields if one.startswith(last)]
        return command.completions(line, self._registry, self.names(), read_only=self._read_only)

    def action_command(self) -> None:
        """Type a command."""
        self._before = None
        self._open(COMMAND, "", "tab completes, up recalls, esc leaves")

    @on(Prompt.Typed)
    def _typed(self, event: Prompt.Typed) -> None:
        if event.mark == FILTER:
            self.prompt.say(self._take_filter(event.text) or f"{text.plural(len(self.active.rows), 'row')}", "dim")
        else:
            found = self._completions(event.text)
            self.prompt.say("  ".join(one.rpartition(" ")[2] for one in found[:12]), "dim")

    @on(Prompt.GivenUp)
    def _given_up(self, event: Prompt.GivenUp) -> None:
        if event.mark == FILTER and self._before is not None:
            self.rearrange(self.pane_name, self._before)
        self._close_prompt()

    @on(Prompt.Entered)
    async def _entered(self, event: Prompt.Entered) -> None:
        if event.mark == FILTER:
            problem = self._take_filter(event.text)
            if problem:
                self.prompt.say(problem)
            else:
                self._close_prompt()
            return
        if not event.text.strip():
            self._close_prompt()
            return
        try:
            call = command.parse(event.text, self._registry, self.names(), read_only=self._read_only)
        except command.CommandError as error:
            self.prompt.say(str(error))
            return
        self._close_prompt()
        await self.run_action(call)

    def action_palette(self) -> None:
        """Choose an action by name."""
        open_palette(self, actions(self._registry, read_only=self._read_only))

    def action_leave(self) -> None:
        """End zoom, else drop the filter."""
        now = self.arrangement(self.pane_name)
        if self._wish.zoomed:
            super().action_leave()
        elif now.filter.text or now.problems:
            self._change(filter=filtering.NOTHING, problems=False)
