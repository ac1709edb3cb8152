"""Applications that a run refuses or that fail in it, with the reason."""

from collections.abc import Sequence

import msgspec

from engine.model.decision import ApplicationTransitioned
from engine.simulation.records import Record, Submitted

REFUSED, FAILED, KILLED = "refused", "failed", "killed"


class Loss(msgspec.Struct, frozen=True):
    """Applications that came to nothing in the same way."""

    kind: str
    """`REFUSED`, `FAILED` or `KILLED`."""
    reason: str
    """The words of the class about the first of them; may be empty."""
    applications: tuple[int, ...]
    """In the order in which it came about."""


class LostApplications:
    """A listener that collects them."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._lost: dict[str, dict[int, None]] = {}
        self.reason_of: dict[int, str] = {}
        """Application that was refused → why."""

    @property
    def found(self) -> tuple[Loss, ...]:
        """What there is so far, refusals first."""
        kinds = (kind for kind in (REFUSED, FAILED, KILLED) if kind in self._lost)
        return tuple(Loss(kind, self._reasons[kind], tuple(self._lost[kind])) for kind in kinds)

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        for record in records:
            if isinstance(record, Submitted) and record.rejected:
                self._note(REFUSED, record.application, record.detail or record.rejected)
                self.reason_of[record.application] = record.detail or record.rejected
            elif isinstance(record, ApplicationTransitioned) and record.state in {"FAILED", "KILLED"}:
                self._note(record.state.lower(), record.application, record.detail)

    def _note(self, kind: str, number: int, reason: str) -> None:
        self._lost.setdefault(kind, {})[number] = None
        self._reasons[kind] = self._reasons.get(kind) or reason
