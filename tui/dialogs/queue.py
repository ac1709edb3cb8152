"""The form that changes a setting of a queue: which queue, which setting, what value; then it asks."""

from collections.abc import Mapping, Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from engine.observe.snapshot import Amounts, CapacityQueueRow, QueueRow, Unknown
from engine.scenario.acts import SetQueueSetting
from engine.settings.capacity_queue import ORDERING_POLICY, STATE
from engine.settings.fair import FAIR_34
from engine.settings.table import SettingHelp
from tui.dialogs.forms import Form, FormLine, FormScreen, SingleResultScreen
from tui.protocol import messages
from tui.widgets.prompt import Chooser, TextField

QUEUE_SETTINGS: Final = FAIR_34.helps()  # Settings of FairScheduler's queues, the most used first

POOL_SETTINGS: Final[Mapping[str, SettingHelp]] = {
    "weight": SettingHelp("2.0", "part among the pools"),
    "minMaps": SettingHelp("4", "map slots it gets first"),
    "minReduces": SettingHelp("2", "reduce slots it gets first"),
    "maxMaps": SettingHelp("8", "map slots it never exceeds"),
    "maxReduces": SettingHelp("4", "reduce slots it never exceeds"),
    "maxRunningJobs": SettingHelp("10", "jobs that run at once"),
    "schedulingMode": SettingHelp("fifo", "fair or fifo"),
    "minSharePreemptionTimeout": SettingHelp("30", "seconds below its minimum"),
}  # Settings of the FairScheduler of MapReduce 1, in its file of pools

TASK_QUEUE_SETTINGS: Final[Mapping[str, SettingHelp]] = {
    "capacity": SettingHelp("40 other=60", "guaranteed, in %; others with it"),
    "maximum-capacity": SettingHelp("75", "what it never exceeds, in %"),
    "user-limit-factor": SettingHelp("2", "times capacity, for one user"),
    "minimum-user-limit-percent": SettingHelp("25", "least part of one user"),
    "maximum-initialized-active-tasks": SettingHelp("2000", "tasks of jobs made ready"),
    "init-accept-jobs-factor": SettingHelp("10", "jobs taken for each made ready"),
}  # Settings of CapacityTaskScheduler of MapReduce 1

_OF_POOLS: Final = {"minMaps": 0, "minReduces": 1}  # Setting → its place in a pool's minimum


def _value_now(row: QueueRow, key: str, dimensions: tuple[str, ...]) -> str | None:
    """A setting as it is, in the words of the file that defines queues; None where a picture does not tell."""
    if isinstance(row, CapacityQueueRow):
        return {STATE.name: row.state, ORDERING_POLICY.name: row.policy if row.is_leaf else None}.get(key)
    if key == "weight":
        return None if isinstance(row.weight, Unknown) else f"{row.weight:g}"
    if key in ("schedulingPolicy", "schedulingMode"):
        return row.policy
    if key in _OF_POOLS:
        return str(row.min_share[_OF_POOLS[key]]) if isinstance(row.min_share, tuple) else None
    shares = {"minResources": row.min_share, "maxResources": row.max_share}
    share = shares.get(key)
    return None if share is None or isinstance(share, Unknown) else _written(share, dimensions)


def _written(share: Amounts, dimensions: tuple[str, ...]) -> str | None:
    amounts = dict(zip(dimensions, share, strict=False))
    if not {"memory_mb", "vcores"} <= set(amounts):
        return None
    return f"{amounts['memory_mb']} mb, {amounts['vcores']} vcores"


class QueueFormScreen(FormScreen, SingleResultScreen[None], ModalScreen[None]):
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
        noun: str = "queue",
    ) -> None:
        """`queues` are all there are, `path` is the one to begin with; `settings` are those of the scheduler."""
        super().__init__()
        self._noun = noun
        self._queues = queues
        self._path = path
        self._dimensions = dimensions
        self._settings = settings

    def compose(self) -> ComposeResult:
        paths = [row.path for row in self._queues]
        yield Form(
            f"Change a setting of a {self._noun}",
            [
                FormLine(self._noun, Chooser("Queue", paths, chosen=paths.index(self._path), id="queue")),
                FormLine("setting", Chooser("Setting", list(self._settings), id="setting")),
                FormLine("value", TextField(id="value"), " "),
            ],
            subtitle="enter shows what it would do, esc cancels",
            yes="Go on",
        )

    def on_mount(self) -> None:
        self._show_value()
        self.form.chooser("setting").focus()

    def _show_value(self) -> None:
        row, key = self._queues[self.form.chooser("queue").chosen], self.form.chooser("setting").value
        setting, value = self._settings[key], _value_now(row, key, self._dimensions)
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
            self.post_message(messages.QueueSettingTried(SetQueueSetting(queue, key, value)))
        else:
            self.show_problems([f"value: nothing is given; as in {self._settings[key].example}"])
