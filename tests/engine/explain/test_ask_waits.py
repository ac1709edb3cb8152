"""Since when asks are given nothing, beside a reckoning by hand, and what becomes an alert."""

from hypothesis import given
from hypothesis import strategies as st

from engine.explain.starvation import AskWaits
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.simulation.records import AskChanged, Record

STEPS = st.lists(
    st.tuples(st.integers(1, 2), st.integers(1, 3), st.sampled_from(("asks", "withdraws", "given", "ends", "runs"))),
    max_size=25,
)


def record(number: int, priority: int, what: str) -> Record:
    if what == "given":
        return Allocated((number, 1, 2), "n1:1", priority, 1, 1)
    if what in {"ends", "runs"}:
        return ApplicationTransitioned(number, "KILLED" if what == "ends" else "RUNNING")
    return AskChanged(number, priority, 1, 1, 2 if what == "asks" else 0)


@given(STEPS, st.sets(st.integers(1, 3)), st.integers(0, 30))
def test_an_ask_waits_since_it_was_made_or_last_given_something(
    steps: list[tuple[int, int, str]], asked: set[int], waiting_since_ms: int
) -> None:
    """Until it is withdrawn, or its application ends; the oldest of those asked counts, not before it waits at all."""
    waits, since = AskWaits(), dict[tuple[int, int], int]()
    for time_ms, (number, priority, what) in enumerate(steps):
        waits.records(time_ms, [record(number, priority, what)])
        if what == "asks":
            since.setdefault((number, priority), time_ms)
        elif what == "withdraws":
            since.pop((number, priority), None)
        elif what == "given" and (number, priority) in since:
            since[number, priority] = time_ms
        elif what == "ends":
            since = {key: value for key, value in since.items() if key[0] != number}
    for number in (1, 2, 3):
        mine = [value for (who, priority), value in since.items() if who == number and (not asked or priority in asked)]
        expected = max(waiting_since_ms, min(mine)) if mine else waiting_since_ms
        assert waits.since_of(number, asked, waiting_since_ms) == expected
