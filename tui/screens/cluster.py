"""The main screen: the panes of one cluster, the keys that look around in it, and the acts on it.

The screen owns the widgets and one `ViewState`; its parts own one idea each and see the screen as a `BoardScreen`.
A key, a click or a command is a call like `navigation.show('nodes')`: a part and its method. The screen sees
pictures and posts messages; it never touches the engine.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from textual import actions, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Resize
from textual.geometry import Size

from tui.actions import ACTIONS, changes_cluster
from tui.acts.action_confirmer import ActionConfirmer
from tui.acts.applications import ApplicationActs
from tui.acts.cluster import ClusterActs
from tui.acts.command import CommandLine
from tui.acts.node_acts import NodeActs
from tui.acts.shell_verbs import ShellVerbs
from tui.acts.undoing import Undoing
from tui.board import layout
from tui.board.board import READ_ONLY, BoardScreen, Marks, ScreenOptions, as_action, selected_application
from tui.board.dialects import Dialect
from tui.board.finding import Filtering, Sorting, Views
from tui.board.layout import PaneChoice
from tui.pages.remedy_table import progress_words
from tui.panes.frame import call_at, upper
from tui.panes.table import column_at
from tui.protocol import messages
from tui.protocol.picture import Definition, SessionState
from tui.screens.feed import BorderTitles, PaneFeed, is_large
from tui.screens.frame import DetailPanel, Frame, RemedyTrials
from tui.screens.inspection import BRANCH, ActMenu, Inspection, Program
from tui.screens.large_graph import LargeGraph
from tui.screens.navigation import Navigation, Trail
from tui.screens.plans import TimeScale
from tui.terminal import format as glyphs
from tui.widgets.bars import ActionBar, PointedLines, PulseBar
from tui.widgets.lines import Lines
from tui.widgets.pane import RowPane
from tui.widgets.pane_frames import PaneFrames
from tui.widgets.prompt import Prompt


class ClusterScreen(BoardScreen):
    """One cluster, live."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    ClusterScreen #header { height: 3; }
    ClusterScreen RowPane { scrollbar-size-vertical: 0; }
    ClusterScreen.-small #header { height: 2; } ClusterScreen.-small #track { display: none; }
    ClusterScreen.-tiny #hints { display: none; }
    ClusterScreen #tabs { height: 1; display: none; } ClusterScreen #tabs.-shown { display: block; }
    ClusterScreen #acted { height: 1; display: none; } ClusterScreen #acted.-shown { display: block; }
    ClusterScreen #detail { padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(action.keys), as_action(action.call), action.title, show=False, id=action.id)
        for action in ACTIONS
    ]

    def __init__(self, options: ScreenOptions, picture: SessionState, dialect: Dialect) -> None:
        super().__init__(options, picture, dialect)
        self._is_drawn = False  # True once a picture was drawn
        self.lines_below = 0  # Lines of what is shown below the panes besides the hints
        self.trying = RemedyTrials(self)
        self.frame = Frame(self, self.trying)
        graphs, marks, asker = LargeGraph(self), Marks(self), ActionConfirmer(self)
        trail = Trail(self, graphs)
        self._edges = BorderTitles(self, trail)
        inspection, navigation = Inspection(self, trail), Navigation(self)
        self.application_acts, self.cluster_acts = ApplicationActs(self, asker, marks), ClusterActs(self, asker)
        self._graphs, self._marks, self._trail, self._inspection = graphs, marks, trail, inspection
        self.prompt = Prompt(options.styles, self._focus_active, id="prompt")
        finding = Filtering(self, self.prompt)
        self.undoing = Undoing(self)
        self.feed, self.strip = PaneFeed(self, marks, self._edges), DetailPanel(self, self.trying)
        self.parts: Mapping[str, object] = {
            "board": self,
            "navigation": navigation,
            "filtering": finding,
            "undoing": self.undoing,
            "sorting": Sorting(self),
            "time_scale": TimeScale(self),
            "trail": trail,
            "views": Views(self),
            "marks": marks,
            "inspection": inspection,
            "program": Program(self, trail, asker, self.drawn_lines),
            "command_line": CommandLine(self, self.prompt),
            "shell_verbs": ShellVerbs(self, self.drawn_lines),
            "act_menu": ActMenu(self, marks, inspection),
            "application_acts": self.application_acts,
            "node_acts": NodeActs(self, asker, marks),
            "cluster_acts": self.cluster_acts,
        }
        self._leaves: tuple[Callable[[], bool], ...] = (
            navigation.end_zoom,
            finding.drop,
            navigation.to_present,
            marks.drop,
            trail.back,
            self.undoing.drop,
        )  # What escape ends: the first that has something to end

    def compose(self) -> ComposeResult:
        styles, mark = self.options.styles, glyphs.CUT
        yield PointedLines(styles, id="header", mark=mark, call_at=self.frame.call_at)
        yield PulseBar(styles.below, id="track")
        yield PointedLines(styles.below, id="acted", mark=mark, call_at=lambda line, cell: as_action("undoing.undo"))
        yield PointedLines(
            styles.below,
            id="tabs",
            mark=mark,
            call_at=lambda line, cell: call_at(self._edges.tab_row(), self.size.width, cell),
        )
        with PaneFrames(styles.below, id="panes"):
            for name in self.dialect.panes:
                pane = RowPane(self.view(name), styles.below, id=name)
                pane.marks = self.state.marks.setdefault(name, {})
                yield pane
            call = as_action("inspection.describe")
            yield PointedLines(
                styles.below, id=layout.DETAIL, mark=mark, call_at=lambda line, cell: call, resized=self._draw_below
            )
        yield ActionBar(styles, id="hints")
        yield self.prompt

    def on_mount(self) -> None:
        for name in self.dialect.panes:
            self.watch(self.pane(name), "scroll_y", partial(self._edges.show, name), init=False)
        self.frame.show_hints()
        self.choose(self.state.choice)

    # Calls

    def action_perform(self, call: str) -> None:
        self.perform(call)

    def perform(self, call: str) -> None:
        if not self.is_mounted or not self.may(call):
            return
        part, name, arguments = actions.parse(call)
        carry_out = getattr(self.parts.get(part), name, None)
        if carry_out is None:
            self.post_message(messages.AppCalled(f"{part}.{name}", *arguments))
        else:
            carry_out(*arguments)
        self.post_message(messages.Performed(call))

    def may(self, call: str) -> bool:
        """Check that a call is permitted at this moment; otherwise show the reason and return False."""
        reason = self.dialect.refusal(call)
        if self.state.picture.run.is_watched and call == BRANCH:
            reason = ""
        elif self.options.read_only and changes_cluster(call):
            reason = READ_ONLY
        elif self.state.is_past and changes_cluster(call) and call != BRANCH:
            reason = "This is the past: only B acts here, esc goes back."
        if reason:
            self.say(reason)
        return not reason

    def leave(self) -> None:
        """End what was begun last: zoom, filter, the past, marks, a step of the trail."""
        if not any(ended() for ended in self._leaves):
            self.post_message(messages.BackAtRoot())

    # What the parts ask for

    def take_view(self, name: str, variant: str) -> None:
        self.state.views[name] = variant
        self.pane(name).become(self.view(name))
        self.feed.begin_again(name)

    def choose(self, choice: PaneChoice) -> None:
        self.state.choice = choice
        self._arrange(self.size)
        self._focus_active()
        self.redraw()

    def _focus_active(self) -> None:
        self.set_focus(self.active, scroll_visible=False)

    # Drawing

    def show(self, picture: SessionState) -> None:
        """Draw a picture; a later one takes the place of what is left of it."""
        is_first, self._is_drawn, self.state.picture = not self._is_drawn, True, picture
        self.redraw(in_turn=not is_first and is_large(picture))

    def redraw(self, *, in_turn: bool = False) -> None:
        picture = self.state.picture
        if not self._is_drawn or self._graphs.show(picture):
            return
        self.undoing.follow(picture)
        look = self.look
        self.frame.show(picture, look)
        self.undoing.show(look)
        if in_turn:
            _ = self.run_worker(self.feed.show_in_turn(self._draw_below), group="panes", exclusive=True)
        else:
            self.feed.show_all(look, self._draw_below)

    def _draw_below(self) -> None:
        self._show_detail()
        self._follow_content()
        self.query_one("#tabs", Lines).show_lines([upper(self._edges.tab_row(), self.size.width)])

    def _show_detail(self) -> None:
        pane, picture, strip = self.active, self.state.picture, self.query_one(f"#{layout.DETAIL}", Lines)
        strip.show_lines(self.strip.of_pane(pane, self._marks.marked(), picture, self.look, strip.content_size))
        found = self.trying.found
        note = progress_words(found) if found is not None else ""
        self._edges.entitle_strip(self._marks.words(pane) or pane.subject, note)
        self.frame.show_hints()

    def on_resize(self, event: Resize) -> None:
        self._arrange(event.size)
        self.frame.show_hints()
        self.call_after_refresh(self.redraw)

    def _arrange(self, screen: Size) -> None:
        self.set_class(not layout.fits(layout.WHOLE_FROM, screen), "-small")
        self.set_class(screen.height < 10, "-tiny")
        frames, choice = self.query_one(PaneFrames), self.state.choice
        taken = self.lines_below
        _ = self._placement.regions(screen, frames.size, choice, taken)  # settles the plan
        _ = self.query_one("#tabs").set_class(self.plan.is_sided and not self.plan.is_single, "-shown")
        frames.stand(lambda area: self._placement.regions(screen, area, choice, taken), is_sided=self.plan.is_sided)

    def _follow_content(self) -> None:
        edges = 2 if self.plan.is_sided else 1
        for name in self.visible_panes:
            self._placement.want(name, self.pane(name).wanted_lines + edges)
        self._placement.want(layout.DETAIL, self.strip.wanted_lines + edges)
        self._arrange(self.size)

    def drawn_lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self._compositor.render_strips()]

    # What the app hands over

    def tell(self, words: str, severity: str) -> None:
        self.frame.say(words, severity)

    def answer(self, words: str) -> None:
        if self.prompt.is_open:
            self.prompt.say(f"{words}.", "soft")
        else:
            self.frame.say(f"{words}.", "information", keeps_keys=True)

    def show_definition(self, definition: Definition) -> None:
        self._inspection.show_definition(definition)

    # The mouse and the cursor

    def on_key(self, event: Key) -> None:
        self.feed.touch(self.pane_name)
        self.frame.answer(event.key, is_typed=self.prompt.is_open)

    @on(PulseBar.Dragged)
    def _dragged(self, event: PulseBar.Dragged) -> None:
        self.post_message(messages.AppCalled("clock.travel", event.where))

    @on(RowPane.CursorMoved)
    def _cursor_moved(self, event: RowPane.CursorMoved) -> None:
        pane = event.pane
        self._edges.show(pane.view.name)
        # Not `has_focus`: a pane that another key has left already hears of that later.
        if pane is self.focused and pane.view.name != self.pane_name:
            self.choose(self.state.choice.choose(pane.view.name))
        elif pane is self.active:
            self._show_detail()
            self.feed.link(selected_application(pane, self.state.picture))

    @on(RowPane.Resized)
    def _pane_resized(self, event: RowPane.Resized) -> None:
        if event.pane.map is not None:
            self.redraw()
        else:
            self._edges.show(event.pane.view.name)

    @on(RowPane.MarkRequested)
    def _mark_wanted(self, event: RowPane.MarkRequested) -> None:
        self._marks.toggle(event.pane)

    @on(RowPane.MenuRequested)
    def _menu_wanted(self, event: RowPane.MenuRequested) -> None:
        self.choose(self.state.choice.choose(event.pane.view.name))
        self.perform("act_menu.open")

    @on(RowPane.PaneClicked)
    def _pane_clicked(self, event: RowPane.PaneClicked) -> None:
        if event.pane is not self.active:
            return
        column = column_at(event.pane.placed, event.cell) if event.what == "head" else None
        if event.what != "head":
            self.perform("trail.follow")
        elif column is not None and column.sorts:
            self.perform(f"sorting.by({column.sorts!r})")
        elif column is not None and column.title:
            self.say(f"{column.title} is nothing to sort by.", "information")

    @on(PaneFrames.EdgeClicked)
    def _edge_clicked(self, event: PaneFrames.EdgeClicked) -> None:
        if event.name not in self.dialect.panes:
            return
        if event.name != self.pane_name:
            self.choose(self.state.choice.choose(event.name))
        if event.times == 2:
            self.perform("navigation.zoom")
