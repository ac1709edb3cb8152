"""A field to type into."""

from typing import Any, Final

from textual.widgets import Input

MOST_CHARACTERS: Final = 400
"""What a field takes; rich remembers thousands of pieces of the lines it drew, and those of long ones are large."""


class TextField(Input):
    """A field of one line, within bounds."""

    def __init__(self, value: str = "", **options: Any) -> None:
        super().__init__(value, compact=True, select_on_focus=False, max_length=MOST_CHARACTERS, **options)
