"""The alarms of a watched cluster: which stand, whether it is frozen, and all of them as the screens show alerts."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.errors import ConfigError, Problem, nearest, quoted
from engine.explain.alert import STILL_MS, Alert, QueueWaits
from engine.live.inference import holders_of
from engine.observe.snapshot import Header, Snapshot, Unknown, known
from engine.observe.snapshots import waits_by, waits_of
from engine.units import UnitError, format_duration, parse_duration

# Decides whether a live cluster is frozen: it stands still, and its twin proves that nothing starts any more.
#
# That every node is reserved is no proof: a container that ends may free enough. Nor does a server say how long
# containers run. So a freeze is only ever known under that assumption, and only of the picture the twin was made of.

AGAIN_MS: Final = 60_000
"""Time from an answer to the next question about the same standstill: what the twin concludes changes with time."""


class LiveFreeze(msgspec.Struct, frozen=True):
    """A standstill that lasts if what runs runs on."""

    since_ms: int  # Since when nothing has started or ended while every node is reserved [epoch ms]
    found_ms: int  # Time of the picture that the twin was made of [epoch ms]
    sentence: str


class LiveFreezeDetector:
    """Follows since when every node is reserved while nothing starts or ends, and what the twin said of that."""

    def __init__(self) -> None:
        self.freeze: LiveFreeze | None = None
        """None where the cluster does not stand still, and until the twin has proved that it lasts."""
        self._in_use: object = None  # as of `_in_use`, in the last round
        self._since_ms = 0
        self._steady_ms = 0
        self._due_ms = 0  # when the twin may be asked, by the steady clock

    def look(self, header: Header, steady_ms: int) -> None:
        """Take a round. `steady_ms` is of a clock that goes on where the cluster's may stand."""
        in_use, self._steady_ms = _in_use(header), steady_ms
        if in_use != self._in_use:
            self._in_use, self.freeze = in_use, None
            self._since_ms, self._due_ms = header.time_ms, steady_ms + STILL_MS

    def is_due(self, whole: Header) -> bool:
        """Tell whether the twin of a picture is to be asked: the cluster stands still as it stood there."""
        return self._in_use is not None and self._in_use == _in_use(whole) and self._steady_ms >= self._due_ms

    def judge(self, whole: Header, sentence: str) -> None:
        """Take what the twin of a picture proves, in a sentence; empty where something starts."""
        if self._in_use is None or self._in_use != _in_use(whole):
            return
        self._due_ms = self._steady_ms + AGAIN_MS
        self.freeze = LiveFreeze(self._since_ms, whole.time_ms, sentence) if sentence else None


def _in_use(header: Header) -> object:
    """Return what is in use, which differs once something has started or ended; None while a node is not reserved."""
    is_full = header.nodes > 0 and header.nodes_reserved == header.nodes
    return (header.nodes, header.used, header.containers) if is_full else None


# Alarms of a live cluster by rules that a user writes.
#
# A rule is `all nodes reserved`, `MEASURE OPERATOR NUMBER` or `MEASURE flat`; `for DURATION` has it hold so long
# first, and `while containers wait` only counts rounds in which some container is asked for.

ALL_RESERVED: Final = "all nodes reserved"
FLAT: Final = "flat"
WHILE_WAITING: Final = "while containers wait"

DEFAULT_RULES: Final = (f"{ALL_RESERVED} for 4s", f"memory_used flat for 30m {WHILE_WAITING}")
"""What is watched where the settings name no rule."""

Number = int | float


def _memory_reserved(header: Header) -> int | None:
    return None if isinstance(header.reserved, Unknown) else header.reserved[0]


def _memory_used_percent(header: Header) -> float | None:
    return 100 * header.used[0] / header.total[0] if header.total[0] else None


MEASURES: Final[Mapping[str, Callable[[Snapshot], Number | None]]] = {
    "containers": lambda snapshot: snapshot.header.containers,
    "memory_reserved": lambda snapshot: _memory_reserved(snapshot.header),
    "memory_used": lambda snapshot: snapshot.header.used[0],
    "memory_used_percent": lambda snapshot: _memory_used_percent(snapshot.header),
    "nodes": lambda snapshot: snapshot.header.nodes,
    "nodes_down": lambda snapshot: snapshot.header.nodes_down,
    "nodes_reserved": lambda snapshot: known(snapshot.header.nodes_reserved),
    "pending_containers": lambda snapshot: known(snapshot.header.containers_pending),
    "running_applications": lambda snapshot: snapshot.header.applications_running,
    "waiting_first": lambda snapshot: waits_of(snapshot.applications(why=False)).first,
}
"""Name → what it is of a cluster [MB, percent or a count]; None where the source does not say."""

_COMPARISONS: Final[Mapping[str, Callable[[Number, Number], bool]]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq, "==": operator.eq,
}  # fmt: skip

_RULE: Final = re.compile(
    rf"(?:{ALL_RESERVED}|(?P<measure>\w+)\s+(?:{FLAT}|(?P<operator>[<>=]{{1,2}})\s*(?P<number>\d{{1,15}}(?:\.\d{{1,6}})?)))"
    rf"(?:\s+for\s+(?P<lasts>\S{{1,20}}))?(?P<waits>\s+{WHILE_WAITING})?"
)


class Rule(NamedTuple):
    text: str  # As its user wrote it
    measure: str  # A name of `MEASURES`; empty for all nodes reserved
    comparison: str  # A sign of a comparison; empty where the measure is to be flat
    number: Number
    lasts_ms: int
    while_waiting: bool


class AlarmHolder(msgspec.Struct, frozen=True):
    application: str
    name: str
    user: str
    queue: str
    nodes: int | None  # How many; None where neither stated nor told by sums
    inferred: bool

    @property
    def words(self) -> str:
        nodes = "" if self.nodes is None else f"{self.nodes} "
        whose = " in ".join(filter(None, (self.user, self.queue)))
        told = ", ".join(filter(None, (self.name, whose, "inferred" if self.inferred else "")))
        return f"{nodes}by {self.application}{f' ({told})' if told else ''}"


class Alarm(msgspec.Struct, frozen=True):
    rule: str
    since_ms: int  # Since when it holds, or held [epoch ms]
    time_ms: int
    is_over: bool
    sentence: str
    applications: tuple[str, ...] = ()  # Applications to look at, as far as they can be concluded
    holders: tuple[AlarmHolder, ...] = ()  # The holders of nodes, most first
    remedy: str = ""  # The best remedy tried on a copy, and what it starts; empty while none is known
    freeze: LiveFreeze | None = None
    """Where all nodes are reserved: that the cluster is frozen; None while that is not proved."""


RENAMED: Final = {"pending_applications": "waiting_first"}  # former name of a measure → its name


def parse_rules(texts: Sequence[str]) -> list[Rule]:
    """Rules from what a user wrote. Raises ConfigError with every problem if some are none."""
    found, problems = [], []
    for text in texts:
        rule = _parsed(text)
        if isinstance(rule, Rule):
            found.append(rule)
        else:
            problems.append(replace(rule, key="--alarm"))
    if problems:
        raise ConfigError(problems)
    return found


def _parsed(text: str) -> Rule | Problem:
    match = _RULE.fullmatch(text.strip())
    if match is None:
        return Problem(f"{quoted(text)} is not a rule", hint=f"{DEFAULT_RULES[0]}, or waiting_first > 20 for 10m")
    measure, comparison = match["measure"] or "", match["operator"] or ""
    if measure and measure not in MEASURES:
        hint = RENAMED.get(measure) or nearest(measure, MEASURES) or ", ".join(MEASURES)
        return Problem(f"{quoted(measure)} is not a measure", hint=hint)
    if comparison and comparison not in _COMPARISONS:
        return Problem(f"{quoted(comparison)} is not a comparison", hint=", ".join(_COMPARISONS))
    try:
        lasts_ms = parse_duration(match["lasts"]) if match["lasts"] else 0
    except UnitError as error:
        return Problem(str(error), hint="10m")
    return Rule(text.strip(), measure, comparison, float(match["number"] or 0), lasts_ms, bool(match["waits"]))


class _RuleState:
    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.raised: Alarm | None = None
        self.now: Alarm | None = None  # The same in words of the last round; `raised` keeps those its end is known by
        self._since_ms: int | None = None
        self._began_ms = 0  # the same by the steady clock
        self._value: Number | None = None

    def look(self, snapshot: Snapshot, steady_ms: int) -> Alarm | None:
        now_ms = snapshot.header.time_ms
        if not self._holds(snapshot):
            over, self.raised, self._since_ms = self.raised, None, None
            return over and replace(over, time_ms=now_ms, is_over=True, sentence=f"over: {over.sentence}")
        if self._since_ms is None:
            self._since_ms, self._began_ms = now_ms, steady_ms
        lasted_ms = now_ms - self._since_ms
        if not self.rule.measure:  # also of a cluster whose clock stands
            lasted_ms = max(lasted_ms, steady_ms - self._began_ms)
        if self.raised is None and lasted_ms < self.rule.lasts_ms:
            return None
        before, self.now = self.raised, self._alarm(snapshot, self._since_ms)
        self.raised = before or self.now
        return None if before else self.now

    def _holds(self, snapshot: Snapshot) -> bool:
        rule, header = self.rule, snapshot.header
        if rule.while_waiting and not _waiting(header):
            return False
        if not rule.measure:
            return header.nodes > 0 and header.nodes_reserved == header.nodes
        value = MEASURES[rule.measure](snapshot)
        if value is None:
            return False
        if rule.comparison:
            return _COMPARISONS[rule.comparison](value, rule.number)
        before, self._value = self._value, value
        return before == value

    def _alarm(self, snapshot: Snapshot, since_ms: int) -> Alarm:
        header, rule = snapshot.header, self.rule
        holders = _holders(snapshot)
        if not rule.measure:
            by = f", {' and '.join(each.words for each in holders)}" if holders else ""
            waiting = waits_of(snapshot.applications(why=False)).number
            words = f"all {header.nodes} nodes are reserved{by}; {waiting} waiting"
        elif rule.comparison:
            words = f"{rule.measure} is {MEASURES[rule.measure](snapshot):g}, {rule.comparison} {rule.number:g}"
        else:
            lasts = format_duration(header.time_ms - since_ms)
            words = f"{rule.measure} has been {MEASURES[rule.measure](snapshot):g} for {lasts}"
        return Alarm(
            rule.text,
            since_ms,
            header.time_ms,
            False,
            words,
            tuple(each.application for each in holders),
            tuple(holders),
        )


def _holders(snapshot: Snapshot) -> list[AlarmHolder]:
    names, held = holders_of(snapshot), Counter(row.application for row in snapshot.reservations())
    is_inferred = not held or "reservations" in snapshot.header.inferred
    rows = [row for row in snapshot.applications(why=False) if row.id in names]
    return [
        AlarmHolder(row.id, row.name, row.user, row.queue, held.get(row.id), is_inferred)
        for row in sorted(rows, key=lambda row: -held[row.id])
    ]


def _waiting(header: Header) -> bool:
    pending = header.containers_pending
    return header.applications_pending > 0 or (isinstance(pending, int) and pending > 0)


MOST_ALERTS: Final = 1_000  # Alerts kept, the latest

ENDED: Final = "nothing proves any more that the cluster is frozen"
"""The sentence of the end of a freeze while its alarm stands."""

ELSEWHERE_MS: Final = 24 * 3_600_000
"""Rounds whose clocks are so far apart are of two clusters; the first says until when its alarms stood."""


class Alarms:
    """Follows rules over snapshots, and whether the cluster is frozen; an alarm comes once, and when it is over."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.alerts: list[Alert] = []
        self.news: list[Alert] = []  # alerts that were not taken yet
        self._waiting: tuple[QueueWaits, ...] = ()  # applications that waited in the last round
        self._last_ms = 0  # when that was, by the cluster's clock
        self._states = [_RuleState(rule) for rule in rules]
        self._standstill = LiveFreezeDetector()

    def take(self, snapshot: Snapshot, steady_ms: int = 0) -> list[Alarm]:
        """Alarms that begin or end, in the order of rules; `steady_ms` goes on where the cluster's clock may stop."""
        self._standstill.look(snapshot.header, steady_ms)
        found = [state.look(snapshot, steady_ms) for state in self._states]
        alarms = [alarm for alarm in found if alarm is not None]
        now_ms = snapshot.header.time_ms
        end_ms = now_ms if abs(now_ms - self._last_ms) < ELSEWHERE_MS else self._last_ms
        for alarm in alarms:
            if alarm.is_over and alarm.freeze is not None:
                self._end_freeze(alarm, end_ms, alarm.sentence)
            begun = alert_of(replace(alarm, freeze=None))
            self._add(begun.over(end_ms, alarm.sentence) if alarm.is_over else begun)
        changed = self._note_freeze(end_ms)
        self._last_ms = now_ms
        waits = waits_by(snapshot.applications(why=False), "queue")
        self._waiting = tuple(QueueWaits(path, each.first, each.more) for path, each in sorted(waits.items()))
        return [*alarms, *changed]

    def is_to_judge(self, whole: Header) -> bool:
        knows_reserved = any(state.raised is not None and not state.rule.measure for state in self._states)
        return knows_reserved and self._standstill.is_due(whole)

    def judge(self, whole: Header, sentence: str) -> list[Alarm]:
        """Take what was proved of a picture, empty where something starts; alarms that say now that it is frozen."""
        self._standstill.judge(whole, sentence)
        return self._note_freeze(whole.time_ms)

    def add_remedy(self, alarm: Alarm, remedy: str) -> Alarm:
        """Have an alarm that stands name a remedy; the alarm with it, also where it is over meanwhile."""
        for state in self._states:
            raised = state.raised
            if raised is not None and (raised.rule, raised.since_ms) == (alarm.rule, alarm.since_ms):
                alarm = state.raised = replace(raised, remedy=remedy)
                return alarm
        return replace(alarm, remedy=remedy)

    @property
    def active_alarms(self) -> list[Alarm]:
        return [
            replace(state.now, time_ms=state.raised.time_ms, remedy=state.raised.remedy, freeze=state.raised.freeze)
            for state in self._states
            if state.raised is not None and state.now is not None
        ]

    def _note_freeze(self, now_ms: int) -> list[Alarm]:
        freeze, changed = self._standstill.freeze, []
        for state in self._states:
            before = state.raised
            if before is None or state.rule.measure or before.freeze == freeze:
                continue
            alarm = state.raised = replace(before, freeze=freeze)
            if before.freeze is not None:
                self._end_freeze(before, now_ms, ENDED)
            if freeze is not None:
                self._add(alert_of(alarm))
                changed.append(alarm)
        return changed

    def _end_freeze(self, alarm: Alarm, now_ms: int, sentence: str) -> None:
        self._add(replace(alert_of(alarm).over(now_ms, sentence), waiting=self._waiting))

    def _add(self, alert: Alert) -> None:
        self.news = [*self.news, alert][-MOST_ALERTS:]
        self.alerts = [*self.alerts, alert][-MOST_ALERTS:]


def alert_of(alarm: Alarm) -> Alert:
    """An alarm that stands as the screens show it: that the cluster is frozen, where that is proved."""
    numbers = tuple(int(name.rpartition("_")[2]) for name in alarm.applications)
    freeze = alarm.freeze
    if freeze is None:
        return Alert("alarm", alarm.since_ms, alarm.time_ms, alarm.sentence, applications=numbers)
    words = f"{alarm.sentence}; {freeze.sentence}"
    return Alert("frozen", freeze.since_ms, freeze.found_ms, words, applications=numbers)
