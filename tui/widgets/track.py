"""The timeline that can be clicked and dragged; it shows itself only while the past is looked at."""

from rich.style import Style
from textual import events
from textual.message import Message

from tui import format as text
from tui.picture import RunState
from tui.render import track as track_line
from tui.render.line import Look
from tui.widgets.lines import Lines


class TrackBar(Lines):
    """One line; a press or a drag goes to the instant under the mouse."""

    DEFAULT_CSS = "TrackBar { height: 1; width: 1fr; display: none; } TrackBar.-shown { display: block; }"

    class Dragged(Message):
        """The user pointed at an instant."""

        def __init__(self, where: str) -> None:
            super().__init__()
            self.where = where
            """As people write it: counted from the scenario's start."""

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(styles, id=id)
        self._run = RunState("")

    def show_run(self, run: RunState, look: Look) -> None:
        """Show a run's way, or nothing while its present is looked at."""
        self._run = run
        is_past = run.track is not None and run.present_ms is not None
        self.set_class(is_past, "-shown")
        if run.track is not None and run.present_ms is not None:
            width = self.content_size.width or self.app.size.width
            self.show_lines([track_line.line(run.track, run.present_ms, look, width)])

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go there, and hold on to the mouse."""
        self.capture_mouse()
        self._go(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go along with the mouse while its button is down."""
        if event.button:
            self._go(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the mouse."""
        self.release_mouse()

    def _go(self, cell: int) -> None:
        run = self._run
        if run.track is None or run.present_ms is None:
            return
        time_ms = track_line.time_at(cell, run.track, run.present_ms, self.content_size.width)
        where = "live" if time_ms >= run.present_ms else text.since_start(time_ms - run.track.start_ms)
        self.post_message(self.Dragged(where))
