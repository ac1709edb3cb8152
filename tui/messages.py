"""Defines the requests of screens to the app, and what a session posts to it; in the past tense, as both have happened.

Screens never call a session and a session never calls a screen: the app hands over. An act names an id, never a row.
"""

from collections.abc import Mapping, Sequence

from textual.message import Message

from engine.scenario.acts import Act, SetQueueSetting
from tui.answers import WhySubject
from tui.picture import Notice, PictureChanged


class SessionPosted(Message):
    """A session has something new."""

    def __init__(self, posted: PictureChanged | Notice) -> None:
        super().__init__()
        self.posted = posted


class ScreenRequest(Message):
    """Something a screen asks for; `tui.requests` carries it out."""


class Noticed(ScreenRequest):
    """Something to tell the user in one sentence.

    `severity` is `information`, `warning` or `error`.
    """

    def __init__(self, words: str, severity: str = "information") -> None:
        super().__init__()
        self.words = words
        self.severity = severity


class Performed(ScreenRequest):
    """The main screen did what a key, a click or a command calls."""

    def __init__(self, call: str) -> None:
        super().__init__()
        self.call = call


class NothingToLeave(ScreenRequest):
    """The user went back where there was nothing to go back from."""


class WhyRequested(ScreenRequest):
    """The user asks why an application waits, or who waits at a place.

    `trail` holds what was asked before, where one answer led to the next.
    """

    def __init__(self, subject: WhySubject, trail: tuple[WhySubject, ...] = ()) -> None:
        super().__init__()
        self.subject = subject
        self.trail = trail


class RemediesWanted(ScreenRequest):
    """There is room for what would help an application, by its number; None when there is none any more."""

    def __init__(self, application: int | None) -> None:
        super().__init__()
        self.application = application


class KillRequested(ScreenRequest):
    """The user wants to be asked whether to kill an application, by number."""

    def __init__(self, number: str) -> None:
        super().__init__()
        self.number = number


class SaveRequested(ScreenRequest):
    """The user wants to keep something: a name, and for each ending of a file its text."""

    def __init__(self, stem: str, contents: Mapping[str, str]) -> None:
        super().__init__()
        self.stem = stem
        self.contents = dict(contents)


class PauseToggled(ScreenRequest):
    """The user stops the clock or lets it run."""


class StepRequested(ScreenRequest):
    """The user wants one step: a `second`, an `event`, or up to the next `decision`."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit


class TravelRequested(ScreenRequest):
    """The user goes through time: `back`, `on`, `mark.back`, `mark.on`, `live`, or a time as typed."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where


class DrillRequested(ScreenRequest):
    """The user opens the drill that is played: its `desk`, or of an exam its `questions`, `pages` or `end`."""

    def __init__(self, part: str = "desk") -> None:
        super().__init__()
        self.part = part


class BranchConfirmed(ScreenRequest):
    """The user lets the run go on from the instant looked at."""


class TwinRequested(ScreenRequest):
    """The user wants a simulation that stands as what is looked at; `words` say what to assume."""

    def __init__(self, words: str = "") -> None:
        super().__init__()
        self.words = words


class CompareRequested(ScreenRequest):
    """The user wants what is shown compared with the same under other policies or settings, which the words name."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class SpeedChanged(ScreenRequest):
    """The user wants the clock faster (+1) or slower (-1)."""

    def __init__(self, direction: int) -> None:
        super().__init__()
        self.direction = direction


class UndoRequested(ScreenRequest):
    """The user wants the run to go on from just before an act [epoch ms]."""

    def __init__(self, time_ms: int) -> None:
        super().__init__()
        self.time_ms = time_ms


class HoldChanged(ScreenRequest):
    """A dialog opened (the clock stands) or closed (it goes on as before)."""

    def __init__(self, *, held: bool) -> None:
        super().__init__()
        self.held = held


class RemedyRequested(ScreenRequest):
    """The user wants to be asked whether to apply a remedy: its act, in words, and what it would do."""

    def __init__(self, act: Act, sentence: str, lines: Sequence[str]) -> None:
        super().__init__()
        self.act = act
        self.sentence = sentence
        self.lines = lines


class ActsTried(ScreenRequest):
    """A dialog wants to know what would follow if some acts were done."""

    def __init__(self, acts: Sequence[Act]) -> None:
        super().__init__()
        self.acts = tuple(acts)


class QueueSettingTried(ScreenRequest):
    """The user wants to know what another setting of a queue would do."""

    def __init__(self, queue: str, key: str, value: str) -> None:
        super().__init__()
        self.act = SetQueueSetting(queue, key, value)


class PlansRequested(ScreenRequest):
    """The user wants to step through a plan of Spark's Master, best one about this application; None is any."""

    def __init__(self, application: int | None) -> None:
        super().__init__()
        self.application = application


class DefinitionRequested(ScreenRequest):
    """The user wants to know how something was defined: a `queue` by path, a `node` or an `application` by id."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__()
        self.kind = kind
        self.name = name


class ThemesRequested(ScreenRequest):
    """The user wants to choose a theme."""


class ThemeChosen(ScreenRequest):
    """The user wants another theme, by name; `tried` is true while one only looks at it."""

    def __init__(self, theme: str, *, tried: bool = False) -> None:
        super().__init__()
        self.theme = theme
        self.tried = tried


class SpeedChosen(ScreenRequest):
    """The user names a speed of the clock; 0 is flat out."""

    def __init__(self, speed: float) -> None:
        super().__init__()
        self.speed = speed


class ReloadConfirmed(ScreenRequest):
    """The user has an allocation file loaded, by path."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class SubmitFilled(ScreenRequest):
    """The user filled in the form: name of each field → text."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__()
        self.fields = dict(fields)
