"""The verbs of the command line on the screen, at the instant shown; what only a shell can do is named."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tui.board.board import BoardScreen
from tui.panes import export
from tui.protocol import messages
from tui.terminal import format as text

KINDS: Final = ("picture", "queues", "nodes", "apps", "users", "reservations", "executors", "containers", "events")
"""Kinds that `get` shows or saves on the screen."""
PANES: Final = {"apps": "applications", "executors": "containers"}  # Kind → its pane, where that has another name
FORMS: Final = {"picture": ("svg", "txt"), "table": ("csv", "json")}


class ShellVerbs:
    """The part of the board that answers `get`, `check`, `open` and `as`."""

    def __init__(self, board: BoardScreen, screen_lines: Callable[[], list[str]]) -> None:
        self._board, self._screen_lines = board, screen_lines

    def get(self, kind: str, words: str, file: str) -> None:
        """Show a kind with a filter, or save it to a file of the folder for such; elsewhere only a shell can."""
        if kind not in KINDS:
            self.shell("get", " ".join(filter(None, (kind, words))))
        elif kind == "picture":
            self._save("picture", file or "picture.svg")
        elif PANES.get(kind, kind) not in self._board.dialect.panes:
            self._board.say(f"This kind of cluster has no {kind}.")
        else:
            self._board.perform(f"filtering.show({PANES.get(kind, kind)!r}, {words!r})")
            if file:
                self._save(kind, file)

    def _save(self, kind: str, file: str) -> None:
        picture, pane = self._board.state.picture, self._board.active
        path = Path(file.partition(":")[2] or file)
        form = (file.partition(":")[0] if ":" in file else path.suffix[1:]).replace("text", "txt")
        forms = FORMS.get(kind, FORMS["table"])
        if form not in forms or path.name != str(path) or not path.stem.strip("."):
            known = ", ".join(forms)
            self._board.say(f"-o takes FORM:NAME or NAME.FORM, of {known}; the setting save_folder is where.")
        elif kind == "picture":
            drawn = pane.app.export_screenshot() if form == "svg" else "\n".join(self._screen_lines()) + "\n"
            _ = self._board.post_message(messages.SaveRequested(path.stem, {form: drawn}))
        else:
            files = export.table_files(pane.view.table, pane.members, picture, self._board.look)
            _ = self._board.post_message(messages.SaveRequested(path.stem, {form: files[form]}))

    def shell(self, verb: str, words: str) -> None:
        at = "" if verb in ("check", "open") else self._at()
        source = "" if verb == "open" and words else f" {self._source()}"
        self._board.say(f"In a shell: schedlab {verb}{source}{f' {words}' if words else ''}{at}", "information")

    def shown(self) -> None:
        """Say the command that prints what the pane shows; acts of the screen are not in it."""
        board = self._board
        names = {pane: kind for kind, pane in PANES.items()}
        kind = names.get(board.pane_name, board.pane_name)
        if kind not in KINDS:
            kind = "series"
        filter_words = board.arrangement(board.pane_name).filter.text
        words = [kind, *map(shlex.quote, filter_words.split())]
        command = f"schedlab get {self._source()} {' '.join(words)}{self._at()}"
        track = board.state.picture.run.track
        is_changed = track is not None and bool(track.acts)
        self._board.say(f"{command}{'; without what was done here' if is_changed else ''}", "information")

    def _source(self) -> str:
        return shlex.quote(self._board.options.source or self._board.state.picture.run.name)

    def _at(self) -> str:
        """The option of the instant shown; a live cluster has none but now."""
        picture = self._board.state.picture
        if picture.run.reception is not None:
            return ""
        return f" --at {text.instant(picture.snapshot.header.time_ms, picture.run.offset_ms)}"
