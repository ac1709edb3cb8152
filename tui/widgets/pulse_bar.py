"""The pulse below the header, which can be clicked and dragged to go through time."""

from math import isinf
from typing import Final

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message

from engine.explain.alert import Alert, Episode, episodes_of
from tui.picture import Picture, RunState
from tui.render import pulse as drawing
from tui.render.health import frozen_of
from tui.render.line import Look
from tui.render.mark import marks_of
from tui.render.pulse import Freeze, Pulse
from tui.render.time_axis import Window
from tui.widgets.lines import Lines

TALL_FROM: Final = Size(170, 50)  # From this size of the terminal on the pulse has two rows, and times below it


class PulseBar(Lines):
    """The pulse; a press or a drag goes to the instant under the mouse."""

    DEFAULT_CSS = """
    PulseBar { height: 1; width: 1fr; display: none; }
    PulseBar.-shown { display: block; } PulseBar.-tall { height: 3; }
    """

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
        self._pulse: Pulse | None = None
        self._drawn_for: object = None

    def show_picture(self, picture: Picture, look: Look, length_ms: int | None = None) -> None:
        """Show the way of a run, or so much of it [ms]; nothing where it has no past.

        It is drawn anew at the end of a part of its time, while the clock runs once a second at most.
        """
        run, track, graphs = picture.run, picture.run.track, picture.graphs
        self._run = run
        self._present_ms = present_ms = look.now_ms if run.present_ms is None else run.present_ms
        is_shown = track is not None and present_ms > track.first_ms
        size = self.app.size
        is_tall = size.width >= TALL_FROM.width and size.height >= TALL_FROM.height
        self.set_class(is_shown, "-shown")
        self.set_class(is_tall, "-tall")
        if track is None or not is_shown:
            self._pulse = None
            return
        width = self.content_size.width or size.width
        known = drawing.window_around(look.now_ms, Window(track.first_ms, present_ms), length_ms)
        cells = width - 2 - sum(map(len, drawing.ends(known, look.now_ms, look.offset_ms, width - 2)))
        window = drawing.steady(known, 2 * max(1, cells), track.first_ms)
        frozen = frozen_of(picture)
        part_ms = (window.until_ms - window.since_ms) // (2 * max(1, cells))
        if not (run.paused or run.present_ms is not None or isinf(run.speed)):
            part_ms = max(part_ms, round(1000 * run.speed))
        key = (
            width,
            is_tall,
            window.since_ms // part_ms,
            present_ms // part_ms,
            look.now_ms // part_ms,
            run.alerts,
            track.acts,
            frozen,
        )
        if key == self._drawn_for:
            return
        self._drawn_for = key
        self._pulse = Pulse(
            window,
            look.now_ms,
            lambda parts: [None] * parts if graphs is None else drawing.allocated(graphs.history, window, parts),
            [mark for mark in marks_of(run, look.now_ms) if known.since_ms <= mark.time_ms <= known.until_ms],
            _freezes(run, frozen, present_ms),
            look.offset_ms,
            known.until_ms,
        )
        lines = drawing.lines(self._pulse, width - 2, 2 if is_tall else 1)
        lines += [drawing.axis(self._pulse, width - 2)] if is_tall else []
        self.show_lines([[(" ", "text"), *line] for line in lines])

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
        track, pulse = self._run.track, self._pulse
        if track is None or pulse is None:
            return
        time_ms = drawing.time_at(cell - 1, pulse, self.content_size.width - 2)
        since_ms = time_ms - track.start_ms
        where = "live" if time_ms >= self._present_ms else f"{'-' if since_ms < 0 else '+'}{abs(since_ms) / 1000:.3f}s"
        if where != "live" or self._run.present_ms is not None:
            self.post_message(self.Dragged(where))


def _freezes(run: RunState, frozen: Alert | None, present_ms: int) -> list[Freeze]:
    """The freezes of a run so far; only the one that stands at the instant looked at is the alarm."""
    found = [each for each in episodes_of(run.alerts) if each.alert.kind == "frozen"]
    if frozen is not None and all(each.alert.since_ms != frozen.since_ms for each in found):
        found.append(Episode(frozen, None))
    return [
        Freeze(
            each.alert.since_ms,
            present_ms if each.until_ms is None else each.until_ms,
            "alarm" if frozen is not None and frozen.since_ms == each.alert.since_ms else "room",
        )
        for each in found
    ]
