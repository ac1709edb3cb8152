"""The form that changes a setting of a queue: which queue, which setting, what value; then it asks."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.widget import Widget
from textual.widgets import Input, Label

from engine.observe.snapshot import QueueRow
from tui import messages
from tui.screens.forms import FormScreen
from tui.screens.queue_settings import QUEUE_SETTINGS, value_now
from tui.widgets.chooser import Chooser
from tui.widgets.text_field import TextField


class QueueFormScreen(FormScreen):
    """Posts what is to be tried, or done at once where nothing asks."""

    DEFAULT_CSS = "QueueFormScreen .field > #value { width: 26; }"
    title_words: ClassVar[str] = "Change a setting of a queue"
    subtitle_words: ClassVar[str] = "enter shows what it would do, esc cancels"
    yes_words: ClassVar[str] = "Go on"

    def __init__(
        self,
        queues: Sequence[QueueRow],
        path: str,
        dimensions: tuple[str, ...],
        *,
        asks: bool = True,
        ascii_only: bool = False,
    ) -> None:
        """`queues` are all there are, `path` is the one to begin with."""
        super().__init__(ascii_only=ascii_only)
        self._queues = queues
        self._path = path
        self._dimensions = dimensions
        self._asks = asks

    def fields(self) -> Iterator[tuple[str, Widget, str]]:
        """Queue, setting, value."""
        paths = [row.path for row in self._queues]
        yield "queue", Chooser("Queue", paths, chosen=paths.index(self._path), id="queue"), ""
        yield "setting", Chooser("Setting", list(QUEUE_SETTINGS), id="setting"), ""
        yield "value", TextField(id="value"), " "

    def on_mount(self) -> None:
        """Begin with the setting."""
        self._show_value()
        self.chooser("setting").focus()

    def _show_value(self) -> None:
        row, key = self._queues[self.chooser("queue").chosen], self.chooser("setting").value
        setting, value = QUEUE_SETTINGS[key], value_now(row, key, self._dimensions)
        self.fill({"value": value or ""})
        self.query_one("#value", Input).placeholder = "" if value else setting.example
        self.query_one("#hint-value", Label).update(setting.about)
        self.show_problems(())

    @on(Chooser.Changed)
    def _changed(self) -> None:
        self._show_value()

    def hand_in(self) -> None:
        """Have it tried, or done."""
        queue, key, value = self.chooser("queue").value, self.chooser("setting").value, self.texts()["value"]
        if value:
            kind = messages.QueueSettingTried if self._asks else messages.QueueSettingConfirmed
            self.post_message(kind(queue, key, value))
        else:
            self.show_problems([f"value: nothing is given; as in {QUEUE_SETTINGS[key].example}"])
