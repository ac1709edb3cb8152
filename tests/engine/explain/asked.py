"""A detector of starvation whose questions are answered as a test wants, and whom it asks about when."""

from collections.abc import Callable, Collection, Sequence

import pytest

from engine.explain import starvation as starvation_detector
from engine.explain.alert import Alert
from engine.explain.instant import SharedLookahead
from engine.explain.starvation import SCAN_MS, StarvationDetector
from engine.explain.starvation_alerts import OutageAlerts
from engine.explain.verdict import Proof, Verdict
from engine.incremental import Incremental
from engine.model.decision import Allocated, owner_of
from engine.simulation.build import build_simulation
from engine.simulation.records import AskChanged, Record
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import app, scene

MANY = 10**6
HOLDER = app("holder", '{ memory = "9g", count = 2 }')
ONE = HOLDER + app("one", '{ memory = "9g" }', at=5)
THREE = ONE + app("two", '{ memory = "8g" }', at=6) + app("three", '{ memory = "8g" }', at=7)
WAITING = Verdict("waiting", 0, Proof(0, 10, 0, None, still=False), priority=1)
"""No alert."""
BLOCKED = Verdict("blocked", None, Proof(0, 10, 0, None, still=True, ends=(1,)), priority=1)
"""An alert."""


class Asking:
    """A run, its detector, and the questions so far: (who, when), the instants in ms after the first one's wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, text: str = ONE, found: Verdict = WAITING) -> None:
        self.found = found
        self.pieces = 1
        """Of work that a question takes."""
        self.suspects: Collection[int] = ()
        """Those who may be blocked for good."""
        self.played: Callable[[SharedLookahead], object] = id
        """What a question does to the closed world."""
        self.questions: list[tuple[int, int]] = []
        self.since: dict[int, int] = {}
        """Since when each application with one ask is given nothing [epoch ms]."""
        self.held = StarvationDetector(OutageAlerts())
        self.here = build_simulation(scene(text, settings='"schedlab.reservation.rule" = "off"'), [self.held, self])
        self.here.run_until(self.here.now_ms + 9_000)
        self.since_ms = self.since.get(2, self.here.now_ms)
        monkeypatch.setattr(starvation_detector, "judged", self._judged)
        monkeypatch.setattr(starvation_detector, "is_suspect", self._is_suspect)

    def _judged(self, basis: SharedLookahead, number: int) -> Incremental[tuple[Verdict, str]]:
        self.questions.append((number, basis.here.now_ms - self.since_ms))
        self.played(basis)
        for _ in range(self.pieces - 1):
            yield
        return self.found, ""

    def _is_suspect(self, _: Simulation, number: int) -> Incremental[bool]:
        yield from ()
        return number in self.suspects

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note who asks for something, and who is given it."""
        for record in records:
            if isinstance(record, AskChanged):
                self.since.setdefault(record.application, time_ms)
            elif isinstance(record, Allocated):
                self.since[owner_of(record.container)] = time_ms

    def look(self, at_ms: int, pieces: int = MANY, of_any: int = MANY) -> list[Alert]:
        self.here.run_until(self.since_ms + at_ms)
        return self.held.look(self.here, pieces, of_any)

    def watch(self, until_ms: int) -> list[tuple[int, str]]:
        """Look at every scan; the alerts that are new: (when, kind)."""
        begin_ms = self.here.now_ms - self.since_ms
        begin_ms += -begin_ms % SCAN_MS
        times = range(begin_ms, until_ms + 1, SCAN_MS)
        return [(at_ms, alert.kind) for at_ms in times for alert in self.look(at_ms)]

    def asked(self) -> list[int]:
        return [number for number, _ in self.questions]

    def times(self) -> list[int]:
        return [at_ms for _, at_ms in self.questions]

    def not_judged(self) -> list[int]:
        return [number for number, _ in self.held.not_judged(self.here)]
