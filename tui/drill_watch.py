"""Shows an instructor the screen of a drill beside the trainee: pane, row, filter, the latest keys."""

from collections import deque
from typing import Final

from tui.app import SchedlabApp
from tui.keymap import spelled
from tui.screens.confirm import ConfirmScreen
from tui.screens.drill_screens import DrillAnswerScreen, DrillBriefScreen, DrillDebriefScreen
from tui.screens.help import HelpScreen
from tui.screens.menu import MenuScreen
from tui.screens.page import PageScreen
from tui.screens.queue_form import QueueFormScreen
from tui.screens.submit import SubmitScreen
from tui.screens.why import WhyScreen
from tui.session_protocol import TraineeScreen

MOST_KEYS: Final = 16
"""So many of the latest keys are known."""

_NAMES: Final = {
    ConfirmScreen: "a question before an act",
    DrillAnswerScreen: "an answer",
    DrillBriefScreen: "the brief",
    DrillDebriefScreen: "the debrief",
    HelpScreen: "help",
    MenuScreen: "a menu",
    PageScreen: "a page",
    QueueFormScreen: "settings of a queue",
    SubmitScreen: "a form that submits",
    WhyScreen: "why",
}
"""What is on top of the cluster, in words."""


class ScreenWatch:
    """Looks at one app."""

    def __init__(self, app: SchedlabApp) -> None:
        self._app = app
        self._keys: deque[str] = deque(maxlen=MOST_KEYS)

    def pressed(self, key: str) -> None:
        """Take down a key."""
        self._keys.append(spelled(key))

    def seen(self) -> TraineeScreen:
        """Return what stands there now."""
        cluster = self._app.cluster
        if cluster is None or not cluster.is_mounted:
            return TraineeScreen(keys=tuple(self._keys))
        top = self._app.screen
        name = "the cluster" if top is cluster else _NAMES.get(type(top), "another page")
        active = cluster.active
        words = cluster.arrangement(cluster.pane_name).filter.text
        return TraineeScreen(name, cluster.pane_name, active.cursor_id or "", words, tuple(self._keys))

    def lines(self) -> tuple[str, ...]:
        """The cluster as it is drawn, as text."""
        cluster = self._app.cluster
        return () if cluster is None or not cluster.is_mounted else tuple(cluster.drawn_lines())
