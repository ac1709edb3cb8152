"""Searches in pieces find what a look at everything finds."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from engine.incremental import Incremental, least, one_minimal, run_to_end


@given(st.integers(0, 100), st.integers(1, 100))
def test_the_least_number_that_is_enough_is_found(low: int, more: int) -> None:
    asked: list[int] = []

    def is_enough(number: int) -> Incremental[bool]:
        asked.append(number)
        yield
        return number >= low + more

    assert run_to_end(least(low, low + 100, is_enough)) == low + more
    assert len(asked) <= 7


@given(st.lists(st.integers(), unique=True, min_size=1), st.data())
def test_what_is_needed_together_is_all_that_stays(things: Sequence[int], data: st.DataObject) -> None:
    needed = data.draw(st.sets(st.sampled_from(things), min_size=1))

    def is_enough(some: Sequence[int]) -> Incremental[bool]:
        yield
        return needed <= set(some)

    assert run_to_end(one_minimal(things, is_enough)) == [each for each in things if each in needed]
