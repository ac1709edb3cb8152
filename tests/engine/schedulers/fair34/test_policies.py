"""The comparisons of the three policies of 3.x, and what they allow."""

import pytest

from engine.schedulers.fair.order import FIFO, Key, SharePolicy
from engine.schedulers.fair34.queue_manager import FAIR_34, Drf34, at_least, below


class Member:
    """What a policy looks at."""

    def __init__(self, name: str, used: tuple[int, int] = (0, 0), **more: float) -> None:
        self._used = used
        self._demand_memory_mb = int(more.get("demand", 10_000))
        self._minimum = (int(more.get("least", 0)), int(more.get("least_vcores", 0)))
        self._weight = more.get("weight", 1.0)
        self._tie: Key = (int(more.get("start", 0)), name)

    def key(self, policy: SharePolicy) -> Key:
        return policy.key(self._used, self._demand_memory_mb, self._minimum, self._weight, self._tie)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Member("z", (5, 0)), Member("a", (0, 0), demand=0)),
        (Member("z", (5, 0), least=10), Member("a", (1, 0))),
        (Member("z", (4, 0), least=10), Member("a", (5, 0), least=10)),
        (Member("z", (4, 0), least=8, weight=4), Member("a", (5, 0), least=10, weight=1)),
        (Member("z", (6, 0), weight=3), Member("a", (5, 0), weight=2)),
        (Member("z", (9, 0), weight=1), Member("a", (0, 0), weight=0)),
        (Member("z", (1, 0), weight=0), Member("a", (2, 0), weight=0)),
        (Member("z", (1, 0), start=1), Member("a", (1, 0), start=2)),
        (Member("a", (1, 0)), Member("b", (1, 0))),
    ],
    ids=[
        "what wants nothing comes last",
        "below the minimum first",
        "the further below the sooner",
        "equally needy: usage for the weight",
        "usage for the weight",
        "weight 0 last",
        "two of weight 0: usage",
        "the earlier",
        "the name",
    ],
)
def test_fair_prefers(first: Member, second: Member) -> None:
    assert FAIR_34.compare(first.key(FAIR_34), second.key(FAIR_34)) == -1
    assert FAIR_34.compare(second.key(FAIR_34), first.key(FAIR_34)) == 1
    assert FAIR_34.regular(first.key(FAIR_34))


def test_a_minimum_counts_only_up_to_the_demand() -> None:
    satisfied, other = Member("a", (5, 0), least=10, demand=5), Member("b", (4, 0))
    assert FAIR_34.compare(other.key(FAIR_34), satisfied.key(FAIR_34)) == -1


def test_fifo_goes_by_start_and_name() -> None:
    early, late = Member("b", start=1).key(FIFO), Member("a", start=2).key(FIFO)
    assert (FIFO.compare(early, late), FIFO.compare(late, early), FIFO.compare(late, late)) == (-1, 1, 0)
    assert FIFO.regular(early)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Member("z", (100, 1)), Member("a", (10, 2))),
        (Member("z", (100, 0)), Member("a", (100, 1))),
        (Member("z", (300, 0), weight=4), Member("a", (100, 0))),
        (Member("z", (300, 0), least=400), Member("a", (100, 0))),
        (Member("z", (100, 0), least=400), Member("a", (200, 0), least=400)),
        (Member("a", (100, 0)), Member("b", (100, 0))),
    ],
    ids=["dominant share", "the other share", "weights", "needy", "both needy", "the name"],
)
def test_drf_prefers(first: Member, second: Member) -> None:
    drf = Drf34(1000, 10)
    assert drf.compare(first.key(drf), second.key(drf)) == -1
    assert drf.compare(second.key(drf), first.key(drf)) == 1


def test_memory_dominates_at_a_tie() -> None:
    """So a minimum of memory is what makes it needy; in 2.7 vcores would."""
    drf = Drf34(1000, 10)
    assert Member("a", (100, 1), least=200).key(drf)[0] == 0
    assert Member("a", (100, 1), least_vcores=2).key(drf)[0] == 1


def test_a_share_without_a_number_is_not_regular() -> None:
    drf = Drf34(1000, 10)
    assert not drf.regular(Member("a", weight=0).key(drf))
    assert drf.compare(Member("a", weight=0).key(drf), Member("b", (1, 0)).key(drf)) == -1


def test_amounts_compare_by_memory_or_by_the_dominant_share() -> None:
    total, drf = (1000, 10), Drf34(1000, 10)
    assert below(FAIR_34, (1, 9), (2, 0), total)
    assert at_least(FAIR_34, (2, 0), (2, 9), total)
    assert below(drf, (100, 0), (0, 2), total)
    assert not below(drf, (200, 0), (200, 1), total)
    assert at_least(drf, (200, 1), (100, 2), total)
    assert not at_least(drf, (100, 1), (100, 2), total)
    assert at_least(drf, (5, 5), (5, 5), total)


def test_without_a_cluster_amounts_compare_in_every_dimension() -> None:
    drf = Drf34(0, 0)
    assert below(drf, (1, 1), (2, 2), (0, 0))
    assert not below(drf, (3, 1), (2, 2), (0, 0))
    assert at_least(drf, (3, 1), (2, 2), (0, 0)) is True
    assert at_least(drf, (1, 1), (2, 2), (0, 0)) is False
