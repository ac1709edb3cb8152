"""The words in the frames of the panes: titles and facts, order or view, other panes of the place, positions."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.widget import Widget

from tui.glyphs import CRUMB
from tui.render.arrangement import sort_words
from tui.render.frame import EdgeWords, PaneFrame, shortened, tab_titles, thumb_of
from tui.render.line import Span
from tui.screens import layout
from tui.screens.board import Board, as_action
from tui.screens.trail import Trail
from tui.widgets.pane_frames import PaneFrames

_GAP = EdgeWords((("  ", "text"),))


class PaneFacts(NamedTuple):
    """The facts in the title of a pane beside its name."""

    size: str = ""
    """How many rows there are."""
    state: str = ""
    """What else is to be known of how they are shown."""
    linked: str = ""
    """What the application that is selected in another pane has here."""
    caption: str = ""
    """How old rows are, how they stand, or what they have in common."""
    inferred: str = ""
    """What is inferred of the rows."""


class Edges:
    """The part of the board that keeps the frames true."""

    def __init__(self, board: Board, trail: Trail, find: Callable[[str], Widget]) -> None:
        """`find` gives the widget of an id."""
        self._board, self._trail, self._find = board, trail, find
        self._facts: dict[str, PaneFacts] = {}
        self._strip = ""

    def entitle(self, name: str, facts: PaneFacts) -> None:
        """Say these facts of a pane from now on."""
        self._facts[name] = facts
        self.show(name)

    def entitle_strip(self, subject: str) -> None:
        """Name what the strip is about."""
        self._strip = subject
        self.show_strip()

    def show(self, name: str) -> None:
        """Draw the frame of a pane as things stand."""
        board, pane = self._board, self._board.pane(name)
        if name not in board.visible_panes:
            return
        is_sided = board.plan.is_sided
        is_active = name == board.pane_name
        has_tabs = board.plan.is_single and not board.state.choice.zoomed
        left = self._tabs() if has_tabs else self._title(name, is_focused=is_active)
        caption = self._facts.get(name, PaneFacts()).caption
        words = [EdgeWords(((caption, "soft"),))] if caption else []
        right = [] if has_tabs else self._way(name) or [*self._others(name), *words]
        foot = pane.position if is_sided and is_active else ""
        is_doubled = self._board.options.styles.palette in ("16", "none")
        seen = pane.scrollable_content_region.height
        thumb = thumb_of(pane.scroll_offset.y, seen, pane.virtual_size.height)
        frame = PaneFrame(left, right, foot, is_active, is_sided, is_doubled, thumb)
        self._frames.show_frame(name, frame)
        if is_active and not is_sided:
            self.show_strip()

    def show_strip(self) -> None:
        """Draw the frame of the strip."""
        board = self._board
        is_sided = board.plan.is_sided
        in_full = EdgeWords((("w", "bold accent"), (" in full", "faint")), as_action("inspection.why"))
        foot, right = "", [in_full] if self._strip else []
        if not is_sided:
            facts = self._facts.get(board.pane_name, PaneFacts())
            state = [EdgeWords(((words, style),)) for words, style in _state(facts)]
            right = [*self._way(board.pane_name), *state]
            foot = board.active.position
        left = [EdgeWords(((self._strip, "text"),), as_action("inspection.describe"))] if self._strip else []
        self._frames.show_frame(layout.DETAIL, PaneFrame(left, right, foot, False, is_sided))

    @property
    def _frames(self) -> PaneFrames:
        frames = self._find("panes")
        assert isinstance(frames, PaneFrames), "the panes stand in frames"
        return frames

    def _title(self, name: str, *, is_focused: bool) -> list[EdgeWords]:
        """Digit, name, facts."""
        digit, _, words = self._board.dialect.titles[name].partition(" ")
        number = "bold accent" if is_focused else "faint"
        style = "faint" if name in self._board.dialect.muted else "strong" if is_focused else "text"
        title = [EdgeWords(((f"{digit} ", number), (words, style)))]
        facts = self._facts.get(name, PaneFacts())
        for words, style in ((facts.size, "soft"), *_state(facts)):
            title += [_GAP, EdgeWords(((words, style),))] if words else []
        return title

    def _tabs(self) -> list[EdgeWords]:
        """Every pane to go to."""
        board = self._board
        greyed, shown = board.dialect.muted | board.state.choice.hidden, board.pane_name
        found: list[EdgeWords] = []
        for name, title in tab_titles(board.dialect.titles, shown, board.size.width - len("─  ─")).items():
            digit, _, words = title.partition(" ")
            is_shown = name == shown
            number = "bold accent" if is_shown else "faint"
            style = "strong" if is_shown else "faint" if name in greyed else "soft"
            spans = ((digit, number), (f" {words}" if words else "", style))
            found += [_GAP, EdgeWords(spans, as_action(f"navigation.show({name!r})"))]
        return found[1:]

    def _others(self, name: str) -> list[EdgeWords]:
        """The panes that could stand in a pane's place."""
        titles = self._board.dialect.titles
        others = layout.sharing(self._board.plan, name)
        return [
            EdgeWords(
                ((shortened(titles[other]), "faint"),),
                as_action(f"navigation.show({other!r})"),
                ((titles[other][:1], "faint"),),
            )
            for other in others
        ]

    def _way(self, name: str) -> Sequence[EdgeWords]:
        """The steps that led here, each to go back to, then how rows are chosen and ordered."""
        steps, arrangement = self._trail.steps(name), self._board.arrangement(name)
        found = [
            EdgeWords(((f"{label} {CRUMB}", "soft"),), as_action(f"trail.back_by({len(steps) - place})"))
            for place, label in enumerate(steps)
        ]
        scope = arrangement.scope.text if arrangement.scope is not None and not steps else ""
        noun = self._board.noun(name)
        shape = noun.shape
        columns = (*(shape.sorted_columns or shape.columns), *(shape.every_column or ()))
        order = sort_words(columns, noun.criteria, arrangement)
        words = "  ".join(part for part in (scope, arrangement.words(), order) if part)
        return [*found, EdgeWords(((words, "soft"),))] if words else found


def _state(facts: PaneFacts) -> list[Span]:
    """The notes on sort, filter and scope, and the share of the selected application."""
    return [span for span in ((facts.inferred, "watch"), (facts.state, "soft"), (facts.linked, "accent")) if span[0]]
