"""What the dialogs with a field for words to find have in common."""

from typing import Any

from textual.screen import Screen

from tui.widgets.text_field import SearchField


class Searched(Screen[Any]):
    """A screen whose field for words to find a key opens; the key that closes the screen closes the field first."""

    @property
    def search(self) -> SearchField:
        """The field for words to find."""
        return self.query_one(SearchField)

    def action_find(self) -> None:
        """Type what to find."""
        self.search.open()

    def action_close(self) -> None:
        """Show everything again, or go back when everything is shown."""
        if not self.search.close():
            _ = self.dismiss(None)
