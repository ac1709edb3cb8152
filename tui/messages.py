"""What screens ask of the app, and what a session posts to it; in the past tense, because both have happened.

Screens never call a session and a session never calls a screen: the app hands over. An act names an id, never a row.
"""

from collections.abc import Mapping, Sequence

from textual.message import Message

from tui.answers import WhySubject
from tui.view_state import Notice, PictureChanged


class SessionPosted(Message):
    """A session has something new."""

    def __init__(self, posted: PictureChanged | Notice) -> None:
        super().__init__()
        self.posted = posted


class Request(Message):
    """Something a screen asks for; `tui.requests` carries it out."""


class Noticed(Request):
    """Something to tell the user in one sentence.

    `severity` is `information`, `warning` or `error`.
    """

    def __init__(self, words: str, severity: str = "information") -> None:
        super().__init__()
        self.words = words
        self.severity = severity


class WhyRequested(Request):
    """The user asks why an application waits, or who waits at a place.

    `trail` holds what was asked before, where one answer led to the next.
    """

    def __init__(self, subject: WhySubject, trail: tuple[WhySubject, ...] = ()) -> None:
        super().__init__()
        self.subject = subject
        self.trail = trail


class KillRequested(Request):
    """The user wants to be asked whether to kill an application, by number."""

    def __init__(self, number: str) -> None:
        super().__init__()
        self.number = number


class SaveRequested(Request):
    """The user wants to keep something: a name, and for each ending of a file its text."""

    def __init__(self, stem: str, contents: Mapping[str, str]) -> None:
        super().__init__()
        self.stem = stem
        self.contents = dict(contents)


class PauseToggled(Request):
    """The user stops the clock or lets it run."""


class StepRequested(Request):
    """The user wants one step: a `second`, an `event`, or up to the next `decision`."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit


class TravelRequested(Request):
    """The user goes through time: `back`, `on`, `mark.back`, `mark.on`, `live`, or a time as typed."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where


class BranchConfirmed(Request):
    """The user lets the run go on from the instant looked at."""


class SpeedChanged(Request):
    """The user wants the clock faster (+1) or slower (-1)."""

    def __init__(self, direction: int) -> None:
        super().__init__()
        self.direction = direction


class HoldChanged(Request):
    """A dialog opened (the clock stands) or closed (it goes on as before)."""

    def __init__(self, *, held: bool) -> None:
        super().__init__()
        self.held = held


class KillConfirmed(Request):
    """The user kills applications, named by their ids."""

    def __init__(self, applications: Sequence[str]) -> None:
        super().__init__()
        self.applications = applications


class PreemptionChosen(Request):
    """The user switches preemption."""

    def __init__(self, *, on: bool) -> None:
        super().__init__()
        self.on = on


class ReservationRuleChosen(Request):
    """The user chooses the reservation rule: `strict`, `limited` or `off`."""

    def __init__(self, rule: str) -> None:
        super().__init__()
        self.rule = rule


class SpreadOutChosen(Request):
    """The user chooses whether Spark's Master spreads executors out (on) or packs them (off)."""

    def __init__(self, *, on: bool) -> None:
        super().__init__()
        self.on = on


class PlansRequested(Request):
    """The user wants to step through a plan of Spark's Master, best one about this application; None is any."""

    def __init__(self, application: int | None) -> None:
        super().__init__()
        self.application = application


class DefinitionRequested(Request):
    """The user wants to know how something was defined: a `queue` by path, a `node` or an `application` by id."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__()
        self.kind = kind
        self.name = name


class ThemesRequested(Request):
    """The user wants to choose a theme."""


class ThemeChosen(Request):
    """The user wants another theme, by name; `tried` is true while one only looks at it."""

    def __init__(self, theme: str, *, tried: bool = False) -> None:
        super().__init__()
        self.theme = theme
        self.tried = tried


class MoveConfirmed(Request):
    """The user moves applications, named by their ids, to a queue."""

    def __init__(self, applications: Sequence[str], queue: str) -> None:
        super().__init__()
        self.applications = applications
        self.queue = queue


class QueueSettingTried(Request):
    """The user wants to know what another setting of a queue would do."""

    def __init__(self, queue: str, key: str, value: str) -> None:
        super().__init__()
        self.queue = queue
        self.key = key
        self.value = value


class QueueSettingConfirmed(QueueSettingTried):
    """The user knows and changes it."""


class SpeedChosen(Request):
    """The user names a speed of the clock; 0 is flat out."""

    def __init__(self, speed: float) -> None:
        super().__init__()
        self.speed = speed


class NodeServiceChosen(Request):
    """The user takes nodes, named by their ids, out of service or brings them back."""

    def __init__(self, nodes: Sequence[str], *, in_service: bool) -> None:
        super().__init__()
        self.nodes = nodes
        self.in_service = in_service


class SubmitFilled(Request):
    """The user filled in the form: name of each field → text."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__()
        self.fields = dict(fields)
