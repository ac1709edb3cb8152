"""The screen of alerts: a list, and the story of the one that the cursor is on."""

from collections.abc import Mapping
from typing import ClassVar

from rich.style import Style
from textual import on
from textual.binding import Binding, BindingType

from engine.explain.alert import Episode
from tui.dialogs.forms import SingleResultScreen
from tui.keymap import FooterKey
from tui.pages.alerts import FRAMED_FROM, LIST, STORY, Listed, alerts_page, listed
from tui.panes.fragments import Fragments, RenderContext, justify_line
from tui.panes.frame import spans_of
from tui.panes.header import health_line, health_of, thawing
from tui.panes.pulse import Thaw
from tui.panes.waits import CLUSTER as WHOLE
from tui.panes.waits import sum_words, waits_in
from tui.protocol import messages
from tui.protocol.picture import APPLICATION, CLUSTER, SessionState, WhySubject
from tui.screens.page import PAGE_KEYS, Paged
from tui.terminal import format as text
from tui.terminal.format import CRUMB
from tui.widgets.lines import Lines
from tui.widgets.scrolled_page import ScrolledPage


def leads_to(episode: Episode) -> int:
    """The instant of interest: when it formed, or when it was over."""
    return episode.alert.since_ms if episode.until_ms is None else episode.until_ms


class AlertsScreen(Paged, SingleResultScreen[Episode]):
    """The alerts of a run up to an instant; answers with the one to go to."""

    DEFAULT_CSS = """
    AlertsScreen #head { height: 4; }
    AlertsScreen.-small #head { height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *PAGE_KEYS,
        Binding("1", f"part({LIST!r})", "list", show=False),
        Binding("2", f"part({STORY!r})", "story", show=False),
        Binding("tab,shift+tab", "other", "other part", show=False),
        Binding("enter", "go", "go there", show=False),
        Binding("w", "why", "why", show=False),
        Binding("m", "mute", "mute", show=False),
        Binding("W", "cluster", "what to do now", show=False),
        Binding("escape,q,X,backspace,ctrl+c", "leave", "back", show=False),
    ]

    def __init__(
        self,
        picture: SessionState,
        styles: dict[str, Style],
        look: RenderContext,
        terms: Mapping[str, str],
        muted: set[str],
        *,
        clock: str,
        thaw: Thaw | None = None,
    ) -> None:
        """A key changes which badges are `muted`; the `clock` is `paused`, `PAST` or `LIVE`."""
        super().__init__(styles)
        self._picture, self._look = picture, look
        self._terms, self._clock, self._muted, self._thaw = terms, clock, muted, thaw
        self._found = listed(picture, terms, muted)
        self._part, self._chosen = LIST, 0

    def on_resize(self) -> None:
        self.set_class(not self._is_wide, "-small")

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= FRAMED_FROM

    @property
    def chosen(self) -> Listed:
        return self._found[self._chosen]

    def _show(self) -> None:
        width = self.size.width
        self.query_one("#head", Lines).show_lines(self._head(width))
        size = (self.page.size.width, self.page.size.height)
        part = LIST if self._is_wide else self._part
        page = alerts_page(self._found, self._chosen, self._picture, self._look, self._terms, size, part)
        self.page.show(page)
        self._show_hints()

    def _head(self, width: int) -> list[Fragments]:
        look, now = self._look, sum(each.is_now for each in self._found)
        clock = text.clock(look.now_ms, look.offset_ms)
        right: Fragments = [(f"{self._clock}  ", "watch"), (f"{clock[:3]} ", "soft"), (clock[4:], "strong")]
        crumbs = justify_line([(f" Cluster {CRUMB} ", "soft"), ("alerts", "strong")], right, width)
        keys = (("w", "why", "why"), ("W", "what to do", "cluster"))
        health = thawing(health_of(self._picture, self._muted), self._thaw, look.now_ms, look.offset_ms)
        state = spans_of(health_line(health, look.now_ms, keys, width))
        counts: Fragments = [(f" {now} now", "strong"), (f", {len(self._found) - now} over", "soft")]
        waits = waits_in(WHOLE, "", look)
        apart = sum_words(waits, look.dimensions, is_short=width < FRAMED_FROM)
        sums: Fragments = [("waiting ", "soft"), (str(waits.number), "strong"), (f"{apart} ", "soft")]
        return [crumbs, state, justify_line(counts, sums, width)]

    def _show_hints(self) -> None:
        moment = text.near_clock(leads_to(self.chosen.episode), self._look.now_ms, self._look.offset_ms)
        looking = [FooterKey("j k", "choose", "move(1)", 3), FooterKey("enter", f"go to {moment}", "go", 2, "go there")]
        looking += [] if self._is_wide else [FooterKey("1 2", "list, story", "other", 4)]
        asking = [FooterKey("w", "why", "why", 2), FooterKey("W", "what to do", "cluster", 3)]
        asking.append(FooterKey("m", "show again" if self.chosen.is_muted else "mute", "mute", 4))
        self.show_keys((looking, asking))

    @on(ScrolledPage.Moved)
    def _moved(self) -> None:
        link = self.page.link
        if link is not None and int(link.key) != self._chosen:
            self._chosen = int(link.key)
            self._show()

    def action_move(self, by: int) -> None:
        if self.page.stops:
            self.page.move(by)
        else:
            self._chosen = max(0, min(len(self._found) - 1, self._chosen + by))
            self._show()

    def action_part(self, part: str) -> None:
        self._part = part
        self._show()

    def action_other(self) -> None:
        self.action_part(STORY if self._part == LIST else LIST)

    @on(ScrolledPage.Followed)
    def action_go(self) -> None:
        _ = self.dismiss(self.chosen.episode)

    def action_why(self) -> None:
        named = self.chosen.episode.alert.applications
        if named:
            self.post_message(messages.WhyRequested(WhySubject(APPLICATION, str(named[0]))))
        else:
            self.tell("This alert names no application.", "information")

    def action_mute(self) -> None:
        """Leave the badge of the alert chosen out of the header, or show it there again; the list keeps it."""
        self._muted ^= {self.chosen.badge}
        self._found = listed(self._picture, self._terms, self._muted)
        self._show()

    def action_cluster(self) -> None:
        self.post_message(messages.WhyRequested(WhySubject(CLUSTER, "")))

    def action_leave(self) -> None:
        _ = self.dismiss(None)
