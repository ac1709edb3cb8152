"""Looking at one row: why it waits, its events, its definition, all that is known of it, its id to the clipboard."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from engine.explain.alert import Episode
from engine.observe.snapshots import LIVE_STATES, translate_terms
from tui.acts.action_confirmer import ActionConfirmer
from tui.acts.applications import live
from tui.acts.cluster import next_rule
from tui.acts.command import VERBS
from tui.board.board import READ_ONLY, BoardScreen, Marks, application_named, subject_named
from tui.board.dialects import Dialect
from tui.dialogs.forms import Choice, MenuScreen
from tui.keymap import spelled
from tui.pages import help as helping
from tui.pages.alerts import listed
from tui.pages.remedy_table import best_remedy, started_words
from tui.panes import export
from tui.panes.events import events_of
from tui.panes.field import APPLICATION, NODE, QUEUE, USER, fact_lines
from tui.panes.pane_view import (
    PLOTS,
    NavigationTarget,
    PaneView,
    Reference,
    application_at,
    application_of,
    applications_at,
    as_application,
    default_render_context,
    nodes_at,
    queue_at,
    reference,
)
from tui.protocol import messages
from tui.protocol.picture import CLUSTER, Definition, SessionState, WhySubject
from tui.screens.alerts import AlertsScreen, leads_to
from tui.screens.navigation import Trail
from tui.screens.page import HelpScreen, PageScreen
from tui.terminal import format as text
from tui.terminal.edges import visible_line
from tui.terminal.format import ARROW


class Inspection:
    """The part of the board that looks at rows one by one; nothing here changes a cluster."""

    def __init__(self, board: BoardScreen, trail: Trail) -> None:
        self._board, self._trail = board, trail

    def row_words(self, view: PaneView[Any], row: Any) -> str:
        """The name of a row: its id; for an event that of its application or node."""
        picture = self._board.state.picture
        if not view.is_newest_first:
            return view.identity(row)
        application = application_at(view, row, picture)
        node = reference(view, row, picture, NODE)
        return application.id if application is not None else str(node.key) if node is not None else ""

    def copy_id(self) -> None:
        pane = self._board.active
        found = "" if pane.selected is None else self.row_words(pane.view, pane.selected)
        if not found:
            self._board.say("There is nothing to copy here.")
            return
        pane.app.copy_to_clipboard(visible_line(found))
        self._board.say(f"Copied {found}", "information")

    def _named(self, *kinds: str) -> tuple[Reference, SessionState] | None:
        pane, picture = self._board.active, self._board.state.picture
        if pane.selected is None:
            return None
        for one in pane.view.refers_to(pane.selected, default_render_context(picture)):
            if one.kind == APPLICATION and APPLICATION in kinds:
                row = application_of(one.key, picture)
                if row is not None:
                    return Reference(APPLICATION, row.number), picture
            elif one.kind in kinds:
                return one, picture
        return None

    def define(self) -> None:
        found = self._named(QUEUE, NODE, APPLICATION)
        if found is None:
            self._say("This row is about no queue, node or application.")
        else:
            call = messages.AppCalled("program.show_definition", found[0].kind, _name(*found))
            _ = self._board.post_message(call)

    def show_definition(self, definition: Definition) -> None:
        self._show_page(f"Definition of {definition.name}", definition.lines, definition.ending)

    def events(self) -> None:
        found = self._named(QUEUE, NODE, APPLICATION, USER)
        if found is None:
            self._say("This row is about no queue, node or application.")
            return
        thing, picture = found
        name = _name(thing, picture)
        title = f"{thing.kind} {text.plain(text.short_id(name) if thing.kind == APPLICATION else name)}"
        self._trail.go(NavigationTarget("events", scope=events_of(thing, title, picture)))

    def why(self) -> None:
        found = self._named(QUEUE, NODE, APPLICATION)
        if found is None:
            self._say("w needs an application, a queue or a node: choose one.")
        else:
            _ = self._board.post_message(messages.WhyRequested(WhySubject(found[0].kind, str(found[0].key))))

    def _say(self, sentence: str) -> None:
        self._board.say(translate_terms(sentence, self._board.look.terms))

    def fix(self) -> None:
        _ = self._board.post_message(messages.WhyRequested(WhySubject(CLUSTER, "")))

    def why_named(self, name: str) -> None:
        found = subject_named(name, self._board.state.picture)
        if isinstance(found, WhySubject):
            _ = self._board.post_message(messages.WhyRequested(found))
        else:
            self._board.say(found)

    def plans(self) -> None:
        pane, picture = self._board.active, self._board.state.picture
        row = pane.selected
        found = None if row is None else application_at(pane.view, row, picture)
        _ = self._board.post_message(messages.AppCalled("program.show_plans", None if found is None else found.number))

    def describe(self) -> None:
        pane = self._board.active
        if pane.selected is None:
            self._board.say("There is nothing to describe here.")
            return
        facts = pane.view.facts(pane.selected, self._board.look)
        title = self.row_words(pane.view, pane.selected) or "event"
        self._show_page(title, fact_lines(facts, min(110, self._board.size.width) - 5), "txt")

    def _show_page(self, title: str, lines: Sequence[str], ending: str) -> None:
        board = self._board
        if board.is_active:  # one page for keys that come in one breath
            stem = export.stem(board.state.picture, re.sub(r"[^\w.-]+", "_", title))
            board.open(PageScreen(title, "\n".join(lines), stem=stem, ending=ending))


_NEED_ROW: Final = {
    "trail.follow": "no row here",
    "application_acts.kill": "nothing to kill here",
    "inspection.why": "not of this row",
}  # Call of a key that needs a row, or one about an application → why it does nothing where the cursor stands on none


def idle_calls(board: BoardScreen) -> dict[str, str]:
    """Calls of keys that need a row where the cursor stands on none → why they do nothing."""
    pane, picture = board.active, board.state.picture
    row, works = pane.selected, set()
    kinds = set() if row is None else {one.kind for one in pane.view.refers_to(row, default_render_context(picture))}
    application = None if row is None else as_application(pane.view, row, picture)
    is_ended = application is not None and not live([application])
    if pane.view.layout_mode == PLOTS or pane.headline is not None or row is not None:
        works.add("trail.follow")
    if pane.marks or (APPLICATION in kinds and not is_ended):
        works.add("application_acts.kill")
    if kinds & {QUEUE, NODE, APPLICATION}:
        works.add("inspection.why")
    return {call: words for call, words in _NEED_ROW.items() if call not in works}


def _name(thing: Reference, picture: SessionState) -> str:
    row = application_of(thing.key, picture) if thing.kind == APPLICATION else None
    return str(thing.key) if row is None else row.id


BRANCH = "cluster_acts.branch"  # The one act of the past, and of what is watched: there it makes a simulation


class Program:
    """What is not about the cluster: help, columns, alerts, saving, leaving."""

    def __init__(
        self, board: BoardScreen, trail: Trail, asker: ActionConfirmer, screen_lines: Callable[[], list[str]]
    ) -> None:
        """`screen_lines` gives the screen as it is drawn, as text."""
        self._board, self._trail, self._asker = board, trail, asker
        self._screen_lines = screen_lines

    def help(self) -> None:
        board = self._board
        registry = board.dialect.offered(board.options.registry)
        keys = {action.id: spelled(action.keys[0]) for action in registry}
        here = helping.of_pane(board.view(board.pane_name), keys)
        commands = helping.of_commands(
            [(verb.usage, verb.help) for verb in VERBS if verb.target not in board.dialect.absent]
        )
        badges = helping.of_badges(board.dialect.terms.of_badges())
        sections = [here, *helping.of_actions(registry, self._reasons()), commands]
        words = board.look.terms
        sections = [helping.in_words(each, words) for each in sections]
        sections += [badges, helping.of_terms()]

        reasons, named = {**self._reasons(), **self._idle()}, self._named()
        known = board.dialect.at_work(board.options.registry)
        board.choose_in(
            HelpScreen(sections, partial(helping.overview, known, reasons, named, terms=words)), board.perform
        )

    def _named(self) -> dict[str, str]:
        board, picture = self._board, self._board.state.picture
        pane, terms = board.active, board.dialect.terms
        drains = {"drain": f"{terms.drain_title.lower()} the {terms.words.node}"} if terms.drain_loses_work else {}
        row = None if pane.selected is None else as_application(pane.view, pane.selected, picture)
        if row is None:
            return drains
        number, header = text.short_id(row.id), picture.snapshot.header
        remedies, starts = board.state.remedies, ""
        best = best_remedy(remedies)
        if remedies is not None and best is not None and best.application == row.id:
            starts = f": {started_words(best, remedies)}"
        found = {"kill": f"kill {number}{starts}", "why": f"why {number} waits", "move": f"move {number} to a queue"}
        rule = next_rule(header.reservation_rule)
        if rule is not None:
            found["reservation"] = f"reservation rule {ARROW} {rule}"
        if isinstance(header.preemption, bool):
            found["preemption"] = f"preemption {ARROW} {'off' if header.preemption else 'on'}"
        return found | drains

    def _idle(self) -> dict[str, str]:
        board, picture = self._board, self._board.state.picture
        found = idle_calls(board)
        rows = [] if board.active.selected is None else [board.active.selected]
        for call, words in _NOT_OFFERED.items():
            if not _is_offered(call, board.active.view, rows, picture, board.dialect):
                found[call] = words
        if not board.state.is_past:
            found["clock.travel('mark.on')"] = "this is the present"
        if board.arrangement(board.pane_name).is_plain:
            found["filtering.whole"] = "there is none"
        if not board.state.can_undo:
            found["undoing.undo"] = "there was no act yet"
        if not board.state.can_redo:
            found["undoing.redo"] = "nothing was undone"
        return found

    def _reasons(self) -> dict[str, str]:
        board = self._board
        acts = [action.call for action in board.options.registry if action.changes_cluster]
        off: dict[str, str] = {}
        if board.options.read_only:
            off = dict.fromkeys(acts, "Read-only: acts are off")
            if board.state.picture.run.is_watched:
                del off[BRANCH]
        elif board.state.is_past:
            off = dict.fromkeys((call for call in acts if call != BRANCH), "This is the past: esc goes back")
        return {**off, **board.dialect.greyed}

    def columns(self, start: int = 0) -> None:
        """Leave columns of the pane out, or show them again, one after the other until esc; the first one stays."""
        board, pane = self._board, self._board.active
        view = board.view(board.pane_name)
        every = view.every_column or view.columns
        titles = [column.title for column in every[1:] if column.title]
        if not titles:
            board.say("This pane has no columns to choose from.", "information")
            return
        shown = {column.title for column in pane.columns}
        cramped = shown - {one.column.title for one in pane.placed}
        some = [
            Choice(
                "",
                f"{'+' if one in shown else ' '} {one}{'  (no room at this width)' if one in cramped else ''}",
                one,
            )
            for one in titles
        ]

        def chosen(title: str) -> None:
            wanted = shown ^ {title}
            pane.take_columns([one for one in every if one.title in wanted or one is every[0]])
            self.columns(titles.index(title))

        board.choose_in(MenuScreen("Columns (+ is shown)", some, start=start), chosen)

    def alerts(self) -> None:
        board, picture = self._board, self._board.state.picture
        terms = board.dialect.terms.of_badges()
        if not listed(picture, terms):
            board.say("There was no alert so far.", "information")
            return
        is_past, is_live = picture.run.present_ms is not None, picture.run.reception is not None
        clock = "PAST" if is_past else "LIVE" if is_live else "paused"
        styles, look, state = board.options.styles, board.look, board.state
        screen = AlertsScreen(picture, styles, look, terms, state.muted, clock=clock, thaw=state.thaw)
        self._asker.open(screen, self._go_to_alert)

    def _go_to_alert(self, episode: Episode) -> None:
        picture, alert = self._board.state.picture, episode.alert
        if picture.run.track is not None:
            where = text.since_start(leads_to(episode) - picture.run.track.start_ms)
            _ = self._board.post_message(messages.AppCalled("clock.travel", where))
        row = application_named(str(alert.applications[0]), picture) if alert.applications else None
        if row is not None:
            self._trail.go(NavigationTarget("applications", row.id))

    def save_table(self) -> None:
        pane, picture = self._board.active, self._board.state.picture
        name = pane.view.table
        files = export.table_files(name, pane.members, picture, self._board.look)
        _ = self._board.post_message(messages.SaveRequested(export.stem(picture, name), files))

    def save_screen(self) -> None:
        picture, app = self._board.state.picture, self._board.active.app
        files = {"svg": app.export_screenshot(), "txt": "\n".join(self._screen_lines()) + "\n"}
        _ = self._board.post_message(messages.SaveRequested(export.stem(picture, "screen"), files))

    def quit(self) -> None:
        self._board.active.app.exit()


_NOT_OFFERED: Final = {
    BRANCH: "only in the past",
    "application_acts.kill": "it does not run",
    "application_acts.move": "no running application here",
    "node_acts.drain": "on pane 3",
    "node_acts.resize": "on pane 3",
    "cluster_acts.toggle_preemption": "it has no such setting",
    "cluster_acts.cycle_reservation": "it has no such rule",
    "cluster_acts.edit_queue": "no queue here",
}  # Call of an act → why it is not offered


class ActMenu:
    """Lists the acts that can be done to the rows now; the key of any other says why it does nothing."""

    def __init__(self, board: BoardScreen, marks: Marks, inspection: Inspection) -> None:
        self._board, self._marks, self._inspection = board, marks, inspection

    def open(self) -> None:
        board = self._board
        picture, options = board.state.picture, board.options
        if options.read_only and not picture.run.is_watched:
            board.say(READ_ONLY)
            return
        rows, words = self._marks.rows(), board.look.terms
        some = [
            Choice(spelled(one.keys[0]), translate_terms(one.help, words), one.call)
            for one in board.dialect.offered(options.registry)
            if (one.call == BRANCH or (one.changes_cluster and not options.read_only))
            and _is_offered(one.call, board.active.view, rows, picture, board.dialect)
        ]

        whom = self._inspection.row_words(board.active.view, rows[0]) if rows else ""
        whom = f"{len(rows)} marked" if board.active.marks else whom
        whom = text.short_id(whom) if whom.startswith(("app", "job")) else whom
        title = f"Acts on {whom} and on the cluster" if whom else "Acts on the cluster"
        board.choose_in(MenuScreen(title, some), board.perform)


def _is_offered(call: str, view: PaneView[Any], rows: Sequence[Any], picture: SessionState, dialect: Dialect) -> bool:
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
        return any(row.state in LIVE_STATES for row in applications_at(view, rows, picture))
    if call in {"node_acts.drain", "node_acts.resize", "node_acts.label"}:
        return bool(nodes_at(view, rows, picture))
    return call != "cluster_acts.edit_queue" or any(queue_at(view, row, picture) for row in rows[:1])
