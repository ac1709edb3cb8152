"""Defines the requests of screens to the app, and what a session posts to it; in the past tense, as both have happened.

Screens never call a session and a session never calls a screen: the app hands over. An act names an id, never a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual.message import Message

from engine.explain.answer import RemediesReport, RemedyReport
from engine.scenario.acts import Act, SetQueueSetting
from tui.protocol.picture import Notice, SessionChanged, WhySubject


@dataclass
class SessionPosted(Message):
    """A session has something new."""

    posted: SessionChanged | Notice


class ScreenRequest(Message):
    """Something a screen asks for; `tui.screens` carries it out."""


class AppCalled(ScreenRequest):
    """A key, a command or a part of the screen calls by name what the app does, as `clock.step` with `event`."""

    def __init__(self, name: str, *arguments: Any) -> None:
        super().__init__()
        self.name, self.arguments = name, arguments


@dataclass
class Noticed(ScreenRequest):
    """Something to tell the user in one sentence; `severity` is `information`, `warning` or `error`."""

    words: str
    severity: str = "information"


@dataclass
class Performed(ScreenRequest):
    """The main screen did what a key, a click or a command calls."""

    call: str


class BackAtRoot(ScreenRequest):
    """The user went back where there was nothing to go back from."""


@dataclass
class WhyRequested(ScreenRequest):
    """The user asks why an application waits, or what waits at a place; `trail` holds what was asked before."""

    subject: WhySubject
    trail: tuple[WhySubject, ...] = ()


@dataclass
class SaveRequested(ScreenRequest):
    """The user wants to keep something: a name, and for each ending of a file its text."""

    stem: str
    contents: Mapping[str, str]


@dataclass
class RemedyRequested(ScreenRequest):
    """The user wants to be asked whether to apply a remedy of those found; the lines say what it would do."""

    entry: RemedyReport
    found: RemediesReport
    lines: Sequence[str]


@dataclass
class ActsTried(ScreenRequest):
    """A dialog wants to know what would follow if some acts were done."""

    acts: tuple[Act, ...]


@dataclass
class QueueSettingTried(ScreenRequest):
    """The user wants to know what another setting of a queue would do."""

    act: SetQueueSetting


@dataclass
class SubmitFilled(ScreenRequest):
    """The user filled in the form: name of each field → text."""

    fields: Mapping[str, str]
