"""Step functions in bounded memory."""

from hypothesis import given
from hypothesis import strategies as st

from engine.observe.step_series import Steps

WALKS = st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 9)), min_size=1, max_size=300)
"""(how long after the one before [ms], value)."""


def walked(walk: list[tuple[int, int]], most: int = 8) -> tuple[Steps[int], list[tuple[int, int]]]:
    """The steps of a walk, and all of it as (time, value)."""
    steps: Steps[int] = Steps(most)
    everything, time_ms = [], 1_000_000
    for wait_ms, value in walk:
        time_ms += wait_ms
        steps.note(time_ms, value)
        everything.append((time_ms, value))
    return steps, everything


def test_a_value_holds_until_the_next_one() -> None:
    """There is none before the first; noting the same again changes nothing, within an instant the last one counts."""
    steps: Steps[int] = Steps()
    for time_ms, value in ((10, 1), (20, 7), (20, 3), (25, 3)):
        steps.note(time_ms, value)

    assert [steps.at(time_ms) for time_ms in (9, 10, 19, 20, 99)] == [None, 1, 1, 3, 3]
    assert (steps.times, steps.values) == ([10, 20], [1, 3])


@given(WALKS)
def test_memory_is_bounded_and_the_present_exact(walk: list[tuple[int, int]]) -> None:
    """However many values come, few are kept, in order, from the very first on."""
    steps, everything = walked(walk)

    assert len(steps) <= 8
    assert steps.times == sorted(set(steps.times))
    assert steps.times[0] == everything[0][0]
    assert steps.at(everything[-1][0]) == everything[-1][1]


@given(WALKS)
def test_all_is_exact_while_there_is_room(walk: list[tuple[int, int]]) -> None:
    """Nothing is thinned out before it must be."""
    steps, everything = walked(walk, most=1_000)

    last = dict(everything)
    assert {time_ms: steps.at(time_ms) for time_ms in last} == last


@given(WALKS, st.integers(0, 300_000))
def test_what_is_cut_off_is_as_if_it_had_never_come(walk: list[tuple[int, int]], after_ms: int) -> None:
    """What was before stays."""
    cut_ms = 1_000_000 + after_ms
    steps, _ = walked(walk, most=1_000)
    same, _ = walked([])
    same = Steps(1_000)
    time_ms = 1_000_000
    for wait_ms, value in walk:
        time_ms += wait_ms
        if time_ms <= cut_ms:
            same.note(time_ms, value)

    steps.cut(cut_ms)

    assert (steps.times, steps.values) == (same.times, same.values)


def test_the_longer_ago_the_coarser() -> None:
    """After a day of a value each second an hour ago is known to a minute, a minute ago to seconds."""
    steps: Steps[int] = Steps()
    day_s = 86_400
    for second in range(day_s + 1):
        steps.note(second * 1000, second)

    wrong_s = {ago: abs((steps.at((day_s - ago) * 1000) or 0) - (day_s - ago)) for ago in (0, 60, 3_600, 43_200)}
    assert all(wrong <= 1 + ago // 32 for ago, wrong in wrong_s.items())
    assert len(steps) <= 4096
