"""The lines above and below the panes that can be clicked: the tabs and the hints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Final

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.message import Message
from textual.timer import Timer

from engine.explain.alert import Alert, Episode, episodes_of
from tui.keymap import FooterKey
from tui.panes import pulse as drawing
from tui.panes.fragments import Fragments, RenderContext
from tui.panes.frame import BorderLabel, border_label, call_of, footer, length_of, spans_of
from tui.panes.header import frozen_of
from tui.panes.misfit import misfit_of
from tui.panes.plot import Window
from tui.panes.pulse import Freeze, Pulse, Thaw, marks_of
from tui.protocol.picture import Graphs, RunState, SessionState
from tui.terminal import format as text
from tui.terminal.format import FRAME
from tui.widgets.lines import Lines


class HintedLines(Vertical):
    """Shows the lines of `drawn` for a width and a height, and hints that can be clicked."""

    DEFAULT_CSS = "HintedLines > #body { height: 1fr; }"

    def __init__(
        self, styles: dict[str, Style], keys: Sequence[FooterKey], drawn: Callable[[int, int], Sequence[Fragments]]
    ) -> None:
        """The last of the `keys` stands at the right edge."""
        super().__init__()
        self._styles_by_name, self._keys, self._drawn = styles, keys, drawn

    def compose(self) -> ComposeResult:
        yield Lines(self._styles_by_name, id="body")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        self.show_hints()

    def show_hints(self) -> None:
        *keys, last = self._keys
        self.query_one("#hints", ActionBar).show_keys((keys,), last)

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        body = self.query_one("#body", Lines)
        body.show_lines(self._drawn(body.size.width, body.size.height))


LEAST_KEYS: Final = 40  # Cells that keys are fitted to at least

SAID_S = 6.0  # How long a sentence stands in place of the hints [s]

_SEVERITIES = {"information": ("", "strong"), "warning": ("! ", "watch"), "error": ("! ", "watch")}
"""Severity → (mark, style)."""


BAR: Final = border_label(f"  {FRAME[1]} ", "line")


class PointedLines(Lines):
    """Lines in which a place may stand for an action."""

    def __init__(
        self,
        styles: dict[str, Style],
        *,
        id: str,
        mark: str = "~",
        call_at: Callable[[int, int], str],
        resized: Callable[[], None] | None = None,
    ) -> None:
        """`mark` stands where a line is cut; `call_at` says of a line, from 0, and a cell what a click does."""
        super().__init__(styles, id=id, mark=mark)
        self._call_at, self._resized = call_at, resized

    def on_resize(self) -> None:
        if self._resized is not None:
            self._resized()

    async def on_click(self, event: events.Click) -> None:
        line, cell = event.y - self.gutter.top, event.x - self.gutter.left
        call = self._call_at(line, cell) if 0 <= line < len(self.lines) else ""
        if call and event.chain == 1:
            await self.screen.run_action(call)


class ActionBar(Lines):
    """One line of things to click; what does not fit is left out from the end."""

    DEFAULT_CSS = "ActionBar { height: 1; width: 1fr; }"

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(styles, id=id)
        self._items: Sequence[BorderLabel] = ()
        self._keys: tuple[Sequence[Sequence[FooterKey]], FooterKey] | None = None
        """The keys that are named; None where something else is shown."""
        self._before: BorderLabel | None = None  # What is said before the keys
        self._shown: list[BorderLabel] = []  # Those that have room

    def show_items(self, items: Sequence[BorderLabel]) -> None:
        self._items, self._keys = items, None
        self._arrange()

    def say_before(self, words: BorderLabel) -> None:
        self._before = words
        self._arrange()

    def show_keys(self, groups: Sequence[Sequence[FooterKey]], last: FooterKey) -> None:
        """Name keys from now on, as many as there is room for; `last` stands at the right edge."""
        self._keys, self._before = (groups, last), None
        self._arrange()

    def _arrange(self) -> None:
        if self._keys is not None:
            said = [self._before, BAR] if self._before is not None else []
            width = max(LEAST_KEYS, self.size.width or self.screen.size.width)
            self._items = [*said, *footer(*self._keys, width - length_of(said))]
        self._shown = [*self._items[:1]]
        for item in self._items[1:]:
            if self.size.width and 1 + length_of([*self._shown, item]) > self.size.width:
                break
            self._shown.append(item)
        self.show_lines([[(" ", "text"), *spans_of(self._shown)]])

    def on_resize(self) -> None:
        self._arrange()

    async def on_click(self, event: events.Click) -> None:
        call = call_of(self._shown, event.x - 1)  # behind the blank that the line begins with
        if call:
            await self.screen.run_action(call)


class FlashLine:
    """A line of hints in whose place a sentence can stand for a while; shared by the screens."""

    def __init__(self, bar: ActionBar, show_hints: Callable[[], None], *, click: str) -> None:
        """A click on the sentence means `click`."""
        self._bar, self._show_hints, self._click = bar, show_hints, click
        self._timer: Timer | None = None

    def say(self, words: str, severity: str = "information", *, keeps_keys: bool = False) -> None:
        """Say one sentence in place of the hints, for a while; or before as many keys as there is room for."""
        mark, style = _SEVERITIES.get(severity, _SEVERITIES["information"])
        said = border_label(f"{mark}{words}", style, self._click)
        if keeps_keys:
            self._bar.say_before(said)
        else:
            self._bar.show_items([said])
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._bar.set_timer(SAID_S, self.end)

    @property
    def is_there(self) -> bool:
        return self._timer is not None

    def end(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._show_hints()


TALL_FROM: Final = Size(170, 50)  # From this size of the terminal on the pulse has two rows, and times below it


class PulseBar(Lines):
    """The pulse below the header; a press or a drag goes to the instant under the mouse."""

    DEFAULT_CSS = """
    PulseBar { height: 1; width: 1fr; display: none; }
    PulseBar.-shown { display: block; } PulseBar.-tall { height: 3; }
    """

    @dataclass
    class Dragged(Message):
        """The user pointed at an instant."""

        where: str  # As people write it: counted from the scenario's start

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(styles, id=id)
        self._run = RunState("")
        self._present_ms = 0
        self._pulse: Pulse | None = None
        self._drawn_for: object = None

    def show_picture(
        self, picture: SessionState, look: RenderContext, length_ms: int | None = None, thaw: Thaw | None = None
    ) -> None:
        """Show the way of a run, or so much of it [ms]; nothing where it has no past.

        While what an act was foretold to start starts, it is the time from shortly before the act to that end. It is
        drawn anew at the end of a part of its time, while the clock runs once a second at most.
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
        thaw = thaw if thaw is not None and thaw.is_on else None
        past = drawing.window_around(look.now_ms, Window(track.first_ms, present_ms), length_ms)
        known = past if thaw is None else drawing.thaw_window(thaw)
        cells = width - 2 - sum(map(len, drawing.ends(known, look.now_ms, look.offset_ms, width - 2)))
        window = drawing.steady(known, 2 * max(1, cells), track.first_ms)
        frozen = frozen_of(picture)
        last_ms = None if frozen is None or graphs is None else graphs.history.last_allocated_ms(look.now_ms)
        quiet = "" if last_ms is None else text.duration(look.now_ms - last_ms)
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
            quiet,
            None if thaw is None else known,
        )
        if key == self._drawn_for:
            return
        self._drawn_for = key
        marks = marks_of(run, look.now_ms, misfit_of(picture.snapshot))
        self._pulse = Pulse(
            window,
            look.now_ms,
            lambda parts: self._samples(graphs, window, parts, thaw, look.now_ms),
            [mark for mark in marks if known.since_ms <= mark.time_ms <= known.until_ms],
            _freezes(run, frozen, present_ms, quiet) if thaw is None else (),
            look.offset_ms,
            known.until_ms,
        )
        lines = drawing.lines(self._pulse, width - 2, 2 if is_tall else 1)
        lines += [drawing.axis(self._pulse, width - 2)] if is_tall else []
        self.show_lines([[(" ", "text"), *line] for line in lines])

    def _samples(
        self, graphs: Graphs | None, window: Window, parts: int, thaw: Thaw | None, now_ms: int
    ) -> Sequence[float | None]:
        came = [None] * parts if graphs is None else drawing.allocated(graphs.history, window, parts)
        return came if thaw is None else drawing.with_foretold(came, window, thaw, now_ms)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.capture_mouse()
        self._go(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if event.button:
            self._go(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()

    def _go(self, cell: int) -> None:
        track, pulse = self._run.track, self._pulse
        if track is None or pulse is None:
            return
        time_ms = drawing.time_at(cell - 1, pulse, self.content_size.width - 2)
        where = "live" if time_ms >= self._present_ms else text.since_start(time_ms - track.start_ms)
        if where != "live" or self._run.present_ms is not None:
            self.post_message(self.Dragged(where))


def _freezes(run: RunState, frozen: Alert | None, present_ms: int, quiet: str) -> list[Freeze]:
    found = [each for each in episodes_of(run.alerts) if each.alert.kind == "frozen"]
    since_ms = None if frozen is None else frozen.since_ms
    if frozen is not None and all(each.alert.since_ms != since_ms for each in found):
        found.append(Episode(frozen, None))
    return [
        Freeze(
            each.alert.since_ms,
            present_ms if each.until_ms is None else each.until_ms,
            *(("alarm", quiet) if each.alert.since_ms == since_ms else ("room",)),
        )
        for each in found
    ]
