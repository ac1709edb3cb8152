"""Dialogs that close once: the second of two keys pressed in one breath must not close what is under the dialog."""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

Answer = TypeVar("Answer")


class ClosesOnce(Screen[Answer]):
    """A screen whose answer is taken only while it is the one on top."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with an answer; nothing once it is closed."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
