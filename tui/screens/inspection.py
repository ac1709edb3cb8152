"""Looking at one row: why it waits, its events, its definition, all that is known of it, its id to the clipboard."""

import re
from collections.abc import Sequence
from typing import Any

from tui import export, messages
from tui import format as text
from tui.answers import CLUSTER, WhySubject
from tui.picture import APPLICATION as APPLICATION_WORD
from tui.picture import Definition, Picture
from tui.render.event import events_of
from tui.render.facts import fact_lines
from tui.render.noun import (
    PLOTS,
    Lead,
    Noun,
    Reference,
    application_at,
    application_of,
    as_application,
    look_at,
    reference,
)
from tui.render.scope import APPLICATION, NODE, QUEUE, USER
from tui.screens.act_questions import live
from tui.screens.board import Board
from tui.screens.lookup import subject_named
from tui.screens.page import PageScreen
from tui.screens.trail import Trail
from tui.terminal_edge import visible_line


class Inspection:
    """The part of the board that looks at rows one by one; nothing here changes a cluster."""

    def __init__(self, board: Board, trail: Trail) -> None:
        self._board, self._trail = board, trail

    def row_words(self, noun: Noun[Any], row: Any) -> str:
        """The name of a row: its id; for an event that of its application or node."""
        picture = self._board.state.picture
        if not noun.is_newest_first or picture is None:
            return noun.identity(row)
        application = application_at(noun, row, picture)
        node = reference(noun, row, picture, NODE)
        return application.id if application is not None else str(node.key) if node is not None else ""

    def copy_id(self) -> None:
        """Copy the id of the row, through the terminal."""
        pane = self._board.active
        found = "" if pane.selected is None else self.row_words(pane.noun, pane.selected)
        if not found:
            self._board.say("There is nothing to copy here.")
            return
        pane.app.copy_to_clipboard(visible_line(found))
        self._board.say(f"Copied {found}", "information")

    def _named(self, *kinds: str) -> tuple[Reference, Picture] | None:
        """The first thing of these kinds that the row names, and the picture; None where there is none."""
        pane, picture = self._board.active, self._board.state.picture
        if picture is None or pane.selected is None:
            return None
        for one in pane.noun.leads.about(pane.selected, look_at(picture)):
            if one.kind == APPLICATION and APPLICATION in kinds:
                row = application_of(one.key, picture)
                if row is not None:
                    return Reference(APPLICATION, row.number), picture
            elif one.kind in kinds:
                return one, picture
        return None

    def define(self) -> None:
        """Show how the row's queue, node or application was defined."""
        found = self._named(QUEUE, NODE, APPLICATION)
        if found is None:
            self._board.say("This row is about no queue, node or application.")
        else:
            kind, name = _kind_and_name(*found)
            _ = self._board.post_message(messages.DefinitionRequested(kind, name))

    def show_definition(self, definition: Definition) -> None:
        """Show a definition as a page."""
        self._show_page(f"Definition of {definition.name}", definition.lines, definition.ending)

    def events(self) -> None:
        """Go to the events of the row only; esc comes back."""
        found = self._named(QUEUE, NODE, APPLICATION, USER)
        if found is None:
            self._board.say("This row is about no queue, node or application.")
            return
        thing, picture = found
        kind, name = _kind_and_name(thing, picture)
        title = f"{kind} {text.plain(text.short_id(name) if thing.kind == APPLICATION else name)}"
        self._trail.go(Lead("events", scope=events_of(thing, title, picture)))

    def why(self) -> None:
        """Ask why the row's application waits, or who waits at the row's queue or node."""
        found = self._named(QUEUE, NODE, APPLICATION)
        if found is None:
            self._board.say("w needs an application, a queue or a node: choose one.")
        else:
            _ = self._board.post_message(messages.WhyRequested(WhySubject(_word(found[0].kind), str(found[0].key))))

    def fix(self) -> None:
        """Ask what to do so that all that wait start."""
        _ = self._board.post_message(messages.WhyRequested(WhySubject(CLUSTER, "")))

    def why_named(self, name: str) -> None:
        """Ask about an application, a queue or a node by its name."""
        picture = self._board.state.picture
        found = "" if picture is None else subject_named(name, picture)
        if isinstance(found, WhySubject):
            _ = self._board.post_message(messages.WhyRequested(found))
        elif found:
            self._board.say(found)

    def plans(self) -> None:
        """Step through a plan of Spark's Master."""
        pane, picture = self._board.active, self._board.state.picture
        if not self._board.refuse("inspection.plans"):
            row = pane.selected
            found = None if row is None or picture is None else application_at(pane.noun, row, picture)
            _ = self._board.post_message(messages.PlansRequested(None if found is None else found.number))

    def describe(self) -> None:
        """Show all that is known of the row."""
        pane = self._board.active
        if pane.selected is None:
            self._board.say("There is nothing to describe here.")
            return
        facts = pane.noun.facts(pane.selected, self._board.look)
        title = self.row_words(pane.noun, pane.selected) or "event"
        self._show_page(title, fact_lines(facts, min(110, self._board.size.width) - 5), "txt")

    def _show_page(self, title: str, lines: Sequence[str], ending: str) -> None:
        board = self._board
        if board.state.picture is not None and not board.is_covered:  # one page for keys that come in one breath
            stem = export.stem(board.state.picture, re.sub(r"[^\w.-]+", "_", title))
            ascii_only = board.options.ascii_only
            board.open(PageScreen(title, "\n".join(lines), stem=stem, ending=ending, ascii_only=ascii_only))


def idle_calls(board: Board) -> frozenset[str]:
    """Calls of keys that need a row, or one about an application, where the cursor stands on none."""
    pane, picture = board.active, board.state.picture
    if picture is None:
        return frozenset()
    row, works = pane.selected, set()
    kinds = set() if row is None else {one.kind for one in pane.noun.leads.about(row, look_at(picture))}
    application = None if row is None else as_application(pane.noun, row, picture)
    is_ended = application is not None and not live([application])
    if pane.noun.drawn == PLOTS or pane.headline is not None or row is not None:
        works.add("trail.follow")
    if pane.marks or (APPLICATION in kinds and not is_ended):
        works.add("application_acts.kill")
    if kinds & {QUEUE, NODE, APPLICATION}:
        works.add("inspection.why")
    return frozenset({"trail.follow", "application_acts.kill", "inspection.why"} - works)


def _word(kind: str) -> str:
    """The word for a kind of thing in messages."""
    return APPLICATION_WORD if kind == APPLICATION else kind


def _kind_and_name(thing: Reference, picture: Picture) -> tuple[str, str]:
    """A thing as messages name it: its kind, and its path or id."""
    row = application_of(thing.key, picture) if thing.kind == APPLICATION else None
    return _word(thing.kind), str(thing.key) if row is None else row.id
