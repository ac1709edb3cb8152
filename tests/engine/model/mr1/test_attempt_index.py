"""Which attempts the JobTracker knows, by tracker and by task."""

from engine.model.mr1.attempt import AttemptId
from engine.model.mr1.attempt_index import AttemptIndex
from tests.engine.model.mr1.build import cluster_of, job_of

FIRST: AttemptId = (1, 0, 0, 0)
SECOND: AttemptId = (1, 0, 0, 1)
THIRD: AttemptId = (1, 0, 1, 0)


def index_of() -> AttemptIndex:
    """Attempts of one map, two on tracker `x`, one on `y`, entered last first."""
    task = job_of(cluster_of()).tasks[0][0]
    index = AttemptIndex()
    for attempt, tracker in ((THIRD, "x"), (SECOND, "y"), (FIRST, "x")):
        index.add(attempt, tracker, task)
    return index


def test_attempts_are_known_by_tracker_and_by_task() -> None:
    """A tracker's come in their own order."""
    index = index_of()

    assert index.trackers == {FIRST: "x", SECOND: "y", THIRD: "x"}
    assert (index.of_tracker("x"), index.of_tracker("y"), index.of_tracker("z")) == ([FIRST, THIRD], [SECOND], [])
    assert set(index.tasks) == {FIRST, SECOND, THIRD}
    assert len({id(task) for task in index.tasks.values()}) == 1


def test_a_forgotten_attempt_is_nowhere() -> None:
    """Others stay; forgetting it again, or one that never was, changes nothing."""
    index = index_of()

    for attempt in (FIRST, FIRST, (9, 0, 0, 0)):
        index.remove(attempt)

    assert (index.trackers, set(index.tasks)) == ({SECOND: "y", THIRD: "x"}, {SECOND, THIRD})
    assert index.of_tracker("x") == [THIRD]


def test_marked_attempts_are_forgotten_with_their_trackers_next_heartbeat() -> None:
    """Those of other trackers stay marked."""
    index = index_of()
    for tracker, attempt in (("x", FIRST), ("y", SECOND), ("x", THIRD)):
        index.mark(tracker, attempt)

    index.forget_marked("x")
    assert (list(index.tasks), index.marked) == ([SECOND], {"y": {SECOND: None}})

    index.forget_marked("x")
    assert list(index.tasks) == [SECOND]


def test_a_dropped_tracker_has_no_attempts() -> None:
    """They are returned in order and go on being known; a tracker that never got one gives None, not nothing."""
    index = index_of()

    assert index.drop_tracker("x") == [FIRST, THIRD]
    assert (index.of_tracker("x"), index.drop_tracker("x"), index.drop_tracker("z")) == ([], None, None)
    assert set(index.tasks) == {FIRST, SECOND, THIRD}

    index.remove(FIRST)
    assert set(index.tasks) == {SECOND, THIRD}


def test_a_tracker_whose_attempts_were_forgotten_once_had_some() -> None:
    """Dropping it gives nothing rather than None."""
    index = index_of()
    index.remove(SECOND)

    assert index.drop_tracker("y") == []
