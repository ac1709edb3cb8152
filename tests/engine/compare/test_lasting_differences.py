"""Divergences by their definition: a difference that lasts, whatever the runs decide and however they are looked at."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from engine.compare import Divergence
from engine.compare.divergences import Divergences, Tape
from engine.model.decision import Allocated, ApplicationTransitioned, Killed

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
