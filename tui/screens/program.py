"""Acts that are not about the cluster: help, columns, alerts, themes, saving, leaving."""

from collections.abc import Callable

from engine.explain.alert import Alert
from engine.observe.system_words import words_of
from tui import export, messages
from tui.keymap import spelled
from tui.render import help as helping
from tui.render.alerts import listed
from tui.render.noun import Lead
from tui.screens.alerts import AlertsScreen
from tui.screens.asking import Asker
from tui.screens.board import Board
from tui.screens.command import VERBS
from tui.screens.help import HelpScreen
from tui.screens.lookup import application_named
from tui.screens.menu import Choice, MenuScreen
from tui.screens.trail import Trail

BRANCH = "cluster_acts.branch"
"""The one act of the past, and of what is watched: there it makes a simulation."""


class Program:
    """The part of the board that is about the program itself."""

    def __init__(self, board: Board, trail: Trail, asker: Asker, screen_lines: Callable[[], list[str]]) -> None:
        """`screen_lines` gives the screen as it is drawn, as text."""
        self._board, self._trail, self._asker = board, trail, asker
        self._screen_lines = screen_lines

    def help(self) -> None:
        """Show all keys and commands, those of the pane first."""
        board = self._board
        registry = board.dialect.offered(board.options.registry)
        keys = {action.id: spelled(action.keys[0]) for action in registry}
        here = helping.of_pane(board.noun(board.pane_name), keys)
        commands = helping.of_commands(
            [(verb.usage, verb.help) for verb in VERBS if verb.target not in board.dialect.absent]
        )
        badges = helping.of_badges(board.dialect.terms.of_badges())
        sections = [here, *helping.of_actions(registry, self._reasons()), commands]
        if board.state.picture is not None:
            words = words_of(board.state.picture.snapshot.header.dimensions)
            sections = [helping.in_words(each, words) for each in sections]
        sections += [badges, helping.of_terms()]

        def chosen(call: str | None) -> None:
            if call:
                board.perform(call)

        board.open(HelpScreen(sections, ascii_only=board.options.ascii_only), chosen)

    def _reasons(self) -> dict[str, str]:
        """Call of a key → the reason why it does nothing at this moment."""
        board = self._board
        acts = [action.call for action in board.options.registry if action.changes_cluster]
        off: dict[str, str] = {}
        if board.options.read_only:
            off = dict.fromkeys(acts, "Read-only: acts are off")
            if board.state.picture is not None and board.state.picture.run.is_watched:
                del off[BRANCH]
        elif board.state.is_past:
            off = dict.fromkeys((call for call in acts if call != BRANCH), "This is the past: esc goes back")
        return {**off, **board.dialect.greyed}

    def columns(self, start: int = 0) -> None:
        """Leave columns of the pane out, or show them again, one after the other until esc; the first one stays."""
        board, pane = self._board, self._board.active
        noun = board.noun(board.pane_name)
        every = noun.shape.every_column or noun.shape.columns
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

        def chosen(title: str | None) -> None:
            if title is not None:
                wanted = shown ^ {title}
                pane.take_columns([one for one in every if one.title in wanted or one is every[0]])
                self.columns(titles.index(title))

        ascii_only = board.options.ascii_only
        board.open(MenuScreen("Columns (+ is shown)", some, start=start, ascii_only=ascii_only), chosen)

    def alerts(self) -> None:
        """List the alerts so far; go to where and when one formed."""
        board, picture = self._board, self._board.state.picture
        terms = board.dialect.terms.of_badges()
        if picture is None or not listed(picture, terms):
            board.say("There was no alert so far.", "information")
            return
        is_past, is_live = picture.run.present_ms is not None, picture.run.reception is not None
        clock = "PAST" if is_past else "LIVE" if is_live else "paused"
        styles, ascii_only = board.options.styles, board.options.ascii_only
        screen = AlertsScreen(picture, styles, board.look, terms, board.state.muted, clock=clock, ascii_only=ascii_only)
        self._asker.open(screen, self._go_to_alert)

    def _go_to_alert(self, alert: Alert | None) -> None:
        """Go to the instant at which an alert formed, and to the application that it names first."""
        picture = self._board.state.picture
        if alert is None or picture is None:
            return
        if picture.run.track is not None:
            since_ms = alert.since_ms - picture.run.track.start_ms
            _ = self._board.post_message(messages.TravelRequested(f"+{since_ms / 1000:.3f}s"))
        row = application_named(str(alert.applications[0]), picture) if alert.applications else None
        if row is not None:
            self._trail.go(Lead("applications", row.id))

    def themes(self) -> None:
        """Choose a theme; each is tried while the cursor is on it."""
        _ = self._board.post_message(messages.ThemesRequested())

    def choose_theme(self, name: str) -> None:
        """Take a theme for as long as the program runs."""
        _ = self._board.post_message(messages.ThemeChosen(name))

    def save_table(self) -> None:
        """Save the pane's rows."""
        pane, picture = self._board.active, self._board.state.picture
        if picture is not None:
            name = pane.noun.table
            files = export.table_files(name, pane.members, picture, self._board.look)
            _ = self._board.post_message(messages.SaveRequested(export.stem(picture, name), files))

    def save_screen(self) -> None:
        """Save what is to be seen."""
        picture, app = self._board.state.picture, self._board.active.app
        if picture is not None:
            files = {"svg": app.export_screenshot(), "txt": "\n".join(self._screen_lines()) + "\n"}
            _ = self._board.post_message(messages.SaveRequested(export.stem(picture, "screen"), files))

    def make_twin(self, words: str) -> None:
        """Make a simulation of what is watched, or make it anew, and assume what the words say."""
        _ = self._board.post_message(messages.TwinRequested(words))

    def compare(self, words: str) -> None:
        """Compare the run with the same under the policies and settings that the words name."""
        if words:
            _ = self._board.post_message(messages.CompareRequested(words))
        else:
            self._board.say("With what? E.g. :compare capacity-3.4 fair-3.4")

    def drill(self, part: str = "desk") -> None:
        """Open the drill that is played: hints, answers, the end."""
        _ = self._board.post_message(messages.DrillRequested(part))

    def quit(self) -> None:
        """Leave the program."""
        self._board.active.app.exit()
