"""A detected state of the cluster that needs an operator."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from engine.control_plane.cluster_view import ApplicationSummary
from engine.explain.badge_rules import ONCE
from engine.explain.verdict import Verdict

HOW: Final = {
    "deadlocked": "they wait for each other",
    "blocked": "holders never release what is needed",
    "outage": "what is down stays down",
    "impossible": "even alone it would not be given what it asks for",
    "later": "it is not its turn within 24 hours",
    "starving": "others are given what it needs again and again",
}
"""Meaning of a verdict, in few words."""


ENDINGS: Final = frozenset({"over", "returned"})
"""Kinds that end another alert."""


class Alert(msgspec.Struct, frozen=True):
    """Something an operator should know."""

    kind: str
    """`frozen` nothing will be allocated any more; `stuck` some will be given nothing any more while others go on;
    `held-up` some wait long for their turn; `livelock` containers are taken back again and again and none runs out;
    `outage` a control plane, every node or an application master is away;
    `refused` an application was refused; `too-large` no node could hold what one asks for; `over` one of these is.
    Whoever shows a run adds `lost` and `returned`: a node is gone, or back."""
    since_ms: int
    """When it formed [epoch ms]; of a freeze up to half a second late where something arrived in between."""
    found_ms: int
    """When it was seen."""
    sentence: str
    verdict: str = ""
    """The verdict on the first of `applications`; empty for other kinds."""
    pattern: str = ""
    """The named pattern it is, of `patterns.NAMES`; empty when none."""
    applications: tuple[int, ...] = ()
    """Applications to look at, the one that waits longest or was refused first."""
    priority: int | None = None
    """Priority of the ask of the first application; None when it is about all it asks for."""
    ends_ms: int | None = None
    """When an outage ends or is noticed [epoch ms]; None where that is not known."""
    topic: str = ""
    """The words before the first colon of the sentence, as a verdict or what is away; empty where there are none."""
    node: str = ""
    """The node whose loss or return it is; empty for other kinds."""

    @property
    def said(self) -> str:
        """The sentence without its topic."""
        return self.sentence.removeprefix(f"{self.topic}: ")

    @property
    def words(self) -> str:
        """It in few words, for a header."""
        name = self.pattern or self.verdict
        if not name:
            return self.sentence
        if self.kind == "frozen":
            return f"{name}: {_never_given(self.applications, is_cycle=self.verdict == 'deadlocked')}"
        numbers = ", ".join(str(number) for number in self.applications[: 2 if self.kind == "livelock" else 1])
        return f"{name}: application{'s' if ',' in numbers else ''} {numbers}"


def _never_given(applications: Sequence[int], *, is_cycle: bool) -> str:
    """Who is given nothing any more, by number; of a cycle two, else the one that waits longest."""
    if is_cycle and len(applications) > 1:
        first, second = applications[:2]
        return f"{first:04d} and {second:04d} wait for each other"
    return f"{applications[0]:04d} is never given what it asks for" if applications else "nothing moves"


class Episode(NamedTuple):
    """An alert from beginning to end."""

    alert: Alert
    until_ms: int | None
    """When its cause was found to be gone [epoch ms]; of what happened once the same as since when; None while it
    stands."""


def episodes_of(alerts: Sequence[Alert]) -> list[Episode]:
    """The alerts of a run with their ends, in order; what only ends another is none itself."""
    found: list[Episode] = []
    for each in alerts:
        ended = [place for place, episode in enumerate(found) if _ends(each, episode)]
        if each.kind not in ENDINGS:
            found.append(Episode(each, each.since_ms if each.kind in ONCE else None))
        for place in ended[-1:]:
            found[place] = found[place]._replace(until_ms=each.found_ms)
    return found


def standing_of(alerts: Sequence[Alert]) -> list[Alert]:
    """The alerts whose end was not found yet, in order."""
    return [each.alert for each in episodes_of(alerts) if each.until_ms is None]


def _ends(end: Alert, episode: Episode) -> bool:
    """Tell whether an alert says that an earlier one is over; the end of a freeze names no applications."""
    alert = episode.alert
    if episode.until_ms is not None or end.kind not in ENDINGS:
        return False
    if end.kind == "returned":
        return alert.kind == "lost" and alert.node == end.node
    ended = () if alert.kind == "frozen" and not end.applications else alert.applications
    return (alert.since_ms, ended) == (end.since_ms, end.applications)


def frozen_words(verdict: Verdict, pattern: str, applications: int) -> str:
    """The sentence of a freeze."""
    words = f"{pattern or verdict.verdict}: nothing will be allocated any more to any of {applications} applications"
    how = HOW.get(verdict.verdict, "") if verdict.verdict != "impossible" else ""
    return f"{words}; {how}" if how else words


def held_up_words(each: ApplicationSummary, verdict: Verdict, pattern: str, kind: str, priority: int | None) -> str:
    """The sentence of `stuck` or `held-up`; the priority is that of the ask where there are others."""
    what = f"{pattern or verdict.verdict}: application {each.number} {each.name} in {each.queue}"
    if kind == "held-up" and verdict.verdict != "later":
        return f"{what} waits for its turn, others came first"
    how = HOW["deadlocked" if verdict.proof.cycle else verdict.verdict]
    is_never = verdict.proof.still or verdict.verdict == "impossible"
    never = "will be given nothing any more" if is_never else "is given nothing within 24 hours"
    of_which = f" of what it asks for at priority {priority}" if priority is not None else ""
    return f"{what} {never}{of_which}; {how}"
