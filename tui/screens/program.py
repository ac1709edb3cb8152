"""What is not about the cluster: help, columns, alerts, themes, saving, leaving."""

from collections.abc import Callable

from engine.observe.system_words import words_of
from tui import export, messages
from tui import format as text
from tui.keymap import spelled
from tui.picture import Picture
from tui.render import help as helping
from tui.render.noun import Lead
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

    def __init__(self, board: Board, trail: Trail, screen_lines: Callable[[], list[str]]) -> None:
        """`screen_lines` gives the screen as it is drawn, as text."""
        self._board, self._trail = board, trail
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
        sections.append(badges)

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
        placed = {one.column.title for one in pane.placed}
        some = [Choice("", _column_words(one, is_shown=one in shown, has_room=one in placed), one) for one in titles]

        def chosen(title: str | None) -> None:
            if title is not None:
                wanted = shown ^ {title}
                pane.take_columns([one for one in every if one.title in wanted or one is every[0]])
                self.columns(titles.index(title))

        ascii_only = board.options.ascii_only
        board.open(MenuScreen("Columns (+ is shown)", some, start=start, ascii_only=ascii_only), chosen)

    def alerts(self) -> None:
        """List what was found to be wrong so far; go to the application that one is about."""
        board = self._board
        some = [] if board.state.picture is None else alert_choices(board.state.picture)
        if not some:
            board.say("Nothing was found to be wrong so far.", "information")
            return
        menu = MenuScreen("Alerts, the latest first", some, ascii_only=board.options.ascii_only)
        board.open(menu, self._go_to_application)

    def _go_to_application(self, number: str | None) -> None:
        picture = self._board.state.picture
        row = None if number is None or picture is None else application_named(number, picture)
        if row is not None:
            self._trail.go(Lead("applications", row.id))
        elif number:
            self._board.say(f"Application {number} is not there any more.")

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
            files = {
                "svg": app.export_screenshot(),
                "txt": "\n".join(self._screen_lines()) + "\n",
            }
            _ = self._board.post_message(messages.SaveRequested(export.stem(picture, "screen"), files))

    def make_twin(self, words: str) -> None:
        """Make a simulation of what is watched, and assume what the words say."""
        picture = self._board.state.picture
        if picture is not None and picture.run.is_watched:
            _ = self._board.post_message(messages.TwinRequested(words))
        else:
            self._board.say("This is a simulation already.")

    def drill(self) -> None:
        """Open the drill that is played: hints, answers, the end."""
        _ = self._board.post_message(messages.DrillRequested())

    def quit(self) -> None:
        """Leave the program."""
        self._board.active.app.exit()


def _column_words(title: str, *, is_shown: bool, has_room: bool) -> str:
    if not is_shown:
        return f"  {title}"
    return f"+ {title}" if has_room else f"+ {title}  (no room at this width)"


_KEPT = 200
"""So many of the latest are listed."""


def alert_choices(picture: Picture) -> list[Choice]:
    """The alerts up to the instant shown, the latest first; the value of a choice is an application number.

    What is about no application leads nowhere, but is listed.
    """
    now_ms, offset_ms = picture.snapshot.header.time_ms, picture.run.offset_ms
    found = [alert for alert in picture.run.alerts if alert.found_ms <= now_ms]
    return [
        Choice(
            str(place) if place < 10 else "",
            f"{text.clock(alert.since_ms, offset_ms)}  {text.plain(alert.sentence)}",
            str(alert.applications[0]) if alert.applications else "",
        )
        for place, alert in enumerate(reversed(found[-_KEPT:]), start=1)
    ]
