"""Finds the applications that a change of a configuration harms under a workload, and checks a project's promises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from engine.compare.comparison import (
    FAILED,
    KILLED,
    REFUSED,
    ApplicationWaits,
    ComparedRun,
    Comparison,
    ProvedFreeze,
    proved_ms,
)
from engine.compare.configurations import ConfigurationMeaning, Harm
from engine.errors import ConfigError, Problem, nearest, quoted
from engine.formats.regular_files import read_file_text
from engine.formats.scenario_overrides import Layers, Origin, parse
from engine.formats.scenario_toml import scenario_of, table_of
from engine.measures import Quantiles
from engine.model.lifecycle import ENDED_WELL
from engine.run import play
from engine.scenario import Scenario
from engine.units import UnitError, moment_at, parse_duration, parse_memory

Verdict = Literal["", "better", "worse", "HARM"]

LONGER: Final = 1.1  # From how many times a wait on it is told of, if it is so many ms longer
LONGER_MS: Final = 10_000
MOST_NAMED: Final = 5  # Applications told of by name
FIRST: Final = "wait for the first container"
OF_ONE: Final = "wait of "  # Begins the names of waits of one queue or user
_STUCK: Final = frozenset({"deadlocked", "blocked", "impossible", "starving", "outage"})
_ASKED: Final = re.compile(r"^(\d+) memory asked for")


class EffectRow(msgspec.Struct, frozen=True):
    name: str
    unit: str  # `ms`, `share`, `instant` [epoch ms], or empty for a number
    old: float | None  # None where there is none
    new: float | None
    verdict: Verdict
    details: tuple[str, ...] = ()


class WorkloadEffect(msgspec.Struct, frozen=True):
    name: str
    comparison: Comparison
    rows: tuple[EffectRow, ...]
    harms: tuple[Harm, ...]


def effect_of(comparison: Comparison, *, is_strict: bool = False) -> WorkloadEffect:
    """What changed for the applications of a workload, of which the first run is under OLD, the second under NEW."""
    found = _Effect(comparison)
    rows = [*found.freezes(), *found.waits(), *found.ends(), *found.losses(), *found.never(), *found.shares()]
    if is_strict:
        found.strict(rows)
    return WorkloadEffect(comparison.scenario, comparison, tuple(rows), tuple(found.harms))


class _Effect:
    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._old, self._new = comparison.runs
        self._until_ms = comparison.until_ms
        self.harms: list[Harm] = []

    def _harm(self, kind: str, sentence: str, **fields: Any) -> None:
        self.harms.append(Harm(kind, sentence, workload=self._comparison.scenario, **fields))

    def _clock(self, time_ms: int) -> str:
        return f"{moment_at(time_ms + self._comparison.offset_ms):%H:%M:%S}"

    def freezes(self) -> Iterator[EffectRow]:
        yield from self._proved(self._old.frozen, self._new.frozen, "nothing is allocated")
        yield from self._proved(self._old.livelocks, self._new.livelocks, "what is preempted is preempted again")

    def _proved(self, old: Sequence[ProvedFreeze], new: Sequence[ProvedFreeze], what_then: str) -> Iterator[EffectRow]:
        if not old and not new:
            return
        first = (new or old)[0]
        pattern = first.pattern or first.verdict
        what = {"deadlocked": "deadlock", "": pattern}.get(first.verdict, first.verdict) or "standstill"
        name = f"{what} proved, from {self._clock(first.since_ms)}"
        is_new = bool(new) and not old
        was_ms, now_ms = proved_ms(old), proved_ms(new)
        verdict = "HARM" if is_new else _verdict(was_ms, now_ms)
        if is_new:
            ends = "" if first.until_ms >= self._until_ms else f" until {self._clock(first.until_ms)}"
            words = f"{pattern or 'standstill'} from {self._clock(first.since_ms)}{ends}: {what_then}"
            self._harm("deadlock", words)
        yield EffectRow(name, "ms", was_ms or None, now_ms or None, verdict)

    def waits(self) -> Iterator[EffectRow]:
        old, new = self._old.measures, self._new.measures
        pairs: list[tuple[str, float | None, float | None]] = []
        if old.master_waits.number or new.master_waits.number:
            pairs.append((f"{FIRST}, 95 %", _p95_of(old.master_waits), _p95_of(new.master_waits)))
        told = {_verdict(was, now) for _, was, now in pairs if _is_apart(was, now)}
        if _verdict(old.waits.p95, new.waits.p95) not in told:
            pairs.append((f"{FIRST} asked for, 95 %", _p95_of(old.waits), _p95_of(new.waits)))
        for kind, before, after in (
            ("queue", old.waits_of_queues, new.waits_of_queues),
            ("user", old.waits_of_users, new.waits_of_users),
        ):
            names = [each for each in dict.fromkeys((*before, *after)) if each]
            pairs += [
                (f"{OF_ONE}{kind} {each}, 95 %", _p95_of(before.get(each)), _p95_of(after.get(each))) for each in names
            ]
        for name, was, now in pairs:
            if _is_apart(was, now):
                yield EffectRow(name, "ms", was, now, _verdict(was, now))

    def ends(self) -> Iterator[EffectRow]:
        old, new = self._old.measures, self._new.measures
        until = f"{moment_at(self._until_ms + self._comparison.offset_ms):%H:%M}"
        yield EffectRow(f"finished by {until}", "", old.finished, new.finished, _verdict(-old.finished, -new.finished))
        rows = [each for each in self._comparison.applications if self._ended(each, "A") != self._ended(each, "B")]
        lost = self._lost(self._new) | self._lost(self._old)
        some = [each for each in rows if each.number not in lost]
        for each in some if len(some) <= MOST_NAMED else ():
            was, now = (each.ends_ms.get(letter) if self._ended(each, letter) else None for letter in "AB")
            verdict: Verdict = "worse" if now is None else "better"
            yield EffectRow(f"finished {_named(each)}", "instant", was, now, verdict)

    @staticmethod
    def _ended(row: ApplicationWaits, letter: str) -> bool:
        return row.states.get(letter) in ENDED_WELL

    @staticmethod
    def _lost(run: ComparedRun) -> set[int]:
        return {number for loss in run.losses if loss.kind != KILLED for number in loss.applications}

    def losses(self) -> Iterator[EffectRow]:
        old, new = self._lost(self._old), self._lost(self._new)
        if not old and not new:
            return
        by_number = {each.number: each for each in self._comparison.applications}
        details = []
        for loss in self._new.losses:
            for number in loss.applications if loss.kind in (REFUSED, FAILED) else ():
                if number in old:
                    continue
                row = by_number[number]
                reason = loss.reason if number == loss.applications[0] else ""
                sentence = self._lost_words(row, loss.kind, reason)
                asked = _ASKED.match(loss.reason)
                size_mb = int(asked.group(1)) if asked else 0
                promise = f'asks = [{{ memory = "{size_mb}m", is = "refused" }}]' if size_mb else ""
                if loss.kind == REFUSED and not promise:
                    promise = f'submits = [{{ user = "{row.user}", queue = "{row.queue}", is = "refused" }}]'
                fields = {"queue": row.queue, "user": row.user, "memory_mb": size_mb, "promise": promise}
                self._harm(loss.kind, sentence, **fields)
                details.append(sentence)
        more = len(details) - MOST_NAMED
        told = (*details[:MOST_NAMED], *((f"and {more} more",) if more > 0 else ()))
        verdict: Verdict = "HARM" if details else _verdict(len(old), len(new))
        yield EffectRow("refused or failed", "", len(old), len(new), verdict, told)

    def _lost_words(self, row: ApplicationWaits, kind: str, reason: str) -> str:
        before = "it had not ended"
        if self._ended(row, "A"):
            before = f"it finished at {self._clock(row.ends_ms.get('A') or 0)}"
        elif row.starts_ms.get("A") is None:
            nodes = row.reserved.get("A", 0)
            held = f"it held {nodes} node{'s' * (nodes != 1)} reserved and " if nodes else "it "
            before = f"{held}was not served by {self._clock(self._until_ms)}"
        why = f": {reason}" if reason else ""
        return f"{_named(row)} {'is refused' if kind == REFUSED else 'FAILED'}{why}; under old {before}"

    def never(self) -> Iterator[EffectRow]:
        lost = self._lost(self._old)
        found = [
            each
            for each in self._comparison.applications
            if each.number not in lost
            and each.starts_ms.get("B", 0) is None
            and each.starts_ms.get("A") is not None
            and each.ends_ms.get("B") is None
            and self._new.stuck.get(each.number) in _STUCK
        ]
        for each in found:
            words = f"{_named(each)} never starts: {self._new.stuck[each.number]}"
            self._harm("never", words, queue=each.queue, user=each.user)
        if found:
            names = tuple(_named(each) for each in found[:MOST_NAMED])
            yield EffectRow("never start", "", 0, len(found), "HARM", names)

    def shares(self) -> Iterator[EffectRow]:
        if self._old.frozen or self._new.frozen:
            return  # what a waiting application holds is no share of work
        old, new = (run.measures.queues.dominant_share for run in (self._old, self._new))
        for path in dict.fromkeys((*old, *new)):
            was, now = old.get(path, 0.0), new.get(path, 0.0)
            if path and abs(was - now) >= 0.01:
                yield EffectRow(f"share of {path}, mean", "share", was, now, "")

    def strict(self, rows: Sequence[EffectRow]) -> None:
        for each in rows:
            if each.name.startswith(OF_ONE) and each.verdict == "worse":
                kind, _, name = each.name.removeprefix(OF_ONE).removesuffix(", 95 %").partition(" ")
                was, now = ((value or 0) / 1000 for value in (each.old, each.new))
                words = f"the wait of {kind} {name}, 95 %, is {now:.0f} s, was {was:.0f} s"
                self._harm("wait", words, **{kind: name})


def _named(row: ApplicationWaits) -> str:
    of = ", ".join(filter(None, (row.user, row.queue)))
    return f"{row.number:04d} {row.name} ({of})"


def _p95_of(waits: Quantiles | None) -> float | None:
    return waits.p95 if waits is not None and waits.number else None


def _is_apart(was: float | None, now: float | None) -> bool:
    if was is None or now is None:
        return False  # no application waits there, or none is let in
    low, high = sorted((was, now))
    return high - low >= LONGER_MS and high >= LONGER * low


def _verdict(was: float | None, now: float | None) -> Verdict:
    """A figure that is worse the larger it is."""
    was, now = was or 0, now or 0
    return "" if was == now else "worse" if now > was else "better"


# ---------------------------------------------------------------- promises

_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "guarantees": ("queue", "partition", "at_least", "at_most"),
    "submits": ("user", "groups", "queue", "is", "because"),
    "asks": ("queue", "memory", "vcores", "is", "because"),
    "waits": ("queue", "user", "measure", "at_most"),
    "expectations": (),
}
_MEASURES: Final = {"median_wait": "median", "p95_wait": "p95", "worst_wait": "worst"}
_VERDICTS: Final = ("accepted", "refused")


class Promise(msgspec.Struct, frozen=True):
    """One entry of an `--expect` file."""

    table: str
    fields: Mapping[str, Any]  # Any: what TOML holds
    file: str
    line: int

    @property
    def words(self) -> str:
        return f"{self.table}: {', '.join(f'{key} = {value}' for key, value in self.fields.items())}"

    def of(self, key: str) -> str:
        return str(self.fields.get(key, ""))


class JudgedPromise(msgspec.Struct, frozen=True):
    promise: Promise
    is_kept: bool
    found: str  # What is so, in words
    workload: str = ""


def read_promises(path: Path) -> tuple[Promise, ...]:
    """The promises of a file. Raises ConfigError if it is faulty; every problem is in it."""
    layers = parse(read_file_text(path), str(path))
    problems: list[Problem] = []
    found: list[Promise] = []
    for table, entries in layers.data.items():
        file, line = layers.origin((table,))
        if table not in _TABLES:
            problems.append(Problem("unknown key", file, line, table, nearest(table, _TABLES)))
        elif not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            problems.append(Problem("is not a list of tables", file, line, table))
        else:
            for place, fields in enumerate(entries):
                at = layers.origin((table, place))
                promise = Promise(table, fields, at.file, at.line)
                problems += _faults(promise)
                found.append(promise)
    if problems:
        raise ConfigError(problems)
    return tuple(found)


def _faults(promise: Promise) -> Iterator[Problem]:
    fields, known = promise.fields, _TABLES[promise.table]
    at = (promise.file, promise.line)
    for key in fields if known else ():
        if key not in known:
            yield Problem("unknown key", *at, f"{promise.table}.{key}", nearest(key, known))
    if "is" in known and promise.of("is") not in _VERDICTS:
        yield Problem("is neither accepted nor refused", *at, f"{promise.table}.is", 'is = "refused"')
    limit = parse_duration if promise.table == "waits" else _part
    for key, read in (("memory", parse_memory), ("at_least", _part), ("at_most", limit)):
        try:
            _ = read(fields[key]) if key in fields and known else 0
        except (UnitError, ValueError):
            yield Problem(f"{quoted(fields[key])} is not understood", *at, f"{promise.table}.{key}")
    if promise.table == "waits" and promise.of("measure") not in ("", *_MEASURES):
        yield Problem("is not a wait", *at, "waits.measure", f"there is {', '.join(_MEASURES)}")


def _part(text: Any) -> float:
    words = str(text).strip()
    return float(words.removesuffix("%")) / 100 if words.endswith("%") else float(words)


def judged(promises: Sequence[Promise], meaning: ConfigurationMeaning) -> Iterator[JudgedPromise]:
    judges = {"guarantees": _guarantee, "submits": _submission, "asks": _ask}
    for each in promises:
        if each.table in judges:
            yield judges[each.table](each, meaning)


def _guarantee(promise: Promise, meaning: ConfigurationMeaning) -> JudgedPromise:
    queue = meaning.queues.get(promise.of("queue"))
    share = None if queue is None else queue.parts.get(promise.of("partition"))
    if share is None:
        return JudgedPromise(promise, False, f"there is no {promise.of('queue')} in that partition")
    least, most = (promise.fields.get(key) for key in ("at_least", "at_most"))
    is_kept = (least is None or share[0] >= _part(least) - 1e-6) and (most is None or share[0] <= _part(most) + 1e-6)
    return JudgedPromise(promise, is_kept, f"it is guaranteed {100 * share[0]:.4g} %")


def _submission(promise: Promise, meaning: ConfigurationMeaning) -> JudgedPromise:
    queue = meaning.queues.get(promise.of("queue"))
    user = promise.of("user")
    groups = promise.fields.get("groups") or [user]
    is_taken = queue is not None and queue.is_leaf and not queue.is_stopped and queue.rights.allows(user, groups)
    why = "there is no such leaf queue" if queue is None or not queue.is_leaf else "it is stopped" * queue.is_stopped
    found = f"{user or 'any user'} is {'accepted' if is_taken else 'refused'}{f': {why}' if why else ''}"
    return JudgedPromise(promise, is_taken == (promise.of("is") == "accepted"), found)


def _ask(promise: Promise, meaning: ConfigurationMeaning) -> JudgedPromise:
    name = promise.of("queue")
    leaves = [each for each in meaning.queues.values() if each.is_leaf and name in ("", each.path)]
    size = (parse_memory(promise.fields.get("memory", 0)), int(promise.fields.get("vcores", 0)))
    taken = [each.path for each in leaves if size[0] <= each.largest[0] and size[1] <= each.largest[1]]
    is_accepted = promise.of("is") == "accepted"
    is_kept = len(taken) == len(leaves) if is_accepted else not taken
    largest = max((each.largest for each in leaves), default=(0, 0))
    found = f"asks of up to {largest[0]} MB, {largest[1]} vcores are taken"
    return JudgedPromise(promise, is_kept and bool(leaves), found if leaves else f"there is no leaf queue {name}")


def judged_on(promises: Sequence[Promise], effect: WorkloadEffect, played: Scenario) -> Iterator[JudgedPromise]:
    """The promises about a workload under NEW; `played` is its scenario there."""
    run = effect.comparison.runs[1]
    for each in promises:
        if each.table == "waits":
            yield _wait(each, run, effect.name)
    expectations = [each for each in promises if each.table == "expectations"]
    if expectations:
        yield from _expected(expectations, effect, played)


def _wait(promise: Promise, run: ComparedRun, workload: str) -> JudgedPromise:
    kind = "user" if "user" in promise.fields else "queue"
    waits = run.measures.waits_of_users if kind == "user" else run.measures.waits_of_queues
    found = waits.get(promise.of(kind)) if kind in promise.fields else run.measures.waits
    if found is None:
        return JudgedPromise(promise, True, f"nothing of {kind} {promise.of(kind)} waits", workload)
    value: float = getattr(found, _MEASURES[promise.of("measure") or "p95_wait"])
    is_kept = value <= parse_duration(promise.fields.get("at_most", 0))
    return JudgedPromise(promise, is_kept, f"it is {value / 1000:.1f} s", workload)


def _expected(promises: Sequence[Promise], effect: WorkloadEffect, played: Scenario) -> Iterator[JudgedPromise]:
    end_s = f"+{(effect.comparison.until_ms - effect.comparison.start_ms) // 1000}s"
    entries = []
    for each in promises:
        has_time = any(key in each.fields for key in ("at", "within", "until"))
        entries.append(dict(each.fields) if has_time else {**each.fields, "until": end_s})
    data = {**dict(table_of(played)), "expectations": entries}
    layers = Layers(data, {(): Origin(promises[0].file, promises[0].line)}, played.about, played.name)
    outcome = play(scenario_of(layers, knows_settings=False))
    for each, result in zip(promises, outcome.results, strict=True):
        yield JudgedPromise(each, result.verdict == "met", result.sentence, effect.name)


def accepted(harms: Sequence[Harm], promises: Sequence[Promise]) -> tuple[Harm, ...]:
    """Harms, each with why it is meant where a promise says so."""
    refusing = [each for each in promises if each.of("is") == "refused"]
    found = []
    for harm in harms:
        mine = next((each for each in refusing if _accepts(each, harm)), None)
        meant = "" if mine is None else mine.of("because") or f"{mine.file}:{mine.line}"
        found.append(replace(harm, meant=meant))
    return tuple(found)


def _accepts(promise: Promise, harm: Harm) -> bool:
    if promise.of("queue") not in ("", harm.queue):
        return False
    if promise.table == "asks":
        return harm.memory_mb > 0 and (harm.kind == "asks" or harm.memory_mb >= parse_memory(promise.of("memory") or 0))
    is_of = harm.kind in ("submits", "refused") and not harm.memory_mb
    return promise.table == "submits" and is_of and promise.of("user") in ("", harm.user)


def without_shown(harms: Sequence[Harm], effects: Sequence[WorkloadEffect]) -> tuple[Harm, ...]:
    """Harms of the configuration alone, without harms whose victims a workload shows."""
    shown = [each for effect in effects for each in effect.harms]
    is_refused_ask = any(each.memory_mb for each in shown if each.kind in (REFUSED, FAILED))
    queues = {each.queue for each in shown if each.kind == REFUSED and not each.memory_mb}
    return tuple(
        each
        for each in harms
        if not (each.kind == "asks" and is_refused_ask) and not (each.kind == "submits" and each.queue in queues)
    )
