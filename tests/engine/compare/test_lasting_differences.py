"""Divergences by their definition: a difference that lasts, whatever the runs decide and however they are looked at."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compare import Divergence
from engine.compare.divergences import MOST, Divergences, Tape, lasting_ms
from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Reserved, Unreserved
from engine.simulation.records import Record

LASTING_MS = 10
DECIDED = st.lists(
    st.tuples(
        st.integers(0, 60),
        st.sampled_from(("A", "B", "C")),
        st.integers(1, 2),
        st.sampled_from(("allocated", "killed", "failed")),
    ),
    max_size=14,
).map(sorted)
"""(instant, run, application, what), in order of time; many fall on the same instant."""
LOOKS = st.lists(st.integers(0, 80), max_size=4).map(sorted)
PLACES = {"allocated": 0, "killed": 2, "failed": 3}

Decided = Sequence[tuple[int, str, int, str]]


def record_of(number: int, what: str) -> Allocated | Killed | ApplicationTransitioned:
    """A decision on an application."""
    if what == "failed":
        return ApplicationTransitioned(number, "FAILED")
    container = (number, 1, 2)
    return Allocated(container, "n1:1", 1, 1, 1) if what == "allocated" else Killed(container, "n1:1", "LOST")


def by_definition(decided: Decided) -> list[tuple[int, int, int | None]]:
    """(begin, application, alike again) of each difference that lasts, or that is there at the end."""
    found: list[tuple[int, int, int | None]] = []
    for number in (1, 2):
        counts = {letter: Counter[str]() for letter in "ABC"}
        begun: int | None = None
        for time_ms in sorted({each[0] for each in decided if each[2] == number}):
            for _, letter, _, what in (each for each in decided if each[0] == time_ms and each[2] == number):
                counts[letter][what] += 1
            is_alike = counts["A"] == counts["B"] == counts["C"]
            if not is_alike and begun is None:
                begun = time_ms
            elif is_alike and begun is not None:
                if time_ms - begun >= LASTING_MS:
                    found.append((begun, number, time_ms))
                begun = None
        if begun is not None:
            found.append((begun, number, None))
    return found


@given(DECIDED, LOOKS)
def test_a_difference_counts_once_it_lasts(decided: Decided, looks: Sequence[int]) -> None:
    """And only then, with its begin, its end, and how it stood after its first instant."""
    tapes = {letter: Tape() for letter in "ABC"}
    divergences = Divergences(tapes, LASTING_MS)
    left = list(decided)
    for until_ms in [*looks, 100]:
        while left and left[0][0] <= until_ms:
            time_ms, letter, number, what = left.pop(0)
            tapes[letter].records(time_ms, [record_of(number, what)])
        divergences.take(until_ms)
    divergences.end()

    def key(each: Divergence) -> tuple[int, int, int | None]:
        return each.time_ms, each.application, each.alike_ms

    assert sorted(map(key, divergences.found), key=str) == sorted(by_definition(decided), key=str)
    assert [each.time_ms for each in divergences.found] == sorted(each.time_ms for each in divergences.found)
    for each in divergences.found:
        mine = [one for one in decided if one[2] == each.application and one[0] <= each.time_ms]
        for letter in "ABC":
            had = [0, 0, 0, 0]
            for *_, what in (one for one in mine if one[1] == letter):
                had[PLACES[what]] += 1
            assert each.stands[letter] == tuple(had)
            now = [one for one in mine if one[:2] == (each.time_ms, letter)]
            assert each.decisions[letter] == tuple(record_of(each.application, what) for *_, what in now)


@pytest.mark.parametrize(
    ("length_ms", "least_ms"),
    [
        (0, 1000),
        (60_000, 1000),
        (60_059, 1000),
        (60_060, 1001),
        (600_000, 10_000),
        (3_599_999, 59_999),
        (3_600_000, 60_000),
        (7_200_000, 60_000),
    ],
)
def test_a_difference_lasts_from_a_sixtieth_of_the_run_on(length_ms: int, least_ms: int) -> None:
    """At least a second, at most a minute."""
    assert lasting_ms(length_ms) == least_ms


def test_no_more_than_the_most_are_kept() -> None:
    """The first ones."""
    a, b = Tape(), Tape()
    divergences = Divergences({"A": a, "B": b}, LASTING_MS)
    for number in range(MOST + 1):
        a.records(number, [record_of(number, "allocated")])
    divergences.take(10 * MOST)

    assert [each.application for each in divergences.found] == list(range(MOST))


def test_what_lasted_once_is_not_found_again() -> None:
    """However often it is looked at, and at the end."""
    a, b = Tape(), Tape()
    divergences = Divergences({"A": a, "B": b}, LASTING_MS)
    a.records(0, [record_of(1, "allocated")])
    for until_ms in (9, 10, 11, 50):
        divergences.take(until_ms)
    divergences.end()
    divergences.end()

    assert [each.time_ms for each in divergences.found] == [0]


def test_a_reservation_stands_in_the_run_that_made_it() -> None:
    """Its container may be reserved in the other one, too; it ends there when it is used or dropped."""
    a, b = Tape(), Tape()
    divergences = Divergences({"A": a, "B": b}, LASTING_MS)
    container = (1, 1, 2)
    for tape in (a, b):
        tape.records(0, [Reserved(container, "n1:1", 1, 1, 1)])
    a.records(5, [Unreserved(container, "n1:1", 1, 1, 1)])
    b.records(7, [Allocated(container, "n1:1", 1, 1, 1)])
    b.records(8, [Unreserved((1, 1, 9), "n1:1", 1, 1, 1)])
    divergences.take(100)

    (found,) = divergences.found
    assert (found.time_ms, found.stands) == (5, {"A": (0, 0, 0, 0), "B": (0, 1, 0, 0)})
    assert (found.node, found.alike_ms) == ("n1:1", None)
    a.records(101, [Allocated((1, 1, 4), "n2:1", 1, 1, 1)])
    divergences.take(101)
    assert found.alike_ms == 101


def test_a_reservation_that_was_dropped_may_be_made_again() -> None:
    """It counts anew."""
    a, b = Tape(), Tape()
    divergences = Divergences({"A": a, "B": b}, LASTING_MS)
    container = (1, 1, 2)
    a.records(0, [Reserved(container, "n1:1", 1, 1, 1)])
    a.records(1, [Unreserved(container, "n1:1", 1, 1, 1)])
    a.records(2, [Unreserved(container, "n1:1", 1, 1, 1)])
    divergences.take(50)
    assert divergences.found == []
    a.records(60, [Reserved(container, "n1:1", 1, 1, 1)])
    divergences.take(100)

    (found,) = divergences.found
    assert (found.time_ms, found.stands) == (60, {"A": (0, 1, 0, 0), "B": (0, 0, 0, 0)})


@pytest.mark.parametrize("odd", ["A", "B", "C"])
def test_one_run_of_three_is_enough_for_a_trifle(odd: str) -> None:
    """Whichever it is."""
    tapes = {letter: Tape() for letter in "ABC"}
    divergences = Divergences(tapes, LASTING_MS)
    for letter, tape in tapes.items():
        tape.records(3, [Allocated((1, 1, 2), "n2:1" if letter == odd else "n1:1", 1, 1, 1)])
    divergences.take(4)

    assert divergences.first_trifle_ms == 3


@pytest.mark.parametrize(
    ("other", "is_trifle"),
    [
        (Allocated((1, 1, 3), "n1:1", 1, 1, 1), False),
        (Allocated((1, 1, 2), "n2:1", 1, 1, 1), True),
        (Allocated((1, 1, 2), "n1:1", 2, 1, 1), True),
        (Allocated((1, 1, 2), "n1:1", 1, 2, 1), True),
        (Allocated((1, 1, 2), "n1:1", 1, 1, 2), True),
        (Allocated((2, 1, 2), "n1:1", 1, 1, 1), True),
        (Reserved((1, 1, 2), "n1:1", 1, 1, 1), True),
    ],
)
def test_anything_but_another_number_of_a_container_is_a_trifle(other: Allocated | Reserved, is_trifle: bool) -> None:
    """Node, priority, size, application and kind count."""
    a, b = Tape(), Tape()
    divergences = Divergences({"A": a, "B": b}, LASTING_MS)
    a.records(3, [Allocated((1, 1, 2), "n1:1", 1, 1, 1)])
    b.records(3, [other])
    divergences.take(4)
    for tape in (a, b):
        tape.records(5, [record_of(1, "failed")])
    divergences.take(6)

    assert divergences.first_trifle_ms == (3 if is_trifle else None)


def test_the_order_at_an_instant_is_no_trifle_and_the_cause_of_a_loss_is() -> None:
    """So is the state of an end."""
    one, other = Killed((1, 1, 2), "n1:1", "LOST"), Killed((2, 1, 2), "n1:1", "LOST")
    cases: list[tuple[list[Record], bool]] = [
        ([other, one], False),
        ([one, Killed((2, 1, 2), "n1:1", "PREEMPTED")], True),
        ([one, other, ApplicationTransitioned(1, "FAILED")], True),
    ]
    for records, is_trifle in cases:
        a, b = Tape(), Tape()
        divergences = Divergences({"A": a, "B": b}, LASTING_MS)
        a.records(0, [one, other])
        b.records(0, records)
        divergences.take(1)
        assert divergences.first_trifle_ms == (0 if is_trifle else None)


def test_a_divergence_without_a_decision_on_a_node_names_none() -> None:
    """The first that has one counts."""
    ends = Divergence(0, 1, {"A": (ApplicationTransitioned(1, "FAILED"),), "B": ()}, {})
    later = Divergence(
        0, 1, {"A": (ApplicationTransitioned(1, "FAILED"),), "B": (Killed((1, 1, 2), "n1:1", "LOST"),)}, {}
    )

    assert (ends.node, later.node) == ("", "n1:1")
