"""Dialogs that close once: the second of two keys pressed in one breath must not close what is under the dialog."""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.widget import Widget

Answer = TypeVar("Answer")


class ClosesOnce(Screen[Answer]):
    """A screen whose answer is taken only while it is the one on top."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with an answer; nothing once it is closed."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def on_screen_suspend(self) -> None:
        """Forget what was drawn: Textual keeps caches of closed screens for long, and a session would grow by them."""
        for widget in self.walk_children(Widget):
            widget.refresh()
