"""Alerts: what an operator should be told as it forms, by whoever drives a run.

The driver adds `Alerts` to the run's listeners and calls `look` between two instants, as often as it likes; the work
is done at most twice per simulated second and only when nothing was allocated lately. A run without them pays nothing,
and they change nothing: the journal is the same with and without.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.forming import UNBOUNDED, Outlook
from engine.explain.patterns import pattern_of
from engine.explain.planes import living, longest_waiting
from engine.explain.verdict import Inquiry, Verdict
from engine.pieces import Task, Work
from engine.simulation.records import Asked, Record, Submitted
from engine.simulation.simulation import Simulation

TOO_LARGE: Final = "ask above every node"

EVERY_MS: Final = 500
"""How often it is looked at most [simulated ms]."""


class Alert(msgspec.Struct, frozen=True):
    """Something an operator should know."""

    kind: str
    """`frozen` nothing will be allocated any more; `refused` an application was refused; `too-large` no node could hold
    what one asks for; `over` the freeze is over."""
    since_ms: int
    """When it formed [epoch ms]; of a freeze up to `EVERY_MS` late where something arrived in between."""
    found_ms: int
    """When it was seen."""
    sentence: str
    verdict: str = ""
    """The verdict on the application that waits longest; empty for other kinds."""
    pattern: str = ""
    """The named pattern it is, of `patterns.NAMES`; empty when none."""
    applications: tuple[int, ...] = ()
    """Applications to look at, the one that waits longest or was refused first."""


class Alerts:
    """A listener that keeps the alerts of a run."""

    def __init__(self) -> None:
        self._outlook = Outlook()
        self._looked_ms = -EVERY_MS
        self._inquiry: tuple[int, Task[tuple[Verdict, str]]] | None = None
        self._refused: list[Alert] = []
        self._asked: dict[tuple[int, int, int], int] = {}
        self.frozen: Alert | None = None
        """The alert that holds now; None when none does."""
        self.all: list[Alert] = []
        """Every alert so far, oldest first."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        self._outlook.records(time_ms, records)
        for record in records:
            if isinstance(record, Submitted) and record.rejected:
                sentence = f"application {record.name or record.application} is refused: {record.detail}"
                self._refused.append(
                    Alert("refused", time_ms, time_ms, sentence, "impossible", applications=(record.application,))
                )
            elif isinstance(record, Asked) and record.count > 0:
                self._asked[record.application, record.memory_mb, record.vcores] = time_ms

    def look(self, simulation: Simulation, pieces: int = UNBOUNDED) -> list[Alert]:
        """Bring the alerts up to date.

        Args:
            simulation: The run, between two instants.
            pieces: How many pieces of work may be done now; with few, an alert may need several looks.

        Returns:
            The alerts that are new.
        """
        new, self._refused = self._refused, []
        now_ms = simulation.now_ms
        if self._asked:
            new += self._too_large(simulation)
        if self._inquiry is None and now_ms - self._looked_ms >= EVERY_MS:
            if self._outlook.look(simulation, pieces):
                self._looked_ms = now_ms
            self._begin_or_end(simulation, new)
        if self._inquiry is not None:
            self._go_on(simulation, pieces, new)
        self.all += new
        return new

    def _too_large(self, simulation: Simulation) -> Iterator[Alert]:
        """Asks since the last look that no node could hold were it empty."""
        asked, self._asked = self._asked, {}
        control_plane = simulation.control_plane
        if not isinstance(control_plane, ResourceManager):
            return
        sizes = {(node.total_memory_mb, node.total_vcores) for node in control_plane.cluster.nodes.values()}
        for (number, memory_mb, vcores), since_ms in asked.items():
            needed = vcores if control_plane.scheduler.has_queues else 0  # FIFO does not look at vcores
            if sizes and not any(memory_mb <= most_mb and needed <= most for most_mb, most in sizes):
                sentence = f"{TOO_LARGE}: application {number} asks for {memory_mb} MB and {vcores} vcores"
                yield Alert(
                    "too-large", since_ms, simulation.now_ms, sentence, "impossible", TOO_LARGE, applications=(number,)
                )

    def _begin_or_end(self, simulation: Simulation, new: list[Alert]) -> None:
        formed_ms = self._outlook.formed_ms
        if formed_ms is None and self.frozen is not None:
            since_ms, self.frozen = self.frozen.since_ms, None
            new.append(Alert("over", since_ms, simulation.now_ms, "containers are allocated again"))
        elif formed_ms is not None and self.frozen is None:
            longest = longest_waiting(simulation)
            if longest is not None:
                self._inquiry = (longest, Task(_judged(Inquiry(simulation, longest), longest)))

    def _go_on(self, simulation: Simulation, pieces: int, new: list[Alert]) -> None:
        """Play the inquiry into who waits longest, and make its verdict the alert."""
        assert self._inquiry is not None, "there is an inquiry to go on with"
        number, inquiry = self._inquiry
        if not inquiry.advance(pieces):
            return
        self._inquiry = None
        since_ms = self._outlook.formed_ms
        if since_ms is None:
            return
        verdict, pattern = inquiry.result()
        involved = tuple(dict.fromkeys((number, *(step.application for step in verdict.proof.cycle))))
        sentence = _sentence(verdict, pattern, len(living(simulation.control_plane)))
        self.frozen = Alert(
            "frozen", since_ms, simulation.now_ms, sentence, verdict.verdict, pattern, applications=involved
        )
        new.append(self.frozen)


def _judged(inquiry: Inquiry, number: int) -> Work[tuple[Verdict, str]]:
    """The verdict on an application, and its pattern."""
    while not inquiry.advance():
        yield
    return inquiry.verdict(), (yield from pattern_of(inquiry.basis, number, inquiry.verdict()))


def _sentence(verdict: Verdict, pattern: str, applications: int) -> str:
    what = f"nothing will be allocated any more to any of {applications} applications"
    how = {"deadlocked": "they wait for each other", "blocked": "holders keep for ever what is needed"}
    parts = [pattern or verdict.verdict, what, how.get(verdict.verdict, "")]
    return ": ".join(part for part in parts[:2] if part) + (f"; {parts[2]}" if parts[2] else "")
