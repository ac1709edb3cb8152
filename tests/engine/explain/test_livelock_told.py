"""When containers taken back are told as a livelock, of whom, since when, and when that is over."""

from hypothesis import given
from hypothesis import strategies as st

from engine.explain.shared_lookahead import Preempted
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.simulation.records import Record

STEPS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 2), st.sampled_from(("taken", "lost", "ends", "over", "runs"))),
    max_size=25,
)


def taken(*numbers: int) -> list[Record]:
    return [Killed((number, 1, 2), "n1:1", "PREEMPTED") for number in numbers]


@given(STEPS)
def test_what_is_taken_back_counts_until_one_ends_by_itself(steps: list[tuple[int, int, str]]) -> None:
    """By the ask it was given for; what is lost otherwise does not count."""
    preempted, counts, first = Preempted(), dict[tuple[int, int], int](), dict[tuple[int, int], int]()
    done = set[tuple[int, int]]()
    for time_ms, (number, priority, what) in enumerate(steps):
        ask, container = (number, priority), (number, 1, time_ms)
        given_ = Allocated(container, "n1:1", priority, 1, 1)
        if what in {"over", "runs"}:
            state = "KILLED" if what == "over" else "RUNNING"
            preempted.records(time_ms, [ApplicationTransitioned(number, state)])
            counts = {key: value for key, value in counts.items() if what == "runs" or key[0] != number}
        elif what == "ends":
            preempted.records(time_ms, [given_, Completed(container, "n1:1", 0)])
            counts.pop(ask, None)
            done.add(ask)
        else:
            cause = "PREEMPTED" if what == "taken" else "LOST"
            preempted.records(time_ms, [given_, Killed(container, "n1:1", cause)])
            if what == "taken":
                first[ask] = first[ask] if ask in counts else time_ms
                counts[ask] = counts.get(ask, 0) + 1
    assert (preempted.counts, preempted.first_ms, preempted.completed) == (counts, first, done)
    for times in (1, 2, 3):
        assert preempted.often(times) == tuple(sorted({ask[0] for ask, count in counts.items() if count >= times}))
