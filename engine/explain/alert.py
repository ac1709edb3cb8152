"""A detected state of the cluster that needs an operator."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from engine.control_plane.cluster_view import ApplicationSummary
from engine.explain.badge_rules import ONCE
from engine.explain.verdict import Verdict
from engine.model.mr1.attempt import CHORE, MAP, REDUCE

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
    noun: str = "application"
    """What the system calls the applications."""

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
        if self.kind == "livelock" and len(self.applications) > 1:
            return f"{name}: {self.noun}s {self.applications[0]}, {self.applications[1]}"
        return f"{name}: {named(self.applications[0], self.noun)}"


def _never_given(applications: Sequence[int], *, is_cycle: bool) -> str:
    """Return who is given nothing any more, by number; of a cycle two, else the one that waits longest."""
    numbers = [f"{number:04d}" if number >= 0 else named(number) for number in applications[:2]]
    if is_cycle and len(numbers) > 1:
        return f"{numbers[0]} and {numbers[1]} wait for each other"
    return f"{numbers[0]} is never given what it asks for" if numbers else "nothing moves"


def named(number: int, noun: str = "application") -> str:
    """Return who has a number; a driver of Spark that waits for a worker has a negative one.

    >>> named(82), named(3, "job"), named(-1)
    ('application 82', 'job 3', 'driver 0000')
    """
    return f"{noun} {number}" if number >= 0 else f"driver {-1 - number:04d}"


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
        again = [place for place, one in enumerate(found) if each.kind == "frozen" and _goes_on(each, one)]
        for place in again[-1:]:
            found[place] = Episode(each, None)
        if each.kind not in ENDINGS and not again:
            found.append(Episode(each, each.since_ms if each.kind in ONCE else None))
        for place in ended[-1:]:
            found[place] = found[place]._replace(until_ms=each.found_ms)
    return found


def standing_of(alerts: Sequence[Alert]) -> list[Alert]:
    """The alerts whose end was not found yet, in order."""
    return [each.alert for each in episodes_of(alerts) if each.until_ms is None]


def _goes_on(alert: Alert, episode: Episode) -> bool:
    """Tell whether a freeze was proved again after an act that has brought nothing."""
    return (episode.alert.kind, episode.alert.since_ms) == (alert.kind, alert.since_ms)


def _ends(end: Alert, episode: Episode) -> bool:
    """Tell whether an alert says that an earlier one is over; the end of a freeze names no applications."""
    alert = episode.alert
    if episode.until_ms is not None or end.kind not in ENDINGS:
        return False
    if end.kind == "returned":
        return alert.kind == "lost" and alert.node == end.node
    ended = () if alert.kind == "frozen" and not end.applications else alert.applications
    return (alert.since_ms, ended) == (end.since_ms, end.applications)


_TASKS: Final = {MAP: "its maps", REDUCE: "its reduces", CHORE: "its setup and cleanup"}
"""Kind of a job's tasks → its words."""


def frozen_words(verdict: Verdict, pattern: str, numbers: Sequence[int], noun: str) -> str:
    """The sentence of a freeze after which some wait for ever; the verdict is that on the first of them."""
    count, first = len(numbers), numbers[0]
    kind = noun if max(numbers) >= 0 else "driver"
    who = f"1 {kind}" if count == 1 else f"any of {count} {kind}s"
    how = HOW.get(verdict.verdict, "") if verdict.verdict != "impossible" else ""
    if verdict.verdict in ("impossible", "blocked") and count > 1:  # which is true of the first only
        who = f"{named(first, noun)}, nor to {count - 1} other{'s' * (count > 2)} that wait{'s' * (count == 2)}"
    words = f"{pattern or verdict.verdict}: nothing will be allocated any more to {who}"
    if verdict.verdict == "blocked" and count > 1:
        how = f"holders never release what {named(first, noun)} needs"
    return f"{words}; {how}" if how else words


def alert_of(each: ApplicationSummary, verdict: Verdict, pattern: str, begun: Alert) -> Alert:
    """The alert `stuck` or `held-up` about an application, with the words that `begun` lacks.

    Its priority is that of the ask where there are others, or may be once what was given at another one is lost.
    """
    noun, priority, topic = begun.noun, begun.priority, pattern or verdict.verdict
    where = f" in {each.queue}" if each.number >= 0 else ""  # a driver is in no queue
    sentence = f"{topic}: {named(each.number, noun)} {each.name}{where}"
    if begun.kind == "held-up" and verdict.expected_start_ms is not None:
        sentence += " waits for its turn, others came first"
    else:
        how = HOW["deadlocked" if verdict.proof.cycle else verdict.verdict]
        never = "will be given nothing any more" if verdict.is_never else "is given nothing within 24 hours"
        what_of = f"what it asks for at priority {priority}" if noun != "job" else _TASKS.get(priority or 0, "it")
        sentence += f" {never}{f' of {what_of}' if priority is not None else ''}; {how}"
    ends = dict.fromkeys((each.number, *(step.application for step in verdict.proof.cycle), *verdict.proof.ends))
    return msgspec.structs.replace(
        begun, sentence=sentence, verdict=verdict.verdict, pattern=pattern, applications=tuple(ends), topic=topic
    )
