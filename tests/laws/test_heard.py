"""What a listener knows at any instant is what records said: waits of asks, preemptions, names of containers."""

from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import attempt_of, container_named, container_of, is_cleanup
from engine.explain.instant import Preempted
from engine.explain.starvation import AskWaits
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.model.mr1.tracker import MAP, REDUCE, AttemptId
from engine.simulation.records import AskChanged, Record

APPLICATIONS, PRIORITIES = st.integers(1, 3), st.integers(1, 3)
ASKED = st.sampled_from(("asks", "withdraws", "given", "ends", "runs"))
TAKEN = st.sampled_from(("taken", "lost", "completed", "ends", "runs"))
CUTS = st.integers(0, 30)


def heard(time_ms: int, number: int, priority: int, what: str) -> list[Record]:
    """What happens to an application at a priority."""
    container = (number, 1, time_ms)
    given_ = Allocated(container, "n1:1", priority, 1, 1)
    records: dict[str, list[Record]] = {
        "asks": [AskChanged(number, priority, 1, 1, 2)],
        "withdraws": [AskChanged(number, priority, 1, 1, 0)],
        "given": [given_],
        "ends": [ApplicationTransitioned(number, "KILLED")],
        "runs": [ApplicationTransitioned(number, "RUNNING")],
        "taken": [given_, Killed(container, "n1:1", "PREEMPTED")],
        "lost": [given_, Killed(container, "n1:1", "LOST")],
        "completed": [given_, Completed(container, "n1:1", 0)],
    }
    return records[what]


Steps = list[tuple[int, int, str]]


@given(st.lists(st.tuples(APPLICATIONS, PRIORITIES, ASKED), max_size=25), st.sets(PRIORITIES), CUTS)
def test_an_ask_waits_since_it_was_made_or_last_given_something(
    steps: Steps, asked: set[int], submitted_ms: int
) -> None:
    """Until it is withdrawn, or its application ends; the oldest of those asked counts, not before it waits at all.

    What is given for an ask that was not heard of is heard of with it.
    """
    waits, since = AskWaits(), dict[tuple[int, int], int]()
    for time_ms, (number, priority, what) in enumerate(steps):
        waits.on_records(time_ms, heard(time_ms, number, priority, what))
        if what == "asks":
            since.setdefault((number, priority), time_ms)
        elif what == "withdraws":
            since.pop((number, priority), None)
        elif what == "given":
            since[number, priority] = time_ms
        elif what == "ends":
            since = {key: value for key, value in since.items() if key[0] != number}
    for number in (1, 2, 3):
        mine = [value for (who, priority), value in since.items() if who == number and (not asked or priority in asked)]
        assert waits.since_of(number, asked, submitted_ms) == max(submitted_ms, min(mine, default=submitted_ms))


@given(st.lists(st.tuples(APPLICATIONS, PRIORITIES, TAKEN), max_size=25))
def test_what_is_taken_back_counts_until_one_ends_by_itself(steps: Steps) -> None:
    """By the ask it was given for; what is lost otherwise does not count."""
    preempted, counts, first = Preempted(), dict[tuple[int, int], int](), dict[tuple[int, int], int]()
    for time_ms, (number, priority, what) in enumerate(steps):
        preempted.on_records(time_ms, heard(time_ms, number, priority, what))
        ask = number, priority
        if what == "ends":
            counts = {key: value for key, value in counts.items() if key[0] != number}
        elif what == "completed":
            counts.pop(ask, None)
        elif what == "taken":
            first[ask] = first[ask] if ask in counts else time_ms
            counts[ask] = counts.get(ask, 0) + 1
    completed = {(number, priority) for number, priority, what in steps if what == "completed"}
    assert (preempted.counts, preempted.first_ms, preempted.completed) == (counts, first, completed)
    for times in (1, 2, 3):
        assert preempted.often(times) == tuple(sorted({ask[0] for ask, count in counts.items() if count >= times}))


@given(st.lists(st.tuples(APPLICATIONS, PRIORITIES, TAKEN), max_size=25), CUTS)
def test_a_run_taken_up_again_counts_what_was_taken_back_before(steps: Steps, cut_ms: int) -> None:
    """And goes on from there as if nothing had come after."""
    whole, again = Preempted(), Preempted()
    for time_ms, (number, priority, what) in enumerate(steps):
        whole.on_records(time_ms, heard(time_ms, number, priority, what))
        if time_ms <= cut_ms:
            again.on_records(time_ms, heard(time_ms, number, priority, what))
    resumed = whole.resumed(cut_ms)
    for each in (resumed, again):
        each.on_records(cut_ms + 1, heard(99, 1, 1, "taken"))
    assert (resumed.counts, resumed.first_ms) == (again.counts, again.first_ms)


@given(
    st.tuples(st.integers(1, 9999), st.sampled_from((MAP, REDUCE)), st.integers(0, 40_000), st.integers(0, 99)),
    st.booleans(),
)
def test_a_name_leads_back_to_its_container(attempt: AttemptId, cleans: bool) -> None:
    """Of an attempt and of its cleanup attempt; remedies find what they would end by it."""
    container = container_of(attempt, is_cleanup=cleans)
    assert container_named(JobTracker({}).view().container_id(container)) == container
    assert (attempt_of(container), is_cleanup(container)) == (attempt, cleans)
