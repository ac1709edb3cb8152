"""Alarms of a live cluster by rules that a user writes.

A rule is `all nodes reserved`, `MEASURE OPERATOR NUMBER` or `MEASURE flat`; `for DURATION` has it hold so long first,
and `while containers wait` only counts rounds in which some container is pending.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.errors import ConfigError, Problem, nearest, quoted
from engine.live.scene import holders_of
from engine.live.standstill import LiveFreeze
from engine.observe.snapshot import Header, Snapshot, Unknown, known
from engine.units import UnitError, format_duration, parse_duration

ALL_RESERVED: Final = "all nodes reserved"
FLAT: Final = "flat"
WHILE_WAITING: Final = "while containers wait"

DEFAULT_RULES: Final = (f"{ALL_RESERVED} for 4s", f"memory_used flat for 30m {WHILE_WAITING}")
"""What is watched where the settings name no rule."""

Number = int | float


def _first(amount: Sequence[int] | Unknown) -> int | None:
    return None if isinstance(amount, Unknown) else amount[0]


def _percent(header: Header) -> float | None:
    return 100 * header.used[0] / header.total[0] if header.total[0] else None


MEASURES: Final[Mapping[str, Callable[[Header], Number | None]]] = {
    "containers": lambda header: header.containers,
    "memory_reserved": lambda header: _first(header.reserved),
    "memory_used": lambda header: header.used[0],
    "memory_used_percent": _percent,
    "nodes": lambda header: header.nodes,
    "nodes_down": lambda header: header.nodes_down,
    "nodes_reserved": lambda header: known(header.nodes_reserved),
    "pending_applications": lambda header: header.applications_pending,
    "pending_containers": lambda header: known(header.containers_pending),
    "running_applications": lambda header: header.applications_running,
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
    """Conditions that raise an alarm."""

    text: str
    """As its user wrote it."""
    measure: str
    """A name of `MEASURES`; empty for all nodes reserved."""
    comparison: str
    """A sign of a comparison; empty where the measure is to be flat."""
    number: Number
    lasts_ms: int
    while_waiting: bool


class AlarmHolder(msgspec.Struct, frozen=True):
    """An application that holds nodes."""

    application: str
    name: str
    user: str
    queue: str
    nodes: int | None
    """How many; None where nobody says and sums do not tell."""
    inferred: bool

    @property
    def words(self) -> str:
        """It in a sentence."""
        nodes = "" if self.nodes is None else f"{self.nodes} "
        how = ", inferred" if self.inferred else ""
        return f"{nodes}by {self.application} ({self.name}, {self.user} in {self.queue}{how})"


class Alarm(msgspec.Struct, frozen=True):
    """A rule holds, or holds no more."""

    rule: str
    since_ms: int
    """Since when it holds, or held [epoch ms]."""
    time_ms: int
    is_over: bool
    sentence: str
    applications: tuple[str, ...] = ()
    """Applications to look at, as far as they can be concluded."""
    holders: tuple[AlarmHolder, ...] = ()
    """The holders of nodes, most first."""
    remedy: str = ""
    """The best remedy tried on a copy, and what it starts; empty while none is known."""
    freeze: LiveFreeze | None = None
    """Where all nodes are reserved: that the cluster is frozen; None while that is not proved."""


def parse_rules(texts: Sequence[str]) -> list[Rule]:
    """Rules from what a user wrote.

    Raises:
        ConfigError: Some are none; every problem is in it.
    """
    found, problems = [], []
    for place, text in enumerate(texts):
        rule = _parsed(text)
        if isinstance(rule, Rule):
            found.append(rule)
        else:
            problems.append(msgspec.structs.replace(rule, key=f"alarms[{place}]"))
    if problems:
        raise ConfigError(problems)
    return found


def _parsed(text: str) -> Rule | Problem:
    match = _RULE.fullmatch(text.strip())
    if match is None:
        return Problem(f"{quoted(text)} is no rule", hint=f"{DEFAULT_RULES[0]}, or pending_applications > 20 for 10m")
    measure, comparison = match["measure"] or "", match["operator"] or ""
    if measure and measure not in MEASURES:
        return Problem(f"{quoted(measure)} is no measure", hint=nearest(measure, MEASURES) or ", ".join(MEASURES))
    if comparison and comparison not in _COMPARISONS:
        return Problem(f"{quoted(comparison)} is no comparison", hint=", ".join(_COMPARISONS))
    try:
        lasts_ms = parse_duration(match["lasts"]) if match["lasts"] else 0
    except UnitError as error:
        return Problem(str(error), hint="10m")
    return Rule(text.strip(), measure, comparison, float(match["number"] or 0), lasts_ms, bool(match["waits"]))


class AlarmMonitor:
    """Follows rules over snapshots; each alarm comes once, and once more when it is over."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._states = [_RuleState(rule) for rule in rules]

    def look(self, snapshot: Snapshot, steady_ms: int = 0) -> list[Alarm]:
        """Find new alarms, in the rules' order. `steady_ms` is of a clock that goes on where the cluster's may stop."""
        found = [state.look(snapshot, steady_ms) for state in self._states]
        return [alarm for alarm in found if alarm is not None]

    def add_remedy(self, alarm: Alarm, remedy: str) -> Alarm:
        """Have an alarm that stands name a remedy; the alarm with it, also where it is over meanwhile."""
        for state in self._states:
            raised = state.raised
            if raised is not None and (raised.rule, raised.since_ms) == (alarm.rule, alarm.since_ms):
                alarm = state.raised = msgspec.structs.replace(raised, remedy=remedy)
                return alarm
        return msgspec.structs.replace(alarm, remedy=remedy)

    def add_freeze(self, freeze: LiveFreeze | None) -> list[tuple[Alarm, Alarm]]:
        """Have alarms of all nodes reserved say whether the cluster is frozen; those that change, before and now."""
        changed = []
        for state in self._states:
            before = state.raised
            if before is not None and not state.rule.measure and before.freeze != freeze:
                state.raised = msgspec.structs.replace(before, freeze=freeze)
                changed.append((before, state.raised))
        return changed

    @property
    def knows_reserved(self) -> bool:
        """Tells whether an alarm stands that all nodes are reserved."""
        return any(state.raised is not None and not state.rule.measure for state in self._states)

    @property
    def standing(self) -> list[Alarm]:
        """Alarms that are not over."""
        return [state.raised for state in self._states if state.raised is not None]


class _RuleState:
    """The time one rule has held."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.raised: Alarm | None = None
        self._since_ms: int | None = None
        self._began_ms = 0
        """The same by the steady clock."""
        self._value: Number | None = None

    def look(self, snapshot: Snapshot, steady_ms: int) -> Alarm | None:
        now_ms = snapshot.header.time_ms
        if not self._holds(snapshot):
            over, self.raised, self._since_ms = self.raised, None, None
            return over and msgspec.structs.replace(
                over, time_ms=now_ms, is_over=True, sentence=f"over: {over.sentence}"
            )
        if self._since_ms is None:
            self._since_ms, self._began_ms = now_ms, steady_ms
        lasted_ms = now_ms - self._since_ms
        if not self.rule.measure:  # also of a cluster whose clock stands
            lasted_ms = max(lasted_ms, steady_ms - self._began_ms)
        if self.raised is None and lasted_ms >= self.rule.lasts_ms:
            self.raised = self._alarm(snapshot, self._since_ms)
            return self.raised
        return None

    def _holds(self, snapshot: Snapshot) -> bool:
        rule, header = self.rule, snapshot.header
        if rule.while_waiting and not _waiting(header):
            return False
        if not rule.measure:
            return header.nodes > 0 and header.nodes_reserved == header.nodes
        value = MEASURES[rule.measure](header)
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
            words = f"all {header.nodes} nodes are reserved{by}; {header.applications_pending} applications pending"
        elif rule.comparison:
            words = f"{rule.measure} is {MEASURES[rule.measure](header):g}, {rule.comparison} {rule.number:g}"
        else:
            lasts = format_duration(header.time_ms - since_ms)
            words = f"{rule.measure} has been {MEASURES[rule.measure](header):g} for {lasts}"
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
    """Return who holds nodes, who holds most first."""
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
