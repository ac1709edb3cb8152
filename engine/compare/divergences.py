"""Finds where runs of the same workload part: when an application has, or has reserved, other than under the first run.

Decisions that only place a container on another node, or a few heartbeats sooner, part nothing: what an application has
differs for a moment, and is alike again. So a divergence is a difference that lasts: for a minute, or a sixtieth of the
run where that is less, or to the end.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from engine.control_plane.protocol import ResourceManagerStarted
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    ContainerId,
    Decision,
    Killed,
    Reserved,
    Unreserved,
    owner_of,
)
from engine.observe.snapshots import LOSING
from engine.simulation.records import Record

LASTING_MS: Final = 60_000  # A difference counts from this on [ms], in a run of an hour or longer
MOST: Final = 500  # Divergences kept

Taken = tuple[int, int, Decision | ResourceManagerStarted]
"""(epoch ms, application, what was decided on it); application 0 where a ResourceManager started, which drops all
reservations."""


def lasting_ms(length_ms: int) -> int:
    """From when on a difference counts in a run of some length [ms].

    >>> lasting_ms(7_200_000), lasting_ms(600_000)
    (60000, 10000)
    """
    return min(LASTING_MS, max(1000, length_ms // 60))


class Tape:
    """A listener that keeps what was decided on applications until it is compared."""

    def __init__(self, shift_ms: int = 0) -> None:
        self.taken: list[Taken] = []
        self._shift_ms = shift_ms

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        time_ms -= self._shift_ms
        for record in records:
            if isinstance(record, Allocated | Reserved | Unreserved | Killed):
                if not isinstance(record, Killed) or record.cause in LOSING:
                    self.taken.append((time_ms, owner_of(record.container), record))
            elif isinstance(record, ApplicationTransitioned) and record.state in {"FAILED", "KILLED"}:
                self.taken.append((time_ms, record.application, record))
            elif isinstance(record, ResourceManagerStarted):
                self.taken.append((time_ms, 0, record))


class Divergence(msgspec.Struct):
    """A difference that lasts: what it was about, and what each run decided at its first instant."""

    time_ms: int  # When it began [epoch ms]
    application: int
    decisions: Mapping[str, tuple[Decision, ...]]
    """Letter of a run → what it decided on the application at that instant, maybe nothing."""
    stands: Mapping[str, tuple[int, int, int, int]]
    """Letter of a run → containers allocated so far, nodes reserved, containers lost, ends as FAILED or KILLED; after
    that instant."""
    alike_ms: int | None = None  # When they were alike again [epoch ms]; None when they were not by the end

    @property
    def node(self) -> str:
        """The node of the first decision, `host:port`; empty where no run decided on one."""
        found = [getattr(each, "node", "") for decisions in self.decisions.values() for each in decisions]
        return next(filter(None, found), "")


class Divergences:
    """Compares the tapes of runs that are played in lockstep."""

    def __init__(self, tapes: Mapping[str, Tape], lasting_ms: int) -> None:
        """`tapes` has the letter of a run → what it decides; a difference counts from `lasting_ms` on."""
        self._lasting_ms = lasting_ms
        self._tapes = tapes
        self._stands: dict[int, dict[str, list[int]]] = {}  # application → letter → as in `Divergence.stands`
        self._reserved: dict[str, set[ContainerId]] = {letter: set() for letter in tapes}
        """Letter → reservations that stand."""
        self._apart: dict[int, dict[str, Divergence]] = {}
        """Application → letter of a run that differs from the first now → what it began with."""
        self._open: dict[int, Divergence] = {}  # application → the difference that holds now and has lasted
        self._young: dict[int, Divergence] = {}  # application → the one that holds and has not lasted yet
        self.found: list[Divergence] = []  # the divergences so far, in order of time, at most `MOST`
        self.first_trifle_ms: int | None = None
        """When the runs first decided anything differently, nodes included [epoch ms]; None while they never did."""

    def take(self, until_ms: int) -> None:
        instants: dict[int, dict[str, list[Taken]]] = {}
        for letter, tape in self._tapes.items():
            for one in tape.taken:
                instants.setdefault(one[0], {}).setdefault(letter, []).append(one)
            tape.taken.clear()
        for time_ms in sorted(instants):
            self._instant(time_ms, instants[time_ms])
        self._confirm(until_ms)

    def end(self) -> None:
        """The runs have ended: a difference that began lately counts, as nothing shows that it passes."""
        self._keep(self._young.values())

    def _keep(self, some: Iterable[Divergence]) -> None:
        for each in sorted(some, key=lambda each: each.time_ms):
            self._open[each.application] = self._young.pop(each.application)
            if len(self.found) < MOST:
                self.found.append(each)

    def _instant(self, time_ms: int, taken: Mapping[str, Sequence[Taken]]) -> None:
        if self.first_trifle_ms is None:  # the order within an instant and numbers of containers are no difference
            first, *others = (sorted(map(_what, taken.get(letter, ()))) for letter in self._tapes)
            self.first_trifle_ms = time_ms if any(each != first for each in others) else None
        by_application: dict[int, dict[str, list[Decision]]] = {}
        for letter, ones in taken.items():
            for _, number, record in ones:
                if isinstance(record, ResourceManagerStarted):
                    by_application |= {each: {} for each in self._drop_all(letter) if each not in by_application}
                    continue
                self._apply(number, letter, record)
                by_application.setdefault(number, {}).setdefault(letter, []).append(record)
        self._confirm(time_ms)
        for number, decisions in by_application.items():
            self._judge(number, time_ms, decisions)

    def _apply(self, number: int, letter: str, record: Decision) -> None:
        stands = self._stands.get(number)
        if stands is None:
            stands = self._stands[number] = {each: [0, 0, 0, 0] for each in self._tapes}
        count = stands[letter]
        match record:
            case Allocated():
                count[0] += 1
                count[1] -= self._was_reserved(letter, record)
            case Reserved():
                count[1] += record.container not in self._reserved[letter]
                self._reserved[letter].add(record.container)
            case Unreserved():
                count[1] -= self._was_reserved(letter, record)
            case Killed():
                count[2] += 1
            case _:
                count[3] += 1

    def _drop_all(self, letter: str) -> list[int]:
        held, self._reserved[letter] = self._reserved[letter], set()
        for container in held:
            self._stands[owner_of(container)][letter][1] -= 1
        return sorted({owner_of(container) for container in held})

    def _was_reserved(self, letter: str, record: Allocated | Unreserved) -> bool:
        was_reserved = record.container in self._reserved[letter]
        self._reserved[letter].discard(record.container)
        return was_reserved

    def _judge(self, number: int, time_ms: int, decisions: Mapping[str, Sequence[Decision]]) -> None:
        # Where several runs differ from the first, each counts from when it began to: one that is soon alike again is
        # no reason that another one differs later.
        first, *others = self._tapes
        stands, apart = self._stands[number], self._apart.setdefault(number, {})
        differing = [letter for letter in others if stands[letter] != stands[first]]
        for letter in apart.keys() - differing:
            del apart[letter]
        if new := [letter for letter in differing if letter not in apart]:
            begun = Divergence(
                time_ms,
                number,
                {letter: tuple(decisions.get(letter, ())) for letter in self._tapes},
                {letter: (each[0], each[1], each[2], each[3]) for letter, each in stands.items()},
            )
            apart.update(dict.fromkeys(new, begun))
        if not apart:
            self._young.pop(number, None)
            if known := self._open.pop(number, None):
                known.alike_ms = time_ms
        elif number not in self._open:
            self._young[number] = min(apart.values(), key=lambda each: each.time_ms)

    def _confirm(self, now_ms: int) -> None:
        self._keep([each for each in self._young.values() if now_ms - each.time_ms >= self._lasting_ms])


def _what(one: Taken) -> tuple[str, ...]:
    record = one[2]
    fields = (getattr(record, name, "") for name in ("node", "priority", "memory_mb", "vcores", "cause", "state"))
    return (type(record).__name__, str(one[1]), *map(str, fields))
