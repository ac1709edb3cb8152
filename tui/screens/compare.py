"""The screen of a comparison: pulses above, the parts below; n and N go from parting to parting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.style import Style
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.worker import Worker, WorkerState

from engine.compare import Comparison, ExplainedDivergence
from engine.observe.snapshot import Snapshot
from tui.dialogs.forms import SingleResultScreen
from tui.keymap import FooterKey
from tui.pages.compare import PARTS_OF_PAGE, CompareView, both_page, compare_page, legend, pulses
from tui.pages.compare_text import headline
from tui.pages.size_page import PARTS_OF_SIZE, SizeView, answer_words, size_page
from tui.panes.fragments import Fragments, crop, justify_line
from tui.screens.page import Paged, parted_keys
from tui.terminal import format as text
from tui.terminal.format import CRUMB, CUT
from tui.widgets.lines import Lines
from tui.widgets.scrolled_page import ScrolledPage

Opened = Callable[[int], Sequence[Snapshot]]  # Every run at the end of an instant [epoch ms], played up to it


class CompareScreen(Paged, SingleResultScreen[None]):
    PARTS = PARTS_OF_PAGE
    DEFAULT_CSS = "CompareScreen #head { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        *parted_keys(PARTS_OF_PAGE),
        Binding("n", "go(1)", "next difference", show=False),
        Binding("N", "go(-1)", "difference before", show=False),
        Binding("enter", "both", "both there", show=False),
    ]

    def __init__(
        self, comparison: Comparison, partings: Sequence[ExplainedDivergence], styles: dict[str, Style], opened: Opened
    ) -> None:
        super().__init__(styles)
        self._opened = opened
        self._view = CompareView(comparison, partings, 0)
        self._there: Sequence[Snapshot] | None = None  # The runs at the parting; None while not looked at

    @property
    def chosen(self) -> int:
        return self._view.chosen

    @property
    def is_there(self) -> bool:
        return self._there is not None

    def _show(self) -> None:
        width = self.size.width
        head = self._head(width)
        lines = self.query_one("#head", Lines)
        lines.styles.height = len(head)
        lines.show_lines(head)
        size = (self.page.size.width or width, self.page.size.height)
        there = self._there
        page = compare_page(self._view, size, self._part) if there is None else both_page(self._view, there, size[0])
        self.page.show(page)
        self._show_hints()

    def _head(self, width: int) -> list[Fragments]:
        comparison = self._view.comparison
        until = text.near_minute(comparison.until_ms, comparison.start_ms, comparison.offset_ms)
        right: Fragments = [(f"same workload, seed {comparison.seed}, to ", "soft"), (until, "strong")]
        crumbs = justify_line([(f" Runs {CRUMB} ", "soft"), ("compare", "strong")], right, width)
        said: Fragments = crop([(" ", "text"), (text.plain(headline(comparison)), "strong")], width, CUT)
        return [crumbs, said, crop(legend(comparison.runs), width, CUT), *pulses(self._view, width)]

    def _show_hints(self) -> None:
        number = len(self._view.partings)
        looking = [FooterKey("n N", "difference", "go(1)", 2)] if number > 1 else []
        if self._there is None:
            looking += [FooterKey("enter", "both there", "both", 2)] if number else []
            looking.append(FooterKey("1-4", "part", "next_part", 3))
        self.show_keys(([FooterKey("j k", "scroll", "move(1)", 4), *looking],))

    def action_part(self, part: str) -> None:
        self._there = None
        super().action_part(part)

    def action_go(self, by: int) -> None:
        number = len(self._view.partings)
        place = self._view.chosen + by
        if not 0 <= place < number:
            self.tell("There is no further difference." if by > 0 else "This is the first one.", "information")
            return
        self._view = self._view._replace(chosen=place)
        if self._there is not None:
            self.action_both()
        self._show()

    @on(ScrolledPage.Followed)
    def action_both(self) -> None:
        if self._view.parting is None:
            return
        at_ms = self._view.here_ms
        self.tell(f"Playing every run to {text.instant(at_ms, self._view.comparison.offset_ms)}.", "information")
        _ = self.run_worker(lambda: self._opened(at_ms), thread=True, exclusive=True)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        worker: Worker[Any] = event.worker
        if event.state is WorkerState.SUCCESS:
            self._there = worker.result
            self.page.scroll_to(y=0, animate=False)
            self._show()

    def action_leave(self) -> None:
        if self._there is not None:
            self._there, self._part = None, ""
            self._show()
        else:
            super().action_leave()


@dataclass
class SizeChanged(Message):
    """More is found."""

    view: SizeView


class SizeScreen(Paged, SingleResultScreen[int]):
    """Steps, strains and curve, live while a size is searched; its answer is the size to open, None to leave."""

    PARTS = PARTS_OF_SIZE
    DEFAULT_CSS = "SizeScreen #head { height: 3; }"
    BINDINGS: ClassVar[list[BindingType]] = [*parted_keys(PARTS_OF_SIZE), Binding("enter", "open", "open", show=False)]

    def __init__(self, view: SizeView, styles: dict[str, Style]) -> None:
        super().__init__(styles)
        self._view = view

    @on(SizeChanged)
    def _take(self, event: SizeChanged) -> None:
        self._view = event.view
        self._show()

    def _show(self) -> None:
        width, view = self.size.width, self._view
        left: Fragments = [(f" Runs {CRUMB} ", "soft"), ("size", "strong"), (f" {view.name}", "soft")]
        right: Fragments = [("kept in ", "soft"), (f"{view.file} ", "text")] if view.file else []
        style = "strong" if view.sizing.answer is not None or view.is_running else "watch"
        lines = [justify_line(left, right, width), [(" ", "text"), (answer_words(view), style)]]
        self.query_one("#head", Lines).show_lines([crop(line, width, CUT) for line in lines])
        self.page.show(size_page(view, (self.page.size.width or width, self.page.size.height), self._part))
        keys = [
            FooterKey("j k", "step", "move(1)", 3),
            FooterKey("enter", "open", "open", 1),
            FooterKey("1-3", "part", "next_part", 2),
        ]
        self.show_keys((keys,), "stop" if view.is_running and not self._part else "back")

    @on(ScrolledPage.Followed)
    def action_open(self) -> None:
        if self.page.link is None:
            self.answer("no size is played yet")
        else:
            _ = self.dismiss(int(self.page.link.key))
