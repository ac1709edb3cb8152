"""Looking at one row of the board: its id to the clipboard, all that is known of it.

Nothing here changes a cluster.
"""

from typing import Any

import msgspec

from engine.observe.snapshot import ApplicationRow
from tui import format as text
from tui.picture import EventRow
from tui.render.event import told
from tui.screens import choices
from tui.screens.finding import FindingBoard
from tui.screens.menu import PageScreen


class InspectingBoard(FindingBoard):
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

    def action_describe(self) -> None:
        """Show all that is known of the row."""
        row = self.active.selected
        if row is None:
            self._say("There is nothing to describe here.")
            return
        spans = self.active.noun.details(row, self.look)
        lines = ["".join(words for words, _ in line) for line in spans]
        _ = self.app.push_screen(
            PageScreen(self._id_of(row) or "event", "\n".join([*lines, "", *_facts(row)]), ascii_only=self._ascii)
        )


def _facts(row: Any) -> list[str]:
    """Every field of a row as it is, one in a line; an application's asks one by one."""
    record = row.record if isinstance(row, EventRow) else row
    if not isinstance(record, msgspec.Struct):
        return [str(record)]
    lines = []
    for name, value in msgspec.structs.asdict(record).items():
        if isinstance(row, ApplicationRow) and name == "asks" and isinstance(value, tuple):
            lines += [f"{'ask':<20} {_plain(ask)}" for ask in value]
        else:
            lines.append(f"{name:<20} {_plain(value)}")
    return lines


def _plain(value: Any) -> str:
    if isinstance(value, msgspec.Struct):
        return ", ".join(f"{name} {_plain(one)}" for name, one in msgspec.structs.asdict(value).items())
    if isinstance(value, tuple):
        return ", ".join(_plain(one) for one in value)
    return text.plain("-" if value is None else str(getattr(value, "value", value)))
