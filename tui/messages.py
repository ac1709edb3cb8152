"""What the session tells the app, and what a screen asks of it; in the past tense, because both have happened.

Screens never call the session and the session never calls a screen: the app hands these over. An act names an id,
never a row.
"""

from collections.abc import Mapping, Sequence

from textual.message import Message

from tui.answers import WhySubject


class PictureChanged(Message):
    """There is something new to draw; whoever draws asks the session for the picture."""


class Noticed(Message):
    """Something to tell the user in one sentence.

    `severity` is `information`, `warning` or `error`.
    """

    def __init__(self, words: str, severity: str = "information") -> None:
        super().__init__()
        self.words = words
        self.severity = severity


class WhyRequested(Message):
    """The user asks why an application waits, or who waits at a place.

    `trail` holds what was asked before, where one answer led to the next.
    """

    def __init__(self, subject: WhySubject, trail: tuple[WhySubject, ...] = ()) -> None:
        super().__init__()
        self.subject = subject
        self.trail = trail


class KillRequested(Message):
    """The user wants to be asked whether to kill an application, by number."""

    def __init__(self, number: str) -> None:
        super().__init__()
        self.number = number


class SaveRequested(Message):
    """The user wants to keep something: a name, and for each ending of a file its text."""

    def __init__(self, stem: str, contents: Mapping[str, str]) -> None:
        super().__init__()
        self.stem = stem
        self.contents = dict(contents)


class PauseToggled(Message):
    """The user stops the clock or lets it run."""


class StepRequested(Message):
    """The user wants one step: a `second`, an `event`, or up to the next `decision`."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit


class TravelRequested(Message):
    """The user goes through time: `back`, `on`, `mark.back`, `mark.on`, `live`, or a time as typed."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where


class BranchConfirmed(Message):
    """The user lets the run go on from the instant looked at."""


class SpeedChanged(Message):
    """The user wants the clock faster (+1) or slower (-1)."""

    def __init__(self, direction: int) -> None:
        super().__init__()
        self.direction = direction


class HoldChanged(Message):
    """A dialog opened (the clock stands) or closed (it goes on as before)."""

    def __init__(self, *, held: bool) -> None:
        super().__init__()
        self.held = held


class KillConfirmed(Message):
    """The user kills applications, named by their ids."""

    def __init__(self, applications: Sequence[str]) -> None:
        super().__init__()
        self.applications = applications


class PreemptionChosen(Message):
    """The user switches preemption."""

    def __init__(self, *, on: bool) -> None:
        super().__init__()
        self.on = on


class ReservationRuleChosen(Message):
    """The user chooses the reservation rule: `strict`, `limited` or `off`."""

    def __init__(self, rule: str) -> None:
        super().__init__()
        self.rule = rule


class SpreadOutChosen(Message):
    """The user chooses whether Spark's Master spreads executors out (on) or packs them (off)."""

    def __init__(self, *, on: bool) -> None:
        super().__init__()
        self.on = on


class PlansRequested(Message):
    """The user wants to step through a plan of Spark's Master, best one about this application; None is any."""

    def __init__(self, application: int | None) -> None:
        super().__init__()
        self.application = application


class DefinitionRequested(Message):
    """The user wants to know how something was defined: a `queue` by path, a `node` or an `application` by id."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__()
        self.kind = kind
        self.name = name


class ThemesRequested(Message):
    """The user wants to choose a theme."""


class ThemeChosen(Message):
    """The user wants another theme, by name; `tried` is true while one only looks at it."""

    def __init__(self, theme: str, *, tried: bool = False) -> None:
        super().__init__()
        self.theme = theme
        self.tried = tried


class MoveConfirmed(Message):
    """The user moves applications, named by their ids, to a queue."""

    def __init__(self, applications: Sequence[str], queue: str) -> None:
        super().__init__()
        self.applications = applications
        self.queue = queue


class QueueSettingTried(Message):
    """The user wants to know what another setting of a queue would do."""

    def __init__(self, queue: str, key: str, value: str) -> None:
        super().__init__()
        self.queue = queue
        self.key = key
        self.value = value


class QueueSettingConfirmed(QueueSettingTried):
    """The user knows and changes it."""


class SpeedChosen(Message):
    """The user names a speed of the clock; 0 is flat out."""

    def __init__(self, speed: float) -> None:
        super().__init__()
        self.speed = speed


class NodeServiceChosen(Message):
    """The user takes nodes, named by their ids, out of service or brings them back."""

    def __init__(self, nodes: Sequence[str], *, in_service: bool) -> None:
        super().__init__()
        self.nodes = nodes
        self.in_service = in_service


class SubmitFilled(Message):
    """The user filled in the form: name of each field → text."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__()
        self.fields = dict(fields)
