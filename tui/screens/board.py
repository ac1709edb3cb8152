"""Panes on one screen: which are shown where, what stands in them and over them.

Small terminals show one pane at a time, larger ones several beside each other; `layout` says where. What is drawn
comes from a picture; nothing here changes a cluster. What stands around the panes is in `frame`, the keys are in
`looking`.
"""

import time
from collections.abc import Sequence
from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size

from tui.render import tabs
from tui.render.arrangement import Arrangement
from tui.render.fields import Field, fields_of
from tui.render.line import Look
from tui.render.noun import Noun
from tui.render.pointing import header_call
from tui.screens import choices, layout
from tui.screens.frame import Frame
from tui.screens.ordering import Orderings
from tui.view_state import Picture
from tui.widgets.bars import ActionBar, PointedLines
from tui.widgets.lines import Lines
from tui.widgets.nodes import NodePane
from tui.widgets.pane import RowPane
from tui.widgets.prompt import Prompt
from tui.widgets.region_container import Places
from tui.widgets.track import TrackBar

FULL_FROM = Size(80, 20)
"""Size of the terminal below which header and strip shrink."""


class Board(Frame):
    """The panes of one cluster."""

    AUTO_FOCUS = ""
    wall = staticmethod(time.monotonic)
    """Wall time [s]."""
    DEFAULT_CSS = """
    Board { layout: vertical; }
    Board #header { height: 3; }
    Board #tabs { display: none; }
    Board.-standalone #reservations { border-title-color: $foreground-muted; }
    Board RowPane {
        border-top: solid $foreground-muted; border-title-color: $foreground; border-title-style: none;
        link-style: none; link-color: auto; link-background: transparent;
    }
    Board RowPane:focus {
        border-top: heavy $accent; border-title-color: $accent; border-title-style: reverse bold;
    }
    Board.-ascii RowPane { border-top: ascii $foreground-muted; scrollbar-size-vertical: 0; }
    Board.-ascii RowPane:focus { border-top: ascii $accent; }
    Board #detail { border-top: solid $foreground-muted; }
    Board.-ascii #detail { border-top: ascii $foreground-muted; }
    Board.-single #tabs { display: block; }
    Board.-small #header { height: 2; }
    Board.-tiny #header { height: 1; }
    Board.-tiny #tabs, Board.-tiny #hints { display: none; }
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._arrangements: dict[str, Arrangement] = {}
        self._titles: dict[str, tuple[str, str]] = {}
        self._orderings = Orderings()
        self.picture: Picture | None = None

    def compose(self) -> ComposeResult:
        """Header, tabs, panes, strip, hints."""
        yield PointedLines(self._styles_by_name, id="header", mark=self._glyphs.cut, call_at=header_call)
        yield TrackBar(self._styles_by_name, id="track")
        yield ActionBar(self._styles_by_name, id="tabs")
        with Places(id="panes"):
            for name in self.dialect.titles:
                kind = NodePane if name == "nodes" else RowPane
                yield kind(self.noun(name), self._styles_by_name, id=name)
            yield PointedLines(
                self._styles_by_name, id=layout.DETAIL, mark=self._glyphs.cut, call_at=lambda line, cell: "describe"
            )
        yield ActionBar(self._styles_by_name, id="hints")
        yield Prompt(self._styles_by_name, id="prompt")

    def on_mount(self) -> None:
        """Begin with the first pane."""
        for name, title in self.dialect.titles.items():
            self._entitle(self.pane(name), title)
        self._show_hints()
        self._look_at(self._wish)

    def noun(self, name: str) -> Noun[Any]:
        """What a pane shows."""
        return self.dialect.nouns[name]

    def pane(self, name: str) -> RowPane[Any]:
        """One of the panes."""
        return self.query_one(f"#{name}", RowPane)

    @property
    def active(self) -> RowPane[Any]:
        """The pane the keys go to."""
        return self.pane(self._wish.pane)

    def show(self, picture: Picture) -> None:
        """Draw a picture; sections that did not change and panes that are hidden cost nothing."""
        self.picture = picture
        look = self.look
        self._show_header(picture, look)
        self.query_one(TrackBar).show_run(picture.run, look)
        seen = self.visible_panes
        for name in self.dialect.titles:
            if name in seen:
                self._feed(self.pane(name), picture, look)
            else:
                self._orderings.pop(name, None)
                self.pane(name).forget()
        self._show_tabs()
        self._show_detail()

    @property
    def look(self) -> Look:
        """What cells depend on besides their row."""
        if self.picture is None:
            return Look(0, ("memory_mb",), (0,), glyphs=self._glyphs)
        header, run = self.picture.snapshot.header, self.picture.run
        return Look(header.time_ms, header.dimensions, header.total, run.offset_ms, self._glyphs)

    @property
    def _plan(self) -> layout.Plan:
        return self.dialect.plans.plan(self.size, zoomed=self._wish.zoomed)

    @property
    def visible_panes(self) -> list[str]:
        """The panes on screen."""
        return layout.visible(self._plan, self._wish)

    def _feed(self, pane: RowPane[Any], picture: Picture, look: Look) -> None:
        name = pane.noun.name
        arrangement = self.arrangement(name)
        ordering = self._orderings.of(name, pane.noun.identity)
        now_s, version = self.wall(), (self.version_of(name, picture), arrangement.key(look), ordering.turns)
        if version != pane.version or (ordering.is_old and ordering.is_due(now_s)):
            rows, rest = self.narrowed(name, picture, arrangement)
            may_hold = not (picture.run.paused or picture.run.ended)
            fields, wanted = self.fields(name), version[1]
            shown = ordering.arranged(rows, rest, fields, look, now_s, wanted=wanted, may_hold=may_hold)
            pane.show(shown, (*version[:2], ordering.turns), look)
        else:
            pane.show(pane.rows, version, look)
        count = self._count_title(name, picture) + ("  order held" if ordering.is_held else "")
        room = self.query_one(Places).width_of(name) - len(count) - len("    ")
        way = self.way(name, room)
        self._entitle(pane, f"{count}  {way}" if way else count, room - len(way))

    def _entitle(self, pane: RowPane[Any], title: str, room: int = 0) -> None:
        """Put a title over a pane, and, where there is room, the panes that could stand there instead, to click on."""
        name = pane.noun.name
        others = {one: tabs.shortened(self.dialect.titles[one]) for one in layout.sharing(self._plan, name)}
        links = "".join(f" | [@click=screen.show_pane('{one}')]{words}[/]" for one, words in others.items())
        if sum(len(words) + 3 for words in others.values()) > room:
            links = ""
        if (title, links) != self._titles.get(name):
            self._titles[name] = (title, links)
            pane.entitle(Content(title).append(Content.from_markup(f"[not reverse not bold]{links}[/]")))

    def title_of(self, name: str) -> str:
        """What stands over a pane."""
        return self._titles[name][0]

    def way(self, name: str, room: int) -> str:
        """What a title says of how a pane's rows are chosen and ordered, best in so many cells."""
        return self.arrangement(name).words()

    def narrowed(self, name: str, picture: Picture, arrangement: Arrangement) -> tuple[Sequence[Any], Arrangement]:
        """The rows a pane draws, and what of an arrangement is still to be done with them."""
        if name == "events":
            return picture.events, arrangement
        return self.dialect.narrowed(name, picture.snapshot, arrangement)

    def version_of(self, name: str, picture: Picture) -> object:
        """What changes when the rows of a pane do."""
        return picture.events_version if name == "events" else picture.snapshot.version(self.dialect.section(name))

    def on_key(self) -> None:
        """Whoever reads a pane with the keys has its rows stay where they are for a while."""
        self._orderings.touch(self._wish.pane, self.wall())

    def _count_title(self, name: str, picture: Picture) -> str:
        return f"{self.dialect.titles[name]} {choices.count_words(name, self.pane(name).rows, picture)}"

    def arrangement(self, name: str) -> Arrangement:
        """How a pane's rows are chosen and ordered."""
        return self._arrangements.get(name, Arrangement())

    def fields(self, name: str) -> tuple[Field, ...]:
        """What a pane's rows can be sorted and filtered by."""
        return fields_of(name, standalone=self.dialect.is_standalone)

    def rearrange(self, name: str, arrangement: Arrangement) -> None:
        """Choose and order a pane's rows in another way."""
        self._arrangements[name] = arrangement
        self.redraw()

    def _show_detail(self) -> None:
        row = self.active.selected
        lines = [[(self.active.noun.nothing, "dim")]] if row is None else self.active.noun.details(row, self.look)
        self.query_one("#detail", Lines).show_lines(lines)

    def redraw(self) -> None:
        """Draw the same picture in another arrangement."""
        if self.picture is not None:
            self.show(self.picture)
        else:
            self._show_tabs()

    def on_resize(self, event: Resize) -> None:
        """Arrange the panes for this size."""
        self._arrange(event.size)
        self._show_hints()
        self.call_after_refresh(self.redraw)

    def _arrange(self, screen: Size) -> None:
        plan, wish = self._plan, self._wish
        self.set_class(len(plan.bands) == 1, "-single")
        is_full = layout.fits(FULL_FROM, screen)
        self.set_class(not is_full, "-small")
        self.set_class(screen.height < 10, "-tiny")
        strip_lines = layout.STRIP_LINES if is_full else 0
        self.query_one(Places).place(lambda area: layout.regions(plan, area, wish, strip_lines=strip_lines))

    def _look_at(self, wish: layout.Wish) -> None:
        """Show other panes, and give the keys to the one that is to have them."""
        self._wish = wish
        self._arrange(self.size)
        self.set_focus(self.active, scroll_visible=False)
        self.redraw()
