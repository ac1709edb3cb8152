"""The timeline, which can be clicked and dragged; on small terminals it is shown only in the past."""

from typing import Final

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message

from tui.render import track as track_line
from tui.render.line import Look
from tui.view_state import RunState
from tui.widgets.lines import Lines

ALWAYS_FROM: Final = Size(120, 40)
"""From this size of the terminal on the present has a timeline too."""


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
        self._present_ms = 0

    def show_run(self, run: RunState, look: Look) -> None:
        """Show a run's way, or nothing while its present is looked at and there is little room or no past."""
        self._run, self._present_ms = run, look.now_ms if run.present_ms is None else run.present_ms
        size = self.app.size
        has_room = size.width >= ALWAYS_FROM.width and size.height >= ALWAYS_FROM.height
        is_shown = run.track is not None and (
            run.present_ms is not None or (has_room and self._present_ms > run.track.first_ms)
        )
        self.set_class(is_shown, "-shown")
        if run.track is not None and is_shown:
            width = self.content_size.width or size.width
            self.show_lines([track_line.line(run.track, self._present_ms, look, width)])

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
        track, present_ms = self._run.track, self._present_ms
        if track is None:
            return
        time_ms = track_line.time_at(cell, track, present_ms, self.content_size.width)
        since_ms = time_ms - track.start_ms
        where = "live" if time_ms >= present_ms else f"{'-' if since_ms < 0 else '+'}{abs(since_ms) / 1000:.3f}s"
        if where != "live" or self._run.present_ms is not None:
            self.post_message(self.Dragged(where))
