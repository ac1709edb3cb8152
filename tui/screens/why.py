"""The screen that shows why something waits; it opens with what is known and fills in while a lookahead runs.

What it shows is worked out on copies, in slices, only while the screen is on top; nothing here changes a cluster.
"""

import json
from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Resize

from tui import format as text
from tui import messages
from tui.answers import Asking, ClosedQuestion, WhySubject
from tui.keymap import ACTIONS, Action
from tui.render import why
from tui.render.help import of_actions
from tui.render.line import Look, places_of
from tui.render.verdict_text import place_lines, why_lines
from tui.render.why_remedies import apply_question, entry_of, remedy_number
from tui.screens.closing import ClosesOnce
from tui.screens.help import HelpScreen
from tui.view_state import APPLICATION
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines
from tui.widgets.linked import LinkedLines
from tui.widgets.text_field import SearchField

WIDE_FROM = 150
"""Width from which who holds what stands beside the reasons."""

_HINTS = (
    ("enter", "ask", "follow"),
    ("h", "remedies", "remedies"),
    ("A", "apply", "apply"),
    ("c", "copy", "copy"),
    ("x", "save", "save"),
    ("K", "kill", "kill"),
    ("/", "find", "find"),
    ("?", "help", "help"),
    ("esc", "back", "close"),
)
"""(keys, what they do, the action)."""


class WhyScreen(ClosesOnce[None]):
    """The answer to one question; `trail` is what was asked on the way to it."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    WhyScreen { layout: vertical; }
    WhyScreen #head { height: 3; }
    WhyScreen #body { height: 1fr; border-top: heavy $accent; }
    WhyScreen.-ascii #body { border-top: ascii $accent; }
    WhyScreen.-ascii LinkedLines { scrollbar-size-vertical: 0; }
    WhyScreen SearchField { dock: bottom; background: $background; }
    WhyScreen #second { display: none; margin-left: 2; }
    WhyScreen.-wide #second { display: block; }
    WhyScreen.-tiny #head { height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f3,f4", "find", "find", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("pagedown,space", "page(1)", "page down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("home,g", "end(False)", "first", show=False),
        Binding("end,G", "end(True)", "last", show=False),
        Binding("tab,shift+tab,left,right", "other", "other side", show=False),
        Binding("enter,w", "follow", "ask about it", show=False),
        Binding("h", "remedies", "what helps", show=False),
        Binding("A", "apply", "apply a remedy", show=False),
        Binding("c", "copy", "copy", show=False),
        Binding("x", "save", "save", show=False),
        Binding("K,f9", "kill", "kill", show=False),
        Binding("question_mark,f1", "help", "help", show=False),
        Binding("n", "match(1)", "next", show=False),
        Binding("N", "match(-1)", "before", show=False),
        Binding("escape,q,backspace,ctrl+c", "close", "back", show=False),
    ]

    def __init__(
        self,
        asking: Asking,
        styles: dict[str, Style],
        look: Look,
        stem: str,
        *,
        trail: Sequence[WhySubject] = (),
        past: bool = False,
        registry: Sequence[Action] = ACTIONS,
        ascii_only: bool = False,
    ) -> None:
        """Show what `asking` finds out; what is saved is called `stem`."""
        super().__init__(classes="-ascii" if ascii_only else "")
        self._asking: Asking = asking
        self._styles_by_name, self._look, self._stem = styles, look, stem
        self._trail, self._past = tuple(trail), past
        self._registry, self._ascii = registry, ascii_only
        self._match = 0
        self._victim = ""

    def compose(self) -> ComposeResult:
        """Three lines, one or two columns, hints."""
        mark = self._look.glyphs.cut
        yield Lines(self._styles_by_name, id="head", mark=mark)
        with Horizontal(id="body"):
            yield LinkedLines(self._styles_by_name, id="first", mark=mark)
            yield LinkedLines(self._styles_by_name, id="second", mark=mark)
        yield ActionBar(self._styles_by_name, id="hints")
        yield SearchField(self._show_found, self._read_on)

    def on_mount(self) -> None:
        """Show what is known."""
        self._show_hints()

    def on_screen_resume(self) -> None:
        """Work on while this is looked at."""
        self._asking.start(self._show)

    def on_screen_suspend(self) -> None:
        """Leave off while something else is."""
        self._asking.stop()

    def on_unmount(self) -> None:
        """Leave off for good: Textual keeps closed screens for long, and copies of a cluster are large."""
        self._asking.close()
        self._asking = ClosedQuestion(self._asking.answer)

    def on_resize(self, event: Resize) -> None:
        """Arrange for this size."""
        is_place = self._asking.answer.subject.kind != "application"
        self.set_class(event.size.width >= WIDE_FROM and not is_place, "-wide")
        self.set_class(event.size.height < 10, "-tiny")
        self._main.focus(scroll_visible=False)
        self.call_after_refresh(self._show)

    @property
    def _main(self) -> LinkedLines:
        """The column that has the cursor first."""
        return self.query_one("#second" if self.has_class("-wide") else "#first", LinkedLines)

    @property
    def _active(self) -> LinkedLines:
        return self.focused if isinstance(self.focused, LinkedLines) else self._main

    def _show(self) -> None:
        answer, look = self._asking.answer, self._look
        self.query_one("#head", Lines).show_lines(why.head_lines(answer, self._trail, look, past=self._past))
        first, second = self.query_one("#first", LinkedLines), self.query_one("#second", LinkedLines)
        width = max(20, first.size.width - 1)
        if self.has_class("-wide"):
            first.show(why.first_part(answer, look, width))
            second.show(why.second_part(answer, look, max(20, second.size.width - 1)))
        else:
            first.show(why.body(answer, look, width))
        self._name_victim()

    def _name_victim(self) -> None:
        """Name in the hints whom K asks about."""
        subject = self._kill_subject
        victim = f" {subject.key}" if subject.kind == APPLICATION else ""
        if victim != self._victim:
            self._victim = victim
            self._show_hints()

    def _show_hints(self) -> None:
        known = [(keys, words + self._victim if call == "kill" else words, call) for keys, words, call in _HINTS]
        items = [Clickable(((keys, "key"), (f" {words}", "dim")), call) for keys, words, call in known]
        self.query_one("#hints", ActionBar).show_items(items)

    # Looking

    def _show_found(self, words: str) -> None:
        """Go to the first line that has these words."""
        self._match = 0
        self.action_match(0)

    def _read_on(self) -> None:
        """Give the keys back to the column that has the cursor first."""
        self._main.focus(scroll_visible=False)

    def action_match(self, by: int) -> None:
        """Go to the next line that has the words sought, or to the one before; after the last comes the first."""
        columns = [one for one in self.query(LinkedLines) if one.display]
        found = [
            (column, place)
            for column in columns
            for place in places_of(
                self.search.value, ["".join(words for words, _ in line.spans) for line in column.lines]
            )
        ]
        self._match = (self._match + by) % len(found) if found else 0
        here = found[self._match] if found else (None, None)
        for column in columns:
            column.point_at(here[1] if column is here[0] else None)
        if found:
            self.tell(f"{self._match + 1} of {len(found)}: n the next, N the one before.", "information")
        elif self.search.value:
            self.tell("No line has all these words.", "information")

    def action_move(self, by: int) -> None:
        """Go to the next link, or scroll."""
        self._active.move(by)
        self._name_victim()

    def action_page(self, by: int) -> None:
        """Scroll by a page."""
        self._active.move_pages(by)
        self._name_victim()

    def action_end(self, last: bool) -> None:
        """Go to the beginning or the end."""
        self._active.go_to_end(last=last)
        self._name_victim()

    def action_other(self) -> None:
        """Go to the other column."""
        if self.has_class("-wide"):
            other = "#first" if self._active.id == "second" else "#second"
            self.query_one(other, LinkedLines).focus(scroll_visible=False)
            self._name_victim()

    async def action_follow(self) -> None:
        """Ask about what the cursor is on, or try the remedy it is on."""
        link = self._active.link or self._main.link
        asked = self._asking.answer.subject
        number = remedy_number(link)
        if number is not None:
            refusal = await self._asking.try_remedy(number)
            if refusal:
                self.tell(refusal, "information")
        elif link is None or link == asked:
            self.tell("The cursor is on nobody else to ask about.", "information")
        else:
            self.post_message(messages.WhyRequested(link, (*self._trail, asked)))

    @on(LinkedLines.Followed)
    async def _followed(self) -> None:
        await self.action_follow()

    async def action_remedies(self) -> None:
        """Find out what would help."""
        refusal = await self._asking.try_remedies()
        if refusal:
            self.tell(refusal, "information")

    def action_apply(self) -> None:
        """Be asked whether to apply the remedy that the cursor is on."""
        number = remedy_number(self._active.link or self._main.link)
        document = self._asking.answer.document
        entry = entry_of(document, number) if number is not None else None
        if entry is None:
            self.tell("The cursor is on no remedy; h tries what would help.", "information")
        else:
            lines = apply_question(entry, document["would_help"])
            self.post_message(messages.RemedyRequested(entry["step"], entry["remedy"], lines))

    def action_copy(self) -> None:
        """Copy the answer as text, through the terminal."""
        self.app.copy_to_clipboard("\n".join(self._text()))
        self.tell("Copied the answer.", "information")

    def action_save(self) -> None:
        """Save the answer as text and as JSON."""
        document = self._asking.answer.document
        files = {
            "txt": "\n".join(self._text()) + "\n",
            "json": json.dumps(document, indent=1, ensure_ascii=False) + "\n",
        }
        self.post_message(messages.SaveRequested(self._stem, files))

    def _text(self) -> list[str]:
        document = self._asking.answer.document
        return place_lines(document) if "waiting" in document else why_lines(document)

    @property
    def _kill_subject(self) -> WhySubject:
        """Whom the cursor is on, or whom the question is about."""
        link, subject = self._active.link or self._main.link, self._asking.answer.subject
        number = remedy_number(link)
        entry = entry_of(self._asking.answer.document, number) if number is not None else None
        if entry is not None and entry["kind"] == "kill":
            return WhySubject(APPLICATION, text.short_id(entry["application"]).lstrip("0"))
        return subject if number is not None else link or subject

    def action_kill(self) -> None:
        """Be asked whether to kill whom the cursor is on, or whom the question is about."""
        link = self._kill_subject
        if link.kind == APPLICATION:
            self.post_message(messages.KillRequested(link.key))
        else:
            self.tell("Nobody here can be killed.", "information")

    def action_nothing(self) -> None:
        """A sentence was clicked."""

    def action_help(self) -> None:
        """Show all keys."""
        _ = self.app.push_screen(HelpScreen(of_actions(self._registry, {}), ascii_only=self._ascii))

    def action_find(self) -> None:
        """Type what to find."""
        self.search.open()

    def action_close(self) -> None:
        """Show everything again, or go back when everything is shown."""
        if not self.search.close():
            _ = self.dismiss(None)

    @property
    def search(self) -> SearchField:
        """The field for words to find."""
        return self.query_one(SearchField)
