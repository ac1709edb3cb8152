"""A detected state of the cluster that needs an operator."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.control_plane.cluster_view import ApplicationSummary, ClusterView, asking
from engine.explain.verdict import Verdict
from engine.model.mr1.tracker import CHORE, MAP, REDUCE

# The rules of the header's badges: what each means, since when it stands, until when, and how much makes it.
#
# The detectors read their thresholds here, and help shows the same table.

QUIET_MS: Final = 500
"""How long nothing must have been allocated before it is looked ahead whether anything ever will be [ms]."""

EARLY_MS: Final = 10_000  # How long an ask has been given nothing before it is looked at at all [ms]
LONG_MS: Final = 60_000  # How long an ask has been given nothing, and will be in all, before that counts as long [ms]

SOON_MS: Final = 30_000
"""A wait that ends within this time is not a hold-up; a shorter wait or reservation does no harm [ms]."""

TURN_MS: Final = 20_000  # How long somebody must have waited for its turn before that is told of [ms]

TIMES_AS_MUCH: Final = 4
"""An ask is "small behind large" when the asks before it in the queue are this many times as large."""

PREEMPTIONS: Final = 3  # Containers of one ask preempted, and none that ends by itself, before it is called a livelock

STILL_MS: Final = 4_000
"""Time for which nothing starts or ends on a live cluster before its twin is asked whether it is frozen."""

IF_RUNS_ON: Final = "if what runs runs on"
"""Assumed for a live cluster, which does not say how long containers run."""

NO_ALARM, WATCH, ALARM = "state", "watch", "alarm"  # How a badge looks: no badge, somebody is harmed, nothing goes on


class BadgeRule(NamedTuple):
    """A badge's words; `{node}`, `{container}`, `{application}` and `{master}` stand for the system's own words."""

    word: str  # The badge; in lower case it stands for the name of a pattern where there is one
    level: str
    meaning: str
    since: str
    until: str
    threshold: str  # Empty where there is none
    brief: str = ""  # The rule in a few words, for a list of alerts


BADGES: Final[Mapping[str, BadgeRule]] = {
    "ok": BadgeRule(
        "OK", NO_ALARM, "no {application} asks for more than it has", "the last ask was met", "the next unmet ask", ""
    ),
    "busy": BadgeRule(
        "BUSY", NO_ALARM, "some {application}s wait", "the first unmet ask", "no ask is open", "one unmet ask"
    ),
    "frozen": BadgeRule(
        "FROZEN",
        ALARM,
        "applications wait, and no {container} can start without operator action",
        "the last start, submission or act before it",
        "the next start, or nothing waits",
        f"no start for {QUIET_MS / 1000:g} s, and none in a copy simulated until nothing happens any more; of a live "
        f"cluster: every {{node}} reserved, no start or end for {STILL_MS / 1000:g} s, and no start in its twin "
        f"{IF_RUNS_ON}",
        "nothing given",
    ),
    "stuck": BadgeRule(
        "STUCK",
        WATCH,
        "some {application}s will be given nothing any more, while others go on",
        "the ask that is given nothing was made",
        "it is given something, withdrawn, or its {application} ends",
        f"given nothing for {LONG_MS // 1000} s ({EARLY_MS // 1000} s if the cause rarely clears on its own), "
        "and never in a simulated copy",
        f"nothing for {LONG_MS // 1000} s, and never",
    ),
    "held-up": BadgeRule(
        "STARVED",
        WATCH,
        "an {application} below its guarantee waits while others come first",
        "the ask that is given nothing was made",
        "it is given something, withdrawn, or its {application} ends",
        f"a wait of {TURN_MS // 1000} s, {SOON_MS // 1000} s to come and {LONG_MS // 1000} s in all, behind "
        f"{TIMES_AS_MUCH} times as much or more of its queue; or a wait of more than 24 hours",
        f"waits {TURN_MS // 1000} s, others come first",
    ),
    "livelock": BadgeRule(
        "LIVELOCK",
        WATCH,
        "{container}s are preempted again and again, and none ends by itself",
        "the first of them was preempted",
        "a {container} of such an ask ends by itself, or its {application} does",
        f"{PREEMPTIONS} {{container}}s of one ask preempted, and again in a copy simulated for 30 minutes",
        f"{PREEMPTIONS} {{container}}s of one ask killed",
    ),
    "outage": BadgeRule(
        "OUTAGE",
        WATCH,
        "no {master} answers, no {node} is in service, or a process that asks for {container}s hangs",
        "the last call or heartbeat",
        "the next one, or it counts as lost",
        "",
        "no answer",
    ),
    "lost": BadgeRule(
        "{node} LOST",
        WATCH,
        "a {node} is gone, with all that ran on it",
        "the last loss",
        "all {node}s are back",
        "",
        "a {node} is gone",
    ),
    "unhealthy": BadgeRule(
        "{node} UNHEALTHY",
        WATCH,
        "a {node} says that it is unhealthy: it reports, and is given nothing",
        "the last loss",
        "it says that it is well",
        "",
        "a {node} is unhealthy",
    ),
    "no-access": BadgeRule(
        "NO ACCESS",
        WATCH,
        "an {application} waits for room in its partition, and another one has room that its queue may not use",
        "the ask that is given nothing was made",
        "it is given something, or there is no such room",
        f"a wait of {SOON_MS // 1000} s",
    ),
    "wrong-kind": BadgeRule(
        "WRONG KIND",
        WATCH,
        "a task waits for one kind of slot, and every slot of the other kind is idle",
        "it has waited since then",
        "it is given a slot, or one of the other kind is used",
        f"a wait of {SOON_MS // 1000} s",
    ),
    "alarm": BadgeRule(
        "ALARM",
        WATCH,
        "a user-defined alarm rule holds; by default, every {node} is reserved",
        "the first time the rule held",
        "it does not hold",
        "as the rule says",
        "a rule holds",
    ),
    "no-master": BadgeRule(
        "NO MASTER", ALARM, "no {master} answers, so nothing is decided", "it went", "one answers again", ""
    ),
    "recovering": BadgeRule(
        "RECOVERING",
        WATCH,
        "a {master} is there again, and not all have come back",
        "it came back",
        "all have",
        "",
    ),
    "stale": BadgeRule(
        "STALE", WATCH, "a live cluster does not answer; the picture is old", "the last answer", "the next answer", ""
    ),
    "standby": BadgeRule(
        "STANDBY", WATCH, "none of a pair of {master}s is active", "the last active one", "one is active", ""
    ),
    "stopped": BadgeRule("STOPPED", ALARM, "the simulation cannot go on", "the error", "the run is opened again", ""),
}
"""Kind of an alert or state → its badge, in the order of help."""

ONCE: Final[Mapping[str, BadgeRule]] = {
    "refused": BadgeRule(
        "REFUSED",
        WATCH,
        "an {application} was refused when it was submitted",
        "its submission",
        "at once: it happened once",
        "",
        "refused when submitted",
    ),
    "too-large": BadgeRule(
        "TOO LARGE",
        WATCH,
        "an ask is larger than every {node} would be were it empty",
        "the ask",
        "at once: it happened once",
        "",
        "above every {node}",
    ),
}
"""Kind of an alert that says what happened once → how the list of alerts calls it; the header has no badge for it."""

STANDING: Final = frozenset({"frozen", "alarm", "stuck", "held-up", "livelock", "outage"})
"""Kinds of alerts that stand from one instant to another; the others say what happened once."""

STARVED_QUEUE: Final = BadgeRule(
    "QUEUE STARVED",
    WATCH,
    "a queue has less than its minimum or half its fair share, and asks for more",
    "it last had it",
    "it has it again",
    "",
    "below its share",
)
"""How the list of alerts calls a queue that its scheduler counts as starved; the header has no badge for it."""


def rule_of(kind: str) -> BadgeRule:
    """The rule of an alert of this kind, or of a `starved` queue."""
    return STARVED_QUEUE if kind == "starved" else ONCE[kind] if kind in ONCE else BADGES[kind]


def word_of(kind: str, pattern: str) -> str:
    """The badge of an alert: the named pattern where it is one, else the word of its kind."""
    is_named = pattern and kind not in {"frozen", *ONCE}
    return pattern.upper() if is_named else rule_of(kind).word


def sentences(rule: BadgeRule, terms: Mapping[str, str]) -> Iterator[str]:
    """A rule in the words of a system: meaning, since and until, threshold."""
    parts = (rule.meaning, f"since: {rule.since}", f"until: {rule.until}", rule.threshold and f"from: {rule.threshold}")
    return (f"{part[0].upper()}{part[1:]}.".format(**terms) for part in parts if part)


HOW: Final = {
    "deadlocked": "they wait for each other",
    "blocked": "holders never release what is needed",
    "outage": "what is down stays down",
    "impossible": "even alone it would not be given what it asks for",
    "later": "it is not its turn within 24 hours",
    "starving": "others are given what it needs again and again",
}
"""Meaning of a verdict, in few words."""

ENDINGS: Final = frozenset({"over", "returned"})  # Kinds that end another alert


class QueueWaits(msgspec.Struct, frozen=True, array_like=True):
    """How many applications of a queue wait."""

    queue: str
    first: int  # That have nothing
    more: int  # That have some, for more


class Alert(msgspec.Struct, frozen=True):
    """Something an operator should know."""

    kind: str
    """`frozen` nothing will be allocated any more; `stuck` some will be given nothing any more while others go on;
    `held-up` some wait long for their turn; `livelock` containers are taken back again and again and none runs out;
    `outage` a control plane, every node or an application master is away;
    `refused` an application was refused; `too-large` no node could hold what one asks for; `over` one of these is.
    Whoever shows a run adds `lost` and `returned`: a node is gone, or back."""
    since_ms: int  # When it formed [epoch ms]; of a freeze up to half a second late where something arrived in between
    found_ms: int  # When it was seen
    sentence: str
    verdict: str = ""  # The verdict on the first of `applications`; empty for other kinds
    pattern: str = ""  # The named pattern it is, of `patterns.NAMES`; empty when none
    applications: tuple[int, ...] = ()  # Applications to look at, the one that waits longest or was refused first
    priority: int | None = None  # Priority of the ask of the first application; None when it is about all it asks for
    ends_ms: int | None = None  # When an outage ends or is noticed [epoch ms]; None where that is not known
    topic: str = ""
    """The words before the first colon of the sentence, as a verdict or what is away; empty where there are none."""
    node: str = ""  # The node whose loss or return it is; empty for other kinds
    noun: str = "application"  # What the system calls the applications
    waiting: tuple[QueueWaits, ...] = ()
    """The applications that waited during the freeze that this alert ends; empty for other kinds."""

    def over(self, now_ms: int, sentence: str) -> "Alert":
        """Its end."""
        return Alert("over", self.since_ms, now_ms, sentence, applications=self.applications)

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

    @property
    def brief(self) -> str:
        """The sentence without its topic where there is little room: one that waits is its number, for one reason."""
        if self.kind not in {"stuck", "held-up", "livelock"}:
            return self.said
        if len(self.applications) > 1 and self.kind == "livelock":
            long = f"{self.noun}s {' and '.join(map(str, self.applications))}"
            who = " and ".join(map(_numbered, self.applications))
            return self.said.replace(long, who).partition(", and none of them")[0]
        who, long = _numbered(self.applications[0]), named(self.applications[0], self.noun)
        state = next((state for state in _STATES if state in self.said), "")
        return f"{who}{state}" if state else self.said.replace(long, who).partition(" and never ")[0]


_TURN: Final = " waits for its turn"
_NEVER: Final = " will be given nothing any more"
_NOT_SOON: Final = " is given nothing within 24 hours"
_STATES: Final = (_TURN, _NEVER, _NOT_SOON)  # What the sentence says of one that waits


def _numbered(number: int) -> str:
    return f"{number:04d}" if number >= 0 else named(number)


def _never_given(applications: Sequence[int], *, is_cycle: bool) -> str:
    """Return the applications that get nothing any more, by number: two of a cycle, else the one that waits longest."""
    numbers = [_numbered(number) for number in applications[:2]]
    if is_cycle and len(numbers) > 1:
        return f"{numbers[0]} and {numbers[1]} wait for each other"
    return f"{numbers[0]} is never given what it asks for" if numbers else "nothing moves"


def named(number: int, noun: str = "application") -> str:
    """Return the words for an application's number; a Spark driver that waits for a worker has a negative one.

    >>> named(82), named(3, "job"), named(-1)
    ('application 82', 'job 3', 'driver 0000')
    """
    return f"{noun} {number}" if number >= 0 else f"driver {-1 - number:04d}"


class Episode(NamedTuple):
    """An alert from beginning to end."""

    alert: Alert
    until_ms: int | None
    """When its cause was found gone [epoch ms]; the same as its start for a single event; None while it stands."""
    waiting: tuple[QueueWaits, ...] = ()  # Who waited while it stood, of a freeze that is over


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
            found[place] = found[place]._replace(until_ms=each.found_ms, waiting=each.waiting)
    return found


def standing_of(alerts: Sequence[Alert]) -> list[Alert]:
    """The alerts whose end was not found yet, in order."""
    return [each.alert for each in episodes_of(alerts) if each.until_ms is None]


def standing_at(alerts: Sequence[Alert], now_ms: int) -> list[Alert]:
    """The states that held at an instant [epoch ms], as far as they had been found by then."""
    return [each for each in standing_of([one for one in alerts if one.found_ms <= now_ms]) if each.kind in STANDING]


def waiting_in(standing: Sequence[Alert], view: ClusterView) -> tuple[int, ...]:
    """Return the applications that wait according to the alerts; in a freeze, all that wait.

    What one application alone loses again and again is meant for the others that ask for something.
    """
    found = list[int]()
    for each in standing:
        if each.kind in {"stuck", "held-up"}:
            found += each.applications[:1]
        elif each.kind == "livelock" and len(each.applications) == 1:
            found += [one.number for one in asking(view) if one.number not in each.applications]
        elif each.kind in {"livelock", "outage"}:
            found += each.applications
    return tuple(dict.fromkeys(found))


def _goes_on(alert: Alert, episode: Episode) -> bool:
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
    where = f" in {each.queue}" if each.queue and each.number >= 0 else ""  # a driver is in no queue
    sentence = f"{topic}: {named(each.number, noun)} {each.name}{where}"
    if begun.kind == "held-up" and verdict.expected_start_ms is not None:
        sentence += f"{_TURN}, others came first"
    else:
        how = HOW["deadlocked" if verdict.proof.cycle else verdict.verdict]
        never = _NEVER if verdict.is_never else _NOT_SOON
        what_of = f"what it asks for at priority {priority}" if noun != "job" else _TASKS.get(priority or 0, "it")
        sentence += f"{never}{f' of {what_of}' if priority is not None else ''}; {how}"
    ends = dict.fromkeys((each.number, *(step.application for step in verdict.proof.cycle), *verdict.proof.ends))
    return msgspec.structs.replace(
        begun, sentence=sentence, verdict=verdict.verdict, pattern=pattern, applications=tuple(ends), topic=topic
    )
