"""The screen of a sweep: the settings there are, live while it is played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import msgspec
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.dialogs.forms import SearchableScreen, SingleResultScreen
from tui.keymap import FooterKey
from tui.pages.tune import (
    BEST,
    FAILURE,
    LINK,
    PARTS_OF_SWEEP,
    SweepView,
    has_words,
    pulse_line,
    short_key,
    sweep_head,
    sweep_page,
)
from tui.panes.fragments import Fragments, crop, justify_line
from tui.screens.page import Paged, parted_keys
from tui.terminal.format import CRUMB, CUT
from tui.widgets.lines import Lines
from tui.widgets.prompt import SearchField
from tui.widgets.scrolled_page import ScrolledPage


@dataclass
class SweepChanged(Message):
    """There is more of the sweep."""

    view: SweepView


class SweepChoice(NamedTuple):
    settings: Mapping[str, str]
    seed: int
    is_compared: bool  # Whether it is compared with the scenario as it is; else it is opened


class SweepScreen(SearchableScreen, Paged, SingleResultScreen[SweepChoice]):
    """A sweep; its answer is a setting and what to do with it, None to leave."""

    PARTS = PARTS_OF_SWEEP
    DEFAULT_CSS = """
    SweepScreen #head { height: 4; }
    SweepScreen SearchField { dock: bottom; background: $background; }
    """
    has_hints = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "open(True)", "compare", show=False),
        *parted_keys(PARTS_OF_SWEEP),
        Binding("enter", "open", "open", show=False),
        Binding("o", "sort", "sort", show=False),
        Binding("slash", "find", "filter", show=False),
        Binding("f", "zoom", "zoom", show=False),
        Binding("plus", "control('more')", "a further seed", show=False),
        Binding("p", "control('pause')", "pause", show=False),
        Binding("R", "control('retry')", "retry failed", show=False),
        Binding("x", "control('report')", "report", show=False),
    ]

    def __init__(
        self,
        view: SweepView,
        file: str,
        styles: dict[str, Style],
        controls: Mapping[str, Callable[[], str]] | None = None,
    ) -> None:
        """Show what there is; `file` is where it is kept.

        `controls` has what is done to it while it is played: `pause`, `retry`, `more` and `report` tell the result.
        """
        super().__init__(styles)
        self._taken, self._file, self._controls = view, file, controls or {}
        self._words = ""  # What the settings shown have to have
        self._order = 0  # What the settings are sorted by: 0 the goal, 1 what they cost, then each key
        self.chosen = 0  # The place of the setting the cursor stood on last

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield SearchField(self._filter, self.on_mount, "keys and values; front; breaks")

    def _filter(self, words: str) -> None:
        self._words, self.chosen = words, 0
        self._draw()

    @on(SweepChanged)
    def _take(self, event: SweepChanged) -> None:
        self._taken = event.view
        self._show()

    @property
    def _view(self) -> SweepView:
        view = self._taken
        settings = [each for each in view.summary.settings if has_words(each, self._words)]
        if self._order == 1:
            settings.sort(key=lambda each: -each.used)
        elif self._order > 1:
            axis = view.spec.axes[self._order - 2]
            settings.sort(key=lambda each: axis.values.index(each.settings[axis.key]))
        summary = msgspec.structs.replace(view.summary, settings=tuple(settings))
        return view._replace(summary=summary, order=("", "used", *view.keys)[self._order])

    def _show(self) -> None:
        width = self.size.width
        axes = f"  {' × '.join(f'{short_key(axis.key)} ({len(axis.values)})' for axis in self._view.spec.axes)}"
        left: Fragments = [(f" Runs {CRUMB} ", "soft"), ("sweep", "strong"), (f" {self._view.spec.name}{axes}", "soft")]
        head = [
            justify_line(left, [("kept in ", "soft"), (f"{self._file} ", "text")], width),
            *sweep_head(self._view, width),
        ]
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
        link = self.page.link
        if link is not None and link.kind == LINK:
            self.chosen = int(link.key)
            if not self._part:
                self._draw()

    def _show_hints(self) -> None:
        view = self._view
        keys = [
            FooterKey("j k", "choose", "move(1)", 12, short="move"),
            FooterKey("enter", "open", "open", 2),
            FooterKey("space", "compare", "open(True)", 6),
            FooterKey("1-6", "part", "next_part", 10),
            FooterKey("o", "sort", "sort", 7),
            FooterKey("/", "filter", "find", 5),
            FooterKey("f", "zoom", "zoom", 11),
        ]
        acts = [
            *([FooterKey("p", "go on" if view.is_paused else "pause", "control('pause')", 3)] * view.is_running),
            *([FooterKey("R", "retry failed", "control('retry')", 4, short="retry")] * bool(view.summary.failed)),
            FooterKey("+", "more seeds", "control('more')", 9, short="seed"),
            FooterKey("x", "report", "control('report')", 8),
        ]
        leaves = "stop" if view.is_running and not self._part else "back"
        self.show_keys((keys, acts), leaves)

    @on(ScrolledPage.Followed)
    def action_open(self, is_compared: bool = False) -> None:
        summary, link = self._view.summary, self.page.link
        if link is None:
            self.answer("no setting has these words" if self._words else "no point is played yet")
        elif link.kind == FAILURE:
            point = summary.failed[int(link.key)]
            _ = self.dismiss(SweepChoice(point.settings, point.seed, is_compared))
        else:
            chosen = summary.settings[int(link.key)].settings
            _ = self.dismiss(SweepChoice(chosen, self._view.spec.seeds[0], is_compared))

    def action_sort(self) -> None:
        self._order = (self._order + 1) % (2 + len(self._view.keys))
        self._draw()

    def action_zoom(self) -> None:
        self.action_part(self._part or self.page.part or BEST)

    def action_control(self, what: str) -> None:
        act = self._controls.get(what)
        if act is None:
            return

        def carried_out() -> None:
            _ = self.app.call_from_thread(self.answer, act())

        _ = self.run_worker(carried_out, thread=True)

    def action_leave(self) -> None:
        if not self.search.close():
            super().action_leave()
