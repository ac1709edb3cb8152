"""Records real decisions: applications that were passed by and why, as the scheduler reports, and allocations.

One object serves a scheduler as its recorder and a simulation as a listener; both only tell it things. A scheduler
without one tells nobody and pays nothing.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine.explain.answer import RefusalReport
from engine.model.decision import Allocated, ApplicationTransitioned, owner_of
from engine.model.ledger import Attempt, Node
from engine.schedulers.obstacle_texts import Obstacle
from engine.simulation.records import Record, Submitted
from engine.simulation.simulation import Simulation

REMEMBERED: Final = 4096  # Allocations kept


class Departure(NamedTuple):
    """An application that was refused, or has ended, perhaps in a control plane that knows nothing of it any more."""

    submitted: Submitted
    state: str  # `REFUSED`, or the state in which it ended
    detail: str  # Why, as the control plane said it
    at_ms: int


class RecentDecisions:
    """The decisions of the last offers, by application."""

    def __init__(self) -> None:
        self._refused: dict[int, dict[str, RefusalReport]] = {}
        self.allocated: deque[tuple[int, Allocated]] = deque(maxlen=REMEMBERED)
        """The last allocations, oldest first, with their time [epoch ms]."""
        self._submitted: dict[int, Submitted] = {}
        self._gone: list[Departure] = []
        self.submissions: list[tuple[int, Submitted]] = []  # All of them, in order, with their time [epoch ms]

    def watch(self, simulation: Simulation) -> None:
        """Listen to a simulation and its scheduler from now on."""
        simulation.listeners.append(self)
        self.record(simulation)

    def record(self, simulation: Simulation) -> None:
        """Receive refusals from now on, where the control plane reports them."""
        simulation.control_plane.view().record_refusals(self)

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
        """An application was passed by on a node."""
        found = self._refused.setdefault(attempt.application.number, {})
        found[node.id] = RefusalReport(node=node.id, code=obstacle.reason.name, numbers=tuple(obstacle.numbers))

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Submitted):
                self.submissions.append((time_ms, record))
            if isinstance(record, Allocated):
                self.allocated.append((time_ms, record))
                self._refused.pop(owner_of(record.container), None)
            elif isinstance(record, Submitted) and record.rejected:
                self._gone.append(Departure(record, "REFUSED", record.detail or record.rejected, time_ms))
            elif isinstance(record, Submitted):
                self._submitted[record.application] = record
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
                submitted = self._submitted.pop(record.application, None)
                if submitted is not None:
                    self._gone.append(Departure(submitted, record.state, record.detail, time_ms))

    def take_refusals(self, other: "RecentDecisions") -> None:
        """Forget own refusals and take over another's."""
        self._refused = other.refusals()

    def refusals(self) -> dict[int, dict[str, RefusalReport]]:
        """All refusals, by application and node."""
        return self._refused

    def of(self, number: int) -> tuple[RefusalReport, ...]:
        """On which nodes an application was passed by since it was last given something, and why."""
        return tuple(self._refused.get(number, {}).values())

    def gone(self, name: str) -> "Departure | None":
        """The last application of a name, or of the number that an id ends in, that was refused or has ended."""
        number = name.rpartition("_")[2].rpartition("-")[2]
        for departure in reversed(self._gone):
            is_number = number.isdecimal() and int(number) == departure.submitted.application
            if name == departure.submitted.name or is_number:
                return departure
        return None

    def turned_away(self) -> "Departure | None":
        """The last application that was refused, or failed."""
        return next((one for one in reversed(self._gone) if one.state in ("REFUSED", "FAILED")), None)

    def passing(self, number: int, since_ms: int, later: frozenset[int]) -> Iterator[tuple[int, Allocated]]:
        """Allocations since an instant to others that came later, oldest first."""
        for time_ms, record in self.allocated:
            if time_ms >= since_ms and record.container[0] != number and record.container[0] in later:
                yield time_ms, record
