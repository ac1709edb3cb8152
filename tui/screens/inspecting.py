"""Looking at one row of the board: its id to the clipboard, its definition, its events, all that is known of it.

Nothing here changes a cluster.
"""

import re
from collections.abc import Sequence
from typing import Any

from textual import on

from engine.observe.snapshot import UserRow
from tui import export, messages
from tui.keymap import spelled
from tui.render import help as helping
from tui.render.event import told
from tui.render.facts import facts
from tui.render.pointing import column_at, field_of
from tui.screens import choices
from tui.screens.alerts import alert_choices
from tui.screens.command import VERBS
from tui.screens.help import HelpScreen
from tui.screens.leads import Lead
from tui.screens.menu import Choice, MenuScreen
from tui.screens.moving import application_named
from tui.screens.page import PageScreen
from tui.screens.subjects import Subject, events_of, events_of_user, subject_of
from tui.screens.viewing import ViewingBoard
from tui.view_state import Definition, EventRow
from tui.widgets.pane import RowPane


class InspectingBoard(ViewingBoard):
    """A board whose rows can be looked at one by one."""

    def action_copy_id(self) -> None:
        """Copy the id of the row, through the terminal."""
        row = self.active.selected
        found = self._id_of(row)
        if not found:
            self._say("There is nothing to copy here.")
            return
        self.app.copy_to_clipboard(found)
        self._say(f"Copied {found}", "information")

    def _id_of(self, row: Any) -> str:
        if isinstance(row, EventRow):
            what = choices.application_at(self.pane_name, row, self.picture)
            return what.id if what is not None else told(row, self.look).node or ""
        return "" if row is None else self.active.noun.identity(row)

    def action_define(self) -> None:
        """Show how the row's queue, node or application was defined."""
        subject = self._subject()
        if subject is not None:
            self.post_message(messages.DefinitionRequested(subject.kind, subject.name))

    def _subject(self) -> Subject | None:
        """What the row is about; says so when it is about nothing that has a name."""
        subject = subject_of(self.pane_name, self.active.selected, self.picture)
        if subject is None:
            self._say("This row is about no queue, node or application.")
        return subject

    def show_definition(self, definition: Definition) -> None:
        """Show a definition as a page."""
        self._show_page(f"Definition of {definition.name}", definition.lines, definition.ending)

    def _show_page(self, title: str, lines: Sequence[str], ending: str) -> None:
        if self.picture is not None and self.app.screen is self:  # one page for keys that come in one breath
            stem = export.stem(self.picture, re.sub(r"[^\w.-]+", "_", title))
            page = PageScreen(title, "\n".join(lines), stem=stem, ending=ending, ascii_only=self._ascii)
            _ = self.app.push_screen(page)

    def action_row_events(self) -> None:
        """Go to the events of the row only; esc comes back."""
        row, picture = self.active.selected, self.picture
        if picture is not None and isinstance(row, UserRow):
            self._go(Lead("events", scope=events_of_user(row.user, picture)))
            return
        subject = self._subject()
        if subject is not None and picture is not None:
            self._go(Lead("events", scope=events_of(subject, picture)))

    def action_describe(self) -> None:
        """Show all that is known of the row."""
        row = self.active.selected
        if row is None:
            self._say("There is nothing to describe here.")
            return
        self._show_page(self._id_of(row) or "event", facts(row, self.look, min(110, self.size.width) - 5), "txt")

    def action_columns(self, start: int = 0) -> None:
        """Leave columns of the pane out, or show them again, one after the other until esc; the first one stays."""
        pane, every = self.active, self.dialect.nouns[self.pane_name].columns
        titles = [column.title for column in every[1:] if column.title]
        if not titles:
            self._say("This pane has no columns to choose from.", "information")
            return
        shown = {column.title for column in pane.noun.columns}
        some = [Choice("", f"{'+' if one in shown else ' '} {one}", one) for one in titles]

        def chosen(title: str | None) -> None:
            if title is not None:
                wanted = shown ^ {title}
                pane.take_columns([one for one in every if one.title in wanted or one is every[0]])
                self.action_columns(titles.index(title))

        menu = MenuScreen("Columns (+ is shown)", some, start=start, ascii_only=self._ascii)
        _ = self.app.push_screen(menu, chosen)

    def action_alerts(self) -> None:
        """List what was found to be wrong so far; go to the application that one is about."""
        some = [] if self.picture is None else alert_choices(self.picture)
        if not some:
            self._say("Nothing was found to be wrong so far.", "information")
            return
        menu = MenuScreen("Alerts, the latest first", some, ascii_only=self._ascii)
        _ = self.app.push_screen(menu, self._go_to_application)

    def _go_to_application(self, number: str | None) -> None:
        row = None if number is None or self.picture is None else application_named(number, self.picture)
        if row is not None:
            self._go(Lead("applications", row.id))
        elif number:
            self._say(f"Application {number} is not there any more.")

    def action_themes(self) -> None:
        """Choose a theme; each is tried while the cursor is on it."""
        self.post_message(messages.ThemesRequested())

    def action_choose_theme(self, name: str) -> None:
        """Take a theme for as long as the program runs."""
        self.post_message(messages.ThemeChosen(name))

    def action_help(self) -> None:
        """Show all keys and commands, those of the pane first."""
        keys = {action.id: spelled(action.keys[0]) for action in self._registry}
        pane = self.pane_name
        here = helping.of_pane(pane, self.dialect.titles[pane][2:], self.fields(pane), keys)
        commands = helping.of_commands([(verb.usage, verb.help) for verb in VERBS])
        sections = [here, *helping.of_actions(self._registry, self._reasons()), commands]

        async def chosen(call: str | None) -> None:
            if call:
                await self.run_action(call)

        _ = self.app.push_screen(HelpScreen(sections, ascii_only=self._ascii), chosen)

    def _reasons(self) -> dict[str, str]:
        """What a key would call → why it does nothing now."""
        acts = [action.call for action in self._registry if action.changes_cluster]
        off: dict[str, str] = {}
        if self._read_only:
            off = dict.fromkeys(acts, "Read-only: acts are off")
        elif self.picture is not None and self.picture.run.present_ms is not None:
            off = dict.fromkeys((call for call in acts if call != "branch"), "This is the past: esc goes back")
        return {**off, **self.dialect.greyed}

    # The mouse

    @on(RowPane.Pointed)
    async def _pointed(self, event: RowPane.Pointed) -> None:
        if event.pane is not self.active:
            return
        if event.what == "head":
            self._sort_by_head(event.pane, event.cell)
        elif event.what == "title":
            self._go_by_title(event.cell, event.times)
        else:
            await self.run_action("follow")

    def _sort_by_head(self, pane: RowPane[Any], cell: int) -> None:
        title = column_at(pane.placed, cell)
        name = field_of(title, [field.name for field in self.fields(self.pane_name) if field.letter])
        if name:
            self.action_sort_by(name)
        elif title:
            self._say(f"{title} is nothing to sort by.", "information")

    def _go_by_title(self, cell: int, times: int) -> None:
        """Back to where a step of the way was left; zoom by two clicks."""
        steps = self.steps_back(cell)
        for _ in range(steps):
            self._go_back()
        if not steps and times == 2:
            self.action_zoom()
