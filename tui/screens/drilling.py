"""Going deeper on the board and back: queue, its applications, the containers of one, their nodes; or up to the owner.

Every step leaves a crumb; the title of the pane gone to shows the way, and esc takes it back step by step.
"""

from typing import Any, NamedTuple

from rich.cells import cell_len

from tui import format as text
from tui.render import container
from tui.render.arrangement import Arrangement
from tui.render.scope import APPLICATION, NODE, QUEUE, USER, Scope
from tui.screens import leads
from tui.screens.finding import FindingBoard

_KINDS = {"queues": QUEUE, "applications": APPLICATION, "nodes": NODE, "users": USER}
"""Pane → how a step from one of its rows is called in the trail."""


class Crumb(NamedTuple):
    """One step that was taken."""

    pane: str
    """From here …"""
    row_id: str | None
    target: str
    """… to here, and how the rows there were chosen before."""
    arrangement: Arrangement
    label: str
    """What was left, for the trail."""


class DrillingBoard(FindingBoard):
    """A board in which rows lead somewhere."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._crumbs: list[Crumb] = []

    def action_follow(self) -> None:
        """Go into what the row is about; esc comes back."""
        row = self.active.selected
        if self.picture is not None and row is not None:
            scope = self.arrangement(self.pane_name).scope
            self._go(leads.into(self.pane_name, row, self.picture, scope))

    def action_owner(self) -> None:
        """Go to what the row belongs to; esc comes back."""
        row = self.active.selected
        if self.picture is not None and row is not None:
            self._go(leads.owner(self.pane_name, row, self.picture))

    def _go(self, lead: leads.Lead | str) -> None:
        if isinstance(lead, str):
            self._say(lead, "information")
            return
        before = self.arrangement(lead.pane)
        crumb = Crumb(self.pane_name, self.active.cursor_id, lead.pane, before, self._label())
        if lead.scope is not None:
            self._arrangements[lead.pane] = Arrangement(scope=lead.scope)
        self._crumbs.append(crumb)
        self.action_show_pane(lead.pane)
        if not lead.id:
            self.active.go_to(len(self.active.rows) - 1 if self.active.noun.follows else 0)
        elif not self._reveal(lead):
            self._go_back()
            self._say(f"{lead.id} is not there any more.")

    def _label(self) -> str:
        row_id = self.active.cursor_id or ""
        kind = _KINDS.get(self.pane_name, "")
        if self.dialect.is_standalone and self.pane_name == "queues":
            kind = APPLICATION
        if kind:
            return Scope(kind, row_id).text
        word = self.dialect.table(self.pane_name).removesuffix("s")
        return f"{word}:{container.short_id(row_id)}" if self.pane_name == "containers" else word

    def _reveal(self, lead: leads.Lead) -> bool:
        """Put the cursor on a row; a filter that hides it is dropped."""
        if self.active.go_to_id(lead.id):
            return True
        if self.arrangement(lead.pane).is_plain:
            return False
        self.rearrange(lead.pane, Arrangement())
        return self.active.go_to_id(lead.id)

    def _go_back(self) -> None:
        crumb = self._crumbs.pop()
        self._arrangements[crumb.target] = crumb.arrangement
        self.action_show_pane(crumb.pane)
        if crumb.row_id is not None:
            _ = self.active.go_to_id(crumb.row_id)

    def action_leave(self) -> None:
        """End zoom, else drop the filter, else go back to where `enter` was pressed."""
        now = self.arrangement(self.pane_name)
        if self._crumbs and not (self._wish.zoomed or now.filter.text or now.problems):
            self._go_back()
        else:
            super().action_leave()

    def action_whole(self) -> None:
        """Drop every filter and scope: the whole cluster."""
        self._crumbs.clear()
        super().action_whole()

    def way(self, name: str, room: int) -> str:
        """The steps that led to a pane, then how its rows are chosen; the first steps go where there is little room."""
        labels = self._trail(name)
        arrangement = self.arrangement(name)
        words = arrangement.words(" > ".join(labels))
        while len(labels) > 1 and cell_len(words) > room:
            labels = labels[1:]
            words = arrangement.words(" > ".join(["..", *labels]))
        return words

    def _trail(self, name: str) -> list[str]:
        """What was left on the way to a pane, the first step first."""
        labels: list[str] = []
        target = name
        for crumb in reversed(self._crumbs if name == self.pane_name else []):
            if crumb.target != target:
                break
            labels.insert(0, text.plain(crumb.label))
            target = crumb.pane
        return labels

    def steps_back(self, cell: int) -> int:
        """How many steps lead back to what the title names at a cell; 0 where it names none."""
        labels, title = self._trail(self.pane_name), self.title_of(self.pane_name)
        while labels and " > ".join(labels) not in title:
            labels = labels[1:]
        begin = title.find(" > ".join(labels))
        for place, label in enumerate(labels):
            if begin <= cell < begin + len(label):
                return len(labels) - place
            begin += len(label) + len(" > ")
        return 0
