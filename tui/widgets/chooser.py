"""A one-line choice in a form: arrows go through the options, enter or a click lists them all."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static


class Chooser(Static, can_focus=True):
    """Holds one of its options, by place."""

    DEFAULT_CSS = """
    Chooser { width: 1fr; height: 1; }
    Chooser:focus { text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "option before", show=False),
        Binding("right", "turn(1)", "next option", show=False),
        Binding("enter,space", "list", "all options", show=False),
    ]

    class Changed(Message):
        """Another option is chosen."""

        def __init__(self, chooser: "Chooser") -> None:
            super().__init__()
            self.chooser = chooser

    class ListWanted(Message):
        """The user wants to see all options."""

        def __init__(self, chooser: "Chooser") -> None:
            super().__init__()
            self.chooser = chooser

    def __init__(self, title: str, options: Sequence[str], *, chosen: int = 0, id: str) -> None:
        """`title` names what is chosen; there is at least one option."""
        super().__init__(id=id, markup=False)
        self.title = title
        self.options = options
        self.chosen = chosen

    @property
    def value(self) -> str:
        """The option chosen."""
        return self.options[self.chosen]

    def on_mount(self) -> None:
        """Show what is chosen."""
        self._show()

    def _show(self) -> None:
        count = f"  {self.chosen + 1}/{len(self.options)}" if len(self.options) > 1 else ""
        self.update(f"< {self.value} >{count}")

    def choose(self, place: int) -> None:
        """Take the option of a place; round the end."""
        self.chosen = place % len(self.options)
        self._show()
        self.post_message(self.Changed(self))

    def action_turn(self, by: int) -> None:
        """Take the next option, or the one before."""
        self.choose(self.chosen + by)

    def action_list(self) -> None:
        """Show all options."""
        self.post_message(self.ListWanted(self))

    def on_click(self, event: events.Click) -> None:
        """The signs at both ends turn, what is between shows all options."""
        end = len(self.value) + 3
        if event.x < 2:
            self.action_turn(-1)
        elif end <= event.x <= end + 1:
            self.action_turn(1)
        else:
            self.action_list()
