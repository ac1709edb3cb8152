"""The form that changes a setting of a queue: which queue, which setting, what value; then it asks."""

from collections.abc import Mapping, Sequence

from textual import on
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from engine.observe.snapshot import QueueRow
from engine.settings.table import SettingHelp
from tui import messages
from tui.screens.closing import ClosesOnce
from tui.screens.forms import Form, FormLine, FormScreen
from tui.screens.queue_settings import QUEUE_SETTINGS, value_now
from tui.widgets.chooser import Chooser
from tui.widgets.text_field import TextField


class QueueFormScreen(FormScreen, ClosesOnce[None], ModalScreen[None]):
    """Posts what is to be tried."""

    DEFAULT_CSS = """
    QueueFormScreen { align: center middle; background: $background 60%; }
    QueueFormScreen .field > #value { width: 26; }
    """

    def __init__(
        self,
        queues: Sequence[QueueRow],
        path: str,
        dimensions: tuple[str, ...],
        settings: Mapping[str, SettingHelp] = QUEUE_SETTINGS,
        *,
        ascii_only: bool = False,
    ) -> None:
        """`queues` are all there are, `path` is the one to begin with; `settings` are those of the scheduler."""
        super().__init__()
        self._ascii = ascii_only
        self._queues = queues
        self._path = path
        self._dimensions = dimensions
        self._settings = settings

    def compose(self) -> ComposeResult:
        """Queue, setting, value."""
        paths = [row.path for row in self._queues]
        yield Form(
            "Change a setting of a queue",
            [
                FormLine("queue", Chooser("Queue", paths, chosen=paths.index(self._path), id="queue")),
                FormLine("setting", Chooser("Setting", list(self._settings), id="setting")),
                FormLine("value", TextField(id="value"), " "),
            ],
            subtitle="enter shows what it would do, esc cancels",
            yes="Go on",
            ascii_only=self._ascii,
        )

    def on_mount(self) -> None:
        """Begin with the setting."""
        self._show_value()
        self.form.chooser("setting").focus()

    def _show_value(self) -> None:
        row, key = self._queues[self.form.chooser("queue").chosen], self.form.chooser("setting").value
        setting, value = self._settings[key], value_now(row, key, self._dimensions)
        self.form.fill({"value": value or ""})
        self.query_one("#value", Input).placeholder = "" if value else setting.example
        self.query_one("#hint-value", Label).update(setting.about)
        self.show_problems(())

    @on(Chooser.Changed)
    def _changed(self) -> None:
        self._show_value()

    @on(Form.HandedIn)
    def _handed_in(self) -> None:
        queue, key, value = (
            self.form.chooser("queue").value,
            self.form.chooser("setting").value,
            self.form.texts()["value"],
        )
        if value:
            self.post_message(messages.QueueSettingTried(queue, key, value))
        else:
            self.show_problems([f"value: nothing is given; as in {self._settings[key].example}"])
