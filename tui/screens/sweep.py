"""The screen of a sweep: the settings there are, live while it is played."""

from collections.abc import Callable
from typing import ClassVar, NamedTuple, Protocol

import msgspec
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from engine.sweep import SettingFigures
from tui.glyphs import CRUMB, CUT
from tui.render.footer import STAYS, FooterKey, footer
from tui.render.line import Spans, crop, opposite
from tui.render.sweep_page import BEST, LINK, PARTS_OF_SWEEP, sweep_page
from tui.render.sweep_view import SweepView, pulse_line, short_key, sweep_head
from tui.screens.closing import ClosesOnce
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines
from tui.widgets.scrolled_page import ScrolledPage


class SweepChanged(Message):
    """There is more of the sweep; None where its playing failed."""

    def __init__(self, view: SweepView | None) -> None:
        super().__init__()
        self.view = view


class SweepControls(Protocol):
    """What may be done to a sweep that is looked at; each says what came of it."""

    def pause(self) -> str:
        """Begin no more points, or go on."""

    def retry(self) -> str:
        """Play the failed points again, with twice the bounds."""

    def report(self) -> str:
        """Write the report; takes a second or two."""


class SweepChoice(NamedTuple):
    """What to do with a setting."""

    setting: SettingFigures
    is_compared: bool
    """Whether it is compared with the scenario as it is; else it is opened."""


class SweepScreen(ClosesOnce[SweepChoice]):
    """A sweep; its answer is a setting and what to do with it, None to leave."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    SweepScreen { layout: vertical; }
    SweepScreen #head { height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("home,g", "end(False)", "first", show=False),
        Binding("end,G", "end(True)", "last", show=False),
        *(Binding(str(place), f"part({name!r})", name, show=False) for place, name in enumerate(PARTS_OF_SWEEP, 1)),
        Binding("enter", "open", "open", show=False),
        Binding("space", "open(True)", "compare", show=False),
        Binding("o", "sort", "sort", show=False),
        Binding("p", "control('pause')", "pause", show=False),
        Binding("R", "control('retry')", "retry failed", show=False),
        Binding("x", "control('report')", "report", show=False),
        Binding("escape,q,backspace,ctrl+c", "leave", "back", show=False),
    ]

    def __init__(
        self,
        view: SweepView,
        file: str,
        styles: dict[str, Style],
        controls: SweepControls | None = None,
        *,
        ascii_only: bool = False,
    ) -> None:
        """Show what there is; `file` is where it is kept."""
        super().__init__(classes="-ascii" if ascii_only else "")
        self._styles_by_name, self._taken, self._file, self._controls = styles, view, file, controls
        self._order = 0
        """What the settings are sorted by: 0 the goal, 1 what they cost, then each key."""
        self._part = ""
        """The only part that is shown; empty for all there is room for."""
        self.chosen = 0
        """The place of the setting the cursor stood on last."""

    def compose(self) -> ComposeResult:
        """What it is about, the page, hints."""
        yield Lines(self._styles_by_name, id="head", mark=CUT)
        yield ScrolledPage(self._styles_by_name, id="page")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        """Take the keys."""
        self.page.focus(scroll_visible=False)

    def on_resize(self) -> None:
        """Arrange for this size."""
        self.call_after_refresh(self._show)

    @on(SweepChanged)
    def _take(self, event: SweepChanged) -> None:
        if event.view is None:
            _ = self.dismiss(None)
            return
        self._taken = event.view
        self._show()

    @property
    def page(self) -> ScrolledPage:
        """The parts."""
        return self.query_one(ScrolledPage)

    @property
    def _view(self) -> SweepView:
        """The sweep with its settings sorted."""
        view, keys = self._taken, self._taken.keys
        if self._order == 0:
            return view
        if self._order == 1:
            settings = sorted(view.summary.settings, key=lambda each: -each.used)
        else:
            axis = view.spec.axes[self._order - 2]
            settings = sorted(view.summary.settings, key=lambda each: axis.values.index(each.settings[axis.key]))
        summary = msgspec.structs.replace(view.summary, settings=tuple(settings))
        return view._replace(summary=summary, order=("used", *keys)[self._order - 1])

    def _show(self) -> None:
        width = self.size.width
        axes = f"  {' × '.join(f'{short_key(axis.key)} ({len(axis.values)})' for axis in self._view.spec.axes)}"
        left: Spans = [(f" Runs {CRUMB} ", "soft"), ("sweep", "strong"), (f" {self._view.spec.name}{axes}", "soft")]
        head = [opposite(left, [("kept in ", "soft"), (f"{self._file} ", "text")], width), *sweep_head(self._view)]
        if self._view.pulse:
            head.append(pulse_line(self._view, width))
        self.query_one("#head", Lines).show_lines([crop(line, width, CUT) for line in head])
        self._draw()
        self._show_hints()

    def _draw(self) -> None:
        size = (self.page.size.width or self.size.width, self.page.size.height)
        self.page.show(sweep_page(self._view, size, self._part, self.chosen))

    @on(ScrolledPage.Moved)
    def _set_off(self) -> None:
        """Set the setting under the cursor off in the plots beside the table."""
        link = self.page.link
        if link is not None and link.kind == LINK:
            self.chosen = int(link.key)
            if not self._part:
                self._draw()

    def _show_hints(self) -> None:
        keys = [
            FooterKey("j k", "choose", "move(1)", 4),
            FooterKey("enter", "open", "open", 2),
            FooterKey("space", "compare", "open(True)", 6),
            FooterKey("1-6", "part", "next_part", 3),
            FooterKey("o", "sort", "sort", 7),
        ]
        acts = [
            FooterKey("p", "go on" if self._view.is_paused else "pause", "control('pause')", 5),
            FooterKey("R", "retry failed", "control('retry')", 9),
            FooterKey("x", "report", "control('report')", 8),
        ]
        last = FooterKey("esc", "stop" if self._view.is_running and not self._part else "back", "leave", STAYS)
        parts = footer((keys, acts), last, max(40, self.size.width))
        items = [Clickable(tuple(spans), call or "nothing") for spans, call in parts]
        self.query_one("#hints", ActionBar).show_items(items, gap=0)

    def action_move(self, by: int) -> None:
        """Go down or up by a line."""
        self.page.move(by)

    def action_page(self, by: int) -> None:
        """Scroll by a page."""
        self.page.move_pages(by)

    def action_end(self, last: bool) -> None:
        """Go to the first or the last line."""
        self.page.go_to_end(last=last)

    def action_part(self, part: str) -> None:
        """Show one part alone; once more, all of them."""
        self._part = "" if part == self._part else part
        self.page.scroll_to(y=0, animate=False)
        self._show()

    def action_next_part(self) -> None:
        """Show the next part."""
        place = PARTS_OF_SWEEP.index(self._part or BEST)
        self.action_part(PARTS_OF_SWEEP[(place + 1) % len(PARTS_OF_SWEEP)])

    @on(ScrolledPage.Followed)
    def action_open(self, is_compared: bool = False) -> None:
        """Open the setting under the cursor, or compare it with the scenario as it is; the sweep goes on meanwhile."""
        settings = self._view.summary.settings
        if not settings:
            self.answer("no point is played yet")
            return
        _ = self.dismiss(SweepChoice(settings[min(self.chosen, len(settings) - 1)], is_compared))

    def action_sort(self) -> None:
        """Sort by the next of: the goal, the cluster used, each key."""
        self._order = (self._order + 1) % (2 + len(self._view.keys))
        self._draw()

    def action_control(self, what: str) -> None:
        """Pause, retry or report, in a thread of its own."""
        if self._controls is None:
            return
        act: Callable[[], str] = getattr(self._controls, what)

        def carried_out() -> None:
            _ = self.app.call_from_thread(self.answer, act())

        _ = self.run_worker(carried_out, thread=True)

    def action_nothing(self) -> None:
        """A sentence was clicked."""

    def action_leave(self) -> None:
        """Go back: from one part to all of them, then out, which ends the sweep; what was played is kept."""
        if self._part:
            self.action_part(self._part)
        else:
            _ = self.dismiss(None)
