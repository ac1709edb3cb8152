"""Shared context of the classes that carry out requests: the app, its main screen, and the session that is shown."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from textual.app import App

from tui.actions import ACTIONS, Action
from tui.confirmation import LOSS
from tui.messages import ScreenRequest
from tui.render.header import DrillClock
from tui.screens.closing import ClosesOnce
from tui.screens.cluster import ClusterScreen
from tui.screens.page import PageScreen
from tui.session_protocol import Connection
from tui.theme import StyleTable

Routes = Mapping[type[ScreenRequest], Callable[[Any], Awaitable[None]]]
"""Kind of request → what carries it out."""

NO_CLOCK = "This cluster is live: its clock cannot be driven, and it has no past to go to."
NO_ACTS = "Nothing here can change this cluster."
NO_QUESTIONS = "This cluster is live: why something waits can only be asked of a simulation."
NOT_TRIED = "Not tried: this cluster is live, and there is no copy of it."


class Absent(msgspec.Struct, frozen=True):
    """Sentences that are said where a session lacks a part."""

    clock: str = NO_CLOCK
    acts: str = NO_ACTS
    questions: str = NO_QUESTIONS
    copy: str = NOT_TRIED
    """In a dialog that would have tried an act."""


def nothing_to_save() -> None:
    """Nothing is lost with the terminal."""


class Options(msgspec.Struct, frozen=True):
    """Options of the screens, for as long as the app runs."""

    ascii_only: bool = False
    read_only: bool = False
    registry: Sequence[Action] = ACTIONS
    """The keys of the user's choice."""
    save_folder: Path = Path()
    confirm: str = LOSS
    """The acts that ask first."""
    lesson: str = ""
    """The lesson that a newcomer reads: a name of `lessons.LESSONS`; empty for none."""
    is_lesson_hidden: bool = False
    """True if its lines were closed for ever."""
    lesson_mark: Path | None = None
    """The file that says so."""
    absent: Absent = Absent()
    drill: DrillClock | None = None
    """The drill that is played; None where none is."""
    tries_remedies: bool = False
    """True if remedies are tried on copies while the clock stands, where there is room to show them."""
    at_loss: Callable[[], object] = nothing_to_save
    """Called when the terminal is gone for good and the program ends at once."""


class Context:
    """Shared by the app and by what carries out its requests."""

    def __init__(self, app: App[None], options: Options, styles: StyleTable) -> None:
        self.app, self.options, self.styles = app, options, styles
        self.send: Callable[[str], object] = lambda text: None
        """Gives the terminal what is no picture."""
        self.connection: Connection | None = None
        """The session that is shown; None while the picker is open."""
        self.cluster: ClusterScreen | None = None
        """Its main screen."""

    def tell(self, words: str, severity: str = "information") -> None:
        """Say one sentence in the footer of the screen on top, or beside what is typed there."""
        screen = self.app.screen
        if isinstance(screen, ClosesOnce) and screen.has_hints:
            screen.tell(words, severity)
            return
        if self.cluster is not None and self.cluster.prompt.is_open:
            self.cluster.prompt.say(words, "soft" if severity == "information" else "watch")
        elif self.cluster is not None:
            self.cluster.tell(words, severity)
        if isinstance(screen, PageScreen):
            screen.say(words)
