"""Where runs part."""

from engine.compare.divergences import Divergences, Tape
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, Reserved, Unreserved

LASTING_MS = 1000


def allocated(number: int, node: str = "n1:1") -> Allocated:
    return Allocated((number, 1, 2), node, 1, 1024, 1)


def reserved(number: int) -> Reserved:
    return Reserved((number, 1, 3), "n1:1", 1, 1024, 1)


class Both:
    """Two runs that are compared."""

    def __init__(self) -> None:
        self.a, self.b = Tape(), Tape()
        self.divergences = Divergences({"A": self.a, "B": self.b}, LASTING_MS)

    def times(self) -> list[int]:
        return [each.time_ms for each in self.divergences.found]


def test_another_node_is_a_trifle() -> None:
    both = Both()
    both.a.records(10, [allocated(1)])
    both.b.records(15, [allocated(1, "n2:1")])
    both.divergences.take(5000)
    assert both.times() == []
    assert both.divergences.first_trifle_ms == 10


def test_a_difference_that_lasts_is_a_divergence_from_its_first_instant() -> None:
    both = Both()
    both.b.records(10, [allocated(1)])
    both.divergences.take(10 + LASTING_MS - 1)
    assert both.times() == []
    both.divergences.take(10 + LASTING_MS)
    (found,) = both.divergences.found
    assert (found.time_ms, found.application, found.node) == (10, 1, "n1:1")
    assert found.decisions == {"A": (), "B": (allocated(1),)}
    assert found.stands == {"A": (0, 0, 0, 0), "B": (1, 0, 0, 0)}
    both.a.records(5000, [allocated(1)])
    both.divergences.take(5000)
    assert found.alike_ms == 5000


def test_a_reservation_counts_once_and_until_it_ends() -> None:
    both = Both()
    for time_ms in (0, 500):
        both.a.records(time_ms, [reserved(1)])
    both.a.records(900, [Unreserved((1, 1, 3), "n1:1", 1, 1024, 1)])
    both.divergences.take(3000)
    assert both.times() == []
    both.a.records(4000, [reserved(2)])
    both.a.records(4100, [Allocated((2, 1, 3), "n1:1", 1, 1024, 1)])
    both.b.records(4100, [allocated(2)])
    both.divergences.take(6000)
    assert both.times() == []


def test_lost_containers_and_ended_applications_count() -> None:
    both = Both()
    both.a.records(0, [Completed((1, 1, 2), "n1:1", 0), Killed((2, 1, 2), "n1:1", "RELEASED")])
    both.a.records(1, [Killed((3, 1, 2), "n1:1", "PREEMPTED"), ApplicationTransitioned(4, "KILLED")])
    both.divergences.take(5000)
    assert [(each.application, each.stands["A"]) for each in both.divergences.found] == [
        (3, (0, 0, 1, 0)),
        (4, (0, 0, 0, 1)),
    ]


def test_what_differs_at_the_end_counts() -> None:
    both = Both()
    both.a.records(10, [allocated(1)])
    both.divergences.take(20)
    both.divergences.end()
    assert both.times() == [10]
