"""The screen that shows why something waits; it opens with what is known and fills in while a lookahead runs.

What it shows is worked out on copies, in slices, only while the screen is on top; nothing here changes a cluster.
"""

import json
import time
from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click

from engine.explain.verdict import NEVER
from engine.observe.snapshot import Snapshot
from engine.units import zone_of
from tui.dialogs.forms import SearchableScreen, SingleResultScreen
from tui.keymap import FooterKey
from tui.pages import why_head as why
from tui.pages.fix import SearchProgress
from tui.pages.remedy_table import HELPS, USELESS, best_remedy, effect_words, listed_remedy, progress_words
from tui.pages.remedy_text import remedy_lines
from tui.pages.verdict_text import place_lines, why_lines
from tui.pages.why_head import head_lines
from tui.pages.why_parts import apply_question, keys_that_act, keys_that_look, kill_subject, remedy_at
from tui.panes.fragments import RenderContext, flat, places_of
from tui.panes.header import HARMED, Health
from tui.protocol import messages
from tui.protocol.picture import APPLICATION, CLUSTER, WhyAnswer, WhySubject
from tui.protocol.session import FollowedQuestion
from tui.screens.page import PAGE_KEYS, Paged
from tui.terminal import format as text
from tui.terminal.edges import visible_lines
from tui.terminal.format import OPEN
from tui.widgets.bars import ActionBar
from tui.widgets.lines import Lines
from tui.widgets.prompt import SearchField
from tui.widgets.scrolled_page import ScrolledPage

_TINY: Final = 10  # Lines below which only one stands over the page
LEAST_TRIED: Final = 3  # Remedies tried from which on it is told how long the rest takes


class WhyScreen(SearchableScreen, Paged, SingleResultScreen[None]):
    """The answer to one question; `trail` is what was asked on the way to it."""

    DEFAULT_CSS = """
    WhyScreen #head { height: 3; }
    WhyScreen.-roomy #head { height: 4; }
    WhyScreen.-tiny #head { height: 1; }
    WhyScreen SearchField { dock: bottom; background: $background; }
    """
    has_hints = True
    wall = staticmethod(time.monotonic)  # Wall time [s]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f3,f4", "find", "find", show=False),
        *PAGE_KEYS,
        Binding("tab,right", "other(1)", "next part", show=False),
        Binding("shift+tab,left", "other(-1)", "part before", show=False),
        *(Binding(str(number), f"numbered({number})", f"part {number}", show=False) for number in range(1, 5)),
        Binding("enter,w", "follow", "ask about it", show=False),
        Binding("W", "cluster", "what to do now", show=False),
        Binding("h", "remedies", "what helps", show=False),
        Binding("A", "apply", "apply a remedy", show=False),
        Binding("c", "copy", "copy", show=False),
        Binding("x", "save", "save", show=False),
        Binding("K,f9", "kill", "kill", show=False),
        Binding("question_mark,f1", "app.help", "help", show=False),
        Binding("n", "match(1)", "next", show=False),
        Binding("N", "match(-1)", "before", show=False),
        Binding("escape,q,backspace,ctrl+c", "close", "back", show=False),
    ]

    def __init__(
        self,
        asking: FollowedQuestion,
        styles: dict[str, Style],
        look: RenderContext,
        stem: str,
        *,
        health: Health,
        planning: FollowedQuestion | None = None,
        snapshot: Snapshot | None = None,
        trail: Sequence[WhySubject] = (),
        clock: str = "paused",
        may_act: bool = True,
    ) -> None:
        """Show what `asking` finds out, with figures of a `snapshot` of the instant; what is saved is called `stem`.

        `clock` is `paused`, `PAST` or `LIVE`. What `planning` finds for all that wait is shown where it is about the
        application asked about.
        """
        super().__init__(styles)
        self._asking = asking
        self._planning = planning
        self._begun: tuple[float, int] | None = None  # When trying was seen first [s], and how many by then
        self._look, self._stem = look, stem
        self._snapshot, self._health = snapshot, health
        self._trail, self._clock, self._may_act = tuple(trail), clock, may_act and clock != "PAST"
        self._view = why.WhyChoice()
        self._match, self._tries = 0, False
        self._shown_keys: tuple[list[FooterKey], ...] = ()
        self._is_led = False  # Whether the cursor was moved by the user, and so stays where it is

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield SearchField(self._show_found, self._read_on)

    def on_mount(self) -> None:
        self._show_hints()

    def on_screen_resume(self) -> None:
        self._asking.start(self._show)
        self._plan_on()

    def on_screen_suspend(self) -> None:
        self._asking.stop()
        if self._planning is not None:
            self._planning.stop()

    def on_unmount(self) -> None:
        """Leave off for good: Textual keeps closed screens for long, and copies of a cluster are large."""
        self._asking.close()
        self._snapshot = None
        if self._planning is not None:
            self._planning.close()

    def on_resize(self) -> None:
        self.set_class(self.size.height < _TINY, "-tiny")
        self.set_class(self.size.width >= why.FRAMED_FROM and self.size.height >= 34, "-roomy")

    @property
    def _answer(self) -> WhyAnswer:
        answer = self._asking.answer
        planned = None if self._planning is None else self._planning.answer
        if planned is None or planned.plan is None or answer.why is None:
            return answer
        own = answer.why.application.id
        if own not in planned.plan.targets and all(entry.application != own for entry in planned.plan.remedies):
            return answer
        doing = answer.doing or planned.doing
        return msgspec.structs.replace(answer, plan=planned.plan, aftermath=planned.aftermath, doing=doing)

    def _plan_on(self) -> None:
        if self._planning is not None and (self._planning.answer.plan is None or not self._asking.answer.doing):
            self._planning.start(self._show)

    def _show(self) -> None:
        answer = self._asking.answer
        self._draw()
        self._plan_on()
        found, planned = answer.why, None if self._planning is None else self._planning.answer
        has_plan = planned is not None and (
            self._answer.plan is not None or (planned.plan is None and bool(planned.doing))
        )
        is_stuck = found is not None and found.verdict in NEVER and found.would_help is None and not has_plan
        if is_stuck and not answer.doing and not answer.failure and not self._tries:
            self._tries = True
            _ = self.call_later(self.action_remedies)

    def _draw(self) -> None:
        answer, page = self._answer, self.page
        size = page.size
        if not size.width:
            return
        head = head_lines(
            answer,
            self._trail,
            self._look,
            size.width,
            state=self._clock,
            health=self._health,
            snapshot=self._of_instant,
            keys=self._helping(answer),
        )
        self.query_one("#head", Lines).show_lines(head)
        had_remedies = any(stop.part == HELPS for stop in page.stops)
        self._redraw()
        is_first = not had_remedies or answer.subject.kind == CLUSTER
        if (is_first and not self._is_led and page.go_to_part(HELPS)) or page.part != self._view.part:
            self._redraw()
        self._show_hints()

    def _helping(self, answer: WhyAnswer) -> list[tuple[str, str, str]]:
        best = best_remedy(answer.plan)
        if answer.plan is None or self._health.level < HARMED:
            return []
        if best is None or not self._may_act:
            return [("", progress_words(answer.plan), "")] if answer.doing else []
        victim = kill_subject(answer, self.page.link, is_led=self._is_led)
        words, name = effect_words(best, answer.plan), text.short_id(best.application or "")
        if best.kind == "kill" and victim.key == name.lstrip("0"):
            return [("K", words, "kill")]
        return [("", f"{listed_remedy(best, is_named=False)} {words}", "")]

    @property
    def _of_instant(self) -> Snapshot | None:
        return self._snapshot if self._asking.answer.time_ms == self._look.now_ms else None

    def _redraw(self) -> None:
        answer, page = self._answer, self.page
        search = self._view.search._replace(left_s=self._left_s(answer))
        self._view = self._view._replace(part=page.part, search=search)
        size = (page.size.width, page.size.height)
        page.show(why.why_page(answer, self._of_instant, self._look, size, self._view, self._health))

    def _left_s(self, answer: WhyAnswer) -> float | None:
        """How long trying the rest may take, at the pace seen here [s]; None until that can be told."""
        found, now_s = answer.plan, self.wall()
        if found is None or not answer.doing:
            return None
        if self._begun is None:
            self._begun = now_s, found.tried
        begun_s, begun = self._begun
        done = found.tried - begun
        return (found.of - found.tried) * (now_s - begun_s) / done if done >= LEAST_TRIED else None

    @on(ScrolledPage.Moved)
    def _moved(self) -> None:
        if self.page.part != self._view.part:
            self._redraw()
        self._show_hints()

    def on_click(self, event: Click) -> None:
        self._is_led = self._is_led or event.widget is self.page
        self._show_hints()

    def _show_hints(self) -> None:
        answer, page = self._answer, self.page
        looking = keys_that_look(answer, page.link, len(page.stops), len(why.parts_by_key(page.size.width)))
        acting = keys_that_act(answer, page.link, is_led=self._is_led) if self._may_act else []
        keys = (looking, acting, [FooterKey("esc", "back", "close")])
        if keys != self._shown_keys or self._said is not None:
            self._shown_keys = keys
            self.query_one("#hints", ActionBar).show_keys(keys, FooterKey("?", "keys", "app.help"))

    # Looking

    def _show_found(self, words: str) -> None:
        self._match = 0
        self.action_match(0)

    def _read_on(self) -> None:
        self.page.focus(scroll_visible=False)

    def action_match(self, by: int) -> None:
        found = places_of(self.search.value, [flat(line) for line in self.page.lines])
        self._match = (self._match + by) % len(found) if found else 0
        self.page.point_at(found[self._match] if found else None)
        if found:
            self.tell(f"{self._match + 1} of {len(found)}: n the next, N the one before.", "information")
        elif self.search.value:
            self.tell("No line has all these words.", "information")

    def action_move(self, by: int) -> None:
        self._is_led = True
        super().action_move(by)

    def action_page(self, by: int) -> None:
        self._is_led = True
        super().action_page(by)

    def action_end(self, last: bool) -> None:
        self._is_led = True
        super().action_end(last)

    def action_other(self, by: int) -> None:
        self._is_led = True
        self.page.move_part(by)

    def action_numbered(self, number: int) -> None:
        self._is_led = True
        if self._asking.answer.subject.kind == CLUSTER:
            return
        parts = why.parts_by_key(self.page.size.width)
        if number > len(parts):
            return
        part = parts[number - 1]
        is_turned = part in why.TABS and part != self._view.tab
        if is_turned:
            self._view = self._view._replace(tab=part)
            self._redraw()
        if not (self.page.go_to_part(part) or is_turned):
            self.tell("There is nothing to follow there.", "information")

    async def action_follow(self) -> None:
        link = self.page.link
        asked = self._asking.answer.subject
        entry = remedy_at(self._answer, link)
        if link is not None and link.kind == USELESS:
            is_open = self.page.stop is not None and OPEN in flat(self.page.lines[self.page.stop.row])
            self._view = self._view._replace(search=SearchProgress(is_open=not is_open))
            self._redraw()
        elif entry is not None:
            planning = self._planning if self._answer.plan is not self._asking.answer.plan else None
            refusal = await (planning or self._asking).try_remedy(entry.number)
            if refusal:
                self.tell(refusal, "information")
        elif link is None or link == asked:
            self.tell("There is nothing else to ask about under the cursor.", "information")
        else:
            self.post_message(messages.WhyRequested(link, (*self._trail, asked)))

    @on(ScrolledPage.Followed)
    async def _followed(self) -> None:
        await self.action_follow()

    def action_cluster(self) -> None:
        asked = self._asking.answer.subject
        if asked.kind != CLUSTER:
            self.post_message(messages.WhyRequested(WhySubject(CLUSTER, ""), (*self._trail, asked)))

    async def action_remedies(self) -> None:
        refusal = await self._asking.try_remedies()
        if refusal:
            self.tell(refusal, "information")

    def action_apply(self) -> None:
        answer = self._answer
        found, entry = answer.remedies, remedy_at(answer, self.page.link)
        if found is None or entry is None:
            self.tell("The cursor is on no remedy; h tries what would help.", "information")
        else:
            lines = apply_question(entry, found, answer.beside)
            self.post_message(messages.RemedyRequested(entry, found, lines))

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._text().removesuffix("\n"))
        self.tell("Copied the answer.", "information")

    def action_save(self) -> None:
        answer = self._asking.answer
        document = {} if answer.report is None else answer.report.written(zone_of(answer.offset_ms))
        files = {"txt": self._text(), "json": json.dumps(document, indent=1, ensure_ascii=False) + "\n"}
        self.post_message(messages.SaveRequested(self._stem, files))

    def _text(self) -> str:
        answer = self._answer
        day = answer.beside._replace(has_ms=True)
        if answer.plan is not None and answer.why is None:
            return visible_lines(remedy_lines(answer.plan, day))
        if answer.place is not None:
            return visible_lines(place_lines(answer.place, day, self._look.terms))
        return visible_lines(why_lines(answer.why, day) if answer.why is not None else [])

    def action_kill(self) -> None:
        link = kill_subject(self._answer, self.page.link, is_led=self._is_led)
        if link.kind == APPLICATION:
            self.post_message(messages.AppCalled("application_acts.ask_kill", link.key))
        else:
            self.tell("No application here can be killed.", "information")
