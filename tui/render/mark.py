"""Marks on a time axis: alerts and what somebody did, with the sign, the colour and the names of each.

The last act has lines of its own below the header while it can be undone: what it changed, what came since.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from engine.explain.alert import Alert
from engine.observe.system_words import words_of
from tui import format as text
from tui.glyphs import CUT, EVENT, FRAME, WATCH
from tui.picture import Picture, RunState
from tui.render.line import Look, Spans, crop, length

LETTERS: Final[Mapping[str, str]] = {
    "DrainNode": "D",
    "KillApplication": "K",
    "KillContainer": "K",
    "MoveApplication": "M",
    "SetPreemption": "P",
    "SetQueueSetting": "E",
    "SetReservationRule": "R",
    "SetSetting": "O",
    "SubmitApplication": "S",
}
"""Act, by the name of its record → its key's letter; others have `EVENT`."""
STYLES: Final[Mapping[str, str]] = {"frozen": "alarm", "outage": "alarm", "over": "good", "returned": "good"}
"""Kind of an alert → token; others are of the second degree."""


class Mark(NamedTuple):
    """An alert or an act."""

    time_ms: int
    sign: str
    """`WATCH` of an alert; of an act its key's letter, or `EVENT`."""
    style: str
    names: Sequence[str] = ()
    """What may stand beside it, the longest first."""

    @property
    def is_alert(self) -> bool:
        """True for an alert, false for an act."""
        return self.sign == WATCH


def marks_of(run: RunState, now_ms: int) -> list[Mark]:
    """Everything that was found to be wrong and everything that was done in a run, in order.

    A time of day is named with its day where that is not the day of `now_ms`.
    """
    near = partial(text.near_clock, now_ms=now_ms, offset_ms=run.offset_ms)
    acts = run.track.acts if run.track is not None else {}
    found = [_act(time_ms, name, near(time_ms)) for time_ms, name in acts.items()]
    found += [_alert(alert, near(alert.since_ms)) for alert in run.alerts]
    return sorted(found, key=lambda mark: mark.time_ms)


def _alert(alert: Alert, moment: str) -> Mark:
    what = alert.kind.replace("-", " ")
    names = [f"{moment} {what}", what]
    if len(alert.applications) == 1 and alert.kind != "frozen":
        names.insert(0, f"{moment} {alert.applications[0]} {what}")
    if alert.node:
        names.insert(0, f"{moment} {text.short_node(alert.node)} {what}")
    return Mark(alert.since_ms, WATCH, STYLES.get(alert.kind, "watch"), names)


def _act(time_ms: int, name: str, moment: str) -> Mark:
    letter = LETTERS.get(name, EVENT)
    return Mark(time_ms, letter, "accent", (f"{moment} {letter}", letter))


class ActLine(NamedTuple):
    """An act that can be undone."""

    letter: str
    """As on the pulse: its key's letter."""
    time_ms: int
    """When it was done [epoch ms]."""
    words: str
    """What was done, in a sentence."""

    @classmethod
    def of(cls, name: str, time_ms: int, words: str) -> "ActLine":
        """The line of an act, by the name of its record."""
        return cls(LETTERS.get(name, EVENT), time_ms, words)


def act_line(acted: ActLine, key: str, look: Look, width: int) -> Spans:
    """A rule with the act at its left and the key that undoes it at its right, which is never cut."""
    moment = text.near_clock(acted.time_ms, look.now_ms, look.offset_ms)
    right: Spans = [(" ", "text"), (key, "bold accent"), (f" undo, back to just before it {FRAME[0]}", "soft")]
    if width < length(right) + 30:
        right = [(" ", "text"), (key, "bold accent"), (f" undo {FRAME[0]}", "soft")]
    words = text.plain(text.with_short_ids(acted.words)).rstrip(".")
    left: Spans = [(f"{FRAME[0]} ", "accent"), (acted.letter, "bold accent")]
    left += [(f"  {moment}  ", "soft"), (words, "strong"), (" ", "text")]
    left = crop(left, max(0, width - length(right)), CUT)
    return [*left, (FRAME[0] * (width - length(left) - length(right)), "accent"), *right]


def act_facts(acted: ActLine, picture: Picture, look: Look) -> list[Spans]:
    """Lists what an act changed at once, what was given since, and where undoing leads; nothing without its record."""
    events = picture.events
    place = bisect_left(events, acted.time_ms, key=lambda row: row.time_ms)
    later = list(islice(events, place, None))
    own = max(
        (at for at, row in enumerate(later) if row.kind == "Acted" and row.time_ms == acted.time_ms), default=None
    )
    if own is None:
        return []
    held = words_of(look.dimensions).container
    at_once = Counter(row.kind for row in later[own:] if row.time_ms == acted.time_ms)
    since = [row for row in later if row.time_ms > acted.time_ms]
    counts = {
        f"{held} ended": at_once["Killed"] + at_once["Completed"],
        "reservation dropped": at_once["Unreserved"],
        f"{held} given": at_once["Allocated"],
    }
    changed = [_counted(count, what) for what, count in counts.items() if count]
    given = [row.fields["container"] for row in since if row.kind == "Allocated"]
    owners = {container[0] for container in given if isinstance(container, tuple)}
    to = f" to {text.plural(len(owners), words_of(look.dimensions).application)}" if given else ""
    moment = text.near_clock(acted.time_ms, look.now_ms, look.offset_ms)
    facts = {
        "changed": ", ".join(changed) or "nothing at once",
        "since": f"{text.plural(len(given), held)} given{to}" if since or look.now_ms > acted.time_ms else "",
        "u": f"back to just before {moment}; what came after is dropped",
    }
    return [[(f" {name:<9}", "faint"), (words, "text")] for name, words in facts.items() if words]


def _counted(count: int, what: str) -> str:
    """`2 containers ended`."""
    noun, _, verb = what.partition(" ")
    return f"{text.plural(count, noun)} {verb}"
