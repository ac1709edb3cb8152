"""The rules of the header's badges: what each means, since when it stands, until when, and how much makes it.

Whoever decides reads the thresholds here, and help shows the table, so that it cannot say anything else.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

QUIET_MS: Final = 500
"""How long nothing must have been allocated before it is looked ahead whether anything ever will be [ms]."""

LONG_MS: Final = 60_000
"""How long an ask has been given nothing, and will be in all, before that counts as long [ms]."""

SOON_MS: Final = 30_000
"""A wait that ends within this is no hold-up; a wait or a reservation shorter than this harms nobody [ms]."""

TURN_MS: Final = 20_000
"""How long somebody must have waited for its turn before that is told of [ms]."""

TIMES_AS_MUCH: Final = 4
"""How many times as much as an ask those before it in the queue ask for, before it is called small behind large."""

PREEMPTIONS: Final = 3
"""Containers of one ask preempted, and none that ends by itself, before it is called a livelock."""

STILL_MS: Final = 4_000
"""Time for which nothing starts or ends on a live cluster before its twin is asked whether it is frozen."""

IF_RUNS_ON: Final = "if what runs runs on"
"""What is assumed of a live cluster, where nobody says how long containers run."""

NO_ALARM, WATCH, ALARM = "state", "watch", "alarm"
"""How a badge looks: no badge, somebody is harmed, nothing goes on."""


class BadgeRule(NamedTuple):
    """A badge's words; `{node}`, `{container}`, `{application}` and `{master}` stand for the system's own words."""

    word: str
    """The badge; in lower case it stands for the name of a pattern where there is one."""
    level: str
    meaning: str
    since: str
    until: str
    threshold: str
    """Empty where there is none."""
    brief: str = ""
    """The rule in a few words, for a list of alerts."""


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
        "somebody waits, and no {container} will start any more unless somebody acts",
        "the last start, submission or act before it",
        "the next start, or nobody waits",
        f"no start for {QUIET_MS / 1000:g} s, and none in a copy simulated until nothing happens any more; of a live "
        f"cluster: every {{node}} reserved, no start or end for {STILL_MS / 1000:g} s, and no start in its twin "
        f"{IF_RUNS_ON}",
        "proof: nothing is allocated",
    ),
    "stuck": BadgeRule(
        "STUCK",
        WATCH,
        "some {application}s will be given nothing any more, while others go on",
        "the ask that is given nothing was made",
        "it is given something, withdrawn, or its {application} ends",
        f"given nothing for {LONG_MS // 1000} s (5 s where the cause seldom goes by itself), "
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
    "alarm": BadgeRule(
        "ALARM",
        WATCH,
        "a rule of a user about a live cluster holds; by default, every {node} is reserved",
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


def rule_of(kind: str) -> BadgeRule:
    """The rule of an alert of this kind."""
    return ONCE[kind] if kind in ONCE else BADGES[kind]


def word_of(kind: str, pattern: str) -> str:
    """The badge of an alert: the named pattern where it is one, else the word of its kind."""
    is_named = pattern and kind not in {"frozen", *ONCE}
    return pattern.upper() if is_named else rule_of(kind).word


def sentences(rule: BadgeRule, terms: Mapping[str, str]) -> Iterator[str]:
    """A rule in the words of a system: meaning, since and until, threshold."""
    parts = (rule.meaning, f"since: {rule.since}", f"until: {rule.until}", rule.threshold and f"from: {rule.threshold}")
    return (f"{part[0].upper()}{part[1:]}.".format(**terms) for part in parts if part)
