"""The alerts of a run as a list has them: which stand, whom each names first, and whom it affects."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.explain.alert import Alert, Episode, episodes_of
from engine.explain.badge_rules import ALARM, rule_of, word_of
from engine.observe.section import glimpses
from engine.observe.service import LIVE_STATES
from engine.observe.snapshot import ApplicationRow
from tui import format as text
from tui.picture import Picture
from tui.render.noun import application_of


class Listed(NamedTuple):
    """An alert in the list."""

    episode: Episode
    word: str
    """Its badge."""
    is_now: bool

    @property
    def style(self) -> str:
        """The token of its sign: alarm only for the worst that stands."""
        if not self.is_now:
            return "room"
        return "alarm" if rule_of(self.episode.alert.kind).level == ALARM else "watch"


def listed(picture: Picture, terms: Mapping[str, str]) -> list[Listed]:
    """The alerts up to the instant shown: those that stand, then those that are over; the worst first, then the newest.

    `terms` are the system's words for what a rule names.
    """
    now_ms = picture.snapshot.header.time_ms
    episodes = episodes_of([each for each in picture.run.alerts if each.found_ms <= now_ms])
    upper = {name: word.upper() for name, word in terms.items()}
    found = [
        Listed(each, word_of(each.alert.kind, each.alert.pattern).format(**upper), each.until_ms is None)
        for each in episodes
    ]
    return sorted(found, key=lambda each: (not each.is_now, _is_mild(each.episode.alert), -each.episode.alert.since_ms))


def _is_mild(alert: Alert) -> bool:
    return rule_of(alert.kind).level != ALARM


def who_words(alert: Alert, picture: Picture, *, is_named: bool) -> str:
    """Whom an alert names first: an application, a node, or what its sentence begins with."""
    if alert.node:
        return text.short_node(alert.node)
    if not alert.applications:
        return text.plain(alert.topic or alert.sentence)
    number = alert.applications[0]
    row = application_of(number, picture)
    return f"{number:04d} {text.plain(row.name)}".rstrip() if row is not None and is_named else f"{number:04d}"


def whom(each: Listed, picture: Picture) -> list[ApplicationRow]:
    """The applications an alert affects that are still there: all that wait in a freeze, else those it names."""
    rows = glimpses(picture.snapshot.applications(why=False))
    if each.is_now and each.episode.alert.kind == "frozen":
        return [row for row in rows if row.state in LIVE_STATES and row.waiting_since_ms is not None]
    return [row for row in rows if row.number in each.episode.alert.applications]
