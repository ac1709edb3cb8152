"""Since when each ask of each application has been given nothing: kept from records."""

from collections.abc import Collection, Sequence

from engine.model.decision import Allocated, ApplicationTransitioned, owner_of
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.simulation.records import AskChanged, Record


class AskWaits:
    """A listener that knows it."""

    def __init__(self) -> None:
        self._since_ms: dict[int, dict[int, int]] = {}
        """Application → priority of what it asks for → since when."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note who asks, who is given something, and who ends."""
        for record in records:
            if isinstance(record, Allocated):
                asks = self._since_ms.get(owner_of(record.container), {})
                if record.priority in asks:
                    asks[record.priority] = time_ms
            elif isinstance(record, AskChanged):
                asks = self._since_ms.setdefault(record.application, {})
                if record.count > 0:
                    asks.setdefault(record.priority, time_ms)
                else:
                    asks.pop(record.priority, None)
            elif isinstance(record, ApplicationTransitioned) and record.state in FINAL_APPLICATION_STATES:
                self._since_ms.pop(record.application, None)

    def since_of(self, number: int, asked: Collection[int], waiting_since_ms: int) -> int:
        """Since when the ask of an application that has waited longest has been given nothing [epoch ms].

        `asked` are the priorities it asks at now, none where asks have none; `waiting_since_ms` is the answer where its
        asks are not known.
        """
        known = self._since_ms.get(number, {})
        asks = [since_ms for priority, since_ms in known.items() if not asked or priority in asked]
        return max(waiting_since_ms, min(asks)) if asks else waiting_since_ms
