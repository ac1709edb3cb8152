"""One workload on FIFO, CapacityScheduler and FairScheduler: the order in which its two jobs end."""

from collections.abc import Sequence

import pytest

from engine.formats.scenario_toml import load
from engine.model.decision import ApplicationTransitioned
from engine.run import play
from engine.simulation.records import Record

NAMES = ("three-schedulers-fifo", "three-schedulers-capacity", "three-schedulers-fair")


class _Ends:
    """A listener that notes when applications finish, in that order."""

    def __init__(self) -> None:
        self.at_ms: dict[int, int] = {}

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, ApplicationTransitioned) and record.state == "FINISHED":
                self.at_ms[record.application] = time_ms


@pytest.fixture(scope="module")
def ends() -> dict[str, dict[int, int]]:
    """Scenario → application → when it finished, in that order; 1 is the large job, 2 the small one."""
    found = {}
    for name in NAMES:
        listener = _Ends()
        play(load(name), listeners=[listener])
        found[name] = listener.at_ms
    return found


def test_the_large_job_ends_first_under_fifo_alone(ends: dict[str, dict[int, int]]) -> None:
    """Under the other two the small one does, though it came a minute later."""
    assert [list(ends[name]) for name in NAMES] == [[1, 2], [2, 1], [2, 1]]


def test_the_large_job_ends_soonest_under_fifo_and_latest_under_capacity(ends: dict[str, dict[int, int]]) -> None:
    """CapacityScheduler keeps a fifth of the cluster idle; FairScheduler lends it until somebody wants it."""
    fifo, capacity, fair = (ends[name][1] for name in NAMES)

    assert fifo < fair < capacity
