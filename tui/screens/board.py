"""The board: what the parts of the cluster screen share, its state and what they may ask of the screen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen

from tui.actions import ACTIONS, Action
from tui.confirmation import LOSS
from tui.picture import Picture
from tui.render.arrangement import Arrangement
from tui.render.filter import Filter
from tui.render.header import DrillClock
from tui.render.line import Look
from tui.render.mark import ActLine
from tui.render.noun import Noun
from tui.render.queue import Folds
from tui.screens.dialects import Dialect
from tui.screens.layout import PaneChoice, PanePlan
from tui.theme import StyleTable
from tui.widgets.pane import RowPane


def as_action(call: str) -> str:
    r"""A call as an action of the cluster screen, as textual spells it.

    >>> as_action("navigation.show('nodes')")
    'perform("navigation.show(\'nodes\')")'
    """
    return f"perform({call!r})"


class Crumb(NamedTuple):
    """One step of the trail."""

    pane: str
    """From here …"""
    view: str
    row_id: str | None
    target: str
    """… to this table, …"""
    arrangement: Arrangement
    """… whose rows were chosen so before."""
    target_pane: str
    label: str
    """What was left, in the words of the trail."""


@dataclass
class BoardState:
    """All that the user has chosen to see. Plain data; the cursor of each pane is its widget's."""

    choice: PaneChoice
    """Which panes."""
    views: dict[str, str] = field(default_factory=dict)
    """Pane → its view, where it is not the first."""
    arrangements: dict[str, Arrangement] = field(default_factory=dict)
    """Table → how its rows are chosen and ordered."""
    filters: dict[str, Filter] = field(default_factory=dict)
    """Table → the filter that was typed last."""
    marks: dict[str, dict[str, None]] = field(default_factory=dict)
    """Pane → ids of its marked rows, in the order they were marked."""
    trail: list[Crumb] = field(default_factory=list)
    """The steps that `enter` and `b` took, the first one first."""
    partition: str = ""
    """The partition whose shares queues show; empty for the default one."""
    folds: Folds = field(default_factory=Folds)
    """Which queues are folded."""
    group_folds: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Table → key of a group → whether it is folded, where that was chosen."""
    picture: Picture | None = None
    """What is drawn; None before the first picture."""
    muted: set[str] = field(default_factory=set)
    """Badges that somebody muted on the page of alerts: the header does not show them."""
    acted: ActLine | None = None
    """The last act, while it can be undone by a key."""

    @property
    def is_past(self) -> bool:
        """True while the picture is one of the past."""
        return self.picture is not None and self.picture.run.present_ms is not None


class BoardOptions(NamedTuple):
    """The options the program was started with."""

    styles: StyleTable
    ascii_only: bool = False
    read_only: bool = False
    registry: Sequence[Action] = ACTIONS
    """The actions with the user's keys."""
    confirm: str = LOSS
    """Which acts ask first."""
    drill: DrillClock | None = None
    """The drill that is played; None where none is."""
    tries_remedies: bool = False
    """Whether what would help is tried on copies while the clock stands."""


class Board(Protocol):
    """The interface of the cluster screen for its parts."""

    state: BoardState
    dialect: Dialect
    options: BoardOptions

    @property
    def size(self) -> Size:
        """Returns the size of the terminal."""

    @property
    def is_covered(self) -> bool:
        """True while another screen is on top."""

    @property
    def look(self) -> Look:
        """The `Look` with which rows are drawn."""

    @property
    def plan(self) -> PanePlan:
        """Tells where the panes stand now."""

    @property
    def visible_panes(self) -> list[str]:
        """The panes on screen."""

    @property
    def active(self) -> RowPane[Any]:
        """The pane the keys go to."""

    @property
    def pane_name(self) -> str:
        """The name of that pane."""

    def pane(self, name: str) -> RowPane[Any]:
        """One of the panes."""

    def noun(self, name: str) -> Noun[Any]:
        """Returns the noun of a pane in the view that is shown."""

    def arrangement(self, name: str) -> Arrangement:
        """Returns the filter, scope and order of a pane's rows."""

    def rearrange(self, name: str, arrangement: Arrangement) -> None:
        """Choose and order a pane's rows in another way."""

    def choose(self, choice: PaneChoice) -> None:
        """Show other panes, and give the keys to the one that is to have them."""

    def take_view(self, name: str, view: str) -> None:
        """Show a pane in another view."""

    def redraw(self) -> None:
        """Draw the same picture again, as the state says."""

    def say(self, words: str, severity: str = "warning") -> None:
        """Tell the user one sentence."""

    def refuse(self, call: str, otherwise: str = "") -> bool:
        """Return True, and show the reason, where a call does nothing on this kind of cluster."""

    def post_message(self, message: Message) -> bool:
        """Ask something of the session."""

    def open(self, screen: Screen[Any], answered: Callable[[Any], None] | None = None) -> None:
        """Put a screen on top; its answer goes to `answered`."""

    def perform(self, call: str) -> None:
        """Do what a key, a click or a command calls."""
