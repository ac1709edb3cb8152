"""What a run tells its listeners."""

from collections.abc import Sequence

from engine.simulation.records import Record


class Kept:
    """A listener that keeps all records with their instant."""

    def __init__(self) -> None:
        self.all: list[tuple[int, Record]] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.all += [(time_ms, record) for record in records]
