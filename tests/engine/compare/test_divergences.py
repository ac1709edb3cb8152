"""Where runs part."""

from engine.compare.divergences import Divergences, Tape
from engine.model.decision import Allocated, Reserved, Unreserved

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
