"""Who waits and who asks, alike for every control plane."""

import pytest

from engine.control_plane.cluster_view import ClusterView, asking, longest_waiting, somebody_waits, waiting
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update


def view() -> ClusterView:
    """Applications 1 to 4 that ask since 30, 10, 20 and 10 ms, and 5 that asks for nothing."""
    rm = resource_manager(nodes=0)
    for since_ms in (30, 10, 20, 10):
        number = submit(rm)
        ask(rm, number, 1)
        rm.cluster.applications[number].waiting_since_ms = START_MS + since_ms
    submit(rm)
    return rm.view()


def test_those_who_wait_longest_come_first() -> None:
    """Of two that wait equally long the earlier submitted one; who asks for nothing is not among them."""
    assert [each.number for each in waiting(view())] == [2, 4, 3, 1]
    assert [each.number for each in asking(view())] == [2, 4, 3, 1]


def test_who_asks_for_more_than_it_has_need_not_wait() -> None:
    """An application that was given something still asks; what is unknown of its wait comes first."""
    rm = resource_manager(nodes=1)
    first, second = submit(rm), submit(rm)
    for number in (first, second):
        ask(rm, number, 99)
    update(rm)
    heartbeat(rm)
    rm.cluster.applications[second].waiting_since_ms = None

    assert [each.number for each in asking(rm.view())] == [second, first]
    assert [each.number for each in waiting(rm.view())] == [first]


@pytest.mark.parametrize(("known", "longest"), [((), 2), ((2,), 4), ((2, 4), 3), ((1, 2, 3, 4), None), ((1, 3), 2)])
def test_the_longest_wait_is_that_of_somebody_not_known(known: tuple[int, ...], longest: int | None) -> None:
    """None when all who wait are."""
    assert longest_waiting(view(), known) == longest
    assert somebody_waits(view(), known) is (longest is not None)


def test_nobody_waits_where_nobody_asks() -> None:
    """Whoever is known."""
    rm = resource_manager()
    submit(rm)

    assert (longest_waiting(rm.view()), somebody_waits(rm.view()), somebody_waits(rm.view(), (1,))) == (
        None,
        False,
        False,
    )
